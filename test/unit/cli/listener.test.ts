// A command shows its token to the user of the daemon alone, whoever has the port.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import { daemonTokenOf, meantDaemon } from '../../../src/cli/daemon-http.ts';
import { usersAt } from '../../../src/cli/listener.ts';
import { Secret } from '../../../src/domain/secret.ts';

/** Only the user that may do anything can begin a process of another one. */
const CAN_BE_ANOTHER = process.platform === 'linux' && process.getuid?.() === 0;
const NOBODY = 65_534;

const children: ChildProcess[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

// It becomes that user itself: a Node in somebody's folder is not for everybody to run.
const LISTEN = `process.setuid(Number(process.argv[2]));
require('net').createServer((socket) => {
  socket.once('data', (bytes) => process.stdout.write(bytes, () => socket.destroy()));
}).listen(0, process.argv[1], function () {
  console.log(this.address().port);
})`;

async function portOf(user: number, host: string): Promise<number> {
  const child = spawn(process.execPath, ['-e', LISTEN, host, String(user)], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [text] = await once(child.stdout, 'data');
  return Number(String(text));
}

async function settingsAt(port: number, host = '127.0.0.1') {
  const folder = await mkdtemp(join(tmpdir(), 'bookend-listener-'));
  folders.push(folder);
  const journal = { path: join(folder, 'bookend.db') };
  return {
    http: { host, port },
    journal,
    controlToken: new Secret('a-token-of-the-operator'),
  };
}

describe.runIf(CAN_BE_ANOTHER)('the port of a daemon that another user of the machine has', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::'])('at %s is shown no token', async (host) => {
    const port = await portOf(NOBODY, host);
    const settings = await settingsAt(port);
    expect(await daemonTokenOf(settings)).toBeUndefined();
    await expect(meantDaemon(settings)).rejects.toThrow(`user ${NOBODY} listens at`);
  });

  it.each([
    ['127.0.0.2', '127.0.0.2'],
    ['127.1', '127.0.0.1'],
    ['::ffff:127.0.0.2', '127.0.0.2'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['LOCALHOST', '::1'],
    ['0:0:0:0:0:0:0:0', '::'],
  ])('is shown none where `http.host` is %s', async (configured, host) => {
    const port = await portOf(NOBODY, host);
    expect(await daemonTokenOf(await settingsAt(port, configured))).toBeUndefined();
  });
});

describe.runIf(process.platform === 'linux')('`check --against-running --at`', () => {
  it.runIf(CAN_BE_ANOTHER)('shows no token to another user who listens there', async () => {
    const port = await portOf(NOBODY, '127.0.0.1');
    expect(await seenBy(`http://127.0.0.1:${port}`)).not.toContain('a-token-of-the-operator');
  });

  it('shows it to the own user there', async () => {
    const port = await portOf(process.getuid?.() ?? 0, '127.0.0.1');
    expect(await seenBy(`http://127.0.0.1:${port}`)).toContain('a-token-of-the-operator');
  });

  /** What the last process that was begun has been sent. */
  async function seenBy(address: string): Promise<string> {
    const { journal } = await settingsAt(0);
    const file = `${journal.path}.yaml`;
    await writeFile(file, JSON.stringify({ http: { port: 1 }, journal, markets: [] }));
    let seen = '';
    children.at(-1)?.stdout?.on('data', (bytes) => {
      seen += String(bytes);
    });
    const env = { BOOKEND_CONTROL_TOKEN: 'a-token-of-the-operator' };
    const io = { stdout: new PassThrough(), stderr: new PassThrough(), env };
    await runCli(['check', '--config', file, '--against-running', '--at', address], io);
    await expect.poll(() => seen).toContain('POST /api/preview');
    return seen;
  }
});

describe.runIf(process.platform === 'linux')('the port of a daemon of this user', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::'])('at %s is shown the token', async (host) => {
    const port = await portOf(process.getuid?.() ?? 0, host);
    expect(await daemonTokenOf(await settingsAt(port))).toBe('a-token-of-the-operator');
    expect(usersAt('127.0.0.1', port)).toEqual([process.getuid?.()]);
  });

  it('that nobody has is shown it as ever: no connection comes of it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    server.close();
    await once(server, 'close');
    expect(usersAt('127.0.0.1', port)).toEqual([]);
    expect(usersAt('10.0.0.1', port)).toEqual([]);
  });
});
