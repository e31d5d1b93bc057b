// Whatever happens on the exchange, no cent and no share appears or disappears.

import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usdcOf } from '../../../../src/paper/exchange/amounts.ts';
import type { ListedMarket } from '../../../../src/paper/exchange/listed-market.ts';
import type { Keys } from '../support.ts';
import { at, NO, RAIN_MARKET, TestVenue, YES } from '../support.ts';

const token = fc.constantFrom(YES, NO);
const side = fc.constantFrom('BUY' as const, 'SELL' as const);
const price = fc.integer({ min: 1, max: 99 });
const size = fc.integer({ min: 1, max: 400 }).map((tenths) => tenths / 10);
const who = fc.integer({ min: 0, max: 2 });

const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      ...{ who, token, side, price, size },
      type: fc.constantFrom('GTC', 'FOK', 'FAK'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('market' as const), ...{ who, token, side, size } }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('split' as const), who, size }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), who, size }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), who, pick: price }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancelAll' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('level' as const), token, side, price, size }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('print' as const), token, side, price, size }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.integer({ min: 1, max: 9_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), on: fc.boolean() }) },
);

type Operation = typeof operation extends fc.Arbitrary<infer Each> ? Each : never;

class World {
  readonly test: TestVenue;
  readonly keys: readonly Keys[];
  readonly funded: Decimal;

  constructor(options: ConstructorParameters<typeof TestVenue>[0]) {
    this.test = new TestVenue({ startingCash: 500, ...options });
    const { venue } = this.test;
    this.keys = [venue.account, venue.openAccount('b', 500), venue.openAccount('c', 500)];
    this.funded = new Decimal(1_500);
  }

  do(operation: Operation): void {
    const { test } = this;
    const post = (by: number, path: string, body: unknown) =>
      test.ask('POST', path, { body, as: this.keys[by] ?? 'nobody' });
    switch (operation.kind) {
      case 'place': {
        const { token: tokenId, price: cents, size: quantity, type: orderType } = operation;
        const order = { tokenId, side: operation.side, price: cents / 100, quantity, orderType };
        post(operation.who, '/orders', order);
        return;
      }
      case 'market': {
        const amount = String(operation.size);
        const sized = operation.side === 'BUY' ? { maxSpend: amount } : { quantity: amount };
        const body = {
          tokenId: operation.token,
          side: operation.side,
          ...sized,
          timeInForce: 'FAK',
        };
        post(operation.who, '/orders/market', body);
        return;
      }
      case 'split':
      case 'merge':
        post(operation.who, `/positions/${operation.kind}`, {
          eventId: 'rain',
          amount: operation.size,
        });
        return;
      case 'cancel': {
        const orders = test.openOrders(this.keys[operation.who]);
        const order = orders[operation.pick % Math.max(1, orders.length)];
        const path = `/orders/${String(at(order, 'orderHash'))}`;
        test.ask('DELETE', path, { as: this.keys[operation.who] ?? 'nobody' });
        return;
      }
      case 'cancelAll':
        test.ask('DELETE', '/orders', { as: this.keys[operation.who] ?? 'nobody' });
        return;
      case 'level': {
        const bookSide = operation.side === 'BUY' ? 'bid' : 'ask';
        test.recordedLevel(bookSide, operation.price, operation.size, operation.token);
        return;
      }
      case 'print':
        test.recordedTrade(operation.side, operation.price, operation.size, operation.token);
        return;
      case 'wait':
        test.advance(operation.ms);
        return;
      case 'fail':
        test.venue.exchange.settlement.failNext(1);
        return;
      case 'pause':
        test.venue.desk.setTradingStatus(RAIN_MARKET, operation.on ? 'paused' : 'open');
    }
  }

  /** Cash plus what the shares would pay if `winner` won, over all accounts. */
  worth(winner: typeof YES): Decimal {
    return this.test.venue.exchange.accounts.all().reduce((sum, account) => {
      const micro = account.holdings.get(winner)?.settledMicro ?? 0;
      return sum.plus(usdcOf(account.cashNano)).plus(new Decimal(micro).div(1_000_000));
    }, new Decimal(0));
  }

  /** Holds, recomputed from the open orders and from nothing else. */
  checkHolds(): void {
    const { exchange } = this.test.venue;
    for (const account of exchange.accounts.all().filter(({ kind }) => kind === 'api')) {
      expect(account.availableNano() >= 0n, `${account.name} has cash`).toBe(true);
      for (const [, holding] of account.holdings) {
        expect(holding.heldMicro).toBeGreaterThanOrEqual(0);
        expect(holding.settledMicro).toBeGreaterThanOrEqual(holding.heldMicro);
      }
    }
  }

  /** When nothing is under way, holds are what the live orders need and nothing else. */
  checkHoldsExactly(feeBps: number): void {
    const { exchange } = this.test.venue;
    for (const account of exchange.accounts.all().filter(({ kind }) => kind === 'api')) {
      const orders = exchange.openOrders(account);
      for (const tokenId of [YES, NO]) {
        const sells = orders.filter(
          ({ terms }) => terms.side === 'SELL' && terms.outcome.tokenId === tokenId,
        );
        const wanted = sells.reduce((sum, order) => sum + order.restingMicro(), 0);
        expect(account.holdings.get(tokenId)?.heldMicro ?? 0).toBe(wanted);
      }
      const buys = orders.filter(({ terms }) => terms.side === 'BUY');
      const cost = buys.reduce((sum, order) => sum + order.restingMicro() * order.terms.price, 0);
      const wantedUsdc = (cost / 100_000_000) * (1 + feeBps / 10_000);
      expect(usdcOf(account.cashHeldNano).toNumber()).toBeCloseTo(wantedUsdc, 4);
    }
  }

  /** Public books and open orders agree, and nothing that could match is left unmatched. */
  checkBook(market: ListedMarket): void {
    const { exchange } = this.test.venue;
    const book = exchange.context.books.of(market);
    for (const index of [0, 1] as const) {
      for (const bookSide of ['bid', 'ask'] as const) {
        for (const { sizeMicro } of book.levels(index, bookSide))
          expect(sizeMicro).toBeGreaterThan(0);
      }
    }
    const resting = book.orders();
    const live = exchange.accounts.all().flatMap((account) => exchange.openOrders(account));
    expect(new Set(resting)).toEqual(new Set(live.filter((order) => order.restingMicro() > 0)));
    for (const { axis, index } of resting) {
      const level = book.level(axis.side, axis.tick);
      const shares = (level?.orders ?? [])
        .filter((order) => order.index === index)
        .reduce((sum, order) => sum + order.restingMicro(), 0);
      expect(level?.restingMicro[index]).toBe(shares);
    }
    for (const order of resting) {
      expect(order.end).toBeUndefined();
      expect(order.restingMicro()).toBeGreaterThan(0);
    }
    expect(new Set(resting).size).toBe(resting.length);
    const bids = resting.filter((order) => order.axis.side === 'bid');
    const asks = resting.filter((order) => order.axis.side === 'ask');
    const bestBid = Math.max(0, ...bids.map((order) => order.axis.tick));
    const bestAsk = Math.min(100, ...asks.map((order) => order.axis.tick));
    expect(bestBid).toBeLessThan(bestAsk);
  }
}

describe('the exchange', () => {
  it.each([
    ['by its default rules', {}],
    [
      'with fees, restored failures and self-trades',
      {
        takerFeeBps: 75,
        failedTrade: 'reinstate' as const,
        selfTrade: 'allow' as const,
      },
    ],
    ['with incoming orders giving way', { selfTrade: 'cancelIncoming' as const }],
    ['where what is left of a traded order can be cancelled', { partiallyFilledCancellable: true }],
  ])('creates and loses nothing, %s', (_name, rules) => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 20, maxLength: 60 }), (operations) => {
        const world = new World({ rules });
        const market = world.test.venue.exchange.catalogue.market(RAIN_MARKET);
        for (const each of operations) {
          world.do(each);
          world.checkHolds();
        }
        world.test.venue.desk.setTradingStatus(RAIN_MARKET, 'open');
        world.test.advance(60_000);
        world.checkBook(market);
        world.checkHoldsExactly('takerFeeBps' in rules ? rules.takerFeeBps : 0);
        for (const winner of [YES, NO]) {
          expect(world.worth(winner).minus(world.funded).toFixed()).toBe('0');
        }
        for (const keys of world.keys) world.test.ask('DELETE', '/orders', { as: keys });
        world.test.advance(60_000);
        world.checkHoldsExactly('takerFeeBps' in rules ? rules.takerFeeBps : 0);
        for (const keys of world.keys) {
          const left = world.test.openOrders(keys).map((order) => at(order, 'status'));
          const isCancellable = 'partiallyFilledCancellable' in rules;
          expect(left.filter((status) => isCancellable || status !== 'PARTIALLY_FILLED')).toEqual(
            [],
          );
          if (left.length === 0) expect(world.test.balances(keys)['usdcOnHold']).toBe('0');
        }
      }),
      { numRuns: 40 },
    );
  });

  it('does the same twice with the same seed', () => {
    const run = (operations: readonly Operation[]) => {
      const world = new World({});
      for (const each of operations) world.do(each);
      world.test.advance(30_000);
      return JSON.stringify([
        world.test.levels(),
        world.keys.map((keys) => world.test.balances(keys)),
      ]);
    };
    fc.assert(
      fc.property(fc.array(operation, { minLength: 20, maxLength: 40 }), (operations) => {
        expect(run(operations)).toBe(run(operations));
      }),
      { numRuns: 10 },
    );
  });
});
