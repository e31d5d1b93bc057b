// Whether an order that lies off its target quotes, on the safe side, should give up its place in the queue.
// The value of a place and of the new one come from one model; what cannot be estimated is kept
// within a small drift, unless the place is worth nothing because nobody else stands there.

import type { RequoteSettings } from '../../domain/input.ts';
import { isInFlight } from '../../domain/order.ts';
import { MICRO_PER_SHARE } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { AxisBook, AxisSide, FairValue, TradeDigest } from '../../strategy/index.ts';
import {
  isMoveWorth,
  type QueueRates,
  queueValuePrice,
} from '../../strategy/toolkit/model/queue-value.ts';
import type { QueueTracker } from '../fair/insight.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';
import type { Judge, QuoteDesk, Target } from './market.ts';
import type { Writes } from './stores.ts';

/** What the judge looks at. */
export type RequoteView = {
  readonly grid: TickGrid;
  /** Without own orders, so that our own size is no queue. */
  readonly book: AxisBook;
  readonly fair: FairValue | undefined;
  readonly trades: TradeDigest;
  readonly queues: QueueTracker;
};

export type Verdict = {
  readonly keeps: boolean;
  readonly why: 'place_worthless' | 'not_estimated' | 'place_worth_more' | 'move_worth_more';
};

/** A tick of 0.001 is a tenth of the usual one, and prices on such a grid move by several. */
const DRIFT_FACTOR_FINE = 3;
/** Each lot ahead of us is cancelled once in about four minutes; levels do not tell it better. */
const CANCELS_PER_LOT_SEC = 0.004;
/** The window of the trade rates. */
const WINDOW_SEC = 600;

/** Whether one order keeps its place, and why. */
export function requoteVerdict(
  view: RequoteView,
  settings: RequoteSettings,
  of: { readonly order: OwnOrder; readonly target: Target },
): Verdict {
  const { order, target } = of;
  const queue = view.queues.of(order);
  if (queue !== undefined && queue.ahead + queue.behind === 0) {
    return { keeps: false, why: 'place_worthless' };
  }
  const rates = ratesAt(view, { side: target.side, lotShares: remaining(order) / MICRO_PER_SHARE });
  if (queue === undefined || rates === undefined || view.fair === undefined) {
    return { keeps: true, why: 'not_estimated' };
  }
  const valueAt = (price: Ticks, aheadMicro: number) =>
    placeValue(view, rates, { side: target.side, price, lotsAhead: aheadMicro / remaining(order) });
  const shares = remaining(order) / MICRO_PER_SHARE;
  const isMoving = isMoveWorth({
    keepValuePrice: valueAt(order.axisPrice, queue.ahead),
    moveValuePrice: valueAt(target.price, levelSize(view.book, target)),
    writeCostPrice: settings.writeCostUsdc / shares,
    marginPrice: settings.marginUsdc,
  });
  return { keeps: !isMoving, why: isMoving ? 'move_worth_more' : 'place_worth_more' };
}

type Rates = QueueRates & { readonly reachAt: (price: Ticks) => number };

function placeValue(
  { grid, fair }: RequoteView,
  rates: Rates,
  place: { readonly side: AxisSide; readonly price: Ticks; readonly lotsAhead: number },
): number {
  const price = place.price / grid.ticksPerUnit;
  const fairPrice = fair?.price ?? price;
  const edgePrice = place.side === 'bid' ? fairPrice - price : price - fairPrice;
  const { reachAt, ...queueRates } = rates;
  const at = { ...queueRates, tradesPerSec: rates.tradesPerSec * reachAt(place.price) };
  return queueValuePrice(place.lotsAhead, at, { edgePrice, sweptLossPrice: 1 / grid.ticksPerUnit });
}

/** Rates from the last ten minutes; `undefined` when nothing traded or no volatility is measured. */
function ratesAt(
  { grid, fair, trades }: RequoteView,
  of: { readonly side: AxisSide; readonly lotShares: number },
): Rates | undefined {
  const flow = trades.lastTenMinutes;
  const taken = of.side === 'bid' ? flow.soldShares : flow.boughtShares;
  const varPerSec = fair?.logOddsVarPerSec;
  if (fair === undefined || varPerSec === undefined || taken === 0) return undefined;
  // The price moves by a tick as often as its variance makes it: half of it either way.
  const slope = fair.price * (1 - fair.price) * grid.ticksPerUnit;
  const movesPerSec = varPerSec * slope ** 2;
  return {
    tradesPerSec: taken / MICRO_PER_SHARE / of.lotShares / WINDOW_SEC,
    cancelsPerLotSec: CANCELS_PER_LOT_SEC,
    awayPerSec: movesPerSec / 2,
    throughPerSec: movesPerSec / 2,
    reachAt: (price) => reachOf(trades, { side: of.side, price }),
  };
}

/** The part of recent trades on our side that came as far as a price; never quite none or all. */
function reachOf(
  trades: TradeDigest,
  at: { readonly side: AxisSide; readonly price: Ticks },
): number {
  const taker = at.side === 'bid' ? 'sells' : 'buys';
  const own = trades.recent.filter((trade) => trade.taker === taker);
  const reached = own.filter((trade) =>
    at.side === 'bid' ? trade.price <= at.price : trade.price >= at.price,
  );
  return (reached.length + 0.5) / (own.length + 1);
}

function levelSize(book: AxisBook, target: Target): number {
  return target.side === 'bid' ? book.bidSizeAt(target.price) : book.askSizeAt(target.price);
}

// One decision about the orders of a market that are off their targets. Those whose place nobody can value keep it to
// save writes, so while there are plenty they keep it for a moment only, and then go to their targets.

/** A price that is back by then costs no write; with a look every second it is gone within two. */
const DRIFT_MS = 800;
/** Writes are plenty while no more of them are used: what improvements always have. */
const PLENTY_PART = 0.5;

type JudgedAt = {
  readonly view: RequoteView;
  readonly settings: RequoteSettings;
  readonly desk: Pick<QuoteDesk, 'driftsSinceMs'>;
  /** Those of the market. */
  readonly orders: Iterable<OwnOrder>;
  readonly budget: Writes;
  readonly nowMs: UnixMs;
};

export class PlaceJudge implements Judge {
  readonly reachTicks: number;
  readonly #at: JudgedAt;
  /** Orders off their targets. */
  readonly #asked = new Set<OwnOrder>();
  /** What goes of what has drifted, one order of a side at most, so that its other levels rest meanwhile. */
  #leaving: Record<AxisSide, OwnOrder | undefined> | undefined;

  constructor(at: JudgedAt) {
    this.#at = at;
    const isCoarse = at.view.grid.ticksPerUnit === 100;
    this.reachTicks = at.settings.driftTicksMax * (isCoarse ? 1 : DRIFT_FACTOR_FINE);
  }

  keeps(order: OwnOrder, target: Target): boolean {
    this.#asked.add(order);
    const { keeps, why } = requoteVerdict(this.#at.view, this.#at.settings, { order, target });
    return keeps && !(why === 'not_estimated' && this.#hasDrifted(order));
  }

  /** Since when the orders that it was asked about have been off their targets. */
  driftsSinceMs(): ReadonlyMap<OwnOrder, UnixMs> | undefined {
    if (this.#asked.size === 0) return undefined;
    const { desk, nowMs } = this.#at;
    const sinceMs = (order: OwnOrder) => desk.driftsSinceMs?.get(order) ?? nowMs;
    return new Map([...this.#asked].map((order) => [order, sinceMs(order)]));
  }

  #hasDrifted(order: OwnOrder): boolean {
    const { desk, orders, nowMs } = this.#at;
    const sinceMs = desk.driftsSinceMs?.get(order);
    if (sinceMs === undefined || nowMs - sinceMs < DRIFT_MS || !isPlenty(this.#at)) return false;
    this.#leaving ??= movingOf(orders);
    this.#leaving[order.axisSide] ??= order;
    return this.#leaving[order.axisSide] === order;
  }
}

function movingOf(orders: Iterable<OwnOrder>): Record<AxisSide, OwnOrder | undefined> {
  const moving: Record<AxisSide, OwnOrder | undefined> = { bid: undefined, ask: undefined };
  for (const order of orders) {
    if (isInFlight(order.state) || order.state === 'cancelling') moving[order.axisSide] = order;
  }
  return moving;
}

/** Writes need not be saved. */
export function isPlenty({ budget, nowMs }: Pick<JudgedAt, 'budget' | 'nowMs'>): boolean {
  return budget.usedInWindow(nowMs) <= budget.perWindow * PLENTY_PART;
}
