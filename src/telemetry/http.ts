// The daemon's own HTTP server: metrics, health, state, and control with a token.

import { isIPv6 } from 'node:net';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type RouteShorthandOptions,
} from 'fastify';
import { BotError } from '../domain/errors.ts';
import type { OrderHash } from '../domain/ids.ts';
import type { Secret } from '../domain/secret.ts';
import type { SetsOrder, SetsView } from '../domain/sets.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import { NO_MARKETS, type PickMarkets, type StateView } from '../domain/view.ts';
import { controlAccess, fail, isKnownHost } from './http-guard.ts';
import { previewRoute } from './http-preview.ts';
import { stateRoute } from './http-state.ts';
import { readSetsOrder } from './sets-body.ts';

/** What came of a kill: proven, or what is left. */
export type ControlKillResult =
  | { readonly kind: 'proven'; readonly cancelled: number; readonly tookMs: number }
  | {
      readonly kind: 'unproven';
      readonly cancelled: number;
      readonly tookMs: number;
      /** `undefined` when no list of open orders could be read. */
      readonly left: readonly OrderHash[] | undefined;
      readonly detail: string;
    };

/** What an operator may ask for; `by` says who asked. */
export interface Controls {
  kill(by: string): Promise<ControlKillResult>;
  pause(by: string): void | Promise<void>;
  resume(by: string): void | Promise<void>;
  /** Splits, merges or redeems; the answer is what is known of it by then. */
  sets(order: SetsOrder): Promise<SetsView>;
}

export type HttpOptions = {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Names beside loopback and `host` under which clients may call. */
  readonly allowedHosts: readonly string[];
  /** Without it the control routes answer 403. */
  readonly controlToken: Secret | undefined;
  readonly clock: Clock;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** `undefined` while there is no core. */
  readonly view: (pick?: PickMarkets) => StateView | undefined;
  /** When the loop last turned; `undefined` before its first turn. */
  readonly lastTickAtMs: () => UnixMs | undefined;
  /** A loop that stood still this long counts as dead. */
  readonly tickAgeMsMax?: number;
  readonly controls: Controls;
  /** Of which venue and account: whoever kills from elsewhere may have reached another daemon. */
  readonly account?: () => string | undefined;
  /** What a configuration would change, as plain data; `undefined` while it cannot be said. */
  readonly preview?: (config: string) => object | undefined;
};

export type HttpServer = {
  /** `http://127.0.0.1:9464`, with the port that was taken. */
  readonly address: string;
  readonly port: number;
  stop(): Promise<void>;
};

/** A hundred ticks of the loop: longer is not a slow moment but a standstill. */
const TICK_AGE_MS_MAX = 5_000;
/** The body of `POST /control/sets`; a route with a larger one says so. */
const BODY_BYTES_MAX = 1_024;
/** Scrapers and people; more is an attack or a leak. */
const CONNECTIONS_MAX = 100;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Starts the server.
 *
 * @throws {BotError} `http.listen` when the address cannot be used.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const server = fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
  });
  server.server.maxConnections = CONNECTIONS_MAX;
  guard(server, options);
  readRoutes(server, options);
  controlRoutes(server, options);
  previewRoute(server, options);
  const port = await listen(server, options);
  return {
    address: `http://${isIPv6(options.host) ? `[${options.host}]` : options.host}:${port}`,
    port,
    stop: async () => {
      await server.close();
    },
  };
}

function guard(server: FastifyInstance, { host, allowedHosts }: HttpOptions): void {
  const names = [host, ...allowedHosts].map((name) => name.toLowerCase());
  server.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (!isKnownHost(request.headers.host, names)) {
      await fail(reply, 403, 'this name is not one of the server; see http.allowedHosts');
    }
  });
  // Whatever a client sends with a request is read within bounds and ignored.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, jsonOf(String(body)));
  });
  server.setNotFoundHandler(async (_request, reply) => fail(reply, 404, 'no such route'));
  server.setErrorHandler(async (error, _request, reply) => {
    const status = statusOf(error);
    await fail(reply, status, errorText(status, error));
  });
}

function readRoutes(server: FastifyInstance, options: HttpOptions): void {
  server.get('/metrics', async (_request, reply) => {
    const text = await options.metrics.text();
    return reply.type(options.metrics.contentType).send(text);
  });
  server.get('/healthz', async (_request, reply) => {
    const health = healthOf(options);
    return reply.code(health.status === 'stuck' ? 503 : 200).send(health);
  });
  server.get('/readyz', async (_request, reply) => {
    const reasons = options.view(NO_MARKETS)?.notReady ?? ['the daemon is starting'];
    const ready = reasons.length === 0;
    return reply.code(ready ? 200 : 503).send({ ready, reasons });
  });
  stateRoute(server, options.view);
}

function healthOf({ clock, lastTickAtMs, tickAgeMsMax = TICK_AGE_MS_MAX }: HttpOptions): {
  readonly status: 'starting' | 'alive' | 'stuck';
  readonly uptimeSec: number;
  readonly tickAgeMs: number | undefined;
} {
  const tickedAtMs = lastTickAtMs();
  const uptimeSec = Math.round(process.uptime());
  if (tickedAtMs === undefined) return { status: 'starting', uptimeSec, tickAgeMs: undefined };
  const tickAgeMs = Math.max(0, clock.nowMs() - tickedAtMs);
  return { status: tickAgeMs > tickAgeMsMax ? 'stuck' : 'alive', uptimeSec, tickAgeMs };
}

function controlRoutes(server: FastifyInstance, options: HttpOptions): void {
  const { controls } = options;
  const guarded = {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      const access = controlAccess(request.headers.authorization, options.controlToken);
      if (access === 'noTokenConfigured') {
        await fail(reply, 403, 'BOOKEND_CONTROL_TOKEN is not set: nothing can be controlled here');
      } else if (access === 'wrongToken') {
        await fail(reply.header('www-authenticate', 'Bearer'), 401, 'wrong control token');
      }
    },
  };
  server.post('/control/kill', guarded, async (request, reply) => {
    const result = await controls.kill(caller(request.ip));
    if (result.kind === 'proven') return reply.send({ ...result, account: options.account?.() });
    return reply.code(500).send({ error: 'not proven', ...result });
  });
  setsRoute(server, controls, guarded);
  server.post('/control/pause', guarded, async (request) => {
    await controls.pause(caller(request.ip));
    const unwritten = options.view(NO_MARKETS)?.unwrittenStops ?? [];
    return { accepted: 'pause', onDisk: !unwritten.includes('pause') };
  });
  server.post('/control/resume', guarded, async (request) => {
    await controls.resume(caller(request.ip));
    return { accepted: 'resume' };
  });
}

/** `{ id, action, market, amount }`; the same id twice is one wish. */
function setsRoute(server: FastifyInstance, controls: Controls, guarded: RouteShorthandOptions) {
  server.post('/control/sets', guarded, async (request, reply) => {
    const order = readSetsOrder(request.body, caller(request.ip));
    if (typeof order === 'string') {
      await fail(reply, 400, order);
      return reply;
    }
    return await controls.sets(order);
  });
}

function caller(ip: string): string {
  return `http ${ip}`;
}

async function listen(server: FastifyInstance, { host, port }: HttpOptions): Promise<number> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    throw notListening(`${host}:${port}`, error);
  }
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process; stop that one or change the port',
  EACCES: 'needs rights that this process does not have; take a port above 1023',
  EADDRNOTAVAIL: 'is no address of this machine',
  ENOTFOUND: 'is no known name',
};

function notListening(address: string, cause: unknown): BotError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  const why = LISTEN_FAULTS[code] ?? `cannot be listened on (${code})`;
  return new BotError('http.listen', `${address} ${why}`, { cause });
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : 500;
}

/**
 * Texts of errors stay inside, as they may quote what nobody outside should read; only a conflict
 * is told in its own words: it is what the daemon itself says of its state.
 */
function errorText(status: number, error: unknown): string {
  if (status === 409 && error instanceof Error) return error.message;
  return status < 500 ? 'the request is not usable' : 'internal error';
}

/** What a body says, `undefined` when it is no JSON; the route that reads it says what it wants. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
