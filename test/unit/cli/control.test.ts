// What `pause` and `resume` say of the answer of a daemon.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { lockJournal } from '../../../src/journal/lock.ts';

let folder: string;
let server: Server;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-control-'));
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

async function paused(body: object, ...args: readonly string[]): Promise<string> {
  return await controlled('pause', body, args);
}

async function controlled(
  action: string,
  body: object,
  args: readonly string[] = [],
): Promise<string> {
  await serving(body);
  const { port } = server.address() as AddressInfo;
  return await commanded(action, port, args);
}

async function serving(body: object, at = 0): Promise<void> {
  server = createServer((_, response) => response.end(JSON.stringify(body)));
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
}

async function commanded(
  action: string,
  port: number,
  args: readonly string[] = [],
): Promise<string> {
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    JSON.stringify({ http: { port }, journal: { path: join(folder, 'bookend.db') } }),
  );
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = { BOOKEND_CONTROL_TOKEN: 'a-control-token-for-tests' };
  await runCli([action, '--config', config, ...args], { stdout, stderr, env });
  stdout.end();
  stderr.end();
  return (await text(stdout)) || (await text(stderr));
}

it('a pause that no disk has taken is none for the next start, and it says so', async () => {
  expect(await paused({ accepted: 'pause', onDisk: false })).toContain('NOT ON DISK');
});

it('so is one of a market', async () => {
  const body = { accepted: 'pause', markets: ['m-1'], isConfirmed: false, onDisk: false };
  expect(await paused(body, '--market', 'm-1')).toMatch(/paused: quotes of m-1 .*NOT ON DISK/);
});

it('one that is kept says nothing of a disk', async () => {
  expect(await paused({ accepted: 'pause', onDisk: true })).not.toContain('DISK');
});

it.each([[], ['--market', 'm-1']])(
  'one that is done confirms no cancel, and says where to look: %j',
  async (...args) => {
    const said = await paused({ accepted: 'pause', markets: ['m-1'], onDisk: true }, ...args);
    expect(said).toMatch(
      /quotes .*are being cancelled \(`bookend status` shows what still rests\)/,
    );
  },
);

it('a resume of one market says nothing of what else keeps it unquoted, as a pause of the account', async () => {
  const body = { accepted: 'resume', markets: ['m-1'], isConfirmed: false };
  const said = await controlled('resume', body, ['--market', 'm-1']);
  expect(said).toContain('nothing stops m-1 alone any more');
  expect(said).not.toContain('quoted again');
});

it('a resume of the account says that single markets stay stopped', async () => {
  expect(await controlled('resume', { accepted: 'resume' })).toContain('one by one stay stopped');
});

it('waits for a daemon that holds the journal and does not serve yet, and is no change of its journal', async () => {
  await serving({});
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const journal = join(folder, 'bookend.db');
  const lock = await lockJournal({ journal, clock: systemClock(), onLost: () => {} });
  const said = commanded('pause', port);
  await new Promise((resolve) => setTimeout(resolve, 700));
  await serving({ accepted: 'pause' }, port);
  expect(await said).toContain('paused: quotes are being cancelled');
  await lock.release();
});

it('a status takes no daemon that holds the journal and does not serve for one that does not run', async () => {
  await serving({});
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const journal = join(folder, 'bookend.db');
  const lock = await lockJournal({ journal, clock: systemClock(), onLost: () => {} });
  const said = await commanded('status', port);
  expect(said).toContain(`process ${process.pid} holds the journal and may quote: ask again`);
  expect(said).not.toContain('start it');
  await lock.release();
  expect(await commanded('status', port)).toContain('start it with');
});
