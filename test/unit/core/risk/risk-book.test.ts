import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newOrder } from '../../../../src/core/orders/new-order.ts';
import type { OwnOrder } from '../../../../src/core/orders/own-order.ts';
import { exposureOf, lossPair, worstLossNano } from '../../../../src/core/risk/exposure.ts';
import { RiskPass } from '../../../../src/core/risk/risk-pass.ts';
import { pendingBuysNano, uncertainOf } from '../../../../src/core/risk/uncertain.ts';
import { alignMarkets } from '../../../../src/core/session/catalogue.ts';
import { World } from '../../../../src/core/world.ts';
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

/** The core's world without its engine: what changes an order is told to the work queue here as there. */
function freshWorld(isExclusive = false): World {
  const world: World = new World(new Map([['ladder', ladder as Strategy]]), {
    onMoved: () => {},
    onChanged: (order) => {
      const market = world.markets.get(order.marketId);
      if (market) world.workQueue.onTouched(market);
    },
    onExecuted: (order, quantity) => {
      const cost = order.price * 10 * quantity;
      world.positions.onFill(
        order.tokenId,
        {
          intentId: order.intentId,
          side: order.side,
          cashNano: order.side === 'BUY' ? -cost : cost,
          quantity,
          original: quantity,
          sentAtMs: order.sentAtMs,
          atMs: world.nowMs,
        },
        world.nowMs,
      );
    },
    onReported: () => {},
    onEndUnreported: () => {},
    onAnomaly: () => {},
  });
  const own = settings();
  const markets = own.markets.map((choice) => ({ ...choice, isExclusive }));
  world.settings = { ...own, markets };
  world.catalogue = [listing()];
  alignMarkets(world);
  return world;
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

function place(world: World, act: Act): void {
  const market = world.markets.get(marketId(`m-${act.market}`));
  if (market === undefined) return;
  const leg = act.isYes ? 'yes' : 'no';
  world.ledger.add(
    newOrder({
      grid: GRID,
      routed: {
        leg,
        side: act.isBuy ? 'BUY' : 'SELL',
        price: ticks(GRID, act.price),
        quantity: shares(act.size),
      },
      intentId: world.nextIntentId(),
      requestId: requestId(1),
      marketId: market.market.id,
      tokenId: market.tokenOf(leg),
      nowMs: world.nowMs,
      datedByMs: undefined,
      expiresAtMs: undefined,
      settingsVersion: 'abc',
      isTake: false,
    }),
  );
}

/** Every outcome of the event tried, each with the fills that hurt most. */
function worstOutcome(world: World): number {
  const pairs = [...world.markets.values()].map((market) => {
    const { id } = market.market;
    const orders = world.ledger.ofMarket(id);
    const exposure = exposureOf(market, orders, uncertainOf(world, market));
    return lossPair(market.holdings(world.positions), exposure);
  });
  const outcomes = pairs.map((_, winner) =>
    pairs.reduce((sum, pair, at) => sum + (at === winner ? pair.ifYesNano : pair.ifNoNano), 0),
  );
  return Math.max(...outcomes);
}

/** All of it added up from nothing. */
function summedAnew(world: World): { readonly lossNano: number; readonly holdNano: number } {
  let lossNano = 0;
  let holdNano = 0;
  for (const market of world.markets.values()) {
    const { id } = market.market;
    const orders = world.ledger.ofMarket(id);
    const exposure = exposureOf(market, orders, uncertainOf(world, market));
    lossNano += worstLossNano(market.holdings(world.positions), exposure);
    holdNano += exposure.holdNano + pendingBuysNano(world, market);
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
        const world = freshWorld();
        for (const act of acts) {
          world.nowMs = unixMs(world.nowMs + 10);
          apply(world, act);
          new RiskPass(world);
          const { lossNano, holdNano } = world.risk;
          expect({ lossNano, holdNano }).toEqual(summedAnew(world));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('are the worst outcome of the event where exactly one of its markets comes true', () => {
    fc.assert(
      fc.property(fc.array(anyAct, { maxLength: 60 }), (acts) => {
        const world = freshWorld(true);
        for (const act of acts) {
          world.nowMs = unixMs(world.nowMs + 10);
          apply(world, act);
          new RiskPass(world);
          expect(world.risk.lossNano).toBe(worstOutcome(world));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('say what a further order of an exclusive event would add to its worst outcome', () => {
    const world = freshWorld(true);
    world.risk.updateProfit(world.workQueue.earning, world.positions);
    const wins = (market: number) => ({ ...ACT, market, price: 30, size: 100 });
    for (const market of [0, 1, 2]) place(world, wins(market));
    new RiskPass(world);
    // Two of three lose 30 each; the bid of the one that wins may be the one that nobody fills.
    expect(world.risk.lossNano / 1e9).toBe(60);
    const [first] = world.markets.values();
    if (first === undefined) throw new Error('there is a market');
    // Were it the only one that is not bid for, nothing would be lost on it.
    const unbid = new Map([[first, { ifYesNano: 0, ifNoNano: 0 }]]);
    expect(world.risk.eventLossWith(first, unbid) / 1e9).toBe(60);
    expect(world.risk.eventLossWith(first, new Map()) / 1e9).toBe(60);
  });

  it('forget a market that has left', () => {
    const world = freshWorld();
    place(world, { ...ACT, market: 0, isBuy: true });
    new RiskPass(world);
    expect(world.risk.holdNano).toBeGreaterThan(0);
    const market = world.markets.get(marketId('m-0'));
    if (market) world.risk.drop(market, world.positions);
    expect(world.risk.holdNano).toBe(0);
    expect(world.risk.lossNano).toBe(0);
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

function apply(world: World, act: Act): void {
  if (act.kind === 'place') {
    place(world, act);
    return;
  }
  const live = [...world.ledger.notEnded()];
  const order: OwnOrder | undefined = live[act.which % Math.max(1, live.length)];
  if (order === undefined) return;
  if (act.kind === 'execute') world.ledger.execute(order, shares(act.size), world.nowMs);
  else world.ledger.signal(order, act.kind, world.nowMs);
}
