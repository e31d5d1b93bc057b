// A complete read of the balances: where positions and cash begin, and later the witness of both.
// @spec Resources and their fields › Balances

import type { TokenId } from '../../domain/ids.ts';
import { LEGS, type Leg } from '../../domain/market.ts';
import type { Balances } from '../../domain/message.ts';
import { formatShares, type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { touchToken } from '../kernel/market.ts';
import { NANO_PER_USDC, usdcOf } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { Adopted } from '../positions/reading.ts';
import type { PositionStores } from '../positions/stores.ts';
import { cashOf, type Fill } from '../positions/unsettled.ts';
import { holdToLimits } from '../risk/beyond-limits.ts';
import { watchCash } from '../risk/divergence.ts';
import type { MarketState } from '../sending/market.ts';
import {
  cashBreakNano,
  confirmSets,
  confirmTwice,
  isAnyUnderWay,
  isExplainedBySets,
} from '../sets/confirm.ts';
import { forgetBusts } from './busts.ts';
import { closeExact, isOfAnotherMoment, mayHaveSettled, settledUnreported } from './exact.ts';
import { takeUnnamed } from './fills.ts';
import { recordInferred } from './records.ts';
import type { AccountStores } from './stores.ts';
import { addFlow } from './trade-tokens.ts';

/** A cash break is booked when it has stood for this long: beyond the patience of its control where that minds it. */
const BREAK_MS = 60_000;

type Amounts = ReadonlyMap<TokenId, MicroShares>;

export function onBalances(stores: AccountStores, balances: Balances, askedAtMs: UnixMs): void {
  const { cash, positions } = stores;
  // A read that was asked for before one that we know of shows an older state.
  if (askedAtMs < (cash.askedAtMs ?? 0)) return;
  const amounts = new Map(balances.positions.map((each) => [each.tokenId, each.shareAmount]));
  const locked = new Map(balances.positions.map((each) => [each.tokenId, each.onHoldShareAmount]));
  stores.balancesRead = { amounts, locked, askedAtMs };
  const positionLagMs = lagMs(stores);
  cash.onRead(balances, askedAtMs, positionLagMs);
  if (!positions.isBaselined) begin(stores, amounts, askedAtMs);
  confirmSets(stores, amounts, askedAtMs);
  confirmTwice(stores, askedAtMs);
  stores.risk.left.onBalances(amounts, { askedAtMs, positionLagMs });
  for (const market of stores.markets.values()) readMarket(stores, market, amounts, askedAtMs);
  if (stores.catalogue !== undefined) readLeft(stores, amounts, askedAtMs);
  confirmUnreported(stores, askedAtMs);
  closeExact(stores, askedAtMs);
  const isExplained = isOfAnotherMoment(stores);
  watchCash(stores, isExplained ? 0 : cashBreakNano(stores, askedAtMs));
  adoptBreak(stores, askedAtMs, isExplained ? 0 : cash.breakNano);
}

function lagMs(stores: KernelStores): number {
  return stores.settings?.timing.positionLagMs ?? 0;
}

function begin(stores: AccountStores, amounts: Amounts, askedAtMs: UnixMs): void {
  stores.positions.baseline(amounts, askedAtMs);
  for (const market of stores.markets.values()) {
    fixStart(stores, market);
    stores.workQueue.onTouched(market);
  }
}

/** Fixes what a market begins with, unless that is known already; nothing before balances are. */
export function fixStart(stores: AccountStores, market: MarketState): void {
  const { positions, touched, balancesRead } = stores;
  if (!positions.isBaselined || market.flows.start !== undefined) return;
  for (const leg of LEGS) {
    const tokenId = market.tokenOf(leg);
    positions.open(tokenId, balancesRead?.amounts.get(tokenId) ?? NO_SHARES);
    // Of nothing, too: a next run compares it with what the venue shows then.
    touched.tokens.add(tokenId);
  }
  market.holdings(positions);
  touched.flows.add(market.market.id);
}

function readMarket(
  stores: AccountStores,
  market: MarketState,
  amounts: Amounts,
  askedAtMs: UnixMs,
): void {
  // A split or merge under way is a difference that has its own proof.
  if (isExplainedBySets(stores, market, askedAtMs)) return;
  for (const leg of LEGS) {
    readToken(stores, { market, leg }, amounts.get(market.tokenOf(leg)) ?? NO_SHARES, askedAtMs);
  }
}

type Place = { readonly market: MarketState; readonly leg: Leg };

function readToken(
  stores: AccountStores,
  place: Place,
  amount: MicroShares,
  askedAtMs: UnixMs,
): void {
  const { market, leg } = place;
  const { positions, nowMs } = stores;
  const tokenId = market.tokenOf(leg);
  const before = positions.uncertain(tokenId);
  const reading = positions.onRead(tokenId, amount, {
    askedAtMs,
    nowMs,
    positionLagMs: lagMs(stores),
    nanoPerShare: market.nanoPerShare(leg),
    isPaid: (nano, sinceMs) => stores.cash.hasMoved(nano, { sinceMs, nowMs }),
    mayHaveSettled: (fills) => mayHaveSettled(stores, fills),
  });
  if (positions.uncertain(tokenId) !== before) touchToken(stores, tokenId);
  switch (reading.kind) {
    case 'agrees':
      for (const fill of reading.settled) onShown(stores, place, fill);
      return;
    case 'open':
      return;
    case 'differs':
      onDiffers(stores, tokenId, amount);
      return;
    case 'adopted':
      onAdopted(stores, place, reading);
      return;
  }
}

/** What is uncertain of a market that is not quoted ends in the same quiet; no cash break waits for it longer. */
function readLeft(stores: AccountStores, amounts: Amounts, askedAtMs: UnixMs): void {
  const { positions, byToken, nowMs } = stores;
  for (const tokenId of [...positions.uncertainTokens]) {
    if (byToken.get(tokenId) !== undefined) continue;
    const amount = amounts.get(tokenId) ?? NO_SHARES;
    positions.open(tokenId, amount);
    const at = { askedAtMs, nowMs, positionLagMs: lagMs(stores), nanoPerShare: 0 };
    const reading = positions.onRead(tokenId, amount, at);
    if (reading.kind !== 'adopted') continue;
    addFlow(stores, tokenId, reading.inferredNano - reading.reversedNano);
    stores.cash.explainUpTo(reading.inferredNano);
    forgetBusts(stores, tokenId);
  }
}

function confirmUnreported(stores: AccountStores, askedAtMs: UnixMs): void {
  for (const { tokenId, count } of settledUnreported(stores, askedAtMs)) {
    const fills = stores.positions.confirmOldest(tokenId, count, stores.nowMs);
    const place = stores.byToken.get(tokenId);
    if (place !== undefined) for (const fill of fills) onShown(stores, place, fill);
  }
}

/** Balances showed that a fill has settled: its cash has moved, at its price as far as anybody knows. */
function onShown(stores: AccountStores, { market, leg }: Place, fill: Fill): void {
  const countedNano = cashOf(fill, fill.quantity);
  const knownNano = takeUnnamed(stores, fill);
  if (knownNano === undefined) stores.cash.explain(countedNano);
  else addFlow(stores, market.tokenOf(leg), knownNano - countedNano);
  stores.workQueue.onTouched(market);
  touchToken(stores, market.tokenOf(leg));
}

function onDiffers(stores: PositionStores, tokenId: TokenId, amount: MicroShares): void {
  touchToken(stores, tokenId);
  stores.outbox.report({
    event: 'position.differs',
    tokenId,
    venues: formatShares(amount),
    low: formatShares(stores.positions.low(tokenId)),
    high: formatShares(stores.positions.high(tokenId)),
  });
}

/** Nothing happened for the whole lag: the venue's number is ours, and the difference an inferred fill. */
function onAdopted(stores: AccountStores, { market, leg }: Place, adopted: Adopted): void {
  const { ours, venues, inferred, inferredNano, isPriced, reversedNano } = adopted;
  const tokenId = market.tokenOf(leg);
  addFlow(stores, tokenId, inferredNano - reversedNano);
  // What its cash leaves of the break speaks of what is uncertain elsewhere: cut off, it would agree by chance.
  const isAnyOpen = [...stores.positions.allUncertain()].some(({ item }) => item.isOwed !== true);
  if (isPriced && isAnyOpen) stores.cash.explain(inferredNano);
  else stores.cash.explainUpTo(inferredNano);
  if (inferred !== 0) recordInferred(stores, { market, leg }, { shares: inferred, inferredNano });
  forgetBusts(stores, tokenId);
  touchToken(stores, tokenId);
  if (ours === venues) return;
  holdToLimits(stores, tokenId);
  stores.outbox.report({
    event: 'position.adopted',
    tokenId,
    ours: formatShares(ours),
    venues: formatShares(venues),
  });
}

/**
 * What stays missing or over is booked as it is, and said; nobody looks for whose it was. While shares are
 * uncertain that may have moved it, it stands: it is what tells whether they traded. So it does while a chain
 * action is under way: cash shows its payout minutes before positions show its shares.
 */
function adoptBreak(stores: PositionStores, askedAtMs: UnixMs, breakNano: number): void {
  if (isAnyUnderWay(stores, askedAtMs)) return;
  const { cash, positions, settings, nowMs } = stores;
  const sign = Math.sign(breakNano);
  for (const { item } of positions.allUncertain())
    if (item.isOwed !== true && Math.sign(item.cashNano) === sign) return;
  const { cashUsdc = 0, forMs = 0 } = settings?.risk.divergence ?? {};
  const isMinded = cashUsdc > 0 && Math.abs(breakNano) > cashUsdc * NANO_PER_USDC;
  const nano = cash.adopt(nowMs, BREAK_MS + (isMinded ? forMs : 0), breakNano);
  if (nano === 0) return;
  stores.outbox.report({ event: 'cash.adopted', amountUsdc: usdcOf(nano).toFixed(6) });
}
