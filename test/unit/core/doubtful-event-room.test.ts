// Above a limit, what may not be there in another market of an exclusive event is no room either.

import { expect, it } from 'vitest';
import { alignMarkets } from '../../../src/core/catalogue.ts';
import type { MarketState } from '../../../src/core/market.ts';
import { newOrder } from '../../../src/core/orders/new-order.ts';
import { RiskPass } from '../../../src/core/risk-pass.ts';
import { World } from '../../../src/core/world.ts';
import { eventId, marketId, outcomeId, requestId, tokenId } from '../../../src/domain/ids.ts';
import type { Event, Market } from '../../../src/domain/market.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { settings } from '../../support/engine-driver.ts';

const GRID = tickGrid('0.01');
const MAX_LOSS_USDC = 20;

type Leg = 'yes' | 'no';

function market(at: number): Market {
  return {
    id: marketId(`m-${at}`),
    title: `M${at}`,
    status: 'open',
    enableOrderBook: true,
    yes: { id: outcomeId('y'), name: 'Yes', tokenId: tokenId(`0x${at}1`), outcomeIndex: 1 },
    no: { id: outcomeId('n'), name: 'No', tokenId: tokenId(`0x${at}0`), outcomeIndex: 0 },
  };
}

const EVENT: Event = {
  id: eventId('e'),
  slug: 'rain',
  title: 'R',
  category: 'w',
  status: 'open',
  grid: GRID,
  expiryAtMs: undefined,
  markets: [0, 1, 2].map(market),
};

/** Three markets of which exactly one comes true. */
function exclusive(): World {
  const world: World = new World(new Map([['ladder', ladder]]), {
    onMoved: () => {},
    onChanged: (order) => world.agenda.onTouched(marketOf(world, Number(order.marketId.slice(2)))),
    onExecuted: () => {},
    onAnomaly: () => {},
  });
  const own = settings();
  world.settings = {
    ...own,
    risk: { ...own.risk, maxLossUsdc: MAX_LOSS_USDC },
    markets: own.markets.map((choice) => ({ ...choice, isExclusive: true })),
  };
  world.catalogue = [EVENT];
  alignMarkets(world);
  world.nowMs = unixMs(1_700_000_000_000);
  world.account.restore(10_000e9, []);
  return world;
}

function marketOf(world: World, at: number): MarketState {
  const found = world.markets.get(marketId(`m-${at}`));
  if (found === undefined) throw new Error('it is quoted');
  return found;
}

const buying = (leg: Leg, price: number) => ({
  leg,
  side: 'BUY' as const,
  price: ticks(GRID, price),
  quantity: shares(100),
});

function placed(world: World, at: number, routed: ReturnType<typeof buying>, said: string): void {
  const state = marketOf(world, at);
  const order = newOrder({
    grid: GRID,
    routed,
    intentId: world.nextIntentId(),
    requestId: requestId(1),
    marketId: state.market.id,
    tokenId: state.tokenOf(routed.leg),
    nowMs: world.nowMs,
    datedByMs: undefined,
    expiresAtMs: undefined,
    settingsVersion: 'a',
    isTake: false,
  });
  world.ledger.add(order);
  world.ledger.signal(order, 'sent', world.nowMs);
  world.ledger.signal(order, said === 'nothing' ? 'noAnswer' : 'ack', world.nowMs);
}

const asks = (price: number) => buying('no', 100 - price);
const admitAsk = (world: World, at: number, price: number) =>
  new RiskPass(world).admit(marketOf(world, at), asks(price), {
    side: 'ask',
    price: ticks(GRID, price),
  });
const admitBid = (world: World, at: number, price: number) =>
  new RiskPass(world).admit(marketOf(world, at), buying('yes', price), {
    side: 'bid',
    price: ticks(GRID, price),
  });

it('an ask goes that loses less than one that rests in another market, and not beside one without an answer', () => {
  const rests = exclusive();
  placed(rests, 1, asks(52), 'that it rests');
  expect(admitAsk(rests, 0, 57)).toBeUndefined();
  const unsaid = exclusive();
  placed(unsaid, 1, asks(52), 'nothing');
  expect(admitAsk(unsaid, 0, 57)).toBe('max_loss_usdc');
});

it('a bid goes that loses less than an ask of its market that rests, and not beside one without an answer', () => {
  const rests = exclusive();
  placed(rests, 0, asks(52), 'that it rests');
  expect(admitBid(rests, 0, 43)).toBeUndefined();
  const unsaid = exclusive();
  placed(unsaid, 0, asks(52), 'nothing');
  expect(admitBid(unsaid, 0, 43)).toBe('max_loss_usdc');
});

it('an ask goes that loses less than a bid of its market that rests, and not beside one without an answer', () => {
  const rests = exclusive();
  placed(rests, 1, buying('yes', 48), 'that it rests');
  expect(admitAsk(rests, 1, 57)).toBeUndefined();
  const unsaid = exclusive();
  placed(unsaid, 1, buying('yes', 48), 'nothing');
  expect(admitAsk(unsaid, 1, 57)).toBe('max_loss_usdc');
});

it('an order goes beside any that may not be there as long as all together are within the limit', () => {
  const world = exclusive();
  placed(world, 1, asks(90), 'nothing');
  expect(admitAsk(world, 0, 91)).toBeUndefined();
});
