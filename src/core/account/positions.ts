// From the venue's words to inventory and cash: matches, settlements, failures, REST balances.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { Balances, SettledTrade, VenueMessage } from '../../domain/message.ts';
import { formatShares, type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { onFillCounted, onSettlementFailed } from '../halts/breakers.ts';
import { watchCash } from '../halts/divergence.ts';
import { cashOf } from '../inventory/pending.ts';
import type { MarketState } from '../market.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { answerUnseenEnds, forgetProvenEnds, hasEndsUnderWay } from '../orders/unseen-ends.ts';
import { recordFill } from '../records.ts';
import { tradeNano } from '../risk/nano.ts';
import { proveSets } from '../sets/sets.ts';
import type { World } from '../world.ts';
import {
  isAwaited,
  isGuessed,
  tokenOfPending,
  tokensInstead,
  tokensUnheard,
  tokensWithPending,
} from './attribution.ts';
import { type Amounts, type BalancesRead, confirmMarket, noteShown } from './confirm.ts';
import { doubt, prove, unproven } from './doubts.ts';
import { type Holds, holdsOf, mayHideMatch } from './hidden-match.ts';
import {
  areSharesExplained,
  isHoldExplained,
  mayProve,
  noteMatchHolds,
  paidUnheard,
} from './hold-proof.ts';
import { unseenWhere } from './overpaid.ts';
import { fixStart } from './starts.ts';
import { fillOf, noteUnpaid, payLate, proveCash } from './taker-fees.ts';
import { mayHaveFailed, noteUnfit } from './unfit-failures.ts';

type Settled = Extract<VenueMessage, { kind: 'tradeSettled' }>;
type Failed = Extract<VenueMessage, { kind: 'tradeFailed' }>;

/** Trade ids remembered, so that a settlement told twice counts once. */
const TRADE_IDS_MAX = 20_000;
/** A frame that comes twice comes with nothing or little between. */
const TOLD_AGAIN_MS = 1_000;
const LEGS = ['yes', 'no'] as const;

/** Shares of an own order traded, at its own price: a maker is filled at his price or better. */
export function onExecuted(world: World, order: OwnOrder, quantity: MicroShares): void {
  const market = world.markets.get(order.marketId);
  if (market === undefined) return;
  const fill = fillOf(world, market, order, quantity);
  market.holdings(world.inventory);
  market.flows.cashNano += cashOf(fill, quantity);
  market.flows.fills += 1;
  const traded = { side: order.axisSide, price: order.axisPrice, quantity };
  market.insight.onFill(traded, world.nowMs);
  market.isDirty = true;
  onFillCounted(world, market, quantity);
  recordFill(world, order, quantity);
  market.flows.cashNano -= world.inventory.onMatched(fill);
  // What of it settled before it was told of was heard of.
  if (fill.isFound === true && fill.quantity > 0)
    world.account.onFoundMatch(cashOf(fill, fill.quantity));
  payLate(world, market);
  if (mayHaveFailed(world, order, quantity)) doubt(world, order.tokenId);
  world.outbox.report({
    event: 'order.filled',
    marketId: order.marketId,
    tokenId: order.tokenId,
    side: order.side,
    price: formatPrice(market.grid, order.price),
    quantity: formatShares(quantity),
  });
}

/** @returns Whether balances must be read because the trade could not be attributed. */
export function onTradeSettled(world: World, told: Settled): boolean {
  const trade = partOf(world, told);
  world.history.onTold(told, world.nowMs);
  if (isRepeated(world, trade.tradeId)) return false;
  const tokenId = trade.tokenId ?? tokenOfPending(world, trade);
  const quantity = formatShares(trade.quantity);
  world.outbox.report({ event: 'trade.settled', tokenId, side: trade.side, quantity });
  if (tokenId === undefined) world.history.onUnnamed(trade.tradeId, world.nowMs);
  return settle(world, trade, tokenId);
}

/**
 * One trade may settle several matches of ours, each told of by its name: what says something else than the
 * frame before it, and is just what waits, is another part and no repetition.
 */
function partOf(world: World, told: Settled): Settled {
  const name = world.history.nameOfPart(told);
  if (name === undefined) return told;
  const isPart = world.tradeIds.has(name) || isAwaited(world, told);
  return isPart ? { ...told, tradeId: name } : told;
}

/**
 * Counts a settlement, whoever told of it.
 * @returns Whether balances must be read because nobody knows of which token it is.
 */
export function settle(world: World, trade: SettledTrade, tokenId: TokenId | undefined): boolean {
  recordSettlement(world, trade, tokenId);
  if (tokenId === undefined) {
    for (const each of tokensWithPending(world, trade)) stir(world, each);
    return true;
  }
  const cashNano = tradeNano(trade);
  if (isGuessed(world, tokenId, trade)) doubtGuess(world, tokenId, trade);
  for (const each of tokensInstead(world, tokenId, trade)) doubt(world, each);
  const feeNano = countSettled(world, tokenId, { ...trade, cashNano });
  noteUnpaid(world, world.marketOf(tokenId), { trade, paidNano: feeNano });
  world.account.onFlow(cashNano - feeNano, world.nowMs, feeNano !== 0);
  dirty(world, tokenId);
  return false;
}

/** It may as well be of an order that ended unheard, in a market that its cash would prove without it. */
function doubtGuess(world: World, given: TokenId, trade: SettledTrade): void {
  for (const each of [given, ...tokensUnheard(world, given, trade)]) doubt(world, each);
}

/**
 * A settlement was told that may be of this token: what the venue shows of it lags from now on. A match
 * that should have settled and shown long ago is not what it is of, and keeps no token from its quiet.
 */
function stir(world: World, tokenId: TokenId): void {
  const sinceMs = world.nowMs - (world.settings?.timing.positionLagMs ?? 0);
  const isRecent = world.inventory.pendingFills(tokenId).some(({ atMs }) => atMs > sinceMs);
  if (isRecent) world.inventory.stir(tokenId, world.nowMs);
}

/**
 * The chain has the last word on what shares cost: a match that nobody told us of is counted now, and
 * one that was counted at another price is put right.
 * @returns The fee of what was sent to take, in nano-USDC.
 */
function countSettled(
  world: World,
  tokenId: TokenId,
  trade: Pick<SettledTrade, 'side' | 'quantity' | 'marketId'> & { readonly cashNano: number },
): number {
  const market = world.marketOf(tokenId);
  // What it starts with is fixed before the first share comes.
  market?.holdings(world.inventory);
  const countedNano = world.inventory.onSettled(tokenId, trade, world.nowMs);
  const feeNano = world.inventory.takeFees();
  const netNano = trade.cashNano - feeNano;
  const isDoubted = market?.unprovenSinceMs === undefined && world.inventory.isUnexplained(tokenId);
  if (isDoubted) unproven(world, market);
  const id = market?.market.id ?? traderOf(world, tokenId, trade.marketId);
  const flows = id === undefined ? undefined : world.flows.get(id);
  if (id === undefined || flows === undefined || countedNano === netNano) return feeNano;
  flows.cashNano += netNano - countedNano;
  world.touched.flows.add(id);
  return feeNano;
}

/**
 * The market of a token that is not there while a match of it settles: it has left since, or a new life
 * does not quote it. It is the one that left, that an order of the earlier life names, or the frame itself,
 * where that market was ever traded. Before its start is fixed, the shares are a part of it.
 */
function traderOf(
  world: World,
  tokenId: TokenId,
  named: SettledTrade['marketId'],
): MarketId | undefined {
  const id = world.leftTokens.get(tokenId) ?? world.restored.marketOf(tokenId) ?? named;
  return id !== undefined && world.flows.get(id)?.start !== undefined ? id : undefined;
}

/** Keeps a settlement, so that no life counts it again. */
export function recordSettlement(
  world: World,
  trade: SettledTrade,
  tokenId: TokenId | undefined,
): void {
  const { tradeId, side, quantity } = trade;
  const cashNano = tradeNano(trade);
  const settlement = { tradeId, side, quantity, tokenId, cashNano, atMs: world.nowMs };
  world.outbox.record({ kind: 'settlement', settlement });
  if (tokenId !== undefined) world.touched.tokens.add(tokenId);
}

/**
 * Reverses a match whose settlement failed. The frame names no token: it is the one with such
 * shares pending, if that is only one. @returns Whether balances must be read instead.
 */
export function onTradeFailed(world: World, trade: Failed): boolean {
  onSettlementFailed(world);
  const tokens = tokensWithPending(world, trade);
  const [tokenId] = tokens;
  const isAgain = isToldAgain(world, trade);
  const isOne = tokens.length === 1 && tokenId !== undefined;
  const isSure = isOne && (!isAgain || hasWhole(world, tokenId, trade));
  world.outbox.report({
    event: 'trade.failed',
    marketId: trade.marketId,
    side: trade.side,
    quantity: formatShares(trade.quantity),
    reason: trade.reason,
    reversed: isSure,
  });
  if (!isSure || isAgain) for (const each of tokens) doubt(world, each);
  if (!isSure) {
    noteUnreversed(world, tokens, trade);
    return true;
  }
  const market = world.marketOf(tokenId);
  // A part of a match may as well be another match that nobody told of, and this one have settled unheard.
  if (!hasWhole(world, tokenId, trade)) doubt(world, tokenId);
  const failed = world.inventory.onFailed(tokenId, trade.side, trade.quantity, world.nowMs);
  if (market) {
    market.flows.cashNano -= failed.cashNano;
    world.touched.flows.add(market.market.id);
  }
  world.touched.tokens.add(tokenId);
  dirty(world, tokenId);
  // Which of several orders it was, and whether that rests again, is for the next list to say.
  if (!failed.isOfOne) {
    noteFailed(world, tokenId, trade);
    // Where shares rest again they may have matched again at once, and no list ever shows less then.
    if (world.hasReinstated) doubt(world, tokenId);
    else unproven(world, market);
  }
  return true;
}

/** What failed may be of several tokens, or of none that has so much waiting. */
function noteUnreversed(world: World, tokens: readonly TokenId[], trade: Failed): void {
  for (const each of tokens) noteFailed(world, each, trade);
  if (tokens.length === 0) for (const each of noteUnfit(world, trade)) doubt(world, each);
}

function noteFailed(world: World, tokenId: TokenId, { side, quantity }: Failed): void {
  world.failedTrades.add({ tokenId, side, atMs: world.nowMs }, quantity);
}

function hasWhole(world: World, tokenId: TokenId, { side, quantity }: Failed): boolean {
  const fills = world.inventory.pendingFills(tokenId);
  return fills.some((fill) => fill.side === side && fill.quantity === quantity);
}

/**
 * Whether a failure just like it was told of a moment before: one frame that came twice, or two matches
 * of one size. Nothing in it tells them apart: positions do.
 */
function isToldAgain(world: World, { marketId, side, quantity, reason }: Failed): boolean {
  const what = JSON.stringify([marketId, side, quantity, reason]);
  const before = world.lastFailed;
  world.lastFailed = { what, atMs: world.nowMs };
  return before?.what === what && world.nowMs - before.atMs <= TOLD_AGAIN_MS;
}

/** A complete read of the balances: the baseline first, later a witness. */
export function onBalances(world: World, balances: Balances, askedAtMs: UnixMs): void {
  // A read that was asked for before one that we know of tells of an older world.
  if (askedAtMs < (world.account.askedAtMs ?? 0)) return;
  const amounts = new Map<TokenId, MicroShares>();
  for (const each of balances.positions) amounts.set(each.tokenId, each.shareAmount);
  const proof = proveCash(world, balances, askedAtMs);
  world.balancesRead = { amounts, askedAtMs };
  watchCash(world, askedAtMs);
  if (!world.inventory.isBaselined) {
    world.inventory.baseline(amounts, askedAtMs);
    for (const market of world.markets.values()) {
      fixStart(world, market);
      world.agenda.onTouched(market);
    }
    compareRestored(world, amounts, askedAtMs);
    return;
  }
  proveSets(world, amounts, askedAtMs);
  const positionLagMs = world.settings?.timing.positionLagMs ?? 0;
  world.risk.left.onBalances(amounts, { askedAtMs, positionLagMs });
  const cash = { isPaid: paidUnheard(world), unexplainedNano: world.account.surpriseNano };
  const read = { amounts, askedAtMs, isCashExplained: proof === 'agrees', cash };
  for (const market of world.markets.values()) confirmMarket(world, market, read);
  noteShown(world);
  if (proof !== 'agrees') return;
  noteMatchHolds(world, askedAtMs);
  if (isHoldExplained(world, askedAtMs)) proveMarkets(world, balances, read);
  answerUnseenEnds(world, balances, askedAtMs);
}

/** What an earlier life left must be what the venue shows, or the market waits until it is. */
function compareRestored(world: World, amounts: Amounts, askedAtMs: UnixMs): void {
  for (const market of world.markets.values()) {
    const differs = LEGS.some((leg) => {
      const tokenId = market.tokenOf(leg);
      const isSame = world.inventory.settled(tokenId) === (amounts.get(tokenId) ?? NO_SHARES);
      const isOpen = world.inventory.pendingFills(tokenId).length > 0;
      return !isSame || isOpen || world.inventory.isUnexplained(tokenId);
    });
    if (!differs) continue;
    unproven(world, market);
    confirmMarket(world, market, { amounts, askedAtMs, isCashExplained: false });
  }
}

/**
 * A market comes to be quoted: what is known of its shares may be as old as this life, since nobody
 * compares those of others. What balances showed last says whether they have changed.
 */
export function compareJoined(world: World, market: MarketState): void {
  const { balancesRead } = world;
  if (balancesRead === undefined) return;
  if (hasStale(world, market, balancesRead)) unproven(world, market);
}

/** Of a match that is neither settled nor given back by now what is held says nothing: it holds nothing. */
function hasStale(
  world: World,
  market: MarketState,
  { amounts, askedAtMs }: Pick<BalancesRead, 'amounts' | 'askedAtMs'>,
): boolean {
  const at = { askedAtMs, positionLagMs: world.settings?.timing.positionLagMs ?? 0 };
  return LEGS.some((leg) => {
    const tokenId = market.tokenOf(leg);
    return world.inventory.isStale(tokenId, amounts.get(tokenId) ?? NO_SHARES, at);
  });
}

function proveMarkets(world: World, balances: Balances, read: BalancesRead): void {
  const { askedAtMs } = read;
  let holds: Holds | undefined;
  let areUnseenThere: ReturnType<typeof unseenWhere> | undefined;
  for (const market of world.markets.values()) {
    const since = market.unprovenSinceMs;
    if (since === undefined || !mayProve(world, since, askedAtMs)) continue;
    // Its quotes were taken from the book when it came to be doubted, and what is held answers for them, too.
    if (hasEndsUnderWay(world, market, askedAtMs)) continue;
    const isDoubted = LEGS.some((leg) => world.inventory.isUnexplained(market.tokenOf(leg)));
    if (isDoubted || hasStale(world, market, read)) continue;
    if (!areSharesExplained(world, market, balances, askedAtMs)) continue;
    areUnseenThere ??= unseenWhere(world, balances, askedAtMs);
    if (!areUnseenThere(market)) continue;
    holds ??= holdsOf(world, balances, askedAtMs);
    if (mayHideMatch(world, market, holds)) continue;
    forgetProvenEnds(world, market, askedAtMs);
    prove(world, market);
  }
}

/** Whether a settlement was told before; from now on it was. */
export function isRepeated(world: World, tradeId: string): boolean {
  if (world.tradeIds.has(tradeId)) return true;
  world.tradeIds.add(tradeId);
  if (world.tradeIds.size > TRADE_IDS_MAX) {
    const oldest = world.tradeIds.values().next().value;
    if (oldest !== undefined) world.tradeIds.delete(oldest);
  }
  return false;
}

function dirty(world: World, tokenId: TokenId): void {
  const market = world.marketOf(tokenId);
  if (market) market.isDirty = true;
}
