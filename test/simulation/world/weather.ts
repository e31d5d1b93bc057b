// What strikes a request or a socket at this moment, as the troubles under way would have it.

import type { Random } from '../../../src/paper/crowd/random.ts';
import type { EpisodeKind } from '../profiles.ts';
import type { Tally } from './tally.ts';

export type Fate = {
  /** Until the request is at the venue, and until its answer is back. */
  readonly upMs: number;
  readonly downMs: number;
  readonly loss: 'none' | 'connect' | 'request' | 'answer';
  /** Whether a loss shows as a broken connection, or as silence. */
  readonly isReset: boolean;
  readonly answer: 'true' | 'limited' | 'errorBefore' | 'errorAfter' | 'garbage' | 'halfBatch';
  /** The same request arrives again this long after the first. */
  readonly againAfterMs: number | undefined;
};

/** Median one-way delay where nothing is wrong, and its spread. */
const CALM_MS = 12;
const CALM_SPREAD = 0.4;
/** Beyond the signature window of 30 s, so that both sides of its edge are tried. */
const LATE_MS_MAX = 40_000;

/** While one of these strikes some or all requests are not answered, or answered with an error. */
const CUTS_OFF: ReadonlySet<EpisodeKind> = new Set([
  'connectFails',
  'requestsLost',
  'answersLost',
  'rateLimited',
  'errorsBefore',
  'errorsAfter',
  'garbage',
  'blackout',
  'halfOpen',
]);

export class Weather {
  readonly lateMs: number;
  readonly #random: Random;
  readonly #faults: Tally;
  /** Strength of each kind under way; of several the latest counts. */
  readonly #active = new Map<EpisodeKind, number>();

  /** @param lateMs - What all books are behind for as long as it lasts, whatever else strikes. */
  constructor(random: Random, faults: Tally, lateMs = 0) {
    this.#random = random;
    this.#faults = faults;
    this.lateMs = lateMs;
  }

  begin(kind: EpisodeKind, strength: number): void {
    this.#active.set(kind, strength);
  }

  end(kind: EpisodeKind): void {
    this.#active.delete(kind);
  }

  clear(): void {
    this.#active.clear();
  }

  is(kind: EpisodeKind): boolean {
    return this.#active.has(kind);
  }

  /** Whether requests and the connection get through: the venue answers, as far as anybody can tell. */
  get isAnswering(): boolean {
    for (const kind of this.#active.keys()) if (CUTS_OFF.has(kind)) return false;
    return true;
  }

  /** Whether this one is struck; counted when it is. */
  strikes(kind: EpisodeKind): boolean {
    const strength = this.#active.get(kind);
    if (strength === undefined || !this.#random.chance(strength)) return false;
    this.#faults.add(kind);
    return true;
  }

  fate(): Fate {
    const loss = this.#loss();
    return {
      upMs: this.#upMs(),
      downMs: this.delayMs(),
      loss,
      isReset: loss !== 'none' && this.#random.chance(0.5),
      answer: loss === 'none' ? this.#answer() : 'true',
      againAfterMs: this.strikes('duplicates') ? this.#random.whole(0, 5_000) : undefined,
    };
  }

  /** One way over the network. */
  delayMs(): number {
    const calmMs = this.#random.lognormal(CALM_MS, CALM_SPREAD);
    const slowMs = this.strikes('slow') ? this.#random.exponential(2_500) : 0;
    return Math.round(calmMs + Math.min(slowMs, 20_000));
  }

  frameDelayMs(): number {
    const lateMs = this.strikes('framesLate') ? this.#random.exponential(1_500) : 0;
    return Math.round(this.#random.lognormal(CALM_MS, CALM_SPREAD) + Math.min(lateMs, 10_000));
  }

  retryAfterSec(): number {
    return this.#random.whole(1, 8);
  }

  /** How far a lagging channel, or a replica, is behind. */
  staleMs(): number {
    return Math.round(Math.min(500 + this.#random.exponential(3_000), 12_000));
  }

  /** A commit that the disk makes wait. */
  diskMs(): number {
    return Math.round(Math.min(10 + this.#random.exponential(800), 5_000));
  }

  /** One in so many, for choices that belong to no trouble. */
  pick<Value>(values: readonly Value[]): Value | undefined {
    return values[this.#random.whole(0, values.length - 1)];
  }

  chance(probability: number): boolean {
    return this.#random.chance(probability);
  }

  #upMs(): number {
    const late = this.strikes('acceptLate') ? this.#random.whole(500, LATE_MS_MAX) : 0;
    return this.delayMs() + late;
  }

  #loss(): Fate['loss'] {
    if (this.#isBlack()) return 'request';
    if (this.strikes('connectFails')) return 'connect';
    if (this.strikes('requestsLost')) return 'request';
    return this.strikes('answersLost') ? 'answer' : 'none';
  }

  #isBlack(): boolean {
    if (!this.is('blackout')) return false;
    this.#faults.add('blackout');
    return true;
  }

  #answer(): Fate['answer'] {
    if (this.strikes('rateLimited')) return 'limited';
    if (this.strikes('errorsBefore')) return 'errorBefore';
    if (this.strikes('errorsAfter')) return 'errorAfter';
    if (this.strikes('garbage')) return 'garbage';
    return this.strikes('halfBatches') ? 'halfBatch' : 'true';
  }
}
