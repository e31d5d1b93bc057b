// Cash of the account: what the venue showed last, and our own book of it. Where they differ there is a
// cash break: it is shown, watched by a control, and after a while booked as it is. Nobody looks for
// whose it was.

import type { Balances } from '../../domain/message.ts';
import type { PersistedState, StoredSteady } from '../../domain/record.ts';
import type { UnixMs } from '../../domain/time.ts';
import { nanoOf } from '../kernel/nano.ts';

/** Settlements remembered between two reads; reads come every few seconds. */
const FLOWS_MAX = 10_000;
/** Differences below a micro-dollar are rounding, not money. */
export const EPSILON_NANO = 1_000;

/** Shares show so long after their cash at most: an index lags, and only a quiet one is believed. */
const BOOKED_MS = 600_000;
/** The price of shares that nobody reported is a guess. */
const MOST = 0.75;

type StoredCash = Pick<PersistedState, 'adoptedNano' | 'cashSteady'>;
type Flow = { readonly atMs: UnixMs; readonly nano: number };
/** What a read showed beyond the book: between, as far as is known by now. */
type Break = { readonly atMs: UnixMs; readonly low: number; readonly high: number };

export class Cash {
  #shownNano: number | undefined;
  #availableNano: number | undefined;
  #onHoldNano = 0;
  #askedAtMs: UnixMs | undefined;
  #bookNano: number | undefined;
  /** Cash that moved since the last read was asked for. */
  #flows: Flow[] = [];
  /** Cash that had moved before, of late. */
  #earlier: readonly Flow[] = [];
  #breakNano = 0;
  /** The break at each read of the last while. */
  #breaks: Break[] = [];
  #adoptedNano = 0;
  /** Those of the last while, with their signs: what they were of may show in shares minutes later. */
  #booked: Flow[] = [];
  /** When it was last asked for and showed all that we know of: it is as late as shares until then. */
  #upToMs = Number.NEGATIVE_INFINITY;
  #steady: StoredSteady | undefined;
  #bookedAtMs: UnixMs | undefined;

  /** What the venue showed, and every settlement since; `undefined` before the first read. */
  get cashNano(): number | undefined {
    if (this.#shownNano === undefined) return undefined;
    let cash = this.#shownNano;
    for (const { nano } of this.#flows) cash += nano;
    return cash;
  }

  /** What the venue called available when it was last read. */
  get availableNano(): number | undefined {
    return this.#availableNano;
  }

  /** What the venue called on hold when it was last read. */
  get onHoldNano(): number {
    return this.#onHoldNano;
  }

  get askedAtMs(): UnixMs | undefined {
    return this.#askedAtMs;
  }

  /** Our own book of it, which a next run begins with. */
  get bookNano(): number | undefined {
    return this.#bookNano;
  }

  /** What the venue showed beyond our book at the last read. */
  get breakNano(): number {
    return this.#breakNano;
  }

  /** Breaks that were booked as they were, added up without their signs. */
  get adoptedNano(): number {
    return this.#adoptedNano;
  }

  /** The last read agreed with our book to the micro-dollar. */
  get agrees(): boolean {
    return Math.abs(this.#breakNano) <= EPSILON_NANO;
  }

  /** Whether it agrees, and not because a break was booked since that may have been of anything. */
  hasAgreedSince(atMs: UnixMs): boolean {
    return this.agrees && (this.#bookedAtMs ?? atMs) <= atMs;
  }

  /** What a previous run had booked: the first read shows whether anything happened since. */
  restore(bookNano: number, { adoptedNano = 0, cashSteady }: StoredCash = {}): void {
    this.#bookNano = bookNano;
    this.#adoptedNano = adoptedNano;
    this.#steady = cashSteady;
  }

  /**
   * The last read is exact: nothing was in flight, and locks agree. A break that stays what it is since an earlier
   * one says that nothing sent in between has traded unreported.
   */
  onExactRead(askedAtMs: UnixMs): void {
    const moved = this.#breakNano - (this.#steady?.nano ?? Number.NaN);
    if (Math.abs(moved) <= EPSILON_NANO) return;
    this.#steady = { nano: this.#breakNano, sinceMs: askedAtMs };
  }

  /** The break of all exact reads since when. */
  get steady(): StoredSteady | undefined {
    return this.#steady;
  }

  /** Our clock jumped: what was sent later is not known by it. */
  onJump(): void {
    this.#steady = undefined;
  }

  /** Cash moved: a settlement, or a fee of one. */
  onFlow(nano: number, atMs: UnixMs): void {
    if (nano === 0) return;
    this.book(nano);
    this.#flows.push({ atMs, nano });
    if (this.#flows.length > FLOWS_MAX) this.#flows.shift();
  }

  /** Cash had moved that the venue has shown already. */
  book(nano: number): void {
    if (this.#bookNano !== undefined) this.#bookNano += nano;
  }

  /**
   * A complete read. What settled while it was under way is in it or not: whichever agrees.
   * @param lagMs - Cash may be as late as shares.
   */
  onRead(balances: Balances, askedAtMs: UnixMs, lagMs = 0): void {
    const shown = nanoOf(balances.cashBalance);
    this.#availableNano = nanoOf(balances.availableBalance);
    this.#onHoldNano = nanoOf(balances.usdcOnHold);
    this.#askedAtMs = askedAtMs;
    this.#shownNano = shown;
    const isLate = ({ atMs }: Flow) => atMs > askedAtMs - lagMs;
    const isBefore = ({ atMs }: Flow) => atMs <= askedAtMs;
    const earlier = [...this.#earlier, ...this.#flows.filter(isBefore)].filter(isLate);
    this.#earlier = earlier.slice(-FLOWS_MAX);
    this.#flows = this.#flows.filter(({ atMs }) => atMs > askedAtMs);
    this.#bookNano ??= shown + sumOf(this.#flows);
    this.#breakNano = this.#compare(shown, this.#bookNano);
    if (Math.abs(this.#unexplainedNano(askedAtMs)) <= EPSILON_NANO) this.#upToMs = askedAtMs;
  }

  /** @returns What the read shows beyond the book; flows that it shows already are forgotten. */
  #compare(shown: number, book: number): number {
    const between = this.#flows;
    const breakNano = shown - (book - sumOf(between));
    let rest = breakNano;
    for (let seen = 0; seen <= between.length; seen += 1) {
      if (Math.abs(rest) <= EPSILON_NANO) {
        this.#flows = between.slice(seen);
        return 0;
      }
      rest -= between[seen]?.nano ?? 0;
    }
    return breakNano;
  }

  /**
   * Whether the last read agrees with our book of another moment: nobody says when cash moves, and it may do so with the
   * match already, or as late as shares.
   * @param pendingNano - What fills that have not settled cost, oldest first.
   */
  isOfAnotherMoment(pendingNano: readonly number[]): boolean {
    const late = this.#earlier.map(({ nano }) => -nano).toReversed();
    return isSumOf(pendingNano, this.#breakNano) || isSumOf(late, this.#breakNano);
  }

  /**
   * Something explained a part of the break.
   * @param sinceMs - When a read showed it first: breaks of reads before are what they were. Without it reads of before
   *   may have shown it or not.
   */
  explain(nano: number, sinceMs?: number): void {
    this.book(nano);
    this.#breakNano -= nano;
    this.#breaks = this.#breaks.map((each) => explained(each, nano, sinceMs));
    if (this.#steady) this.#steady = { ...this.#steady, nano: this.#steady.nano - nano };
  }

  /**
   * What has no report of its own explains no more than is missing or over: its price is a guess, and its cash may
   * have been booked before. What it leaves of the guess is as uncertain as a break that was booked.
   */
  explainUpTo(nano: number): void {
    const part = partOf(this.#breakNano, nano);
    if (part > 0) this.explain(Math.sign(nano) * part);
    this.#adoptedNano += Math.abs(nano) - part;
  }

  /**
   * Whether cash has moved by about so much or more since a moment, and nothing says what for; a break that was booked
   * counts. What it has not shown since may be what it lacks.
   */
  hasMoved(nano: number, { sinceMs, nowMs }: { sinceMs: UnixMs; nowMs: UnixMs }): boolean {
    const part = partOf(this.#unexplainedNano(nowMs), nano);
    return this.#upToMs > sinceMs && part >= MOST * Math.abs(nano);
  }

  #unexplainedNano(nowMs: UnixMs): number {
    this.#booked = this.#booked.filter(({ atMs }) => nowMs - atMs < BOOKED_MS);
    return this.#breakNano + sumOf(this.#booked);
  }

  /**
   * Books what has been missing or over at every read for so long. @returns How much it was.
   * @param nano - What the last read shows that nothing explains.
   */
  adopt(nowMs: UnixMs, forMs: number, nano = this.#breakNano): number {
    this.#breaks.push({ atMs: nowMs, low: nano, high: nano });
    const last = this.#breaks.findLastIndex(({ atMs }) => nowMs - atMs >= forMs);
    if (last < 0) return 0;
    this.#breaks = this.#breaks.slice(last);
    const sign = Math.sign(nano);
    const least = Math.min(...this.#breaks.map(({ low, high }) => (sign > 0 ? low : -high)));
    if (sign === 0 || least <= EPSILON_NANO) return 0;
    this.explain(sign * least, Number.NEGATIVE_INFINITY);
    this.#bookedAtMs = nowMs;
    this.#adoptedNano += least;
    this.#booked.push({ atMs: nowMs, nano: sign * least });
    return sign * least;
  }
}

function explained(of: Break, nano: number, sinceMs: number | undefined): Break {
  const { atMs, low, high } = of;
  if (sinceMs === undefined)
    return { atMs, low: low - Math.max(0, nano), high: high - Math.min(0, nano) };
  return atMs < sinceMs ? of : { atMs, low: low - nano, high: high - nano };
}

/** How much of an amount another one of its sign covers. */
function partOf(all: number, nano: number): number {
  return Math.sign(all) === Math.sign(nano) ? Math.min(Math.abs(all), Math.abs(nano)) : 0;
}

/** Whether the first few of them come to an amount. */
function isSumOf(each: readonly number[], nano: number): boolean {
  let rest = nano;
  return each.some((part) => {
    rest -= part;
    return Math.abs(rest) <= EPSILON_NANO;
  });
}

function sumOf(flows: readonly Flow[]): number {
  return flows.reduce((sum, { nano }) => sum + nano, 0);
}
