// A venue that refuses a whole batch of cancels because of one order in it: the others go all the same.
// And cancels that nobody has answered, asked for again while no list can be read.

import { describe, expect, it } from 'vitest';
import { marketId, outcomeId, tokenId } from '../../../src/domain/ids.ts';
import type { Event } from '../../../src/domain/market.ts';
import type { CancelOutcome } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  level,
  listing,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';

/** Two markets with so many levels a side each: thirty of them fill more than one batch. */
function manyQuotes(scope: 'own' | 'account', levels: number) {
  const base = settings();
  const params = { halfSpreadTicks: 2, levels, levelSpacingTicks: 1, size: 10 };
  return {
    ...base,
    markets: base.markets.map((market) => ({ ...market, params })),
    risk: {
      maxPositionShares: 5_000,
      maxOrderNotionalUsdc: 100,
      maxOpenOrders: 200,
      maxLossUsdc: 100_000,
    },
    orders: { ...base.orders, scope },
    timing: { ...base.timing, catalogueMs: 3_600_000, requestTimeoutMs: 10_000 },
  };
}

const OTHER_YES = tokenId('0x03');
const OTHER_NO = tokenId('0x04');

/** The market of the driver, and one beside it. */
function twoMarkets(): Event {
  const event = listing('0.001');
  const others = event.markets.map((market) => ({
    ...market,
    id: marketId('m-2'),
    yes: { ...market.yes, id: outcomeId('o-yes-2'), tokenId: OTHER_YES },
    no: { ...market.no, id: outcomeId('o-no-2'), tokenId: OTHER_NO },
  }));
  return { ...event, markets: [...event.markets, ...others] };
}

const REFUSED: CancelOutcome = {
  kind: 'refused',
  refusal: {
    code: 'order_not_cancellable',
    message: 'one of them is locked',
    httpStatus: 409,
    retryAfterMs: undefined,
  },
};

/** Its cancels are whole or not at all: one stuck or ended order in a batch has all of it refused. */
class WholeVenue {
  readonly driver = new EngineDriver();
  open: OrderReport[] = [];
  readonly stuck = new Set<string>();
  /** Sizes of the batches that named something, in order. */
  readonly batches: number[] = [];
  refusal: CancelOutcome = REFUSED;

  constructor(scope: 'own' | 'account', levels: number) {
    const { driver } = this;
    driver.settings(manyQuotes(scope, levels));
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [twoMarkets()] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    this.run(3_000);
    for (const yes of [YES, OTHER_YES]) driver.book(yes, [level(480, 500)], [level(520, 500)]);
    for (const no of [NO, OTHER_NO]) driver.book(no, [], []);
    this.run(1_000);
  }

  serve(): void {
    const { driver } = this;
    for (const { requestId, orderHashes } of driver.take('cancelOrders')) {
      this.batches.push(orderHashes.length);
      driver.tell({ kind: 'cancelled', requestId, outcome: this.#cancel(orderHashes) });
    }
    for (const { requestId } of driver.take('cancelAll')) {
      const outcome = this.#cancel(this.open.map(({ orderHash }) => orderHash));
      driver.tell({ kind: 'cancelled', requestId, outcome });
    }
    const catalogue = { kind: 'ok', value: [twoMarkets()] } as const;
    for (const _ of driver.take('readCatalogue')) {
      driver.tell({ kind: 'catalogue', outcome: catalogue });
    }
    for (const { order, hash } of driver.acceptPlacements()) this.open.push(reportOf(hash, order));
    driver.answerReads(this.open, balances({ cashBalance: usdc(10_000) }));
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.serve());
  }

  stick(...places: readonly number[]): readonly string[] {
    const hashes = places.flatMap((at) => this.open[at]?.orderHash ?? []);
    for (const hash of hashes) this.stuck.add(hash);
    return hashes;
  }

  get left(): readonly string[] {
    return this.open.map(({ orderHash }) => orderHash);
  }

  #cancel(hashes: readonly string[]): CancelOutcome {
    const open = new Set<string>(this.left);
    const isWhole = hashes.every((hash) => open.has(hash) && !this.stuck.has(hash));
    if (!isWhole) return this.refusal;
    const named = new Set(hashes);
    this.open = this.open.filter(({ orderHash }) => !named.has(orderHash));
    return { kind: 'accepted', cancelled: hashes.length, failed: 0 };
  }
}

describe('one order that has its whole batch refused', () => {
  it('keeps no other quote on the book when they are pulled', () => {
    const venue = new WholeVenue('account', 10);
    expect(venue.left.length).toBe(40);
    const stuck = venue.stick(13);
    venue.batches.length = 0;
    venue.driver.operator('pause');
    venue.run(1_000);
    expect(venue.left).toEqual(stuck);
    expect(venue.batches.slice(0, 3)).toEqual([40, 20, 20]);
    expect(venue.batches.length).toBeLessThan(20);
  });

  it.each(['own', 'account'] as const)('keeps no other alive under a kill of the %s', (scope) => {
    const venue = new WholeVenue(scope, 30);
    expect(venue.left.length).toBe(120);
    const stuck = venue.stick(7, 90);
    venue.driver.operator('kill');
    venue.run(2_500);
    expect(new Set(venue.left)).toEqual(new Set(stuck));
    venue.run(10_000);
    const [unconfirmed] = venue.driver.reported('kill.unconfirmed');
    expect(new Set(unconfirmed?.orderHashes)).toEqual(new Set(stuck));
    expect(venue.driver.reported('kill.confirmed')).toEqual([]);
  });

  it('is named alone from then on, and known as refused', () => {
    const venue = new WholeVenue('own', 10);
    const stuck = venue.stick(3);
    venue.driver.operator('pause');
    venue.run(60_000);
    expect(venue.driver.engine.view().uncancellable).toEqual(stuck);
    expect(venue.batches.slice(-3)).toEqual([1, 1, 1]);
  });

  it('confirms the kill as soon as it is gone', () => {
    const venue = new WholeVenue('own', 10);
    venue.stick(3);
    venue.driver.operator('kill');
    venue.run(3_000);
    venue.open = [];
    venue.run(5_000);
    expect(venue.driver.reported('kill.confirmed')).toHaveLength(1);
  });

  it('is not looked for where the refusal is about the account', () => {
    const venue = new WholeVenue('own', 10);
    venue.stick(3);
    venue.refusal = {
      kind: 'refused',
      refusal: {
        code: 'account_restricted',
        message: 'no',
        httpStatus: 403,
        retryAfterMs: undefined,
      },
    };
    venue.batches.length = 0;
    venue.driver.operator('kill');
    venue.run(5_000);
    expect(new Set(venue.batches)).toEqual(new Set([40]));
    expect(venue.left).toHaveLength(40);
  });
});

/** Cancels fail and no list can be read, for as long as it lasts. */
class Deaf extends WholeVenue {
  /** Cancels of a market or the account. */
  bulk = 0;
  readonly named: (readonly string[])[] = [];

  deaf(durationMs: number): void {
    this.driver.run(durationMs, () => {
      const { driver } = this;
      const lost = { kind: 'unknown', cause: 'connection', detail: 'no route' } as const;
      for (const { requestId, orderHashes } of driver.take('cancelOrders')) {
        this.named.push(orderHashes);
        driver.tell({ kind: 'cancelled', requestId, outcome: lost });
      }
      for (const { requestId } of driver.take('cancelAll')) {
        this.bulk += 1;
        driver.tell({ kind: 'cancelled', requestId, outcome: lost });
      }
      for (const { requestId } of driver.take('readOpenOrders')) {
        const askedAtMs = unixMs(driver.nowMs);
        driver.tell({ kind: 'openOrders', requestId, askedAtMs, outcome: lost });
      }
    });
  }
}

describe('a cancel that nobody answered while no list can be read', () => {
  it('is asked for again, all of them together, 100 to a request', () => {
    const venue = new Deaf('account', 30);
    venue.driver.operator('pause');
    venue.deaf(200);
    expect(venue.named.map(({ length }) => length)).toEqual([100, 20]);
    venue.named.length = 0;
    venue.deaf(22_000);
    expect(venue.named.map(({ length }) => length).slice(0, 2)).toEqual([100, 20]);
    expect(new Set(venue.named.flat())).toEqual(new Set(venue.left));
  });

  it('is asked for at a pace that grows, and never twice at once', () => {
    const venue = new Deaf('account', 1);
    venue.driver.operator('pause');
    venue.deaf(120_000);
    const [first = ''] = venue.left;
    // By name at first, and then with all that rests, at the pace of a mass cancel.
    const asked = venue.named.filter((names) => names.includes(first)).length + venue.bulk;
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThan(90);
  });

  it('ends with the first cancel that is answered', () => {
    const venue = new Deaf('account', 1);
    venue.driver.operator('pause');
    venue.deaf(60_000);
    venue.run(10_000);
    expect(venue.left).toEqual([]);
    expect(venue.driver.engine.view().ordersByState['cancelUnresolved']).toBe(0);
  });

  it('is left to a kill that comes meanwhile, which cancels all of them itself', () => {
    const venue = new Deaf('account', 1);
    venue.driver.operator('pause');
    venue.deaf(5_000);
    venue.driver.operator('kill');
    venue.named.length = 0;
    venue.deaf(60_000);
    expect(venue.named).toEqual([]);
    venue.run(60_000);
    expect(venue.driver.reported('kill.confirmed')).toHaveLength(1);
  });
});
