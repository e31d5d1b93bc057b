// A signal while a process loads, when nobody listens for it yet: Node has opened its inspector by then.

import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, it, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';

vi.setConfig({ testTimeout: 60_000 });

beforeAll(ensureBuilt);

/** Where the inspector of a process listens that got the signal so late, and whether it still does. */
async function opened(
  afterMs: number,
): Promise<{ readonly port: number; readonly isOpen: boolean }> {
  // Any port but the usual one: other processes of this machine may have that.
  const main = resolve('dist/src/main.js');
  const child = spawn(process.execPath, ['--inspect-port=0', main, 'venue', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said += String(part);
  });
  let isUp = false;
  child.stdout.on('data', () => {
    isUp = true;
  });
  await sleep(afterMs);
  child.kill('SIGUSR1');
  while (!isUp && child.exitCode === null && child.signalCode === null) await sleep(20);
  const port = Number(/Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1] ?? 0);
  const isOpen = port !== 0 && (await isListening(port));
  child.kill('SIGKILL');
  return { port, isOpen };
}

async function isListening(port: number): Promise<boolean> {
  return await new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('close', () => socket.destroy());
  });
}

describe('a process that is sent SIGUSR1 while it loads', () => {
  it('has no inspector once it works', async ({ expect }) => {
    let early = 0;
    for (const afterMs of [15, 40, 70]) {
      const { port, isOpen } = await opened(afterMs);
      if (port !== 0) early += 1;
      expect(isOpen).toBe(false);
    }
    // Later than that it is not even opened.
    if (early === 0) console.warn('no signal came early enough');
  });
});
