// Small real servers of prices: HTTP that answers what it holds, and a WebSocket that says it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export type HttpPrices = {
  readonly url: string;
  /** What is answered from now on; a status of its own, or a text. */
  answer: { status: number; text: string; location?: string };
  readonly headersSeen: (string | undefined)[];
  close(): Promise<void>;
};

export async function httpPrices(text: string): Promise<HttpPrices> {
  const headersSeen: (string | undefined)[] = [];
  const state: Pick<HttpPrices, 'answer'> = { answer: { status: 200, text } };
  const server = createServer((request, response) => {
    if (headersSeen.length < 100) headersSeen.push(request.headers.authorization);
    const { status, location } = state.answer;
    response.writeHead(status, location === undefined ? {} : { location });
    response.end(state.answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/price`,
    headersSeen,
    get answer() {
      return state.answer;
    },
    set answer(next) {
      state.answer = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export type SocketPrices = {
  readonly url: string;
  /** Frames that clients sent. */
  readonly heard: string[];
  readonly connections: () => number;
  say(text: string): void;
  /** A pong that nobody asked for. */
  pong(): void;
  /** Ends every connection; clients may come again. */
  cut(): void;
  close(): Promise<void>;
};

export async function socketPrices(): Promise<SocketPrices> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise<void>((resolve) => server.once('listening', () => resolve()));
  const heard: string[] = [];
  let connections = 0;
  server.on('connection', (socket: WebSocket) => {
    connections += 1;
    socket.on('message', (data) => heard.push(String(data)));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/`,
    heard,
    connections: () => connections,
    say: (text) => {
      for (const client of server.clients) client.send(text);
    },
    pong: () => {
      for (const client of server.clients) client.pong();
    },
    cut: () => {
      for (const client of server.clients) client.terminate();
    },
    close: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
