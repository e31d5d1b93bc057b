// Whose orders a kill leaves alone where `orders.scope` is own: real processes, a stranger's order on
// the same account, judged by what the venue says.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { LADDER, LiveDaemon, writeConfig } from '../support/live-daemon.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { endAll, eventually, startBookend } from '../support/processes.ts';

let folder: string;
let venue: LiveVenue;
let stranger: string;

const config = {
  markets: [{ event: 'rain', strategy: 'ladder', params: LADDER }],
  orders: { scope: 'own' },
};

beforeAll(ensureBuilt, 60_000);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-own-'));
  venue = await LiveVenue.start(folder);
  await venue.quoteBook(venue.market('rain'), { bid: 0.4, ask: 0.6 });
  await venue.placeForDaemon(venue.market('rain').yes, 0.2);
  stranger = (await venue.openOrders())[0]?.orderHash ?? '';
  await writeConfig(folder, venue, config);
});

afterEach(async () => {
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

afterAll(endAll);

async function hashes(): Promise<readonly string[]> {
  return (await venue.openOrders()).map(({ orderHash }) => orderHash);
}

/** Four quotes and the stranger rest, and the trader has heard so: nothing is under way. */
async function quoting(): Promise<LiveDaemon> {
  const daemon = await LiveDaemon.start(folder, venue);
  await daemon.until('all quotes', ({ ordersByState }) =>
    ordersByState.resting === 5 && ordersByState.sending === 0 ? true : undefined,
  );
  return daemon;
}

function traderPid(daemon: LiveDaemon): number {
  return Number(/guard\.trader_started","life":\d+,"pid":(\d+)/.exec(daemon.process.stderr())?.[1]);
}

async function kill(...more: readonly string[]) {
  const run = startBookend(['kill', '--config', 'config.yaml', '--json', ...more], {
    cwd: folder,
    env: venue.credentials(),
  });
  const { code } = await run.ended;
  return { code, result: JSON.parse(run.stdout()), stderr: run.stderr() };
}

describe('in the own scope', () => {
  it('the guard of a killed trader cancels ours alone, and the next life quotes beside the stranger', async () => {
    const daemon = await quoting();
    const before = new Set(await hashes());
    process.kill(traderPid(daemon), 'SIGKILL');
    const said = daemon.process.stderr;
    const cleared = /guard\.cleared","cancelled":4,"clearMs":\d+,"scope":"own","leftAlone":1/;
    await eventually('the guard', () => cleared.exec(said()) ?? undefined, { said });
    await eventually(
      'new quotes',
      async () => {
        const now = await hashes();
        const isNew = now.length === 5 && now.filter((hash) => before.has(hash)).length === 1;
        return isNew ? true : undefined;
      },
      { said, withinMs: 20_000 },
    );
    expect(await hashes()).toContain(stranger);
    expect(daemon.process.stderr()).not.toContain('guard.not_clear');
  });

  it('a kill beside the daemon leaves the stranger, and both prove the same', async () => {
    const daemon = await quoting();
    const { code, result } = await kill();
    expect(result).toMatchObject({ kind: 'proven', scope: 'own', leftAlone: 1 });
    expect(code).toBe(0);
    expect(await hashes()).toEqual([stranger]);
    await daemon.untilPhase('killed');
  });

  it('a kill after everything died knows from the ledger which orders are ours', async () => {
    const daemon = await quoting();
    process.kill(-(daemon.process.child.pid ?? 0), 'SIGKILL');
    await daemon.process.ended;
    expect(await hashes()).toHaveLength(5);
    const { code, result } = await kill();
    expect(result).toMatchObject({ kind: 'proven', scope: 'own', cancelled: 4, leftAlone: 1 });
    expect(code).toBe(0);
    expect(await hashes()).toEqual([stranger]);
  });

  it('a kill without a ledger cancels nothing and says so; one of the account cancels all', async () => {
    const blind = await kill();
    expect(blind.code).toBe(4);
    expect(blind.result).toMatchObject({ kind: 'unproven', scope: 'own', cancelled: 0 });
    expect(blind.stderr).toContain('bookend kill --account');
    expect(await hashes()).toEqual([stranger]);
    const yes = venue.market('rain').yes;
    const all = await kill('--account', '--token', yes);
    expect(all.result).toMatchObject({ kind: 'proven', scope: 'account', cancelled: 1 });
  });
});
