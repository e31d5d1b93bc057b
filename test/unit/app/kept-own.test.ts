// A guard that did not read while its trader lived on: what it was not told, the ledger tells.

import { describe, expect, it } from 'vitest';
import { KeptOwn } from '../../../src/app/kept-own.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { OwnBook, type OwnOrders } from '../../../src/guard/own-book.ts';
import { readOwnOrdersUpdate } from '../../../src/guard/own-orders-update.ts';
import { Watch } from '../../../src/guard/watch.ts';
import { Book } from '../guard/support.ts';

const TOLD = '0x01';
const UNTOLD = '0x02';
const EXTERNAL = '0x0e';

function bookOf(...hashes: readonly string[]): OwnBook {
  const live = hashes.map((orderHash, at) => ({
    ...{ intentId: `1-${at}`, orderHash, marketId: 'm1', tokenId: '0xaa', side: 'BUY' },
    ...{ priceMilli: 40, quantity: 5_000_000, sentAtMs: 1_000_000 },
  }));
  const update = readOwnOrdersUpdate({ isWhole: true, live, ended: [] });
  const book = new OwnBook();
  if (update !== undefined) book.apply(update);
  return book;
}

/** A trader is dead; the guard had been reported one order of two, and an external order has one, too. */
function death(open: () => Promise<OwnOrders>, told = bookOf(TOLD), horizonMs = 10_000) {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const door = new Book();
  for (const hash of [TOLD, UNTOLD, EXTERNAL]) door.open.add(hash);
  const failed: unknown[] = [];
  const own = new KeptOwn({ told, open, clock, onFailed: (error) => failed.push(error) });
  const watch = new Watch({
    ...{ door, own, clock, timers: clock },
    horizonMs: () => horizonMs,
    tellMs: 60_000,
    onNotClear: () => {},
  });
  return { clock, door, watch, failed };
}

async function pass(clock: VirtualClock, durationMs: number): Promise<void> {
  for (let passed = 0; passed < durationMs; passed += 10) {
    clock.advance(10);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

describe('a guard that was not told everything', () => {
  it('cancels what it was told at once, the rest by the ledger, and no external order', async () => {
    const { clock, door, watch } = death(async () => bookOf(TOLD, UNTOLD));
    await pass(clock, 500);
    expect([...door.open]).toEqual([UNTOLD, EXTERNAL]);
    await pass(clock, 4_000);
    expect([...door.open]).toEqual([EXTERNAL]);
    await pass(clock, 10_000);
    await expect(watch.confirmed).resolves.toBe(true);
  });

  it('goes on with what it knows of a ledger whose disk hangs from then on', async () => {
    const ledger: OwnOrders = bookOf(TOLD, UNTOLD);
    ledger.refresh = async () => await new Promise(() => {});
    const { clock, door, watch } = death(async () => ledger);
    await pass(clock, 8_000);
    expect([...door.open]).toEqual([EXTERNAL]);
    await pass(clock, 10_000);
    await expect(watch.confirmed).resolves.toBe(true);
  });

  it('reads the ledger once, and not while a next run may be about to', async () => {
    let reads = 0;
    const { clock } = death(async () => {
      reads += 1;
      return bookOf(TOLD, UNTOLD);
    });
    await pass(clock, 2_900);
    expect(reads).toBe(0);
    await pass(clock, 10_000);
    expect(reads).toBe(1);
  });

  it.each([
    ['hangs', async () => await new Promise<never>(() => {})],
    ['is partially updated', async () => await Promise.reject(new Error('partial'))],
  ])(
    'goes on without a ledger that %s, and calls nothing confirmed while external orders rest',
    async (_, open) => {
      const { clock, door, watch } = death(open);
      await pass(clock, 12_000);
      expect([...door.open]).toEqual([UNTOLD, EXTERNAL]);
      await expect(watch.confirmed).resolves.toBe(false);
    },
  );

  it('confirms without a ledger where nobody has an order any more', async () => {
    const { clock, door, watch } = death(async () => await Promise.reject(new Error('partial')));
    door.open.delete(UNTOLD);
    door.open.delete(EXTERNAL);
    await pass(clock, 12_000);
    await expect(watch.confirmed).resolves.toBe(true);
  });

  it('asks again for a ledger that could not be read, and tells of the failure once', async () => {
    let reads = 0;
    const { clock, door, failed, watch } = death(
      async () => {
        reads += 1;
        if (reads < 3) throw new Error('busy');
        return bookOf(TOLD, UNTOLD);
      },
      bookOf(TOLD),
      60_000,
    );
    await pass(clock, 20_000);
    expect(reads).toBe(2);
    expect(failed).toHaveLength(1);
    expect([...door.open]).toEqual([UNTOLD, EXTERNAL]);
    await pass(clock, 45_000);
    expect(reads).toBe(3);
    expect([...door.open]).toEqual([EXTERNAL]);
    await expect(watch.confirmed).resolves.toBe(true);
  });

  it('confirms by the ledger what no trader has told at all', async () => {
    const { clock, door, watch } = death(async () => bookOf(TOLD, UNTOLD), new OwnBook());
    await pass(clock, 12_000);
    expect([...door.open]).toEqual([EXTERNAL]);
    await expect(watch.confirmed).resolves.toBe(true);
  });
});

describe('the ledger of a trader that is dead', () => {
  function asking(open: () => Promise<OwnOrders>) {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const asked = { times: 0 };
    const failed: unknown[] = [];
    const own = new KeptOwn({
      ...{ told: bookOf(TOLD), clock, onFailed: (error: unknown) => failed.push(error) },
      open: async () => {
        asked.times += 1;
        return await open();
      },
    });
    return { clock, own, asked, failed };
  }

  it('is read when three seconds have passed, once at a time', async () => {
    const { clock, own, asked } = asking(async () => await new Promise(() => {}));
    clock.advance(2_999);
    await own.refresh();
    expect(asked.times).toBe(0);
    clock.advance(1);
    await own.refresh();
    await own.refresh();
    clock.advance(60_000);
    await own.refresh();
    expect(asked.times).toBe(1);
  });

  it('is read again ten seconds after it could not be, which is told once', async () => {
    const { clock, own, asked, failed } = asking(async () => await Promise.reject(new Error('x')));
    const look = async (ms: number) => {
      clock.advance(ms);
      await own.refresh();
      await pass(clock, 0);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      return asked.times;
    };
    expect(await look(3_000)).toBe(1);
    expect(await look(9_999)).toBe(1);
    expect(await look(1)).toBe(2);
    expect(await look(10_000)).toBe(3);
    expect(failed).toHaveLength(1);
  });

  it('is looked at again once it was read, and adds its orders to what was told', async () => {
    const ledger: OwnOrders = bookOf(UNTOLD);
    let looks = 0;
    ledger.refresh = async () => {
      looks += 1;
    };
    const { clock, own } = asking(async () => await Promise.resolve(ledger));
    expect(own.live({ kind: 'account' })).toEqual([TOLD]);
    clock.advance(3_000);
    await own.refresh();
    await pass(clock, 10);
    expect(own.live({ kind: 'account' })).toEqual([TOLD, UNTOLD]);
    await own.refresh();
    await own.refresh();
    expect(looks).toBe(2);
  });
});
