// A strategy that quotes nothing and tells how old what it sees is: the rig writes the time of a change
// into the size of its level, so that a change is measured from the venue to the decision about it.

import { appendFileSync } from 'node:fs';
import { MICRO_PER_SHARE } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { defineStrategy, type QuoteContext } from '../../../src/strategy/index.ts';

/** Ages are written when so many have come; a short run has few. */
const AGES_AT_ONCE = Number(process.env['RIG_AGES_AT_ONCE'] ?? 1_000);
/** A time as a size: shares of a level are milliseconds, with their parts, within so many. */
export const SIZE_MS = 100_000;
/** Changes come at this bid, in cents. */
export const WATCHED_CENTS = 30;

const file = process.env['RIG_AGES_FILE'];
const ages = new Float64Array(AGES_AT_ONCE);
const seen = new Map<string, number>();
let count = 0;

/** The time that a size tells of; sizes have six decimals and a level is never empty. */
export function sizeNow(): number {
  const nowMs = performance.timeOrigin + performance.now();
  return Number(((nowMs % SIZE_MS) + 1).toFixed(3));
}

function measure({ marketId, grid, tokenBooks }: QuoteContext<object>): void {
  const price = ticks(grid, WATCHED_CENTS);
  note(`${marketId} yes`, tokenBooks.yes.bidSizeAt(price));
  // On the axis of YES a bid for NO is an ask.
  note(`${marketId} no`, tokenBooks.no.askSizeAt(ticks(grid, grid.ticksPerUnit - WATCHED_CENTS)));
}

function note(book: string, sizeMicro: number): void {
  const size = sizeMicro / MICRO_PER_SHARE;
  const before = seen.get(book);
  seen.set(book, size);
  if (before === undefined || before === size) return;
  ages[count] = (sizeNow() - size + SIZE_MS) % SIZE_MS;
  count += 1;
  if (count < AGES_AT_ONCE || file === undefined) return;
  appendFileSync(file, new Uint8Array(ages.buffer));
  count = 0;
}

const NOTHING = Object.freeze({
  quotes: [],
  reasons: [{ side: 'both', code: 'watched', detail: 'it is only watched', clears: 'never' }],
} as const);

export const strategy = defineStrategy<object>({
  name: 'watcher',
  summary: 'Watches a market and quotes nothing.',
  params: {},
  quote: (context) => {
    measure(context);
    return NOTHING;
  },
});
