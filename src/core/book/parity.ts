// YES and NO are two sides of one thing: buying both, or selling both, must not be free money for
// longer than somebody needs to take it.

import type { TrustSettings } from '../../domain/trust.ts';
import type { MarketBook } from './axis.ts';
import { NO_RANK } from './levels.ts';

export class ParityWatch {
  #sinceMs = Number.NaN;
  /** A contradiction that fresh baselines of both books showed too: it is real. */
  #acceptedTicks = 0;

  /** The contradiction in ticks that has lasted too long, 0 for none. */
  breach(book: MarketBook, limits: TrustSettings, nowMs: number): number {
    if (limits.parityEdge === 0) return 0;
    const ticks = contradiction(book);
    this.#acceptedTicks = Math.min(this.#acceptedTicks, Math.max(ticks, 0) * 2);
    const allowed = limits.parityEdge * book.yes.mirror.grid.ticksPerUnit;
    if (ticks <= Math.max(allowed, this.#acceptedTicks)) {
      this.#sinceMs = Number.NaN;
      return 0;
    }
    if (Number.isNaN(this.#sinceMs)) this.#sinceMs = nowMs;
    return nowMs - this.#sinceMs >= limits.parityMs ? ticks : 0;
  }

  /** One of the books was in doubt and is trusted again: what was seen before was another book. */
  restart(): void {
    this.#sinceMs = Number.NaN;
  }

  /** Fresh baselines say so too: up to twice as much is trusted from now on. */
  accept(book: MarketBook): void {
    this.#acceptedTicks = Math.max(0, contradiction(book)) * 2;
    this.#sinceMs = Number.NaN;
  }
}

/** Ticks by which both bids together exceed 1, or both asks together fall short of it. */
export function contradiction(book: MarketBook): number {
  const { yes, no } = book;
  const end = yes.mirror.grid.ticksPerUnit;
  const bids = pair(yes.mirror.levels('bid').best, no.mirror.levels('bid').best);
  // The rank of an ask is its distance from 1, so the same sum serves both.
  const asks = pair(yes.mirror.levels('ask').best, no.mirror.levels('ask').best);
  return Math.max(bids, asks) - end;
}

function pair(yes: number, no: number): number {
  return yes === NO_RANK || no === NO_RANK ? Number.NEGATIVE_INFINITY : yes + no;
}
