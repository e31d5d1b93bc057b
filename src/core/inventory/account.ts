// Cash of the account between two reads of the balances, and what a read proves.

import type { Balances } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { nanoOf } from '../risk/nano.ts';
import { cashOf, type PendingFill } from './pending.ts';

/** Settlements remembered between two reads; reads come every few seconds. */
const FLOWS_MAX = 10_000;
/** Differences below a micro-dollar are rounding, not money. */
const EPSILON_NANO = 1_000;

type Flow = {
  readonly atMs: UnixMs;
  readonly nano: number;
  /** A fee is in it, which the venue may round otherwise. */
  readonly hasFee?: boolean;
};

/** Unexplained changes remembered; reads come every few seconds and few of them differ. */
const SURPRISES_MAX = 1_000;
/** A settlement frame and the read that shows it may come in either order, this far apart. */
const SURPRISE_KEPT_MS = 300_000;
/** Matches that were taken for settled, and are told of between two reads; sums of more would be any amount. */
const LATE_MAX = 10;
/** What explains a change comes within a minute as a rule, and both are forgotten with it. */
const EXPLAINED_WITHIN_MS = 60_000;

export type CashProof = 'agrees' | 'differs';

export class Account {
  #cashNano: number | undefined;
  #availableNano: number | undefined;
  #onHoldNano = 0;
  #askedAtMs: UnixMs | undefined;
  #firstAskedAtMs: UnixMs | undefined;
  #isRestored = false;
  #lastFlowAtMs: UnixMs | undefined;
  #flows: Flow[] = [];
  /** Changes of cash that no settlement we knew of explained when they were read. */
  #surprises: Flow[] = [];
  /** Surprises until then have been acted on. */
  #doubtedAtMs: number = Number.NEGATIVE_INFINITY;
  /** Matches, by when we heard of them, whose shares balances showed before any frame of them. */
  #shown: Flow[] = [];
  /** Matches of an earlier life whose settlement nobody may have heard of. */
  #mayHaveSettledNano: readonly number[] = [];
  /** Those of them that a read showed to have settled, for as long as they wait for the word of it. */
  #takenForSettledNano: readonly number[] = [];

  /** Cash of matches of earlier lives that wait now; nothing is known of them before the first is asked for. */
  #waitingNano: readonly number[] | undefined;
  /** The same of this life's. */
  #laterNano: readonly number[] = [];

  /** Cash with every settlement since the last read, `undefined` before the first. */
  get cashNano(): number | undefined {
    if (this.#cashNano === undefined) return undefined;
    let cash = this.#cashNano;
    for (const flow of this.#flows) cash += flow.nano;
    return cash;
  }

  /**
   * Cash as far as we can explain it, which a next life begins with: what surprised this one shall
   * surprise that one too, or it would take for proven what was not. Where a match that waits explained it
   * that life has the match, and is explained by it anew: another one of as much would pass for it there.
   */
  get explainedNano(): number | undefined {
    if (this.cashNano === undefined) return undefined;
    return this.cashNano - this.surpriseNano - sum(this.#takenForSettledNano);
  }

  /** What the venue called available when it was last read. */
  get availableNano(): number | undefined {
    return this.#availableNano;
  }

  get onHoldNano(): number {
    return this.#onHoldNano;
  }

  get askedAtMs(): UnixMs | undefined {
    return this.#askedAtMs;
  }

  /** When a trade of ours was last told to have settled. */
  get lastFlowAtMs(): UnixMs | undefined {
    return this.#lastFlowAtMs;
  }

  /** Nothing moved it of late but what we know of. */
  get isExplained(): boolean {
    return Math.abs(this.surpriseNano) <= EPSILON_NANO;
  }

  /**
   * Cash that an earlier life knew of: the first read shows whether anything happened since.
   * @param pendingNano - Cash of the matches that it left unsettled, oldest first.
   */
  restore(cashNano: number, pendingNano: readonly number[]): void {
    this.#cashNano = cashNano;
    this.#isRestored = true;
    this.#mayHaveSettledNano = pendingNano;
  }

  /**
   * A match of an earlier life that this one finds: it may have settled before anybody listened, and be what
   * the first read has shown.
   * @param nano - The cash that it moves, in nano-USDC.
   */
  onFoundMatch(nano: number): void {
    this.#mayHaveSettledNano = [...this.#mayHaveSettledNano, nano];
    const ofStart = this.#surprises.find(({ atMs }) => atMs === this.#firstAskedAtMs);
    if (ofStart === undefined || !this.#hasSettledUnheard(ofStart.nano)) return;
    this.#surprises = this.#surprises.filter((each) => each !== ofStart);
  }

  /** A trade of ours settled; with the fee that it pays, where it pays one. */
  onFlow(nano: number, atMs: UnixMs, hasFee = false): void {
    const heardOf = this.#mayHaveSettledNano.indexOf(nano);
    if (heardOf !== -1) this.#mayHaveSettledNano = this.#mayHaveSettledNano.toSpliced(heardOf, 1);
    const shown = this.#shown.findIndex((each) => each.nano === nano);
    if (shown !== -1) this.#shown = this.#shown.toSpliced(shown, 1);
    this.#lastFlowAtMs = atMs;
    this.#flows.push({ atMs, nano, hasFee });
    if (this.#flows.length > FLOWS_MAX) this.#flows.shift();
  }

  /** A match failed: where cash had been taken for that of its settlement nothing explains that any more. */
  onFailed(nano: number): void {
    const at = this.#takenForSettledNano.findIndex((each) => isNothing(each - nano));
    if (at === -1 || this.#askedAtMs === undefined) return;
    this.#takenForSettledNano = this.#takenForSettledNano.toSpliced(at, 1);
    this.#surprises.push({ atMs: this.#askedAtMs, nano });
  }

  /**
   * Takes over a read. It agrees when cash moved by just the settlements we know of: then no
   * buy or sell settled that nobody told us about. A settlement whose frame comes after the read
   * that showed it surprises twice, in opposite directions, and so not at all. One whose frame came
   * while the read was on its way is in it or is not: the cash tells which.
   */
  onBalances(balances: Balances, askedAtMs: UnixMs): CashProof {
    const cash = nanoOf(balances.cashBalance);
    const unread = this.unreadNano();
    const change = this.#changeTo(cash, askedAtMs);
    this.#cashNano = cash;
    this.#availableNano = nanoOf(balances.availableBalance);
    this.#onHoldNano = nanoOf(balances.usdcOnHold);
    this.#askedAtMs = askedAtMs;
    this.#firstAskedAtMs ??= askedAtMs;
    if (change !== undefined && !this.#hasSettledUnheard(change)) {
      this.#remember({ atMs: askedAtMs, nano: change });
    }
    this.#letGo(unread.slice(0, unread.length - this.#flows.length));
    return this.isExplained ? 'agrees' : 'differs';
  }

  /**
   * What a read shows beyond the settlements that it counts, which are forgotten with it: all from
   * before it was asked for, and of those that came since as many as make it agree.
   */
  #changeTo(cash: number, askedAtMs: UnixMs): number | undefined {
    const between = this.#flows.filter((flow) => flow.atMs > askedAtMs);
    const before = this.#flows.filter((flow) => flow.atMs <= askedAtMs);
    this.#flows = between;
    if (this.#cashNano === undefined) return undefined;
    let change = cash - this.#cashNano;
    let roundedNano = EPSILON_NANO;
    for (const { nano, hasFee } of before) {
      change -= nano;
      if (hasFee === true) roundedNano += EPSILON_NANO;
    }
    if (Math.abs(change) <= roundedNano || this.#isHeardLate(change, before)) change = 0;
    let rest = change;
    const last = between.findIndex(({ nano }) => {
      const isAgreed = Math.abs(rest) <= EPSILON_NANO;
      rest -= nano;
      return isAgreed;
    });
    // None of them, or only the first ones, or all, or no number of them.
    if (last === -1 && Math.abs(rest) > EPSILON_NANO) return change;
    this.#flows = last === -1 ? [] : between.slice(last);
    return 0;
  }

  /** Cash of the last minutes that nothing we know explains. */
  get surpriseNano(): number {
    return this.#surprises.reduce((sum, each) => sum + each.nano, 0);
  }

  /** Unexplained cash since a moment, by the time of the read that showed it. */
  surpriseSince(atMs: UnixMs): number {
    let sum = 0;
    for (const each of this.#surprises) if (each.atMs >= atMs) sum += each.nano;
    return sum;
  }

  /** When the latest change was read that nothing explains. */
  get lastSurpriseAtMs(): UnixMs | undefined {
    return this.#surprises.at(-1)?.atMs;
  }

  /** Whether something from before a moment is unexplained that no doubt has followed from. */
  hasLasting(untilMs: number): boolean {
    return this.#surprises.some(({ atMs }) => atMs <= untilMs && atMs > this.#doubtedAtMs);
  }

  /** What is unexplained from before a moment and no doubt has followed from; of the last such change. */
  lasting(untilMs: number): { readonly nano: number; readonly lastAtMs: number } {
    let nano = 0;
    let lastAtMs = Number.NEGATIVE_INFINITY;
    for (const each of this.#surprises) {
      if (each.atMs > untilMs || each.atMs <= this.#doubtedAtMs) continue;
      nano += each.nano;
      lastAtMs = each.atMs;
    }
    return { nano, lastAtMs };
  }

  /** What was unexplained until a moment has been acted on. */
  noteDoubted(atMs: number): void {
    this.#doubtedAtMs = atMs;
    this.#shown = this.#shown.filter((each) => each.atMs > atMs);
  }

  /** Balances showed the shares of a match, and so its cash, before any frame told that it had settled. */
  noteShown(nano: number, matchedAtMs: UnixMs): void {
    this.#shown.push({ atMs: matchedAtMs, nano });
    if (this.#shown.length > SURPRISES_MAX) this.#shown.shift();
  }

  /** Cash of such matches from before a moment, the frames of which have not come yet. */
  shownNano(untilMs: number): readonly number[] {
    return this.#shown.filter(({ atMs }) => atMs < untilMs).map(({ nano }) => nano);
  }

  /** Cash of settlements that no read has shown yet. */
  unreadNano(): readonly number[] {
    return this.#flows.map(({ nano }) => nano);
  }

  /**
   * What was unexplained since a moment is explained now. It is taken off the change that is most
   * like it, so that change and explanation are forgotten together.
   * @returns Whether anything was unexplained since then.
   */
  explain(nano: number, sinceMs: UnixMs): boolean {
    const distance = (each: Flow) => Math.abs(each.nano - nano);
    const [nearest] = this.#surprises
      .filter((each) => each.atMs >= sinceMs)
      .toSorted((one, other) => distance(one) - distance(other));
    if (nearest === undefined) return false;
    this.#surprises = this.#surprises
      .map((each) => (each === nearest ? { ...each, nano: each.nano - nano } : each))
      .filter((each) => Math.abs(each.nano) > EPSILON_NANO);
    return true;
  }

  /** Whether a read shows just the oldest of what an earlier life left pending, settled. */
  #hasSettledUnheard(change: number): boolean {
    // What was bought and sold for as much may have settled together, or not: nothing says that it did.
    if (isNothing(change)) return false;
    let sum = 0;
    const last = this.#mayHaveSettledNano.findIndex((nano) => {
      sum += nano;
      return Math.abs(sum - change) <= EPSILON_NANO;
    });
    if (last === -1) return false;
    const taken = this.#mayHaveSettledNano.slice(0, last + 1);
    this.#takenForSettledNano = [...this.#takenForSettledNano, ...taken];
    this.#mayHaveSettledNano = this.#mayHaveSettledNano.slice(last + 1);
    return true;
  }

  /**
   * Whether a read lacks just what was told of since to have settled, and had been shown before: the frames
   * of matches that were taken for settled came after all.
   */
  #isHeardLate(change: number, told: readonly Flow[]): boolean {
    if (this.#takenForSettledNano.length === 0) return false;
    const heard = [...told];
    const mayBe = this.#takenForSettledNano.filter((nano) => {
      const at = heard.findIndex((each) => isNothing(each.nano - nano));
      if (at !== -1) heard.splice(at, 1);
      return at !== -1;
    });
    // Another match of as much may have been told of beside them, and just settled.
    const late = partOf(mayBe.slice(0, LATE_MAX), -change);
    if (late === undefined) return false;
    const isLate = among(late);
    this.#takenForSettledNano = this.#takenForSettledNano.filter((nano) => !isLate(nano));
    return true;
  }

  /**
   * Matches of earlier lives that wait for their settlement, before a read and after it: what became of others is known, and
   * no cash is theirs any more. A frame that no read has met yet may still be heard late.
   * @param laterNano - Of those of this life: the frame of one may have been taken for an earlier one's.
   */
  onWaiting(waitingNano: readonly number[], laterNano: readonly number[] = []): void {
    this.#waitingNano = waitingNano;
    this.#laterNano = laterNano;
    this.#letGo([]);
  }

  /**
   * Where a match was told of with cash of its own, what had been taken for its was another one's, and nothing
   * explains that.
   */
  #letGo(countedNano: readonly number[]): void {
    const atMs = this.#askedAtMs;
    if (atMs === undefined || this.#waitingNano === undefined || !this.isAnyAwaited) return;
    const waits = among([...this.#waitingNano, ...this.unreadNano()]);
    const taken = this.#takenForSettledNano;
    const waitsNow = among(this.#laterNano);
    const rest = taken.filter((nano) => waits(nano) || waitsNow(nano));
    const waiting = among(rest);
    const isCounted = among(countedNano);
    for (const nano of taken.filter((each) => !waiting(each) && isCounted(each))) {
      this.#remember({ atMs, nano });
    }
    this.#takenForSettledNano = rest;
    this.#mayHaveSettledNano = this.#mayHaveSettledNano.filter(waits);
  }

  /**
   * Asks of matches that this life did not see, one after the other, whether cash has moved by each; nothing where
   * no life before this one knew its cash.
   */
  paidUnheard(): ((fill: PendingFill) => boolean) | undefined {
    if (!this.#isRestored) return undefined;
    const isTaken = among(this.#takenForSettledNano);
    return (fill) => isTaken(cashOf(fill, fill.quantity));
  }

  /** Whether any match of an earlier life may be what cash shows. */
  get isAnyAwaited(): boolean {
    return this.#takenForSettledNano.length + this.#mayHaveSettledNano.length > 0;
  }

  #remember(surprise: Flow): void {
    this.#shown = this.#shown.filter(({ atMs }) => surprise.atMs - atMs < SURPRISE_KEPT_MS);
    if (!isNothing(surprise.nano)) this.#surprises.push(surprise);
    this.#surprises = this.#surprises.slice(forgottenOf(this.#surprises, surprise.atMs));
    this.#surprises = this.#surprises.slice(-SURPRISES_MAX);
  }
}

/**
 * How many of them are forgotten, oldest first. What a read has shown and what its frame said behind it go
 * together: one without the other would be cash that nothing explains, for a read or two.
 */
function forgottenOf(all: readonly Flow[], nowMs: UnixMs): number {
  let count = 0;
  for (let first = all[0]; first !== undefined && isOld(first, nowMs); first = all[count]) {
    const last = explainedBy(all, count);
    if (last === undefined) count += 1;
    else if (isOld(last.flow, nowMs)) count = last.index + 1;
    else break;
  }
  return count;
}

function isOld({ atMs }: Flow, nowMs: UnixMs): boolean {
  return nowMs - atMs >= SURPRISE_KEPT_MS;
}

/** The last of those that make up for one together, none between them left out. */
function explainedBy(
  all: readonly Flow[],
  first: number,
): { readonly flow: Flow; readonly index: number } | undefined {
  const sinceMs = all[first]?.atMs ?? 0;
  let nano = 0;
  for (let index = first; index < all.length; index += 1) {
    const flow = all[index];
    if (flow === undefined || flow.atMs - sinceMs > EXPLAINED_WITHIN_MS) break;
    nano += flow.nano;
    if (isNothing(nano)) return { flow, index };
  }
  return undefined;
}

function isNothing(nano: number): boolean {
  return Math.abs(nano) <= EPSILON_NANO;
}

/** Some of these amounts that come to a total, the first ones that do. */
function partOf(amounts: readonly number[], total: number): readonly number[] | undefined {
  for (const [at, each] of amounts.entries()) {
    if (isNothing(total - each)) return [each];
    const others = partOf(amounts.slice(at + 1), total - each);
    if (others !== undefined) return [each, ...others];
  }
  return undefined;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, each) => total + each, 0);
}

/** Asks for one amount after the other whether it is there; each is there as often as it is named. */
function among(amounts: readonly number[]): (nano: number) => boolean {
  const counts = new Map<number, number>();
  for (const each of amounts) counts.set(each, (counts.get(each) ?? 0) + 1);
  return (nano) => {
    const count = counts.get(nano) ?? 0;
    counts.set(nano, count - 1);
    return count > 0;
  };
}
