// Words of a guard and of a kill that go to a file on a full disk: both go on without them.

import { closeSync, existsSync, openSync } from 'node:fs';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { CONTROL_TOKEN } from '../support/live-daemon.ts';
import { childrenOf, eventually, type RunningProcess, startBookend } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 2, testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Takes no byte, as a disk without room. */
const FULL = '/dev/full';

function unreported({ folder, venue }: Scene, command: string, ...more: string[]): RunningProcess {
  const stderr = openSync(FULL, 'w');
  const env = { ...venue.credentials(), BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN };
  const args = [command, '--config', 'config.yaml', ...more];
  const running = startBookend(args, { cwd: folder, env, stderr });
  closeSync(stderr);
  return running;
}

/** What the guard has started first of all that runs. */
async function traderOf(pid: number | undefined): Promise<number> {
  return await eventually('a trader', async () => {
    const [trader] = await childrenOf(pid, 'trader');
    return trader;
  });
}

describe.runIf(existsSync(FULL)).concurrent('a log on a full disk', () => {
  it('keeps no guard from cancelling, nor from starting the next trader', async ({
    scene,
    expect,
  }) => {
    const { child } = unreported(scene, 'run');
    await scene.untilOpen(4);
    const first = await traderOf(child.pid);
    process.kill(first, 'SIGKILL');
    await scene.untilOpen(0);
    const next = await eventually('the next trader', async () => {
      const trader = await traderOf(child.pid);
      return trader === first ? undefined : trader;
    });
    expect(next).not.toBe(first);
    expect(child.exitCode).toBeNull();
  });

  it('keeps no kill from its proof', async ({ scene, expect }) => {
    await scene.quoting();
    const killing = unreported(scene, 'kill', '--json');
    expect((await killing.ended).code).toBe(0);
    expect(JSON.parse(killing.stdout())).toMatchObject({ kind: 'confirmed' });
    await eventually('no order', async () =>
      (await scene.venue.openOrders()).length === 0 ? true : undefined,
    );
  });
});
