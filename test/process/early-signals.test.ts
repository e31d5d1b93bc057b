// Signals that come while the program still loads.

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { eventually, type RunningProcess } from '../support/processes.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Ours is the first to listen to it; Node itself listens to some others. */
const SIGTSTP = 20;

/** The program runs, and its first lines with it. */
async function untilListening({ child }: RunningProcess): Promise<void> {
  await eventually('a process that listens to signals', async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    const caught = BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(status)?.[1] ?? '0'}`);
    return ((caught >> BigInt(SIGTSTP - 1)) & 1n) === 1n || undefined;
  });
}

describe.runIf(process.platform === 'linux').concurrent('a daemon that still loads', () => {
  it('goes on through a SIGHUP, as of a reload right behind its start', async ({
    scene,
    expect,
  }) => {
    const run = scene.run();
    await untilListening(run);
    run.signal('SIGHUP');
    await scene.untilOpen(4);
    run.signal('SIGTERM');
    expect(await run.ended).toEqual({ code: 0, signal: null });
  });
});
