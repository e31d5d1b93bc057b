// A trader that goes on without its guard until its stop is confirmed, on virtual time.

import { describe, expect, it } from 'vitest';
import { Outlast } from '../../../src/app/outlast.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { CancelOutcome } from '../../../src/domain/message.ts';
import type { KillResult } from '../../../src/guard/kill.ts';
import { OwnBook } from '../../../src/guard/own-book.ts';
import { Book, passOf, peeked } from '../guard/support.ts';

const HORIZON_MS = 45_000;
const FIRST: KillResult = {
  ...{ kind: 'unconfirmed', cancelled: 1, tookMs: 7_000 },
  ...{ left: undefined, detail: 'the venue is away' },
};

/** Lists what it never cancels. */
class Stubborn extends Book {
  override async cancelAll(): Promise<CancelOutcome> {
    return { kind: 'accepted', cancelled: 0, failed: this.open.size };
  }

  override async cancelOrders(hashes: readonly string[]): Promise<CancelOutcome> {
    return { kind: 'accepted', cancelled: 0, failed: hashes.length };
  }
}

function going(book = new Book(), own?: OwnBook, withinMs?: number) {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const events: string[] = [];
  const lines: unknown[] = [];
  const say = (event: string, fields?: object) => {
    events.push(event);
    lines.push({ event, ...fields });
  };
  const outlast = new Outlast({
    ...{ own, clock, timers: clock, horizonMs: () => HORIZON_MS, tellMs: 5_000 },
    log: { info: say, warn: say, error: say },
  });
  const state: { result?: KillResult } = {};
  void outlast.run(book, FIRST, withinMs).then((result) => {
    state.result = result;
  });
  const pass = async (durationMs: number): Promise<void> => {
    for (let passed = 0; passed < durationMs; passed += 10) {
      clock.advance(10);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
  };
  return { outlast, book, clock, events, lines, state, pass };
}

function away(book = new Book()): Book {
  for (const hash of ['0x0a', '0x0b']) book.open.add(hash);
  book.isDown = true;
  return book;
}

describe('a stop that goes on without a guard', () => {
  it('cancels when the venue is back, and is confirmed when nothing can arrive any more', async () => {
    const { book, state, events, lines, pass } = going(away());
    await pass(120_000);
    expect(state.result).toBeUndefined();
    expect(events).toContain('daemon.not_clear');
    expect(lines).toContainEqual(expect.objectContaining({ event: 'daemon.watching', left: 0 }));
    book.isDown = false;
    await pass(3_000);
    expect(book.open.size).toBe(0);
    await pass(1_000);
    expect(state.result).toMatchObject({ kind: 'confirmed', cancelled: 3, scope: 'account' });
  });

  it('cancels nothing more once it was given up: whoever comes next has the account', async () => {
    const { outlast, book, state, pass } = going(away());
    await pass(1_000);
    outlast.giveUp();
    await pass(100);
    expect(state.result).toMatchObject({ kind: 'unconfirmed' });
    book.isDown = false;
    const { cancels } = book;
    await pass(5_000);
    expect({ cancels: book.cancels, open: book.open.size }).toEqual({ cancels, open: 2 });
  });

  it('watches for as long as what was sent may arrive, and cancels what does', async () => {
    const { book, state, pass } = going();
    await pass(HORIZON_MS - 1_000);
    expect(state.result).toBeUndefined();
    book.open.add('0x0c');
    await pass(500);
    expect(book.open.size).toBe(0);
    await pass(2_000);
    expect(state.result).toMatchObject({ kind: 'confirmed', cancelled: 2 });
    // The seven seconds of the stop before it are part of it.
    expect(state.result?.tookMs).toBeGreaterThanOrEqual(HORIZON_MS + 7_000);
    expect(state.result?.tookMs).toBeLessThanOrEqual(HORIZON_MS + 10_000);
  });

  it('ends without proof when its time is over', async () => {
    const { state, pass } = going(away(), undefined, 5_000);
    await pass(4_990);
    expect(state.result).toBeUndefined();
    await pass(20);
    expect(state.result).toMatchObject({ kind: 'unconfirmed', left: undefined });
  });

  it('ends at once when it is told again, and has confirmed nothing', async () => {
    const { outlast, book, state, pass } = going();
    await pass(2_000);
    outlast.giveUp();
    await pass(10);
    expect(state.result).toMatchObject({ kind: 'unconfirmed', detail: 'nobody waited for it' });
    expect(state.result).toMatchObject({ left: [...book.open] });
  });

  it('says that anything may rest where it could read no list', async () => {
    const { outlast, state, pass } = going(away());
    await pass(20_000);
    outlast.giveUp();
    await pass(10);
    expect(state.result).toMatchObject({
      kind: 'unconfirmed',
      left: undefined,
      detail: expect.stringContaining('GET /orders'),
    });
  });

  it('ends without proof where nothing is left but what the venue refuses to cancel', async () => {
    const book = new Stubborn();
    book.open.add('0x0a');
    const { state, lines, pass } = going(book);
    await pass(HORIZON_MS - 1_000);
    expect(state.result).toBeUndefined();
    await pass(12_000);
    expect(state.result).toMatchObject({
      ...{ kind: 'unconfirmed', left: ['0x0a'] },
      detail: 'the venue refuses to cancel what is open',
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'daemon.not_clear', left: 1, orderHashes: ['0x0a'] }),
    );
  });

  it('cancels nothing of others, and confirms nothing where nobody has said whose they are', async () => {
    const book = away();
    book.isDown = false;
    const { state, pass } = going(book, new OwnBook());
    await pass(HORIZON_MS + 1_000);
    expect(book.open.size).toBe(2);
    expect(state.result).toMatchObject({ kind: 'unconfirmed', leftAlone: 2 });
  });
});

describe('the end of a stop that goes on', () => {
  it('leaves no timer, though it had more time', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const say = () => {};
    const outlast = new Outlast({
      ...{ clock, timers: clock, horizonMs: () => 500, tellMs: 5_000 },
      log: { info: say, warn: say, error: say },
    });
    const result = peeked(outlast.run(new Book(), FIRST, 60_000));
    await passOf(clock, 2_000, 50);
    expect(result.value).toMatchObject({ kind: 'confirmed' });
    expect(clock.pending).toBe(0);
  });

  it('says that nobody has said whose the open orders are', async () => {
    const book = new Book();
    book.open.add('0x0f');
    const { state, pass } = going(book, new OwnBook());
    await pass(HORIZON_MS + 1_000);
    expect(state.result).toMatchObject({
      ...{ kind: 'unconfirmed', leftAlone: 1 },
      detail: 'nobody has said whose the 1 open orders are',
    });
  });
});
