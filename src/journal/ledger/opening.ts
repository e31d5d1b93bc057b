// Opens the file of a ledger: whole, or not at all.

import { existsSync, renameSync } from 'node:fs';
import { BotError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/time.ts';
import type { Chain } from './chain.ts';
import { damageOf, waysOn } from './damage.ts';
import { SqlFile, WAL_SUFFIX } from './database.ts';
import { stopsFile } from './kept-stops.ts';
import { type Marked, readMark } from './mark.ts';
import { MIGRATIONS } from './schema.ts';
import { SealedRows } from './sealed.ts';

export type Opened = { readonly sql: SqlFile; readonly rows: SealedRows };

export type Verified = Opened & {
  /** What was damaged and is accepted. */
  readonly loss: string | undefined;
  readonly isPlay: boolean;
};

export type OpeningOptions = {
  readonly clock: Clock;
  readonly acceptsLoss?: boolean;
  readonly isVenueNew?: boolean;
};

/** A copy is what it is. */
export function openCopy(file: string): Verified {
  return { ...openSealed(file), loss: undefined, isPlay: false };
}

/**
 * Opens a ledger that must be the one that was left, or one that nobody has left yet.
 *
 * @throws {BotError} `journal.damaged` with what is damaged and the ways on.
 */
export function openVerified(file: string, options: OpeningOptions): Verified {
  const mark = readMark(file);
  const { acceptsLoss = false, isVenueNew = false } = options;
  const isPlay = typeof mark === 'string' ? isVenueNew : mark.isPlay;
  const found = look(file, mark);
  if (found.damage === undefined && found.opened !== undefined) {
    return { ...begun(found.opened, false), loss: undefined, isPlay };
  }
  const damage = found.damage ?? 'nothing was opened';
  // Of a venue that is gone there is nothing to lose.
  const isAccepted = acceptsLoss || (isVenueNew && isPlay && typeof mark !== 'string');
  if (!isAccepted) {
    found.opened?.sql.close();
    throw new BotError('journal.damaged', `${file}: ${damage}. The ways on: ${waysOn(file)}`);
  }
  const opened = found.opened ?? openBeside(file, options.clock);
  return { ...begun(opened, true), loss: acceptsLoss ? damage : undefined, isPlay };
}

/** Opens a ledger of this run again, that failed. @throws {BotError} `journal.damaged` */
export function openKnown(file: string, last: Chain | undefined): Opened {
  const opened = openSealed(file);
  try {
    assertSame(last, opened.rows.chain);
    return opened;
  } catch (error) {
    opened.sql.close();
    throw error;
  }
}

/**
 * Nobody but this run writes this ledger: its last commit is there, or the one after it, of which this run was
 * told that it failed.
 */
function assertSame(last: Chain | undefined, { id, count }: Chain): void {
  if (last === undefined || (id === last.id && count >= last.count)) return;
  const text = `another ledger took its place, or commits were taken from it, while it was written`;
  throw new BotError('journal.damaged', text);
}

/** A start waits so long for a tool that looks at the ledger as it begins. */
const PATIENCE_MS = 2_000;

type Look = { readonly opened: Opened | undefined; readonly damage: string | undefined };

function look(file: string, mark: Marked | 'absent' | 'unreadable'): Look {
  if (!existsSync(file)) {
    const damage = damageOf({
      path: file,
      mark,
      ledger: 'absent',
      hasStops: existsSync(stopsFile(file)),
    });
    return { opened: damage === undefined ? openSealed(file) : undefined, damage };
  }
  let sql: SqlFile | undefined;
  try {
    sql = new SqlFile(file, PATIENCE_MS);
    return lookInto(file, sql, mark);
  } catch (error) {
    sql?.close();
    if (!isUnreadable(error)) throw error;
    return { opened: undefined, damage: `the ledger cannot be read: ${String(error)}` };
  }
}

/** What such a file says of itself, and not what keeps this process from it, as a lock or a disk. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof SyntaxError) return true;
  if (!(error instanceof Error)) return false;
  return error.name === 'ZodError' || UNREADABLE.test(error.message);
}

const UNREADABLE = /not a database|malformed|no such (?:table|column)/;

function lookInto(file: string, sql: SqlFile, mark: Marked | 'absent' | 'unreadable'): Look {
  assertKnown(sql);
  sql.hold();
  const sealed = SealedRows.read(sql);
  const ledger = sealed?.chain ?? (isEmpty(sql) ? 'empty' : 'unsealed');
  const damage =
    damageOf({ path: file, mark, ledger, hasStops: existsSync(stopsFile(file)) }) ??
    sealed?.fault();
  return { opened: { sql, rows: migrated(sql, sealed) }, damage };
}

function openSealed(file: string): Opened {
  const sql = new SqlFile(file);
  try {
    assertKnown(sql);
    sql.hold();
    return { sql, rows: migrated(sql, SealedRows.read(sql)) };
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** The rows of a ledger that cannot be read stay beside the one that begins. */
function openBeside(file: string, clock: Clock): Opened {
  const stamp = new Date(clock.nowMs()).toISOString().replaceAll(':', '');
  for (const suffix of ['', WAL_SUFFIX, '-shm']) {
    const name = `${file}${suffix}`;
    if (existsSync(name)) renameSync(name, `${file}.damaged-${stamp}${suffix}`);
  }
  return openSealed(file);
}

/** The first link of this run, on the disk. */
function begun({ sql, rows }: Opened, isAnew: boolean): Opened {
  try {
    const sealed = isAnew ? SealedRows.begin(sql) : rows;
    sealed.nextRun();
    sealed.seal();
    sql.commit();
    sql.sync();
    return { sql, rows: sealed };
  } catch (error) {
    // Its hold would keep every later opening of this process out.
    sql.close();
    throw error;
  }
}

function isEmpty(sql: SqlFile): boolean {
  return versionOf(sql) === 0;
}

function versionOf(sql: SqlFile): number {
  return Number(sql.tuples('PRAGMA user_version')[0]?.[0] ?? 0);
}

function assertKnown(sql: SqlFile): void {
  const version = versionOf(sql);
  if (version > MIGRATIONS.length) {
    throw new Error(`the ledger was written by a later version (${version})`);
  }
}

/** Brings the tables to this version, and seals them as they are then. */
function migrated(sql: SqlFile, sealed: SealedRows | undefined): SealedRows {
  const version = versionOf(sql);
  for (const step of MIGRATIONS.slice(version)) sql.exec(step);
  if (version < MIGRATIONS.length) sql.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  if (sealed === undefined) return SealedRows.begin(sql);
  if (version < MIGRATIONS.length) sealed.countAgain();
  return sealed;
}
