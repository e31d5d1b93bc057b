// What the venue client does on the wire: requests by endpoint and outcome, frames, reconnects.

import { Counter, Histogram, type Registry } from 'prom-client';
import type { VenueObserver } from '../domain/observe.ts';
import { LabelSet } from './labels.ts';

/** Method and route templates of the venue's interface, with room. */
const ENDPOINTS_MAX = 60;
/** Error codes of the venue's interface (33), with room for new ones. */
const CODES_MAX = 60;
/** Frame types of the venue's interface (13), with room for new ones. */
const FRAME_TYPES_MAX = 40;
/** Causes of a lost socket, as the client words them. */
const RECONNECT_REASONS_MAX = 20;

/** From a round trip in one rack to a request that timed out. */
const LATENCY_BUCKETS_SEC = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function ioMetrics(registry: Registry): VenueObserver {
  // Frames come by the thousand in a second: they are counted plainly, and told at a scrape.
  const frames = new Map<string, number>();
  const metrics = declared(registry, frames);
  const endpoints = new LabelSet(ENDPOINTS_MAX);
  const codes = new LabelSet(CODES_MAX);
  const types = new LabelSet(FRAME_TYPES_MAX);
  const reasons = new LabelSet(RECONNECT_REASONS_MAX);
  return {
    onRequest: ({ endpoint, result, code, durationMs }) => {
      const labels = { endpoint: endpoints.label(endpoint), result };
      metrics.requests.inc({ ...labels, code: codes.label(code) });
      metrics.latency.observe(labels, durationMs / 1_000);
    },
    onFrame: (type) => {
      const label = frames.has(type) ? type : types.label(type);
      frames.set(label, (frames.get(label) ?? 0) + 1);
    },
    onReconnect: (reason) => metrics.reconnects.inc({ reason: reasons.label(reason) }),
  };
}

function declared(registry: Registry, counted: Map<string, number>) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'bookend_requests_total',
      help: 'Requests to the venue by endpoint, outcome and the code of a refusal.',
      labelNames: ['endpoint', 'result', 'code'] as const,
      registers,
    }),
    latency: new Histogram({
      name: 'bookend_request_duration_seconds',
      help: 'Time from sending a request to its outcome.',
      labelNames: ['endpoint', 'result'] as const,
      buckets: LATENCY_BUCKETS_SEC,
      registers,
    }),
    frames: new Counter({
      name: 'bookend_frames_total',
      help: 'Frames that came in over the socket, by type.',
      labelNames: ['type'] as const,
      registers,
      collect() {
        for (const [type, count] of counted) {
          this.inc({ type }, count);
          counted.set(type, 0);
        }
      },
    }),
    reconnects: new Counter({
      name: 'bookend_reconnects_total',
      help: 'Times the socket was opened anew, by cause.',
      labelNames: ['reason'] as const,
      registers,
    }),
  };
}
