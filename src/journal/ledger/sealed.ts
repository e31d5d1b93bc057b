// The rows of a ledger under a seal: for each table the number of its rows and the sum of their checksums, kept in
// the transaction that changes them. A row that was not written here does not fit, nor does one that is missing.

import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { CHAIN, type Chain, newChain, nextLink } from './chain.ts';
import type { SqlFile, Tuple } from './database.ts';
import type { Cell } from './rows.ts';
import { KEY_COLUMNS, TABLES, type TableName, type Write } from './tables.ts';

type Sum = { readonly rows: number; readonly sum: number };
/** By table, or by table and day where a table grows with the years. */
type Sums = Map<string, Sum>;

const NO_ROWS: Sum = { rows: 0, sum: 0 };
/** Sums wrap here: that many rows of 32 bits each are still exact. */
const SUM_END = 2 ** 52;
const DAY_MS = 86_400_000;
/** Rows whose checksum is remembered: what changes is changed soon, and more are read again. */
const KNOWN_MAX = 8_192;
/** A start reads so many of the latest rows of a table that grows with the years: all that it goes on from. */
const CHECKED_ROWS = 20_000;
/** Of these a start reads whole tables, and a row that its index does not find would be missed. */
const INDEXED: readonly TableName[] = ['orders', 'tokens', 'flows', 'facts'];

/** Tables whose sum is one for all of their rows. */
const WHOLE = TABLES.filter((table) => !hasDays(table));
const HEAD = 'head';
/** No text of a row has it but by accident. */
const BETWEEN = '\x1f';
const PUT = 'INSERT OR REPLACE INTO chain VALUES (?,?)';
const PAIR = z.tuple([z.number().int(), z.number().int()]);
const HEAD_VALUE = CHAIN.extend({ sums: z.record(z.string(), PAIR) });

export class SealedRows {
  readonly #sql: SqlFile;
  #chain: Chain;
  readonly #sums: Sums = new Map();
  /** Days of this transaction. */
  readonly #changedDays = new Set<string>();
  readonly #known = new Map<string, number>();
  #changes: (string | number)[] = [];

  private constructor(sql: SqlFile, chain: Chain) {
    this.#sql = sql;
    this.#chain = chain;
  }

  /** @returns `undefined` where nothing is sealed, as in a new ledger or one of an older version. */
  static read(sql: SqlFile): SealedRows | undefined {
    if (!tablesOf(sql).has('chain')) return undefined;
    const sealed = new SealedRows(sql, newChain());
    return sealed.#readAgain() ? sealed : undefined;
  }

  /** Seals what is there, whoever wrote it. The transaction of it is the caller's. */
  static begin(sql: SqlFile): SealedRows {
    sql.exec(
      'CREATE TABLE IF NOT EXISTS chain (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
    );
    sql.run('DELETE FROM chain');
    const sealed = new SealedRows(sql, newChain());
    sealed.#countAll();
    return sealed;
  }

  get chain(): Chain {
    return this.#chain;
  }

  /** From here on the links are of a new run. */
  nextRun(): void {
    this.#chain = { ...this.#chain, run: this.#chain.run + 1 };
  }

  /** The columns of a table are others now. */
  countAgain(): void {
    this.#sums.clear();
    this.#sql.run("DELETE FROM chain WHERE name <> 'head'");
    this.#countAll();
  }

  /** @returns What does not fit, in words; `undefined` where everything does. */
  fault(): string | undefined {
    const there = tablesOf(this.#sql);
    // A table that a later version added is not in a ledger that it has yet to open.
    const known = TABLES.filter(
      (table) => there.has(table) || (this.#sums.get(table) ?? NO_ROWS).rows > 0,
    );
    for (const table of known) {
      const fault = this.faultOf(table);
      if (fault !== undefined) return fault;
    }
    for (const table of INDEXED) {
      const [line] = this.#sql.tuples(`PRAGMA integrity_check('${table}')`)[0] ?? [];
      if (line !== 'ok') return `table ${table}: ${String(line)}`;
    }
    return undefined;
  }

  /** Of one table, as `fault` says it. */
  faultOf(table: TableName): string | undefined {
    if (!hasDays(table)) {
      const rows = this.#sql.eachTuple(`SELECT * FROM ${table}`);
      return differenceOf(`table ${table}`, this.#sums.get(table) ?? NO_ROWS, summed(rows));
    }
    const kept = [...this.#sums].filter(([bucket]) => bucket.startsWith(`${table} `));
    const days = kept.map(([bucket, sum]) => [Number(bucket.split(' ')[1]), sum] as const);
    let checked = 0;
    for (const [day, sum] of days.toSorted(([one], [other]) => other - one)) {
      if (checked >= CHECKED_ROWS) break;
      checked += sum.rows;
      const bounds = `at_ms >= ${day * DAY_MS} AND at_ms < ${(day + 1) * DAY_MS}`;
      const rows = this.#sql.eachTuple(`SELECT * FROM ${table} WHERE ${bounds}`);
      const fault = differenceOf(`table ${table}, day ${dateOf(day)}`, sum, summed(rows));
      if (fault !== undefined) return fault;
    }
    const [[newest] = []] = this.#sql.tuples(`SELECT max(at_ms) FROM ${table}`);
    const isKnown = newest === null || this.#sums.has(bucketOf(table, Number(newest)));
    return isKnown ? undefined : `table ${table} has rows of a day on which none was written`;
  }

  write(write: Write): void {
    switch (write.kind) {
      case 'replace':
        this.#replace(write);
        break;
      case 'once':
        this.#insertOnce(write);
        break;
      case 'remove':
        this.remove(
          write.table,
          `DELETE FROM ${write.table} ${whereKey(write.table)}`,
          write.cells,
        );
        break;
    }
  }

  /** Removes rows by a `DELETE` of a table that has no days. */
  remove(table: TableName, sql: string, cells: readonly Cell[] = []): void {
    for (const row of this.#sql.tuples(`${sql} RETURNING *`, cells)) {
      const crc = crcOf(row);
      this.#known.delete(keyOf(table, row));
      this.#changes.push(-crc);
      this.#count(table, -1, -crc);
    }
  }

  /** Of a table that has no days. */
  countOf(table: TableName): number {
    return (this.#sums.get(table) ?? NO_ROWS).rows;
  }

  /** When the first day begins of which a table has rows; `undefined` where none has a day. */
  oldestDayMs(): number | undefined {
    const days = [...this.#sums.keys()].flatMap((bucket) => bucket.split(' ')[1] ?? []);
    return days.length === 0 ? undefined : Math.min(...days.map(Number)) * DAY_MS;
  }

  /** Removes the oldest rows before that day of a table that has days, so many at most. */
  removeOldest(table: TableName, dayMs: number, rowsMax: number): void {
    const key = KEY_COLUMNS[table].join();
    const oldest = `FROM ${table} WHERE at_ms < ? ORDER BY at_ms, ${key} LIMIT ?`;
    // They are read first: a text that a disk has changed would end the process where their removal gives it back.
    const gone = this.#sql.tuples(`SELECT at_ms / ${DAY_MS}, * ${oldest}`, [dayMs, rowsMax]);
    for (const [day, ...row] of gone) {
      const crc = crcOf(row);
      this.#changes.push(-crc);
      this.#count(`${table} ${String(day)}`, -1, -crc);
    }
    const rows = `(${key}) IN (SELECT ${key} ${oldest})`;
    this.#sql.run(`DELETE FROM ${table} WHERE ${rows}`, [dayMs, rowsMax]);
    if (gone.length < rowsMax) this.#endDaysBefore(table, dayOf(dayMs));
  }

  #endDaysBefore(table: TableName, day: number): void {
    for (const bucket of this.#sums.keys()) {
      const [name, of] = bucket.split(' ');
      if (name !== table || Number(of) >= day) continue;
      this.#sums.delete(bucket);
      this.#changedDays.delete(bucket);
      this.#sql.run('DELETE FROM chain WHERE name = ?', [bucket]);
    }
  }

  /** Removes everything but the chain, which goes on. */
  removeAll(): void {
    for (const table of TABLES) this.#sql.run(`DELETE FROM ${table}`);
    this.#changes.push('everything');
    this.#known.clear();
    this.countAgain();
  }

  /** Adds the link of this transaction, just before its commit. */
  seal(): void {
    this.#chain = nextLink(this.#chain, this.#changes);
    this.#changes = [];
    const put = (name: string, value: unknown): void => {
      this.#sql.run(PUT, [name, JSON.stringify(value)]);
    };
    for (const day of this.#changedDays) put(day, pairOf(this.#sums.get(day) ?? NO_ROWS));
    this.#changedDays.clear();
    const sums: Record<string, readonly [number, number]> = {};
    for (const table of WHOLE) sums[table] = pairOf(this.#sums.get(table) ?? NO_ROWS);
    put(HEAD, { ...this.#chain, sums });
  }

  /** After a transaction that was not committed, as far as anybody knows. @throws When there is no chain. */
  undo(): void {
    this.#known.clear();
    this.#changedDays.clear();
    this.#changes = [];
    if (!this.#readAgain()) throw new Error('the chain of the ledger is gone');
  }

  #readAgain(): boolean {
    const values = new Map(
      this.#sql
        .tuples('SELECT name, value FROM chain')
        .map(([name, value]) => [String(name), JSON.parse(String(value))]),
    );
    if (!values.has(HEAD)) return false;
    const { sums, ...chain } = HEAD_VALUE.parse(values.get(HEAD));
    this.#chain = chain;
    this.#sums.clear();
    for (const [bucket, pair] of Object.entries(sums)) this.#sums.set(bucket, sumOf(pair));
    values.delete(HEAD);
    for (const [bucket, pair] of values) this.#sums.set(bucket, sumOf(PAIR.parse(pair)));
    return true;
  }

  #insertOnce({ table, cells, atMs }: Write): void {
    if (this.#insert(table, cells) === 0) return;
    this.#add(bucketOf(table, atMs), crcOf(cells));
  }

  #replace({ table, cells }: Write): void {
    const key = keyOf(table, cells);
    const crc = crcOf(cells);
    const known = this.#known.get(key);
    this.#remember(key, crc);
    if (known === undefined && this.#insert(table, cells) === 1) {
      this.#add(table, crc);
      return;
    }
    const before = known ?? this.#crcOfRow(table, cells);
    this.#sql.run(into('REPLACE', table, cells), cells);
    this.#changes.push(crc);
    this.#count(table, 0, crc - before);
  }

  #insert(table: TableName, cells: readonly Cell[]): number {
    return this.#sql.run(into('IGNORE', table, cells), cells);
  }

  #crcOfRow(table: TableName, cells: readonly Cell[]): number {
    const key = cells.slice(0, KEY_COLUMNS[table].length);
    const [row] = this.#sql.tuples(`SELECT * FROM ${table} ${whereKey(table)}`, key);
    if (row === undefined) throw new Error(`table ${table} has and has not a row of that key`);
    return crcOf(row);
  }

  #add(bucket: string, crc: number): void {
    this.#changes.push(crc);
    this.#count(bucket, 1, crc);
  }

  #count(bucket: string, rows: number, crc: number): void {
    this.#sums.set(bucket, added(this.#sums.get(bucket) ?? NO_ROWS, rows, crc));
    if (bucket.includes(' ')) this.#changedDays.add(bucket);
  }

  /** The least recently written one is forgotten. */
  #remember(key: string, crc: number): void {
    this.#known.delete(key);
    this.#known.set(key, crc);
    if (this.#known.size <= KNOWN_MAX) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  #countAll(): void {
    const there = tablesOf(this.#sql);
    for (const table of TABLES.filter((name) => there.has(name))) {
      if (hasDays(table)) {
        for (const [bucket, sum] of this.#countDays(table)) {
          this.#sums.set(bucket, sum);
          this.#changedDays.add(bucket);
        }
      } else this.#sums.set(table, summed(this.#sql.eachTuple(`SELECT * FROM ${table}`)));
    }
  }

  #countDays(table: TableName): Sums {
    const found: Sums = new Map();
    for (const row of this.#sql.eachTuple(`SELECT at_ms / ${DAY_MS}, * FROM ${table}`)) {
      const [day, ...cells] = row;
      const bucket = `${table} ${String(day)}`;
      found.set(bucket, added(found.get(bucket) ?? NO_ROWS, 1, crcOf(cells)));
    }
    return found;
  }
}

function tablesOf(sql: SqlFile): ReadonlySet<string> {
  const names = sql.tuples("SELECT name FROM sqlite_master WHERE type = 'table'");
  return new Set(names.map(([name]) => String(name)));
}

function hasDays(table: TableName): boolean {
  return table === 'fills' || table === 'settlements';
}

function bucketOf(table: TableName, atMs: number | undefined): string {
  return hasDays(table) && atMs !== undefined ? `${table} ${dayOf(atMs)}` : table;
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

const INTO = new Map<string, string>();

/** Of as many columns as the row has. */
function into(verb: 'IGNORE' | 'REPLACE', table: TableName, { length }: readonly Cell[]): string {
  const name = `${verb} ${table}`;
  const known = INTO.get(name);
  if (known !== undefined) return known;
  const places = Array.from({ length }, () => '?').join(',');
  const sql = `INSERT OR ${verb} INTO ${table} VALUES (${places})`;
  INTO.set(name, sql);
  return sql;
}

const KEY_WHERE = new Map<TableName, string>();

function whereKey(table: TableName): string {
  const known = KEY_WHERE.get(table);
  if (known !== undefined) return known;
  const columns = KEY_COLUMNS[table];
  const text = `WHERE ${columns.map((column) => `${column} = ?`).join(' AND ')}`;
  KEY_WHERE.set(table, text);
  return text;
}

function keyOf(table: TableName, cells: Tuple): string {
  const { length } = KEY_COLUMNS[table];
  const key = length === 1 ? cells[0] : cells.slice(0, length).join(BETWEEN);
  return `${table} ${String(key)}`;
}

/** A row as its checksum sees it. The library gives a text back up to its first NUL. */
function textOf(cells: Tuple): string {
  const text = cells.join(BETWEEN);
  if (!text.includes('\0')) return text;
  return cells.map((cell) => (typeof cell === 'string' ? cell.split('\0')[0] : cell)).join(BETWEEN);
}

function crcOf(cells: Tuple): number {
  return crc32(textOf(cells));
}

function summed(rows: Iterable<Tuple>): Sum {
  let sum = NO_ROWS;
  for (const row of rows) sum = added(sum, 1, crcOf(row));
  return sum;
}

function added({ rows, sum }: Sum, more: number, crc: number): Sum {
  return { rows: rows + more, sum: (((sum + crc) % SUM_END) + SUM_END) % SUM_END };
}

function pairOf({ rows, sum }: Sum): readonly [number, number] {
  return [rows, sum];
}

function sumOf([rows, sum]: readonly [number, number]): Sum {
  return { rows, sum };
}

function differenceOf(what: string, kept: Sum, found: Sum): string | undefined {
  if (kept.rows !== found.rows) return `${what} has ${found.rows} rows, and ${kept.rows} were kept`;
  return kept.sum === found.sum ? undefined : `${what} has rows that are not as they were kept`;
}
