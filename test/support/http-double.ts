// A venue made of a real HTTP server and a real WebSocket server whose every answer a test writes.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export type SeenRequest = {
  readonly method: string;
  /** As it came, with prefix and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly atMs: number;
};

export type Answerer = (request: SeenRequest, response: ServerResponse) => void;

export type HttpDouble = {
  readonly origin: string;
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly seen: SeenRequest[];
  /** Later answers win over earlier ones; `path` without prefix and query. */
  on(method: string, path: string, answerer: Answerer): void;
  /** Every frame that clients sent, of all connections, in order. */
  readonly frames: Record<string, unknown>[];
  readonly sockets: WebSocket[];
  onConnection(welcome: (socket: WebSocket) => void): void;
  stop(): Promise<void>;
};

export type HttpDoubleOptions = { readonly prefix?: string; readonly autoPong?: boolean };

/** Starts the double on a free port. */
export async function startHttpDouble(options: HttpDoubleOptions = {}): Promise<HttpDouble> {
  const prefix = options.prefix ?? '/api';
  const answerers = new Map<string, Answerer>();
  const seen: SeenRequest[] = [];
  const raw = new Set<Socket>();
  const server = createServer((request, response) => {
    collect(request)
      .then((body) => {
        const { method = '', url = '', headers } = request;
        const one = { method, url, headers, body, atMs: performance.now() };
        seen.push(one);
        const path = url.slice(prefix.length).split('?')[0] ?? '';
        const answerer = answerers.get(`${method} ${path}`) ?? notFound;
        answerer(one, response);
      })
      .catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    raw.add(socket);
    socket.on('close', () => raw.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ws = attachSockets(server, options.autoPong ?? true);
  return {
    origin: `http://127.0.0.1:${port}`,
    baseUrl: `http://127.0.0.1:${port}${prefix}`,
    wsUrl: `ws://127.0.0.1:${port}/ws`,
    seen,
    ...ws,
    on: (method, path, answerer) => answerers.set(`${method} ${path}`, answerer),
    stop: async () => {
      for (const socket of ws.sockets) socket.terminate();
      for (const socket of raw) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers with the success envelope. */
export function ok(data: unknown): Answerer {
  return json(200, { success: true, data });
}

/** Answers with the failure envelope. */
export function failure(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Answerer {
  return json(status, { success: false, code, message: `because ${code}` }, headers);
}

export function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Answerer {
  return raw(status, JSON.stringify(body), headers);
}

export function raw(status: number, body: string, headers: Record<string, string> = {}): Answerer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}

/** Answers with each in turn, and with the last for ever. */
export function inTurn(...answerers: readonly Answerer[]): Answerer {
  let next = 0;
  return (request, response) => {
    const answerer = answerers[Math.min(next, answerers.length - 1)];
    next += 1;
    answerer?.(request, response);
  };
}

/** Never answers. */
export const silence: Answerer = () => undefined;

/** Takes the request in and breaks the connection. */
export const reset: Answerer = (_request, response) => {
  response.socket?.resetAndDestroy();
};

/** Starts an answer and breaks the connection in the middle of it. */
export const cutBody: Answerer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"success":true,"data":');
  setTimeout(() => response.socket?.resetAndDestroy(), 10);
};

const notFound: Answerer = json(404, {
  success: false,
  code: 'not_scripted',
  message: 'no answer',
});

function attachSockets(
  server: ReturnType<typeof createServer>,
  autoPong: boolean,
): Pick<HttpDouble, 'frames' | 'sockets' | 'onConnection'> {
  const frames: Record<string, unknown>[] = [];
  const sockets: WebSocket[] = [];
  let welcome: (socket: WebSocket) => void = () => undefined;
  const wss = new WebSocketServer({ server, path: '/ws', autoPong });
  wss.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    socket.on('error', () => undefined);
    welcome(socket);
  });
  return {
    frames,
    sockets,
    onConnection: (next) => {
      welcome = next;
    },
  };
}

async function collect(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
