// Holds and movements of cash and shares. Every cent that leaves one place arrives in another.

import { Decimal } from 'decimal.js';
import type { Account, Holding } from './account.ts';
import { costOf, feeBpsAt, feeOf, MICRO, NO_USDC, sumOf, wholeMicro } from './amounts.ts';
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
  if (account.available().lt(hold)) {
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
  const total = sumOf(leg.cost, leg.fee);
  order.spent = order.spent.plus(total);
  const left = cashFor(order, order.restingMicro());
  setCashHold(order, left);
  account.cashHeld = account.cashHeld.plus(total);
}

/** The chain confirmed: cash and shares change hands. Returns the profit that a sale made. */
export function settleLeg(leg: TradeLeg): Decimal {
  const { account, order } = leg;
  const holding = account.holding(leg.market.outcome(leg.index).tokenId);
  account.feesPaid = sumOf(account.feesPaid, leg.fee);
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
  const total = leg.cost.plus(leg.fee);
  order.spent = order.spent.minus(leg.side === 'BUY' ? total : 0);
  if (leg.side === 'BUY') account.cashHeld = account.cashHeld.minus(total);
  else account.holding(leg.market.outcome(leg.index).tokenId).heldMicro -= leg.quantityMicro;
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
  if (account.available().lt(wanted.minus(order.cashHeld))) return false;
  setCashHold(order, wanted);
  return true;
}

/** USDC becomes one share of every outcome. */
export function mintSet(account: Account, market: ListedMarket, countMicro: number): void {
  const cost = new Decimal(countMicro).div(MICRO);
  account.cash = account.cash.minus(cost);
  for (const outcome of [market.market.yes, market.market.no]) {
    const holding = account.holding(outcome.tokenId);
    holding.settledMicro = wholeMicro(holding.settledMicro + countMicro);
    holding.costBasis = holding.costBasis.plus(cost.div(2));
  }
}

/** A full set becomes USDC again. */
export function mergeSet(account: Account, market: ListedMarket, countMicro: number): void {
  const proceeds = new Decimal(countMicro).div(MICRO);
  account.cash = account.cash.plus(proceeds);
  for (const outcome of [market.market.yes, market.market.no]) {
    const holding = account.holding(outcome.tokenId);
    takeShares(account, holding, { countMicro, proceeds: proceeds.div(2) });
  }
}

/** Shares of one token leave for `proceeds`. Returns the profit over what they cost. */
export function takeShares(
  account: Account,
  holding: Holding,
  taken: { readonly countMicro: number; readonly proceeds: Decimal },
): Decimal {
  const part =
    holding.settledMicro > 0
      ? holding.costBasis.times(taken.countMicro).div(holding.settledMicro)
      : new Decimal(0);
  holding.costBasis = holding.costBasis.minus(part);
  holding.settledMicro = wholeMicro(holding.settledMicro - taken.countMicro);
  const profit = taken.proceeds.minus(part);
  account.realizedPnl = account.realizedPnl.plus(profit);
  return profit;
}

function settleBuy(leg: TradeLeg, holding: Holding): Decimal {
  const total = sumOf(leg.cost, leg.fee);
  leg.account.cash = leg.account.cash.minus(total);
  if (leg.order) leg.account.cashHeld = leg.account.cashHeld.minus(total);
  holding.settledMicro = wholeMicro(holding.settledMicro + leg.quantityMicro);
  holding.costBasis = holding.costBasis.plus(total);
  return NO_USDC;
}

function settleSell(leg: TradeLeg, holding: Holding): Decimal {
  const proceeds = leg.fee.isZero() ? leg.cost : leg.cost.minus(leg.fee);
  leg.account.cash = leg.account.cash.plus(proceeds);
  if (leg.order) holding.heldMicro -= leg.quantityMicro;
  return takeShares(leg.account, holding, { countMicro: leg.quantityMicro, proceeds });
}

/** What an order could still spend on `quantityMicro` shares, its fee as a taker included. */
function cashFor(order: ExchangeOrder, quantityMicro: number): Decimal {
  const { grid, price, spendMax, fee } = order.terms;
  const cost = costOf(grid, price, quantityMicro);
  const worst = order.isFreeOfFee ? cost : sumOf(cost, feeOf(cost, feeBpsAt(grid, price, fee)));
  return spendMax ? Decimal.min(worst, spendMax.minus(order.spent)) : worst;
}

function setCashHold(order: ExchangeOrder, hold: Decimal): void {
  const { account } = order.terms;
  const others = order.cashHeld.isZero()
    ? account.cashHeld
    : account.cashHeld.minus(order.cashHeld);
  account.cashHeld = sumOf(others, hold);
  order.cashHeld = hold;
}
