// Intents in a file of their own, from just before their orders leave until the ledger has them at the end of the turn:
// one append is a tenth of a transaction. A process that dies in between leaves them here, and the next opening puts
// them where they belong. Nothing is synced: what a power cut may take, it may take of both.

import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { jsonOr } from '../../domain/json.ts';
import type { LedgerRecord, StoredOrder } from '../../domain/record.ts';
import { OWNER_ONLY } from '../files.ts';
import { orderCells } from './rows.ts';
import type { Write } from './tables.ts';

/** Longer than any row of an order. */
const LINE_LENGTH_MAX = 10_000;

/** The ledger that it is of, and a row of it. */
const LINE = z.tuple([z.string(), z.array(z.union([z.string(), z.number(), z.null()]))]);

export function intentsFile(journal: string): string {
  return `${journal}.intents`;
}

export class IntentNotes {
  readonly #file: string;
  readonly #handle: number;
  /** The ledger that they are of, and the form of its rows: another one may have taken its place. */
  readonly #ledger: string;
  readonly #noted = new Set<string>();
  #length = 0;
  #isClosed = false;

  /** @throws {Error} When there is no such file and none can be made. */
  constructor(journal: string, ledger: string) {
    this.#file = intentsFile(journal);
    this.#ledger = ledger;
    // Made where there is none, and never cut before it was read.
    closeSync(openSync(this.#file, 'a', OWNER_ONLY));
    this.#handle = openSync(this.#file, 'r+');
  }

  /** What a run before has left: rows that the ledger may have by now, and then has newer. @throws {Error} */
  left(): readonly Write[] {
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .flatMap((line) => this.#writeOf(line));
  }

  /** In the file when it returns, which outlives this process. @throws {Error} When it is not. */
  add(records: readonly LedgerRecord[]): void {
    const orders = records.flatMap(orderOf);
    let text = '';
    for (const order of orders) text += `${JSON.stringify([this.#ledger, orderCells(order)])}\n`;
    const length = Buffer.byteLength(text);
    const written = writeSync(this.#handle, text, this.#length);
    // The next ones are written over a part of it.
    if (written !== length) throw new Error(`${written} of ${length} bytes were written`);
    this.#length += length;
    for (const { intentId } of orders) this.#noted.add(intentId);
  }

  /** The ledger has these. */
  kept(records: readonly LedgerRecord[]): void {
    if (this.#noted.size === 0) return;
    for (const { intentId } of records.flatMap(orderOf)) this.#noted.delete(intentId);
    if (this.#noted.size === 0) this.clear();
  }

  clear(): void {
    this.#noted.clear();
    this.#length = 0;
    try {
      ftruncateSync(this.#handle, 0);
    } catch {
      // What it has the ledger has, too, and what comes next is written over it.
    }
  }

  /** Once: a number that was closed already may be somebody else's by now. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#handle);
  }

  /** A line that is cut short is of an order that never left; one of another ledger tells nothing here. */
  #writeOf(line: string): readonly Write[] {
    const read = LINE.safeParse(jsonOr(line, LINE_LENGTH_MAX));
    if (!read.success) return [];
    const [ledger, cells] = read.data;
    return ledger === this.#ledger ? [{ kind: 'once', table: 'orders', cells }] : [];
  }
}

function orderOf(record: LedgerRecord): readonly StoredOrder[] {
  return record.kind === 'order' ? [record.order] : [];
}
