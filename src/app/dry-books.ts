// Whether the real venue of a dry run shows one book twice. Nothing of ours rests there to find out by, so the two
// books of a market are compared: where one is the other's mirror image, level by level, the exchange takes one of them.

import type { TokenId } from '../domain/ids.ts';
import type { Event, Market } from '../domain/market.ts';
import type { Level, ReadOutcome } from '../domain/message.ts';
import { complement, type TickGrid } from '../domain/ticks.ts';
import type { Timers } from '../domain/time.ts';

type Book = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

export type DryBooks = {
  readonly books: 'separate' | 'unified';
  /** How that is known, for the log. */
  readonly why: string;
};

export type DryBooksOptions = {
  readonly stated: 'auto' | 'on' | 'off';
  readonly read: (tokenId: TokenId) => Promise<ReadOutcome<Book>>;
  readonly timers: Timers;
};

/** Markets that are compared: two reads each. */
const MARKETS_MAX = 3;
/** A maker may quote both outcomes alike at one moment; such books part when somebody trades. */
const LOOKS = 3;
const LOOK_MS = 1_000;
/** Fewer levels are alike by chance. */
const LEVELS_MIN = 3;
/** The best of each side: a book may be cut further out than the other. */
const LEVELS_MAX = 20;
/** What moved between the two reads of one market. */
const DIFFERENT_SHARE_MAX = 0.2;

/** @returns What the books say, or the configuration; separate where neither does. */
export async function dryBooksOf(
  events: readonly Event[],
  { stated, read, timers }: DryBooksOptions,
): Promise<DryBooks> {
  if (stated === 'on') return { books: 'unified', why: 'book.unified is on' };
  if (stated === 'off') return { books: 'separate', why: 'book.unified is off' };
  let levels = 0;
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await new Promise<void>((resolve) => timers.after(LOOK_MS, resolve));
    const compared = await Promise.all(openOf(events).map((each) => compare(each, read)));
    const telling = compared.filter((each) => each.levels >= LEVELS_MIN);
    if (telling.length === 0) return { books: 'separate', why: 'no market has books to compare' };
    const parted = telling.find((each) => each.different > each.levels * DIFFERENT_SHARE_MAX);
    if (parted !== undefined) {
      const why = `${parted.different} of ${parted.levels} levels show in one book alone`;
      return { books: 'separate', why };
    }
    levels += telling.reduce((sum, each) => sum + each.levels, 0);
  }
  return {
    books: 'unified',
    why: `each of ${levels} levels in ${LOOKS} looks shows in both books`,
  };
}

type Listed = { readonly grid: TickGrid; readonly market: Market };

function openOf(events: readonly Event[]): readonly Listed[] {
  return events
    .flatMap(({ grid, markets }) => markets.map((market) => ({ grid, market })))
    .filter(({ market }) => market.status === 'open')
    .slice(0, MARKETS_MAX);
}

type Compared = { readonly levels: number; readonly different: number };

/** A book that cannot be read says nothing. */
async function compare({ grid, market }: Listed, read: DryBooksOptions['read']): Promise<Compared> {
  const [yes, no] = await Promise.all([read(market.yes.tokenId), read(market.no.tokenId)]);
  if (yes.kind !== 'ok' || no.kind !== 'ok') return { levels: 0, different: 0 };
  return compareBooks(grid, yes.value, no.value);
}

/** Levels of either book, and how many of them the other one does not mirror with the same size. */
export function compareBooks(grid: TickGrid, yes: Book, no: Book): Compared {
  const bids = compareSides(grid, yes.bids, no.asks);
  const asks = compareSides(grid, yes.asks, no.bids);
  return { levels: bids.levels + asks.levels, different: bids.different + asks.different };
}

function compareSides(grid: TickGrid, yes: readonly Level[], no: readonly Level[]): Compared {
  const sizes = new Map(yes.slice(0, LEVELS_MAX).map(({ price, size }) => [price, size]));
  const mirrored = new Map(
    no.slice(0, LEVELS_MAX).map(({ price, size }) => [complement(grid, price), size]),
  );
  const prices = [...new Set([...sizes.keys(), ...mirrored.keys()])];
  const different = prices.filter((price) => sizes.get(price) !== mirrored.get(price)).length;
  return { levels: prices.length, different };
}
