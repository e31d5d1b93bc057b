// What may have traded without a report becomes an uncertain item of its token: limits count it at its
// worst until a report, an exact read of the balances, or quiet says what happened. It stops nothing.
// @spec Architecture decision 8

import { intentId } from '../../domain/ids.ts';
import { isTerminal, type OrderReport } from '../../domain/order.ts';
import type { StoredOrder, StoredUncertain, UncertainCause } from '../../domain/record.ts';
import { type MicroShares, microShares, NO_SHARES } from '../../domain/shares.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import { touchToken } from '../kernel/market.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';
import type { PositionStores } from './stores.ts';

/**
 * An order is off the book, and nobody has reported how much of it had traded. What others trade on the
 * account is in settlements and balances.
 */
export function doubtEnd(
  stores: PositionStores,
  order: OwnOrder,
  cause: UncertainCause = 'order_end',
): void {
  const market = stores.markets.get(order.marketId);
  if (market === undefined || order.isExternal || order.isOfOthers || !isTerminal(order.state))
    return;
  doubtOrder(stores, order, { cause, grid: market.grid, quantity: remaining(order) });
}

/** The same of an order that a previous run left and that never came back. */
export function doubtStored(stores: PositionStores, order: StoredOrder): void {
  if (order.isExternal) return;
  const quantity = microShares(Math.max(0, order.quantity - order.executed));
  doubtOrder(stores, order, { cause: 'previous_run', grid: order, quantity });
}

type Uncertain = {
  readonly cause: UncertainCause;
  readonly grid: Pick<TickGrid, 'ticksPerUnit'>;
  readonly quantity: MicroShares;
};

export function doubtOrder(
  stores: PositionStores,
  order: Pick<OwnOrder, 'tokenId' | 'intentId' | 'side' | 'price'> &
    Partial<Pick<OwnOrder, 'sentAtMs'>>,
  { cause, grid, quantity }: Uncertain,
): void {
  const { tokenId, intentId, side, price, sentAtMs } = order;
  if (quantity <= NO_SHARES) return;
  const cost = price * (1_000 / grid.ticksPerUnit) * quantity;
  const cashNano = side === 'BUY' ? -cost : cost;
  stores.positions.closeOrder(tokenId, intentId);
  const sinceMs = stores.nowMs;
  doubt(stores, tokenId, { cause, intentId, side, quantity, cashNano, sinceMs, sentAtMs });
}

/** An order whose end was counted traded so much by then or since: nobody says how much of it is new. */
export function doubtTraded(
  stores: PositionStores,
  seen: Pick<OrderReport, 'orderHash' | 'tokenId' | 'side' | 'price' | 'ticksPerUnit'>,
  quantity: MicroShares,
): void {
  const { tokenId, orderHash, side, price } = seen;
  const market = stores.byToken.get(tokenId)?.market;
  if (market === undefined) return;
  const order = { tokenId, intentId: intentId(`ended-${orderHash}`), side, price };
  const { ticksPerUnit = market.grid.ticksPerUnit } = seen;
  doubtOrder(stores, order, { cause: 'order_end', grid: { ticksPerUnit }, quantity });
}

/** Shares of a token may have traded, between none and all of an item. */
export function doubt(
  stores: PositionStores,
  tokenId: OwnOrder['tokenId'],
  item: StoredUncertain,
): void {
  stores.positions.doubt(tokenId, item);
  touchToken(stores, tokenId);
}

/** Reports contradict each other: what ended may have traded more, what rests may have traded again. */
export function doubtUnclear(stores: PositionStores, order: OwnOrder): void {
  const market = stores.markets.get(order.marketId);
  if (isTerminal(order.state)) doubtEnd(stores, order);
  else if (market !== undefined) {
    const { failed: quantity } = order;
    doubtOrder(stores, order, { cause: 'order_restored', grid: market.grid, quantity });
  }
}

/** An order report has said all that an order ever traded. */
export function closeReported(stores: PositionStores, { tokenId, intentId }: OwnOrder): void {
  stores.positions.closeOrder(tokenId, intentId);
  touchToken(stores, tokenId);
}
