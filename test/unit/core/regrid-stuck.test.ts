// The tick size changes while an own order rests that the venue refuses to cancel.

import { describe, expect } from 'vitest';
import { countedAt } from '../../../src/core/account/named-order.ts';
import { type OrderHash, orderHash } from '../../../src/domain/ids.ts';
import type { LimitOrder, OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { type TickSize, tickGrid } from '../../../src/domain/ticks.ts';
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
import { it } from '../../support/runs.ts';

type Change = { readonly from: TickSize; readonly to: TickSize };

const FINER: Change = { from: '0.01', to: '0.001' };
const COARSER: Change = { from: '0.001', to: '0.01' };

/** The bid rests for ever; whatever else is placed rests until it is cancelled. */
class Venue {
  readonly driver = new EngineDriver();
  readonly placed: LimitOrder[] = [];
  grid: TickSize;
  stuck: OrderReport | undefined;
  #open: readonly OrderReport[] = [];
  #hashes = 0;

  constructor(grid: TickSize, value: ReturnType<typeof settings>) {
    this.grid = grid;
    this.driver.settings(value);
    this.driver.tell({ kind: 'socketOpened' });
    this.driver.tell({ kind: 'authenticated' });
    this.run(5_000);
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.#serve());
  }

  #serve(): void {
    const { driver } = this;
    if (driver.nowMs % 1_000 === 0) {
      const { ticksPerUnit } = tickGrid(this.grid);
      const at = (price: number) => level(price * ticksPerUnit, 500);
      driver.book(YES, [at(0.47)], [at(0.53)]);
      driver.book(NO);
    }
    const value = [listing(this.grid)];
    if (driver.take('readCatalogue').length > 0)
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
    this.#cancel();
    for (const { requestId, orders } of driver.placements()) {
      const outcomes = orders.map((order) => {
        const { intentId } = order;
        return { intentId, outcome: { kind: 'accepted', orderHash: this.#rest(order) } } as const;
      });
      driver.tell({ kind: 'placed', requestId, outcomes });
    }
    const open = this.stuck === undefined ? this.#open : [this.stuck, ...this.#open];
    driver.answerReads(open, this.#balances(open));
  }

  #cancel(): void {
    const refused = this.stuck === undefined ? [] : [this.stuck.orderHash];
    const named = this.driver.answerCancels(refused);
    for (const report of this.#open.filter(({ orderHash: hash }) => named.includes(hash))) {
      this.#open = this.#open.filter((each) => each !== report);
      const ended = { status: 'CANCELLED', remaining: undefined } as const;
      const update = { ...report, marketId: undefined, filledQuantity: report.executed, ...ended };
      this.driver.tell({ kind: 'orderUpdate', update });
    }
  }

  #rest(order: LimitOrder): OrderHash {
    this.placed.push(order);
    this.#hashes += 1;
    const hash = orderHash(`0xbb${this.#hashes.toString(16)}`);
    const { ticksPerUnit } = tickGrid(this.grid);
    const report = { ...reportOf(hash, order), ticksPerUnit };
    if (this.stuck === undefined && order.side === 'BUY' && order.tokenId === YES)
      this.stuck = report;
    else this.#open = [...this.#open, report];
    return hash;
  }

  #balances(open: readonly OrderReport[]) {
    const { ticksPerUnit } = tickGrid(this.grid);
    const onHold = open
      .filter(({ side }) => side === 'BUY')
      .reduce(
        (sum, { price, quantity, ticksPerUnit: own = ticksPerUnit }) =>
          sum + ((price / own) * quantity) / 1_000_000,
        0,
      );
    const text = onHold.toFixed(6);
    return balances({
      availableBalance: usdc((10_000 - onHold).toFixed(6)),
      usdcOnHold: usdc(text),
    });
  }
}

function regridded({ from, to }: Change, scope: 'account' | 'own', limit = 500): Venue {
  const value = {
    ...settings(),
    orders: { ...settings().orders, scope },
    risk: { ...settings().risk, maxPositionShares: limit },
  };
  const venue = new Venue(from, value);
  venue.run(3_000);
  if (venue.stuck === undefined) throw new Error('a bid was placed');
  venue.grid = to;
  const outcome = { kind: 'ok', value: [listing(to)] } as const;
  venue.driver.tell({ kind: 'catalogue', outcome });
  venue.placed.length = 0;
  venue.run(240_000);
  return venue;
}

const view = ({ driver }: Venue) => driver.engine.view().markets[0];

describe.each([
  ['account', 'finer', FINER],
  ['account', 'coarser', COARSER],
  ['own', 'finer', FINER],
  ['own', 'coarser', COARSER],
] as const)('where %s orders are cancelled and the grid becomes %s', (scope, _, change) => {
  it('the market is quoted on the new grid beside it', () => {
    const venue = regridded(change, scope);
    const { driver, stuck } = venue;
    expect(driver.reported('market.listed')).toHaveLength(2);
    expect(driver.engine.view().uncancellable).toEqual([stuck?.orderHash]);
    expect(venue.placed).not.toEqual([]);
    expect(
      venue.placed.every(
        ({ ticksPerUnit = 0 }) => ticksPerUnit === tickGrid(change.to).ticksPerUnit,
      ),
    ).toBe(true);
  });

  it('limits count it', () => {
    const { placed } = regridded(change, scope, 60);
    const bought = placed.filter(({ side, tokenId }) => side === 'BUY' && tokenId === YES);
    expect(bought).toEqual([]);
  });

  it('no quote of ours meets it, where it counts', () => {
    const { placed, stuck } = regridded(change, scope);
    if (stuck === undefined) throw new Error('it rests');
    const at = countedAt(tickGrid(change.to), stuck);
    const { ticksPerUnit } = tickGrid(change.to);
    const isMet = ({ tokenId, side, price }: LimitOrder) =>
      tokenId === NO
        ? side === 'BUY' && ticksPerUnit - price <= at
        : side === 'SELL' && price <= at;
    expect(placed.filter(isMet)).toEqual([]);
  });

  it('a next run knows it on the new grid', ({ runs }) => {
    const { driver: before, stuck } = regridded(change, scope);
    if (stuck === undefined) throw new Error('it rests');
    before.tick();
    runs.ledger.commit(before.records);
    const left = runs.ledger.load().orders.filter((each) => each.orderHash === stuck.orderHash);
    const price = countedAt(tickGrid(change.to), stuck);
    const { ticksPerUnit } = tickGrid(change.to);
    expect(left).toMatchObject([{ price, ticksPerUnit, isExternal: false, quantity: shares(50) }]);
  });

  it('what it trades is a fill, and it ends for good', () => {
    const venue = regridded(change, scope);
    const { driver, stuck } = venue;
    if (stuck === undefined) throw new Error('it rests');
    venue.stuck = undefined;
    const whole = { status: 'FILLED', filledQuantity: shares(50), remaining: shares(0) } as const;
    driver.tell({ kind: 'orderUpdate', update: { ...stuck, marketId: undefined, ...whole } });
    expect(driver.reported('order.filled').at(-1)).toMatchObject({ quantity: '50' });
    expect(view(venue)?.positionYes).toBe('50');
    driver.tick();
    expect(driver.engine.view().uncancellable).toEqual([]);
  });
});
