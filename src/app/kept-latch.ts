// The kill latch as a daemon keeps it: what cannot be written is written as soon as it can, and until then
// everybody is told that a new start would know nothing of the kill.

import { inTime } from '../domain/in-time.ts';
import type { Clock, Timers } from '../domain/time.ts';
import type { LatchFault } from '../domain/view.ts';
import {
  clearLatch,
  confirmLatch,
  type Latch,
  parseLatch,
  readLatch,
  reserveLatch,
  setLatch,
} from '../journal/latch.ts';
import type { Log } from '../telemetry/logs.ts';
import type { KillLatch } from './kill-latch.ts';

export type KeptLatchOptions = {
  readonly journal: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Tells the guard by whom the account was killed while no latch says so, and when one does again. */
  readonly tellGuard?: ((by: string | undefined) => void) | undefined;
  /** By whom it was in a previous run, as the guard keeps it since no disk had taken that. */
  readonly heldBy?: string | undefined;
  /** The ledger says it as well: a latch file that was lost lifts no kill. */
  readonly ledger?: KillFacts | undefined;
};

/** Short texts that are kept by name. */
export type KillFacts = {
  fact(name: string): string | undefined;
  setFact(name: string, value: string): void;
};

/** The latch as the ledger keeps it; an empty text where it was lifted. */
export const KILL_FACT = 'kill';

/** A disk that is full is tried again this often. */
const RETRY_MS = 1_000;
/** A latch is one small file: a disk that has not taken it by then is hung, and may never answer. */
const ANSWER_MS_MAX = 2_000;

export class KeptLatch implements KillLatch {
  readonly #options: KeptLatchOptions;
  #waiting: Latch | undefined;
  #fault: LatchFault | undefined;
  /** What the guard keeps. */
  #told: string | undefined;
  #callOff: () => void = () => {};
  #isClosed = false;
  #before: Promise<void> = Promise.resolve();

  constructor(options: KeptLatchOptions) {
    this.#options = options;
    this.#told = options.heldBy;
  }

  /** A kill that no latch holds; `undefined` while there is none. */
  get fault(): LatchFault | undefined {
    return this.#fault;
  }

  /** Keeps room on the disk; without it a kill on a full disk waits for somebody to make some. */
  async reserve(): Promise<void> {
    const { journal, log } = this.#options;
    await reserveLatch(journal).catch((error: unknown) => {
      log.warn('latch.reserve_failed', { detail: String(error) });
    });
  }

  /**
   * What stands at a start. What the guard keeps of a previous run, since no disk had taken it, is tried
   * again; where a latch stands, the word that one does was lost with that run.
   */
  async atStart(): Promise<Latch | undefined> {
    const { journal, log, heldBy } = this.#options;
    const onDisk = await readLatch(journal);
    if (onDisk !== undefined) {
      this.#say(undefined);
      this.#keep(onDisk);
      return onDisk;
    }
    const by = heldBy ?? this.#keptBy();
    if (by === undefined) return undefined;
    log.error('latch.remembered', { by, clears: 'bookend resume' });
    void this.set(by);
    return { by, reason: 'kill', at: undefined };
  }

  /** By whom the account is killed as the ledger has it. */
  #keptBy(): string | undefined {
    const text = this.#options.ledger?.fact(KILL_FACT);
    if (text === undefined || text === '') return undefined;
    return parseLatch(text).by;
  }

  /** Behind the file, which has told that the disk answers: a kill waits for no disk that hangs. */
  #keep(latch: Latch | undefined): void {
    const { ledger, log } = this.#options;
    try {
      const text = latch === undefined ? '' : JSON.stringify(latch);
      if ((ledger?.fact(KILL_FACT) ?? '') !== text) ledger?.setFact(KILL_FACT, text);
    } catch (error) {
      log.error('latch.not_in_ledger', { detail: String(error) });
    }
  }

  /** Latched when this returns, or tried again until it is, or until it is lifted. Never rejects. */
  async set(by: string): Promise<void> {
    const at = new Date(this.#options.clock.nowMs()).toISOString();
    this.#waiting = { by, reason: 'kill', at };
    await this.#inTurn(async () => await this.#try());
  }

  /** What keeps quotes away by now, on the disk or in flight there. */
  async standing(): Promise<readonly Latch[]> {
    const waiting = this.#waiting;
    const onDisk = await readLatch(this.#options.journal);
    return [waiting, onDisk].filter((each) => each !== undefined);
  }

  /** @throws {BotError} `journal.write` when it may still stand. */
  async lift(standing: readonly Latch[]): Promise<Latch | undefined> {
    if (isOther(this.#waiting, standing)) return this.#waiting;
    this.#waiting = undefined;
    this.#callOff();
    // Whatever the guard keeps is lifted, a kill of its own as well, of which nobody has told this process.
    this.#told ??= '';
    this.#say(undefined);
    let newer: Latch | undefined;
    await this.#inTurn(async () => {
      const onDisk = await readLatch(this.#options.journal);
      if (isOther(onDisk, standing)) newer = onDisk;
      else {
        await clearLatch(this.#options.journal);
        this.#keep(undefined);
      }
    });
    if (newer === undefined) await this.reserve();
    return newer;
  }

  /** When what is set is on the disk, or it is known that it is not: nobody who ends waits for longer. */
  async settled(): Promise<void> {
    await inTime(this.#before, undefined, { timers: this.#options.timers, ms: ANSWER_MS_MAX });
    if (this.#waiting !== undefined && this.#fault === undefined) this.#onUnanswered(this.#waiting);
  }

  /** Notes that nothing is open and nothing of ours under way; on a latch that waits, too. */
  async confirm(): Promise<void> {
    const { journal, clock } = this.#options;
    const at = new Date(clock.nowMs()).toISOString();
    if (this.#waiting !== undefined) this.#waiting = { ...this.#waiting, confirmed: at };
    await this.#inTurn(async () => {
      await confirmLatch(journal, at);
      const onDisk = await readLatch(journal);
      if (onDisk !== undefined) this.#keep(onDisk);
    });
  }

  /** Nothing is tried any more. */
  close(): void {
    this.#isClosed = true;
    this.#callOff();
  }

  /** One after the other: a kill that is written while it is lifted must not stand in the end. */
  async #inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.#before.then(step);
    this.#before = done.catch(() => undefined);
    await done;
  }

  async #try(): Promise<void> {
    const latch = this.#waiting;
    if (latch === undefined) return;
    const { timers, journal } = this.#options;
    const callOff = timers.after(ANSWER_MS_MAX, () => this.#onUnanswered(latch));
    try {
      await setLatch(journal, latch);
    } catch (error) {
      this.#onFailed(latch, error);
      return;
    } finally {
      callOff();
    }
    this.#keep(latch);
    // What was noted on it meanwhile is no other latch, and is noted on the disk in its turn.
    if (isOther(this.#waiting, [latch])) return;
    this.#waiting = undefined;
    this.#say(undefined);
  }

  /** It may be taken yet; until then a start would know nothing of it. */
  #onUnanswered(latch: Latch): void {
    this.#onFault(latch, 'the disk does not answer');
  }

  #onFault({ by, at = '' }: Latch, detail: string): void {
    const isNew = this.#fault === undefined;
    if (this.#waiting === undefined) return;
    if (isNew) this.#options.log.error('latch.failed', { by, detail, means: LOST_BY_A_START });
    this.#say({ by, at, detail });
  }

  #onFailed(latch: Latch, error: unknown): void {
    const { timers } = this.#options;
    this.#onFault(latch, error instanceof Error ? error.message : String(error));
    this.#callOff();
    if (this.#isClosed || this.#waiting === undefined) return;
    this.#callOff = timers.after(RETRY_MS, () => void this.#inTurn(async () => await this.#try()));
  }

  #say(fault: LatchFault | undefined): void {
    if (this.#fault !== undefined && fault === undefined) this.#options.log.info('latch.repaired');
    this.#fault = fault;
    if (fault?.by === this.#told) return;
    this.#told = fault?.by;
    this.#options.tellGuard?.(fault?.by);
  }
}

const LOST_BY_A_START = 'a new guard or container would start and quote: make room on the disk';

/** A proof that was noted on it meanwhile makes no other latch of it. */
export function isOther(latch: Latch | undefined, known: readonly Latch[]): boolean {
  if (latch === undefined) return false;
  const { by, reason, at } = latch;
  return !known.some((each) => each.by === by && each.reason === reason && each.at === at);
}
