// A venue whose lists cannot be read while its cancels work: what may be open is cancelled unseen.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { type OrderHash, orderHash } from '../../../src/domain/ids.ts';
import type { CancelOutcome, ReadOutcome } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { type KillResult, killOrders } from '../../../src/guard/kill.ts';
import { OwnBook } from '../../../src/guard/own-book.ts';
import { readOwnOrdersUpdate } from '../../../src/guard/own-orders-update.ts';
import { Book } from './support.ts';

const DOWN = {
  kind: 'refused',
  refusal: { code: 'internal', message: 'no', httpStatus: 503, retryAfterMs: undefined },
} as const;
const NO_ANSWER = { kind: 'unknown', cause: 'timeout', detail: 'no answer' } as const;

/** Its lists fail while `isBlind`. */
class BlindBook extends Book {
  isBlind = true;
  looks = 0;
  /** The calls of cancels by hash, counted from 1, that have no answer. */
  readonly #isLost: (call: number) => boolean;
  /** What lands right after a cancel of everything. */
  readonly late: string[] = [];

  constructor(isLost: (call: number) => boolean) {
    super();
    this.#isLost = isLost;
  }

  override async cancelAll(): Promise<CancelOutcome> {
    const outcome = await super.cancelAll();
    const next = this.late.shift();
    if (next !== undefined) this.open.add(next);
    return outcome;
  }

  override async cancelOrders(hashes: readonly OrderHash[]): Promise<CancelOutcome> {
    if (!this.#isLost(this.byName.length + 1)) return await super.cancelOrders(hashes);
    this.byName.push(hashes);
    return NO_ANSWER;
  }

  override async readOpenOrders(): Promise<ReadOutcome<readonly OrderReport[]>> {
    this.looks += 1;
    return this.isBlind ? DOWN : await super.readOpenOrders();
  }
}

function names(count: number): readonly OrderHash[] {
  return Array.from({ length: count }, (_, at) => orderHash(`0xb${(at + 4_096).toString(16)}`));
}

function ownBook(hashes: readonly OrderHash[]): OwnBook {
  const live = hashes.map((hash, at) => ({
    ...{ intentId: `1-${at}`, orderHash: hash, marketId: 'm1', tokenId: '0xaa', side: 'BUY' },
    ...{ priceMilli: 40, quantity: 5_000_000, sentAtMs: 1_000_000 },
  }));
  const orders = readOwnOrdersUpdate({ isWhole: true, live, ended: [] });
  const book = new OwnBook();
  if (orders !== undefined) book.apply(orders);
  return book;
}

/** A kill of 20 seconds over so many orders, to its end unless a test looks earlier. */
function kill(of: {
  count: number;
  own: boolean;
  isLost?: (call: number) => boolean;
  /** So many of the first have ended before. */
  ended?: number;
  late?: string;
}) {
  const book = new BlindBook(of.isLost ?? (() => false));
  const hashes = names(of.count);
  for (const hash of hashes.slice(of.ended ?? 0)) book.open.add(hash);
  if (of.late !== undefined) book.late.push(of.late);
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const ended: Promise<KillResult> = killOrders({
    door: book,
    scope: { kind: 'account' },
    own: of.own ? ownBook(hashes) : undefined,
    ...{ clock, timers: clock, quietMs: 500, deadlineMs: 20_000 },
  });
  const pass = async (durationMs: number): Promise<void> => {
    for (let passed = 0; passed < durationMs; passed += 10) {
      clock.advance(10);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
  };
  return { book, hashes, ended, pass };
}

describe('a kill of own orders that no list shows', () => {
  it('names the orders of a batch again that had no answer, and those of no other', async () => {
    const { book, hashes, ended, pass } = kill({
      ...{ count: 250, own: true },
      isLost: (call) => call === 2,
    });
    await pass(1_000);
    expect(book.open.size).toBe(0);
    expect(book.byName).toHaveLength(4);
    expect(book.byName[3]).toEqual(hashes.slice(100, 200));
    await pass(25_000);
    await expect(ended).resolves.toMatchObject({ kind: 'unconfirmed', left: undefined });
    expect(book.byName).toHaveLength(4);
  });

  it('names all of a batch again of which the answer left one, with pauses that grow', async () => {
    const { book, pass } = kill({ count: 100, own: true, ended: 1 });
    await pass(1_000);
    expect(book.open.size).toBe(0);
    await pass(19_500);
    expect(book.byName.length).toBeGreaterThan(3);
    expect(book.byName.length).toBeLessThan(20);
    expect(book.byName.every(({ length }) => length === 100)).toBe(true);
  });

  it('takes the word of an empty list where a batch never has an answer', async () => {
    const { book, ended, pass } = kill({ count: 250, own: true, isLost: (call) => call > 1 });
    book.isBlind = false;
    await pass(1_000);
    book.open.clear();
    await pass(25_000);
    await expect(ended).resolves.toMatchObject({ kind: 'confirmed' });
  });

  it('is confirmed as soon as lists can be read again and show nothing', async () => {
    const { book, ended, pass } = kill({
      ...{ count: 250, own: true },
      isLost: (call) => call === 2,
    });
    await pass(5_000);
    book.isBlind = false;
    await pass(4_000);
    await expect(ended).resolves.toMatchObject({ kind: 'confirmed', cancelled: 250 });
  });
});

describe('a kill of the whole account that no list shows', () => {
  it('cancels everything again, so that what landed after the first cancel goes', async () => {
    const { book, pass } = kill({ count: 5, own: false, late: '0xfe' });
    await pass(1_000);
    expect(book.open.size).toBe(0);
    await pass(19_500);
    expect(book.cancels).toBeLessThan(20);
    expect(book.cancels).toBe(book.looks);
  });

  it('counts no quiet time over an order that it cancelled unseen', async () => {
    const { book, ended, pass } = kill({ count: 1, own: false });
    book.isBlind = false;
    await pass(300);
    book.isBlind = true;
    await pass(60);
    book.open.add('0xfe');
    await pass(190);
    book.isBlind = false;
    await pass(400);
    expect(book.open.size).toBe(0);
    const isOver = await Promise.race([ended.then(() => true), Promise.resolve(false)]);
    expect(isOver).toBe(false);
    await pass(500);
    await expect(ended).resolves.toMatchObject({ kind: 'confirmed', cancelled: 2 });
  });
});

describe('a kill whose last list is not answered', () => {
  it('says what the list before it showed, and is not confirmed by it', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const door = new BlindBook(() => false);
    door.isBlind = false;
    door.open.add('0xb1');
    clock.after(2_000, () => {
      door.isBlind = true;
    });
    const over = killOrders({
      ...{ door, clock, timers: clock, scope: { kind: 'account' }, quietMs: 2_500 },
      ...{ deadlineMs: 4_000, withinMs: 4_000, inFlightUntilMs: () => 1_045_000 },
    });
    for (let step = 0; step < 100; step += 1) {
      clock.advance(50);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
    const result = await over;
    expect(result).toMatchObject({ left: [] });
    // Only what is not confirmed has a detail.
    expect(result).toHaveProperty(
      'detail',
      expect.stringMatching(
        /^nothing is open, and .* may still arrive for \d+ s more, as of the last list that could be read; then GET \/orders: /,
      ),
    );
  });
});
