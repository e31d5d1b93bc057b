// The write budget: what the core allows itself before the client's limiter has to say no.

import { assert } from '../../domain/assert.ts';
import type { RequestId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';

/**
 * The venue counts in windows of 10 s; ours is a little longer, so that writes which the network
 * squeezes together do not land in one window of the venue's. @spec Limits
 */
export const WRITE_WINDOW_MS = 10_250;
/** Placement requests that may be unanswered at once: more only hides a venue in trouble. */
const IN_FLIGHT_MAX = 16;

export class WriteBudget {
  /** Times of the last writes, a ring as long as the venue's own limit. */
  readonly #sentAtMs: Float64Array;
  #next = 0;
  #count = 0;
  #perWindow: number;
  #blockedUntilMs = 0;
  /** Unanswered placements, oldest first. */
  readonly #inFlight = new Map<RequestId, UnixMs>();

  constructor(perWindow: number, capacity: number) {
    assert(perWindow <= capacity, 'a write budget fits its ring');
    this.#perWindow = perWindow;
    this.#sentAtMs = new Float64Array(capacity);
  }

  setPerWindow(perWindow: number): void {
    assert(perWindow <= this.#sentAtMs.length, 'a write budget fits its ring');
    this.#perWindow = perWindow;
  }

  get perWindow(): number {
    return this.#perWindow;
  }

  usedInWindow(nowMs: UnixMs): number {
    const capacity = this.#sentAtMs.length;
    let used = 0;
    while (used < this.#count) {
      const at = this.#sentAtMs[(this.#next - 1 - used + 2 * capacity) % capacity] ?? 0;
      if (nowMs - at >= WRITE_WINDOW_MS) break;
      used += 1;
    }
    return used;
  }

  mayWrite(nowMs: UnixMs): boolean {
    return (
      nowMs >= this.#blockedUntilMs &&
      this.#inFlight.size < IN_FLIGHT_MAX &&
      this.usedInWindow(nowMs) < this.#perWindow
    );
  }

  onSent(requestId: RequestId, nowMs: UnixMs): void {
    assert(this.mayWrite(nowMs), 'a write is sent only within the budget');
    this.count(requestId, nowMs);
  }

  /** It has left, whatever a clock that was set since says of the budget. */
  count(requestId: RequestId, nowMs: UnixMs): void {
    const capacity = this.#sentAtMs.length;
    this.#sentAtMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % capacity;
    this.#count = Math.min(this.#count + 1, capacity);
    this.#inFlight.set(requestId, nowMs);
  }

  onAnswered(requestId: RequestId): void {
    this.#inFlight.delete(requestId);
  }

  /** An answer that never came must not take up its place for ever. */
  giveUpBefore(atMs: number): void {
    for (const [requestId, sentAtMs] of this.#inFlight) {
      if (sentAtMs >= atMs) return;
      this.#inFlight.delete(requestId);
    }
  }

  /**
   * The venue said `rate_limited`: nothing more until then.
   * @returns Whether that is new: each order of a batch is told so by the same answer.
   */
  blockUntil(atMs: number): boolean {
    const isLater = atMs > this.#blockedUntilMs;
    if (isLater) this.#blockedUntilMs = atMs;
    return isLater;
  }
}
