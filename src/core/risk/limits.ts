// The limits that stand before every placement, each named by what it measures.

import type { RiskLimits } from '../../domain/input.ts';
import { MICRO_PER_SHARE, type MicroShares } from '../../domain/shares.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import { costNano, NANO_PER_USDC } from '../kernel/nano.ts';
import type { RoutedOrder } from '../orders/routing.ts';
import type { CollarName } from './collar.ts';
import type { ExposedOrder, Exposure, Holdings } from './exposure.ts';

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
