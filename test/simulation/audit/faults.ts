// When the last fault ended, and whether any so far could touch a frame: where none did, and no process died,
// positions and profit are exact.

import type { TroubleKind } from '../profiles.ts';

/** What neither loses, doubles nor delays a frame of the account, nor ends a process, nor changes the account. */
const HARMLESS: ReadonlySet<TroubleKind> = new Set([
  'news',
  'reload',
  'pauseMarket',
  'readsStale',
  'bookFramesLost',
  'booksStale',
]);

/** What begins at once and has effects for a while. */
const LASTS_MS: Readonly<Partial<Record<TroubleKind, number>>> = {
  /** Set back by up to four minutes, and put right up to three minutes later: the daemon waits as much longer. */
  hostClockSet: 420_000,
  hostClockJump: 10_000,
  rotateCredentials: 20_000,
  settlementsLate: 90_000,
  stopUnwritten: 95_000,
};

/** No frame is held back for longer by a fault that has ended. */
const TRANSIT_MS = 20_000;

export class Faults {
  #endsAtMs = Number.NEGATIVE_INFINITY;
  /** No frame was lost, doubled or late so far, and no process died. */
  isHarmless: boolean;

  readonly #isDisturbed: boolean;

  /** @param isHarmless - Whether nothing disturbs the world beside its plan. */
  constructor(isHarmless = true) {
    this.isHarmless = isHarmless;
    this.#isDisturbed = !isHarmless;
  }

  /** Whether a frame of then, or one of later, may have been touched. */
  mayLackFrames(atMs: number): boolean {
    return this.#isDisturbed || this.#endsAtMs > atMs - TRANSIT_MS;
  }

  /** When the last of them ended, or will. */
  get endsAtMs(): number {
    return this.#endsAtMs;
  }

  note(kind: TroubleKind, durationMs: number, nowMs: number): void {
    if (HARMLESS.has(kind)) return;
    this.isHarmless = false;
    this.#endsAtMs = Math.max(this.#endsAtMs, nowMs + Math.max(durationMs, LASTS_MS[kind] ?? 0));
  }

  /** Everything was mended. */
  onResynced(nowMs: number): void {
    this.#endsAtMs = Math.min(this.#endsAtMs, nowMs);
  }

  onProcessDied(nowMs: number): void {
    this.isHarmless = false;
    this.#endsAtMs = Math.max(this.#endsAtMs, nowMs);
  }
}
