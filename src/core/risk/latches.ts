// Controls that have tripped, each with its level, its reason and its way back. The level that holds
// for a market is the hardest of its own latches and those of the account.
// @spec Architecture decision 11

import type { MarketId } from '../../domain/ids.ts';
import {
  type ControlName,
  isLatchOfCut,
  type ResumeRule,
  RISK_LEVELS,
  type RiskLevel,
  type StoredLatch,
} from '../../domain/risk.ts';
import { type MicroShares, microShares } from '../../domain/shares.ts';
import { complement, type TickGrid, type Ticks, ticksWithin } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { meetsMinNotional } from '../../domain/usdc.ts';
import type { AxisSide, Quote, QuoteReason } from '../../strategy/index.ts';
import type { Exposure, NetRange } from './exposure.ts';

export class Latches {
  /** At most one for each control and market, and one for each control of the account. */
  readonly #latches = new Map<string, StoredLatch>();
  #account: StoredLatch | undefined;
  readonly #markets = new Map<MarketId, StoredLatch>();
  /** The earliest moment at which one of them ends by itself. */
  #nextEndMs = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#latches.size;
  }

  all(): readonly StoredLatch[] {
    return [...this.#latches.values()];
  }

  get(control: ControlName, marketId: MarketId | undefined): StoredLatch | undefined {
    return this.#latches.get(keyOf(control, marketId));
  }

  binding(marketId: MarketId): StoredLatch | undefined {
    const own = this.#markets.get(marketId);
    return own === undefined ? this.#account : hardest(this.#account, own);
  }

  /** The hardest level of the whole account. */
  get accountLevel(): RiskLevel {
    return this.#account?.level ?? 'normal';
  }

  /** Whether tripping like this changes anything: it is new, harder, or holds longer. */
  moves({ control, marketId, level, resumes }: Omit<StoredLatch, 'detail' | 'sinceMs'>): boolean {
    const known = this.#latches.get(keyOf(control, marketId));
    if (known === undefined || rankOf(level) > rankOf(known.level)) return true;
    return outlasts(resumes, known.resumes);
  }

  /** @returns What holds now. */
  set(latch: StoredLatch): StoredLatch {
    const key = keyOf(latch.control, latch.marketId);
    const held = heldOn(this.#latches.get(key), latch);
    this.#latches.set(key, held);
    this.#sumUp();
    return held;
  }

  lift(control: ControlName, marketId: MarketId | undefined): void {
    this.#latches.delete(keyOf(control, marketId));
    this.#sumUp();
  }

  /** Takes out those whose time has come. */
  takeEnded(nowMs: UnixMs): readonly StoredLatch[] {
    if (nowMs < this.#nextEndMs) return [];
    return this.#take(({ resumes }) => resumes.kind === 'time' && resumes.atMs <= nowMs);
  }

  /** Takes out those of one market: an operator has looked at it. */
  takeOf(marketId: MarketId): readonly StoredLatch[] {
    return this.#take((latch) => latch.marketId === marketId);
  }

  /** An operator has looked: takes out all of them, but for what nobody can see. */
  takeAll(): readonly StoredLatch[] {
    return this.#take((latch) => !isLatchOfCut(latch));
  }

  #take(isOver: (latch: StoredLatch) => boolean): readonly StoredLatch[] {
    const taken = this.all().filter(isOver);
    for (const { control, marketId } of taken) this.#latches.delete(keyOf(control, marketId));
    this.#sumUp();
    return taken;
  }

  /** Latches are few and move seldom; what asks for levels asks often. */
  #sumUp(): void {
    this.#account = undefined;
    this.#markets.clear();
    this.#nextEndMs = Number.POSITIVE_INFINITY;
    for (const latch of this.#latches.values()) {
      const { marketId, resumes } = latch;
      if (resumes.kind === 'time') this.#nextEndMs = Math.min(this.#nextEndMs, resumes.atMs);
      if (marketId === undefined) this.#account = hardest(this.#account, latch);
      else this.#markets.set(marketId, hardest(this.#markets.get(marketId), latch));
    }
  }
}

/**
 * A latch that trips again never becomes milder, nor easier to lift, whichever of the two asks for what;
 * it keeps the time at which it began.
 */
function heldOn(known: StoredLatch | undefined, next: StoredLatch): StoredLatch {
  if (known === undefined) return next;
  const level = rankOf(next.level) > rankOf(known.level) ? next.level : known.level;
  const resumes = outlasts(next.resumes, known.resumes) ? next.resumes : known.resumes;
  return { ...next, level, resumes, sinceMs: known.sinceMs };
}

/** What a condition lifts, time may hold on to; what time lifts, only an operator may have to. */
const WAYS_BACK: readonly ResumeRule['kind'][] = ['condition', 'time', 'operator'];

/** Whether one way back is further than another. */
function outlasts(one: ResumeRule, other: ResumeRule): boolean {
  if (one.kind === 'time' && other.kind === 'time') return one.atMs > other.atMs;
  return WAYS_BACK.indexOf(one.kind) > WAYS_BACK.indexOf(other.kind);
}

function hardest(one: StoredLatch | undefined, other: StoredLatch): StoredLatch {
  return one === undefined || rankOf(other.level) > rankOf(one.level) ? other : one;
}

function keyOf(control: ControlName, marketId: MarketId | undefined): string {
  return marketId === undefined ? control : `${control} ${marketId}`;
}

// The ladder of levels as an order: what a harder level forbids, a milder one may allow.

/** Height on the ladder; `normal` is 0. */
export function rankOf(level: RiskLevel): number {
  return RISK_LEVELS.indexOf(level);
}

export function isAtLeast(level: RiskLevel, floor: RiskLevel): boolean {
  return rankOf(level) >= rankOf(floor);
}

export function harder(one: RiskLevel, other: RiskLevel): RiskLevel {
  return rankOf(one) >= rankOf(other) ? one : other;
}

/** What lifts a latch, for people. */
export function clearsText(resumes: ResumeRule, nowMs: UnixMs): string {
  switch (resumes.kind) {
    case 'operator':
      return 'bookend resume, after the cause is understood';
    case 'time':
      return `ends by itself in ${Math.max(0, Math.ceil((resumes.atMs - nowMs) / 1_000))} s`;
    case 'condition':
      return `by itself: ${resumes.text}`;
  }
}

// What a level leaves of the target quotes of a market, and of the orders that would be sent for them.

export type Held = {
  readonly quotes: readonly Quote[];
  readonly reasons: readonly QuoteReason[];
};

const NO_REASONS: readonly QuoteReason[] = Object.freeze([]);

/** The target quotes that a latch leaves; all of them, as they are, where there is none. */
export function held(
  quotes: readonly Quote[],
  latch: StoredLatch | undefined,
  at: {
    readonly grid: TickGrid;
    readonly net: MicroShares;
    readonly widenPrice: number;
    readonly nowMs: UnixMs;
  },
): Held {
  if (latch === undefined) return { quotes, reasons: NO_REASONS };
  switch (latch.level) {
    case 'widen':
      return { quotes: widened(quotes, at.grid, at.widenPrice), reasons: NO_REASONS };
    case 'stop-adding':
      // What rests may stay; what would be new is stopped where it is sent.
      return { quotes, reasons: NO_REASONS };
    case 'cancel': {
      const kept = towardsZero(at.grid, quotes, at.net);
      return { quotes: kept, reasons: reasonsOf(latch, kept, at.nowMs) };
    }
    case 'reduce-only': {
      const kept = reducingPart(at.grid, quotes, at.net);
      return { quotes: kept, reasons: reasonsOf(latch, kept, at.nowMs) };
    }
    case 'killed':
      return { quotes: [], reasons: reasonsOf(latch, [], at.nowMs) };
  }
}

/** Why an order does not go at this level, `undefined` when it may. */
export function heldAtSend(
  latch: StoredLatch,
  order: { readonly axisSide: AxisSide },
  of: { readonly net: NetRange; readonly after: Exposure; readonly isWorse: boolean },
): 'stop_adding' | 'reduce_only' | undefined {
  if (!isAtLeast(latch.level, 'stop-adding')) return undefined;
  const room = roomOf(order.axisSide, of.net);
  const used = usedOf(order.axisSide, of);
  const mayGo = room > 0 && !of.isWorse && latch.level !== 'killed';
  if (isAtLeast(latch.level, 'reduce-only'))
    return mayGo && used <= room ? undefined : 'reduce_only';
  return mayGo && used <= FARTHEST * room ? undefined : 'stop_adding';
}

/** Beyond zero by as much as the position was before, it is no larger than that. */
const FARTHEST = 2;

/** How much a side may trade and bring the position nearer to zero, whatever of its range it is. */
function roomOf(side: AxisSide, { least, most }: NetRange): number {
  return Math.max(0, side === 'ask' ? least : -most);
}

/** Shares by which orders of a side may move the position; what is uncertain is in its range already. */
function usedOf(
  side: AxisSide,
  { net, after }: { readonly net: NetRange; readonly after: Exposure },
): number {
  return side === 'ask'
    ? after.netDown - (net.expected - net.least)
    : after.netUp - (net.most - net.expected);
}

/** The side whose fills bring the position nearer to zero: whole while they leave none that is larger. */
function towardsZero(grid: TickGrid, quotes: readonly Quote[], net: MicroShares): readonly Quote[] {
  if (net === 0) return [];
  const side: AxisSide = net > 0 ? 'ask' : 'bid';
  const kept = quotes.filter((quote) => quote.side === side);
  const all = kept.reduce((sum, { quantity }) => sum + quantity, 0);
  return all > FARTHEST * Math.abs(net) ? reducingPart(grid, quotes, net) : kept;
}

function widened(quotes: readonly Quote[], grid: TickGrid, byPrice: number): readonly Quote[] {
  // The price of one tick at least: a level that changes nothing would be none.
  const ticks = Math.max(1, Math.round(byPrice * grid.ticksPerUnit));
  return defined(quotes.map((quote) => movedBack(grid, quote, ticks)));
}

function reasonsOf(
  latch: StoredLatch,
  kept: readonly Quote[],
  nowMs: UnixMs,
): readonly QuoteReason[] {
  const reason = {
    code: latch.control,
    detail: `${latch.level}: ${latch.detail}`,
    clears: clearsText(latch.resumes, nowMs),
  };
  const sides = (['bid', 'ask'] as const).filter(
    (side) => !kept.some((each) => each.side === side),
  );
  return sides.map((side) => ({ side, ...reason }));
}

// What a level, or a guard, may do to a quote: keep what reduces, move it away from the other side.

/**
 * The quotes that lead towards a flat position, the inner ones first, up to the position itself. One share at 0.36 is
 * no order that the venue takes: such a rest leads nowhere, and what kept the others away is why nothing is quoted.
 */
export function reducingPart(
  grid: TickGrid,
  quotes: readonly Quote[],
  net: MicroShares,
): readonly Quote[] {
  const side: AxisSide = net < 0 ? 'bid' : 'ask';
  const inward = side === 'bid' ? -1 : 1;
  let left: number = Math.abs(net);
  const kept: Quote[] = [];
  const own = quotes.filter((quote) => quote.side === side);
  for (const quote of own.toSorted((a, b) => inward * (a.price - b.price))) {
    const quantity = microShares(Math.min(quote.quantity, left));
    left -= quantity;
    if (isSendable(grid, quote.price, quantity))
      kept.push({ ...quote, quantity, purpose: 'reduce' });
  }
  return kept;
}

/** As an order of either leg: a bid for YES at 0.36 may be a sale of NO at 0.64. */
function isSendable(grid: TickGrid, price: Ticks, quantity: MicroShares): boolean {
  const isWorth = (at: Ticks) => meetsMinNotional(grid, at, quantity);
  return isWorth(price) || isWorth(complement(grid, price));
}

/** The quote so many ticks further from the other side, `undefined` beyond the price range. */
export function movedBack(grid: TickGrid, quote: Quote, byTicks: number): Quote | undefined {
  if (byTicks === 0) return quote;
  const away = quote.side === 'bid' ? -byTicks : byTicks;
  const price = ticksWithin(grid, quote.price + away);
  if (price === undefined) return undefined;
  // What was safe nearer the other side is not any more.
  const { worst: _, ...rest } = quote;
  return { ...rest, price };
}

export function defined(quotes: readonly (Quote | undefined)[]): readonly Quote[] {
  return quotes.filter((quote) => quote !== undefined);
}
