// Whether a market trades, by the last frame, rejection or acceptance that spoke of it. The interface does
// not say that the end of a pause is announced, so that it is left on evidence: one order asks, at a
// growing pace, and at once after a new connection or a snapshot.
// @spec States and transitions › Event and market status

import type { TradingStatus } from '../../domain/market.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { askAgainInMs } from '../kernel/bounds.ts';

/** Between probing orders: a market comes back in a tenth of the time that it was paused, within a minute. */
const PACE = { leastMs: 2_000, mostMs: 60_000 };
/** A venue may send snapshots all through a pause: evidence hastens no more than this. */
const HASTENED_MS = 10_000;

export class LiveStatus {
  #status: TradingStatus = 'open';
  #sinceMs: UnixMs | undefined;
  #evidence = 'nothing speaks against it';
  #askedAtMs: UnixMs | undefined;
  #probeAtMs: UnixMs | undefined;

  get status(): TradingStatus {
    return this.#status;
  }

  /** What it follows from, for people. */
  get evidence(): string {
    return this.#evidence;
  }

  /** When the next probing order may go; absent where no order would be evidence. */
  get probeAtMs(): UnixMs | undefined {
    return this.#probeAtMs;
  }

  /** Something says what it is now. @returns Whether that is another status than before. */
  set(status: TradingStatus, evidence: string, nowMs: UnixMs): boolean {
    this.#evidence = evidence;
    if (status === this.#status) return false;
    this.#status = status;
    this.#sinceMs = nowMs;
    this.#askedAtMs = undefined;
    const mayEnd = status !== 'open' && status !== 'resolved';
    this.#probeAtMs = mayEnd ? addMs(nowMs, PACE.leastMs) : undefined;
    return true;
  }

  /** An order that left before the status was known tells nothing of it; nor does one of that moment. */
  isOlder(sentAtMs: UnixMs): boolean {
    return this.#sinceMs !== undefined && sentAtMs <= this.#sinceMs;
  }

  isProbeDue(nowMs: UnixMs): boolean {
    return this.#probeAtMs !== undefined && nowMs >= this.#probeAtMs;
  }

  /** The probing order has left. */
  onProbed(nowMs: UnixMs): void {
    this.#askedAtMs = nowMs;
    this.#probeAtMs = addMs(nowMs, askAgainInMs(nowMs - (this.#sinceMs ?? nowMs), PACE));
  }

  /** Something that a pause would not bring: the next probing order need not wait its whole time. */
  hasten(nowMs: UnixMs): void {
    if (this.#probeAtMs === undefined) return;
    const restedAtMs = addMs(this.#askedAtMs ?? this.#sinceMs ?? nowMs, HASTENED_MS);
    if (restedAtMs < this.#probeAtMs) this.#probeAtMs = restedAtMs;
  }

  /** Nobody listened for a while: its end may have been announced. */
  askAnew(nowMs: UnixMs): void {
    if (this.#probeAtMs !== undefined) this.#probeAtMs = nowMs;
  }
}
