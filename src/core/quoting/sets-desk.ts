// What the recycler last thought of one market: for status, and so that advice is told once.

import type { SetsOrder } from '../../domain/sets.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Reason } from '../../domain/view.ts';
import type { ReasonText } from './reasons.ts';

export type SetsAdvice = { readonly action: SetsOrder['action']; readonly amount: string };

export class SetsDesk {
  request: SetsAdvice | undefined;
  reason: Reason | undefined;
  lookedAtMs: UnixMs | undefined;
  #told: { readonly action: string; readonly atMs: UnixMs } | undefined;

  /** A reason keeps its begin for as long as its code stays the same. */
  rest(reason: ReasonText, nowMs: UnixMs, request?: SetsAdvice): void {
    const sinceMs = this.reason?.code === reason.code ? this.reason.sinceMs : nowMs;
    this.reason = { ...reason, sinceMs };
    this.request = request;
  }

  clear(): void {
    this.reason = undefined;
    this.request = undefined;
    this.#told = undefined;
  }

  /** Whether this advice is new: another action, or the same one after a while. */
  isNew({ action }: SetsAdvice, at: { readonly nowMs: UnixMs; readonly pauseMs: number }): boolean {
    const told = this.#told;
    if (told?.action === action && at.nowMs - told.atMs < at.pauseMs) return false;
    this.#told = { action, atMs: at.nowMs };
    return true;
  }
}
