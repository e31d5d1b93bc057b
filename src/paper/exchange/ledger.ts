// Holds and movements of cash and shares. Every cent that leaves one place arrives in another.

import type { Account, Holding } from './account.ts';
import {
  costOf,
  feeOf,
  feePartAt,
  type NanoUsdc,
  NO_USDC,
  nanoOfMicro,
  wholeMicro,
} from './amounts.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import type { ListedMarket } from './listed-market.ts';
import { VenueRefusal } from './refusal.ts';
import type { TradeLeg } from './trade.ts';

/** Holds what an order may cost. @throws {VenueRefusal} when the account does not have it. */
export function holdForOrder(order: ExchangeOrder): void {
  const { account, side, quantityMicro, outcome } = order.terms;
  if (side === 'SELL') {
    if (account.sellableMicro(outcome.tokenId) < quantityMicro) {
      throw new VenueRefusal('insufficient_shares', 'not enough settled shares after holds');
    }
    account.holding(outcome.tokenId).heldMicro += quantityMicro;
    return;
  }
  const hold = cashFor(order, quantityMicro);
  if (account.availableNano() < hold) {
    throw new VenueRefusal('insufficient_balance', 'not enough USDC after open-order holds');
  }
  setCashHold(order, hold);
}

/** Gives back what is held for the part that rested; the order has ended or shrunk. */
export function releaseResting(order: ExchangeOrder, restedMicro: number): void {
  const { account, side, outcome } = order.terms;
  if (side === 'SELL') account.holding(outcome.tokenId).heldMicro -= restedMicro;
  else setCashHold(order, NO_USDC);
}

/** It has met all that it could: from now on whoever meets it pays the fee. */
export function freeOfFee(order: ExchangeOrder): void {
  order.isFreeOfFee = true;
  if (order.terms.side === 'BUY') setCashHold(order, cashFor(order, order.restingMicro()));
}

/** Moves a match from the hold of the resting part to the hold until settlement. */
export function holdMatched(leg: TradeLeg): void {
  const { order, account } = leg;
  if (!order) return;
  order.holdMicro = wholeMicro(order.holdMicro + leg.quantityMicro);
  if (leg.side === 'SELL') return;
  const total = leg.costNano + leg.feeNano;
  order.spentNano += total;
  const left = cashFor(order, order.restingMicro());
  setCashHold(order, left);
  account.cashHeldNano += total;
}

/** The chain confirmed: cash and shares change hands. Returns the profit that a sale made. */
export function settleLeg(leg: TradeLeg): NanoUsdc {
  const { account, order } = leg;
  const holding = account.holding(leg.market.outcome(leg.index).tokenId);
  account.feesPaidNano += leg.feeNano;
  if (order) {
    order.holdMicro -= leg.quantityMicro;
    order.filledMicro += leg.quantityMicro;
  }
  return leg.side === 'BUY' ? settleBuy(leg, holding) : settleSell(leg, holding);
}

/** The chain refused: what was held for the match is free again. */
export function releaseFailed(leg: TradeLeg): void {
  const { account, order } = leg;
  if (!order) return;
  order.holdMicro -= leg.quantityMicro;
  if (leg.side === 'BUY') {
    const total = leg.costNano + leg.feeNano;
    order.spentNano -= total;
    account.cashHeldNano -= total;
  } else account.holding(leg.market.outcome(leg.index).tokenId).heldMicro -= leg.quantityMicro;
}

/** Holds anew for shares that rest again; says whether the account can afford it. */
export function holdAgain(order: ExchangeOrder, addedMicro: number): boolean {
  const { account, side, outcome } = order.terms;
  if (side === 'SELL') {
    if (account.sellableMicro(outcome.tokenId) < addedMicro) return false;
    account.holding(outcome.tokenId).heldMicro += addedMicro;
    return true;
  }
  order.isFreeOfFee = false;
  const wanted = cashFor(order, order.restingMicro());
  if (account.availableNano() < wanted - order.cashHeldNano) return false;
  setCashHold(order, wanted);
  return true;
}

/** USDC becomes one share of every outcome. */
export function mintSet(account: Account, market: ListedMarket, countMicro: number): void {
  const cost = nanoOfMicro(countMicro);
  account.cashNano -= cost;
  for (const outcome of [market.market.yes, market.market.no]) {
    const holding = account.holding(outcome.tokenId);
    holding.settledMicro = wholeMicro(holding.settledMicro + countMicro);
    holding.costBasisNano += cost / 2n;
  }
}

/** A full set becomes USDC again. */
export function mergeSet(account: Account, market: ListedMarket, countMicro: number): void {
  const proceeds = nanoOfMicro(countMicro);
  account.cashNano += proceeds;
  for (const outcome of [market.market.yes, market.market.no]) {
    const holding = account.holding(outcome.tokenId);
    takeShares(account, holding, { countMicro, proceeds: proceeds / 2n });
  }
}

/**
 * Shares of one token leave for `proceeds`. What they cost is their part of what all cost, rounded down: the rest
 * stays with those that stay. Returns the profit over what they cost.
 */
export function takeShares(
  account: Account,
  holding: Holding,
  taken: { readonly countMicro: number; readonly proceeds: NanoUsdc },
): NanoUsdc {
  const part =
    holding.settledMicro > 0
      ? (holding.costBasisNano * BigInt(taken.countMicro)) / BigInt(holding.settledMicro)
      : NO_USDC;
  holding.costBasisNano -= part;
  holding.settledMicro = wholeMicro(holding.settledMicro - taken.countMicro);
  const profit = taken.proceeds - part;
  account.realizedPnlNano += profit;
  return profit;
}

function settleBuy(leg: TradeLeg, holding: Holding): NanoUsdc {
  const total = leg.costNano + leg.feeNano;
  leg.account.cashNano -= total;
  if (leg.order) leg.account.cashHeldNano -= total;
  holding.settledMicro = wholeMicro(holding.settledMicro + leg.quantityMicro);
  holding.costBasisNano += total;
  return NO_USDC;
}

function settleSell(leg: TradeLeg, holding: Holding): NanoUsdc {
  const proceeds = leg.costNano - leg.feeNano;
  leg.account.cashNano += proceeds;
  if (leg.order) holding.heldMicro -= leg.quantityMicro;
  return takeShares(leg.account, holding, { countMicro: leg.quantityMicro, proceeds });
}

/** What an order could still spend on `quantityMicro` shares, its fee as a taker included. */
function cashFor(order: ExchangeOrder, quantityMicro: number): NanoUsdc {
  const { grid, price, spendMaxNano, fee } = order.terms;
  const cost = costOf(grid, price, quantityMicro);
  const worst = order.isFreeOfFee ? cost : cost + feeOf(cost, feePartAt(grid, price, fee));
  if (spendMaxNano === undefined) return worst;
  const left = spendMaxNano - order.spentNano;
  return worst < left ? worst : left;
}

function setCashHold(order: ExchangeOrder, hold: NanoUsdc): void {
  order.terms.account.cashHeldNano += hold - order.cashHeldNano;
  order.cashHeldNano = hold;
}
