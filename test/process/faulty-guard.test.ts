// A guard with a fault of its own goes on: it says so, its trader quotes, and a death is cleared as before.

import { resolve } from 'node:path';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { LiveDaemon } from '../support/live-daemon.ts';
import { eventually } from '../support/processes.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

const FAULTY = { NODE_OPTIONS: `--import=${resolve('test/process/faulty-guard.js')}` };

describe('an error that nobody caught in the guard', () => {
  it('costs no quote, and a trader that dies behind it is cleared and followed', async ({
    scene,
    expect,
  }) => {
    const daemon = scene.run(FAULTY);
    const said = daemon.stderr;
    const until = async (word: string) =>
      await eventually(word, () => (said().includes(word) ? true : undefined), { said });
    await scene.untilOpen(4);
    await (await LiveDaemon.of(daemon)).untilResting(4);
    const guard = daemon.child.pid ?? 0;
    process.kill(guard, 'SIGUSR2');
    await until('"event":"guard.fault"');
    expect(said()).toContain('a planted rejection');
    expect(await scene.venue.openOrders()).toHaveLength(4);
    expect(said()).not.toContain('guard.trader_died');
    const trader = /"event":"guard\.trader_started".*?"pid":(\d+)/.exec(said())?.[1];
    process.kill(Number(trader), 'SIGKILL');
    await until('"event":"guard.handed_over"');
    await scene.untilOpen(4);
    process.kill(guard, 'SIGTERM');
    const { code } = await daemon.ended;
    expect(code, said().slice(-4_000)).toBe(0);
    expect(await scene.venue.openOrders()).toEqual([]);
  });
});
