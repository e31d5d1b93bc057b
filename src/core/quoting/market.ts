// A market with what was last decided about its quotes, and why.

import { SHARE_DECIMALS_MAX } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { QuoteReason } from '../../strategy/index.ts';
import { mark } from '../kernel/work-queue.ts';
import { RiskMarket } from '../risk/market.ts';
import { QuoteDesk } from './desk.ts';
import { ReasonTimes } from './reasons.ts';
import type { Missing } from './target.ts';

export class QuotedMarket extends RiskMarket {
  readonly desk = new QuoteDesk();
  strategyReasons: readonly QuoteReason[] = [];
  strategyFailure: string | undefined;
  #missing: readonly Missing[] = [];
  missingSinceMs: UnixMs | undefined;
  readonly reasons = new ReasonTimes();
  /** Decimals that the venue has let quantities have, and what it refused last. */
  learntDecimals:
    | { readonly decimals: number; readonly refused: number; readonly sinceMs: UnixMs }
    | undefined;

  /** What its target quotes lack. */
  get missing(): readonly Missing[] {
    return this.#missing;
  }

  set missing(missing: readonly Missing[]) {
    // Most decisions find nothing missing where nothing was.
    const isChanged = missing.length > 0 !== this.#missing.length > 0;
    this.#missing = missing;
    if (isChanged) mark(this.workQueue.missing, this, missing.length > 0);
  }

  /** Decimals of a quantity that the venue takes, as far as it is stated or learnt. */
  get quantityDecimals(): number {
    const learnt = this.learntDecimals?.decimals ?? SHARE_DECIMALS_MAX;
    return Math.min(learnt, this.choice.quantityDecimals ?? SHARE_DECIMALS_MAX);
  }

  /** The venue takes no quantity with so many: hundredths are what it most likely takes, and then one less. */
  onDecimalsRejected(refused: number, nowMs: UnixMs): void {
    const decimals = Math.min(2, Math.max(0, refused - 1));
    if (decimals >= (this.learntDecimals?.decimals ?? SHARE_DECIMALS_MAX)) return;
    this.learntDecimals = { decimals, refused, sinceMs: nowMs };
  }
}
