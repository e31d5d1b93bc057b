// The venue on the network: HTTP and WebSocket carry what the API decides.

import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { CONTROL_PREFIX, controlAnswer } from './api/control.ts';
import { API_PREFIX } from './api/gate.ts';
import type { ApiRequest, ApiResponse } from './api/message.ts';
import { assembleVenue, type PaperCore } from './assemble.ts';
import { HOST_CLOCK, HOST_TIMERS } from './host-time.ts';
import { type PaperOptions, type PaperSettings, paperSettings } from './options.ts';

export type PaperVenue = PaperCore & {
  /** Ends in `/api`. */
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly port: number;
  /** Ends every socket, as a network failure would; clients may come back. */
  dropSockets(): void;
  /** Ends everything and frees the port; nothing of the venue runs afterwards. */
  stop(): Promise<void>;
};

const SOCKET_TARGET = '/ws';
/** A socket that never finishes its handshake or its request is closed after this long. */
const REQUEST_MS_MAX = 30_000;
const HEADER_BYTES_MAX = 16 * 1_024;

/**
 * Starts the embedded venue on a local port.
 * @throws When the port is taken.
 */
export async function startPaperVenue(options: PaperOptions): Promise<PaperVenue> {
  const settings = paperSettings(options);
  const core = assembleVenue(settings, {
    clock: options.clock ?? HOST_CLOCK,
    timers: options.timers ?? HOST_TIMERS,
  });
  const app = httpServer(core, settings);
  const sockets = socketServer(core, settings);
  app.server.on('upgrade', (request, socket, head) => {
    upgrade({ core, sockets }, request, { socket, head });
  });
  const host = options.host ?? '127.0.0.1';
  await app.listen({ host, port: options.port ?? 0 });
  const { port } = addressOf(app);
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    ...core,
    port,
    baseUrl: `http://${name}:${port}${API_PREFIX}`,
    wsUrl: `ws://${name}:${port}${SOCKET_TARGET}`,
    dropSockets: () => terminateAll(sockets),
    stop: () => stop(core, app, sockets),
  };
}

async function stop(
  core: PaperCore,
  app: FastifyInstance,
  sockets: WebSocketServer,
): Promise<void> {
  core.hub.closeAll();
  core.exchange.stop();
  terminateAll(sockets);
  sockets.close();
  await app.close();
}

function terminateAll(sockets: WebSocketServer): void {
  for (const client of sockets.clients) client.terminate();
}

function addressOf(app: FastifyInstance): AddressInfo {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was bound');
  return address;
}

/** One route takes everything: the API has its own, and answers unknown ones in its envelope. */
function httpServer(core: PaperCore, settings: PaperSettings): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: settings.bodyBytesMax,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_MS_MAX,
    // Without it Node answers a request that names no host by itself, outside the envelope.
    http: { maxHeaderSize: HEADER_BYTES_MAX, requireHostHeader: false },
    frameworkErrors: (error, _request, reply) => {
      void send(reply, core.gate.unreadable(error.message));
    },
    clientErrorHandler: (_error, socket) => refuseSocket(socket, core),
  });
  app.removeAllContentTypeParsers();
  // The body stays as it was sent: its signature is over these very bytes.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => {
    const message = error instanceof Error ? error.message : 'the request could not be read';
    return send(reply, core.gate.unreadable(message));
  });
  app.setNotFoundHandler((request, reply) => serve(core, settings, request, reply));
  return app;
}

function serve(
  core: PaperCore,
  settings: PaperSettings,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const message = requestOf(request);
  if (settings.isControllable && message.target.startsWith(CONTROL_PREFIX)) {
    return send(reply, controlAnswer(core, message));
  }
  reply.hijack();
  core.gate.handle(message, (answer) => {
    // The request has been read whole, so only its socket can still be cut.
    if (answer === 'drop') request.raw.socket.destroy();
    else write(reply, answer);
  });
  return reply;
}

function requestOf(request: FastifyRequest): ApiRequest {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value[0] : value;
  }
  return {
    method: request.method,
    target: request.raw.url ?? '',
    headers,
    body: typeof request.body === 'string' ? request.body : '',
    address: request.ip,
  };
}

function write(reply: FastifyReply, answer: ApiResponse): void {
  if (reply.raw.destroyed || reply.raw.headersSent) return;
  reply.raw.writeHead(answer.status, {
    ...answer.headers,
    'content-length': Buffer.byteLength(answer.body),
  });
  reply.raw.end(answer.body);
}

function send(reply: FastifyReply, answer: ApiResponse): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}

/** Bytes that are not HTTP still get an envelope, and then the door. */
function refuseSocket(socket: Socket, core: PaperCore): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { body } = core.gate.unreadable('not an HTTP request');
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function socketServer(core: PaperCore, settings: PaperSettings): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: settings.sockets.frameBytesMax,
  });
  sockets.on('connection', (client, request) => accept(core, client, request));
  return sockets;
}

function upgrade(
  venue: { readonly core: PaperCore; readonly sockets: WebSocketServer },
  request: IncomingMessage,
  raw: { readonly socket: Duplex; readonly head: Buffer },
): void {
  const { socket, head } = raw;
  socket.on('error', () => socket.destroy());
  const [path] = (request.url ?? '').split('?');
  if (path !== SOCKET_TARGET || venue.core.hub.isFull) {
    const status = path === SOCKET_TARGET ? '503 Service Unavailable' : '404 Not Found';
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    return;
  }
  venue.sockets.handleUpgrade(request, socket, head, (client) => {
    venue.sockets.emit('connection', client, request);
  });
}

function accept(core: PaperCore, client: WebSocket, request: IncomingMessage): void {
  const session = core.hub.open(
    {
      send: (text) => client.send(text, ignoreFailure),
      ping: () => client.ping(undefined, undefined, ignoreFailure),
      terminate: () => client.terminate(),
      bufferedBytes: () => client.bufferedAmount,
    },
    request.socket.remoteAddress ?? 'unknown',
  );
  client.on('message', (data, isBinary) => {
    // A binary frame is no JSON text, whatever it holds.
    core.hub.receive(session, isBinary ? '' : String(data));
  });
  client.on('pong', () => session.onPong());
  client.on('close', () => core.hub.close(session));
  client.on('error', () => client.terminate());
}

/** A frame that cannot be written is lost with its connection, whose end is reported anyway. */
function ignoreFailure(): void {}
