import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EngineState } from '../../../../src/core/engine.ts';
import { type OwnOrder, orderOf } from '../../../../src/core/orders/own-order.ts';
import { pendingBuysNano } from '../../../../src/core/risk/divergence.ts';
import { exposureOf, lossPair, uncertainOf, worseOf } from '../../../../src/core/risk/exposure.ts';
import { RiskPass } from '../../../../src/core/risk/risk-pass.ts';
import { alignMarkets } from '../../../../src/core/session/catalogue.ts';
import { eventId, marketId, outcomeId, requestId, tokenId } from '../../../../src/domain/ids.ts';
import type { Event, Market } from '../../../../src/domain/market.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import type { Strategy } from '../../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../../strategies/ladder.ts';
import { settings } from '../../../support/engine-driver.ts';

const GRID = tickGrid('0.01');
const MARKETS = 3;

/** The core's stores without its engine: what changes an order is told to the work queue here as there. */
function freshStores(isExclusive = false): EngineState {
  const stores: EngineState = new EngineState(new Map([['ladder', ladder as Strategy]]), {
    onMoved: () => {},
    onChanged: (order) => {
      const market = stores.markets.get(order.marketId);
      if (market) stores.workQueue.onTouched(market);
    },
    onExecuted: (order, quantity) => {
      const cost = order.price * 10 * quantity;
      stores.positions.onFill(
        order.tokenId,
        {
          intentId: order.intentId,
          side: order.side,
          cashNano: order.side === 'BUY' ? -cost : cost,
          quantity,
          original: quantity,
          sentAtMs: order.sentAtMs,
          atMs: stores.nowMs,
        },
        stores.nowMs,
      );
    },
    onReported: () => {},
    onEndUnreported: () => {},
    onAnomaly: () => {},
  });
  const own = settings();
  const markets = own.markets.map((choice) => ({ ...choice, isExclusive }));
  stores.settings = { ...own, markets };
  stores.catalogue = [listing()];
  alignMarkets(stores);
  return stores;
}

function listing(): Event {
  const market = (index: number): Market => ({
    id: marketId(`m-${index}`),
    title: `Market ${index}`,
    status: 'open',
    enableOrderBook: true,
    yes: { id: outcomeId('y'), name: 'Yes', tokenId: tokenId(`0x${index}1`), outcomeIndex: 1 },
    no: { id: outcomeId('n'), name: 'No', tokenId: tokenId(`0x${index}0`), outcomeIndex: 0 },
  });
  return {
    id: eventId('e'),
    slug: 'rain',
    title: 'Rain',
    category: 'weather',
    status: 'open',
    grid: GRID,
    expiryAtMs: undefined,
    markets: Array.from({ length: MARKETS }, (_, index) => market(index)),
  };
}

function place(stores: EngineState, act: Act): void {
  const market = stores.markets.get(marketId(`m-${act.market}`));
  if (market === undefined) return;
  const leg = act.isYes ? 'yes' : 'no';
  stores.ledger.add(
    orderOf(GRID, {
      leg,
      side: act.isBuy ? 'BUY' : 'SELL',
      price: ticks(GRID, act.price),
      quantity: shares(act.size),
      intentId: stores.intentIds.next(stores.nowMs),
      requestId: requestId(1),
      marketId: market.market.id,
      tokenId: market.tokenOf(leg),
      sentAtMs: stores.nowMs,
      settingsVersion: 'abc',
      isExternal: false,
      state: 'intended',
      stateSinceMs: stores.nowMs,
    }),
  );
}

/** Every outcome of the event tried, each with the fills that hurt most. */
function worstOutcome(stores: EngineState): number {
  const pairs = [...stores.markets.values()].map((market) => {
    const { id } = market.market;
    const orders = stores.ledger.ofMarket(id);
    const exposure = exposureOf(market, orders, uncertainOf(stores, market));
    return lossPair(market.holdings(stores.positions), exposure);
  });
  const outcomes = pairs.map((_, winner) =>
    pairs.reduce((sum, pair, at) => sum + (at === winner ? pair.ifYesNano : pair.ifNoNano), 0),
  );
  return Math.max(...outcomes);
}

/** All of it added up from nothing. */
function summedAnew(stores: EngineState): { readonly lossNano: number; readonly holdNano: number } {
  let lossNano = 0;
  let holdNano = 0;
  for (const market of stores.markets.values()) {
    const { id } = market.market;
    const orders = stores.ledger.ofMarket(id);
    const exposure = exposureOf(market, orders, uncertainOf(stores, market));
    lossNano += worseOf(lossPair(market.holdings(stores.positions), exposure));
    holdNano += exposure.holdNano + pendingBuysNano(stores, market);
  }
  return { lossNano, holdNano };
}

const anyAct = fc.record({
  kind: fc.constantFrom('place', 'ack', 'refusal', 'execute', 'cancelSent', 'cancelled', 'filled'),
  market: fc.nat(MARKETS - 1),
  isYes: fc.boolean(),
  isBuy: fc.boolean(),
  price: fc.integer({ min: 1, max: 99 }),
  size: fc.integer({ min: 1, max: 500 }),
  which: fc.nat(1_000),
});
type Act = (typeof anyAct extends fc.Arbitrary<infer Value> ? Value : never) & object;

describe('the sums of risk over all markets', () => {
  it('are what adding everything up anew gives, after any history of orders', () => {
    fc.assert(
      fc.property(fc.array(anyAct, { maxLength: 60 }), (acts) => {
        const stores = freshStores();
        for (const act of acts) {
          stores.clock.nowMs = unixMs(stores.nowMs + 10);
          apply(stores, act);
          new RiskPass(stores);
          const { lossNano, holdNano } = stores.risk;
          expect({ lossNano, holdNano }).toEqual(summedAnew(stores));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('are the worst outcome of the event where exactly one of its markets comes true', () => {
    fc.assert(
      fc.property(fc.array(anyAct, { maxLength: 60 }), (acts) => {
        const stores = freshStores(true);
        for (const act of acts) {
          stores.clock.nowMs = unixMs(stores.nowMs + 10);
          apply(stores, act);
          new RiskPass(stores);
          expect(stores.risk.lossNano).toBe(worstOutcome(stores));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('say what a further order of an exclusive event would add to its worst outcome', () => {
    const stores = freshStores(true);
    stores.risk.updateProfit(stores.workQueue.earning, stores.positions);
    const wins = (market: number) => ({ ...ACT, market, price: 30, size: 100 });
    for (const market of [0, 1, 2]) place(stores, wins(market));
    new RiskPass(stores);
    // Two of three lose 30 each; the bid of the one that wins may be the one that nobody fills.
    expect(stores.risk.lossNano / 1e9).toBe(60);
    const [first] = stores.markets.values();
    if (first === undefined) throw new Error('there is a market');
    // Were it the only one that is not bid for, nothing would be lost on it.
    const unbid = new Map([[first, { ifYesNano: 0, ifNoNano: 0 }]]);
    expect(stores.risk.eventLossWith(first, unbid) / 1e9).toBe(60);
    expect(stores.risk.eventLossWith(first, new Map()) / 1e9).toBe(60);
  });

  it('forget a market that has left', () => {
    const stores = freshStores();
    place(stores, { ...ACT, market: 0, isBuy: true });
    new RiskPass(stores);
    expect(stores.risk.holdNano).toBeGreaterThan(0);
    const market = stores.markets.get(marketId('m-0'));
    if (market) stores.risk.drop(market, stores.positions);
    expect(stores.risk.holdNano).toBe(0);
    expect(stores.risk.lossNano).toBe(0);
  });
});

const ACT: Act = {
  kind: 'place',
  market: 0,
  isYes: true,
  isBuy: true,
  price: 40,
  size: 50,
  which: 0,
};

function apply(stores: EngineState, act: Act): void {
  if (act.kind === 'place') {
    place(stores, act);
    return;
  }
  const live = [...stores.ledger.notEnded()];
  const order: OwnOrder | undefined = live[act.which % Math.max(1, live.length)];
  if (order === undefined) return;
  if (act.kind === 'execute') stores.ledger.execute(order, shares(act.size), stores.nowMs);
  else stores.ledger.signal(order, act.kind, stores.nowMs);
}
