// Whose orders a kill leaves alone where `orders.scope` is own: real processes, an external order on
// the same account, judged by what the venue says.

import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import type { LiveDaemon } from '../support/live-daemon.ts';
import { eventually } from '../support/processes.ts';
import { type Scene, it as sceneIt } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 4, testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Each tells of some thirty orders that end, are sent and are accepted. */
const MOVES_UNREAD = 40;

/** The order of somebody else on the same account, which rests before anything begins. */
const it = sceneIt.extend<{ external: string }>({
  external: async ({ scene }, use) => {
    await scene.configure({ orders: { scope: 'own' } });
    await scene.venue.placeForDaemon(scene.venue.market('rain').yes, 0.2);
    const [hash] = await hashes(scene);
    if (hash === undefined) throw new Error('the external order rests');
    await use(hash);
  },
});

async function hashes({ venue }: Scene): Promise<readonly string[]> {
  return (await venue.openOrders()).map(({ orderHash }) => orderHash);
}

/** Four quotes and the external order rest, and the trader has heard so: nothing is under way. */
async function quoting(scene: Scene): Promise<LiveDaemon> {
  const daemon = await scene.start();
  await daemon.until('all quotes', ({ ordersByState }) =>
    ordersByState.resting === 5 && ordersByState.sending === 0 ? true : undefined,
  );
  return daemon;
}

async function kill(scene: Scene, ...more: readonly string[]) {
  const run = scene.command('kill', '--json', ...more);
  const { code } = await run.ended;
  return { code, result: JSON.parse(run.stdout()), stderr: run.stderr() };
}

describe.concurrent('in the own scope', () => {
  it('the guard of a killed trader cancels ours alone, and the next run quotes beside the external order', async ({
    scene,
    external,
    expect,
  }) => {
    const daemon = await quoting(scene);
    const before = new Set(await hashes(scene));
    process.kill(daemon.traderPid(), 'SIGKILL');
    const said = daemon.process.stderr;
    const cleared = /guard\.cleared","cancelled":4,"clearMs":\d+,"scope":"own","leftAlone":1/;
    await eventually('the guard', () => cleared.exec(said()) ?? undefined, { said });
    await eventually(
      'new quotes',
      async () => {
        const now = await hashes(scene);
        const isNew = now.length === 5 && now.filter((hash) => before.has(hash)).length === 1;
        return isNew ? true : undefined;
      },
      { said },
    );
    expect(await hashes(scene)).toContain(external);
    expect(daemon.process.stderr()).not.toContain('guard.not_clear');
  });

  it('a guard that did not read while its trader lived on cancels by the ledger, and no external order', async ({
    scene,
    external,
    expect,
  }) => {
    const params = { halfSpreadTicks: 2, levels: 15, levelSpacingTicks: 1, size: 20 };
    const markets = [{ event: 'rain', strategy: 'ladder', params }];
    const guard = { onDeath: 'stay', reserve: false };
    await scene.configure({ markets, orders: { scope: 'own' }, guard });
    const daemon = await scene.start();
    await daemon.until('all quotes', ({ ordersByState }) =>
      ordersByState.resting === 31 ? true : undefined,
    );
    const guardPid = daemon.process.child.pid ?? 0;
    process.kill(guardPid, 'SIGSTOP');
    // More is told than a channel holds, and what the trader still keeps of it dies with it.
    for (let move = 1; move <= MOVES_UNREAD; move += 1) {
      await scene.venue.clearBook();
      const up = (move % 3) / 100;
      await scene.venue.quoteBook(scene.venue.market('rain'), { bid: 0.4 + up, ask: 0.6 + up });
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    // On a busy machine the last move is still being followed, or has not been seen: what rests is to stay for a while.
    const isQuoted = async () => {
      const before = await hashes(scene);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const now = await hashes(scene);
      return (now.length > 25 && now.every((hash) => before.includes(hash))) || undefined;
    };
    await eventually('most quotes after the last move', isQuoted);
    process.kill(daemon.traderPid(), 'SIGKILL');
    expect((await hashes(scene)).length).toBeGreaterThan(20);
    process.kill(guardPid, 'SIGCONT');
    await daemon.untilSaid('guard.staying_down');
    await eventually('the external order alone', async () => {
      const now = await hashes(scene);
      return now.length === 1 && now[0] === external ? true : undefined;
    });
    expect(daemon.process.stderr()).not.toContain('guard.ledger_unread');
  });

  it('a kill beside the daemon leaves the external order, and both confirm the same', async ({
    scene,
    external,
    expect,
  }) => {
    const daemon = await quoting(scene);
    const { code, result } = await kill(scene);
    expect(result).toMatchObject({ kind: 'confirmed', scope: 'own', leftAlone: 1 });
    expect(code).toBe(0);
    expect(await hashes(scene)).toEqual([external]);
    await daemon.untilPhase('killed');
  });

  it('a stop leaves the external order, and says that none of ours is left', async ({
    scene,
    external,
    expect,
  }) => {
    const daemon = await quoting(scene);
    daemon.process.signal('SIGTERM');
    expect((await daemon.process.ended).code).toBe(0);
    expect(await hashes(scene)).toEqual([external]);
    expect(daemon.process.stdout()).toContain('stopped: no open order of ours is left');
  });

  it('a kill after everything died knows from the ledger which orders are ours', async ({
    scene,
    external,
    expect,
  }) => {
    const daemon = await quoting(scene);
    process.kill(-(daemon.process.child.pid ?? 0), 'SIGKILL');
    await daemon.process.ended;
    expect(await hashes(scene)).toHaveLength(5);
    const { code, result } = await kill(scene);
    expect(result).toMatchObject({ kind: 'confirmed', scope: 'own', cancelled: 4, leftAlone: 1 });
    expect(code).toBe(0);
    expect(await hashes(scene)).toEqual([external]);
  });

  it('a kill without a ledger cancels nothing and says so; one of the account cancels all', async ({
    scene,
    external,
    expect,
  }) => {
    const blind = await kill(scene);
    expect(blind.code).toBe(4);
    expect(blind.result).toMatchObject({ kind: 'unconfirmed', scope: 'own', cancelled: 0 });
    expect(blind.stderr).toContain('bookend kill --account');
    expect(await hashes(scene)).toEqual([external]);
    const yes = scene.venue.market('rain').yes;
    const all = await kill(scene, '--account', '--token', yes);
    expect(all.result).toMatchObject({ kind: 'confirmed', scope: 'account', cancelled: 1 });
  });
});
