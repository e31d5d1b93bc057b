// Lists of open orders that change while their pages are read.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderHash, tokenId } from '../../../src/domain/ids.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { NO_SHARES, shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { readWholeList } from '../../../src/venue/http/order-pages.ts';

function order(name: number): OrderReport {
  return {
    orderHash: orderHash(`0x${name.toString(16)}`),
    tokenId: tokenId('0xa1'),
    side: 'BUY',
    price: ticks(tickGrid('0.01'), 20),
    quantity: shares(10),
    executed: NO_SHARES,
    status: 'OPEN',
    createdAtMs: undefined,
  };
}

type Change = {
  readonly gone: readonly number[];
  readonly come: readonly number[];
  readonly first?: boolean;
  /** Orders that something happened to, on a venue that lists them by their last change. */
  readonly changed?: readonly number[];
};

/** A venue that changes its orders before it answers the second request, the third and so on. */
class Changing {
  open: number[];
  requests = 0;
  readonly #size: number;
  readonly #changes: readonly Change[];

  constructor(open: readonly number[], size: number, changes: readonly Change[]) {
    this.open = [...open];
    this.#size = size;
    this.#changes = changes;
  }

  async page(offset: number) {
    const change = this.#changes[this.requests - 1];
    if (change) this.#apply(change);
    this.requests += 1;
    const orders = this.open.slice(offset, offset + this.#size).map(order);
    return { kind: 'ok', value: { orders, total: this.open.length } } as const;
  }

  #apply({ gone, come, first, changed = [] }: Change): void {
    const rest = this.open.filter((each) => !gone.includes(each));
    const moved = rest.filter((each) => changed.includes(each));
    const others = rest.filter((each) => !changed.includes(each));
    this.open = first ? [...come, ...moved, ...others] : [...moved, ...others, ...come];
  }

  async read(): Promise<readonly number[] | string> {
    const outcome = await readWholeList((offset) => this.page(offset));
    return outcome.kind === 'ok'
      ? outcome.value.map(({ orderHash: hash }) => Number(hash))
      : outcome.kind;
  }
}

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

describe('a list of open orders in pages', () => {
  it.each([
    [5, 5, 1],
    [2, 5, 8],
    [4, 8, 6],
    [100, 2_000, 54],
  ])('of %i is whole with %i orders after %i requests', async (size, count, requests) => {
    const venue = new Changing(upTo(count), size, []);
    expect(await venue.read()).toEqual(upTo(count));
    expect(venue.requests).toBe(requests);
  });

  it('has what rested all the time, though one went and another came between two pages', async () => {
    const venue = new Changing([1, 2, 3, 4], 2, [{ gone: [1], come: [5] }]);
    expect(await venue.read()).toEqual([2, 3, 4, 5]);
  });

  it('goes on where fewer went than a page shares with the next', async () => {
    const venue = new Changing(upTo(16), 8, [{ gone: [1], come: [] }]);
    expect(await venue.read()).toEqual(upTo(16));
    expect(venue.requests).toBe(6);
  });

  it('has an order that moved to the front while another went, which no number of them tells', async () => {
    const venue = new Changing(upTo(8), 4, [{ gone: [1], come: [], changed: [7] }]);
    expect(await venue.read()).toEqual(expect.arrayContaining(upTo(7, 2)));
  });

  it('is no answer when it never holds still', async () => {
    const changes = upTo(20).map((each) => ({ gone: [each], come: [each + 4] }));
    const venue = new Changing([1, 2, 3, 4], 2, changes);
    expect(await venue.read()).toBe('unknown');
    expect(venue.requests).toBe(6);
  });

  it('is no answer from a venue that ignores where a page begins', async () => {
    const value = { orders: [order(1), order(2)], total: 4 };
    const outcome = await readWholeList(async () => ({ kind: 'ok', value }));
    expect(outcome).toMatchObject({ kind: 'unknown', cause: 'unreadable' });
  });

  it('never lacks an order that rested from the first page to the last', async () => {
    const change = fc.record({
      gone: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 4 }),
      come: fc.uniqueArray(fc.integer({ min: 100, max: 140 }), { maxLength: 4 }),
      first: fc.boolean(),
      changed: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 2 }),
    });
    const scene = fc.record({
      count: fc.integer({ min: 0, max: 30 }),
      size: fc.integer({ min: 2, max: 12 }),
      changes: fc.array(change, { maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(scene, async ({ count, size, changes }) => {
        // An order that changes its place between both readings, and again, may be on neither.
        const isLater = (name: number, index: number) =>
          changes.slice(0, index).some(({ changed }) => changed.includes(name));
        const fresh = changes.map((each, index) => ({
          ...each,
          come: each.come.map((name) => name + index * 1_000),
          changed: each.changed.filter((name) => !isLater(name, index)),
        }));
        const venue = new Changing(upTo(count), size, fresh);
        const read = await venue.read();
        if (typeof read === 'string') return;
        const stayed = venue.open.filter((each) => each <= count);
        expect(read).toEqual(expect.arrayContaining(stayed));
      }),
    );
  });
});
