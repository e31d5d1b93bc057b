// ccxt's order book beside ours, for who asks for it. It is no dependency of this project: the package
// manager fetches one version, once, into a folder that nobody keeps, and runs none of its scripts.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BookSide } from '../../../src/domain/message.ts';
import type { Contender } from '../contenders.ts';
import type { Change } from '../workload.ts';

const VERSION = '4.5.84';
/** What the registry says of that version; anything else is not measured. */
const INTEGRITY =
  'sha512-AbVBsXV8i7FXVHRCAKx5GEUgmfLFaTRRsNgJSOTHAz0bOhDftW5ICiNtCZNIGpyTXGeC2MYfIlLV5qnx63jurg==';
/** Compiled to dist/bench/test/bench/rig; it lies in dist/ccxt. */
const FOLDER = fileURLToPath(new URL('../../../../ccxt', import.meta.url));
/** Written when everything has been fetched. */
const LOCK = join(FOLDER, 'node_modules', '.package-lock.json');
const FETCH_MS_MAX = 180_000;

type Row = [price: number, size: number];
type Side = { readonly [index: number]: Row | undefined; storeArray(row: Row): void };
/** As much of ccxt's class as handlers of order book channels use. */
type CcxtBook = {
  readonly bids: Side;
  readonly asks: Side;
  timestamp: number | undefined;
  datetime: string | undefined;
  reset(snapshot: { readonly bids: readonly Row[]; readonly asks: readonly Row[] }): void;
  limit(): void;
};
export type Ccxt = {
  readonly newBook: () => CcxtBook;
  readonly iso8601: (timestamp: number) => string;
};

/** @throws {Error} When it is not there and cannot be fetched, or is another one than was asked for. */
export async function loadCcxt(): Promise<Ccxt> {
  if (!existsSync(LOCK)) fetchCcxt();
  const found = integrityOfFetched();
  if (found !== INTEGRITY)
    throw new Error(`${FOLDER} holds another ccxt than ${VERSION}: ${found}`);
  const books: unknown = await imported('base/ws/OrderBook.js');
  const times: unknown = await imported('base/functions/time.js');
  if (!hasBook(books) || !hasTime(times)) throw new Error('this ccxt has no such order book');
  return { newBook: () => new books.OrderBook(), iso8601: times.iso8601 };
}

/**
 * Two ways to use it: as its exchange handlers do for each message, and its update of a level alone, which
 * is the least that anybody could do with it.
 */
export function ccxtBooks(ccxt: Ccxt, start: readonly Change[]): readonly Contender[] {
  return [asHandlers(ccxt, start), updateAlone(ccxt, start)];
}

function asHandlers({ newBook, iso8601 }: Ccxt, start: readonly Change[]): Contender {
  const book = newBook();
  return {
    name: 'ccxt, as its handlers use it',
    run(changes) {
      book.reset({ bids: rowsOf(start, 'bid'), asks: rowsOf(start, 'ask') });
      let sum = 0;
      for (const { side, price, size, venueTs } of changes) {
        (side === 'bid' ? book.bids : book.asks).storeArray([price, size]);
        book.timestamp = venueTs;
        book.datetime = iso8601(venueTs);
        book.limit();
        sum += (book.bids[0]?.[0] ?? 0) + (book.asks[0]?.[0] ?? 0);
      }
      return sum;
    },
  };
}

function updateAlone({ newBook }: Ccxt, start: readonly Change[]): Contender {
  const book = newBook();
  return {
    name: 'ccxt, its storeArray alone',
    run(changes) {
      book.reset({ bids: rowsOf(start, 'bid'), asks: rowsOf(start, 'ask') });
      let sum = 0;
      for (const { side, price, size } of changes) {
        (side === 'bid' ? book.bids : book.asks).storeArray([price, size]);
        sum += (book.bids[0]?.[0] ?? 0) + (book.asks[0]?.[0] ?? 0);
      }
      return sum;
    },
  };
}

/** Anew for each run: it keeps the rows that it is given, and writes into them. */
function rowsOf(start: readonly Change[], of: BookSide): readonly Row[] {
  return start.filter(({ side }) => side === of).map(({ price, size }) => [price, size]);
}

function fetchCcxt(): void {
  console.log(`ccxt ${VERSION} is fetched into ${FOLDER}, once`);
  mkdirSync(FOLDER, { recursive: true });
  // A package of its own, so that the project's is left alone.
  writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }\n');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional'];
  const done = spawnSync('npm', ['install', ...flags, `ccxt@${VERSION}`], {
    cwd: FOLDER,
    timeout: FETCH_MS_MAX,
    encoding: 'utf8',
  });
  if (done.status === 0) return;
  const why = done.error?.message ?? done.stderr;
  throw new Error(`ccxt ${VERSION} cannot be fetched, so nothing is compared with it: ${why}`);
}

function integrityOfFetched(): unknown {
  const lock: { packages?: Record<string, { integrity?: unknown }> } = JSON.parse(
    readFileSync(LOCK, 'utf8'),
  );
  return lock.packages?.['node_modules/ccxt']?.integrity;
}

async function imported(module: string): Promise<unknown> {
  return await import(
    pathToFileURL(join(FOLDER, 'node_modules', 'ccxt', 'js', 'src', module)).href
  );
}

function hasBook(module: unknown): module is { readonly OrderBook: new () => CcxtBook } {
  return typeof module === 'object' && module !== null && 'OrderBook' in module;
}

function hasTime(module: unknown): module is Pick<Ccxt, 'iso8601'> {
  return typeof module === 'object' && module !== null && 'iso8601' in module;
}
