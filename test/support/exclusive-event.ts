// An event of three markets of which exactly one comes true, with orders as a test says.

import { EngineState } from '../../src/core/engine.ts';
import { orderOf } from '../../src/core/orders/own-order.ts';
import { RiskPass } from '../../src/core/risk/risk-pass.ts';
import type { MarketState } from '../../src/core/sending/market.ts';
import { alignMarkets } from '../../src/core/session/catalogue.ts';
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
export function exclusive(event = EXCLUSIVE): EngineState {
  const stores: EngineState = new EngineState(new Map([['ladder', ladder]]), {
    onMoved: () => {},
    onChanged: (order) =>
      stores.workQueue.onTouched(marketOf(stores, Number(order.marketId.slice(2)))),
    onExecuted: () => {},
    onReported: () => {},
    onEndUnreported: () => {},
    onAnomaly: () => {},
  });
  const own = settings();
  stores.settings = {
    ...own,
    risk: { ...own.risk, maxLossUsdc: MAX_LOSS_USDC },
    markets: own.markets.map((choice) => ({ ...choice, isExclusive: true })),
  };
  stores.catalogue = [event];
  alignMarkets(stores);
  stores.clock.nowMs = unixMs(1_700_000_000_000);
  stores.cash.onRead(
    {
      cashBalance: usdc('10000'),
      availableBalance: usdc('10000'),
      usdcOnHold: usdc('0'),
      positions: [],
    },
    stores.nowMs,
  );
  return stores;
}

/** The limit that a BUY of YES would break, if any. */
export function limitOf(stores: EngineState, at: number, price: number): string | undefined {
  const quote = { side: 'bid', price: ticks(GRID, price) } as const;
  const verdict = new RiskPass(stores).admit(marketOf(stores, at), buying('yes', price), quote);
  return typeof verdict === 'string' ? verdict : undefined;
}

export function marketOf(stores: EngineState, at: number): MarketState {
  const found = stores.markets.get(marketId(`m-${at}`));
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
  stores: EngineState,
  at: number,
  routed: ReturnType<typeof buying> | ReturnType<typeof selling>,
  said: string,
): void {
  const state = marketOf(stores, at);
  const order = orderOf(GRID, {
    ...routed,
    intentId: stores.intentIds.next(stores.nowMs),
    requestId: requestId(1),
    marketId: state.market.id,
    tokenId: state.tokenOf(routed.leg),
    sentAtMs: stores.nowMs,
    settingsVersion: 'a',
    isExternal: false,
    state: 'intended',
    stateSinceMs: stores.nowMs,
  });
  stores.ledger.add(order);
  stores.ledger.signal(order, 'sent', stores.nowMs);
  if (said === 'nothing') stores.ledger.signal(order, 'noAnswer', stores.nowMs);
  else stores.ledger.onAccepted(order, orderHash(`0xa${at}`), stores.nowMs);
}
