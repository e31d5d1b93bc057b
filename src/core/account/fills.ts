// Reports of own fills, and settlements on the chain, become shares and cash.
// @spec Settlement outcome

import type { TokenId } from '../../domain/ids.ts';
import type { SettledTrade, VenueMessage } from '../../domain/message.ts';
import { formatShares, type MicroShares } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import { costNano, tradeNano } from '../kernel/nano.ts';
import type { MarketState } from '../market.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { touchToken } from '../positions/doubt.ts';
import type { ReportedFill } from '../positions/fill.ts';
import { onFillCounted } from '../risk/breakers.ts';
import type { World } from '../world.ts';
import { settleBusts } from './busts.ts';
import { recordFill } from './records.ts';
import { addFlow, hasAlike, tokenOf } from './trade-tokens.ts';

type Settled = Extract<VenueMessage, { kind: 'tradeSettled' }>;

/** Trade ids remembered, so that a settlement that is reported twice counts once. */
const TRADE_IDS_MAX = 20_000;
/** Settlements that name no token, remembered until balances show their shares. */
const UNNAMED_MAX = 1_000;

/** Shares of an own order traded, at its own price: a maker is filled at his price or better. */
export function onExecuted(world: World, order: OwnOrder, quantity: MicroShares): void {
  const market = world.markets.get(order.marketId);
  if (market === undefined) return;
  const { flows, grid, insight } = market;
  market.holdings(world.positions);
  const fill = fillOf(world, market, order, quantity);
  const { cashNano, feeNano } = world.positions.onFill(order.tokenId, fill, world.nowMs);
  flows.cashNano += cashNano;
  flows.fills += 1;
  world.cash.onFlow(-feeNano, world.nowMs);
  insight.onFill({ side: order.axisSide, price: order.axisPrice, quantity }, world.nowMs);
  touchToken(world, order.tokenId);
  onFillCounted(world, market, quantity);
  recordFill(world, order, quantity);
  world.outbox.report({
    event: 'order.filled',
    marketId: order.marketId,
    tokenId: order.tokenId,
    side: order.side,
    price: formatPrice(grid, order.price),
    quantity: formatShares(quantity),
  });
}

function fillOf(
  world: World,
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
    atMs: world.nowMs,
  };
}

/** @returns Whether balances must be read, since nobody knows of which token it is. */
export function onTradeSettled(world: World, told: Settled): boolean {
  const trade = partOf(world, told);
  world.history.onTold(told, world.nowMs);
  if (isRepeated(world, trade.tradeId)) return false;
  const tokenId = trade.tokenId ?? tokenOf(world, trade);
  const quantity = formatShares(trade.quantity);
  world.outbox.report({ event: 'trade.settled', tokenId, side: trade.side, quantity });
  if (tokenId === undefined) world.history.onUnnamed(trade.tradeId, world.nowMs);
  return settle(world, trade, tokenId);
}

/** One trade may settle several fills, each reported under its id: what says something else is another part. */
function partOf(world: World, told: Settled): Settled {
  const name = world.history.nameOfPart(told);
  if (name === undefined) return told;
  const isPart = world.tradeIds.has(name) || hasAlike(world, told);
  return isPart ? { ...told, tradeId: name } : told;
}

/** Remembers the trade; `true` when it was counted before. */
export function isRepeated({ tradeIds }: World, tradeId: string): boolean {
  if (tradeIds.has(tradeId)) return true;
  tradeIds.add(tradeId);
  const oldest = tradeIds.values().next().value;
  if (tradeIds.size > TRADE_IDS_MAX && oldest !== undefined) tradeIds.delete(oldest);
  return false;
}

/** Counts a settlement, whoever reported it. @returns Whether its token is not known. */
export function settle(world: World, trade: SettledTrade, tokenId: TokenId | undefined): boolean {
  recordSettlement(world, trade, tokenId);
  if (tokenId === undefined) {
    noteUnnamed(world, trade);
    return true;
  }
  const market = world.marketOf(tokenId);
  // What it started with is fixed before the first share comes.
  market?.holdings(world.positions);
  const { side, quantity } = trade;
  const cashNano = tradeNano(trade);
  const settled = { side, quantity, cashNano };
  const counted = world.positions.onSettled(tokenId, settled, world.nowMs);
  const netNano = cashNano - counted.feeNano;
  world.cash.onFlow(netNano - counted.bookedNano, world.nowMs);
  addFlow(world, tokenId, netNano - counted.countedNano, trade.marketId);
  settleBusts(world, tokenId);
  touchToken(world, tokenId);
  return false;
}

/** Keeps a settlement, so that no run counts it again. */
export function recordSettlement(
  world: World,
  trade: SettledTrade,
  tokenId: TokenId | undefined,
): void {
  const { tradeId, side, quantity } = trade;
  const cashNano = tradeNano(trade);
  const settlement = { tradeId, side, quantity, tokenId, cashNano, atMs: world.nowMs };
  world.outbox.record({ kind: 'settlement', settlement });
}

/** Cash moved, and the shares are those that balances show next: `takeUnnamed` finds it then. */
function noteUnnamed(world: World, trade: SettledTrade): void {
  const { side, quantity } = trade;
  const cashNano = tradeNano(trade);
  world.cash.onFlow(cashNano, world.nowMs);
  world.unnamedSettlements.push({ side, quantity, cashNano, atMs: world.nowMs });
  if (world.unnamedSettlements.length > UNNAMED_MAX) world.unnamedSettlements.shift();
}

/** Balances showed a fill as settled: its cash, where a settlement without a token can be of it. */
export function takeUnnamed(
  { unnamedSettlements }: World,
  fill: Pick<ReportedFill, 'side' | 'quantity'>,
): number | undefined {
  const isIts = (each: { side: string; quantity: number }) =>
    each.side === fill.side && each.quantity === fill.quantity;
  const index = unnamedSettlements.findIndex(isIts);
  return index < 0 ? undefined : unnamedSettlements.splice(index, 1)[0]?.cashNano;
}

/** The history names the token of such a settlement: its cash is counted with it now, and no second time. */
export function takeUnnamedTrade(world: World, trade: SettledTrade): void {
  const { side, quantity } = trade;
  const nano = takeUnnamed(world, { side, quantity });
  if (nano !== undefined) world.cash.onFlow(-nano, world.nowMs);
}
