// The ledger: one SQLite file that outlives the process. A commit is on disk when it returns.

import type { StoredAction } from '../../domain/action.ts';
import { BotError } from '../../domain/errors.ts';
import { isOfRequest } from '../../domain/ids.ts';
import { isTerminal } from '../../domain/order.ts';
import type {
  LedgerRecord,
  PersistedState,
  StoredFill,
  StoredOrder,
  StoredRecent,
} from '../../domain/record.ts';
import type { Clock, UnixMs } from '../../domain/time.ts';
import { journalPath } from '../files.ts';
import { type BooksKept, isDue, pruneBooks } from './books.ts';
import type { Chain } from './chain.ts';
import { KeptStops, readKeptStops, type Stops, stopsFile } from './kept-stops.ts';
import { Mark } from './mark.ts';
import { type Opened, openCopy, openKnown, openVerified } from './opening.ts';
import {
  ACTIONS_KEPT,
  ENDED_HASHES,
  FILLS_BETWEEN,
  NEWEST_ACTIONS,
  NEWEST_FILLS,
  NEWEST_REFUSALS,
  NEWEST_SENT,
  NEWEST_SETTLEMENTS,
  OLD_ACTIONS,
  OLD_SETTINGS,
  ORDERS_BETWEEN,
  SETTINGS_KEPT,
  TRADE_IDS_MAX,
} from './queries.ts';
import {
  type Cell,
  readAction,
  readFill,
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
  numberOf,
  readAhead,
  readBaselines,
  readCleared,
  readClock,
  readFailures,
  readLatches,
  readLocks,
  readMarketStops,
  readPause,
  readRefusal,
  readSlowest,
} from './rows-risk.ts';
import type { SealedRows } from './sealed.ts';
import { factOf, writeOf } from './statements.ts';
import { STOPS_NUMBER, stopsNumberOf } from './stops.ts';
import type { Write } from './tables.ts';

export type LedgerOptions = {
  /** The lock on this journal is held: no other process writes it. */
  readonly path: string;
  readonly clock: Clock;
  /** A copy that is read and thrown away: nothing outside it says whether it is the latest. */
  readonly isCopy?: boolean;
  /** It goes on with a ledger that is damaged, as an operator has asked for. */
  readonly acceptsLoss?: boolean;
  /** Of fills and settlements; all of them where it is not given, as by a command that only passes by. */
  readonly books?: BooksKept;
  /** Its venue begins with this run: of a ledger that was of such a venue, too, nothing can be lost. */
  readonly isVenueNew?: boolean;
};

export type PastOrder = StoredOrder & { readonly hasEnded: boolean };

export interface Ledger {
  /** What was damaged when it was opened, and has been accepted; nothing is lost where it is `undefined`. */
  readonly loss: string | undefined;
  /** What a file outside the ledger keeps of its stops. @throws {BotError} `journal.damaged` */
  keptStops(): Stops | undefined;
  /** Everything or nothing, and on disk when it returns. @throws {BotError} `journal.write` */
  commit(records: readonly LedgerRecord[], stopsNumber?: number): void;
  /** What previous runs left. @throws {BotError} `journal.write` when it cannot be read. */
  load(): PersistedState;
  /** The own orders of previous runs, and nothing that a kill can do without. */
  loadOwn(): Pick<PersistedState, 'orders' | 'endedHashes' | 'clock'>;
  /** Own fills from one moment to before another, oldest first: at most so many, the latest ones. */
  fills(fromMs: UnixMs, toMs: UnixMs, countMax: number): readonly StoredFill[];
  /** The operators' record: at most so many of the latest, oldest first. */
  actions(countMax: number): readonly StoredAction[];
  /** Own orders by when they were sent, oldest first: those that live, and those that ended within the last hour. */
  orders(fromMs: UnixMs, toMs: UnixMs, countMax: number): readonly PastOrder[];
  /** A short text that is kept beside the records. */
  fact(name: string): string | undefined;
  setFact(name: string, value: string): void;
  /** Forgets everything: the venue that it spoke of is gone. */
  forget(): void;
  close(): void;
}

const STOPS_WAYS_ON =
  'The ledger has the same stops: start once with --accept-loss, which goes on halted, or put the file back';
/** Ended orders without a fill are of no more use to anybody; an hour serves a look back. */
const ENDED_KEPT_MS = 3_600_000;
const PRUNE_MS = 60_000;
/** Orders end by the thousand in an hour: a few at a time hold nobody up. */
const PRUNE_ORDERS_MS = 1_000;
const OLD_ORDERS = 'DELETE FROM orders WHERE has_ended = 1 AND state_since_ms < ?';
/** The mark is brought to the disk this often: a power cut may take as much of it, and nothing of the ledger. */
const MARK_SYNC_MS = 60_000;

/**
 * Opens the ledger, makes its tables, and holds it against the mark that the last commit has left beside it.
 *
 * @throws {BotError} `journal.write` when the file cannot be opened, read or written; `journal.damaged` when it
 *   is not the ledger that was left, with what is damaged and the ways on.
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  return new SqliteLedger(await journalPath(options.path), options);
}

class SqliteLedger implements Ledger {
  readonly loss: string | undefined;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #mark: Mark | undefined;
  readonly #kept: KeptStops | undefined;
  #open: Opened | undefined;
  /** The latest link that is known to be on the disk. */
  #last: Chain | undefined;
  #isClosed = false;
  readonly #books: BooksKept | undefined;
  #prunedAtMs: UnixMs | undefined;
  #prunedOrdersAtMs: UnixMs | undefined;
  #syncedAtMs: UnixMs;

  constructor(file: string, options: LedgerOptions) {
    const { clock, isCopy = false } = options;
    this.#file = file;
    this.#clock = clock;
    this.#books = options.books;
    this.#syncedAtMs = clock.nowMs();
    try {
      const { loss, isPlay, ...opened } = isCopy ? openCopy(file) : openVerified(file, options);
      this.#open = opened;
      this.#last = opened.rows.chain;
      this.loss = loss;
      if (isCopy) return;
      this.#mark = Mark.begin(file, { ...opened.rows.chain, isPlay });
      this.#kept = new KeptStops(file);
    } catch (error) {
      this.#open?.sql.close();
      throw broken(file, error);
    }
  }

  commit(records: readonly LedgerRecord[], stopsNumber?: number): void {
    this.#transaction(() => {
      for (const record of records) this.#write(writeOf(record));
      if (stopsNumber !== undefined) this.#write(factOf(STOPS_NUMBER, String(stopsNumber)));
      this.#pruneIfDue();
    });
    if (records.some(KeptStops.isAbout)) this.#keepStops();
  }

  keptStops(): Stops | undefined {
    try {
      return readKeptStops(this.#file);
    } catch (error) {
      const file = stopsFile(this.#file);
      throw damaged(`${file} cannot be read (${whyOf(error)}). ${STOPS_WAYS_ON}`, error);
    }
  }

  load(): PersistedState {
    return this.#guarded(() => {
      const halt = this.#fact('halt');
      const own = this.#own();
      return {
        ...own,
        recent: this.#recent(own.orders),
        tokens: this.#rows('SELECT * FROM tokens').map(readToken),
        flows: this.#rows('SELECT * FROM flows').map(readFlows),
        tradeIds: this.#tradeIds(),
        settlements: this.#rows(NEWEST_SETTLEMENTS).map(readSettlement).toReversed(),
        cashNano: numberOf(this.#fact('cash_nano')),
        adoptedNano: numberOf(this.#fact('cash_adopted_nano')),
        halt: halt === undefined ? undefined : readHalt(halt),
        memories: this.#memories(),
        sets: readSets(this.#fact('sets') ?? '[]'),
        latches: readLatches(this.#fact('latches') ?? '[]'),
        pause: readPause(this.#fact('pause')),
        marketStops: readMarketStops(this.#fact('marketStops')),
        baselines: readBaselines(this.#fact('baselines')),
        slowest: readSlowest(this.#fact('slowest')),
        ahead: readAhead(this.#fact('ahead')),
        clock: readClock(this.#fact('clock')),
        locks: readLocks(this.#fact('locks')),
        stopsNumber: stopsNumberOf(this.#fact(STOPS_NUMBER)),
      };
    });
  }

  loadOwn(): Pick<PersistedState, 'orders' | 'endedHashes' | 'clock'> {
    return this.#guarded(() => ({ ...this.#own(), clock: readClock(this.#fact('clock')) }));
  }

  fills(fromMs: UnixMs, toMs: UnixMs, countMax: number): readonly StoredFill[] {
    const cells = [fromMs, toMs, countMax];
    return this.#guarded(() => this.#rows(FILLS_BETWEEN, cells).map(readFill).toReversed());
  }

  actions(countMax: number): readonly StoredAction[] {
    return this.#guarded(() => this.#rows(NEWEST_ACTIONS, [countMax]).map(readAction).toReversed());
  }

  orders(fromMs: UnixMs, toMs: UnixMs, countMax: number): readonly PastOrder[] {
    const cells = [fromMs, toMs, countMax];
    const rows = this.#guarded(() => this.#rows(ORDERS_BETWEEN, cells));
    return rows
      .map(readOrder)
      .map((order) => ({ ...order, hasEnded: isTerminal(order.state) }))
      .toReversed();
  }

  fact(name: string): string | undefined {
    return this.#guarded(() => this.#fact(name));
  }

  setFact(name: string, value: string): void {
    this.#transaction(() => this.#write(factOf(name, value)));
  }

  forget(): void {
    this.#transaction((rows) => rows.removeAll());
    this.#keepStops();
  }

  close(): void {
    this.#open?.sql.close();
    this.#mark?.close();
    this.#open = undefined;
    this.#isClosed = true;
  }

  #transaction(task: (rows: SealedRows) => void): void {
    this.#guarded(() => {
      const { sql, rows } = this.#opened();
      if (sql.hold()) assertUntouched({ sql, rows });
      task(rows);
      rows.seal();
      sql.commit();
      this.#last = rows.chain;
      this.#mark?.write(rows.chain);
      this.#syncIfDue();
    });
  }

  #keepStops(): void {
    this.#guarded(() => this.#kept?.write((name) => this.#fact(name)));
  }

  #syncIfDue(): void {
    const nowMs = this.#clock.nowMs();
    if (!isDue(this.#syncedAtMs, nowMs, MARK_SYNC_MS)) return;
    this.#syncedAtMs = nowMs;
    this.#mark?.sync();
  }

  /** A failure may leave a transaction open or the file in doubt: the next try starts afresh. */
  #guarded<Value>(task: () => Value): Value {
    try {
      return task();
    } catch (error) {
      this.#undo();
      throw broken(this.#file, error);
    }
  }

  #undo(): void {
    const opened = this.#open;
    if (opened === undefined) return;
    try {
      if (opened.sql.rollback()) {
        opened.rows.undo();
        return;
      }
    } catch {
      // It cannot be read any more: it is opened anew.
    }
    this.#open = undefined;
    opened.sql.close();
  }

  /** The file, opened anew where it had failed. */
  #opened(): Opened {
    if (this.#open !== undefined) return this.#open;
    if (this.#isClosed) throw new Error('it was closed');
    const opened = openKnown(this.#file, this.#last);
    this.#open = opened;
    return opened;
  }

  #write(write: Write): void {
    this.#opened().rows.write(write);
  }

  #rows(sql: string, cells: readonly Cell[] = []): readonly unknown[] {
    return this.#opened().sql.rows(sql, cells);
  }

  #own(): Pick<PersistedState, 'orders' | 'endedHashes'> {
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
      .filter(({ isExternal, intentId }) => !isExternal && isOfRequest(intentId))
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
    const { rows, sql } = this.#opened();
    if (isDue(this.#prunedOrdersAtMs, nowMs, PRUNE_ORDERS_MS)) {
      this.#prunedOrdersAtMs = nowMs;
      rows.remove('orders', OLD_ORDERS, [nowMs - ENDED_KEPT_MS]);
    }
    if (!isDue(this.#prunedAtMs, nowMs, PRUNE_MS)) return;
    this.#prunedAtMs = nowMs;
    if (this.#books) pruneBooks({ sql, rows }, this.#books, nowMs);
    rows.remove('settings', OLD_SETTINGS, [SETTINGS_KEPT]);
    rows.remove('actions', OLD_ACTIONS, [ACTIONS_KEPT]);
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
  return new BotError('journal.write', `${file} (${whyOf(error)})`, { cause: error });
}

/** Nobody else writes a ledger that is held; after a failure it was not, for a moment. */
function assertUntouched({ sql, rows }: Opened): void {
  const fault = rows.fault();
  if (fault !== undefined) throw damaged(`somebody else has written to it: ${fault}`);
  sql.checked();
}

function damaged(detail: string, cause?: unknown): BotError {
  return new BotError('journal.damaged', detail, { cause });
}

function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
