// The HTTP server: probes, metrics, state, preview and control, in a process that does not trade. It
// answers from the last words of the trader and passes on what an operator asks for.

import { isIPv6 } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { BotError } from '../domain/errors.ts';
import { jsonOr } from '../domain/json.ts';
import type { Secret } from '../domain/secret.ts';
import type { Clock, Timers } from '../domain/time.ts';
import type { StateBoard } from './board.ts';
import { Connections } from './connections.ts';
import { type Answers, fail, handlers } from './http-answers.ts';
import { Callers } from './http-callers.ts';
import type { ConsolePage } from './http-console.ts';
import { isArrival, isKnownHost, isMeant, isOwnPage, judge } from './http-guard.ts';
import type { Operator } from './http-operator.ts';
import { accessOf, partsOf, ROUTE_NAMES, type RouteName } from './http-table.ts';
import { Tokens, type TokensGiven } from './http-tokens.ts';
import { Sessions } from './sessions.ts';
import { SlowDown } from './slow-down.ts';

export type HttpOptions = {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Names beside loopback and `host` under which clients may call. */
  readonly allowedHosts: readonly string[];
  /** Of the trader: who means another one is told so. */
  readonly journal: string;
  /** Without it everything but probes and metrics answers 403. */
  readonly controlToken: Secret | undefined;
  /** Tokens that give less, by their role. */
  readonly roleTokens?: TokensGiven['roleTokens'];
  /** Nobody sets it. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly board: StateBoard;
  readonly operator: Operator;
  readonly console: ConsolePage;
};

export type HttpServer = {
  /** `http://127.0.0.1:9464`, with the port that was taken. */
  readonly address: string;
  readonly port: number;
  /** That are open now. */
  connections(): number;
  stop(): Promise<void>;
};

/** The body of `POST /control/sets`; a route with a larger one says so in the table. */
const BODY_BYTES_MAX = 1_024;
/** The longest of any route, which has its own limit in bytes. */
const BODY_LENGTH_MAX = 1_000_000;
/** A connection that says nothing, or not enough, ends by then. */
const IDLE_MS = 3_500;
const IDLE_LOOK_MS = 500;

/**
 * Starts the server.
 *
 * @throws {BotError} `http.listen` when the address cannot be used.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const connections = new Connections();
  const timeouts = {
    requestTimeout: IDLE_MS,
    keepAliveTimeout: IDLE_MS,
    headersTimeout: IDLE_MS,
    connectionsCheckingInterval: IDLE_LOOK_MS,
  };
  const server = fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    serverFactory: (answer) => connections.serverOf(timeouts, answer),
    forceCloseConnections: true,
  });
  const sessions = new Sessions(options.clock);
  guard(server, options);
  register(server, options, { connections, sessions });
  const port = await listen(server, options);
  return {
    address: `http://${isIPv6(options.host) ? `[${options.host}]` : options.host}:${port}`,
    port,
    connections: () => connections.count,
    stop: async () => {
      await server.close();
    },
  };
}

function guard(server: FastifyInstance, { host, allowedHosts }: HttpOptions): void {
  const names = [host, ...allowedHosts].map((name) => name.toLowerCase());
  server.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (!isPlain(request)) {
      await fail(reply, 400, 'needs one Host header, and a path as its target');
    } else if (!isKnownHost(request.headers.host, names)) {
      await fail(reply, 403, 'this name is not one of the server; see http.allowedHosts');
    } else if (!isOwnPage(request.headers) && !(isStart(request) && isArrival(request.headers))) {
      await fail(reply, 403, 'asked for by the page of another site');
    }
  });
  // Whatever a client sends with a request is read within bounds and ignored.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, jsonOr(String(body), BODY_LENGTH_MAX));
  });
  server.setNotFoundHandler(async (_request, reply) => fail(reply, 404, 'no such route'));
  server.setErrorHandler(async (error, _request, reply) => {
    const status = statusOf(error);
    // Texts of errors stay inside, as they may quote what nobody outside should read.
    await fail(reply, status, status < 500 ? 'the request is not usable' : 'internal error');
  });
}

/**
 * Whoever passes it on may take another one of two names for the right one, and a name in the target for that in the
 * header.
 */
function isPlain({ raw }: FastifyRequest): boolean {
  return raw.headersDistinct['host']?.length === 1 && raw.url?.startsWith('/') === true;
}

/** The page itself, and nothing that acts or tells. */
function isStart({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.method === 'GET' && routeOptions.url === '/';
}

type Doors = { readonly connections: Connections; readonly sessions: Sessions };

function register(server: FastifyInstance, options: HttpOptions, doors: Doors): void {
  const callers = new Callers();
  const answers: Answers = handlers({ ...options, sessions: doors.sessions, callers });
  const tokens = new Tokens(options);
  const slowDown = new SlowDown(options.clock, options.timers);
  for (const name of ROUTE_NAMES) {
    const { bodyBytesMax = BODY_BYTES_MAX } = accessOf(name);
    server.route({
      ...partsOf(name),
      bodyLimit: bodyBytesMax,
      onRequest: [gate(name, { ...doors, slowDown, tokens, callers }), identify(name, options)],
      handler: answers[name],
    });
  }
}

function gate(
  name: RouteName,
  {
    connections,
    sessions,
    slowDown,
    tokens,
    callers,
  }: Doors & {
    readonly slowDown: SlowDown;
    readonly tokens: Tokens;
    readonly callers: Callers;
  },
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { right } = accessOf(name);
  const isReading = partsOf(name).method === 'GET';
  const mayGuess = ({ headers, raw }: FastifyRequest): boolean =>
    right !== 'open' && headers.authorization !== undefined && !connections.isTrusted(raw.socket);
  return async (request, reply) => {
    const barredSec = mayGuess(request) ? slowDown.barredSec(request.ip) : undefined;
    if (barredSec !== undefined) return await tooMany(reply, barredSec);
    const verdict = judge(request.headers, right, { tokens, sessions, isReading });
    if (verdict.kind === 'granted') {
      // Who has shown no token and does not read what he asked for is not waited for.
      if (verdict.how === 'open') request.raw.socket.setTimeout(IDLE_MS);
      else {
        connections.trust(request.raw.socket);
        callers.note(request, verdict);
      }
      return;
    }
    if (verdict.status === 403) {
      await fail(reply, 403, verdict.text);
      return;
    }
    if (request.headers.authorization !== undefined) connections.doubt(request.raw.socket);
    const isTold = await slowDown.onWrong(request.ip);
    if (isTold) await fail(reply.header('www-authenticate', 'Bearer'), 401, verdict.text);
    else await tooMany(reply, 1);
  };
}

/** Behind the gate: only who has shown a token is told whose daemon this is. */
function identify(name: RouteName, { journal }: Pick<HttpOptions, 'journal'>) {
  const { right } = accessOf(name);
  const isForAll = right === 'open' || right === 'page';
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (isForAll || isMeant(request.headers, journal)) return;
    const text = `this is the daemon of the journal ${journal}, and another is meant`;
    await fail(reply, 409, text);
  };
}

async function tooMany(reply: FastifyReply, waitSec: number): Promise<void> {
  await fail(reply.header('retry-after', String(waitSec)), 429, 'too many wrong tokens');
}

async function listen(
  server: FastifyInstance,
  { host, port }: Pick<HttpOptions, 'host' | 'port'>,
): Promise<number> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close().catch(() => undefined);
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
