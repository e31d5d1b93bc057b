// Controls that have tripped, each with its level, its reason and its way back. The level that holds
// for a market is the hardest of its own latches and those of the account.
// @spec Architecture decision 11

import type { MarketId, RequestId, TokenId } from '../../domain/ids.ts';
import {
  type ControlName,
  isLatchOfCut,
  type ResumeRule,
  RISK_LEVELS,
  type RiskLevel,
  type StoredLatch,
  type StoredMarketStop,
} from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';

/** What moved: nothing, a new latch or a harder level, or only the words and the time of one. */
type Latched = 'new' | 'raised' | 'kept';

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
    const account = this.#account;
    if (own === undefined || account === undefined) return own ?? account;
    return rankOf(own.level) > rankOf(account.level) ? own : account;
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

  set(latch: StoredLatch): Latched {
    const key = keyOf(latch.control, latch.marketId);
    const known = this.#latches.get(key);
    this.#latches.set(key, heldOn(known, latch));
    this.#sumUp();
    if (known === undefined) return 'new';
    return rankOf(latch.level) > rankOf(known.level) ? 'raised' : 'kept';
  }

  /** @returns The latch that was lifted, `undefined` where there was none. */
  lift(control: ControlName, marketId: MarketId | undefined): StoredLatch | undefined {
    const key = keyOf(control, marketId);
    const known = this.#latches.get(key);
    if (known === undefined) return undefined;
    this.#latches.delete(key);
    this.#sumUp();
    return known;
  }

  /** Takes out those whose time has come. */
  takeEnded(nowMs: UnixMs): readonly StoredLatch[] {
    if (nowMs < this.#nextEndMs) return [];
    const ended = this.all().filter(
      ({ resumes }) => resumes.kind === 'time' && resumes.atMs <= nowMs,
    );
    for (const { control, marketId } of ended) this.#latches.delete(keyOf(control, marketId));
    this.#sumUp();
    return ended;
  }

  /** Takes out those of one market: an operator has looked at it. */
  takeOf(marketId: MarketId): readonly StoredLatch[] {
    const own = this.all().filter((latch) => latch.marketId === marketId);
    for (const { control } of own) this.#latches.delete(keyOf(control, marketId));
    if (own.length > 0) this.#sumUp();
    return own;
  }

  /** An operator has looked: takes out all of them, but for what nobody can see. */
  takeAll(): readonly StoredLatch[] {
    const lifted = this.all().filter((latch) => !isLatchOfCut(latch));
    for (const { control, marketId } of lifted) this.#latches.delete(keyOf(control, marketId));
    this.#sumUp();
    return lifted;
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
export function heldOn(known: StoredLatch | undefined, next: StoredLatch): StoredLatch {
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
  if (one === undefined) return other;
  return harder(one.level, other.level) === one.level ? one : other;
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

// Markets that an operator has stopped, one by one. Each stands until an operator resumes that very market:
// no resume of the account, no restart and no control lifts it, and no other market knows of it.

/** As many as anybody stops by hand; whoever stops more pauses the account. */
export const MARKET_STOPS_MAX = 1_000;

export type MarketStop = StoredMarketStop & {
  tokenId?: TokenId | undefined;
  /** The request that cancels all of the market, until it is answered. */
  cancel: RequestId | undefined;
  /** A list that was asked for later counts: the market was stopped, and its cancel answered. */
  clearFromMs: UnixMs;
  /** Nothing of ours is left there, nor may still arrive. */
  isConfirmed: boolean;
};

export class MarketStops {
  readonly #stops = new Map<MarketId, MarketStop>();

  get size(): number {
    return this.#stops.size;
  }

  of(marketId: MarketId): MarketStop | undefined {
    return this.#stops.get(marketId);
  }

  all(): Iterable<MarketStop> {
    return this.#stops.values();
  }

  /** As a journal keeps them. */
  stored(): readonly StoredMarketStop[] {
    return [...this.#stops.values()].map(({ marketId, tokenId, stop, by, sinceMs }) => ({
      ...{ marketId, tokenId, stop, by, sinceMs },
    }));
  }

  set(stored: StoredMarketStop): MarketStop {
    const stop = { ...stored, cancel: undefined, clearFromMs: stored.sinceMs, isConfirmed: false };
    this.#stops.set(stored.marketId, stop);
    return stop;
  }

  /** A list shows an order there that nobody here keeps: only a later one may say that nothing is left. */
  onListed(marketId: MarketId, askedAtMs: UnixMs): void {
    const stop = this.#stops.get(marketId);
    if (stop !== undefined && stop.clearFromMs < askedAtMs) stop.clearFromMs = askedAtMs;
  }

  lift(marketId: MarketId): void {
    this.#stops.delete(marketId);
  }
}
