// Cash of the account between two reads of the balances, and what a read proves.

import type { Balances } from '../../domain/message.ts';
import type { StoredUnexplained } from '../../domain/record.ts';
import type { UnixMs } from '../../domain/time.ts';
import { nanoOf } from '../risk/nano.ts';
import { cashOf, mayBeOver, type PendingFill } from './pending.ts';
import { EPSILON_NANO } from './sums.ts';
import { isForgotten, Surprises } from './surprises.ts';
import { type LeftMatch, Unheard } from './unheard.ts';

/** Settlements remembered between two reads; reads come every few seconds. */
const FLOWS_MAX = 10_000;
/** Matches remembered whose shares were shown before any frame told of them. */
const SHOWN_MAX = 1_000;

type Flow = {
  readonly atMs: UnixMs;
  readonly nano: number;
  /** A fee is in it, which the venue may round otherwise. */
  readonly hasFee?: boolean;
};

export type CashProof = 'agrees' | 'differs';

export class Account {
  #cashNano: number | undefined;
  #availableNano: number | undefined;
  #onHoldNano = 0;
  #askedAtMs: UnixMs | undefined;
  #firstAskedAtMs: UnixMs | undefined;
  #takenOverAtMs: UnixMs | undefined;
  #isRestored = false;
  #lastFlowAtMs: UnixMs | undefined;
  #flows: Flow[] = [];
  /** Changes of cash that no settlement we knew of explained when they were read. */
  readonly #surprises = new Surprises();
  /** Matches of earlier lives, and what cash says of them. */
  readonly #unheard = new Unheard();
  #hasEarlier = false;
  /** Matches, by when we heard of them, whose shares balances showed before any frame of them. */
  #shown: Flow[] = [];
  /** Matches of earlier lives that wait now; nothing is known of them before the first is asked for. */
  #waiting:
    | { readonly earlierNano: readonly number[]; readonly laterNano: readonly number[] }
    | undefined;
  /** A start has found a match that its first read may have shown settled. */
  #hasFound = false;

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
    const cash = this.cashNano;
    return cash === undefined ? undefined : cash - this.surpriseNano - this.#unheard.takenNano;
  }

  /** What of the cash that a next life begins with is not explained, and by what that is to be judged. */
  get unexplained(): StoredUnexplained | undefined {
    const cashNano = this.explainedNano;
    const surprises = this.#surprises.stored();
    const taken = this.#unheard.stored();
    const isAny = surprises.length + taken.length > 0;
    return cashNano === undefined || !isAny ? undefined : { cashNano, surprises, taken };
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

  /** What surprised an earlier life is known by its own time, and is nothing that this one finds. */
  get hasEarlierSurprises(): boolean {
    return this.#hasEarlier;
  }

  /**
   * Cash that an earlier life knew of: the first read shows whether anything happened since.
   * @param left - The matches that it left unsettled, oldest first.
   * @param unexplained - What it could not explain; nothing is known of that where an older version kept it.
   */
  restore(cashNano: number, left: readonly LeftMatch[], unexplained?: StoredUnexplained): void {
    const { surprises = [], taken = [] } = unexplained ?? {};
    this.#isRestored = true;
    this.#hasEarlier = surprises.length > 0;
    const lost = this.#unheard.restore(left, taken);
    const undoubted = lost.map((each) => ({ ...each, isDoubted: false }));
    const open = [...surprises, ...undoubted].toSorted((a, b) => a.shownAtMs - b.shownAtMs);
    this.#surprises.restore(open);
    this.#cashNano = cashNano + this.#surprises.nano + this.#unheard.takenNano;
    // It may be the settlement of what had matched by then, and of nothing that matched only later.
    this.#surprises.takeExplained((each) =>
      this.#unheard.take(each, this.#unheard.leftBefore(left, each.shownAtMs)),
    );
  }

  /**
   * A match of an earlier life that this one finds: it may have settled before anybody listened, and be what
   * the first read has shown. Which of all that it finds is looked at once it has found them.
   * @param nano - The cash that it moves, in nano-USDC.
   */
  onFoundMatch(nano: number): void {
    this.#unheard.add(nano);
    this.#hasFound = true;
  }

  /** Our clock is ahead of where it was by so much at once. */
  onJump(byMs: number, nowMs: UnixMs): void {
    this.#surprises.onJump(byMs, nowMs);
  }

  /** A trade of ours settled; with the fee that it pays, where it pays one. */
  onFlow(nano: number, atMs: UnixMs, hasFee = false): void {
    this.#unheard.onHeard(nano);
    const shown = this.#shown.findIndex((each) => each.nano === nano);
    if (shown !== -1) this.#shown = this.#shown.toSpliced(shown, 1);
    this.#lastFlowAtMs = atMs;
    this.#flows.push({ atMs, nano, hasFee });
    if (this.#flows.length > FLOWS_MAX) this.#flows.shift();
  }

  /**
   * Takes over a read. It agrees when cash moved by just the settlements we know of: then no
   * buy or sell settled that nobody told us about. A settlement whose frame comes after the read
   * that showed it surprises twice, in opposite directions, and so not at all. One whose frame came
   * while the read was on its way is in it or is not: the cash tells which.
   */
  onBalances(balances: Balances, askedAtMs: UnixMs): CashProof {
    const cash = nanoOf(balances.cashBalance);
    if (this.#firstAskedAtMs === undefined) this.#surprises.showAnew(askedAtMs);
    const nano = this.#changeTo(cash, askedAtMs);
    this.#cashNano = cash;
    this.#availableNano = nanoOf(balances.availableBalance);
    this.#onHoldNano = nanoOf(balances.usdcOnHold);
    this.#askedAtMs = askedAtMs;
    this.#firstAskedAtMs ??= askedAtMs;
    const isUnheard = nano !== undefined && this.#unheard.take({ nano, shownAtMs: askedAtMs });
    if (nano !== undefined && !isUnheard) this.#remember(nano, askedAtMs);
    this.#letGo(askedAtMs);
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
    const told = before.map(({ nano }) => nano);
    if (Math.abs(change) <= roundedNano || this.#unheard.isHeardLate(change, told)) change = 0;
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
    return this.#surprises.nano;
  }

  /** Unexplained cash since a moment, by the time of the read that showed it. */
  surpriseSince(atMs: UnixMs): number {
    return this.#surprises.since(atMs);
  }

  /** By when all had moved that nothing explains. */
  get surprisedByMs(): UnixMs | undefined {
    return this.#surprises.movedByMs;
  }

  /** When the latest change was shown that nothing explains, in whatever life. */
  get lastSurpriseShownAtMs(): UnixMs | undefined {
    return this.#surprises.lastShownAtMs;
  }

  /** Whether something from before a moment is unexplained that no doubt has followed from. */
  hasLasting(untilMs: number): boolean {
    return this.#surprises.hasLasting(untilMs);
  }

  /** What is unexplained from before a moment and no doubt has followed from; see there. */
  lasting(untilMs: number): { readonly nano: number; readonly lastAtMs: number } {
    return this.#surprises.lasting(untilMs);
  }

  /** What was unexplained until a moment has been acted on. */
  noteDoubted(atMs: number): void {
    this.#surprises.noteDoubted(atMs);
    this.#shown = this.#shown.filter((each) => each.atMs > atMs);
  }

  /** What the first read showed itself is asked of the markets whose orders are gone, and of no other. */
  noteStart(askedAtMs: UnixMs): void {
    this.#surprises.noteShownAt(askedAtMs);
  }

  /** A position was taken over with this read: what goes with it goes by the shares that there are. */
  noteTakenOver(): void {
    this.#takenOverAtMs = this.#askedAtMs;
  }

  /** Balances showed the shares of a match, and so its cash, before any frame told that it had settled. */
  noteShown(fill: PendingFill): void {
    const nano = cashOf(fill, fill.quantity);
    // Its payment had shown before: that and the shares are all that there is of it.
    if (mayBeOver(fill) && this.#unheard.onShown(nano)) return;
    this.#shown.push({ atMs: fill.atMs, nano });
    if (this.#shown.length > SHOWN_MAX) this.#shown.shift();
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
    return this.#surprises.explain(nano, sinceMs);
  }

  /**
   * Matches of earlier lives that wait for their settlement, before a read and after it: what became of others is
   * known, and no cash is theirs any more. A frame that no read has met yet may still be heard late.
   * @param laterNano - Of those of this life: the frame of one may have been taken for an earlier one's.
   */
  onWaiting(
    earlierNano: readonly number[],
    askedAtMs: UnixMs,
    laterNano: readonly number[] = [],
  ): void {
    this.#waiting = { earlierNano, laterNano };
    this.#letGo(askedAtMs);
    if (this.#hasFound && this.#askedAtMs !== undefined) this.#explainStart();
  }

  /** What the first read showed may be some of what has been found since. */
  #explainStart(): void {
    this.#hasFound = false;
    const unreadNano = this.unreadNano();
    this.#surprises.takeExplained(
      (each) =>
        each.shownAtMs === this.#firstAskedAtMs && this.#unheard.take(each, undefined, unreadNano),
    );
  }

  /**
   * What was taken for the settlement of a match that waits no more was another's, and nothing explains it: the
   * match failed, alone or with others, or what has been told of it, at once or in parts, comes with cash of its
   * own. Where that was the same cash, the read that counts it makes up for this. What balances have shown is
   * none of these: its shares are there, and nobody will tell of it.
   */
  #letGo(atMs: UnixMs): void {
    if (this.#askedAtMs === undefined || this.#waiting === undefined || !this.isAnyAwaited) return;
    const gone = this.#unheard.letGo({ ...this.#waiting, unreadNano: this.unreadNano() });
    const isTakenOver = this.#takenOverAtMs === atMs;
    for (const each of gone) this.#surprises.addLetGo(each, atMs, isTakenOver);
  }

  /**
   * Asks of matches that this life did not see, one after the other, whether cash has moved by each; nothing where
   * no life before this one knew its cash.
   */
  paidUnheard(): ((fill: PendingFill) => boolean) | undefined {
    if (!this.#isRestored) return undefined;
    const isTaken = this.#unheard.isTaken();
    return (fill) => isTaken(cashOf(fill, fill.quantity));
  }

  /** Whether any match of an earlier life may be what cash shows. */
  get isAnyAwaited(): boolean {
    return this.#unheard.isAny;
  }

  #remember(nano: number, atMs: UnixMs): void {
    this.#shown = this.#shown.filter((each) => !isForgotten(each.atMs, atMs));
    this.#surprises.add(nano, atMs);
  }
}
