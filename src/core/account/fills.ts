// Reports of own fills, and settlements on the chain, become shares and cash.
// @spec Settlement outcome

import type { TokenId } from '../../domain/ids.ts';
import type { SettledTrade, VenueMessage } from '../../domain/message.ts';
import type { StoredSettlement } from '../../domain/record.ts';
import { formatShares, type MicroShares } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import { costNano, tradeNano } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { touchToken } from '../positions/doubt.ts';
import type { ReportedFill } from '../positions/fill.ts';
import { onFillCounted } from '../risk/breakers.ts';
import type { MarketState } from '../sending/market.ts';
import { settleBusts } from './busts.ts';
import { recordFill } from './records.ts';
import type { AccountStores } from './stores.ts';
import { addFlow, hasAlike, tokenOf } from './trade-tokens.ts';

type Settled = Extract<VenueMessage, { kind: 'tradeSettled' }>;

/** Names of settlements remembered, two of each, so that one that is reported twice counts once. */
const TRADE_IDS_MAX = 40_000;
/** Settlements that name no token, remembered until balances show their shares. */
const UNNAMED_MAX = 1_000;

/** Shares of an own order traded, at its own price: a maker is filled at his price or better. */
export function onExecuted(stores: AccountStores, order: OwnOrder, quantity: MicroShares): void {
  const market = stores.markets.get(order.marketId);
  if (market === undefined) return;
  const { flows, grid, insight } = market;
  market.holdings(stores.positions);
  const fill = fillOf(stores, market, order, quantity);
  const { cashNano, feeNano } = stores.positions.onFill(order.tokenId, fill, stores.nowMs);
  flows.cashNano += cashNano;
  flows.fills += 1;
  stores.cash.onFlow(-feeNano, stores.nowMs);
  insight.onFill({ side: order.axisSide, price: order.axisPrice, quantity }, stores.nowMs);
  touchToken(stores, order.tokenId);
  onFillCounted(stores, market, quantity);
  recordFill(stores, order, quantity);
  stores.outbox.report({
    event: 'order.filled',
    marketId: order.marketId,
    tokenId: order.tokenId,
    side: order.side,
    price: formatPrice(grid, order.price),
    quantity: formatShares(quantity),
  });
}

function fillOf(
  stores: KernelStores,
  { grid, choice }: MarketState,
  order: OwnOrder,
  quantity: MicroShares,
): ReportedFill {
  const { intentId, side, price, isTake, sentAtMs } = order;
  const cost = costNano(grid, price, quantity);
  return {
    intentId,
    side,
    cashNano: side === 'BUY' ? -cost : cost,
    takerFeeRate: isTake === true ? choice.takerFeeRate : undefined,
    quantity,
    original: quantity,
    sentAtMs,
    atMs: stores.nowMs,
  };
}

/** @returns Whether balances must be read, since nobody knows of which token it is. */
export function onTradeSettled(stores: AccountStores, told: Settled): boolean {
  const tradeId = nameOf(stores, told);
  if (tradeId === undefined) return false;
  const trade = { ...told, tradeId };
  const tokenId = trade.tokenId ?? tokenOf(stores, trade);
  const quantity = formatShares(trade.quantity);
  stores.outbox.report({ event: 'trade.settled', tokenId, side: trade.side, quantity });
  return settle(stores, trade, tokenId);
}

/**
 * One trade may settle several fills, each reported under its id: what says something else, and what a fill waits
 * for, is another part and has a name of its own.
 * @returns The name it is kept by, `undefined` when it was counted before.
 */
function nameOf(stores: AccountStores, told: Settled): string | undefined {
  const { tradeIds } = stores;
  const { tradeId, side, quantity } = told;
  const part = partName({ tradeId, side, quantity, cashNano: tradeNano(told) });
  const isFirst = !tradeIds.has(tradeId);
  if (tradeIds.has(part) || !(isFirst || hasAlike(stores, told))) return undefined;
  if (isFirst) tradeIds.add(tradeId);
  tradeIds.add(part);
  forgetOldest(tradeIds);
  return isFirst ? tradeId : part;
}

export function forgetOldest(names: Set<string>): void {
  for (const oldest of names) {
    if (names.size <= TRADE_IDS_MAX) return;
    names.delete(oldest);
  }
}

type Part = Pick<StoredSettlement, 'tradeId' | 'side' | 'quantity' | 'cashNano'>;

/** Names a settlement by what it says. */
export function partName({ tradeId, side, quantity, cashNano }: Part): string {
  return `${tradeId}/${side} ${quantity} ${cashNano}`;
}

/** Counts a settlement, whoever reported it. @returns Whether its token is not known. */
export function settle(
  stores: AccountStores,
  trade: SettledTrade,
  tokenId: TokenId | undefined,
): boolean {
  recordSettlement(stores, trade, tokenId);
  if (tokenId === undefined) {
    noteUnnamed(stores, trade);
    return true;
  }
  const market = stores.byToken.get(tokenId)?.market;
  // What it started with is fixed before the first share comes.
  market?.holdings(stores.positions);
  const { side, quantity } = trade;
  const cashNano = tradeNano(trade);
  const settled = { side, quantity, cashNano };
  const counted = stores.positions.onSettled(tokenId, settled, stores.nowMs);
  const netNano = cashNano - counted.feeNano;
  stores.cash.onFlow(netNano - counted.bookedNano, stores.nowMs);
  addFlow(stores, tokenId, netNano - counted.countedNano, trade.marketId);
  settleBusts(stores, tokenId);
  touchToken(stores, tokenId);
  return false;
}

/** Keeps a settlement, so that no run counts it again. */
function recordSettlement(
  stores: KernelStores,
  trade: SettledTrade,
  tokenId: TokenId | undefined,
): void {
  const { tradeId, side, quantity } = trade;
  const cashNano = tradeNano(trade);
  const settlement = { tradeId, side, quantity, tokenId, cashNano, atMs: stores.nowMs };
  stores.outbox.record({ kind: 'settlement', settlement });
}

/** Cash moved, and the shares are those that balances show next: `takeUnnamed` finds it then. */
function noteUnnamed(stores: AccountStores, trade: SettledTrade): void {
  const { side, quantity } = trade;
  const cashNano = tradeNano(trade);
  stores.cash.onFlow(cashNano, stores.nowMs);
  stores.unnamedSettlements.push({ side, quantity, cashNano, atMs: stores.nowMs });
  if (stores.unnamedSettlements.length > UNNAMED_MAX) stores.unnamedSettlements.shift();
}

/** Balances showed a fill as settled: its cash, where a settlement without a token can be of it. */
export function takeUnnamed(
  { unnamedSettlements }: AccountStores,
  fill: Pick<ReportedFill, 'side' | 'quantity'>,
): number | undefined {
  const isIts = (each: { side: string; quantity: number }) =>
    each.side === fill.side && each.quantity === fill.quantity;
  const index = unnamedSettlements.findIndex(isIts);
  return index < 0 ? undefined : unnamedSettlements.splice(index, 1)[0]?.cashNano;
}
