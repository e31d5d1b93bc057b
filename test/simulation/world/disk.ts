// What survives a process: the real ledger, on a disk that may fail, be slow, or lie about a write.

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EarlyStore, keyOf, type RecordStore } from '../../../src/app/journal-writer.ts';
import { BotError } from '../../../src/domain/errors.ts';
import type { LedgerRecord, PersistedState } from '../../../src/domain/record.ts';
import type { StoredLatch } from '../../../src/domain/risk.ts';
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
  /** Runs a task later, unless the process is gone by then. */
  readonly after: (delayMs: number, task: () => void) => void;
};

/** A sync of a sound disk. */
const SYNC_MS = 2;

/** A folder in memory, where there is one: whoever dies here takes no disk with them. */
const MEMORY = '/dev/shm';
/** Records that are gathered before they are written to the file all the same. */
const GATHERED_MAX = 20_000;

export class Disk {
  readonly #parts: DiskParts;
  readonly #folder: string;
  readonly #ledger: Ledger;
  #gathered = new Map<string, LedgerRecord>();
  /** What is in the memory of the machine alone: a power cut takes it. */
  #unsynced: readonly LedgerRecord[] = [];
  #hasUnsynced = false;
  /** Intents that were written at some time; as many as a run has. */
  readonly #intents = new Set<string>();
  /** Those of them that a power cut would have taken. */
  readonly #intentsAhead = new Set<string>();
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
  usedBy(user: DiskUser): RecordStore & EarlyStore {
    return {
      commit: (records) => this.#tried(user, () => this.#tryCommit(records, user)),
      write: (records) => this.#tried(user, () => this.#tryWrite(records)),
      sync: (done) => this.#sync(user, done),
    };
  }

  /** Whether an intent outlives the process, and in the own scope the machine as well. */
  keeps(intentId: string, scope: 'account' | 'own'): boolean {
    const mayBeAhead = scope === 'account';
    return this.#intents.has(intentId) && (mayBeAhead || !this.#intentsAhead.has(intentId));
  }

  /** The machine loses its power. @returns Whether it may have taken anything. */
  cut(): boolean {
    const mayHaveLost = this.#hasUnsynced;
    this.#unsynced = [];
    this.#hasUnsynced = false;
    return mayHaveLost;
  }

  /** As a start does before it goes on: one more control that holds what comes. */
  hold(latch: StoredLatch): void {
    this.#keep([{ kind: 'latches', latches: [...(this.load().latches ?? []), latch] }]);
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
    this.#settle();
    this.#write();
    return this.#ledger.load();
  }

  /** Somebody removed the file. */
  lose(): void {
    this.#unsynced = [];
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

  #tried(user: DiskUser, task: () => void): void {
    if (user.isOver()) throw new BotError('journal.write', 'the process is gone');
    try {
      task();
    } catch (error) {
      this.#parts.onTried?.(false);
      throw error;
    }
    this.#parts.onTried?.(true);
  }

  #tryCommit(records: readonly LedgerRecord[], user: DiskUser): void {
    const { weather } = this.#parts;
    if (weather.strikes('diskFails')) throw new BotError('journal.write', 'no space left');
    this.#settle();
    this.#keep(records);
    if (weather.strikes('diskSlow')) user.onSlow(weather.diskMs());
    // Everything was written, and yet the process is told that it was not.
    if (weather.strikes('diskLies'))
      throw new BotError('journal.write', 'an error after the write');
  }

  #tryWrite(records: readonly LedgerRecord[]): void {
    const { weather } = this.#parts;
    if (weather.strikes('diskFails')) throw new BotError('journal.write', 'no space left');
    this.#hasUnsynced = true;
    this.#unsynced = [...this.#unsynced, ...records];
    for (const each of records) this.#note(each);
    for (const each of records)
      if (each.kind === 'order') this.#intentsAhead.add(each.order.intentId);
  }

  /** Whatever was written when it began is on the disk when it ends; a disk that fails may have taken it. */
  #sync(user: DiskUser, done: (fault: Error | undefined) => void): void {
    const { weather } = this.#parts;
    const tookMs = weather.strikes('diskSlow') ? weather.diskMs() : SYNC_MS;
    const count = this.#unsynced.length;
    user.after(tookMs, () => {
      if (weather.strikes('diskFails')) return done(new BotError('journal.write', 'an I/O error'));
      this.#settle(count);
      done(
        weather.strikes('diskLies')
          ? new BotError('journal.write', 'an error after it')
          : undefined,
      );
    });
  }

  /** The first so many records of what is unsynced come to the disk. */
  #settle(count = this.#unsynced.length): void {
    const records = this.#unsynced.slice(0, count);
    this.#unsynced = this.#unsynced.slice(count);
    if (records.length === 0) return;
    for (const each of records)
      if (each.kind === 'order') this.#intentsAhead.delete(each.order.intentId);
    this.#keep(records);
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
