import { type AddressInfo, createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { readInParts } from '../../../src/venue/http/in-parts.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import { CREDENTIALS, REAL_TIME } from '../../support/http-double-fixtures.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Answers every request with these bytes. */
async function venueThatSays(answer: Buffer): Promise<VenueHttp> {
  const server = createServer((raw) => {
    raw.on('error', () => undefined).on('data', () => raw.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const http = createVenueHttp({
    baseUrl: `http://127.0.0.1:${port}/api`,
    credentials: { current: () => CREDENTIALS, reload: async () => false },
    ...{ clock: REAL_TIME, timers: REAL_TIME },
  });
  closers.push(
    () => http.stop(),
    () => new Promise((resolve) => server.close(resolve)),
  );
  return http;
}

function whole(head: string, data: string): Buffer {
  const body = `{"success":true,"data":${data}}`;
  return Buffer.from(`HTTP/1.1 200 OK\r\n${head}content-length: ${body.length}\r\n\r\n${body}`);
}

describe('a connection', () => {
  it('is read in small parts, and not at all once it is given up', () => {
    const socket = new PassThrough({ highWaterMark: 1_000_000 });
    readInParts(socket);
    socket.write(Buffer.alloc(10_000));
    expect([socket.read(), socket.read(), socket.read()].map((part) => part?.length)).toEqual([
      4_096, 4_096, 1_808,
    ]);
    socket.write(Buffer.alloc(100));
    expect(socket.read(10).length).toBe(10);
    socket.destroy();
    expect(socket.read()).toBeNull();
  });

  it('takes an answer of megabytes whole', async () => {
    const http = await venueThatSays(
      whole('', `{"serverTime":1700000000,"x":"${'y'.repeat(3_000_000)}"}`),
    );
    expect(await http.measureClock()).toMatchObject({ kind: 'ok' });
  });

  it('gives a header up that does not end', async () => {
    const http = await venueThatSays(whole('a:\r\n'.repeat(100_000), '{"serverTime":1700000000}'));
    expect(await http.measureClock()).toMatchObject({ kind: 'unknown', cause: 'connection' });
  });

  it('gives an answer up that comes in single bytes', async () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const http = await venueThatSays(Buffer.from(`${head}${'1\r\n \r\n'.repeat(50_001)}0\r\n\r\n`));
    expect(await http.measureClock()).toEqual({
      kind: 'unknown',
      cause: 'unreadable',
      detail: 'an answer in more than 50000 parts',
    });
  });
});
