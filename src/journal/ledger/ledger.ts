// The ledger: one SQLite file that outlives the process. A commit is on the disk when it returns; what is merely
// written is so behind the next sync, and until then a power cut takes it, from its end on.

import type { StoredAction } from '../../domain/action.ts';
import { BotError } from '../../domain/errors.ts';
import { isTerminal } from '../../domain/order.ts';
import type { LedgerRecord, PersistedState, StoredFill, StoredOrder } from '../../domain/record.ts';
import type { Clock, UnixMs } from '../../domain/time.ts';
import { journalPath } from '../files.ts';
import { type BooksKept, isDue } from './books.ts';
import type { Chain } from './chain.ts';
import { KeptStops, readKeptStops, type Stops, stopsFile } from './kept-stops.ts';
import { Mark } from './mark.ts';
import { type Opened, openCopy, openKnown, openVerified } from './opening.ts';
import { type Query, readFact, readOwn, readPersisted, readStops } from './persisted.ts';
import { Pruning } from './pruning.ts';
import { FILLS_BETWEEN, NEWEST_ACTIONS, ORDERS_BETWEEN } from './queries.ts';
import { readAction, readFill, readOrder } from './rows.ts';
import type { SealedRows } from './sealed.ts';
import { factOf, noFact, writeOf } from './statements.ts';
import { STOPS_NUMBER } from './stops.ts';
import type { Write } from './tables.ts';
import { type Boot, bootOfMachine, UNSYNCED_FACT, Unsynced } from './unsynced.ts';
import { whyOf } from './why.ts';

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
  /** Of the machine since it was switched on; what is written and not synced does not outlive it. */
  readonly boot?: Boot;
};

export type PastOrder = StoredOrder & { readonly hasEnded: boolean };

export type OwnState = Pick<PersistedState, 'orders' | 'endedHashes' | 'clock'> & {
  /** Which rows are not as they were kept: an order under a hash that a disk has changed is known by no other. */
  readonly fault: string | undefined;
};

export interface Ledger {
  /** What was damaged when it was opened, and has been accepted; nothing is lost where it is `undefined`. */
  readonly loss: string | undefined;
  /** What a file outside the ledger keeps of its stops. @throws {BotError} `journal.damaged` */
  keptStops(): Stops | undefined;
  /** Everything or nothing, and on disk when it returns. @throws {BotError} `journal.write` */
  commit(records: readonly LedgerRecord[], stopsNumber?: number): void;
  /** Everything or nothing, and in the file when it returns: that outlives the process. @throws {BotError} `journal.write` */
  write(records: readonly LedgerRecord[]): void;
  /** Brings what is written by now to the disk, and waits for nobody; one at a time. Nobody is told after the end. */
  sync(done: (fault: BotError | undefined) => void): void;
  /** When the machine was switched on again, where it had been cut off from a run that may have lost its last words. */
  readonly cutBeforeMs: UnixMs | undefined;
  /** What it asks of a start is done: nothing else takes the word back where all is written behind the disk. */
  endCut(): void;
  /** What previous runs left. @throws {BotError} `journal.write` when it cannot be read. */
  load(): PersistedState;
  /** What of it holds a run back, and no more: markets of years take seconds. */
  loadStops(): ReturnType<typeof readStops>;
  /** The own orders of previous runs, and nothing that a kill can do without. */
  loadOwn(): OwnState;
  /** Own fills from one moment to before another, oldest first: at most so many, the latest ones. */
  fills(fromMs: UnixMs, toMs: UnixMs, countMax: number): readonly StoredFill[];
  /** The operators' record: at most so many of the latest, oldest first. */
  actions(countMax: number): readonly StoredAction[];
  /** Own orders by when they were sent, oldest first: those that live, and those that ended within the last hour, of a busy one the latest. */
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
  readonly cutBeforeMs: UnixMs | undefined;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #mark: Mark | undefined;
  readonly #kept: KeptStops | undefined;
  #open: Opened | undefined;
  /** The latest link that is known to be in the file. */
  #last: Chain | undefined;
  /** Commits of the latest link that is known to be on the disk: the mark never tells of more. */
  #syncedCount = 0;
  readonly #unsynced: Unsynced;
  #isClosed = false;
  readonly #pruning: Pruning;
  #syncedAtMs: UnixMs;

  constructor(file: string, options: LedgerOptions) {
    const { clock, isCopy = false } = options;
    this.#file = file;
    this.#clock = clock;
    this.#pruning = new Pruning(options.books);
    this.#syncedAtMs = clock.nowMs();
    this.#unsynced = new Unsynced(options.boot ?? bootOfMachine(clock));
    try {
      const { loss, isPlay, ...opened } = isCopy ? openCopy(file) : openVerified(file, options);
      this.#open = opened;
      this.#last = opened.rows.chain;
      this.loss = loss;
      if (isCopy) return;
      this.#syncedCount = opened.rows.chain.count;
      this.#mark = Mark.begin(file, { ...opened.rows.chain, isPlay });
      this.cutBeforeMs = this.#unsynced.cutBeforeMs(this.#fact(UNSYNCED_FACT));
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

  write(records: readonly LedgerRecord[]): void {
    // The word that a power cut may take something is on the disk before there is anything to take.
    const { word } = this.#unsynced;
    if (word !== undefined) this.setFact(UNSYNCED_FACT, word);
    this.#unsynced.isBegun = true;
    this.#guarded(() =>
      this.#append(() => {
        for (const record of records) this.#write(writeOf(record));
        this.#pruneIfDue();
      }),
    );
  }

  sync(done: (fault: BotError | undefined) => void): void {
    try {
      const { sql, rows } = this.#opened();
      const { chain } = rows;
      sql.syncBehind((error) => {
        if (!this.#isClosed) done(this.#afterSync(chain, error));
      });
    } catch (error) {
      done(broken(this.#file, error));
    }
  }

  endCut(): void {
    if (this.cutBeforeMs === undefined || this.#unsynced.isBegun) return;
    this.#transaction((rows) => rows.write(noFact(UNSYNCED_FACT)));
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
    return this.#guarded(() => readPersisted(this.#query));
  }

  loadStops(): ReturnType<typeof readStops> {
    return this.#guarded(() => readStops(this.#query));
  }

  loadOwn(): OwnState {
    return this.#guarded(() => ({
      ...readOwn(this.#query),
      fault: this.#opened().rows.faultOf('orders'),
    }));
  }

  fills(fromMs: UnixMs, toMs: UnixMs, countMax: number): readonly StoredFill[] {
    const cells = [fromMs, toMs, countMax];
    return this.#guarded(() => this.#query(FILLS_BETWEEN, cells).map(readFill).toReversed());
  }

  actions(countMax: number): readonly StoredAction[] {
    return this.#guarded(() =>
      this.#query(NEWEST_ACTIONS, [countMax]).map(readAction).toReversed(),
    );
  }

  orders(fromMs: UnixMs, toMs: UnixMs, countMax: number): readonly PastOrder[] {
    return this.#guarded(() => this.#query(ORDERS_BETWEEN, [fromMs, toMs, countMax]))
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
    this.#endUnsynced();
    this.#open?.sql.close();
    this.#mark?.close();
    this.#open = undefined;
    this.#isClosed = true;
  }

  #transaction(task: (rows: SealedRows) => void): void {
    this.#guarded(() => {
      const { sql, rows } = this.#append(task);
      sql.sync();
      this.#onSynced(rows.chain);
    });
  }

  #append(task: (rows: SealedRows) => void): Opened {
    const opened = this.#opened();
    const { sql, rows } = opened;
    if (sql.hold()) assertUntouched(opened);
    task(rows);
    rows.seal();
    sql.commit();
    this.#last = rows.chain;
    return opened;
  }

  /** A sync that began earlier may end later, and says less. */
  #onSynced(chain: Chain): void {
    if (chain.count <= this.#syncedCount) return;
    this.#syncedCount = chain.count;
    this.#mark?.write(chain);
    this.#syncIfDue();
  }

  #afterSync(chain: Chain, error: Error | undefined): BotError | undefined {
    try {
      this.#guarded(() => {
        if (error !== undefined) throw error;
        this.#onSynced(chain);
      });
      return undefined;
    } catch (fault) {
      // What of the log is on the disk is unknown: closing it moves all of it into the data, which is synced too.
      this.#open?.sql.close();
      this.#open = undefined;
      return broken(this.#file, fault);
    }
  }

  /** Nothing is left to lose: an end in good order, whatever happens to the machine afterwards. */
  #endUnsynced(): void {
    if (!this.#unsynced.isBegun || this.#isClosed) return;
    try {
      this.#transaction((rows) => rows.write(noFact(UNSYNCED_FACT)));
    } catch {
      // A next boot takes it for cut off, which costs it some minutes of quotes that add.
    }
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

  readonly #query: Query = (sql, cells = []) => this.#opened().sql.rows(sql, cells);

  #fact(name: string): string | undefined {
    return readFact(this.#query, name);
  }

  #pruneIfDue(): void {
    this.#pruning.prune(this.#opened(), this.#clock.nowMs());
  }
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
