// `POST /api/preview`: what a configuration would change. It changes nothing, and still takes time of
// the one thread and tells of settings, so that it is for this machine or for holders of the token.

import { isIPv4 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Secret } from '../domain/secret.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import { controlAccess, fail } from './http-guard.ts';

/** A thousand markets with all their guards and news. */
const CONFIG_BYTES_MAX = 4_000_000;
/** Every market is asked twice for it; more often would cost quotes their time. */
const GAP_MS = 1_000;

type PreviewOptions = {
  readonly controlToken: Secret | undefined;
  readonly clock: Clock;
  readonly preview?: (config: string) => object | undefined;
};

/** Takes `{ config }`, the text of a whole file. */
export function previewRoute(server: FastifyInstance, options: PreviewOptions): void {
  let lastAtMs: UnixMs | undefined;
  const guard = { bodyLimit: CONFIG_BYTES_MAX };
  server.post('/api/preview', guard, async (request, reply) => {
    const access = controlAccess(request.headers.authorization, options.controlToken);
    if (!isLoopback(request.ip) && access !== 'granted') {
      return fail(reply, access === 'noTokenConfigured' ? 403 : 401, 'needs the control token');
    }
    const config = configOf(request.body);
    if (config === undefined) return fail(reply, 400, 'must be { "config": "text of a file" }');
    const nowMs = options.clock.nowMs();
    const sinceMs = lastAtMs === undefined ? GAP_MS : nowMs - lastAtMs;
    if (sinceMs >= 0 && sinceMs < GAP_MS) {
      return fail(reply.header('retry-after', '1'), 429, 'one preview a second');
    }
    lastAtMs = nowMs;
    const found = options.preview?.(config);
    return found === undefined ? fail(reply, 503, 'the daemon is starting') : reply.send(found);
  });
}

function configOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('config' in body)) return undefined;
  return typeof body.config === 'string' ? body.config : undefined;
}

function isLoopback(ip: string): boolean {
  const plain = ip.replace(/^::ffff:/i, '');
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}
