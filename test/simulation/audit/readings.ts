// What the daemon was notified of its clock: a control that lets go while every reading of the last while is
// beyond the limit has forgotten what it is there for.

import type { RiskLimits } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';

/** What it was told may wait for its turn behind what it is doing. */
const TURN_MS = 5_000;
/** A reading that was told so long ago may be what it has just taken in. */
const KEPT_MS = 60_000;

type Reading = { readonly offMs: number; readonly atMs: number };

export class Readings {
  #readings: readonly Reading[] = [];

  onProcessStarts(): void {
    this.#readings = [];
  }

  onMessage(message: VenueMessage, nowMs: number): void {
    if (message.kind !== 'clockOffset') return;
    const offMs = Math.abs(message.offsetMs);
    const kept = this.#readings.filter(({ atMs }) => nowMs - atMs < KEPT_MS);
    this.#readings = [...kept, { offMs, atMs: nowMs }];
  }

  /** @returns What is wrong with letting go of `clock_offset` now. */
  onEased(limits: readonly RiskLimits[], nowMs: number): string | undefined {
    const last = this.#readings.at(-1);
    if (last === undefined || nowMs - last.atMs < TURN_MS) return undefined;
    const leastMs = Math.min(...this.#readings.map(({ offMs }) => offMs));
    const allowedMs = Math.max(...limits.map(({ clock }) => clock?.offsetMsMax || Infinity));
    if (leastMs <= allowedMs) return undefined;
    return `clock_offset ends by itself, and ${Math.round(last.offMs)} ms were measured last`;
  }
}
