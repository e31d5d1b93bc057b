// Nobody says when `cashBalance` moves: with the match, with the settlement, or as late as positions show shares.
// @spec Resources and their fields › Balances

import { describe, expect, it } from 'vitest';
import { type Resting, ShownAccount } from '../../../support/shown-account.ts';
import { controlled } from '../../../support/wanted.ts';

type When = 'match' | 'settlement' | 'index';

const SETTLES_MS = 17_000;
const SHOWS_MS = 45_000;
const HIT_MS = 400_000;

/** What rests is hit again and again for some minutes: cash never stands still for long. */
function traded(when: When, everyMs: number): ShownAccount {
  const account = new ShownAccount().start(controlled({ maxPositionShares: 5_000 }));
  const { driver, held } = account;
  const later: { readonly atMs: number; readonly run: () => void }[] = [];
  const after = (ms: number, run: () => void) => later.push({ atMs: driver.nowMs + ms, run });
  const hit = (resting: Resting): void => {
    const { tokenId, side, price } = resting.order;
    const quantity = side === 'BUY' ? 50 : -50;
    const paysAt = (moment: When): void => {
      if (when === moment) account.pay(quantity, price / 100);
    };
    account.match(resting);
    paysAt('match');
    after(SETTLES_MS, () => {
      paysAt('settlement');
      account.settled(tokenId, 50, price / 100, side);
    });
    after(SETTLES_MS + SHOWS_MS, () => {
      paysAt('index');
      held.set(tokenId, (held.get(tokenId) ?? 0) + quantity);
    });
  };
  for (let passedMs = 0; passedMs < HIT_MS + SETTLES_MS + SHOWS_MS; passedMs += 500) {
    const [resting] = account.open;
    const isDue = passedMs < HIT_MS && passedMs % everyMs === 0;
    if (isDue && resting !== undefined) hit(resting);
    account.run(500);
    for (const each of later.splice(0)) {
      if (each.atMs <= driver.nowMs) each.run();
      else later.push(each);
    }
  }
  return account;
}

const tripped = ({ driver }: ShownAccount) =>
  driver.reported('control.tripped').map(({ control }) => control);

describe('cash that moves', () => {
  it.each<[When, number]>([
    ['match', 8_000],
    ['match', 30_000],
    ['settlement', 8_000],
    ['index', 8_000],
    ['index', 30_000],
  ])('with the %s is no break, where an order is hit every %d ms', (when, everyMs) => {
    const account = traded(when, everyMs);
    const { driver } = account;
    expect(driver.engine.view().markets[0]?.fills).toBeGreaterThan(8);
    expect(tripped(account)).not.toContain('cash_divergence');
    expect(driver.reported('cash.adopted')).toEqual([]);
  });

  it.each<When>(['match', 'index'])(
    'with the %s is a break as soon as something else is missing for long',
    (when) => {
      const account = traded(when, 8_000);
      account.cash -= 40;
      account.run(200_000);
      expect(tripped(account)).toContain('cash_divergence');
    },
  );
});
