// What was written down of past days, by what it is about.

import { MARKOUT_SEC } from '../../backtest/fills.ts';
import type { DayLine, DayLineOf } from '../../journal/days/day-line.ts';
import { pastLines } from '../../journal/days/day-reader.ts';

/** A fill, and the middles that were looked at after it. */
export type NotedFill = {
  readonly line: DayLineOf<'fill'>;
  readonly later: readonly (number | null)[];
};

export type PastDays = {
  /** By `fillKey`. */
  readonly fills: ReadonlyMap<string, NotedFill>;
  /** Micro-shares that were taken back, by intent. */
  readonly busts: ReadonlyMap<string, number>;
  readonly markets: ReadonlyMap<string, DayLineOf<'market'>>;
  /** Whether a token is YES. */
  readonly legs: ReadonlyMap<string, boolean>;
  /** The last middle of each market before the end of the time, or its outcome. */
  readonly middles: ReadonlyMap<string, number>;
  /** Samples, events, and where runs begin and end, in their order. */
  readonly course: readonly DayLineOf<'run' | 'end' | 'sample' | 'event'>[];
};

export type PastWanted = {
  readonly journal: string;
  readonly fromMs: number;
  readonly toMs: number;
};

/** What names a fill over all runs. */
export function fillKey(fill: {
  readonly intentId: string;
  readonly executedAfter: number;
  readonly atMs: number;
}): string {
  return `${fill.intentId} ${fill.executedAfter} ${fill.atMs}`;
}

/** Runs, samples and events of a time; those of years are asked for in parts. */
const COURSE_MAX = 400_000;

/** @throws {BotError} `journal.copy` when a file of a day is there and cannot be read. */
export async function pastDays(wanted: PastWanted): Promise<PastDays> {
  const found = new Found(wanted);
  for await (const line of pastLines({ ...wanted, part: 'rest' })) found.add(line);
  return found;
}

class Found implements PastDays {
  readonly fills = new Map<string, NotedFill>();
  readonly busts = new Map<string, number>();
  readonly markets = new Map<string, DayLineOf<'market'>>();
  readonly legs = new Map<string, boolean>();
  readonly middles = new Map<string, number>();
  readonly #middlesAtMs = new Map<string, number>();
  readonly course: DayLineOf<'run' | 'end' | 'sample' | 'event'>[] = [];
  readonly #wanted: PastWanted;

  constructor(wanted: PastWanted) {
    this.#wanted = wanted;
  }

  add(line: DayLine): void {
    switch (line.kind) {
      case 'fill':
        this.fills.set(fillKey(line), { line, later: [] });
        this.#onMiddle(line.marketId, line.middle, line.atMs);
        break;
      case 'later':
        this.#onLater(line);
        break;
      case 'bust':
        this.busts.set(line.intentId, (this.busts.get(line.intentId) ?? 0) + line.micro);
        break;
      case 'market':
        this.markets.set(line.marketId, line);
        this.legs.set(line.yesTokenId, true).set(line.noTokenId, false);
        break;
      case 'sample':
        this.#onSample(line);
        break;
      case 'run':
      case 'end':
      case 'event':
        this.#onCourse(line);
        break;
      case 'order':
        break;
    }
  }

  #onSample(line: DayLineOf<'sample'>): void {
    this.#onCourse(line);
    for (const { marketId, middle } of line.markets) this.#onMiddle(marketId, middle, line.atMs);
  }

  #onLater(line: DayLineOf<'later'>): void {
    const noted = this.fills.get(fillKey(line));
    if (noted === undefined) return;
    this.fills.set(fillKey(line), { ...noted, later: line.middles });
    line.middles.forEach((middle, look) => {
      this.#onMiddle(noted.line.marketId, middle, line.atMs + (MARKOUT_SEC[look] ?? 0) * 1_000);
    });
  }

  #onMiddle(marketId: string, middle: number | null, atMs: number): void {
    const isOld = atMs < (this.#middlesAtMs.get(marketId) ?? 0);
    if (middle === null || isOld || atMs >= this.#wanted.toMs) return;
    // A middle that is noted later is that of a fill's book, and no news of an outcome.
    if (isOutcome(this.middles.get(marketId)) && !isOutcome(middle)) return;
    this.middles.set(marketId, middle);
    this.#middlesAtMs.set(marketId, atMs);
  }

  #onCourse(line: DayLineOf<'run' | 'end' | 'sample' | 'event'>): void {
    if (this.course.length < COURSE_MAX) this.course.push(line);
  }
}

/** No order rests at 0 or 1. */
function isOutcome(worth: number | undefined): boolean {
  return worth === 0 || worth === 1;
}
