// What survives a process: the real ledger, on a disk that may fail, be slow, or lie about a write.

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyOf, type RecordStore } from '../../../src/app/journal-writer.ts';
import { BotError } from '../../../src/domain/errors.ts';
import type { LedgerRecord, PersistedState } from '../../../src/domain/record.ts';
import type { Clock } from '../../../src/domain/time.ts';
import { type Ledger, openLedger } from '../../../src/journal/ledger/ledger.ts';
import { type HeldOnDisk, NOTHING_HELD } from '../audit/stops.ts';
import type { Weather } from './weather.ts';

/**
 * `file`: each commit goes to the file, as in a daemon. `gathered`: commits are gathered and written to
 * it when somebody reads, which is all that anybody can tell apart, and several times as fast.
 */
export type DiskMode = 'file' | 'gathered';

export type DiskParts = {
  readonly mode: DiskMode;
  readonly clock: Clock;
  readonly weather: Weather;
  /** Notified of each commit: whether the process is told that it was written. */
  readonly onTried?: (isWritten: boolean) => void;
};

/** What one process does with the disk, and what it is reported. */
export type DiskUser = {
  /** The process is gone: it writes nothing more. */
  readonly isOver: () => boolean;
  /** The disk took this long, and the process stood still meanwhile. */
  readonly onSlow: (tookMs: number) => void;
};

/** A folder in memory, where there is one: whoever dies here takes no disk with them. */
const MEMORY = '/dev/shm';
/** Records that are gathered before they are written to the file all the same. */
const GATHERED_MAX = 20_000;

export class Disk {
  readonly #parts: DiskParts;
  readonly #folder: string;
  readonly #ledger: Ledger;
  #gathered = new Map<string, LedgerRecord>();
  /** Intents that were written at some time; as many as a run has. */
  readonly #intents = new Set<string>();
  /** Chain actions that were written at some time. */
  readonly #actions = new Set<string>();
  #held: HeldOnDisk = NOTHING_HELD;

  static async open(parts: DiskParts): Promise<Disk> {
    const folder = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'bookend-sim-'));
    const path = join(folder, 'ledger.db');
    return new Disk(parts, folder, await openLedger({ path, clock: parts.clock }));
  }

  private constructor(parts: DiskParts, folder: string, ledger: Ledger) {
    this.#parts = parts;
    this.#folder = folder;
    this.#ledger = ledger;
  }

  /** The disk as one process uses it. */
  usedBy(user: DiskUser): RecordStore {
    return { commit: (records) => this.#commit(records, user) };
  }

  /** Whether an intent is on the disk. */
  keeps(intentId: string): boolean {
    return this.#intents.has(intentId);
  }

  /** Whether a split, merge or redeem is on the disk. */
  keepsChainAction(id: string): boolean {
    return this.#actions.has(id);
  }

  /** What stops or holds a process that begins now. */
  get held(): HeldOnDisk {
    return this.#held;
  }

  /** What a new process finds. */
  load(): PersistedState {
    this.#write();
    return this.#ledger.load();
  }

  /** Somebody removed the file. */
  lose(): void {
    this.#gathered.clear();
    this.#intents.clear();
    this.#actions.clear();
    this.#held = NOTHING_HELD;
    this.#ledger.forget();
  }

  async close(): Promise<void> {
    this.#ledger.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #commit(records: readonly LedgerRecord[], user: DiskUser): void {
    if (user.isOver()) throw new BotError('journal.write', 'the process is gone');
    try {
      this.#tryCommit(records, user);
    } catch (error) {
      this.#parts.onTried?.(false);
      throw error;
    }
    this.#parts.onTried?.(true);
  }

  #tryCommit(records: readonly LedgerRecord[], user: DiskUser): void {
    const { weather } = this.#parts;
    if (weather.strikes('diskFails')) throw new BotError('journal.write', 'no space left');
    this.#keep(records);
    if (weather.strikes('diskSlow')) user.onSlow(weather.diskMs());
    // Everything was written, and yet the process is told that it was not.
    if (weather.strikes('diskLies'))
      throw new BotError('journal.write', 'an error after the write');
  }

  #keep(records: readonly LedgerRecord[]): void {
    for (const each of records) this.#note(each);
    if (this.#parts.mode === 'file') {
      this.#ledger.commit(records);
      return;
    }
    for (const record of records) this.#gather(record);
    if (this.#gathered.size > GATHERED_MAX) this.#write();
  }

  #note(record: LedgerRecord): void {
    switch (record.kind) {
      case 'order':
        this.#intents.add(record.order.intentId);
        return;
      case 'sets':
        for (const { order } of record.requests) this.#actions.add(order.id);
        return;
      case 'halt':
        this.#held = { ...this.#held, halt: record.halt !== undefined };
        return;
      case 'pause':
        this.#held = { ...this.#held, pause: record.pause !== undefined };
        return;
      case 'baselines':
        this.#held = { ...this.#held, baselines: record.baselines };
        return;
      case 'latches':
        this.#held = { ...this.#held, latches: record.latches };
        return;
      default:
        return;
    }
  }

  /** A fill or settlement told again is the same row, and the first of them stays. */
  #gather(record: LedgerRecord): void {
    const key = keyOf(record);
    const staysFirst = record.kind === 'fill' || record.kind === 'settlement';
    if (staysFirst && this.#gathered.has(key)) return;
    this.#gathered.set(key, record);
  }

  #write(): void {
    if (this.#gathered.size === 0) return;
    const records = [...this.#gathered.values()];
    this.#gathered = new Map();
    this.#ledger.commit(records);
  }
}
