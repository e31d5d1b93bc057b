// A venue that answers only in part behind a death: the next run waits for it, is no death, and leaves nothing at
// prices that nobody minds meanwhile.

import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { endIn, eventually } from '../support/processes.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 120_000 });

const START_MS_MAX = 30_000;

beforeAll(ensureBuilt);

describe('a run that finds the venue failing after a death', () => {
  it('waits, says so, and quotes once the venue answers', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    const action = { kind: 'failBefore', status: 503 };
    await scene.venue.control('fault', {
      ...{ method: 'GET', path: '/portfolio/balances', times: 1_000, action },
    });
    process.kill(daemon.traderPid(), 'SIGKILL');
    const said = daemon.process.stderr;
    const waits = () => said().match(/"start.waiting"/g) ?? [];
    const isWaiting = () => waits().length >= 2 || undefined;
    await eventually('a run that waits', isWaiting, { said, withinMs: START_MS_MAX });
    expect(said().match(/guard\.trader_died/g)).toHaveLength(1);
    expect(await scene.venue.openOrders()).toEqual([]);

    await scene.venue.control('clearFaults', {});
    await scene.untilOpen(4);
  });
});

describe('a start that finds the venue failing after a death of all of it', () => {
  it('cancels what rests while it waits, and quotes once the venue answers', async ({
    scene,
    expect,
  }) => {
    await scene.quoting();
    await endIn(scene.folder);
    expect(await scene.venue.openOrders()).toHaveLength(4);
    const action = { kind: 'failBefore', status: 503 };
    await scene.venue.control('fault', {
      ...{ method: 'GET', path: '/events', times: 1_000, action },
    });
    const next = scene.run();
    await scene.untilOpen(0);
    expect(next.stderr()).toContain('"event":"start.waiting"');

    await scene.venue.control('clearFaults', {});
    await eventually('its quotes', async () => {
      const orders = await scene.venue.openOrders();
      return orders.length === 4 || undefined;
    });
    expect(next.stderr()).toMatch(/"event":"start\.took_back","cancelled":4/);
  });
});
