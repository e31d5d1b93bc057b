// Keys that a terminal turns into signals for guard and trader alike.

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import type { LiveDaemon } from '../support/live-daemon.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 2, testTimeout: 150_000 });

beforeAll(ensureBuilt);

const SIGTSTP = 20;

/** Guard and trader, of which the latter knows that its quotes rest. */
async function bothOf(scene: Scene): Promise<{ daemon: LiveDaemon; pids: readonly number[] }> {
  const daemon = await scene.quoting();
  return { daemon, pids: [daemon.process.child.pid ?? 0, daemon.traderPid()] };
}

/** Whether a process hears a signal, and is not stopped or ended by it. */
async function hears(pid: number, signal: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const caught = BigInt(`0x${/^SigCgt:\s*(\w+)$/m.exec(status)?.[1] ?? '0'}`);
  return (caught & (1n << BigInt(signal - 1))) !== 0n;
}

describe.concurrent('at a terminal', () => {
  it.runIf(process.platform === 'linux')(
    'Ctrl-Z suspends nobody who looks after orders',
    async ({ scene, expect }) => {
      const { pids } = await bothOf(scene);
      for (const pid of pids) expect(await hears(pid, SIGTSTP)).toBe(true);
      for (const pid of pids) process.kill(pid, 'SIGTSTP');
      expect(await scene.venue.openOrders()).toHaveLength(4);
    },
  );

  it('Ctrl-\\ ends in good order, as Ctrl-C does', async ({ scene, expect }) => {
    const { daemon, pids } = await bothOf(scene);
    for (const pid of pids) process.kill(pid, 'SIGQUIT');
    expect(await daemon.process.ended).toEqual({ code: 0, signal: null });
    expect(await scene.venue.openOrders()).toEqual([]);
  });
});
