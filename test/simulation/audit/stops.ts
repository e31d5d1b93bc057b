// What the operator was promised: nothing is placed while stopped, and "confirmed" means confirmed.

import type { OperatorOrder } from '../../../src/domain/input.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { StoredBaselines, StoredLatch } from '../../../src/domain/risk.ts';

/** What is on the disk of all that stops or holds a daemon. */
export type HeldOnDisk = {
  readonly halt: boolean;
  readonly pause: boolean;
  readonly latches: readonly StoredLatch[];
  readonly baselines?: StoredBaselines | undefined;
};

export const NOTHING_HELD: HeldOnDisk = { halt: false, pause: false, latches: [] };

/** `decided`: placements decided on until then; none of them may be accepted later. */
export type Proof = {
  readonly process: number;
  readonly era: number;
  readonly atMs: number;
  readonly decided: number;
  /** Of a kill; a start confirms only what its own process did. */
  readonly isKill: boolean;
};

/** What the operator asked for is written in the same turn; a busy disk takes its time. */
const KEPT_MS = 15_000;
/** An operator has an answer by then, and an order that was given is kept by somebody. */
const ANSWERED_MS = 200;

/** What an answered stop is kept by when a process ends: the disk, or whoever outlives it. */
type KeptBy = 'disk' | 'guard';

/** The operator's state as it must be: only an order of the operator changes it. */
export class Stops {
  readonly #slackMs = 10_000;
  #stoppedBy: OperatorOrder['kind'] | undefined;
  /** Killed, and not resumed since: a latch of its own keeps that, whatever was asked for beside it. */
  #isKilled = false;
  #pausedAtMs = 0;
  #haltedAtMs = 0;
  /** Who has to tell the next process of a pause and a halt that somebody was answered. */
  #pauseWriter: KeptBy | undefined;
  #haltWriter: KeptBy | undefined;
  /** Orders of the operator so far, and which of them stopped the daemon last. */
  #asked = 0;
  #stopAsked = 0;
  #proof: Proof | undefined;
  #isHalted = false;
  #isDiskBroken = false;
  /** Since when a pause or a halt should be on the disk, while that can be written. */
  #toKeepSinceMs: number | undefined;
  #killSinceMs: number | undefined;
  /** Orders of the operator that the daemon has not answered yet, oldest first. */
  #unreported: { readonly kind: string; readonly atMs: number; readonly place: number }[] = [];

  /**
   * The process is gone. What it answered is kept: by the disk, or else by its guard.
   * @param onDisk - Without a disk nothing is kept.
   */
  onProcessEnds(atMs: number, onDisk: HeldOnDisk | undefined): void {
    const isPaused = this.#stoppedBy === 'pause' && atMs - this.#pausedAtMs >= ANSWERED_MS;
    const isHalted = this.#isHalted && atMs - this.#haltedAtMs >= ANSWERED_MS;
    // Who leaves in good order has said what is lost with it.
    const isKept = onDisk !== undefined && this.#stoppedBy !== 'shutdown';
    this.#pauseWriter = isKept && isPaused ? writerOf(onDisk.pause) : undefined;
    this.#haltWriter = isKept && isHalted ? writerOf(onDisk.halt) : undefined;
  }

  /**
   * A kill outlives the process by its latch, a pause and a halt by the disk or its guard; a shutdown
   * ends with it. A ledger that is lost takes with it what it had.
   */
  onProcessStarts(remembers: boolean, held: HeldOnDisk): void {
    const isKnown = (writer: KeptBy | undefined) =>
      writer === 'guard' || (writer === 'disk' && remembers);
    const byPause = held.pause || isKnown(this.#pauseWriter) ? ('pause' as const) : undefined;
    this.#stoppedBy = this.#isKilled ? 'kill' : byPause;
    this.#isHalted = held.halt || isKnown(this.#haltWriter);
    this.#toKeepSinceMs = undefined;
    this.#isDiskBroken = false;
    this.#proof = undefined;
    this.#killSinceMs = undefined;
    this.#unreported = [];
  }

  /** The operator gives an order; the daemon has not heard it yet. */
  onAsked(order: OperatorOrder, atMs: number): void {
    this.#asked += 1;
    this.#unreported.push({ kind: order.kind, atMs, place: this.#asked });
  }

  onReport(report: Report, at: Omit<Proof, 'isKill'>): void {
    if (report.event === 'kill.confirmed' || report.event === 'start.cleared') {
      this.#proof = { ...at, isKill: report.event === 'kill.confirmed' };
      this.#killSinceMs = undefined;
    }
    if (report.event === 'risk.halted') this.#onHalted(at.atMs);
    if (report.event === 'ledger.state') this.#isDiskBroken = report.fault !== '';
    if (report.event === 'kill.unconfirmed') this.#killSinceMs = undefined;
    if (report.event !== 'operator.order') return;
    const place = this.#hear(report.order);
    if (report.accepted) this.#onOrder(report.order, place, at.atMs);
  }

  get stoppedBy(): string | undefined {
    return this.#stoppedBy ?? (this.#isHalted ? 'halt' : undefined);
  }

  /** @returns A pause or a halt that the disk, which is sound, has not got after a while. */
  unkept(held: HeldOnDisk, nowMs: number): string | undefined {
    const isPauseLost = this.#stoppedBy === 'pause' && !held.pause;
    const isHaltLost = this.#isHalted && !held.halt;
    if (this.#isDiskBroken || !(isPauseLost || isHaltLost)) {
      this.#toKeepSinceMs = undefined;
      return undefined;
    }
    this.#toKeepSinceMs ??= nowMs;
    if (nowMs - this.#toKeepSinceMs <= KEPT_MS) return undefined;
    return isHaltLost ? 'halt' : 'pause';
  }

  get proof(): Proof | undefined {
    return this.#proof;
  }

  /** A kill that is neither confirmed nor said to be unconfirmed long after its deadline. */
  isSilent(nowMs: number, deadlineMs: number): boolean {
    const since = this.#killSinceMs;
    return since !== undefined && nowMs - since > deadlineMs + this.#slackMs;
  }

  /** An order that the daemon has neither obeyed nor refused in all this time. */
  unreported(nowMs: number): string | undefined {
    const [oldest] = this.#unreported;
    return oldest && nowMs - oldest.atMs > this.#slackMs ? oldest.kind : undefined;
  }

  /** @returns Its place among all orders; zero for one that nobody has given. */
  #hear(kind: string): number {
    const index = this.#unreported.findIndex((each) => each.kind === kind);
    if (index < 0) return 0;
    const [heard] = this.#unreported.splice(index, 1);
    return heard?.place ?? 0;
  }

  #onHalted(atMs: number): void {
    if (!this.#isHalted) this.#haltedAtMs = atMs;
    this.#isHalted = true;
  }

  #onOrder(kind: string, place: number, atMs: number): void {
    if (kind === 'kill' || kind === 'shutdown') {
      // A kill of what is not killed yet begins a proof of its own.
      if (this.#stoppedBy !== 'kill' || kind === 'shutdown') this.#proof = undefined;
      // A shutdown has a deadline of its own; a kill of what is killed is confirmed anew.
      if (kind === 'shutdown') this.#killSinceMs = atMs;
      else this.#killSinceMs ??= atMs;
      this.#stoppedBy = kind;
      this.#stopAsked = place;
      if (kind === 'kill') this.#isKilled = true;
    }
    if (kind === 'pause') {
      if (this.#stoppedBy !== 'pause') this.#pausedAtMs = atMs;
      this.#stoppedBy = 'pause';
      this.#stopAsked = place;
    }
    // A busy daemon hears a stop and the resume behind it in one turn.
    if (kind !== 'resume' || place <= this.#stopAsked) return;
    this.#stoppedBy = undefined;
    this.#isKilled = false;
    this.#isHalted = false;
    this.#proof = undefined;
    // Nobody waits for the proof of a kill that the operator has taken back.
    this.#killSinceMs = undefined;
  }
}

function writerOf(isOnDisk: boolean): KeptBy {
  return isOnDisk ? 'disk' : 'guard';
}
