// Whether a statement is trusted: in time, in order, and not an absurd jump.

import type { FeedChoice } from '../domain/feed.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import type { Refusal, Statement } from './statement.ts';

export type Taken = {
  readonly kind: 'taken';
  readonly price: number;
  readonly logOddsVar: number | undefined;
  readonly atMs: UnixMs;
};

export type Verdict = Taken | Refusal | { readonly kind: 'skipped' };

/** A clock may be off by so much; beyond it, a time is wrong. */
const AHEAD_MS_MAX = 60_000;

/** Remembers what it took last, and what it is asked to trust. */
export class Judge {
  readonly #choice: Pick<FeedChoice, 'ageMsMax' | 'jumpMax' | 'jumpReadings'>;
  #last: Taken | undefined;
  /** As its source stated it, which may be ahead of us: what comes next is told in the same time. */
  #lastStatedMs: UnixMs | undefined;
  #jump: { readonly price: number; readonly readings: number } | undefined;

  constructor(choice: Pick<FeedChoice, 'ageMsMax' | 'jumpMax' | 'jumpReadings'>) {
    this.#choice = choice;
  }

  /** @param usualAtMs - The time of a statement that states none. */
  judge(statement: Statement, usualAtMs: UnixMs, nowMs: UnixMs): Verdict {
    const atMs = statement.atMs ?? usualAtMs;
    if (atMs - nowMs > AHEAD_MS_MAX) {
      const found = `${Math.round((atMs - nowMs) / 1_000)} s ahead of this machine`;
      return { kind: 'refused', place: 'time', found, right: 'a time that has come' };
    }
    // Of a price that counts no more it only matters when it was heard: dated ahead, it would silence all until then.
    const afterMs = this.#counts(nowMs) ? this.#lastStatedMs : this.#last?.atMs;
    if (afterMs !== undefined && atMs < afterMs) return { kind: 'skipped' };
    const refusal = this.#jumpRefusal(statement.price, nowMs);
    if (refusal !== undefined) return refusal;
    this.#jump = undefined;
    this.#lastStatedMs = atMs;
    // A price grows old from when it was heard at the latest: one from ahead of us would stay fresh for as
    // long as its clock is ahead, though its source has fallen silent.
    const sinceMs = unixMs(Math.min(atMs, nowMs));
    const { price } = statement;
    this.#last = { kind: 'taken', price, logOddsVar: varOf(statement), atMs: sinceMs };
    return this.#last;
  }

  #counts(nowMs: UnixMs): boolean {
    return this.#last !== undefined && nowMs - this.#last.atMs <= this.#choice.ageMsMax;
  }

  /** A glitch goes as it came; a move that lasts is trusted after some readings. */
  #jumpRefusal(price: number, nowMs: UnixMs): Refusal | undefined {
    const { jumpMax, jumpReadings } = this.#choice;
    const last = this.#last;
    // After an outage there is nothing to compare with: the world may have moved.
    if (last === undefined || !this.#counts(nowMs)) return undefined;
    if (Math.abs(price - last.price) <= jumpMax) return undefined;
    const before = this.#jump;
    const agrees = before !== undefined && Math.abs(price - before.price) <= jumpMax;
    const readings = agrees ? before.readings + 1 : 1;
    if (readings >= jumpReadings) return undefined;
    this.#jump = { price, readings };
    return {
      kind: 'refused',
      place: 'price',
      found: `${price} after ${last.price}`,
      right: `a move of at most ${jumpMax}, or ${jumpReadings} readings in a row that agree`,
    };
  }
}

/** From a deviation of the price to a variance of its log-odds, by the slope p (1 - p). */
function varOf({ price, deviation }: Statement): number | undefined {
  if (deviation === undefined) return undefined;
  const logOddsVar = (deviation / (price * (1 - price))) ** 2;
  return Number.isFinite(logOddsVar) ? logOddsVar : undefined;
}
