// A terminal that takes no more output, as after Ctrl-S or behind a connection that hangs.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { CONTROL_TOKEN } from '../support/live-daemon.ts';
import { childrenOf, cleanEnv, eventually, MAIN } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Longer than a screen of this size takes to fill what a terminal keeps, and than any patience with a trader. */
const STUCK_MS = 6_000;

async function childOf(pid: number, command: string): Promise<number> {
  return await eventually('a child', async () => {
    const [first] = await childrenOf(pid, command);
    return first;
  });
}

/** `bookend run` with its screen, on a terminal that stands still while its journal writer does. */
function onTerminal({ folder, venue }: Scene): ChildProcess {
  const own = { BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN, TERM: 'xterm' };
  const env = cleanEnv({ ...venue.credentials(), ...own });
  const run = `stty cols 120 rows 50; exec "${process.execPath}" "${MAIN}" run --config config.yaml`;
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const writer = spawn('script', ['-qfc', run, '/dev/null'], {
    cwd: folder,
    env,
    stdio: [...stdio],
  });
  writer.stdout?.resume();
  return writer;
}

const mayKeep = (() => {
  try {
    execFileSync('script', ['--version']);
    return process.platform === 'linux';
  } catch {
    return false;
  }
})();

describe.runIf(mayKeep)('a terminal that stands still', () => {
  it('stops no trader, and no guard from cancelling when one dies', async ({ scene, expect }) => {
    const writer = onTerminal(scene);
    await scene.untilOpen(4);
    const guard = await childOf(writer.pid ?? 0, 'run');
    const trader = await childOf(guard, 'trader');
    try {
      writer.kill('SIGSTOP');
      await sleep(STUCK_MS);
      expect(await childOf(guard, 'trader')).toBe(trader);
      expect(await scene.venue.openOrders()).toHaveLength(4);
      process.kill(trader, 'SIGKILL');
      await scene.untilOpen(0);
      await eventually('the next trader', async () =>
        (await childOf(guard, 'trader')) === trader ? undefined : true,
      );
    } finally {
      process.kill(guard, 'SIGKILL');
      writer.kill('SIGKILL');
      await scene.untilOpen(0);
    }
  });
});
