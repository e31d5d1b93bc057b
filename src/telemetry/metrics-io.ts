// What the venue client does on the wire: requests by endpoint and outcome, frames, reconnects.

import type { Registry } from 'prom-client';
import { VENUE_CODE_LABELS } from '../domain/codes.ts';
import type { VenueObserver } from '../domain/observe.ts';
import { Instruments } from './instruments.ts';
import { LabelSet } from './labels.ts';
import type { RECONNECT_CAUSES } from './metric-table-trade.ts';

/** Method and route templates of the venue's interface, with room. */
const ENDPOINTS_MAX = 60;
/** Frame types of the venue's interface (13), with room for new ones. */
const FRAME_TYPES_MAX = 40;
/** How the client begins its words for a lost socket. */
const CAUSES: readonly (readonly [string, (typeof RECONNECT_CAUSES)[number]])[] = [
  ['silen', 'silence'],
  ['closed', 'closed'],
  ['error', 'error'],
  ['no answer to the auth', 'auth'],
  ['this connection takes no', 'auth'],
  ['the venue reads too slowly', 'slow'],
];

export function ioMetrics(registry: Registry): VenueObserver {
  // Frames come by the thousand in a second: they are counted plainly, and told at a scrape.
  const frames = new Map<string, number>();
  const metrics = made(registry, frames);
  const endpoints = new LabelSet(ENDPOINTS_MAX);
  const types = new LabelSet(FRAME_TYPES_MAX);
  return {
    onRequest: ({ endpoint, result, code, durationMs }) => {
      metrics.requests.inc({ result });
      if (result === 'refused') metrics.refusals.inc({ code: codeLabel(code) });
      metrics.latency.observe({ endpoint: endpoints.label(endpoint) }, durationMs / 1_000);
    },
    onLeft: (kind, waitedMs) => metrics.decision.observe({ kind }, waitedMs / 1_000),
    onFrame: (type) => {
      const label = frames.has(type) ? type : types.label(type);
      frames.set(label, (frames.get(label) ?? 0) + 1);
    },
    onReconnect: (reason) => {
      const cause = CAUSES.find(([words]) => reason.startsWith(words))?.[1] ?? 'other';
      metrics.reconnects.inc({ reason: cause });
    },
  };
}

/** One of the published codes, or `other`: a venue's new words make no new series. */
export function codeLabel(code: string | undefined): string {
  return code !== undefined && VENUE_CODE_LABELS.includes(code) ? code : 'other';
}

function made(registry: Registry, counted: Map<string, number>) {
  const make = new Instruments(registry);
  const frames = make.counter('frames', () => {
    for (const [type, count] of counted) {
      frames.inc({ type }, count);
      counted.set(type, 0);
    }
  });
  return {
    requests: make.counterOf('requests'),
    refusals: make.counterOf('requestErrors'),
    latency: make.histogram('latency'),
    decision: make.histogram('decision'),
    frames,
    reconnects: make.counterOf('reconnects'),
  };
}
