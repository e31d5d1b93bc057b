// Signals that come while the program still loads.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { childrenOf, eventually, ROOT, startBookend } from '../support/processes.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Ours is the first to listen to it; Node itself listens to some others. */
const SIGTSTP = 20;
const SIGQUIT = 3;

/** The program runs, and its first lines with it. */
async function untilListening(pid: number | undefined, signal = SIGTSTP): Promise<void> {
  await eventually('a process that listens to signals', async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const caught = BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(status)?.[1] ?? '0'}`);
    return ((caught >> BigInt(signal - 1)) & 1n) === 1n || undefined;
  });
}

/** A process of a kind runs below it. */
async function untilBelow(parent: number | undefined, part: string): Promise<number> {
  return await eventually(`a process of ${part}`, async () => {
    const [pid] = await childrenOf(parent, part);
    return pid;
  });
}

describe.runIf(process.platform === 'linux').concurrent('a daemon that still loads', () => {
  it('goes on through a SIGHUP, as of a reload right behind its start', async ({
    scene,
    expect,
  }) => {
    const run = scene.run();
    await untilListening(run.child.pid);
    run.signal('SIGHUP');
    await scene.untilOpen(4);
    run.signal('SIGTERM');
    expect(await run.ended).toEqual({ code: 0, signal: null });
  });

  it('gives a process that serves HTTP no more rights where that was killed while it loads', async ({
    scene,
    expect,
  }) => {
    const run = scene.run();
    const http = await untilBelow(run.child.pid, 'http');
    process.kill(http, 'SIGKILL');
    await scene.untilOpen(4);
    run.signal('SIGTERM');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr()).toContain('http.died');
    expect(run.stderr()).not.toContain('http.reads_all');
  });

  it('ends by a Ctrl-C of its terminal without a word of a process that serves HTTP', async ({
    scene,
    expect,
  }) => {
    const run = scene.run();
    const http = await untilBelow(run.child.pid, 'http');
    await untilListening(http, SIGQUIT);
    process.kill(http, 'SIGINT');
    await scene.untilOpen(4);
    process.kill(-(run.child.pid ?? 0), 'SIGINT');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr()).not.toContain('http.died');
  });

  it.for([
    ['the trader that loads beside it', 'trader', 'run'],
    ['the embedded venue of a paper run', 'paper-venue', 'paper'],
  ] as const)(
    'has the last word where it is ended, and not %s',
    async ([, part, command], { scene, expect }) => {
      const { folder: cwd } = scene;
      const config = join(ROOT, 'config/paper.yaml');
      const run =
        command === 'run' ? scene.run() : startBookend(['paper', '--config', config], { cwd });
      const isOver = new Promise<void>((resolve) => run.child.once('close', () => resolve()));
      await untilBelow(run.child.pid, part);
      run.signal('SIGTERM');
      expect(await run.ended).toEqual({ code: 0, signal: null });
      // Whoever holds its outputs has ended as well.
      await isOver;
      expect(run.stdout()).toBe('ended before it had started; nothing was placed\n');
      expect(run.stderr()).not.toContain('rror');
    },
  );
});
