// What we hold and what became of our fills: quotes that lean against the position, risk too much at the ends of the price
// range, or keep losing.

import type { OverlaySettings } from '../../../domain/overlays.ts';
import type { MicroShares } from '../../../domain/shares.ts';
import { ticksWithin } from '../../../domain/ticks.ts';
import type { UnixMs } from '../../../domain/time.ts';
import type { AxisSide, Quote } from '../../../strategy/index.ts';
import { defined, movedBack } from '../../risk/latches.ts';
import {
  type Guard,
  type Guarded,
  type GuardReason,
  type Situation,
  shrunk,
  untouched,
} from './guard.ts';

export const guardInventory: Guard<'inventory'> = (quotes, situation, settings) => {
  const { net } = situation;
  const used = usedPart(situation);
  const leanTicks = Math.round(settings.skewTicks * used) * Math.sign(net);
  if (net === 0 || (used <= settings.taperFrom && leanTicks === 0)) return untouched(quotes);
  const part = used >= settings.softCap ? 0 : used > settings.taperFrom ? 1 - used : 1;
  const kept = quotes.map((quote) => {
    const leaned = leanTicks === 0 ? quote : lean(quote, situation, leanTicks);
    return leaned !== undefined && isAdding(leaned, net) ? shrunk(leaned, part) : leaned;
  });
  const reason: GuardReason = {
    guard: 'inventory',
    side: net > 0 ? 'bid' : 'ask',
    code: part === 0 ? 'position_soft_cap' : 'position_lean',
    detail: `${Math.round(used * 100)} % of the position limit are in use`,
    clears: 'the position shrinks or the limit rises',
    effect: part === 0 ? 'pulled' : part < 1 ? 'smaller' : 'moved',
  };
  return { quotes: defined(kept), reasons: [reason] };
};

/** Part of the position limit in use, 0 to 1. */
function usedPart({ net, maxPosition }: Situation): number {
  const size = Math.abs(net);
  return size >= maxPosition ? 1 : size / maxPosition;
}

/** The side whose fills make the position larger; without a position both do. */
function isAdding(quote: Quote, net: MicroShares): boolean {
  return quote.side === 'bid' ? net >= 0 : net <= 0;
}

/** Down when long, up when short, and never onto or through the other side of the book. */
function lean(quote: Quote, { grid, book }: Situation, leanTicks: number): Quote | undefined {
  const { worst: _, ...rest } = quote;
  const wanted = quote.price - leanTicks;
  const bid = book.bestBid() ?? 0;
  const ask = book.bestAsk() ?? grid.ticksPerUnit;
  const safe = quote.side === 'bid' ? Math.min(wanted, ask - 1) : Math.max(wanted, bid + 1);
  const price = ticksWithin(grid, safe);
  return price === undefined ? undefined : { ...rest, price };
}

// Near 0 and 1 a quote may risk fifty times what it can win: a bid at 0.99 wins a cent.

export const guardBoundary: Guard<'boundary'> = (quotes, { grid, net }, settings) => {
  const n = grid.ticksPerUnit;
  const isNear = (price: number) => price <= settings.ticks || price >= n - settings.ticks;
  const isTooMuch = (quote: Quote) =>
    isAdding(quote, net) && isNear(quote.price) && lossPerGain(quote, n) > settings.lossPerGainMax;
  if (!quotes.some(isTooMuch)) return untouched(quotes);
  const kept = quotes.filter((quote) => !isTooMuch(quote));
  const reason = (side: AxisSide): GuardReason => ({
    guard: 'boundary',
    side,
    code: 'near_boundary',
    detail: `the quote risks more than ${settings.lossPerGainMax} for each dollar it may win`,
    clears: 'the price comes back from the end of its range',
    effect: 'pulled',
  });
  const hit = (['bid', 'ask'] as const).filter((side) =>
    quotes.some((quote) => quote.side === side && isTooMuch(quote)),
  );
  return { quotes: kept, reasons: hit.map(reason) };
};

function lossPerGain(quote: Quote, n: number): number {
  return quote.side === 'bid' ? quote.price / (n - quote.price) : (n - quote.price) / quote.price;
}

// Takers who know better: quotes that keep losing are pulled, moved back and made smaller.

export const guardToxicity: Guard<'toxicity'> = (quotes, situation, settings, before) => {
  const toxicity = {
    bid: pulledSince(situation, settings, { side: 'bid', sinceMs: before.toxicity.bid }),
    ask: pulledSince(situation, settings, { side: 'ask', sinceMs: before.toxicity.ask }),
  };
  const moved = movedAndShrunk(quotes, situation, settings);
  const reasons = [...moved.reasons];
  for (const side of ['bid', 'ask'] as const) {
    const sinceMs = toxicity[side];
    if (sinceMs === undefined) continue;
    const leftMs = sinceMs + settings.pullMs - situation.nowMs;
    reasons.push({
      guard: 'toxicity',
      side,
      code: 'toxic_flow',
      detail: `${settings.losses} fills lost a tick within 10 s`,
      clears: `looked at again in ${Math.ceil(leftMs / 1_000)} s`,
      effect: 'pulled',
    });
  }
  const kept = moved.quotes.filter(({ side }) => toxicity[side] === undefined);
  return { quotes: kept, reasons, state: { toxicity } };
};

/** Since when a side is pulled; losses that led to a pull do not lead to the next one. */
function pulledSince(
  { nowMs, quickLosses }: Situation,
  settings: OverlaySettings['toxicity'],
  { side, sinceMs: known }: { readonly side: AxisSide; readonly sinceMs: UnixMs | undefined },
): UnixMs | undefined {
  if (known !== undefined && nowMs - known < settings.pullMs) return known;
  const sinceMs = Math.max(nowMs - settings.windowMs, (known ?? 0) + 1);
  return quickLosses(side, sinceMs) >= settings.losses ? nowMs : undefined;
}

function movedAndShrunk(
  quotes: readonly Quote[],
  { toxicity, grid }: Situation,
  settings: OverlaySettings['toxicity'],
): Guarded {
  const lossUsdc = Math.max(0, -(toxicity.markout60sUsdc ?? 0));
  const isKnown = toxicity.informedShare !== undefined && lossUsdc > 0;
  const backTicks = Math.ceil(settings.widenWeight * lossUsdc * grid.ticksPerUnit);
  const part = settings.shrinks ? 1 / (1 + lossUsdc * grid.ticksPerUnit) : 1;
  if (!isKnown || (backTicks === 0 && part === 1)) return { quotes, reasons: [] };
  const changed = quotes.map((quote) => {
    const back = movedBack(grid, quote, backTicks);
    return back === undefined ? undefined : shrunk(back, part);
  });
  const reason: GuardReason = {
    guard: 'toxicity',
    side: 'both',
    code: 'toxic_markouts',
    detail: `fills lose ${lossUsdc.toFixed(4)} USDC per share within 60 s`,
    clears: 'fills stop losing',
    effect: backTicks > 0 ? 'moved' : 'smaller',
  };
  return { quotes: defined(changed), reasons: [reason] };
}
