// Orders that the venue has otherwise than they were sent: an answer names another hash, or shows another quantity or
// price, or a list counts prices on another grid.
// @spec Endpoints › POST /orders/market, rule 2

import { type IntentId, intentId, type OrderHash } from '../../domain/ids.ts';
import type { OrderReport } from '../../domain/order.ts';
import { formatShares, type MicroShares, subtractShares } from '../../domain/shares.ts';
import { formatPrice, type TickGrid, type Ticks, ticks } from '../../domain/ticks.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isExposed, type OwnOrder, orderOf } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { reportAnomaly } from '../orders/told.ts';
import { doubtEnd } from '../positions/doubt.ts';
import type { PositionStores } from '../positions/stores.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import { countCopy } from '../risk/divergence.ts';
import { backOff } from '../risk/market.ts';
import type { MarketState } from '../sending/market.ts';
import { refusalPauseMs } from '../sending/refusals.ts';
import { sendCancels } from '../sending/writer.ts';
import { keepDuplicateOf, onFound } from './own-scope.ts';
import { intentBeside, keepHash, touchOrder } from './records.ts';
import type { AccountStores } from './stores.ts';

// A late answer names another hash than the one by which its order is known, since a list or news showed
// one just like it. The answer says what became of the request, so its hash is ours for certain; the other
// one may be somebody else's, or of the same request delivered twice. Neither is let out of sight: both
// count, both can be cancelled, and what is one too many the plan takes from the book.

/**
 * @returns Whether the answer is about another order than its intent is known by, so that a list has to
 * show what rests.
 */
export function onOtherHash(stores: AccountStores, order: OwnOrder, named: OrderHash): boolean {
  if (order.orderHash === named) return false;
  const known = stores.ledger.byHash(named);
  if (order.orderHash === undefined) return onMixedUp(stores, order, known);
  // Two alike may each be known by the hash of the other, and that comes to the same.
  if (known?.isExternal === false) return true;
  if (known === undefined) addAnswered(stores, order, named);
  else stores.ledger.onOurs(known);
  reportAnomaly(stores, order, 'ack', `the answer to its placement names ${named}: there are two`);
  return true;
}

/**
 * Another one of ours rests under that hash: it is no word on this one, whose outcome is as unknown as without an
 * answer. Taken for both, it would be filled as the wrong one, and this one would never be missed.
 */
function onMixedUp(stores: AccountStores, order: OwnOrder, known: OwnOrder | undefined): boolean {
  if (known === undefined || known.isExternal || !isExposed(known)) return false;
  const detail = `the answer to its placement names ${known.orderHash}, which another one has`;
  reportAnomaly(stores, order, 'ack', detail);
  stores.ledger.signal(order, 'noAnswer', stores.nowMs);
  countCopy(stores, order);
  return true;
}

/** The one that the answer names, with nothing of what was reported for the other. */
function addAnswered(stores: AccountStores, order: OwnOrder, orderHash: OrderHash): void {
  const grid = stores.markets.get(order.marketId)?.grid;
  // Its market is gone: a list that shows it has it cancelled as one of ours that had ended.
  if (grid === undefined) {
    stores.ledger.hashes.addOwn(orderHash);
    return;
  }
  const { price, quantity } = order;
  const intentId = intentBeside(order, orderHash);
  const named = { intentId, orderHash, price, quantity, state: 'resting' } as const;
  const answered = namedOrder(stores, grid, order, named);
  stores.ledger.add(answered);
  stores.ledger.applyEarly(answered, stores.nowMs);
}

// The answer to a placement shows an order of another quantity or price than was sent, as of a venue that
// rounds or caps. Nobody knows yet whether that is this placement: it stays unknown, and the hash that was
// answered is ours from now on, for lists, kills, guards and later runs. Whoever names it first says what it
// is: that counts in the stead of what was sent, and goes where nobody wanted it.

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
  const isAsked = said.quantity === order.quantity;
  if (market === undefined || (isAsked && isAtPrice(market.grid, order, said))) {
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

/** A tick size that changes is known to whoever reads frames a moment before it is known here. */
export function isAtPrice(
  grid: TickGrid,
  order: OwnOrder,
  said: Pick<OrderReport, 'price' | 'ticksPerUnit' | 'isOffGrid'>,
): boolean {
  if (said.isOffGrid === true) return false;
  const { price, ticksPerUnit = grid.ticksPerUnit } = said;
  return order.price * ticksPerUnit === price * grid.ticksPerUnit;
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

type Named = {
  readonly intentId: IntentId;
  readonly orderHash: OrderHash;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  /** `unknown` until it is said that it rests. */
  readonly state: 'resting' | 'unknown';
};

/** Nothing of what was reported for its placement under another hash is of it. */
export function namedOrder(
  { nowMs }: KernelStores,
  grid: TickGrid,
  sent: OwnOrder,
  named: Named,
): OwnOrder {
  const { marketId, tokenId, leg, side, sentAtMs, datedByMs } = sent;
  const { expiresAtMs, settingsVersion, isTake = false } = sent;
  return orderOf(grid, {
    ...{ marketId, tokenId, leg, side, sentAtMs, datedByMs, expiresAtMs, settingsVersion, isTake },
    ...named,
    isExternal: false,
    stateSinceMs: nowMs,
    confirmedAtMs: nowMs,
    seenAtMs: nowMs,
  });
}

// Prices of a list that was read before the catalogue count on the finest grid; the market may be known by
// the time the list is taken in, with a grid of its own. An order may be off that grid, too: a market order's
// computed price, or what rests from before the tick size changed.

/** The same orders with the prices of their markets' grids; one that is on none of them says so. */
export function onMarketGrids(
  stores: AccountStores,
  reports: readonly OrderReport[],
): readonly OrderReport[] {
  return reports.map((report) => onMarketGrid(stores, report));
}

function onMarketGrid(stores: AccountStores, report: OrderReport): OrderReport {
  const grid = stores.byToken.get(report.tokenId)?.market.grid;
  const { ticksPerUnit } = report;
  if (grid === undefined || ticksPerUnit === undefined || ticksPerUnit === grid.ticksPerUnit) {
    return report;
  }
  const price = (report.price * grid.ticksPerUnit) / ticksPerUnit;
  if (!Number.isInteger(price)) return { ...report, isOffGrid: true };
  return { ...report, price: ticks(grid, price), ticksPerUnit: grid.ticksPerUnit };
}

/** The tick of a grid that an order counts at: its own, or the one next to it that costs its owner more. */
export function countedAt(
  grid: TickGrid,
  report: Pick<OrderReport, 'side' | 'price' | 'ticksPerUnit'>,
): Ticks {
  const { side, price, ticksPerUnit = grid.ticksPerUnit } = report;
  const exact = (price * grid.ticksPerUnit) / ticksPerUnit;
  const tick = side === 'BUY' ? Math.ceil(exact) : Math.floor(exact);
  return ticks(grid, Math.min(Math.max(tick, 1), grid.ticksPerUnit - 1));
}
