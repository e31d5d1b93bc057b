// What a sweep would have chosen at each moment, and what it then would have earned: recordings in the order of
// their time, the best of those before tried on the next one.

import { errorOf, meanOf } from './mean.ts';
import type { Point, Scored } from './sweep.ts';

export type WalkedRow = Scored & {
  /** USDC an hour by world or recording. */
  readonly byWorld: Readonly<Record<string, number>>;
};

export type Step = {
  /** What it was tried on. */
  readonly recording: string;
  /** The best of all that came before it. */
  readonly point: Point;
  /** USDC an hour there. */
  readonly before: number;
  readonly after: number;
  /** The default's, on the same one. */
  readonly base: number;
};

export type Walk = {
  readonly steps: readonly Step[];
  /** USDC an hour more than the default, on what had chosen nothing. */
  readonly gain: number;
  readonly error: number | undefined;
};

/**
 * @param recordings - In the order of their time: three or more say something.
 * @param base - The default's row.
 */
export function walkForward(
  rows: readonly WalkedRow[],
  base: WalkedRow,
  recordings: readonly string[],
): Walk {
  const steps = recordings.slice(1).map((recording, index) => {
    const past = recordings.slice(0, index + 1);
    const earned = (row: WalkedRow): number => meanOf(past.map((name) => row.byWorld[name] ?? 0));
    const best = rows.reduce((most, row) => (earned(row) > earned(most) ? row : most), base);
    const on = (row: WalkedRow): number => row.byWorld[recording] ?? 0;
    const figures = { before: earned(best), after: on(best), base: on(base) };
    return { recording, point: best.point, ...figures };
  });
  const gains = steps.map(({ after, base: of }) => after - of);
  return { steps, gain: meanOf(gains), error: errorOf(gains) };
}
