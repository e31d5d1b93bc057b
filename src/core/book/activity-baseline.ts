// How often data of one token comes, and when its silence is more than its own baseline.
//
// A pause is measured twice: in time, and in frames that other tokens got meanwhile. Only a pause that
// is long by both is a signal: when everything is quiet the market is, not the feed.

import type { TrustSettings } from '../../domain/trust.ts';

/** Pauses that must have been seen before any is judged. */
const PAUSES_MIN = 30;
/** The longest usual pause fades by this much with each new one, so that a baseline can change. */
const FADE = 0.99;
/** Fewer frames of others than this confirm nothing. */
const OTHERS_MIN = 40;
/** A token whose silences were all harmless is not asked for more than this many times its baseline. */
const SLACK_MAX = 1_024;

export class ActivityBaseline {
  #heardAtMs = Number.NaN;
  #heardAtFrame = 0;
  #pauses = 0;
  #pauseMsMax = 0;
  #pauseFramesMax = 0;
  #slack = 1;

  /** Data came. @param frames - Frames reported for all tokens so far, this one included. */
  onData(nowMs: number, frames: number): void {
    const pauseMs = nowMs - this.#heardAtMs;
    // Frames of one flush are one sign of activity.
    if (pauseMs > 0) {
      this.#pauses += 1;
      this.#pauseMsMax = Math.max(pauseMs, this.#pauseMsMax * FADE);
      const others = frames - this.#heardAtFrame - 1;
      this.#pauseFramesMax = Math.max(others, this.#pauseFramesMax * FADE);
    }
    this.#heardAtMs = nowMs;
    this.#heardAtFrame = frames;
  }

  /** A new connection or baseline: the pause before it was not the token's. */
  restart(nowMs: number, frames: number): void {
    this.#heardAtMs = nowMs;
    this.#heardAtFrame = frames;
  }

  /** How long it has been silent, if that is a signal, and 0 if it is not. */
  silentMs(nowMs: number, frames: number, limits: TrustSettings): number {
    if (limits.silenceFactor === 0 || this.#pauses < PAUSES_MIN) return 0;
    const factor = limits.silenceFactor * this.#slack;
    const silentMs = nowMs - this.#heardAtMs;
    const isLong = silentMs > Math.max(limits.silenceMsMin, factor * this.#pauseMsMax);
    const others = frames - this.#heardAtFrame;
    const isPassedOver = others > Math.max(OTHERS_MIN, factor * this.#pauseFramesMax);
    return isLong && isPassedOver ? silentMs : 0;
  }

  /** The silence was harmless: this token may be silent for longer. */
  forgive(): void {
    this.#slack = Math.min(this.#slack * 2, SLACK_MAX);
  }

  /** The silence was a fault: the baseline stands. */
  confirm(): void {
    this.#slack = 1;
  }
}
