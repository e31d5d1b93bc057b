// One order of ours as the core knows it, and where it stands on the YES axis.

import {
  type IntentId,
  intentId,
  type MarketId,
  type OrderHash,
  type RequestId,
  type TokenId,
} from '../../domain/ids.ts';
import type { Leg } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import {
  isOnBook,
  isTerminal,
  type OrderSignal,
  type OrderState,
  type Side,
} from '../../domain/order.ts';
import {
  clampShares,
  formatShares,
  type MicroShares,
  microShares,
  minShares,
  NO_SHARES,
  subtractShares,
  withDecimals,
} from '../../domain/shares.ts';
import { complement, formatPrice, type TickGrid, type Ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { meetsMinNotional } from '../../domain/usdc.ts';
import type { AxisSide } from '../../strategy/index.ts';
import type { KernelStores } from '../kernel/stores.ts';

export type OwnOrder = {
  readonly intentId: IntentId;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly leg: Leg;
  readonly side: Side;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  /** The same order on the YES axis. */
  readonly axisSide: AxisSide;
  readonly axisPrice: Ticks;
  readonly sentAtMs: UnixMs;
  /** Offset of the venue's clock by which its request was dated; a previous run did not tell. */
  readonly datedByMs: number | undefined;
  /** Its date, where it rests until one. */
  readonly expiresAtMs: UnixMs | undefined;
  /** Settings in force when it was decided on. */
  readonly settingsVersion: string | undefined;
  /** The venue showed us an order that we do not remember sending; a late answer may say that we did. */
  isExternal: boolean;
  /** It is somebody else's, and is left alone: it counts, and is neither planned nor cancelled. */
  isOfOthers: boolean;
  /** It was sent to take and never rests: it is no quote and no part of a book. */
  readonly isTake?: boolean;
  requestId: RequestId | undefined;
  orderHash: OrderHash | undefined;
  /** While it is unknown: what its answer named, an order of another quantity or price than was sent. */
  answeredHash: OrderHash | undefined;
  state: OrderState;
  stateSinceMs: UnixMs;
  /** Shares that trade no more on the book, matched or filled. */
  executed: MicroShares;
  /** Of them, what has settled on-chain. */
  settled: MicroShares;
  /** What had traded and was reversed, since it did not settle: no part of `executed` any more. */
  failed: MicroShares;
  /** When that was last told: lists asked for earlier still count it as traded. */
  failedAtMs: UnixMs | undefined;
  /** Since when lists show less of it traded than we know of. */
  shownLessSinceMs: UnixMs | undefined;
  /** The last trade of it: the book's frame about it may come later. */
  lastExecuted: MicroShares;
  executedAtMs: UnixMs | undefined;
  /** When the venue first confirmed it; lists asked for earlier cannot speak of it. */
  confirmedAtMs: UnixMs | undefined;
  /** When the venue last showed that it runs. */
  seenAtMs: UnixMs | undefined;
  /** When a missed deadline of its state last asked for evidence. */
  remindedAtMs: UnixMs | undefined;
  /** When the last cancel was answered; lists asked for later are evidence. */
  cancelAnsweredAtMs: UnixMs | undefined;
  cancelAttempts: number;
  /** The last cancel was answered, and the answer was that it is not cancelled. */
  wasCancelRefused: boolean;
  /** Cancels that the venue refused, each confirmed by a later list that shows the order. */
  cancelRefusals: number;
  /** Consecutive lists it should have been on and was not. */
  missingLists: number;
  /** Why it was refused, where breakers count that. */
  refusalCode: string | undefined;
};

/** What is known of an order when it comes into the ledger; the rest nobody has told yet. */
type KnownOrder = Partial<OwnOrder> &
  Pick<OwnOrder, 'intentId' | 'marketId' | 'tokenId' | 'leg' | 'side' | 'price' | 'quantity'> &
  Pick<OwnOrder, 'sentAtMs' | 'isExternal' | 'state' | 'stateSinceMs'>;

/**
 * Makes an order of what is known of it. One object of one shape, what every decision reads first:
 * there are thousands of orders, and each decision waits for the memory in which its own lie. Each
 * field is named: a spread on the way to it takes longer than all the rest of placing an order.
 */
export function orderOf(grid: TickGrid, known: KnownOrder): OwnOrder {
  const { axisSide, axisPrice } = toAxis(grid, known);
  return {
    state: known.state,
    executed: known.executed ?? NO_SHARES,
    quantity: known.quantity,
    axisSide,
    axisPrice,
    orderHash: known.orderHash,
    answeredHash: known.answeredHash,
    isOfOthers: known.isOfOthers ?? false,
    isTake: known.isTake ?? false,
    executedAtMs: known.executedAtMs,
    side: known.side,
    leg: known.leg,
    price: known.price,
    expiresAtMs: known.expiresAtMs,
    sentAtMs: known.sentAtMs,
    confirmedAtMs: known.confirmedAtMs,
    stateSinceMs: known.stateSinceMs,
    seenAtMs: known.seenAtMs,
    tokenId: known.tokenId,
    marketId: known.marketId,
    intentId: known.intentId,
    lastExecuted: known.lastExecuted ?? NO_SHARES,
    settled: known.settled ?? NO_SHARES,
    failed: known.failed ?? NO_SHARES,
    failedAtMs: known.failedAtMs,
    shownLessSinceMs: known.shownLessSinceMs,
    requestId: known.requestId,
    remindedAtMs: known.remindedAtMs,
    cancelAnsweredAtMs: known.cancelAnsweredAtMs,
    cancelAttempts: known.cancelAttempts ?? 0,
    wasCancelRefused: known.wasCancelRefused ?? false,
    cancelRefusals: known.cancelRefusals ?? 0,
    missingLists: known.missingLists ?? 0,
    refusalCode: known.refusalCode,
    datedByMs: known.datedByMs,
    settingsVersion: known.settingsVersion,
    isExternal: known.isExternal,
  };
}

/** Its price, in words. */
export function priceText({ markets }: KernelStores, { marketId, price }: OwnOrder): string {
  const grid = markets.get(marketId)?.grid;
  return grid === undefined ? String(price) : formatPrice(grid, price);
}

/** An order has moved by the table of moves. */
export function reportMove(
  stores: KernelStores,
  order: OwnOrder,
  from: OrderState,
  signal: OrderSignal,
): void {
  stores.outbox.report({
    event: 'order.moved',
    orderHash: order.orderHash,
    tokenId: order.tokenId,
    side: order.side,
    price: priceText(stores, order),
    quantity: formatShares(order.quantity),
    from,
    to: order.state,
    signal,
  });
}

export function remaining(order: OwnOrder): MicroShares {
  return subtractShares(order.quantity, order.executed);
}

/** Shares of it that had traded may rest again: what lists and cancels said before says nothing of them. */
export function reverse(order: OwnOrder, quantity: MicroShares, nowMs: UnixMs): void {
  order.executed = microShares(order.executed - quantity);
  order.failed = clampShares(order.failed + quantity);
  order.failedAtMs = nowMs;
  order.shownLessSinceMs = undefined;
  order.cancelAnsweredAtMs = undefined;
  order.wasCancelRefused = false;
  // What the venue refused to cancel for having traded it may cancel now, and need not rest for a pause more.
  order.cancelRefusals = 0;
  order.cancelAttempts = 0;
}

/** It may trade now or later: it counts as exposure, with what is left of it. */
export function isExposed(order: OwnOrder): boolean {
  return !isTerminal(order.state) && order.executed < order.quantity;
}

/** It is, or is about to be, a quote we rely on: no second one is placed for the same target quotes. */
export function isQuoting(order: OwnOrder): boolean {
  return isExposed(order) && !isLeaving(order) && order.isTake !== true && !order.isOfOthers;
}

/** It is on the book as a quote of ours, and no cancel of it is under way. */
export function isRestingQuote(order: OwnOrder): boolean {
  return isOnBook(order.state) && order.isTake !== true && !order.isOfOthers && isExposed(order);
}

/** Its cancel is under way, or was not confirmed: it may rest, and trade, until the venue says otherwise. */
export function isLeaving({ state }: OwnOrder): boolean {
  return state === 'cancelling' || state === 'cancelUnresolved';
}

/** A cancel can name it and makes sense. */
export function isCancellable(order: OwnOrder): boolean {
  return (
    order.orderHash !== undefined &&
    !order.isOfOthers &&
    order.executed < order.quantity &&
    (isOnBook(order.state) || order.state === 'cancelUnresolved')
  );
}

/** Refusals after which an order is taken for one that the venue does not let anybody cancel. */
const REFUSALS_MIN = 2;

/** Of one that has traded in part a single refusal confirms what the interface says: only OPEN is cancelled. */
export function refusalsMin({ executed }: OwnOrder): number {
  return executed > 0 ? 1 : REFUSALS_MIN;
}

/** It rests, and the venue refuses to cancel it: only a trade or the venue itself ends it. */
export function isUncancellable(order: OwnOrder): boolean {
  return order.cancelRefusals >= refusalsMin(order) && isExposed(order);
}

/** Nothing of ours takes it from the book: the venue refuses that, or somebody else's order is left alone. */
export function staysPut(order: OwnOrder): boolean {
  return order.isOfOthers || isUncancellable(order);
}

/** The side of its own book on which it shows. */
export function bookSideOf({ side }: Pick<OwnOrder, 'side'>): BookSide {
  return side === 'BUY' ? 'bid' : 'ask';
}

/** A NO order stands on the YES axis as the opposite side at the complement. */
export function toAxis(
  grid: TickGrid,
  order: { readonly leg: Leg; readonly side: Side; readonly price: Ticks },
): { readonly axisSide: AxisSide; readonly axisPrice: Ticks } {
  if (order.leg === 'yes') {
    return { axisSide: order.side === 'BUY' ? 'bid' : 'ask', axisPrice: order.price };
  }
  return {
    axisSide: order.side === 'BUY' ? 'ask' : 'bid',
    axisPrice: complement(grid, order.price),
  };
}

// Names of orders that we mean to place.

export class IntentIds {
  #count = 0;
  #bornAtMs: UnixMs | undefined;

  /** Unique over restarts, since no two runs begin in the same millisecond on one journal. */
  next(nowMs: UnixMs): IntentId {
    this.#bornAtMs ??= nowMs;
    this.#count += 1;
    return intentId(`${this.#bornAtMs}-${this.#count}`);
  }
}

// From a quote on the YES axis to the orders that carry it.
// Policy: settled shares that are free are sold, since a real SELL serves market buyers too and
// frees capital; what they do not cover becomes a BUY of the complement. @spec Architecture decision 2

export type RoutedOrder = {
  readonly leg: Leg;
  readonly side: Side;
  readonly price: Ticks;
  readonly quantity: MicroShares;
};

/** Settled shares that no sell holds yet; routing takes from it. */
export type FreeShares = { yes: MicroShares; no: MicroShares };

export type RoutingPolicy = {
  readonly preferSell: boolean;
  /** Of a quantity that the venue takes. */
  readonly decimals: number;
};

/**
 * Routes one axis quote; an empty result means that no split of it meets the minimum notional.
 * @param free - Reduced by what the result sells.
 */
export function routeQuote(
  grid: TickGrid,
  quote: { readonly side: AxisSide; readonly price: Ticks; readonly quantity: MicroShares },
  free: FreeShares,
  policy: RoutingPolicy,
): readonly RoutedOrder[] {
  const sell = sellLeg(grid, quote);
  const buy = buyLeg(grid, quote);
  // What an order lacks that has traded in part may be finer than anything that was wanted.
  const quantity = withDecimals(quote.quantity, policy.decimals);
  const covered = policy.preferSell ? minShares(free[sell.leg], quantity) : NO_SHARES;
  const own = withDecimals(covered, policy.decimals);
  const rest = subtractShares(quantity, own);
  const isSellable = own > 0 && meetsMinNotional(grid, sell.price, own);
  if (!isSellable || (rest > 0 && !meetsMinNotional(grid, buy.price, rest)))
    return meetsMinNotional(grid, buy.price, quantity) ? [routedOf(buy, quantity)] : [];
  free[sell.leg] = subtractShares(free[sell.leg], own);
  return rest > 0 ? [routedOf(sell, own), routedOf(buy, rest)] : [routedOf(sell, own)];
}

type LegPrice = { readonly leg: Leg; readonly side: Side; readonly price: Ticks };
type AxisPrice = { readonly side: AxisSide; readonly price: Ticks };

function routedOf({ leg, side, price }: LegPrice, quantity: MicroShares): RoutedOrder {
  return { leg, side, price, quantity };
}

function sellLeg(grid: TickGrid, quote: AxisPrice): LegPrice {
  return quote.side === 'ask'
    ? { leg: 'yes', side: 'SELL', price: quote.price }
    : { leg: 'no', side: 'SELL', price: complement(grid, quote.price) };
}

function buyLeg(grid: TickGrid, quote: AxisPrice): LegPrice {
  return quote.side === 'bid'
    ? { leg: 'yes', side: 'BUY', price: quote.price }
    : { leg: 'no', side: 'BUY', price: complement(grid, quote.price) };
}
