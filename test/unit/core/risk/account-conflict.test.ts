// Another maker trades on the account, and places anew whatever is cancelled of it.

import { describe, expect } from 'vitest';
import { orderHash } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import { RISK_CONTROL_DEFAULTS } from '../../../../src/domain/risk.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import {
  EngineDriver,
  GRID,
  level,
  NO,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { it } from '../../../support/runs.ts';
import { TerseVenue } from '../../../support/terse-venue.ts';

type Rule = NonNullable<CoreSettings['account']>['conflict'];

const under = (conflict: Rule | undefined): CoreSettings => ({
  ...settings(),
  risk: { ...settings().risk, ...RISK_CONTROL_DEFAULTS },
  ...(conflict === undefined ? {} : { account: { conflict } }),
});

/** Somebody else's bids, as often as they are cancelled. */
class Other {
  readonly hashes = new Set<string>();
  readonly #venue: TerseVenue;
  readonly #price: number;
  readonly #at: number;
  isTrading = true;

  /** @param at - In which market. */
  constructor(venue: TerseVenue, price = 40, at = 0) {
    this.#venue = venue;
    this.#price = price;
    this.#at = at;
  }

  get isResting(): boolean {
    return [...this.#venue.open.keys()].some((hash) => this.hashes.has(hash));
  }

  place(): void {
    const hash = orderHash(`0xbb${this.hashes.size.toString(16)}`);
    this.hashes.add(hash);
    const tokenId = this.#venue.tokenOf(this.#at);
    this.#venue.open.set(hash, {
      ...{ orderHash: hash, tokenId, side: 'BUY', price: ticks(GRID, this.#price) },
      ...{ quantity: shares(70), executed: shares(0), status: 'OPEN', createdAtMs: undefined },
    });
  }

  run(durationMs: number): void {
    this.#venue.run(durationMs, () => {
      if (this.isTrading && !this.isResting && this.#venue.driver.nowMs % 2_000 === 0) this.place();
    });
  }

  leave(): void {
    this.isTrading = false;
    for (const hash of this.hashes) this.#venue.open.delete(orderHash(hash));
  }
}

function beside(rule: Rule | undefined, price?: number): { venue: TerseVenue; other: Other } {
  const venue = new TerseVenue(1);
  venue.start(under(rule));
  const other = new Other(venue, price);
  other.run(60_000);
  return { venue, other };
}

const ownOf = (venue: TerseVenue, other: Other) =>
  [...venue.open.keys()].filter((hash) => !other.hashes.has(hash));

describe('another trader on the account', () => {
  it('halts placing, has own orders cancelled and its own left alone', () => {
    const { venue, other } = beside('halt');
    expect(venue.driver.reported('account.conflict')).toMatchObject([{ rule: 'halt' }]);
    expect(venue.driver.engine.view().phase).toBe('halted');
    expect(ownOf(venue, other)).toEqual([]);
    const count = other.hashes.size;
    expect(count).toBeLessThan(8);
    venue.bulkCancels.length = 0;
    venue.writes.length = 0;
    other.run(120_000);
    expect(other.hashes.size).toBe(count);
    expect(other.isResting).toBe(true);
    expect(venue.bulkCancels).toEqual([]);
    expect(venue.writes).toEqual([]);
    expect(venue.driver.placements()).toEqual([]);
  });

  it('is none where a new order turns up once in 45 s, and where one that nobody can cancel stays', () => {
    const now = new TerseVenue(1);
    now.start(under('halt'));
    const rare = new Other(now);
    for (let turn = 0; turn < 12; turn += 1) {
      rare.place();
      now.run(45_000);
    }
    expect(now.driver.reported('account.conflict')).toEqual([]);
    // Of the market that is quoted, and of one that is not.
    for (const at of [0, 1]) {
      const held = new TerseVenue(2);
      const markets = settings().markets.map((each) => ({ ...each, market: 'm-0' }));
      held.start({ ...under('halt'), markets });
      for (const way of ['names', 'market', 'account'] as const) held.failing.add(way);
      new Other(held, 40, at).place();
      held.run(120_000);
      expect(held.driver.reported('account.conflict')).toEqual([]);
    }
  });

  it('is none where the venue accepts our own placements so late that others have taken their places', () => {
    const driver = new EngineDriver();
    driver.start(under('halt'));
    driver.book(NO, [], []);
    const open = new Map<string, OrderReport>();
    const late: { readonly atMs: number; readonly order: LimitOrder }[] = [];
    let arrived = 0;
    driver.run(120_000, () => {
      const mid = driver.nowMs % 16_000 < 8_000 ? 50 : 44;
      if (driver.nowMs % 1_000 === 0)
        driver.book(YES, [level(mid - 2, 500)], [level(mid + 2, 500)]);
      const sent = driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
      late.push(...sent.map((order) => ({ atMs: driver.nowMs + 15_000, order })));
      while ((late[0]?.atMs ?? Number.POSITIVE_INFINITY) <= driver.nowMs) {
        const order = late.shift()?.order;
        arrived += 1;
        const hash = orderHash(`0xdd${arrived}`);
        if (order !== undefined) open.set(hash, reportOf(hash, order));
      }
      for (const hash of driver.answerCancels()) open.delete(hash);
      driver.answerReads([...open.values()]);
    });
    expect(arrived).toBeGreaterThan(8);
    expect(driver.reported('account.conflict')).toEqual([]);
    expect(driver.engine.view().phase).toBe('quoting');
    expect(open.size).toBeLessThan(3);
  });

  it('is quoted beside, in own scope', () => {
    const { venue, other } = beside('own-scope');
    expect(venue.driver.engine.view()).toMatchObject({ phase: 'quoting' });
    expect(venue.sidesOf(0)).toBe(2);
    expect(ownOf(venue, other)).toHaveLength(2);
    const count = other.hashes.size;
    other.run(120_000);
    expect(other.hashes.size).toBe(count);
  });

  it('is yielded to until it is gone for five minutes', () => {
    const { venue, other } = beside('yield');
    expect(venue.driver.engine.view()).toMatchObject({ phase: 'quoting' });
    expect(ownOf(venue, other)).toEqual([]);
    expect(venue.reasonOf(0)?.code).toBe('account_conflict');
    other.leave();
    venue.run(280_000);
    expect(ownOf(venue, other)).toEqual([]);
    venue.run(30_000);
    expect(venue.sidesOf(0)).toBe(2);
  });

  it('is yielded to by the next run, too, which cancels none of its orders and waits for as long', ({
    runs,
  }) => {
    const { venue, other } = beside('yield');
    expect(other.isResting).toBe(true);
    runs.ledger.commit(venue.driver.records);
    const next = new TerseVenue(1);
    next.driver.nowMs = venue.driver.nowMs + 1_000;
    for (const [hash, order] of venue.open) next.open.set(hash, order);
    next.driver.settings(under('yield'));
    next.driver.restore(runs.ledger.load());
    next.start(under('yield'));
    expect(next.bulkCancels).toEqual([]);
    expect(next.open.size).toBe(1);
    next.open.clear();
    next.run(280_000);
    expect(next.sidesOf(0)).toBe(0);
    next.run(30_000);
    expect(next.sidesOf(0)).toBe(2);
  });

  it('is recognised where its orders are just like ours, too', () => {
    const { venue, other } = beside('halt', 48);
    other.run(60_000);
    expect(venue.driver.reported('account.conflict')).toHaveLength(1);
    expect(other.isResting).toBe(true);
  });

  it('has its orders cancelled for ever where nobody looks', () => {
    const { venue, other } = beside(undefined);
    expect(venue.driver.reported('account.conflict')).toEqual([]);
    expect(other.hashes.size).toBeGreaterThan(8);
  });

  it('is nobody who places a few orders by hand', () => {
    const venue = new TerseVenue(1);
    venue.start(under('halt'));
    const person = new Other(venue);
    for (let count = 0; count < 5; count += 1) person.place();
    venue.run(60_000);
    person.place();
    venue.run(60_000);
    expect(person.isResting).toBe(false);
    expect(venue.driver.reported('account.conflict')).toEqual([]);
    expect(venue.sidesOf(0)).toBe(2);
  });
});
