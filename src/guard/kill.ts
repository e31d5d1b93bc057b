// The independent kill path: no core, no strategy, no journal, no socket. Cancel, confirm, tell.

import type { OrderHash } from '../domain/ids.ts';
import type { CancelScope } from '../domain/message.ts';
import type { Clock, Timers } from '../domain/time.ts';
import type { OwnOrders } from './own-book.ts';
import { type KillDoor, type KillStep, Sweep } from './sweep.ts';

type KillCounts = {
  /** Whose orders were meant; an independent kill says so. */
  readonly scope?: 'account' | 'own';
  /** Orders of others that were listed and left alone. */
  readonly leftAlone?: number;
  readonly cancelled: number;
  readonly tookMs: number;
  /** Orders matched in full that wait for settlement: committed, and no longer on the book. */
  readonly settling?: number;
  /** Of them, or gone from every list, those that should have settled long ago, as the core knows them. */
  readonly unsettled?: readonly string[];
};

export type KillResult =
  | ({ readonly kind: 'confirmed' } & KillCounts)
  | ({
      readonly kind: 'unconfirmed';
      /** Orders of the last list that could be read; `undefined` when none could. */
      readonly left: readonly OrderHash[] | undefined;
      /** Placements that nobody has answered, where somebody can name them. */
      readonly inFlight?: readonly string[];
      readonly detail: string;
    } & KillCounts);

export type KillOptions = {
  readonly door: KillDoor;
  readonly scope: CancelScope;
  /** Given where only these are meant. */
  readonly own?: OwnOrders | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  /** The list must stay empty this long. */
  readonly quietMs: number;
  readonly deadlineMs: number;
  /** It has ended by then, or after its first look, whatever may still arrive; absent where it waits that out. */
  readonly withinMs?: number | undefined;
  /**
   * End of the time in which a placement that left before the kill may still be accepted; asked
   * again and again, since it may become known that none is under way. Without it there is none.
   */
  readonly inFlightUntilMs?: (sofar: KillSoFar) => number | undefined;
  /** The venue has said that it has no such market or token: to look on would change nothing. */
  readonly isUnlisted?: () => boolean;
  /** Nobody wants it any more: it ends at once, confirmed or not. */
  readonly isCalledOff?: () => boolean;
  readonly onProgress?: (step: KillStep) => void;
};

/** What is known while it goes on. */
export type KillSoFar = {
  readonly cancelled: number;
  readonly left: number;
  /** Matched in full by the last list, and back on the book where their settlement fails. */
  readonly settling?: number;
  /** The venue's clock minus ours, zero until it was measured: where a refusal said that ours is off. */
  readonly clockOffsetMs?: number;
};

/** People are told this often what a kill waits for. */
const TELL_MS = 5_000;
/** However little time it is given, a kill sends its cancel and looks once: one that did nothing would be none. */
const WITHIN_MS_MIN = 500;

/**
 * Cancels every open order of the scope, or those of them that are ours, and confirms that none is left.
 *
 * Cancels again whenever something shows up, since an order under way may land after a cancel. A
 * failed read is not an empty list, and orders that cannot be cancelled are named, not forgotten.
 * It never throws. It ends by the deadline, or, while the list is empty and something may still
 * arrive, when that is over.
 * @spec Endpoints › Cancelling
 */
export async function killOrders(options: KillOptions): Promise<KillResult> {
  return await new Kill(options).run();
}

class Kill {
  readonly #options: KillOptions;
  readonly #sweep: Sweep;
  #toldAtMs: number | undefined;

  constructor(options: KillOptions) {
    const { door, scope, own, clock, timers, onProgress } = options;
    this.#options = options;
    const remainingMs = () => this.#remainingMs();
    this.#sweep = new Sweep({ door, scope, own, clock, timers, remainingMs, onProgress });
  }

  async run(): Promise<KillResult> {
    while (this.#remainingMs() > 0) {
      const pauseMs = await this.#sweep.round();
      if (this.#isConfirmed()) return { kind: 'confirmed', ...this.#counts() };
      if (this.#isAboutNothing()) break;
      this.#tellWhatIsInFlight();
      await this.#pause(Math.min(pauseMs, this.#remainingMs()));
    }
    // Nothing can arrive any more since a moment ago, as a daemon has said after the deadline.
    if (this.#isConfirmed()) return { kind: 'confirmed', ...this.#counts() };
    const { left } = this.#sweep;
    return { kind: 'unconfirmed', ...this.#counts(), left, detail: this.#detail() };
  }

  #counts(): KillCounts {
    const { cancelled, settling, leftAlone } = this.#sweep;
    const scope = this.#options.own === undefined ? 'account' : 'own';
    return { scope, cancelled, tookMs: this.#tookMs(), settling, leftAlone };
  }

  /** The last look must itself have been a good one, the quiet time after the first empty one. */
  #isConfirmed(): boolean {
    const { emptySinceMs, lookedAtMs } = this.#sweep;
    if (emptySinceMs === undefined || lookedAtMs === undefined) return false;
    if (!this.#sweep.isCertain) return false;
    const isQuiet = this.#options.clock.nowMs() - emptySinceMs >= this.#options.quietMs;
    return isQuiet && lookedAtMs >= this.#inFlightUntilMs();
  }

  #isAboutNothing(): boolean {
    const { cancelled, left = [] } = this.#sweep;
    return cancelled === 0 && left.length === 0 && this.#options.isUnlisted?.() === true;
  }

  #inFlightUntilMs(): number {
    const { cancelled, left, settling } = this.#sweep;
    return this.#options.inFlightUntilMs?.({ cancelled, left: left?.length ?? 0, settling }) ?? 0;
  }

  #detail(): string {
    const { emptySinceMs, trouble, isCertain, leftAlone, left } = this.#sweep;
    // A read that the deadline cut says nothing of what the list before it showed.
    const isCut = emptySinceMs === undefined && left?.length === 0;
    if (emptySinceMs === undefined && !isCut) return trouble;
    if (!isCertain) return `nobody has said whose the ${leftAlone} open orders are`;
    const asOf = isCut ? `, as of the last list that could be read; then ${trouble}` : '';
    const waitMs = this.#inFlightUntilMs() - this.#options.clock.nowMs();
    const more = waitMs > 0 ? ` for ${Math.ceil(waitMs / 1_000)} s more` : '';
    return `nothing is open, and what was sent before the kill may still arrive${more}${asOf}`;
  }

  #tellWhatIsInFlight(): void {
    const { clock, onProgress } = this.#options;
    const waitMs = this.#inFlightUntilMs() - clock.nowMs();
    const isOpen = this.#sweep.emptySinceMs === undefined;
    const sinceToldMs = clock.nowMs() - (this.#toldAtMs ?? Number.NEGATIVE_INFINITY);
    if (isOpen || waitMs <= 0 || sinceToldMs < TELL_MS) return;
    this.#toldAtMs = clock.nowMs();
    const seconds = Math.ceil(waitMs / 1_000);
    const { settling } = this.#sweep;
    const what =
      settling === 0
        ? 'what was sent before may arrive'
        : `${settling} matched orders may rest again`;
    const detail = `nothing is open; ${what} for ${seconds} s more`;
    onProgress?.({ doing: 'wait', detail });
  }

  async #pause(durationMs: number): Promise<void> {
    await new Promise<void>((resolve) => this.#options.timers.after(durationMs, resolve));
  }

  #tookMs(): number {
    return this.#options.clock.nowMs() - this.#sweep.startedAtMs;
  }

  /** An empty list is watched until nothing can arrive any more, and cleared once more then. */
  #remainingMs(): number {
    if (this.#options.isCalledOff?.() === true) return 0;
    const {
      deadlineMs,
      quietMs,
      clock,
      withinMs: givenMs = Number.POSITIVE_INFINITY,
    } = this.#options;
    const { startedAtMs } = this.#sweep;
    const withinMs = Math.max(givenMs, WITHIN_MS_MIN);
    const untilMs = startedAtMs + deadlineMs;
    const isOpen = this.#sweep.left?.length !== 0;
    const inFlightMs = isOpen ? 0 : this.#inFlightUntilMs() + quietMs;
    const endMs = Math.min(Math.max(untilMs, inFlightMs), startedAtMs + withinMs);
    return Math.max(0, endMs - clock.nowMs());
  }
}
