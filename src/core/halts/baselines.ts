// What losses are measured from: the profit at which the session and the day began, and the highest
// since. They outlive a restart with the ledger, so that a loss is not forgotten by starting again.

import type { ControlName, StoredBaselines } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

type Kept = Omit<StoredBaselines, 'left' | 'held' | 'marks'>;

export class Baselines {
  #kept: Kept | undefined;
  /** Losses that an operator has seen and no known profit has followed. */
  readonly #toAcknowledge = new Set<ControlName>();
  /** Grows with every change, so that records know what is new. */
  version = 0;

  get current(): Kept | undefined {
    return this.#kept;
  }

  restore({ left: _left, held: _held, marks: _marks, ...kept }: StoredBaselines): void {
    this.#kept = kept;
  }

  /** Takes in the profit of now, which is known; the first one begins session, day and peak. */
  update(pnlNano: number, day: number): void {
    const kept = this.#acknowledged(pnlNano);
    if (kept === undefined) {
      this.#set({ sessionNano: pnlNano, dayNano: pnlNano, day, peakNano: pnlNano });
      return;
    }
    const isNewDay = day > kept.day;
    if (day === kept.day && pnlNano <= kept.peakNano) return;
    this.#set({
      ...kept,
      // A clock that was ahead, or another hour: the day that had begun goes on, and ends when it should.
      day,
      ...(isNewDay ? { dayNano: pnlNano } : {}),
      peakNano: Math.max(kept.peakNano, pnlNano),
    });
  }

  /**
   * An operator has seen these losses: they are measured from the next profit that is known. One that
   * lacks a price, as right after a start, would move the limit by all that is not priced.
   */
  acknowledge(controls: Iterable<ControlName>): void {
    for (const control of controls) this.#toAcknowledge.add(control);
  }

  #acknowledged(pnlNano: number): Kept | undefined {
    const kept = this.#kept;
    const controls = this.#toAcknowledge;
    if (kept === undefined || controls.size === 0) return kept;
    const moved = {
      ...kept,
      sessionNano: controls.has('session_loss') ? pnlNano : kept.sessionNano,
      dayNano: controls.has('day_loss') ? pnlNano : kept.dayNano,
      peakNano: controls.has('drawdown') ? pnlNano : kept.peakNano,
    };
    controls.clear();
    this.#set(moved);
    return moved;
  }

  #set(kept: Kept): void {
    this.#kept = kept;
    this.version += 1;
  }
}

/** Days since 1970, each beginning at that hour of UTC. */
export function dayOf(nowMs: UnixMs, startsAtHour: number): number {
  return Math.floor((nowMs - startsAtHour * HOUR_MS) / DAY_MS);
}

/** When a day ends. */
export function dayEndMs(day: number, startsAtHour: number): number {
  return (day + 1) * DAY_MS + startsAtHour * HOUR_MS;
}
