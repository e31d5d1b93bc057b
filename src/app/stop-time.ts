// How a stop divides the time that it has: the core confirms, else the independent path cancels, else the guard does.

import type { Clock, UnixMs } from '../domain/time.ts';
import type { Settings } from '../settings/settings.ts';

/** A process that has said its last word may still have something open. */
const GONE_MS = 1_000;

/** From the request to stop to the last word; infinite where nothing but a proof ends it. */
export function stopDeadlineMs({
  stopDeadlineSec,
}: Pick<Settings['guard'], 'stopDeadlineSec'>): number {
  const deadlineMs = stopDeadlineSec === 0 ? Number.POSITIVE_INFINITY : stopDeadlineSec * 1_000;
  return Math.max(deadlineMs - GONE_MS, deadlineMs * 0.9);
}

/** Half of what is left behind the last word: so long may an end wait for whom it notifies. */
export function lastNoticesMs({
  stopDeadlineSec,
}: Pick<Settings['guard'], 'stopDeadlineSec'>): number {
  const deadlineMs = stopDeadlineSec === 0 ? Number.POSITIVE_INFINITY : stopDeadlineSec * 1_000;
  return Math.min(GONE_MS, deadlineMs * 0.1) / 2;
}

/** Durations from the target quotes on. */
export type StopTime = {
  /** The core has said by then what became of it, or is not asked any more. */
  readonly verdictMs: number;
  /** The independent path has: what is left is its guard's. */
  readonly killMs: number;
  /** Where nothing rests and only settlements are waited for. */
  readonly settleMs: number;
};

const VERDICT_LEFT_MS = 5_000;
const KILL_LEFT_MS = 3_000;
const SETTLE_LEFT_MS = 2_000;

/** The shares of a short time are as much shorter. */
export function stopTimeOf(guard: Pick<Settings['guard'], 'stopDeadlineSec'>): StopTime {
  const deadlineMs = stopDeadlineMs(guard);
  const before = (leftMs: number, part: number) =>
    Math.max(deadlineMs - leftMs, deadlineMs * (1 - part));
  return {
    verdictMs: before(VERDICT_LEFT_MS, 1 / 2),
    killMs: before(KILL_LEFT_MS, 1 / 3),
    settleMs: before(SETTLE_LEFT_MS, 1 / 5),
  };
}

/** The time of one stop as it passes, by a clock that nobody sets. */
export class StopClock {
  readonly #steady: Clock;
  readonly #time: StopTime;
  #begunAtMs: UnixMs | undefined;

  constructor(steady: Clock, guard: Pick<Settings['guard'], 'stopDeadlineSec'>) {
    this.#steady = steady;
    this.#time = stopTimeOf(guard);
  }

  /** A second time changes nothing. */
  begin(): void {
    this.#begunAtMs ??= this.#steady.nowMs();
  }

  /** What is left of a share, and no more than `atMostMs`. */
  leftMs(share: keyof StopTime, atMostMs = Number.POSITIVE_INFINITY): number {
    const nowMs = this.#steady.nowMs();
    const passedMs = nowMs - (this.#begunAtMs ?? nowMs);
    return Math.max(0, Math.min(atMostMs, this.#time[share] - passedMs));
  }
}
