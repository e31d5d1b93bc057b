// The account of an injected feed: what was wrong and for how long, what was noticed and by which
// signal, and what was suspected although nothing was wrong.

import type { TrustSignal } from '../../../src/domain/trust.ts';
import type { FaultKind } from './fault-kinds.ts';
import type { TokenFeed } from './token-feed.ts';

/** Time without a new fault after one, longer than the core takes a second for a relapse. */
const CALM_MS = 31_000;

export type FaultFigures = {
  injected: number;
  /** The book was never wrong: the frame's content did not matter. */
  harmless: number;
  /** Later frames put the book right before anybody noticed. */
  passed: number;
  readonly detectedMs: number[];
  readonly passedMs: number[];
};

export class Account {
  readonly byKind = new Map<FaultKind, FaultFigures>();
  readonly bySignal = new Map<TrustSignal, number>();
  readonly resyncTookMs: number[] = [];
  falseAlarms = 0;
  readonly falseBySignal = new Map<TrustSignal, number>();
  reads = 0;
  reconnects = 0;

  began(feed: TokenFeed, kind: FaultKind, nowMs: number): void {
    feed.fault = { kind, atMs: nowMs, wrongSinceMs: undefined, uncertainAtMs: undefined };
    this.of(kind).injected += 1;
  }

  of(kind: FaultKind): FaultFigures {
    const known = this.byKind.get(kind);
    if (known) return known;
    const fresh = { injected: 0, harmless: 0, passed: 0, detectedMs: [], passedMs: [] };
    this.byKind.set(kind, fresh);
    return fresh;
  }

  /** Once per tick and token: has the book gone wrong, or come right by itself? */
  follow(feed: TokenFeed, nowMs: number): void {
    const { fault } = feed;
    if (fault === undefined) return;
    if (fault.wrongSinceMs === undefined && feed.isWrong) fault.wrongSinceMs = nowMs;
    if (fault.uncertainAtMs !== undefined || feed.isWrong || feed.isMuted || feed.late) return;
    if (nowMs - fault.atMs < SETTLE_MS) return;
    const figures = this.of(fault.kind);
    if (fault.wrongSinceMs === undefined) figures.harmless += 1;
    else {
      figures.passed += 1;
      figures.passedMs.push(nowMs - fault.wrongSinceMs);
    }
    this.#close(feed, nowMs);
  }

  uncertain(feed: TokenFeed, signal: TrustSignal, nowMs: number): void {
    const { fault } = feed;
    if (fault === undefined) {
      // The connection's own end is nobody's suspicion.
      if (signal !== 'snapshot') this.#countFalse(signal);
      return;
    }
    if (fault.uncertainAtMs !== undefined) return;
    fault.uncertainAtMs = nowMs;
    this.bySignal.set(signal, (this.bySignal.get(signal) ?? 0) + 1);
    this.of(fault.kind).detectedMs.push(nowMs - (fault.wrongSinceMs ?? fault.atMs));
  }

  resynced(feed: TokenFeed, tookMs: number, nowMs: number): void {
    const isUncertain = feed.fault?.uncertainAtMs !== undefined;
    if (isUncertain) this.resyncTookMs.push(tookMs);
    // A new connection also ends what nobody had noticed yet.
    if (feed.fault !== undefined) this.#close(feed, nowMs);
  }

  get injected(): number {
    return [...this.byKind.values()].reduce((sum, each) => sum + each.injected, 0);
  }

  #countFalse(signal: TrustSignal): void {
    this.falseAlarms += 1;
    this.falseBySignal.set(signal, (this.falseBySignal.get(signal) ?? 0) + 1);
  }

  #close(feed: TokenFeed, nowMs: number): void {
    feed.fault = undefined;
    feed.calmUntilMs = nowMs + CALM_MS;
  }
}

/** A fault that has done no harm by then does none. */
const SETTLE_MS = 1_000;

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
