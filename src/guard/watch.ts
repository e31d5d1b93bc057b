// After a death: cancels at once, says when nothing is open any more, and goes on looking until
// nothing that had left the dead process can arrive, or until the next run takes over.

import type { OrderHash } from '../domain/ids.ts';
import type { OrderReport } from '../domain/order.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import type { OwnOrders } from './own-book.ts';
import { type KillDoor, Sweep } from './sweep.ts';

export type WatchOptions = {
  readonly door: KillDoor;
  /** Given where only these are meant. */
  readonly own?: OwnOrders | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  /** What left before the death may be accepted so long after it; last words may make it longer. */
  readonly horizonMs: () => number;
  /** No proof is earlier than so long after it either; unlike the horizon it may become less. */
  readonly atLeastMs?: () => number;
  /** Orders that are still open after this long are reported, and again each time it has passed. */
  readonly tellMs: number;
  /** It is clear, or confirmed, from now on. */
  readonly onUpdate?: () => void;
  readonly onNotClear: (trouble: { readonly left: readonly OrderHash[]; detail: string }) => void;
};

/**
 * Where shares rest again whose settlement failed, an order that is matched in full is not over: so long
 * a proof waits for those that settle, three times as long as they take.
 * @spec Settlement outcome
 */
const SETTLING_MS_MAX = 60_000;
/** No list lacks an order of which the venue has accepted the placement so long before. */
const LISTED_BY_MS = 5_000;
/** Half of it bounds a wait that the venue asks for: a kill obeys no longer one. */
const WAIT_MS_MAX = 10_000;

export class Watch {
  readonly #options: WatchOptions;
  readonly #sweep: Sweep;
  readonly diedAtMs: UnixMs;
  /**
   * Resolves when nothing can arrive any more, never after a release: false where orders are left of
   * which nobody has said whose they are.
   */
  readonly confirmed: Promise<boolean>;
  readonly #over: Promise<void>;
  #resolveConfirmed: (isCertain: boolean) => void = () => {};
  #callOffPause: () => void = () => {};
  #clearMs: number | undefined;
  /** Since when every list that could be read was empty, whether cancels are served or not. */
  #listsEmptySinceMs: UnixMs | undefined;
  #proof: boolean | undefined;
  #isReleased = false;
  #toldAtMs: number;
  #horizonMs: number;

  constructor(options: WatchOptions) {
    const { door, own, clock, timers } = options;
    this.#options = options;
    this.diedAtMs = clock.nowMs();
    this.#toldAtMs = this.diedAtMs;
    this.#horizonMs = options.horizonMs();
    this.confirmed = new Promise((resolve) => {
      this.#resolveConfirmed = resolve;
    });
    const scope = { kind: 'account' } as const;
    const remainingMs = () => WAIT_MS_MAX;
    this.#sweep = new Sweep({ door, scope, own, clock, timers, remainingMs });
    this.#over = this.#run();
  }

  /**
   * How long it took until a list showed no open order, after an accepted cancel, or none but those that the venue
   * refuses to cancel; or, where it serves no cancel, until lists had shown none for a while. `undefined` until then.
   */
  get clearMs(): number | undefined {
    return this.#clearMs;
  }

  /** As `confirmed` says it, and until then `undefined`. */
  get proof(): boolean | undefined {
    return this.#proof;
  }

  /** Nothing can arrive any more, and what is left the venue refuses to cancel. */
  get isStuck(): boolean {
    return this.#sweep.hasOnlyRefused && this.waitMs === 0;
  }

  /** By the last list; empty where none could be read. */
  get left(): readonly OrderHash[] {
    return this.#sweep.left ?? [];
  }

  /** The same, as they were listed; absent where no list could be read. */
  get leftOrders(): readonly OrderReport[] | undefined {
    return this.#sweep.leftOrders;
  }

  /** What went wrong last, in words for people. */
  get trouble(): string {
    return this.#sweep.trouble;
  }

  /** Whether the last round showed no order. */
  get isEmpty(): boolean {
    return this.#sweep.emptySinceMs !== undefined;
  }

  get cancelled(): number {
    return this.#sweep.cancelled;
  }

  /** Orders of the last list that are matched in full and wait for their settlement. */
  get settling(): number {
    return this.#sweep.settling;
  }

  /** Orders of others, by the last list. */
  get leftAlone(): number {
    return this.#sweep.leftAlone;
  }

  /** What is left to wait until `confirmed`, while nothing shows up. */
  get waitMs(): number {
    return Math.max(0, this.#confirmedAtMs() - this.#options.clock.nowMs());
  }

  /** Ends after the call that is under way; returns for how long nothing was open. */
  async release(): Promise<number | undefined> {
    this.#isReleased = true;
    this.#callOffPause();
    await this.#over;
    const { emptySinceMs } = this.#sweep;
    return emptySinceMs === undefined ? undefined : this.#options.clock.nowMs() - emptySinceMs;
  }

  async #run(): Promise<void> {
    while (!this.#isReleased) {
      const pauseMs = await this.#sweep.round();
      const { emptySinceMs, lookedAtMs } = this.#sweep;
      const isEmpty = emptySinceMs !== undefined && lookedAtMs !== undefined;
      // What the venue refuses to cancel rests whoever waits: the next run quotes around it.
      if (isEmpty || this.#sweep.hasOnlyRefused || this.#areListsEmpty()) this.#onCleared();
      if (!isEmpty) this.#tell();
      if (isEmpty && lookedAtMs >= this.#confirmedAtMs() && this.#hasSettled()) {
        this.#onConfirmed();
        return;
      }
      await this.#pause(pauseMs);
    }
  }

  /** A proof needs a cancel that was served, and the next run, which clears the account by itself, does not. */
  #areListsEmpty(): boolean {
    const { left, lookedAtMs } = this.#sweep;
    if (left?.length !== 0 || lookedAtMs === undefined) {
      this.#listsEmptySinceMs = undefined;
      return false;
    }
    this.#listsEmptySinceMs ??= lookedAtMs;
    return lookedAtMs - this.#listsEmptySinceMs >= LISTED_BY_MS;
  }

  #onCleared(): void {
    if (this.#clearMs !== undefined) return;
    this.#clearMs = this.#options.clock.nowMs() - this.diedAtMs;
    this.#options.onUpdate?.();
  }

  #onConfirmed(): void {
    this.#proof = this.#sweep.isCertain;
    this.#resolveConfirmed(this.#proof);
    this.#options.onUpdate?.();
  }

  #hasSettled(): boolean {
    const waitedMs = this.#options.clock.nowMs() - this.#confirmedAtMs();
    return this.#sweep.settling === 0 || waitedMs >= SETTLING_MS_MAX;
  }

  #confirmedAtMs(): number {
    this.#horizonMs = Math.max(this.#horizonMs, this.#options.horizonMs());
    const atLeastMs = this.#options.atLeastMs?.() ?? 0;
    return this.diedAtMs + Math.max(this.#horizonMs, atLeastMs);
  }

  #tell(): void {
    const { clock, tellMs, onNotClear } = this.#options;
    if (clock.nowMs() - this.#toldAtMs < tellMs) return;
    this.#toldAtMs = clock.nowMs();
    onNotClear({ left: this.#sweep.left ?? [], detail: this.#sweep.trouble });
  }

  async #pause(durationMs: number): Promise<void> {
    if (this.#isReleased) return;
    await new Promise<void>((resolve) => {
      const callOff = this.#options.timers.after(durationMs, resolve);
      this.#callOffPause = () => {
        callOff();
        resolve();
      };
    });
  }
}
