// Accounts as REST shows them. @spec Resources and their fields › Balances

import { Decimal } from 'decimal.js';
import type { OutcomeIndex } from '../../domain/market.ts';
import type { Account, Holding, SettledTrade, Transfer } from '../exchange/account.ts';
import {
  type NanoUsdc,
  NO_USDC,
  nanoOf,
  sharesOf,
  sharesText,
  usdcOf,
  usdcText,
} from '../exchange/amounts.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ListedMarket } from '../exchange/listed-market.ts';
import type { Dialect } from './dialect.ts';
import { isoText } from './time-text.ts';

/** One token that an account holds or has on hold. */
type Held = {
  readonly market: ListedMarket;
  readonly index: OutcomeIndex;
  readonly holding: Holding;
};

export type Totals = {
  readonly positionsValueNano: NanoUsdc;
  readonly totalValueNano: NanoUsdc;
  readonly totalPnlNano: NanoUsdc;
  readonly costBasisNano: NanoUsdc;
  readonly positionCount: number;
};

/** @spec Resources and their fields › Balances */
export function balancesJson(
  account: Account,
  exchange: Exchange,
  dialect: Dialect,
): Record<string, unknown> {
  return {
    cashBalance: usdcText(account.cashNano),
    availableBalance: usdcText(account.availableNano()),
    usdcOnHold: usdcText(account.cashHeldNano),
    positions: heldBy(account, exchange)
      .filter(isIndexed)
      .map((held) => balanceOf(held, dialect)),
  };
}

/** The account with profit and loss; field names are ours, the interface shows none. */
export function summaryJson(
  account: Account,
  exchange: Exchange,
  dialect: Dialect,
): Record<string, unknown> {
  const totals = totalsOf(account, exchange);
  const { netDepositsNano, realizedPnlNano, feesPaidNano } = account;
  const isFunded = netDepositsNano > 0n;
  return {
    ...balancesJson(account, exchange, dialect),
    positionsValue: usdcText(totals.positionsValueNano),
    totalValue: usdcText(totals.totalValueNano),
    costBasis: usdcText(totals.costBasisNano),
    realizedPnl: usdcText(realizedPnlNano),
    unrealizedPnl: usdcText(totals.positionsValueNano - totals.costBasisNano),
    totalPnl: usdcText(totals.totalPnlNano),
    feesPaid: usdcText(feesPaidNano),
    accountReturn: isFunded ? returnOf(totals.totalPnlNano, netDepositsNano) : '0',
    positionCount: totals.positionCount,
  };
}

type Asked = { readonly account: Account; readonly exchange: Exchange; readonly dialect: Dialect };

/** Positions with what they cost, in all markets or one. */
export function positionsJson(
  { account, exchange, dialect }: Asked,
  market?: ListedMarket,
): readonly Record<string, unknown>[] {
  return heldBy(account, exchange)
    .filter((held) => isIndexed(held) && (!market || held.market === market))
    .map((held) => ({
      ...balanceOf(held, dialect),
      marketTitle: held.market.market.title,
      outcomeName: held.market.outcome(held.index).name,
      outcomeIndex: held.index,
      costBasis: usdcText(held.holding.costBasisNano),
      averagePrice: averageOf(held.holding),
      currentPrice: markOf(held, exchange)?.toFixed() ?? null,
    }));
}

/** One settled trade; field names are ours. */
export function tradeJson(trade: SettledTrade): Record<string, unknown> {
  const { quantityMicro, costNano, feeNano, realizedPnlNano, atMs, ...rest } = trade;
  return {
    ...rest,
    quantity: sharesText(quantityMicro),
    amount: usdcText(costNano),
    fee: usdcText(feeNano),
    realizedPnl: usdcText(realizedPnlNano),
    settledAt: isoText(atMs),
  };
}

/** One deposit or withdrawal; field names are ours. */
export function transferJson(transfer: Transfer): Record<string, unknown> {
  const { id, amountNano, atMs } = transfer;
  return {
    id,
    txHash: id,
    amount: usdcText(amountNano),
    createdAt: isoText(atMs),
    status: 'completed',
  };
}

/** Totals at the middle of each book, else the last settled price, else cost. */
export function totalsOf(account: Account, exchange: Exchange): Totals {
  let positionsValueNano = NO_USDC;
  let costBasisNano = NO_USDC;
  let positionCount = 0;
  for (const held of heldBy(account, exchange)) {
    const { holding } = held;
    const mark = markOf(held, exchange);
    positionsValueNano += mark
      ? nanoOf(mark.times(sharesOf(holding.settledMicro)))
      : holding.costBasisNano;
    costBasisNano += holding.costBasisNano;
    if (holding.settledMicro !== 0) positionCount += 1;
  }
  const totalValueNano = account.cashNano + positionsValueNano;
  const totalPnlNano = totalValueNano - account.netDepositsNano;
  return { positionsValueNano, totalValueNano, totalPnlNano, costBasisNano, positionCount };
}

function returnOf(profit: NanoUsdc, deposited: NanoUsdc): string {
  return usdcOf(profit).div(usdcOf(deposited)).toDecimalPlaces(6).toFixed();
}

function balanceOf(
  { market, index, holding }: Held,
  { shareAmounts }: Dialect,
): Record<string, unknown> {
  const outcome = market.outcome(index);
  const shown = holding.indexedMicro - (shareAmounts === 'free' ? holding.heldMicro : 0);
  return {
    tokenId: outcome.tokenId,
    marketId: market.market.id,
    outcomeId: outcome.id,
    // Trades are indexed each after a lag of its own: a sale before the purchase it sells. No chain
    // shows less than nothing.
    shareAmount: sharesText(Math.max(0, shown)),
    onHoldShareAmount: sharesText(holding.heldMicro),
  };
}

/** Every token the account ever held, in the order of its first touch. */
function heldBy(account: Account, exchange: Exchange): readonly Held[] {
  const found: Held[] = [];
  for (const [tokenId, holding] of account.holdings) {
    const token = exchange.catalogue.findToken(tokenId);
    if (token) found.push({ ...token, holding });
  }
  return found;
}

/** A fill that the index has not seen yet shows nowhere over REST. */
function isIndexed({ holding }: Held): boolean {
  return holding.indexedMicro !== 0 || holding.heldMicro !== 0;
}

function markOf({ market, index }: Held, exchange: Exchange): Decimal | undefined {
  if (market.winner !== undefined) return new Decimal(market.winner === index ? 1 : 0);
  const book = exchange.context.books.of(market);
  const bid = book.levels(index, 'bid', 1)[0]?.priceTicks;
  const ask = book.levels(index, 'ask', 1)[0]?.priceTicks;
  if (bid !== undefined && ask !== undefined) {
    // Three or four digits: the double nearest to them has them as its text.
    return new Decimal((bid + ask) / (2 * market.grid.ticksPerUnit));
  }
  const last = market.lastPrices[index];
  return last === undefined ? undefined : new Decimal(last);
}

function averageOf(holding: Holding): string {
  if (holding.settledMicro === 0) return '0';
  const shares = sharesOf(holding.settledMicro);
  return usdcOf(holding.costBasisNano).div(shares).toDecimalPlaces(6).toFixed();
}
