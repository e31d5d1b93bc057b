// The answer to a placement shows an order of another quantity or price than was sent, as of a venue that
// rounds or caps. Nobody knows yet whether that is this placement: it stays unknown, and the hash that was
// answered is ours from now on, for lists, kills, guards and later runs. Whoever names it first says what it
// is: that counts in the stead of what was sent, and goes where nobody wanted it.

import { intentId, type OrderHash } from '../../domain/ids.ts';
import type { OrderReport } from '../../domain/order.ts';
import { formatShares, type MicroShares, subtractShares } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { type OwnOrder, orderOf } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { reportAnomaly } from '../orders/told.ts';
import { doubtEnd } from '../positions/doubt.ts';
import type { PositionStores } from '../positions/stores.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import { backOff } from '../risk/market.ts';
import type { MarketState } from '../sending/market.ts';
import { refusalPauseMs } from '../sending/refusals.ts';
import { sendCancels } from '../sending/writer.ts';
import { countedAt } from './list-grid.ts';
import { namedOrder } from './named-order.ts';
import { keepDuplicateOf, onFound } from './own-scope.ts';
import { keepHash, touchOrder } from './records.ts';
import type { AccountStores } from './stores.ts';

type Terms = Pick<OrderReport, 'side' | 'price' | 'ticksPerUnit' | 'quantity'>;
/** What the venue says of an order that an answer has named. */
export type Said = Terms & Pick<OrderReport, 'orderHash' | 'isOffGrid'>;

/** The answer to a placement whose outcome is unknown names this hash. */
export function onRestatedAnswer(
  stores: AccountStores,
  order: OwnOrder,
  orderHash: OrderHash,
): void {
  const { ledger } = stores;
  const known = ledger.byHash(orderHash);
  // Answers were mixed up: it is another one of ours.
  if (known?.isExternal === false || answeredRestated(stores).has(orderHash)) return;
  if (known === undefined) ledger.hashes.addOwn(orderHash);
  else ledger.onOurs(known);
  // By then a list or news had told what it is: both are ours.
  if (order.state !== 'unknown' || order.orderHash !== undefined) {
    if (known === undefined) keepHash(stores, order, orderHash);
    return;
  }
  keepDuplicateOf(stores, order);
  if (known !== undefined) {
    // A list had shown it before, and it counts already.
    stores.ledger.signal(order, 'confirmedAbsent', stores.nowMs);
    return;
  }
  order.answeredHash = orderHash;
  touchOrder(stores, order);
  // All of the account is ours; whoever comes after us may leave alone what nobody knows.
  if (cancelScopeOf(stores) === 'account') keepHash(stores, order, orderHash);
}

/** Placements without a known outcome, by the hash that their answer names. */
export function answeredRestated(stores: OrderStores): ReadonlyMap<OrderHash, OwnOrder> {
  const found = new Map<OrderHash, OwnOrder>();
  for (const order of stores.ledger.exposed()) {
    if (order.answeredHash !== undefined) found.set(order.answeredHash, order);
  }
  return found;
}

/** A list or news says what became of such a placement. @returns The order as the venue has it. */
export function onNamed(stores: AccountStores, order: OwnOrder, said: Said): OwnOrder {
  const market = stores.markets.get(order.marketId);
  if (market === undefined || isAsSent(market, order, said)) {
    onFound(stores, order, said.orderHash);
    return order;
  }
  const price = countedAt(market.grid, said);
  const { orderHash, quantity } = said;
  const { intentId } = order;
  const as = { intentId, orderHash, price, quantity, state: 'unknown' } as const;
  const named = namedOrder(stores, market.grid, order, as);
  order.answeredHash = undefined;
  stores.touched.orders.delete(order);
  stores.ledger.replace(order, named);
  stores.ledger.signal(named, 'open', stores.nowMs);
  onRestated(stores, market, { sent: order, named });
  stores.ledger.applyEarly(named, stores.nowMs);
  // No target quote is between two ticks; any other one the next plan holds against what is wanted.
  if (said.isOffGrid === true) sendCancels(stores, [named]);
  return named;
}

/**
 * News or a list shows another quantity or price of a placement than was sent, whose answer showed neither. It
 * counts as what it is now; shares that are missing may have traded all the same, by a venue that calls that open:
 * they are uncertain until balances say.
 */
export function onOtherTerms(stores: AccountStores, sent: OwnOrder, said: Terms): void {
  const market = stores.markets.get(sent.marketId);
  if (market === undefined) return;
  const price = countedAt(market.grid, said);
  const { quantity } = said;
  if (price === sent.price && quantity === sent.quantity) return;
  const named = orderOf(market.grid, { ...sent, price, quantity });
  stores.touched.orders.delete(sent);
  stores.ledger.replace(sent, named);
  onRestated(stores, market, { sent, named });
  if (quantity < sent.quantity) countLess(stores, market, { sent, quantity });
}

/** What rests no more counts as an order of its own that ended; each time it is less. */
function countLess(
  stores: PositionStores,
  market: MarketState,
  { sent, quantity }: { readonly sent: OwnOrder; readonly quantity: MicroShares },
): void {
  const less = orderOf(market.grid, {
    ...sent,
    intentId: intentId(`${sent.intentId}-less-${quantity}`),
    orderHash: undefined,
    quantity: subtractShares(sent.quantity, quantity),
    state: 'cancelled',
    stateSinceMs: stores.nowMs,
  });
  doubtEnd(stores, less);
}

function isAsSent({ grid }: MarketState, { price, quantity }: OwnOrder, said: Said): boolean {
  const { ticksPerUnit = grid.ticksPerUnit } = said;
  const isSamePrice = said.price * grid.ticksPerUnit === price * ticksPerUnit;
  return said.isOffGrid !== true && isSamePrice && said.quantity === quantity;
}

/** A venue that alters each order would be asked again and again: its side waits, as after a refusal. */
function onRestated(
  stores: KernelStores,
  market: MarketState,
  { sent, named }: { readonly sent: OwnOrder; readonly named: OwnOrder },
): void {
  const textOf = ({ price, quantity }: OwnOrder) =>
    `${formatShares(quantity)} at ${formatPrice(market.grid, price)}`;
  const detail = `${textOf(sent)} was sent, and the venue has ${textOf(named)}`;
  reportAnomaly(stores, named, 'ack', detail);
  const { axisSide } = sent;
  market.refusals[axisSide] += 1;
  const forMs = refusalPauseMs(market.refusals[axisSide]);
  backOff(stores, market, axisSide, { code: 'order_restated', detail, forMs });
}
