// A proxy between a daemon and its venue that repeats what it was sent, as proxies and debug pages do: in headers
// always, in error pages, JSON and frames while it is told to.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

export class EchoProxy {
  /** Nothing of the venue's comes through but every fourth answer. */
  isEchoing = false;
  /** Answers and frames with an echo in them. */
  echoes = 0;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #venue: { readonly baseUrl: string; readonly wsUrl: string };
  readonly #secrets: readonly string[];
  #count = 0;

  constructor(venue: EchoProxy['address'], secrets: readonly string[]) {
    this.#venue = venue;
    this.#secrets = secrets;
    this.#server = createServer((request, response) => void this.#onRequest(request, response));
    this.#sockets = new WebSocketServer({ server: this.#server });
    this.#sockets.on('connection', (client, request) => this.#onSocket(client, request));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get address(): { readonly baseUrl: string; readonly wsUrl: string } {
    const address = this.#server.address();
    const { port } = isInfo(address) ? address : { port: 0 };
    const path = (url: string) => new URL(url).pathname.replace(/\/$/, '');
    return {
      baseUrl: `http://127.0.0.1:${port}${path(this.#venue.baseUrl)}`,
      wsUrl: `ws://127.0.0.1:${port}${path(this.#venue.wsUrl)}`,
    };
  }

  stop(): void {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Every secret in the shapes that proxies and libraries make of one. */
  #echo(request: IncomingMessage): string {
    this.echoes += 1;
    const sent = request.rawHeaders.join(': ');
    const shapes = this.#secrets.flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      Buffer.from(`user:${secret}`).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ]);
    return [sent, ...shapes].join(' ');
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    this.#count += 1;
    const echo = this.#echo(request);
    response.setHeader('x-request-headers', encodeURIComponent(echo).slice(0, 4_000));
    const turn = this.isEchoing ? this.#count % 4 : 0;
    if (turn === 1) {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end(`<html><body><h1>Bad gateway</h1><pre>${echo}</pre></body></html>`);
    } else if (turn === 2) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: false, code: echo.slice(0, 90), message: echo }));
    } else if (turn === 3) {
      response.writeHead(200, { 'retry-after': encodeURIComponent(echo).slice(0, 500) });
      response.end(`{"cut": "${echo}`);
    } else {
      await this.#pass(request, response, Buffer.concat(parts));
    }
  }

  async #pass(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(new URL(request.url ?? '', this.#venue.baseUrl), {
      method: request.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      ...(body.length === 0 ? {} : { body }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  }

  #onSocket(client: WebSocket, request: IncomingMessage): void {
    const venue = new WebSocket(new URL(request.url ?? '', this.#venue.wsUrl), {
      headers: ownHeaders(request),
    });
    const waiting: string[] = [];
    venue.on('open', () => {
      for (const text of waiting.splice(0)) venue.send(text);
    });
    venue.on('message', (data) => client.send(String(data)));
    venue.on('error', () => client.terminate());
    venue.on('close', () => client.terminate());
    client.on('close', () => venue.terminate());
    client.on('message', (data) => {
      if (venue.readyState === WebSocket.OPEN) venue.send(String(data));
      else waiting.push(String(data));
    });
    const timer = setInterval(() => {
      if (client.readyState !== WebSocket.OPEN) clearInterval(timer);
      else if (this.isEchoing) this.#sendEchoes(client, request);
    }, 200);
  }

  #sendEchoes(client: WebSocket, request: IncomingMessage): void {
    const echo = this.#echo(request);
    client.send(JSON.stringify({ type: 'error', code: 'x', message: echo }));
    client.send(JSON.stringify({ type: echo.slice(0, 90), [echo]: echo }));
    for (const secret of this.#secrets) client.send(JSON.stringify({ type: secret }));
    client.send(`{"cut": "${echo}`);
  }
}

const HOP = /^(?:host|connection|upgrade|sec-websocket-.*)$/;

function ownHeaders({ headers }: IncomingMessage): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !HOP.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

function isInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
