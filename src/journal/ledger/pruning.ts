// What a ledger forgets as it is written: of orders, settings and operators' actions all but the latest, of its books what is too old.

import type { UnixMs } from '../../domain/time.ts';
import { type BooksKept, isDue, OldBooks } from './books.ts';
import type { SqlFile } from './database.ts';
import {
  ACTIONS_KEPT,
  ENDED_KEPT,
  OLD_ACTIONS,
  OLD_ORDERS,
  OLD_SETTINGS,
  SETTINGS_KEPT,
} from './queries.ts';
import type { SealedRows } from './sealed.ts';
import { whyOf } from './why.ts';

const PRUNE_MS = 60_000;
/** Orders end by the thousand in an hour: a few at a time hold nobody up, also where all of an hour are due, as behind a pause. */
const PRUNE_ORDERS_MS = 1_000;

type File = { readonly sql: SqlFile; readonly rows: SealedRows };

export class Pruning {
  #books: OldBooks | undefined;
  #prunedAtMs: UnixMs | undefined;
  #prunedOrdersAtMs: UnixMs | undefined;

  /** All fills and settlements are kept where nothing is said of them. */
  constructor(kept: BooksKept | undefined) {
    this.#books = kept && new OldBooks(kept);
  }

  /** Removes what is due, within the commit that is under way. */
  prune(file: File, nowMs: UnixMs): void {
    const { rows } = file;
    if (isDue(this.#prunedOrdersAtMs, nowMs, PRUNE_ORDERS_MS)) {
      this.#prunedOrdersAtMs = nowMs;
      const { ms, rowsMax, pruned } = ENDED_KEPT;
      const keptMs = rows.countOf('orders') > rowsMax ? 0 : ms;
      rows.remove('orders', OLD_ORDERS, [nowMs - keptMs, pruned]);
    }
    this.#pruneBooks(file, nowMs);
    if (!isDue(this.#prunedAtMs, nowMs, PRUNE_MS)) return;
    this.#prunedAtMs = nowMs;
    rows.remove('settings', OLD_SETTINGS, Object.values(SETTINGS_KEPT));
    rows.remove('actions', OLD_ACTIONS, [ACTIONS_KEPT]);
  }

  /** Days of long ago on pages that a disk has lost stay: each look would fail its commit, and take the quotes with it. */
  #pruneBooks(file: File, nowMs: UnixMs): void {
    try {
      this.#books?.prune(file, nowMs);
    } catch (error) {
      if (whyOf(error).includes('malformed')) this.#books = undefined;
      throw error;
    }
  }
}
