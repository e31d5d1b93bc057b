// What a guard does beside restarting: real processes, judged by what the venue says.

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { eventually } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 4, testTimeout: 90_000 });

beforeAll(ensureBuilt);

const NEEDS_RESTART = /"event":"settings\.needs_restart"/g;

async function isThere({ folder }: Scene, file: string): Promise<boolean> {
  return await access(join(folder, file)).then(
    () => true,
    () => false,
  );
}

describe.concurrent('a file that changed what takes effect at a start', () => {
  it('is told of by the next life, which trades where its guard can cancel', async ({
    scene,
    expect,
  }) => {
    const daemon = await scene.quoting();
    const other = await LiveVenue.start();
    await other.quoteBook(other.market('rain'), { bid: 0.4, ask: 0.6 });
    await scene.configure({
      venue: other.address(),
      journal: { path: 'data/other.db' },
      // A guard that went on with its own patience would kill each life that beats so slowly.
      guard: { heartbeatMs: 2_000, silenceMs: 10_000 },
    });
    const said = daemon.process.stderr;
    const times = (count: number) => () =>
      (said().match(NEEDS_RESTART)?.length ?? 0) >= count ? true : undefined;
    await eventually('the word about the file', times(1), { said });
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('guard.handed_over');
    await scene.untilOpen(4);
    await eventually('the word of the next life', times(2), { said });
    expect(await other.openOrders()).toEqual([]);
    expect(await isThere(scene, 'data/other.db')).toBe(false);
    expect(daemon.traderPids()).toHaveLength(2);
    expect(said()).not.toContain('"reason":"silent"');
    await other.stop();
  });
});
