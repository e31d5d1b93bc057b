// Keeps what the core asks to keep. Placements wait for it: an order that is not on disk is not sent.

import type { LedgerRecord } from '../domain/record.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import { isStop, type StopRecord } from '../journal/ledger/stops.ts';

/** Where records go; `commit` returns when they are durable, and throws when they are not. */
export interface RecordStore {
  commit(records: readonly LedgerRecord[], stopsNumber?: number): void;
}

export type JournalWriterOptions = {
  readonly store: RecordStore;
  readonly clock: Clock;
  /** Told when writing began to fail, and with `undefined` when it works again. */
  readonly onFault: (fault: string | undefined) => void;
  /** Notified of every stop that waits for the disk, whenever these may have changed. */
  readonly onStops?: (waiting: readonly StopRecord[], number: number) => void;
  /** Of the last write with stops in it that a previous run is known to have tried. */
  readonly stopsNumber?: number | undefined;
  /** How long a commit took, for whoever measures: told at the end of a turn, behind what waited for it. */
  readonly onCommit?: (tookMs: number, records: number) => void;
};

/** One commit: how long it took, and how many records it made durable. */
type Measured = { readonly tookMs: number; readonly records: number };

/** A ledger that cannot be written is tried again this often. */
const RETRY_MS = 1_000;

export class JournalWriter {
  readonly #options: JournalWriterOptions;
  /**
   * What is not durable yet, by what it is about: a later record of the same thing replaces the one
   * before it. So a disk that is gone for long costs no more memory than there are live orders, and
   * fills of the orders that were live when it went.
   */
  #waiting = new Map<string, LedgerRecord>();
  #fault: string | undefined;
  #triedAtMs: UnixMs | undefined;
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

  /** Makes everything durable now. @returns Whether it is. */
  commit(): boolean {
    if (this.#fault !== undefined) return false;
    return this.#waiting.size === 0 || this.#try();
  }

  /** The end of a turn: what waits is written, and a ledger that failed is tried again. */
  onTurn(): void {
    if (this.#fault === undefined) this.commit();
    else this.#tryIfDue();
    this.#tellMeasured();
  }

  #tryIfDue(): void {
    const { clock } = this.#options;
    const sinceMs = clock.nowMs() - (this.#triedAtMs ?? 0);
    // A clock that steps back must not keep us from trying.
    if (sinceMs >= RETRY_MS || sinceMs < 0) this.#try();
  }

  #try(): boolean {
    const { store, clock, onCommit } = this.#options;
    const startedAtMs = clock.nowMs();
    this.#triedAtMs = startedAtMs;
    const records = [...this.#waiting.values()];
    const hasStops = records.some(isStop);
    // One that fails may have been taken all the same: no number is given twice.
    if (hasStops) this.#stopsNumber += 1;
    try {
      store.commit(records, hasStops ? this.#stopsNumber : undefined);
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
      this.#tellStops();
      return false;
    }
    this.#waiting = new Map();
    this.#say(undefined);
    this.#tellStops();
    if (onCommit !== undefined) {
      this.#measured.push({ tookMs: clock.nowMs() - startedAtMs, records: records.length });
    }
    return true;
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
