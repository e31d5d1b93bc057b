// A network that fails in every way between a daemon and its venue, one fault after the other.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

type Address = { readonly baseUrl: string; readonly wsUrl: string };

/** What becomes of an answer, of which every other one is spared. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  reset: (response) => {
    response.write('{"success":true,"data":');
    setTimeout(() => response.destroy(), 20);
  },
  page: (response) => {
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end(`<html>${'<p>bad gateway</p>'.repeat(500)}</html>`);
  },
  busy: (response) => {
    const at = new Date(Date.now() + 2_000).toUTCString();
    response.writeHead(429, { 'retry-after': Math.random() < 0.5 ? '1' : at });
    response.end(JSON.stringify({ success: false, code: 'rate_limited', message: 'slow down' }));
  },
  cut: (response) => response.end('{"success":true,"data":[{"id":"'),
  deep: (response) => response.end(`{"success":true,"data":${'['.repeat(100_000)}`),
  many: (response) => response.end(`{"success":true,"data":[${'{"a":[]},'.repeat(40_000)}0]}`),
  long: (response) => response.end(`{"success":true,"data":"${'x'.repeat(3_000_000)}"}`),
  tooLong: (response) => response.end(' '.repeat(20_000_000)),
  trickle: (response) => {
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  },
  silent: () => {},
};

/** What comes on the socket beside, or instead of, what the venue says. */
const FRAMES: Readonly<Record<string, (client: WebSocket) => void>> = {
  garbage: (client) => client.send(`{"type":"${Math.random()}`),
  unknown: (client) => client.send(JSON.stringify({ type: `kind-${Math.random()}`, a: [{}] })),
  deepFrames: (client) => client.send('['.repeat(100_000)),
  manyFrames: (client) => client.send(`[${'{"type":"x"},'.repeat(10_000)}0]`),
  longFrames: (client) => client.send(`{"type":"error","message":"${'x'.repeat(200_000)}"}`),
  drop: (client) => client.terminate(),
};
/** The socket says nothing, or everything twice. */
const STREAMS = ['mute', 'twice'] as const;

export const FAULTS: readonly string[] = [
  ...['refuse', ...Object.keys(ANSWERS)],
  ...[...Object.keys(FRAMES), ...STREAMS],
];

const FRAME_MS = 250;

export class FaultProxy {
  /** None: everything passes. */
  fault: string | undefined;
  faulted = 0;
  readonly #venue: Address;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #timer: NodeJS.Timeout;
  #count = 0;

  constructor(venue: Address) {
    this.#venue = venue;
    this.#server = createServer((request, response) => {
      void this.#onRequest(request, response).catch(() => response.destroy());
    });
    this.#server.on('connection', (socket) => {
      if (this.fault === 'refuse') socket.resetAndDestroy();
    });
    this.#sockets = new WebSocketServer({ server: this.#server });
    this.#sockets.on('connection', (client, request) => this.#onSocket(client, request));
    this.#timer = setInterval(() => this.#sendFrames(), FRAME_MS);
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get address(): Address {
    const { port } = this.#server.address() as AddressInfo;
    const at = (scheme: string, url: string) => `${scheme}://127.0.0.1:${port}${pathOf(url)}`;
    return { baseUrl: at('http', this.#venue.baseUrl), wsUrl: at('ws', this.#venue.wsUrl) };
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    this.#count += 1;
    const answer = this.#count % 2 === 0 ? ANSWERS[this.fault ?? ''] : undefined;
    if (answer === undefined) {
      await this.#pass(request, response, Buffer.concat(parts));
      return;
    }
    this.faulted += 1;
    answer(response);
  }

  async #pass(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const answer = await fetch(new URL(request.url ?? '', this.#venue.baseUrl), {
      method: request.method ?? 'GET',
      headers: ownHeaders(request),
      ...(body.length === 0 ? {} : { body }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  }

  #onSocket(client: WebSocket, request: IncomingMessage): void {
    const venue = new WebSocket(this.#venue.wsUrl, { headers: ownHeaders(request) });
    const waiting: string[] = [];
    venue.on('open', () => {
      for (const text of waiting.splice(0)) venue.send(text);
    });
    venue.on('message', (data) => {
      if (this.fault === 'mute') return;
      client.send(String(data));
      if (this.fault === 'twice') client.send(String(data));
    });
    for (const event of ['error', 'close']) venue.on(event, () => client.terminate());
    client.on('close', () => venue.terminate());
    client.on('error', () => venue.terminate());
    client.on('message', (data) => {
      if (venue.readyState === WebSocket.OPEN) venue.send(String(data));
      else waiting.push(String(data));
    });
  }

  #sendFrames(): void {
    const frames = FRAMES[this.fault ?? ''];
    if (frames === undefined) return;
    for (const client of this.#sockets.clients) {
      if (client.readyState === WebSocket.OPEN) frames(client);
      this.faulted += 1;
    }
  }
}

const HOP = /^(?:host|connection|upgrade|content-length|transfer-encoding|sec-websocket-.*)$/;

function ownHeaders({ headers }: IncomingMessage): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !HOP.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}
