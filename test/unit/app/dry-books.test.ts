import { describe, expect, it } from 'vitest';
import { dryBooksOf } from '../../../src/app/dry-books.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import { microShares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { listedEvent } from '../../support/listed-event.ts';

const EVENT = listedEvent('rain');
const [MARKET] = EVENT.markets;
if (MARKET === undefined) throw new Error('a market');
const { yes } = MARKET;

type Sizes = Readonly<Record<number, number>>;
type Book = { readonly bids: Sizes; readonly asks: Sizes };

const levels = (sizes: Sizes) =>
  Object.entries(sizes).map(([price, size]) => ({
    price: ticks(EVENT.grid, Number(price)),
    size: microShares(size),
  }));

/** What the venue shows, look by look; the last stays. */
async function found(
  looks: readonly (readonly [Book, Book] | undefined)[],
  stated: 'auto' | 'on' | 'off' = 'auto',
) {
  let waits = 0;
  const read = async (tokenId: TokenId) => {
    const shown = looks[Math.min(waits, looks.length - 1)];
    if (shown === undefined)
      return { kind: 'unknown', cause: 'timeout', detail: 'no answer' } as const;
    const book = tokenId === yes.tokenId ? shown[0] : shown[1];
    const value = {
      ...{ tokenId, bids: levels(book.bids), asks: levels(book.asks) },
      ...{ venueTs: undefined, lastTradePrice: undefined },
    };
    return { kind: 'ok', value } as const;
  };
  const timers = {
    after: (_: number, task: () => void) => {
      waits += 1;
      queueMicrotask(task);
      return () => undefined;
    },
  };
  return { ...(await dryBooksOf([EVENT], { stated, read, timers })), waits };
}

const YES: Book = { bids: { 40: 100, 39: 50 }, asks: { 60: 100, 61: 70 } };
const IMAGE: Book = { bids: { 40: 100, 39: 70 }, asks: { 60: 100, 61: 50 } };

describe('whether the venue of a dry run shows one book twice', () => {
  it('does where each book is the image of the other in every look', async () => {
    expect(await found([[YES, IMAGE]])).toMatchObject({ books: 'unified', waits: 2 });
  });

  it('does not where one has sizes of its own, which is seen at once', async () => {
    const own = { ...IMAGE, asks: { 60: 101, 61: 20 } };
    expect(await found([[YES, own]])).toEqual({
      books: 'separate',
      why: '2 of 4 levels show in one book alone',
      waits: 0,
    });
  });

  it('does not where a maker quoted both alike until somebody traded', async () => {
    const traded = { ...YES, bids: { 40: 60, 39: 50 } };
    expect(
      await found([
        [YES, IMAGE],
        [traded, IMAGE],
      ]),
    ).toMatchObject({ books: 'separate' });
  });

  it('does where one level of many moved between the two reads', async () => {
    const many = { bids: { 40: 1, 39: 2, 38: 3, 37: 4 }, asks: { 60: 5, 61: 6 } };
    const moved = { bids: { 40: 5, 39: 6 }, asks: { 60: 9, 61: 2, 62: 3, 63: 4 } };
    expect(await found([[many, moved]])).toMatchObject({ books: 'unified' });
  });

  it('takes books that are empty or not to be read for separate ones', async () => {
    const empty = { bids: {}, asks: {} };
    expect(await found([[empty, empty]])).toMatchObject({ books: 'separate', waits: 0 });
    expect(await found([undefined])).toMatchObject({ books: 'separate', waits: 0 });
  });

  it('is what the configuration says where that says it', async () => {
    expect(await found([[YES, YES]], 'on')).toMatchObject({ books: 'unified' });
    expect(await found([[YES, IMAGE]], 'off')).toMatchObject({ books: 'separate' });
  });
});
