// The limits that stand before every placement, each named by what it measures.

import type { CoreSettings, MarketChoice, RiskLimits } from '../../domain/input.ts';
import type { RiskControls } from '../../domain/risk.ts';
import { MICRO_PER_SHARE, type MicroShares } from '../../domain/shares.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { AxisSide, Strategy } from '../../strategy/index.ts';
import { costNano, NANO_PER_USDC } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { RoutedOrder } from '../orders/own-order.ts';
import type { ExposedOrder, Exposure, Holdings } from './exposure.ts';
import type { RiskMarket } from './market.ts';
import type { RiskStores } from './stores.ts';

export type LimitName =
  | CollarName
  | 'stop_adding'
  | 'reduce_only'
  | 'max_position_shares'
  | 'max_net_shares'
  | 'max_order_notional_usdc'
  | 'max_order_shares'
  | 'max_open_orders'
  | 'max_market_open_orders'
  | 'max_open_notional_usdc'
  | 'max_loss_usdc'
  | 'max_event_loss_usdc'
  | 'cash'
  | 'capital_allocation';

export type AccountState = {
  readonly openOrders: number;
  /** So many the venue lets the account have. */
  readonly ceiling: number;
  /** Value of all live orders. */
  readonly notionalNano: number;
  /** Worst loss of all other events together, and of markets that are quoted no more. */
  readonly otherLossNano: number;
  /** Worst loss of those markets of the event in question that are quoted no more. */
  readonly leftLossNano: number;
  /** Cash that no order holds; `undefined` while no balance is known. */
  readonly freeCashNano: number | undefined;
};

export type MarketRisk = {
  readonly grid: TickGrid;
  readonly holdings: Holdings;
  /** Of each token, from a split that balances do not show yet. */
  readonly incoming: MicroShares;
  /** Of what is live, with the order in question. */
  readonly after: Exposure;
  /** Worst loss of the whole event, without and with it. */
  readonly lossNano: number;
  readonly lossAfterNano: number;
  /** Worst loss of markets of it that are quoted no more. */
  readonly leftLossNano: number;
};

/** The limit that an order would break, `undefined` when it may be placed. */
export function brokenLimit(
  order: RoutedOrder & ExposedOrder,
  market: MarketRisk,
  account: AccountState,
  limits: RiskLimits,
): LimitName | undefined {
  return (
    brokenBySize(order, market, limits) ??
    brokenByCount(order, market, account, limits) ??
    brokenByPosition(order, market, limits) ??
    brokenByLoss(market, account, limits) ??
    (hasCash(order, market, account) ? undefined : 'cash')
  );
}

function brokenBySize(
  order: RoutedOrder,
  { grid }: MarketRisk,
  limits: RiskLimits,
): LimitName | undefined {
  const cost = costNano(grid, order.price, order.quantity);
  if (cost > limits.maxOrderNotionalUsdc * NANO_PER_USDC) return 'max_order_notional_usdc';
  const { maxOrderShares } = limits;
  const isLarge = maxOrderShares !== undefined && order.quantity > maxOrderShares * MICRO_PER_SHARE;
  return isLarge ? 'max_order_shares' : undefined;
}

function brokenByCount(
  order: RoutedOrder,
  { grid, after }: MarketRisk,
  account: AccountState,
  limits: RiskLimits,
): LimitName | undefined {
  const maxOpenOrders = Math.min(limits.maxOpenOrders, account.ceiling);
  if (account.openOrders + 1 > maxOpenOrders) return 'max_open_orders';
  const { maxMarketOpenOrders, maxOpenNotionalUsdc } = limits;
  if (maxMarketOpenOrders !== undefined && after.orders > maxMarketOpenOrders)
    return 'max_market_open_orders';
  if (maxOpenNotionalUsdc === undefined) return undefined;
  const notionalNano = account.notionalNano + costNano(grid, order.price, order.quantity);
  return notionalNano > maxOpenNotionalUsdc * NANO_PER_USDC ? 'max_open_notional_usdc' : undefined;
}

function brokenByPosition(
  order: RoutedOrder & ExposedOrder,
  { holdings, incoming, after }: MarketRisk,
  limits: RiskLimits,
): LimitName | undefined {
  const max = limits.maxPositionShares * MICRO_PER_SHARE;
  const { yes, no } = holdings;
  const held = { yes, no }[order.leg] + incoming;
  if (order.side === 'BUY' && held + after.buying[order.leg] > max) return 'max_position_shares';
  // An order that brings the net position nearer to zero is let through up to the other side.
  const net = yes - no;
  const reached = order.axisSide === 'bid' ? net + after.netUp : -net + after.netDown;
  if (reached > max) return 'max_position_shares';
  const { maxNetShares } = limits;
  const isFar = maxNetShares !== undefined && reached > maxNetShares * MICRO_PER_SHARE;
  return isFar ? 'max_net_shares' : undefined;
}

/** An order that does not worsen the worst case is let through even above the limit. */
export function brokenByLoss(
  { lossNano, lossAfterNano }: Pick<MarketRisk, 'lossNano' | 'lossAfterNano'>,
  account: Pick<AccountState, 'otherLossNano' | 'leftLossNano'>,
  limits: RiskLimits,
): LimitName | undefined {
  if (lossAfterNano <= lossNano) return undefined;
  const eventMax = limits.maxEventLossUsdc ?? 0;
  if (eventMax > 0 && account.leftLossNano + lossAfterNano > eventMax * NANO_PER_USDC)
    return 'max_event_loss_usdc';
  const isOver = account.otherLossNano + lossAfterNano > limits.maxLossUsdc * NANO_PER_USDC;
  return isOver ? 'max_loss_usdc' : undefined;
}

function hasCash(order: RoutedOrder, { grid }: MarketRisk, account: AccountState): boolean {
  if (order.side === 'SELL') return true;
  const cost = costNano(grid, order.price, order.quantity);
  return account.freeCashNano !== undefined && cost <= account.freeCashNano;
}

// How far the price of an order may be from what is known of its market: a strategy whose estimate
// went astray, or a book that somebody emptied, must not move our orders away from the world.

export type CollarName = 'collar_fair' | 'collar_trades' | 'collar_blind';

/** What is known, as prices between 0 and 1 on the YES axis. */
type References = {
  /** Fair value, or the middle of the joined books where there is none. */
  readonly fair: number | undefined;
  /** Best prices of others in the joined books as they are now, `undefined` where a side is empty. */
  readonly touch: { readonly bid: number | undefined; readonly ask: number | undefined };
  /** Lowest and highest price of the last trades. */
  readonly trades: Range | undefined;
};

type Range = { readonly low: number; readonly high: number };

/** Prices are compared this much coarser than their doubles: a tick is a thousand times as wide. */
const EPSILON = 1e-6;

/** The collar that an order would break; one that nothing can be held against breaks one as well. */
export function brokenCollar(
  grid: TickGrid,
  order: { readonly axisSide: AxisSide; readonly axisPrice: number },
  known: References,
  collar: RiskControls['collar'],
): CollarName | undefined {
  const price = order.axisPrice / grid.ticksPerUnit;
  const { fair, trades } = known;
  if (isBlind(known, collar)) return collar.blind === 'hold' ? 'collar_blind' : undefined;
  const isFarFrom = (range: Range) => {
    const { through, away } = distances(order.axisSide, price, range);
    return exceeds(through, collar.fairThrough) || exceeds(away, collar.fairAway);
  };
  if (fair !== undefined && isFarFrom({ low: fair, high: fair })) return 'collar_fair';
  // A fair value may be wrong, or say more than the book does: that moves no order beyond the book.
  if (isFarFrom(rangeOf(known.touch))) return 'collar_fair';
  if (trades === undefined) return undefined;
  const { through, away } = distances(order.axisSide, price, trades);
  const isFar = exceeds(through, collar.tradesThrough) || exceeds(away, collar.tradesAway);
  return isFar ? 'collar_trades' : undefined;
}

/** What others ask and bid for at best holds nothing where there are none. */
function rangeOf({ bid, ask }: References['touch']): Range {
  const low = bid ?? Number.NEGATIVE_INFINITY;
  const high = ask ?? Number.POSITIVE_INFINITY;
  return { low, high };
}

/** A collar is on, and none that is has what it would hold a price against. */
function isBlind({ fair, trades }: References, collar: RiskControls['collar']): boolean {
  const isFairOn = collar.fairThrough > 0 || collar.fairAway > 0;
  const areTradesOn = collar.tradesThrough > 0 || collar.tradesAway > 0;
  if (!isFairOn && !areTradesOn) return false;
  const isFairKnown = isFairOn && fair !== undefined;
  const areTradesKnown = areTradesOn && trades !== undefined;
  return !isFairKnown && !areTradesKnown;
}

/** How far beyond a range towards the other side, and how far before it on the own side. */
function distances(
  side: AxisSide,
  price: number,
  range: Range,
): { readonly through: number; readonly away: number } {
  const above = price - range.high;
  const below = range.low - price;
  return side === 'bid' ? { through: above, away: below } : { through: below, away: above };
}

function exceeds(distance: number, limit: number): boolean {
  return limit > 0 && distance > limit + EPSILON;
}

// What the price of an order is held against: the fair value, or the middle, the books, and the last trades.

/** What an order of this market may be held against. */
export function referencesOf(
  stores: KernelStores,
  { insight, book, grid }: RiskMarket,
  collar: RiskControls['collar'],
): References {
  const range = lastTrades(stores, insight, collar.tradesMs);
  const price = (at: number) => at / grid.ticksPerUnit;
  const [bid, ask] = [book.bestBid(), book.bestAsk()];
  const touch = { bid: bid && price(bid), ask: ask && price(ask) };
  return {
    fair: insight.fairAt(stores.nowMs)?.price ?? middleOf(touch),
    touch,
    trades: range && { low: price(range.low), high: price(range.high) },
  };
}

/** Those of before jumps of our clock count where there are none since: no time may have passed for the market. */
function lastTrades(
  { nowMs, clock: { jumpedByMs } }: KernelStores,
  { tape }: RiskMarket['insight'],
  tradesMs: number,
): ReturnType<typeof tape.rangeSince> {
  const sinceMs = nowMs - tradesMs;
  return tape.rangeSince(sinceMs) ?? tape.rangeSince(sinceMs, jumpedByMs);
}

/** Two books of one side each have no middle of their own; joined on one axis they do. */
function middleOf({ bid, ask }: References['touch']): number | undefined {
  return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
}

// Under which settings a market is looked at: those in force, or those that somebody asks about.

export type Terms = {
  readonly settings: CoreSettings | undefined;
  readonly choice: MarketChoice;
  readonly strategy: Strategy;
  /** Part of the capital that the market may bind, 0 to 1. */
  readonly capitalShare: number;
};

/** What is in force. */
export function termsOf(stores: RiskStores, market: RiskMarket): Terms {
  const { settings } = stores;
  const { choice, strategy } = market;
  return { settings, choice, strategy, capitalShare: capitalShare(stores, market) };
}

/** Shared: any market may use all of it. Weighted: each has its part of all weights. */
export function capitalShare(stores: RiskStores, market: RiskMarket): number {
  if (stores.settings?.capital?.policy !== 'weighted') return 1;
  return partOf(market.choice, weightSum(stores));
}

/** The part of one choice where the weights of all quoted markets add up to `sum`. */
export function partOf(choice: MarketChoice, sum: number): number {
  return sum > 0 ? weightOf(choice) / sum : 0;
}

export function weightOf({ capitalWeight }: MarketChoice): number {
  return capitalWeight ?? 1;
}

/** Of all markets; walked anew only when a market or the settings have changed. */
function weightSum(stores: RiskStores): number {
  const key = `${stores.marketsVersion} ${stores.settingsVersion}`;
  return stores.capital.weightSum(key, () => {
    let sum = 0;
    for (const each of stores.markets.values()) sum += weightOf(each.choice);
    return sum;
  });
}

/** Only a real SELL serves market buyers of its token, and it frees capital; the market may differ. */
export function prefersSell({ settings, choice }: Pick<Terms, 'settings' | 'choice'>): boolean {
  return choice.preferSell ?? settings?.orders.preferSell ?? true;
}

/** A BUY of the complement makes complete sets: once they fill half of the position limit, own shares are sold. */
export function sellsOwnShares(
  stores: RiskStores,
  market: RiskMarket,
  of: Pick<Terms, 'settings' | 'choice'> = { settings: stores.settings, choice: market.choice },
): boolean {
  const { yes, no } = market.holdingsShares(stores.positions);
  const max = (of.settings?.risk.maxPositionShares ?? 0) * MICRO_PER_SHARE;
  return prefersSell(of) || 2 * Math.min(yes, no) >= max;
}
