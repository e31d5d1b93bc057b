// Refusals by code within a sliding interval; nothing is held until the first one.

import { consequenceOf, isVenueCode } from '../../domain/codes.ts';
import type { UnixMs } from '../../domain/time.ts';
import { SlidingCount } from './window.ts';

/** Codes counted apart at one place: the venue has 33, and what it invents must not fill memory. */
const CODES_MAX = 40;

/** The condition of one market, and what nobody has named, costs no other market a quote. */
export function isOfAccount(code: string): boolean {
  return isVenueCode(code) && consequenceOf(code) !== 'stopMarket';
}

export class RefusalCounts {
  #byCode: Map<string, SlidingCount> | undefined;

  /** @returns How many of this code there were in the interval, this one included. */
  add(of: { readonly code: string; readonly nowMs: UnixMs; readonly intervalMs: number }): number {
    const window = this.#windowOf(of.code);
    window.add(of.nowMs, of.intervalMs, { count: 1, amount: 0 });
    return window.count;
  }

  /** The most of any code. */
  most(nowMs: UnixMs, intervalMs: number): number {
    let most = 0;
    for (const window of this.#byCode?.values() ?? []) {
      window.advance(nowMs, intervalMs);
      most = Math.max(most, window.count);
    }
    return most;
  }

  clear(code: string): void {
    this.#byCode?.delete(code);
  }

  forget(): void {
    this.#byCode = undefined;
  }

  #windowOf(code: string): SlidingCount {
    this.#byCode ??= new Map();
    const known = this.#byCode.get(code);
    if (known) return known;
    const oldest = this.#byCode.keys().next().value;
    if (this.#byCode.size >= CODES_MAX && oldest !== undefined) this.#byCode.delete(oldest);
    const fresh = new SlidingCount();
    this.#byCode.set(code, fresh);
    return fresh;
  }
}
