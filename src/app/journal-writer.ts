// Keeps what the core asks to keep. Placements wait for it: an order that is not kept is not sent. In the scope of own
// orders that means on the disk. In the scope of the account a start clears whatever it finds, so there an intent is
// written before its order leaves, which outlives this process, and brought to the disk behind it.

import type { LedgerRecord } from '../domain/record.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import { isStop, type StopRecord } from '../journal/ledger/stops.ts';

/** Where records go; `commit` returns when they are durable, and throws when they are not. */
export interface RecordStore {
  commit(records: readonly LedgerRecord[], stopsNumber?: number): void;
}

/** A store whose disk need not be waited for. */
export interface EarlyStore {
  /** In the file when it returns, which outlives this process and no power cut; throws when it is not. */
  write(records: readonly LedgerRecord[]): void;
  /** Brings what is written by now to the disk, and says so later, or why not. One at a time. */
  sync(done: (fault: Error | undefined) => void): void;
}

export type JournalWriterOptions = {
  readonly store: RecordStore;
  /** Absent where everything waits for the disk. */
  readonly early?: EarlyStore;
  readonly clock: Clock;
  /** Nobody sets it: how far the disk is behind is told by it. Without it there is but one clock. */
  readonly steady?: Clock;
  /** Told when writing began to fail, and with `undefined` when it works again. */
  readonly onFault: (fault: string | undefined) => void;
  /** Notified of every stop that waits for the disk, whenever these may have changed. */
  readonly onStops?: (waiting: readonly StopRecord[], number: number) => void;
  /** Of the last write with stops in it that a previous run is known to have tried. */
  readonly stopsNumber?: number | undefined;
  /** How long a commit took, for whoever measures: told at the end of a turn, behind what waited for it. */
  readonly onCommit?: (tookMs: number, records: number) => void;
  /** How long the disk took to follow, for the same. */
  readonly onSync?: (tookMs: number) => void;
};

/** One commit: how long it took, and how many records it made durable. */
type Measured = { readonly tookMs: number; readonly records: number };

/** A ledger that cannot be written is tried again this often. */
const RETRY_MS = 1_000;
/** One that fails again so soon behind a good write comes and goes: quotes would, too, and it is tried later each time. */
const STEADY_MS = 10_000;
const RETRY_MS_MAX = 16_000;
/**
 * What a power cut may take at most: a disk that is later is one that fails. Cheap and crowded ones take a second now
 * and then; the start behind a cut waits as long for two seconds as for less, and a maker that stands still has failed.
 */
export const BEHIND_MS_MAX = 2_000;
/** The same in records: what comes at once beyond them, as at a start with 2,000 orders, waits for the disk. */
export const BEHIND_RECORDS_MAX = 2_000;

export class JournalWriter {
  readonly #options: JournalWriterOptions;
  /**
   * What is not durable yet, by what it is about: a later record of the same thing replaces the one
   * before it. So a disk that is gone for long costs no more memory than there are live orders, and
   * fills of the orders that were live when it went.
   */
  #waiting = new Map<string, LedgerRecord>();
  /** What is written and not on the disk, in the same way: a disk that fails then has to be told again. */
  #written = new Map<string, LedgerRecord>();
  /** The same, of what a sync is bringing there. */
  #syncing = new Map<string, LedgerRecord>();
  #behindSinceMs: UnixMs | undefined;
  #syncBeganMs: UnixMs | undefined;
  #mayBeEarly = false;
  /** What is wrong is that the disk is behind: it says itself when it is not. */
  #isLate = false;
  #fault: string | undefined;
  #triedAtMs: UnixMs | undefined;
  #retryMs = RETRY_MS;
  #soundSinceMs = Number.NEGATIVE_INFINITY;
  /** Commits since the last turn: one for each placement at most, whose number the write budget bounds. */
  #measured: Measured[] = [];
  /** Writes that were tried with stops in them: the ledger has the number of the last that it took. */
  #stopsNumber: number;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.#stopsNumber = options.stopsNumber ?? 0;
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  keep(record: LedgerRecord): void {
    this.#waiting.set(keyOf(record), record);
    if (this.#fault !== undefined && isStop(record)) this.#tellStops();
  }

  /** Whose orders a start clears, from now on: all of the account, or own ones that it knows. */
  setScope(scope: 'account' | 'own'): void {
    this.#mayBeEarly = scope === 'account';
  }

  /** Keeps everything, as far as an order that is about to leave needs it. @returns Whether it may leave. */
  commit(): boolean {
    this.#checkDisk();
    if (this.#fault !== undefined) return false;
    const early = this.#mayBeEarly ? this.#options.early : undefined;
    if (early === undefined) return this.#waiting.size + this.#behindCount === 0 || this.#try();
    if (this.#waiting.size === 0) return true;
    return this.#mustWait() ? this.#try() : this.#writeTo(early);
  }

  /** The end of a turn: what waits is kept, the disk is told to follow, and a ledger that failed is tried again. */
  onTurn(): void {
    this.#checkDisk();
    if (this.#fault === undefined) this.commit();
    else this.#tryIfDue();
    this.#follow();
    this.#tellMeasured();
  }

  #mustWait(): boolean {
    const isMuch = this.#behindCount + this.#waiting.size > BEHIND_RECORDS_MAX;
    return isMuch || [...this.#waiting.values()].some(needsDisk);
  }

  #writeTo(early: EarlyStore): boolean {
    const { clock } = this.#options;
    const startedAtMs = clock.nowMs();
    const records = [...this.#waiting];
    try {
      early.write(records.map(([, record]) => record));
    } catch (error) {
      this.#triedAtMs = startedAtMs;
      this.#fail(error);
      return false;
    }
    this.#waiting = new Map();
    this.#behindSinceMs ??= this.#steadyMs();
    for (const [key, record] of records) this.#written.set(key, record);
    this.#measure(startedAtMs, records.length);
    return true;
  }

  /** Brings to the disk what was written since the last time, behind everything that was waiting for it. */
  #follow(): void {
    const { early } = this.#options;
    if (early === undefined || this.#syncBeganMs !== undefined || this.#written.size === 0) return;
    // A disk that is behind since nobody has told it to follow, as while the process was stopped, is told now.
    if (this.#fault !== undefined && !this.#isLate) return;
    const beganMs = this.#steadyMs();
    this.#syncBeganMs = beganMs;
    this.#syncing = this.#written;
    this.#written = new Map();
    early.sync((fault) => this.#onFollowed(beganMs, fault));
  }

  #onFollowed(beganMs: UnixMs, fault: Error | undefined): void {
    this.#syncBeganMs = undefined;
    if (fault !== undefined) {
      this.#takeBack();
      this.#fail(fault);
      return;
    }
    this.#options.onSync?.(this.#steadyMs() - beganMs);
    this.#syncing = new Map();
    const sinceMs = this.#behindSinceMs ?? beganMs;
    this.#behindSinceMs = this.#written.size === 0 ? undefined : later(sinceMs, beganMs);
    if (this.#isLate) this.#say(undefined);
    this.#isLate = false;
    this.#follow();
  }

  /** What the disk may not have is to be written again, but for what a later record has replaced. */
  #takeBack(): void {
    this.#waiting = new Map([...this.#syncing, ...this.#written, ...this.#waiting]);
    this.#settleBehind();
  }

  #settleBehind(): void {
    this.#syncing = new Map();
    this.#written = new Map();
    this.#behindSinceMs = undefined;
    this.#isLate = false;
  }

  /** A disk that takes too long is as good as none, until it has taken what it was given. */
  #checkDisk(): void {
    if (this.#fault !== undefined || this.#behindSinceMs === undefined) return;
    const lateMs = this.#steadyMs() - this.#behindSinceMs;
    if (lateMs <= BEHIND_MS_MAX) return;
    this.#isLate = true;
    this.#say(`the disk is ${lateMs} ms and ${this.#behindCount} records behind`);
  }

  get #behindCount(): number {
    return this.#syncing.size + this.#written.size;
  }

  #steadyMs(): UnixMs {
    const { steady, clock } = this.#options;
    return (steady ?? clock).nowMs();
  }

  #tryIfDue(): void {
    if (this.#isLate) return;
    const { clock } = this.#options;
    const sinceMs = clock.nowMs() - (this.#triedAtMs ?? 0);
    // A clock that steps back must not keep us from trying.
    if (sinceMs >= this.#retryMs || sinceMs < 0) this.#try();
  }

  #try(): boolean {
    const { store, clock } = this.#options;
    const startedAtMs = clock.nowMs();
    this.#triedAtMs = startedAtMs;
    const records = [...this.#waiting.values()];
    const hasStops = records.some(isStop);
    // One that fails may have been taken all the same: no number is given twice.
    if (hasStops) this.#stopsNumber += 1;
    try {
      store.commit(records, hasStops ? this.#stopsNumber : undefined);
    } catch (error) {
      this.#takeBack();
      this.#fail(error);
      return false;
    }
    this.#waiting = new Map();
    this.#settleBehind();
    if (this.#fault !== undefined) this.#soundSinceMs = this.#steadyMs();
    this.#say(undefined);
    this.#tellStops();
    this.#measure(startedAtMs, records.length);
    return true;
  }

  #fail(error: unknown): void {
    if (this.#fault === undefined) {
      const isAgain = this.#steadyMs() - this.#soundSinceMs < STEADY_MS;
      this.#retryMs = isAgain ? Math.min(2 * this.#retryMs, RETRY_MS_MAX) : RETRY_MS;
    }
    this.#say(error instanceof Error ? error.message : String(error));
    this.#tellStops();
  }

  #measure(startedAtMs: UnixMs, records: number): void {
    const { clock, onCommit } = this.#options;
    if (onCommit === undefined) return;
    this.#measured.push({ tookMs: clock.nowMs() - startedAtMs, records });
  }

  /** A placement waits for its commit, and for no metric of it. */
  #tellMeasured(): void {
    if (this.#measured.length === 0) return;
    const measured = this.#measured;
    this.#measured = [];
    for (const { tookMs, records } of measured) this.#options.onCommit?.(tookMs, records);
  }

  #tellStops(): void {
    const waiting = [...this.#waiting.values()].filter(isStop);
    this.#options.onStops?.(waiting, this.#stopsNumber);
  }

  #say(fault: string | undefined): void {
    const hasChanged = (fault === undefined) !== (this.#fault === undefined);
    this.#fault = fault;
    if (hasChanged) this.#options.onFault(fault);
  }
}

function later(one: UnixMs, other: UnixMs): UnixMs {
  return one > other ? one : other;
}

/** What no start finds out by itself: stops, what losses count from, chain actions, what operators did. */
function needsDisk(record: LedgerRecord): boolean {
  const { kind } = record;
  return isStop(record) || kind === 'baselines' || kind === 'sets' || kind === 'action';
}

/** What a record is about; a later record of the same thing stands for the one before it. */
export function keyOf(record: LedgerRecord): string {
  switch (record.kind) {
    case 'order':
      return `order ${record.order.intentId}`;
    case 'fill':
      return `fill ${record.fill.intentId} ${record.fill.executedAfter}`;
    case 'settlement':
      return `settlement ${record.settlement.tradeId}`;
    case 'token':
      return `token ${record.token.tokenId}`;
    case 'flows':
      return `flows ${record.flows.marketId}`;
    case 'action':
      return `action ${record.action.number}`;
    case 'settings':
      return `settings ${record.applied.version}`;
    case 'memory':
    case 'forgotten':
      return `memory ${record.key}`;
    case 'cash':
    case 'cashAdopted':
    case 'cashSteady':
    case 'sets':
    case 'halt':
    case 'pause':
    case 'latches':
    case 'marketStops':
    case 'cleared':
    case 'failures':
    case 'baselines':
    case 'slowest':
    case 'ahead':
    case 'locks':
    case 'clock':
      return record.kind;
  }
}
