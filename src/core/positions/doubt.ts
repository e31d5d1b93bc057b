// What may have traded without a report becomes an uncertain item of its token: limits count it at its
// worst until a report, an exact read of the balances, or quiet says what happened. It stops nothing.
// @spec Architecture decision 8

import { isTerminal } from '../../domain/order.ts';
import type { StoredOrder, StoredUncertain, UncertainCause } from '../../domain/record.ts';
import { type MicroShares, microShares, NO_SHARES } from '../../domain/shares.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';
import type { World } from '../world.ts';

/**
 * An order is off the book, and nobody has reported how much of it had traded. What others trade on the
 * account is in settlements and balances.
 */
export function doubtEnd(world: World, order: OwnOrder, cause: UncertainCause = 'order_end'): void {
  const market = world.markets.get(order.marketId);
  if (market === undefined || order.isExternal || order.isOfOthers || !isTerminal(order.state))
    return;
  doubtOrder(world, order, { cause, grid: market.grid, quantity: remaining(order) });
}

/** The same of an order that a previous run left and that never came back. */
export function doubtStored(world: World, order: StoredOrder): void {
  if (order.isExternal) return;
  const quantity = microShares(Math.max(0, order.quantity - order.executed));
  doubtOrder(world, order, { cause: 'previous_run', grid: order, quantity });
}

type Uncertain = {
  readonly cause: UncertainCause;
  readonly grid: Pick<TickGrid, 'ticksPerUnit'>;
  readonly quantity: MicroShares;
};

export function doubtOrder(
  world: World,
  order: Pick<OwnOrder, 'tokenId' | 'intentId' | 'side' | 'price'> &
    Partial<Pick<OwnOrder, 'sentAtMs'>>,
  { cause, grid, quantity }: Uncertain,
): void {
  const { tokenId, intentId, side, price, sentAtMs } = order;
  if (quantity <= NO_SHARES) return;
  const cost = price * (1_000 / grid.ticksPerUnit) * quantity;
  const cashNano = side === 'BUY' ? -cost : cost;
  world.positions.closeOrder(tokenId, intentId);
  const sinceMs = world.nowMs;
  doubt(world, tokenId, { cause, intentId, side, quantity, cashNano, sinceMs, sentAtMs });
}

/** Shares of a token may have traded, between none and all of an item. */
export function doubt(world: World, tokenId: OwnOrder['tokenId'], item: StoredUncertain): void {
  world.positions.doubt(tokenId, item);
  touchToken(world, tokenId);
}

/** Reports contradict each other: what ended may have traded more, what rests may have traded again. */
export function doubtUnclear(world: World, order: OwnOrder): void {
  const market = world.markets.get(order.marketId);
  if (isTerminal(order.state)) doubtEnd(world, order);
  else if (market !== undefined) {
    const { failed: quantity } = order;
    doubtOrder(world, order, { cause: 'order_restored', grid: market.grid, quantity });
  }
}

/** An order report has said all that an order ever traded. */
export function closeReported(world: World, { tokenId, intentId }: OwnOrder): void {
  world.positions.closeOrder(tokenId, intentId);
  touchToken(world, tokenId);
}

/** Its shares, or what is uncertain of them, changed: limits and quotes of its market look again. */
export function touchToken(world: World, tokenId: OwnOrder['tokenId']): void {
  world.touched.tokens.add(tokenId);
  const market = world.marketOf(tokenId);
  if (market !== undefined) market.isDirty = true;
}
