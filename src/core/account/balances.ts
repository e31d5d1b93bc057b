// A complete read of the balances: where positions and cash begin, and later the witness of both.
// @spec Resources and their fields › Balances

import type { TokenId } from '../../domain/ids.ts';
import type { Balances } from '../../domain/message.ts';
import { formatShares, type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { NANO_PER_USDC, usdcOf } from '../kernel/nano.ts';
import type { MarketState } from '../market.ts';
import type { Leg } from '../orders/own-order.ts';
import { touchToken } from '../positions/doubt.ts';
import { cashOf, type Fill } from '../positions/fill.ts';
import type { Adopted } from '../positions/reading.ts';
import { watchCash } from '../risk/divergence.ts';
import { cashBreakNano, confirmSets, isAnyUnderWay, isExplainedBySets } from '../sets/sets.ts';
import type { World } from '../world.ts';
import { forgetBusts } from './busts.ts';
import { closeExact } from './exact.ts';
import { takeUnnamed } from './fills.ts';
import { recordInferred } from './records.ts';
import { addFlow } from './trade-tokens.ts';

const LEGS = ['yes', 'no'] as const;
/** A cash break is booked when it has stood for this long: beyond the patience of its control where that minds it. */
const BREAK_MS = 60_000;

type Amounts = ReadonlyMap<TokenId, MicroShares>;

export function onBalances(world: World, balances: Balances, askedAtMs: UnixMs): void {
  const { cash, positions } = world;
  // A read that was asked for before one that we know of shows an older world.
  if (askedAtMs < (cash.askedAtMs ?? 0)) return;
  const amounts = new Map(balances.positions.map((each) => [each.tokenId, each.shareAmount]));
  const locked = new Map(balances.positions.map((each) => [each.tokenId, each.onHoldShareAmount]));
  world.balancesRead = { amounts, locked, askedAtMs };
  cash.onRead(balances, askedAtMs);
  if (!positions.isBaselined) begin(world, amounts, askedAtMs);
  const positionLagMs = lagMs(world);
  confirmSets(world, amounts, askedAtMs);
  world.risk.left.onBalances(amounts, { askedAtMs, positionLagMs });
  for (const market of world.markets.values()) readMarket(world, market, amounts, askedAtMs);
  closeExact(world, askedAtMs);
  watchCash(world, cashBreakNano(world, askedAtMs));
  adoptBreak(world, askedAtMs);
}

function lagMs(world: World): number {
  return world.settings?.timing.positionLagMs ?? 0;
}

function begin(world: World, amounts: Amounts, askedAtMs: UnixMs): void {
  world.positions.baseline(amounts, askedAtMs);
  for (const market of world.markets.values()) {
    fixStart(world, market);
    world.workQueue.onTouched(market);
  }
}

/** Fixes what a market begins with, unless that is known already; nothing before balances are. */
export function fixStart(world: World, market: MarketState): void {
  const { positions, touched, balancesRead } = world;
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

function readMarket(world: World, market: MarketState, amounts: Amounts, askedAtMs: UnixMs): void {
  // A split or merge under way is a difference that has its own proof.
  if (isExplainedBySets(world, market, askedAtMs)) return;
  for (const leg of LEGS) {
    readToken(world, { market, leg }, amounts.get(market.tokenOf(leg)) ?? NO_SHARES, askedAtMs);
  }
}

type Place = { readonly market: MarketState; readonly leg: Leg };

function readToken(world: World, place: Place, amount: MicroShares, askedAtMs: UnixMs): void {
  const { market, leg } = place;
  const { positions, nowMs } = world;
  const tokenId = market.tokenOf(leg);
  const before = positions.uncertain(tokenId);
  const reading = positions.onRead(tokenId, amount, {
    askedAtMs,
    nowMs,
    positionLagMs: lagMs(world),
    nanoPerShare: market.nanoPerShare(leg),
  });
  if (positions.uncertain(tokenId) !== before) touchToken(world, tokenId);
  switch (reading.kind) {
    case 'agrees':
      for (const fill of reading.settled) onShown(world, place, fill);
      return;
    case 'open':
      return;
    case 'differs':
      onDiffers(world, tokenId, amount);
      return;
    case 'adopted':
      onAdopted(world, place, reading);
      return;
  }
}

/** Balances showed that a fill has settled: its cash has moved, at its price as far as anybody knows. */
function onShown(world: World, { market, leg }: Place, fill: Fill): void {
  const countedNano = cashOf(fill, fill.quantity);
  const knownNano = takeUnnamed(world, fill);
  if (knownNano === undefined) world.cash.explain(countedNano);
  else addFlow(world, market.tokenOf(leg), knownNano - countedNano);
  world.workQueue.onTouched(market);
  touchToken(world, market.tokenOf(leg));
}

function onDiffers(world: World, tokenId: TokenId, amount: MicroShares): void {
  touchToken(world, tokenId);
  world.outbox.report({
    event: 'position.differs',
    tokenId,
    venues: formatShares(amount),
    low: formatShares(world.positions.low(tokenId)),
    high: formatShares(world.positions.high(tokenId)),
  });
}

/** Nothing happened for the whole lag: the venue's number is ours, and the difference an inferred fill. */
function onAdopted(world: World, { market, leg }: Place, adopted: Adopted): void {
  const { ours, venues, inferred, inferredNano, reversedNano } = adopted;
  const tokenId = market.tokenOf(leg);
  addFlow(world, tokenId, inferredNano - reversedNano);
  world.cash.explain(inferredNano);
  if (inferred !== 0) recordInferred(world, { market, leg }, { shares: inferred, inferredNano });
  forgetBusts(world, tokenId);
  touchToken(world, tokenId);
  if (ours === venues) return;
  world.outbox.report({
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
function adoptBreak(world: World, askedAtMs: UnixMs): void {
  if (isAnyUnderWay(world, askedAtMs)) return;
  const { cash, positions, settings, nowMs } = world;
  const sign = Math.sign(cash.breakNano);
  for (const { item } of positions.allUncertain()) if (Math.sign(item.cashNano) === sign) return;
  const { cashUsdc = 0, forMs = 0 } = settings?.risk.divergence ?? {};
  const isMinded = cashUsdc > 0 && Math.abs(cash.breakNano) > cashUsdc * NANO_PER_USDC;
  const nano = cash.adopt(nowMs, BREAK_MS + (isMinded ? forMs : 0));
  if (nano === 0) return;
  world.outbox.report({ event: 'cash.adopted', amountUsdc: usdcOf(nano).toFixed(6) });
}
