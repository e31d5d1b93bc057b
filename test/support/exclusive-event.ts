// An event of three markets of which exactly one comes true, with orders as a test says.

import type { MarketState } from '../../src/core/market.ts';
import { newOrder } from '../../src/core/orders/new-order.ts';
import { alignMarkets } from '../../src/core/session/catalogue.ts';
import { World } from '../../src/core/world.ts';
import {
  eventId,
  marketId,
  orderHash,
  outcomeId,
  requestId,
  tokenId,
} from '../../src/domain/ids.ts';
import type { Event, Market } from '../../src/domain/market.ts';
import { shares } from '../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import { usdc } from '../../src/domain/usdc.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';
import { settings } from './engine-driver.ts';

export const GRID = tickGrid('0.01');
const MAX_LOSS_USDC = 20;

type Leg = 'yes' | 'no';

export function market(at: number): Market {
  return {
    id: marketId(`m-${at}`),
    title: `M${at}`,
    status: 'open',
    enableOrderBook: true,
    yes: { id: outcomeId('y'), name: 'Yes', tokenId: tokenId(`0x${at}1`), outcomeIndex: 1 },
    no: { id: outcomeId('n'), name: 'No', tokenId: tokenId(`0x${at}0`), outcomeIndex: 0 },
  };
}

export const EXCLUSIVE: Event = {
  id: eventId('e'),
  slug: 'rain',
  title: 'R',
  category: 'w',
  status: 'open',
  grid: GRID,
  expiryAtMs: undefined,
  markets: [0, 1, 2].map(market),
};

/** Three markets of which exactly one comes true, or those of another event. */
export function exclusive(event = EXCLUSIVE): World {
  const world: World = new World(new Map([['ladder', ladder]]), {
    onMoved: () => {},
    onChanged: (order) =>
      world.workQueue.onTouched(marketOf(world, Number(order.marketId.slice(2)))),
    onExecuted: () => {},
    onReported: () => {},
    onEndUnreported: () => {},
    onAnomaly: () => {},
  });
  const own = settings();
  world.settings = {
    ...own,
    risk: { ...own.risk, maxLossUsdc: MAX_LOSS_USDC },
    markets: own.markets.map((choice) => ({ ...choice, isExclusive: true })),
  };
  world.catalogue = [event];
  alignMarkets(world);
  world.nowMs = unixMs(1_700_000_000_000);
  world.cash.onRead(
    {
      cashBalance: usdc('10000'),
      availableBalance: usdc('10000'),
      usdcOnHold: usdc('0'),
      positions: [],
    },
    world.nowMs,
  );
  return world;
}

export function marketOf(world: World, at: number): MarketState {
  const found = world.markets.get(marketId(`m-${at}`));
  if (found === undefined) throw new Error('it is quoted');
  return found;
}

export const buying = (leg: Leg, price: number) => ({
  leg,
  side: 'BUY' as const,
  price: ticks(GRID, price),
  quantity: shares(100),
});

export const selling = (leg: Leg, price: number) => ({
  ...buying(leg, price),
  side: 'SELL' as const,
});

export function placed(
  world: World,
  at: number,
  routed: ReturnType<typeof buying> | ReturnType<typeof selling>,
  said: string,
): void {
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
  if (said === 'nothing') world.ledger.signal(order, 'noAnswer', world.nowMs);
  else world.ledger.onAccepted(order, orderHash(`0xa${at}`), world.nowMs);
}
