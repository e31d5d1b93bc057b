// A server that begins to answer and never comes to an end: something comes again and again, and never the whole.

import { type AddressInfo, createServer } from 'node:net';

export type DripServer = { readonly port: number; close(): Promise<void> };

/** @param first - Said at once, and `more` every 20 ms behind it. */
export async function dripServer(first: string, more: string): Promise<DripServer> {
  const server = createServer((raw) => {
    raw.write(first);
    const drip = setInterval(() => raw.write(more), 20);
    raw.on('error', () => undefined).on('close', () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => await new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

export const DRIPS = [
  ['one byte at a time', 'HTTP/1.1 101 Switching Protocols\r\nx: ', 'y'],
  ['in promises that it is being worked on', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
] as const;
