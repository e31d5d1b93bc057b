// Whoever has taken the port of a daemon may send anything to its commands.

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { requestJson } from '../../../src/cli/daemon-http.ts';
import { probe } from '../../../src/cli/doctor/probe.ts';
import { unixMs } from '../../../src/domain/time.ts';

let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serving(answer: (response: ServerResponse) => void): Promise<string> {
  server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** As fast as it is taken. */
function endless(response: ServerResponse): void {
  const more = () => {
    while (response.write(' '.repeat(65_536)));
  };
  response.on('drain', more);
  more();
}

it('an answer without an end is given up', async () => {
  const address = await serving(endless);
  const failed = { kind: 'failed', detail: 'answers with more than 32000000 bytes' };
  expect(await requestJson(address, { timeoutMs: 30_000 })).toEqual(failed);
  const options = { baseUrl: address, credentials: undefined, timeoutMs: 30_000 };
  const asked = probe({ ...options, venueNowMs: () => unixMs(0) }).get('/time');
  await expect(asked).rejects.toThrow('answers with more than 4194304 bytes');
});

it('an answer that is deep, or no JSON, is refused in words', async () => {
  const deep = await serving((response) => response.end('['.repeat(100_000)));
  expect(await requestJson(deep)).toEqual({
    ...{ kind: 'failed', detail: 'its answer is deeper than 32 levels' },
  });
});

it('an answer that sends us elsewhere is not followed', async () => {
  const address = await serving((response) =>
    response.writeHead(307, { location: '/elsewhere' }).end('{}'),
  );
  expect((await requestJson(address, { token: 'a-token-of-ours' })).kind).toBe('failed');
});
