// A trader that died while the venue answers only in part: the next life is refused by its preflight, which is no
// fault of the program.

import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { eventually } from '../support/processes.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 240_000 });

/** More lives than deaths that are taken for a crash of the program. */
const REFUSED = 7;

/** So many programs start one after the other, each within seconds where the machine is busy. */
const STARTS_MS_MAX = 150_000;

beforeAll(ensureBuilt);

describe('a life that the venue refuses after a death', () => {
  it('is tried again until the venue answers, and quotes then', async ({ scene, expect }) => {
    await scene.configure({ guard: { backoffMsMax: 500 } });
    const daemon = await scene.quoting();
    const action = { kind: 'failBefore', status: 503 };
    await scene.venue.control('fault', {
      ...{ method: 'GET', path: '/portfolio/balances', times: 1_000, action },
    });
    process.kill(daemon.traderPid(), 'SIGKILL');
    const said = daemon.process.stderr;
    const refused = () => said().match(/guard\.trader_died","life":\d+,"reason":"refused"/g) ?? [];
    const areRefused = () => refused().length >= REFUSED || undefined;
    await eventually('refused lives', areRefused, { said, withinMs: STARTS_MS_MAX });
    expect(said()).not.toContain('guard.staying_down');
    expect(await scene.venue.openOrders()).toEqual([]);

    await scene.venue.control('clearFaults', {});
    await scene.untilOpen(4);
  });
});
