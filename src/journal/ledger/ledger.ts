// The ledger: one SQLite file that outlives the process. A commit is on disk when it returns.

import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import type { BindValues, Statement } from 'node-sqlite3-wasm';
import sqlite from 'node-sqlite3-wasm';
import { BotError } from '../../domain/errors.ts';
import { isOfRequest } from '../../domain/ids.ts';
import type { LedgerRecord, StoredLife, StoredOrder, StoredRecent } from '../../domain/record.ts';
import type { Clock, UnixMs } from '../../domain/time.ts';
import { errorCode, journalPath } from '../files.ts';
import {
  readFlows,
  readHalt,
  readHash,
  readOrder,
  readRecentFill,
  readSets,
  readSettlement,
  readTime,
  readToken,
} from './rows.ts';
import {
  readAhead,
  readBaselines,
  readCleared,
  readClock,
  readFailures,
  readLatches,
  readLocks,
  readPause,
  readRefusal,
  readSlowest,
} from './rows-risk.ts';
import { MIGRATIONS } from './schema.ts';
import { factOf, type Write, writeOf } from './statements.ts';
import { STOPS_NUMBER, stopsNumberOf } from './stops.ts';

export type LedgerOptions = {
  /** The lock on this journal is held: no other process writes it. */
  readonly path: string;
  readonly clock: Clock;
};

export interface Ledger {
  /** Everything or nothing, and on disk when it returns. @throws {BotError} `journal.write` */
  commit(records: readonly LedgerRecord[], stopsNumber?: number): void;
  /** What earlier lives left. @throws {BotError} `journal.write` when it cannot be read. */
  load(): StoredLife;
  /** The own orders of earlier lives, and nothing that a kill can do without. */
  loadOwn(): Pick<StoredLife, 'orders' | 'endedHashes' | 'clock'>;
  /** A short text that is kept beside the records. */
  fact(name: string): string | undefined;
  setFact(name: string, value: string): void;
  /** Forgets everything: the venue that it spoke of is gone. */
  forget(): void;
  close(): void;
}

/** Orders that ended and may turn up again: theirs are known as ours. */
const ENDED_HASHES = `SELECT order_hash FROM orders
  WHERE has_ended = 1 AND is_orphan = 0 AND order_hash IS NOT NULL
  ORDER BY state_since_ms DESC LIMIT 20000`;
/** Settlements that a new life must know, so that one told again counts once. */
const TRADE_IDS_MAX = 20_000;
/** As many as two reads of the history show. */
const NEWEST_SETTLEMENTS = 'SELECT * FROM settlements ORDER BY at_ms DESC LIMIT 200';
/** As many as any breaker can have meant; those that rest are read whole. What is kept beside one never left. */
const NEWEST_SENT = `SELECT sent_at_ms AS at_ms FROM orders
  WHERE has_ended = 1 AND is_orphan = 0 AND intent_id NOT LIKE '%-%-%' ORDER BY state_since_ms DESC LIMIT 10000`;
const NEWEST_FILLS =
  'SELECT market_id, quantity_micro, at_ms FROM fills WHERE is_inferred = 0 ORDER BY at_ms DESC LIMIT 10000';
const NEWEST_REFUSALS = `SELECT market_id, refusal_code, state_since_ms AS at_ms FROM orders
  WHERE has_ended = 1 AND state = 'refused' AND refusal_code IS NOT NULL ORDER BY state_since_ms DESC LIMIT 10000`;
/** Ended orders without a fill are of no more use to anybody; an hour serves a look back. */
const ENDED_KEPT_MS = 3_600_000;
/** Fills and settlements are the books of the account: kept for more than a year. */
const BOOKS_KEPT_MS = 400 * 86_400_000;
const PRUNE_MS = 60_000;
const OLD_ORDERS = 'DELETE FROM orders WHERE has_ended = 1 AND state_since_ms < ?';

/**
 * Opens the ledger, makes its tables and takes over a lock that a killed process left.
 *
 * @throws {BotError} `journal.write` when the file cannot be opened, read or written.
 */
export async function openLedger({ path, clock }: LedgerOptions): Promise<Ledger> {
  const file = await journalPath(path);
  // The file's own lock is a folder that dies with no process; ours, which is held, does.
  await rmdir(`${file}.lock`).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw broken(file, error);
  });
  return new SqliteLedger(file, clock);
}

class SqliteLedger implements Ledger {
  readonly #file: string;
  readonly #clock: Clock;
  #database: InstanceType<typeof sqlite.Database>;
  readonly #statements = new Map<string, Statement>();
  #prunedAtMs: UnixMs | undefined;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#database = this.#open();
  }

  commit(records: readonly LedgerRecord[], stopsNumber?: number): void {
    this.#transaction(() => {
      for (const record of records) this.#write(writeOf(record));
      if (stopsNumber !== undefined) this.#write(factOf(STOPS_NUMBER, String(stopsNumber)));
      this.#pruneIfDue();
    });
  }

  load(): StoredLife {
    return this.#guarded(() => {
      const halt = this.#fact('halt');
      const cash = this.#fact('cash_nano');
      const own = this.#own();
      return {
        ...own,
        recent: this.#recent(own.orders),
        tokens: this.#rows('SELECT * FROM tokens').map(readToken),
        flows: this.#rows('SELECT * FROM flows').map(readFlows),
        tradeIds: this.#tradeIds(),
        settlements: this.#rows(NEWEST_SETTLEMENTS).map(readSettlement).toReversed(),
        cashNano: cash === undefined ? undefined : Number(cash),
        halt: halt === undefined ? undefined : readHalt(halt),
        memories: this.#memories(),
        sets: readSets(this.#fact('sets') ?? '[]'),
        latches: readLatches(this.#fact('latches') ?? '[]'),
        pause: readPause(this.#fact('pause')),
        baselines: readBaselines(this.#fact('baselines')),
        slowest: readSlowest(this.#fact('slowest')),
        ahead: readAhead(this.#fact('ahead')),
        clock: readClock(this.#fact('clock')),
        locks: readLocks(this.#fact('locks')),
        stopsNumber: stopsNumberOf(this.#fact(STOPS_NUMBER)),
      };
    });
  }

  loadOwn(): Pick<StoredLife, 'orders' | 'endedHashes' | 'clock'> {
    return this.#guarded(() => ({ ...this.#own(), clock: readClock(this.#fact('clock')) }));
  }

  fact(name: string): string | undefined {
    return this.#guarded(() => this.#fact(name));
  }

  setFact(name: string, value: string): void {
    this.#transaction(() => this.#write(factOf(name, value)));
  }

  forget(): void {
    this.#transaction(() => {
      for (const table of TABLES) this.#database.exec(`DELETE FROM ${table}`);
    });
  }

  close(): void {
    this.#shut();
    unblockOthers(this.#file);
  }

  #shut(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.#database.close();
  }

  #open(): InstanceType<typeof sqlite.Database> {
    let database: InstanceType<typeof sqlite.Database> | undefined;
    blockOthers(this.#file);
    try {
      database = new sqlite.Database(this.#file);
      // One process owns the file for its whole life: no shared memory, one fsync for each commit.
      database.exec('PRAGMA locking_mode = EXCLUSIVE');
      database.exec('PRAGMA journal_mode = WAL');
      database.exec('PRAGMA synchronous = FULL');
      migrate(database);
      return database;
    } catch (error) {
      if (database?.isOpen) database.close();
      throw broken(this.#file, error);
    }
  }

  #transaction(task: () => void): void {
    this.#guarded(() => {
      this.#reopenIfClosed();
      // Prepared like all others: this stands between a decision and its order.
      this.#statement('BEGIN IMMEDIATE').run();
      task();
      this.#statement('COMMIT').run();
    });
  }

  /** A failure may leave a transaction open or the file in doubt: the next try starts afresh. */
  #guarded<Value>(task: () => Value): Value {
    try {
      return task();
    } catch (error) {
      this.#abandon();
      throw broken(this.#file, error);
    }
  }

  #abandon(): void {
    try {
      this.#shut();
    } catch {
      // What cannot be closed is at least out of its transaction; the next try prepares afresh.
      this.#statements.clear();
      if (this.#database.isOpen && this.#database.inTransaction) this.#database.exec('ROLLBACK');
    }
  }

  #reopenIfClosed(): void {
    if (!this.#database.isOpen) this.#database = this.#open();
  }

  #write({ sql, cells }: Write): void {
    this.#statement(sql).run([...cells]);
  }

  #rows(sql: string, values: BindValues = []): readonly unknown[] {
    this.#reopenIfClosed();
    return this.#statement(sql).all(values);
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #own(): Pick<StoredLife, 'orders' | 'endedHashes'> {
    return {
      orders: this.#rows('SELECT * FROM orders WHERE has_ended = 0').map(readOrder),
      endedHashes: this.#rows(ENDED_HASHES).map(readHash).toReversed(),
    };
  }

  #fact(name: string): string | undefined {
    return textOf(this.#rows('SELECT value AS text FROM facts WHERE name = ?', [name])[0]);
  }

  #recent(orders: readonly StoredOrder[]): StoredRecent {
    const sent = orders
      .filter(({ isOrphan, intentId }) => !isOrphan && isOfRequest(intentId))
      .map(({ sentAtMs }) => sentAtMs);
    const ordersAtMs = [...sent, ...this.#rows(NEWEST_SENT).map(readTime)];
    return {
      ordersAtMs,
      fills: this.#rows(NEWEST_FILLS).map(readRecentFill),
      refusals: this.#rows(NEWEST_REFUSALS).map(readRefusal),
      failuresAtMs: readFailures(this.#fact('failures')),
      cleared: readCleared(this.#fact('cleared')),
    };
  }

  #tradeIds(): readonly string[] {
    const sql = 'SELECT trade_id AS text FROM settlements ORDER BY at_ms DESC LIMIT ?';
    const latest = this.#rows(sql, [TRADE_IDS_MAX]).map((row) => textOf(row) ?? '');
    return latest.reverse();
  }

  #memories(): Readonly<Record<string, unknown>> {
    const rows = this.#rows('SELECT key, memory AS text FROM memories');
    return Object.fromEntries(
      rows.map((row) => [fieldOf(row, 'key') ?? '', JSON.parse(textOf(row) ?? 'null')]),
    );
  }

  #pruneIfDue(): void {
    const nowMs = this.#clock.nowMs();
    if (this.#prunedAtMs !== undefined && nowMs - this.#prunedAtMs < PRUNE_MS) return;
    this.#prunedAtMs = nowMs;
    const prune = (sql: string, bound: number): void => {
      this.#write({ sql, cells: [bound] });
    };
    prune(OLD_ORDERS, nowMs - ENDED_KEPT_MS);
    prune('DELETE FROM fills WHERE at_ms < ?', nowMs - BOOKS_KEPT_MS);
    prune('DELETE FROM settlements WHERE at_ms < ?', nowMs - BOOKS_KEPT_MS);
    prune(OLD_SETTINGS, SETTINGS_KEPT);
  }
}

/**
 * Somebody will look at the file with a tool of his own. Our lock is nothing that another SQLite sees: it
 * would take itself for the last one, move what it thinks is the log into the file as it leaves, and delete
 * the log, so that all that is kept from then on is gone with this process, or the file is no database any
 * more. What it must write to for that is its index of the log, which we need none of: where a folder has
 * that name it can read, and do no harm.
 */
function blockOthers(file: string): void {
  const index = indexOf(file);
  try {
    mkdirSync(index);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') replaceLeftIndex(index);
  }
}

/** Of a tool that was killed: it is made anew from the log whenever one is missing. */
function replaceLeftIndex(index: string): void {
  try {
    rmSync(index);
    mkdirSync(index);
  } catch {
    // It is the folder of a process that was killed; and a ledger without one is a ledger all the same.
  }
}

function unblockOthers(file: string): void {
  try {
    rmdirSync(indexOf(file));
  } catch {
    // Nobody needs it gone.
  }
}

/** What an SQLite of its own locks names it. */
function indexOf(file: string): string {
  return `${file}-shm`;
}

/** Sets of settings with their times: a year of three changes a day. */
const SETTINGS_KEPT = 1_000;
/** The latest are always kept: one of them is in force. */
const OLD_SETTINGS =
  'DELETE FROM settings WHERE applied_at_ms NOT IN ' +
  '(SELECT applied_at_ms FROM settings ORDER BY applied_at_ms DESC LIMIT ?)';

const TABLES = [
  'orders',
  'fills',
  'settlements',
  'tokens',
  'flows',
  'memories',
  'facts',
  'settings',
] as const;

function migrate(database: InstanceType<typeof sqlite.Database>): void {
  const version = Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
  if (version > MIGRATIONS.length) {
    throw new Error(`the ledger was written by a later version (${version})`);
  }
  for (const [index, step] of MIGRATIONS.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN; ${step}; PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}

function textOf(row: unknown): string | undefined {
  return fieldOf(row, 'text');
}

function fieldOf(row: unknown, name: string): string | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const value: unknown = Reflect.get(row, name);
  return typeof value === 'string' ? value : undefined;
}

function broken(file: string, error: unknown): BotError {
  if (error instanceof BotError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new BotError('journal.write', `${file} (${why})`, { cause: error });
}
