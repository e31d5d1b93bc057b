// One SQLite file, opened by the library and closed by it: the only place that knows the library. Its locks are
// those of every other SQLite, so that `sqlite3` reads the file while this process writes it.

import { chmodSync, closeSync, existsSync, openSync, rmdirSync, statSync } from 'node:fs';
import Sqlite from 'libsql';
import { giveToOwnerNow, OWNER_ONLY } from '../files.ts';
import { LogSync } from './log-sync.ts';
import type { Cell } from './rows.ts';
import { assertText, ODD_NAMES, oddTexts } from './texts.ts';

type Library = InstanceType<typeof Sqlite>;
type Statement = ReturnType<Library['prepare']>;
/** The values of a row in the order of its columns. */
export type Tuple = readonly unknown[];

/** Beside the data: what is not in it yet, and where the processes that use it find their places there. */
export const WAL_SUFFIX = '-wal';
/** The log is folded into the data beyond 8 MB. A commit of an order is two pages: its own and the chain's. */
const LOG_PAGES = 2_000;
const HOLD = 'BEGIN IMMEDIATE';
const FILE_SUFFIXES = ['', WAL_SUFFIX, '-shm'] as const;

export class SqlFile {
  readonly #file: string;
  readonly #library: Library;
  /** The file that was opened: another one may take its name later. */
  readonly #fileNumber: bigint;
  /** Of the data as this one found it. */
  #version: unknown;
  readonly #statements = new Map<string, Statement>();
  readonly #log: LogSync;

  /**
   * @param patienceMs - For so long it waits, at its opening and its first hold alone, for a tool of somebody else's that
   *   folds the log into the data as it ends. Nothing else happens meanwhile.
   * @throws {Error} When the file cannot be opened or is no database.
   */
  constructor(file: string, patienceMs = 0) {
    this.#file = file;
    removeLeftFolders(file);
    keepToOwner(file);
    this.#library = new Sqlite(file);
    try {
      this.#fileNumber = fileNumberOf(file);
      this.#library.exec(`PRAGMA busy_timeout = ${patienceMs}`);
      this.#library.exec('PRAGMA journal_mode = WAL');
      // The library keeps the order of what it writes to log and data, so that a power cut leaves whole commits.
      // Which of them are on the disk by then is for `sync` and `syncBehind` to say.
      this.#library.exec('PRAGMA synchronous = NORMAL');
      this.#library.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
      if (this.tuples(ODD_NAMES)[0]?.[0] !== 0) throw new Error('a name in it is malformed');
      this.#log = new LogSync(`${file}${WAL_SUFFIX}`);
    } catch (error) {
      this.#library.close();
      throw error;
    }
  }

  /**
   * Begins a transaction and with it keeps everybody else from writing; they may read. A ledger holds one from
   * its opening to its end, but for what follows a failure.
   *
   * @returns Whether somebody else may have written since this one held it first, or since `checked`.
   * @throws {Error} When somebody else writes.
   */
  hold(): boolean {
    if (this.#library.inTransaction) return false;
    this.#statement(HOLD).run([]);
    // From here on a wait would hold up the quotes: whoever writes asks again.
    if (this.#version === undefined) this.#library.exec('PRAGMA busy_timeout = 0');
    this.#version ??= this.#versionNow();
    return this.#versionNow() !== this.#version;
  }

  /** What is there by now is as it should be. */
  checked(): void {
    this.#version = this.#versionNow();
  }

  /** It moves with the commits of others, with failures of our own, and with nothing else. */
  #versionNow(): unknown {
    return this.tuples('PRAGMA data_version')[0]?.[0];
  }

  /**
   * In the file when this returns, which outlives the process and no power cut; the next transaction has begun,
   * if nobody came between.
   */
  commit(): void {
    this.#statement('COMMIT').run([]);
    try {
      this.#statement(HOLD).run([]);
    } catch {
      // What was committed stays so; whoever writes next asks for the hold again, and is told.
    }
  }

  /** All that was committed is on the disk when this returns. @throws {Error} When the disk does not say so. */
  sync(): void {
    this.#log.now();
  }

  /** The same, and nobody waits: `done` is told when it is, or why it is not. Not while one is under way. */
  syncBehind(done: (error: Error | undefined) => void): void {
    this.#log.behind(done);
  }

  /** @returns How many rows it changed. */
  run(sql: string, cells: readonly Cell[] = []): number {
    return this.#statement(sql).run(cells).changes;
  }

  rows(sql: string, cells: readonly Cell[] = []): readonly unknown[] {
    this.#assertTexts(sql, cells);
    return this.#statement(sql).all([...cells]);
  }

  /** The rows of a query, or those that a statement says it has changed, without the names of columns. */
  tuples(sql: string, cells: readonly Cell[] = []): readonly Tuple[] {
    this.#assertTexts(sql, cells);
    return this.#tupleStatement(sql)
      .all([...cells])
      .map(tupleOf);
  }

  /** Of pages that hold something: what was removed leaves room that the file keeps, and fills again. */
  usedBytes(): number {
    const of = (name: string): number => Number(this.tuples(`PRAGMA ${name}`)[0]?.[0] ?? 0);
    return (of('page_count') - of('freelist_count')) * of('page_size');
  }

  /** One after the other, where there may be more than memory should hold. */
  *eachTuple(sql: string): Iterable<Tuple> {
    this.#assertTexts(sql, []);
    for (const row of this.#tupleStatement(sql).iterate([])) yield tupleOf(row);
  }

  /** Several statements at once, as a change of tables: what was prepared before knows other columns. */
  exec(sql: string): void {
    this.#statements.clear();
    this.#library.exec(sql);
  }

  /** @returns Whether everything goes on as before the transaction; otherwise it is to be opened anew. */
  rollback(): boolean {
    try {
      if (this.#library.inTransaction) this.#library.exec('ROLLBACK');
      return fileNumberOf(this.#file) === this.#fileNumber;
    } catch {
      return false;
    }
  }

  /**
   * Everything is in the data file when this returns, unless somebody reads or the disk is full: then the log
   * beside it has the rest.
   */
  close(): void {
    this.#statements.clear();
    try {
      if (this.#library.inTransaction) this.#library.exec('ROLLBACK');
      this.#library.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // What is in the log is as durable as in the data, and the next opening finds it there.
    } finally {
      this.#library.close();
      this.#log.close();
    }
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#library.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** What a statement has changed was read before. */
  #assertTexts(sql: string, cells: readonly Cell[]): void {
    if (!sql.startsWith('SELECT')) return;
    for (const row of this.#oddStatement(sql).iterate([...cells])) assertText(tupleOf(row)[0]);
  }

  #oddStatement(sql: string): Statement {
    const key = `${sql} -- odd texts`;
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const columns = this.#statement(sql)
      .columns()
      .map(({ name }) => name);
    const statement = this.#library.prepare(oddTexts(sql, columns)).raw();
    this.#statements.set(key, statement);
    return statement;
  }

  #tupleStatement(sql: string): Statement {
    // The library reads a statement in one way: the comment makes another one of it.
    return this.#statement(`${sql} -- as tuples`).raw();
  }
}

/** Earlier versions locked by folders, and left them where they were killed. */
function removeLeftFolders(file: string): void {
  for (const suffix of ['-shm', '.lock']) {
    try {
      rmdirSync(`${file}${suffix}`);
    } catch {
      // There is none, or it is a file of today.
    }
  }
}

/**
 * The file is made here, and those beside it are made with its rights. One that is there is not opened: the system gives
 * up every lock that a process has on a file when that process closes any handle of it, and a statement that has not been
 * collected yet may keep an earlier opening, with its locks, in use.
 */
function keepToOwner(file: string): void {
  if (!existsSync(file)) {
    closeSync(openSync(file, 'wx', OWNER_ONLY));
    giveToOwnerNow(file);
  }
  for (const suffix of FILE_SUFFIXES) {
    try {
      chmodSync(`${file}${suffix}`, OWNER_ONLY);
    } catch {
      // Not there yet, or another user's, whose business its rights are.
    }
  }
}

function fileNumberOf(file: string): bigint {
  return statSync(file, { bigint: true }).ino;
}

function tupleOf(row: unknown): Tuple {
  return Array.isArray(row) ? row : [];
}
