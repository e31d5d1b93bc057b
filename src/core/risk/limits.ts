// The limits that stand before every placement, each named by what it measures.

import type { RiskLimits } from '../../domain/input.ts';
import { MICRO_PER_SHARE } from '../../domain/shares.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { RoutedOrder } from '../orders/routing.ts';
import { type ExposedOrder, type Exposure, type Holdings, worstLossNano } from './exposure.ts';
import { costNano, NANO_PER_USDC } from './nano.ts';

export type LimitName =
  | 'max_position_shares'
  | 'max_order_notional_usdc'
  | 'max_open_orders'
  | 'max_loss_usdc'
  | 'cash';

export type AccountState = {
  readonly openOrders: number;
  /** Worst loss of all other markets together. */
  readonly otherLossNano: number;
  /** Cash that no order holds; `undefined` while no balance is known. */
  readonly freeCashNano: number | undefined;
};

export type MarketRisk = {
  readonly grid: TickGrid;
  readonly holdings: Holdings;
  /** Of what is live, without and with the order in question. */
  readonly exposure: Exposure;
  readonly after: Exposure;
};

/** The limit that an order would break, `undefined` when it may be placed. */
export function brokenLimit(
  order: RoutedOrder & ExposedOrder,
  market: MarketRisk,
  account: AccountState,
  limits: RiskLimits,
): LimitName | undefined {
  const cost = costNano(market.grid, order.price, order.quantity);
  if (cost > limits.maxOrderNotionalUsdc * NANO_PER_USDC) return 'max_order_notional_usdc';
  if (account.openOrders + 1 > limits.maxOpenOrders) return 'max_open_orders';
  if (breaksPosition(order, market, limits)) return 'max_position_shares';
  if (breaksLoss(market, account, limits)) return 'max_loss_usdc';
  if (order.side === 'BUY' && !(account.freeCashNano !== undefined && cost <= account.freeCashNano))
    return 'cash';
  return undefined;
}

function breaksPosition(
  order: RoutedOrder & ExposedOrder,
  market: MarketRisk,
  limits: RiskLimits,
): boolean {
  const max = limits.maxPositionShares * MICRO_PER_SHARE;
  const { yes, no } = market.holdings;
  const { after } = market;
  if (order.side === 'BUY' && { yes, no }[order.leg] + after.buying[order.leg] > max) return true;
  const net = yes - no;
  // An order that brings the net position nearer to zero is let through up to the other side.
  return order.axisSide === 'bid' ? net + after.netUp > max : -net + after.netDown > max;
}

/** An order that does not worsen the worst case is let through even above the limit. */
function breaksLoss(market: MarketRisk, account: AccountState, limits: RiskLimits): boolean {
  const loss = worstLossNano(market.holdings, market.after);
  if (loss <= worstLossNano(market.holdings, market.exposure)) return false;
  return account.otherLossNano + loss > limits.maxLossUsdc * NANO_PER_USDC;
}
