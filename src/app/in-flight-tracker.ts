// What an independent kill can know of placements that left before it and may still be accepted.
//
// A daemon of the same journal knows what it has under way, and notes its proof on the latch. Without
// one, only time tells: the venue takes a signed request for so long and no longer.

import { SIGNED_WITHIN_MS } from '../core/kernel/bounds.ts';
import { SETTLEMENT_MS } from '../core/orders/deadlines.ts';
import { inTime } from '../domain/in-time.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import { Horizon } from '../guard/horizon.ts';
import type { KillOptions } from '../guard/kill.ts';
import { type JournalActivity, type JournalHolder, journalActivity } from '../journal/activity.ts';
import { touchedAt } from '../journal/claims.ts';
import { readLatch } from '../journal/latch.ts';
import { SILENCE_MS } from '../journal/lock.ts';

export type InFlightOptions = {
  readonly journal: string;
  readonly clock: Clock;
  readonly horizonMs: number;
  readonly timers: Timers;
  /** Given where only own orders are meant: what cancels found says nothing of others. */
  readonly own?: OwnIntents | undefined;
  /** A part of the account only: what is not known to come from this journal is not waited for. */
  readonly isNarrow?: boolean;
  /** A process that cannot be seen shows that it runs within so long. */
  readonly silenceMs?: number;
  /** What the ledger has learnt of late acceptances; rejects when it is there and cannot be read. */
  readonly learnt?: (() => Promise<number>) | undefined;
  /** Told once that it cannot be read, or not in time: the longest that it may have learnt is waited for. */
  readonly onUnread?: (detail: string, horizonMs: number) => void;
  /** When the latch of this kill was set; a proof from before is of an earlier kill. */
  readonly latchedAt: string;
};

/** What a ledger says of placements without an answer. */
export type OwnIntents = {
  readonly unansweredSinceMs: UnixMs | undefined;
  /** The venue's clock minus ours, as whoever sent them knew it. */
  readonly clockOffsetMs?: number | undefined;
};

/** The latch, and a claim whose process cannot be seen, are looked at this often. */
const LOOK_MS = 200;

/** A disk that hangs keeps nobody from cancelling; whether a process runs is waited for longer. */
const LOOK_MS_FIRST = 1_000;
const LOOK_MS_MAX = 10_000;
/** A ledger of hundreds of megabytes on a slow disk is copied by then. */
const LEARN_MS_MAX = 5_000;
/** One that could not be read, as while it is moved or restored, is tried again this often. */
const LEARN_AGAIN_MS = 10_000;

export class InFlightTracker {
  readonly #options: InFlightOptions;
  readonly #looked: Promise<JournalActivity>;
  /** Until somebody could look: nobody is known, and something may have been sent a moment ago. */
  #activity: JournalActivity;
  readonly #startedAtMs: UnixMs;
  readonly #silent: string[] = [];
  /** Absent while the ledger is still being read. */
  #learntMs: number | undefined;
  #isLearning = false;
  #wasUnread = false;
  #isVouched = false;
  #isClosed = false;
  #callOff: () => void = () => {};
  #callOffLearning: () => void = () => {};

  private constructor(options: InFlightOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.nowMs();
    const unread = { writtenAtMs: this.#startedAtMs, holders: [] };
    this.#activity = unread;
    this.#looked = journalActivity(options.journal).catch(() => unread);
    // The latch after that: a disk that hangs holds one thread, and names are looked up on the others.
    void this.#looked.then((activity) => {
      this.#activity = activity;
      this.#look();
    });
  }

  /** A journal that cannot be read keeps nobody from cancelling; that nothing was sent is no guess. */
  static async of(options: InFlightOptions): Promise<InFlightTracker> {
    const one = new InFlightTracker(options);
    await one.#lookedWithin(LOOK_MS_FIRST);
    return one;
  }

  async #lookedWithin(ms: number): Promise<void> {
    await inTime(this.#looked, undefined, { timers: this.#options.timers, ms });
  }

  /** Processes of this journal that are not known to be dead. */
  get holders(): readonly JournalHolder[] {
    return this.#activity.holders;
  }

  /** Claims of processes that cannot be seen from here, and that showed no sign of activity. */
  get silentClaims(): readonly string[] {
    return this.#silent;
  }

  /**
   * A process that may go on placing, since it has not said that it stopped. One that cannot be seen
   * is given the time in which every living one shows a sign.
   */
  async unconfirmed(): Promise<JournalHolder | undefined> {
    await this.#lookedWithin(LOOK_MS_MAX);
    for (const holder of this.#activity.holders) {
      if (holder.isSeen && !this.#isVouched) return holder;
    }
    for (const holder of this.#activity.holders) {
      if (!holder.isSeen && (await this.#showsActivity(holder))) return holder;
    }
    return undefined;
  }

  /** What has become by now of a process that had not confirmed. What cannot be looked at runs. */
  async wordOf({ file }: JournalHolder): Promise<'confirmed' | 'runs' | 'ended'> {
    const holders = await journalActivity(this.#options.journal).then(
      (activity) => activity.holders,
      () => this.#activity.holders,
    );
    // After that, since its word may have been its last.
    if (!this.#isVouched) await this.#hear();
    if (this.#isVouched) return 'confirmed';
    return holders.some((each) => each.file === file) ? 'runs' : 'ended';
  }

  /**
   * Until when something may arrive. Nothing can where a daemon has confirmed so, or where this journal
   * has sent nothing for as long as the venue takes a request and the account has shown no order: what
   * cancels found came from somewhere. What is matched has the time to settle: no daemon is there to
   * cancel it should it rest again.
   */
  readonly untilMs: NonNullable<KillOptions['inFlightUntilMs']> = (sofar) => {
    if (this.#isVouched) return undefined;
    this.#learn();
    const { cancelled, left, settling = 0, clockOffsetMs = 0 } = sofar;
    const isUnread = this.#learntMs === undefined;
    const isPending = isUnread || this.#mayArrive(cancelled + left, clockOffsetMs);
    const waitsMs = isPending ? [this.#horizonMs] : [];
    if (settling > 0) waitsMs.push(SETTLEMENT_MS);
    return waitsMs.length === 0 ? undefined : this.#startedAtMs + Math.max(...waitsMs);
  };

  get #horizonMs(): number {
    return Math.max(this.#options.horizonMs, this.#learntMs ?? LEARN_MS_MAX);
  }

  /** Begun when it is first asked for, which is after the first cancel and list: to load what reads a ledger takes time. */
  #learn(): void {
    if (this.#isLearning) return;
    this.#isLearning = true;
    const { learnt } = this.#options;
    if (learnt === undefined) this.#learntMs = 0;
    else this.#ask(learnt);
  }

  /** A late answer is as good; until there is one the venue is taken to be as slow as it was ever seen. */
  #ask(learnt: () => Promise<number>): void {
    const { timers } = this.#options;
    const late = () => this.#onUnread(`not read within ${LEARN_MS_MAX / 1_000} s`);
    this.#callOffLearning = timers.after(LEARN_MS_MAX, late);
    void learnt().then(
      (horizonMs) => {
        this.#callOffLearning();
        this.#learntMs = horizonMs;
      },
      (error: unknown) => {
        this.#callOffLearning();
        this.#onUnread(error instanceof Error ? error.message : String(error));
        if (this.#isClosed) return;
        this.#callOffLearning = timers.after(LEARN_AGAIN_MS, () => this.#ask(learnt));
      },
    );
  }

  #onUnread(detail: string): void {
    const { clock, horizonMs, onUnread } = this.#options;
    this.#learntMs = new Horizon(clock, horizonMs).longestMs;
    if (!this.#wasUnread) onUnread?.(detail, this.#learntMs);
    this.#wasUnread = true;
  }

  #mayArrive(found: number, offsetMs: number): boolean {
    const { own, isNarrow = false } = this.#options;
    const horizonMs = this.#horizonMs;
    const { writtenAtMs, holders } = this.#activity;
    if (holders.length > 0) return true;
    if (own !== undefined)
      return this.#isRecent(own.unansweredSinceMs, {
        withinMs: horizonMs + SIGNED_WITHIN_MS,
        setByMs: offsetMs - (own.clockOffsetMs ?? 0),
      });
    const isWritten = this.#isRecent(writtenAtMs, { withinMs: horizonMs, setByMs: offsetMs });
    return isWritten || (!isNarrow && found > 0);
  }

  /** A clock that was set ahead meanwhile, or put right, lets everything look old: the venue's tells. */
  #isRecent(
    atMs: number | undefined,
    { withinMs, setByMs }: { readonly withinMs: number; readonly setByMs: number },
  ): boolean {
    if (atMs === undefined) return false;
    const sinceMs = this.#startedAtMs - atMs;
    return Math.min(sinceMs, sinceMs + setByMs) <= withinMs;
  }

  async #showsActivity({ file, touchedAtMs }: JournalHolder): Promise<boolean> {
    const { clock, timers, silenceMs = SILENCE_MS } = this.#options;
    while (!this.#isVouched) {
      const latest = await touchedAt(file);
      if (latest === undefined) return false;
      if (latest !== touchedAtMs) return true;
      if (clock.nowMs() - this.#startedAtMs >= silenceMs) {
        this.#silent.push(file);
        return false;
      }
      await new Promise<void>((resolve) => void timers.after(LOOK_MS, resolve));
    }
    return false;
  }

  /** The control route of the daemon has confirmed it. */
  vouch(): void {
    this.#isVouched = true;
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff();
    this.#callOffLearning();
  }

  #look(): void {
    if (this.#isClosed) return;
    void this.#hear().then(() => {
      if (this.#isVouched || this.#isClosed) return;
      this.#callOff = this.#options.timers.after(LOOK_MS, () => this.#look());
    });
  }

  async #hear(): Promise<void> {
    const { journal, latchedAt } = this.#options;
    const latch = await readLatch(journal).catch(() => undefined);
    if (latch?.confirmed !== undefined && latch.confirmed >= latchedAt) this.#isVouched = true;
  }
}
