// Worst case of one market: every order that may still trade is filled or not, whichever hurts more.
// @spec Architecture decision 9

import type { MarketChoice } from '../../domain/input.ts';
import { LEGS, type Leg } from '../../domain/market.ts';
import type { StoredUncertain } from '../../domain/record.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import type { AxisSide } from '../../strategy/index.ts';
import type { ListedMarket } from '../kernel/market.ts';
import { costNano, payoutNano, takerFeeNano } from '../kernel/nano.ts';
import { isExposed, type OwnOrder, remaining } from '../orders/own-order.ts';
import type { PositionStores } from '../positions/stores.ts';
import { isTakenBack } from '../positions/unsettled.ts';

/** What is owned already, matched shares included. */
export type Holdings = {
  readonly yes: MicroShares;
  readonly no: MicroShares;
  /** Cash received minus cash paid for it since the start, and what we started with, at its value. */
  readonly cashNano: number;
  readonly startValueNano: number;
};

export type Exposure = {
  /** Shares that live buys may add, by token. */
  readonly buying: { yes: number; no: number };
  /** Shares that live sells hold, by token. */
  readonly selling: { yes: number; no: number };
  /** Shares by which live orders may raise or lower the net position. */
  netUp: number;
  netDown: number;
  /** What the live bids lose should NO win, and the live asks should YES win. */
  lossIfNoNano: number;
  lossIfYesNano: number;
  /** Cash that live buys hold. */
  holdNano: number;
  /** Live orders, and their value at their prices. */
  orders: number;
  notionalNano: number;
};

export function noExposure(): Exposure {
  return {
    buying: { yes: 0, no: 0 },
    selling: { yes: 0, no: 0 },
    netUp: 0,
    netDown: 0,
    lossIfNoNano: 0,
    lossIfYesNano: 0,
    holdNano: 0,
    orders: 0,
    notionalNano: 0,
  };
}

type UncertainShares = { readonly leg: Leg; readonly item: StoredUncertain };

/** A net position, and the least and the most that it may be: YES shares less NO shares. */
export type NetRange = {
  readonly least: MicroShares;
  readonly expected: MicroShares;
  readonly most: MicroShares;
};

export type ExposedOrder = {
  readonly leg: Leg;
  readonly side: 'BUY' | 'SELL';
  readonly price: Ticks;
  readonly axisSide: AxisSide;
  readonly axisPrice: Ticks;
  /** It is sent to take, and pays a fee for what it trades. */
  readonly isTake?: boolean;
};

/** What the prices of a market mean, and what a taker pays there. */
type MarketTerms = {
  readonly grid: TickGrid;
  readonly choice: Pick<MarketChoice, 'takerFeeRate'>;
};

/**
 * Of what is sent to take the fee is a loss, as the settings state it: no answer and no frame names one. At a
 * better price than its own it may be more, and then all of it together is still less.
 */
export function expectedFeeNano(
  { grid, choice }: MarketTerms,
  { isTake, price }: Pick<ExposedOrder, 'isTake' | 'price'>,
  quantity: MicroShares,
): number {
  const rate = choice.takerFeeRate;
  if (isTake !== true || rate === undefined) return 0;
  return takerFeeNano(rate, { grid, price, quantity });
}

/**
 * Adds one order that may trade `quantity` shares. A fee is lost where the order loses: in the other outcome
 * it wins at least as much, and not to trade is worse there.
 */
export function addExposure(
  sum: Exposure,
  market: MarketTerms,
  order: ExposedOrder,
  quantity: MicroShares,
): void {
  const { grid } = market;
  const feeNano = expectedFeeNano(market, order, quantity);
  if (order.side === 'BUY') {
    sum.buying[order.leg] += quantity;
    sum.holdNano += costNano(grid, order.price, quantity);
  } else {
    sum.selling[order.leg] += quantity;
  }
  if (order.axisSide === 'bid') {
    sum.netUp += quantity;
    sum.lossIfNoNano += costNano(grid, order.axisPrice, quantity) + feeNano;
  } else {
    sum.netDown += quantity;
    const valueNano = costNano(grid, order.axisPrice, quantity);
    sum.lossIfYesNano += payoutNano(quantity) - valueNano + feeNano;
  }
}

/** Adds shares that may have traded without a report, at their cost: as much of them as hurts. */
function addUncertain(sum: Exposure, leg: Leg, item: StoredUncertain): void {
  const { side, quantity, cashNano } = item;
  const valueNano = Math.abs(cashNano);
  const isBuy = side === 'BUY';
  const lossNano = isBuy ? valueNano : payoutNano(quantity) - valueNano;
  if (isBuy) {
    sum.buying[leg] += quantity;
    if (!isTakenBack(item)) sum.holdNano += valueNano;
  }
  if (isBuy === (leg === 'yes')) {
    sum.netUp += quantity;
    sum.lossIfNoNano += lossNano;
  } else {
    sum.netDown += quantity;
    sum.lossIfYesNano += lossNano;
  }
}

/** What uncertain shares bring by outcome if they traded, beside what they cost. */
export function gainOf(
  leg: Leg,
  { side, quantity, cashNano }: Pick<StoredUncertain, 'side' | 'quantity' | 'cashNano'>,
): LossPair {
  const payout = side === 'BUY' ? payoutNano(quantity) : -payoutNano(quantity);
  return {
    ifYesNano: cashNano + (leg === 'yes' ? payout : 0),
    ifNoNano: cashNano + (leg === 'no' ? payout : 0),
  };
}

const NONE: readonly UncertainShares[] = Object.freeze([]);

/** Uncertain shares of both tokens of a market. */
export function uncertainOf(
  { positions }: Pick<PositionStores, 'positions'>,
  market: ListedMarket,
): readonly UncertainShares[] {
  if (positions.uncertainTokens.size === 0) return NONE;
  return LEGS.flatMap((leg) =>
    positions.bounded(market.tokenOf(leg)).map((item) => ({ leg, item })),
  );
}

type MayRest = {
  /**
   * Orders that were refused and may be on the book all the same. The shares that they would hold are not kept
   * from others: whoever lacks them is refused, and that is no risk.
   */
  readonly mayRest?: Iterable<OwnOrder>;
  /** Orders that may be there a second time: shares that may trade, and no quotes that anybody counts. */
  readonly copies?: Iterable<OwnOrder>;
};

/** @param uncertain - Shares that may have traded without a report. */
export function exposureOf(
  market: MarketTerms,
  orders: Iterable<OwnOrder>,
  uncertain: Iterable<UncertainShares> = [],
  { mayRest = [], copies = [] }: MayRest = {},
): Exposure {
  const sum = noExposure();
  for (const order of mayRest) addLive(sum, market, order, remaining(order));
  for (const order of copies) addExposure(sum, market, order, order.quantity);
  sum.selling.yes = 0;
  sum.selling.no = 0;
  for (const { leg, item } of uncertain) {
    addUncertain(sum, leg, item);
    // It may come to rest as well as trade.
    if (item.cause !== 'may_arrive') continue;
    sum.orders += 1;
    sum.notionalNano += Math.abs(item.cashNano);
  }
  for (const order of orders) {
    if (isExposed(order)) addLive(sum, market, order, remaining(order));
  }
  return sum;
}

/** Cash that the live buys among these hold: that figure of their exposure, and no other. */
export function heldNano(grid: TickGrid, orders: Iterable<OwnOrder>): number {
  let nano = 0;
  for (const order of orders) {
    const isBuying = order.side === 'BUY' && isExposed(order);
    if (isBuying) nano += costNano(grid, order.price, remaining(order));
  }
  return nano;
}

/** Adds one order that is, or is about to be, live. */
export function addLive(
  sum: Exposure,
  market: MarketTerms,
  order: ExposedOrder,
  quantity: MicroShares,
): void {
  addExposure(sum, market, order, quantity);
  sum.orders += 1;
  sum.notionalNano += costNano(market.grid, order.price, quantity);
}

/** Loss since the start by outcome; negative where it is a gain. */
export function lossPair(holdings: Holdings, exposure: Exposure): LossPair {
  const start = holdings.startValueNano - holdings.cashNano;
  return {
    ifYesNano: start - payoutNano(holdings.yes) + exposure.lossIfYesNano,
    ifNoNano: start - payoutNano(holdings.no) + exposure.lossIfNoNano,
  };
}

// The worst case of an event over its outcomes. Where exactly one market of it comes true, what one
// market loses another may win; where nothing is known of that, every market is a case of its own.
// @spec Architecture decision 9

/** What a market loses should YES win, and should NO win, every order that hurts then filled. */
export type LossPair = { readonly ifYesNano: number; readonly ifNoNano: number };

export const NO_LOSS: LossPair = Object.freeze({ ifYesNano: 0, ifNoNano: 0 });

export function worseOf({ ifYesNano, ifNoNano }: LossPair): number {
  return Math.max(ifYesNano, ifNoNano);
}

type EventScope = {
  /** The operator's word: exactly one market of the event comes true. */
  readonly isExclusive: boolean;
  /** All markets of the event are among the pairs; else none of these may come true. */
  readonly isWhole: boolean;
};

export function eventLossNano(pairs: readonly LossPair[], scope: EventScope): number {
  if (scope.isExclusive && pairs.length > 0)
    return Math.max(...lossByOutcome(pairs, scope.isWhole));
  return pairs.reduce((sum, pair) => sum + worseOf(pair), 0);
}

/**
 * Loss by outcome where exactly one market comes true: each of them in its place, and behind them that
 * none of these does, where not all of the event are among them.
 */
export function lossByOutcome(pairs: readonly LossPair[], isWhole: boolean): readonly number[] {
  const ifNoneNano = pairs.reduce((sum, { ifNoNano }) => sum + ifNoNano, 0);
  const nano = pairs.map(({ ifYesNano, ifNoNano }) => ifNoneNano - ifNoNano + ifYesNano);
  return isWhole ? nano : [...nano, ifNoneNano];
}
