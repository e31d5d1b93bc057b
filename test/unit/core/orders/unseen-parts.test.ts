// The word of an end that counts only what has settled: what matched while nobody listened is not in it, and
// an order that ended so is not taken for one that had traded nothing.

import { describe, expect, it } from 'vitest';
import type { OrderStatus } from '../../../../src/domain/order.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances, EngineDriver, settings, YES } from '../../../support/engine-driver.ts';

/** What is left of the bid of 50 when it is cancelled: 30 matched, at 48 cents each, and have not settled. */
const UNTRADED = 20;
const MATCHED_USDC = 14.4;

type End = { readonly status: OrderStatus; readonly filled: number; readonly remaining: number };

/** The bid of a market that may hold 50 shares is cancelled while the channel is lost, and its end told so. */
function ended(end: End, heldUsdc: number, before: readonly End[] = []) {
  const driver = new EngineDriver();
  const { risk, ...rest } = settings();
  driver.start({ ...rest, risk: { ...risk, maxPositionShares: 50, maxUncertainShares: 500 } });
  driver.healthyBook();
  driver.tick();
  const [bid, ask] = driver
    .acceptPlacements()
    .toSorted(
      (one, other) => Number(other.order.tokenId === YES) - Number(one.order.tokenId === YES),
    );
  if (bid === undefined || ask === undefined) throw new Error('both sides were placed');
  for (const each of before) driver.update(ask.hash, ask.order, each);
  driver.tell({ kind: 'socketLost', reason: 'reset' });
  driver.tell({ kind: 'socketOpened' });
  driver.tell({ kind: 'authenticated' });
  driver.tick();
  driver.update(bid.hash, bid.order, end);
  driver.answerCancels();
  const bids: number[] = [];
  driver.run(9_000, () => {
    if (driver.nowMs % 1_000 === 0) driver.healthyBook();
    driver.answerReads([], balances({ usdcOnHold: usdc(heldUsdc) }));
    for (const { orders } of driver.placements()) {
      const found = orders.filter(({ tokenId, side }) => tokenId === YES && side === 'BUY');
      bids.push(...found.map(({ quantity }) => quantity));
    }
  });
  return bids;
}

describe('a cancelled order whose end counts what has settled', () => {
  it.each(['CANCELLED', 'EXPIRED'] as const)(
    'keeps its room where what never traded is less than it, %s',
    (status) => {
      expect(ended({ status, filled: 0, remaining: UNTRADED }, MATCHED_USDC)).toEqual([]);
    },
  );

  it('keeps its room where nothing remains of it, on a venue that was seen to count so', () => {
    const matched = { status: 'PARTIALLY_FILLED', filled: 0, remaining: 45 } as const;
    const end = { status: 'CANCELLED', filled: 0, remaining: 0 } as const;
    expect(ended(end, MATCHED_USDC, [matched])).toEqual([]);
  });
});

describe('a cancelled order whose end tells of all of it', () => {
  it('is quoted again at once', () => {
    const end = { status: 'CANCELLED', filled: 0, remaining: 50 } as const;
    expect(ended(end, 0)).not.toEqual([]);
  });

  it('is quoted again where nothing remains of it, on a venue that is not known to leave anything out', () => {
    const end = { status: 'CANCELLED', filled: 0, remaining: 0 } as const;
    expect(ended(end, 0)).not.toEqual([]);
  });

  it('is quoted again as soon as just what rests is held', () => {
    const end = { status: 'CANCELLED', filled: 0, remaining: UNTRADED } as const;
    expect(ended(end, 0)).not.toEqual([]);
  });
});
