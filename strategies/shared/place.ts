// What own fills tell: which part of what takers trade at our prices is ours, and whether a side was swept just now.

import { MICRO_PER_SHARE } from '../../src/domain/shares.ts';
import {
  decayFactor,
  type Json,
  type QuoteContext,
  rememberedNumber,
} from '../../src/strategy/index.ts';
import { quantityLeast } from './quoting.ts';

/** What was counted an hour ago counts for half. */
const HALVED_SEC = 3_600;
/** Until takers have shown another part, as if so many quotes had been traded and most of them had been ours. */
const PRIOR_QUOTES = 5;
const PRIOR_PART = 0.8;
/** Of what a side has traded, half is forgotten after it: for so long a jump is news to others. */
const LATE_HALVED_SEC = 5;
/** In place of a tick, which is never 0. */
const NOWHERE = 0;

type Counted = {
  /** Shares that takers traded at prices at which we stood with the best of the others, and which of them were ours. */
  readonly traded: number;
  readonly own: number;
  readonly atMs: number;
  /** As of the last look: the newest trade, all own fills of the run, and where we stood with the best of the others. */
  readonly tradedAtMs: number;
  readonly boughtInAll: number;
  readonly soldInAll: number;
  readonly bid: number;
  readonly ask: number;
  /** Shares bought and sold of late, as of the last fill. */
  readonly bought: number;
  readonly sold: number;
  readonly filledAtMs: number;
  /** Shares of the least quote that the touch took when the side was filled last. */
  readonly leastBid: number;
  readonly leastAsk: number;
};

/** `part` is from 0, where others are always filled first, to 1; `memory` is absent where nothing has changed. */
export type Place = {
  readonly part: number;
  /** Shares that each side has traded of late. */
  readonly late: { readonly bid: number; readonly ask: number };
  /** Shares of the least quote that the touch of each side took then. */
  readonly least: { readonly bid: number; readonly ask: number };
  readonly memory?: Json;
};

/** @param size - Of one quote, in shares. */
export function placeOf(context: QuoteContext<unknown>, size: number): Place {
  const before = countedBefore(context);
  const now = countedNow(context, before);
  const prior = PRIOR_QUOTES * size;
  const part = Math.min(1, (now.own + PRIOR_PART * prior) / (now.traded + prior));
  const kept = keptOf(now, context.nowMs);
  const late = { bid: kept * now.bought, ask: kept * now.sold };
  const place = { part, late, least: { bid: now.leastBid, ask: now.leastAsk } };
  return isSame(before, now) && context.memory !== undefined ? place : { ...place, memory: now };
}

function countedNow(context: QuoteContext<unknown>, before: Counted): Counted {
  const { trades, inventory, nowMs } = context;
  let traded = 0;
  for (const trade of trades.recent) {
    const at = trade.taker === 'sells' ? before.bid : before.ask;
    if (trade.atMs > before.tradedAtMs && trade.price === at) traded += trade.size;
  }
  // The position says less: an adoption, what others traded while we were away, a failed settlement move it, too.
  const bought = since(before.boughtInAll, inventory.filled.bought);
  const sold = since(before.soldInAll, inventory.filled.sold);
  const own = (before.bid === NOWHERE ? 0 : bought) + (before.ask === NOWHERE ? 0 : sold);
  const seen = {
    tradedAtMs: trades.recent.at(-1)?.atMs ?? before.tradedAtMs,
    boughtInAll: inventory.filled.bought,
    soldInAll: inventory.filled.sold,
    ...standsAt(context),
    ...filledNow(before, { bought, sold, nowMs }),
    leastBid: bought > 0 ? leastOf(context, 'bid') : before.leastBid,
    leastAsk: sold > 0 ? leastOf(context, 'ask') : before.leastAsk,
  };
  if (traded === 0 && own === 0) return { ...before, ...seen };
  const kept = decayFactor(Math.max(0, nowMs - before.atMs) / 1_000, HALVED_SEC);
  return {
    ...seen,
    atMs: nowMs,
    traded: kept * before.traded + traded / MICRO_PER_SHARE,
    own: kept * before.own + own / MICRO_PER_SHARE,
  };
}

function leastOf(context: QuoteContext<unknown>, side: 'bid' | 'ask'): number {
  const { book } = context;
  const touch = side === 'bid' ? book.bestBid() : book.bestAsk();
  return touch === undefined ? 0 : quantityLeast(context, side, touch) / MICRO_PER_SHARE;
}

/** The part of what was traded of late that counts by now; a date ahead of a clock that was set back is as old as it is far. */
function keptOf({ filledAtMs }: Counted, nowMs: number): number {
  return decayFactor(Math.abs(nowMs - filledAtMs) / 1_000, LATE_HALVED_SEC);
}

/** A next run counts from nothing. */
function since(before: number, now: number): number {
  return now < before ? now : now - before;
}

function filledNow(
  before: Counted,
  {
    bought,
    sold,
    nowMs,
  }: { readonly bought: number; readonly sold: number; readonly nowMs: number },
): Pick<Counted, 'bought' | 'sold' | 'filledAtMs'> {
  if (bought === 0 && sold === 0)
    return { bought: before.bought, sold: before.sold, filledAtMs: before.filledAtMs };
  const kept = keptOf(before, nowMs);
  return {
    bought: kept * before.bought + bought / MICRO_PER_SHARE,
    sold: kept * before.sold + sold / MICRO_PER_SHARE,
    filledAtMs: nowMs,
  };
}

/** Where our best quotes stand with the best of the others; one that improves on them says nothing of a place behind. */
function standsAt({ book, ownQuotes }: QuoteContext<unknown>): { bid: number; ask: number } {
  const prices = (side: 'bid' | 'ask') =>
    ownQuotes.filter((quote) => quote.side === side).map(({ price }) => price);
  const bid = Math.max(NOWHERE, ...prices('bid'));
  const ask = Math.min(Number.MAX_SAFE_INTEGER, ...prices('ask'));
  return {
    bid: bid === book.bestBid() ? bid : NOWHERE,
    ask: ask === book.bestAsk() ? ask : NOWHERE,
  };
}

function countedBefore({ memory, inventory, nowMs }: QuoteContext<unknown>): Counted {
  const of = (key: keyof Counted, fallback: number) => rememberedNumber(memory, key, fallback);
  return {
    traded: Math.max(0, of('traded', 0)),
    own: Math.max(0, of('own', 0)),
    atMs: of('atMs', nowMs),
    tradedAtMs: of('tradedAtMs', 0),
    boughtInAll: of('boughtInAll', inventory.filled.bought),
    soldInAll: of('soldInAll', inventory.filled.sold),
    bid: of('bid', NOWHERE),
    ask: of('ask', NOWHERE),
    bought: Math.max(0, of('bought', 0)),
    sold: Math.max(0, of('sold', 0)),
    filledAtMs: of('filledAtMs', nowMs),
    leastBid: Math.max(0, of('leastBid', 0)),
    leastAsk: Math.max(0, of('leastAsk', 0)),
  };
}

function isSame(a: Counted, b: Counted): boolean {
  return (
    a.atMs === b.atMs &&
    a.tradedAtMs === b.tradedAtMs &&
    a.boughtInAll === b.boughtInAll &&
    a.soldInAll === b.soldInAll &&
    a.bid === b.bid &&
    a.filledAtMs === b.filledAtMs &&
    a.ask === b.ask
  );
}
