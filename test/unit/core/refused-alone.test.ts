// A refused item of a batch carries no code: the next order like it goes alone to learn it.

import { expect, it } from 'vitest';
import { marketId, orderHash, outcomeId, tokenId } from '../../../src/domain/ids.ts';
import type { Event } from '../../../src/domain/market.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import {
  balances,
  EngineDriver,
  level,
  listing,
  MARKET,
  NO,
  settings,
  YES,
} from '../../support/engine-driver.ts';

const HELD = balances({
  positions: [
    { tokenId: YES, marketId: MARKET, shareAmount: shares(100), onHoldShareAmount: shares(0) },
  ],
});

const REFUSAL = { message: 'no', httpStatus: undefined, retryAfterMs: undefined };

/** Buys are accepted and sells refused, with a code only where the order went alone. */
function answer(driver: EngineDriver, count: { hashes: number }): readonly LimitOrder[][] {
  return driver.placements().map(({ requestId, orders }) => {
    const code = orders.length === 1 ? 'insufficient_shares' : undefined;
    const outcomes = orders.map(({ intentId, side }) => {
      count.hashes += 1;
      const accepted = { kind: 'accepted', orderHash: orderHash(`0xd${count.hashes}`) } as const;
      const refused = { kind: 'refused', refusal: { ...REFUSAL, code } } as const;
      return { intentId, outcome: side === 'BUY' ? accepted : refused };
    });
    driver.tell({ kind: 'placed', requestId, outcomes });
    return [...orders];
  });
}

it('is not learned from an order of the other side', () => {
  const driver = new EngineDriver();
  const count = { hashes: 0 };
  const params = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 50 };
  const choice = { event: 'rain', market: undefined, strategy: 'ladder', params };
  driver.start(settings({ markets: [choice] }), HELD);
  driver.healthyBook();
  driver.tick();
  const [first] = answer(driver, count);
  expect(first?.map(({ side }) => side).toSorted()).toEqual(['BUY', 'BUY', 'SELL', 'SELL']);
  // The bid moves before the ask is tried again, and goes alone in vain.
  driver.book(YES, [level(47, 500)], [level(51, 500)]);
  driver.book(NO, [], []);
  const sent: string[][] = [];
  driver.run(4_000, () => {
    driver.answerCancels();
    for (const orders of answer(driver, count)) sent.push(orders.map(({ side }) => side));
  });
  expect(sent[0]).toEqual(['BUY']);
  // What was refused goes alone, with its code; then it is known that there are no shares to sell.
  const sells = sent.filter((sides) => sides.includes('SELL'));
  expect(new Set(sells.map(({ length }) => length))).toEqual(new Set([1]));
  expect(sells.length).toBeLessThanOrEqual(2);
});

/**
 * The market moves to and fro for a minute; nobody says why a sell is refused, alone or not.
 * @returns Requests of which a sell was refused.
 */
function refusedInMinute(
  at: { readonly levels: number; readonly roundMs: number },
  isRefused: (price: number, nearest: number, isAlone: boolean) => boolean,
): number {
  const driver = new EngineDriver();
  const size = 100 / at.levels;
  const params = { halfSpreadTicks: 2, levels: at.levels, levelSpacingTicks: 1, size };
  const choice = { event: 'rain', market: undefined, strategy: 'ladder', params };
  driver.start(settings({ markets: [choice] }), HELD);
  driver.healthyBook();
  driver.tick();
  let hashes = 0;
  let refused = 0;
  let nearest = 52;
  const answerAll = () => {
    driver.answerCancels();
    driver.answerReads([], HELD);
    for (const { requestId, orders } of driver.placements()) {
      const httpStatus = orders.length === 1 ? 400 : undefined;
      const refusal = { ...REFUSAL, httpStatus, code: undefined };
      const outcomes = orders.map(({ intentId, side, price }) => {
        hashes += 1;
        const accepted = { kind: 'accepted', orderHash: orderHash(`0xe${hashes}`) } as const;
        const refusedNow = { kind: 'refused', refusal } as const;
        const isTaken = side === 'BUY' || !isRefused(price, nearest, orders.length === 1);
        return { intentId, outcome: isTaken ? accepted : refusedNow };
      });
      if (outcomes.some(({ outcome }) => outcome.kind === 'refused')) refused += 1;
      driver.tell({ kind: 'placed', requestId, outcomes });
    }
  };
  for (let round = 0; round < 60_000 / at.roundMs; round += 1) {
    nearest = 52 + (round % 2);
    driver.book(YES, [level(nearest - 4, 500)], [level(nearest, 500)]);
    driver.book(NO, [], []);
    driver.run(at.roundMs, answerAll);
  }
  return refused;
}

it('is not asked for again and again when even an order that went alone is told nothing', () => {
  // The dearer of two sells is taken each time: it must not end the pause of the other one.
  const refused = refusedInMinute({ levels: 2, roundMs: 3_000 }, (price, near) => price === near);
  expect(refused).toBeGreaterThan(1);
  expect(refused).toBeLessThanOrEqual(6);
});

it('goes alone itself, and no nearer one that is taken goes for it', () => {
  // Shares are there for the nearest, and for no other.
  const refused = refusedInMinute({ levels: 4, roundMs: 2_000 }, (price, near) => price !== near);
  expect(refused).toBeGreaterThan(1);
  expect(refused).toBeLessThanOrEqual(4);
});

it('rests for a while when its like is taken each time it goes alone, and refused among others', () => {
  // Cancels of the shares it would sell are in flight, or somebody else holds a part of them.
  const refused = refusedInMinute(
    { levels: 2, roundMs: 3_000 },
    (price, near, isAlone) => !isAlone && price === near,
  );
  expect(refused).toBeGreaterThan(1);
  expect(refused).toBeLessThanOrEqual(5);
});

const BUSY_YES = tokenId('0x03');
const BUSY_NO = tokenId('0x04');

/** The market of the driver, and a busy one beside it. */
function besideBusy(): Event {
  const event = listing();
  const busy = event.markets.map((market) => ({
    ...market,
    id: marketId('m-2'),
    yes: { ...market.yes, id: outcomeId('o-yes-2'), tokenId: BUSY_YES },
    no: { ...market.no, id: outcomeId('o-no-2'), tokenId: BUSY_NO },
  }));
  return { ...event, markets: [...event.markets, ...busy] };
}

it('goes with the next write after a minute, whoever else goes, where others need every one', () => {
  const driver = new EngineDriver();
  const base = settings();
  const ladder = { event: 'rain', strategy: 'ladder' };
  const params = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 50 };
  const catalogue = { kind: 'catalogue', outcome: { kind: 'ok', value: [besideBusy()] } } as const;
  driver.settings(
    settings({
      markets: [{ ...ladder, market: undefined, params }],
      orders: { ...base.orders, writesPer10s: 1 },
      timing: { ...base.timing, catalogueMs: 3_600_000 },
    }),
  );
  driver.tell(catalogue);
  driver.tell({ kind: 'socketOpened' });
  driver.tell({ kind: 'authenticated' });
  let hashes = 0;
  let refusedAtMs: number | undefined;
  let sentAgainAtMs: number | undefined;
  const serve = () => {
    driver.answerCancels();
    for (const { requestId, orders } of driver.placements()) {
      const outcomes = orders.map(({ intentId, tokenId: token, side, price }) => {
        hashes += 1;
        // The deeper of two bids is refused once, in a batch, and nobody says why.
        const isIt = token === YES && side === 'BUY' && price === 47;
        const isRefused = isIt && refusedAtMs === undefined;
        if (isIt && refusedAtMs !== undefined) sentAgainAtMs ??= driver.nowMs;
        if (isRefused) refusedAtMs = driver.nowMs;
        const accepted = { kind: 'accepted', orderHash: orderHash(`0xf${hashes}`) } as const;
        const refused = { kind: 'refused', refusal: { ...REFUSAL, code: undefined } } as const;
        return { intentId, outcome: isRefused ? refused : accepted };
      });
      driver.tell({ kind: 'placed', requestId, outcomes });
    }
    for (const _ of driver.take('readCatalogue')) driver.tell(catalogue);
    driver.answerReads([]);
  };
  driver.run(3_000, serve);
  driver.healthyBook();
  for (let round = 0; round < 240; round += 1) {
    const middle = round % 2;
    driver.book(BUSY_YES, [level(48 + middle, 500)], [level(52 + middle, 500)]);
    driver.book(BUSY_NO, [], []);
    driver.run(500, serve);
  }
  expect((sentAgainAtMs ?? Number.POSITIVE_INFINITY) - (refusedAtMs ?? 0)).toBeLessThan(65_000);
});
