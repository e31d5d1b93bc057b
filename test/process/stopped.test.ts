// A process that is stopped between a target quote and the placement of it, and goes on much later.

import { existsSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { LADDER } from '../support/live-daemon.ts';
import { eventually, ROOT } from '../support/processes.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Longer than any turn takes. */
const STOPPED_MS = 3_000;

describe('a daemon without a guard that is stopped in the middle of a target quote', () => {
  it('reads what has happened before it places anything, and decides anew', async ({
    scene,
    expect,
  }) => {
    const { venue, folder } = scene;
    const strategy = relative(folder, join(ROOT, 'test/process/spin.js'));
    const markets = [{ event: 'rain', strategy, params: LADDER }];
    await scene.configure({ markets, guard: { enabled: false }, logging: { level: 'debug' } });
    const spin = join(folder, 'spin');
    writeFileSync(spin, 'stop');
    // Without a book there is nothing to quote: its first target quotes is to place four orders, and to cancel none.
    await venue.clearBook();
    const { child, stderr } = scene.run({ BOOKEND_SPIN_FILE: spin });
    const isOpen = () => stderr().includes('"to":"quoting"') || undefined;
    await eventually('an open gate', isOpen, { said: stderr });
    await venue.quoteBook(venue.market('rain'), { bid: 0.4, ask: 0.6 });
    await eventually('the stop', () => existsSync(`${spin}.began`) || undefined);
    await venue.clearBook();
    await venue.quoteBook(venue.market('rain'), { bid: 0.44, ask: 0.64 });
    await setTimeout(STOPPED_MS);
    expect(await venue.openOrders()).toEqual([]);
    child.kill('SIGCONT');
    const prices = async () => (await venue.openOrders()).map(({ price }) => Number(price)).sort();
    // Bids for YES below the middle, and bids for NO where it has no shares to sell.
    await eventually(
      'quotes of the book of now',
      async () => String(await prices()) === '0.43,0.44,0.51,0.52' || undefined,
      { said: () => stderr() },
    );
    // Its decision was of the book before, while the new one waited in its socket: it was too old to leave.
    expect(stderr()).not.toMatch(/"price":"0\.48".*"(?:ack|open|matched)"/);
    expect(stderr()).toMatch(/"price":"0\.48".*"not_sent".*decided on \d+ ms ago/);
  });
});
