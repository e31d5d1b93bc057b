// The end of a guard: what it waits for, how often it says so, and its last word.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { shares } from '../../../src/domain/shares.ts';
import { type LastWatchOptions, watchLast } from '../../../src/guard/last-watch.ts';
import { Waiting } from '../../../src/guard/waiting.ts';
import { Watch } from '../../../src/guard/watch.ts';
import { Book, listening, passOf, peeked, report } from './support.ts';

const STUBBORN = { kind: 'accepted', cancelled: 0, failed: 1 } as const;

function ending(over: Partial<LastWatchOptions> = {}, book = new Book(), own?: 'unknown') {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const waiting = new Waiting(clock);
  const { said, log } = listening();
  const state: { givenUp: string | undefined; isStopped: boolean } = {
    ...{ givenUp: undefined, isStopped: false },
  };
  const watch = new Watch({
    ...{ door: book, clock, timers: clock, horizonMs: () => 25_000, tellMs: 1_000_000 },
    own: own && { isWhole: false, live: () => [], among: () => [] },
    onUpdate: () => waiting.wake(),
    onNotClear: () => {},
  });
  const seen = peeked(
    watchLast({
      ...{ watch: () => watch, waiting, log, scope: 'account' },
      isStopped: () => state.isStopped,
      givenUp: () => state.givenUp,
      ...over,
    }),
  );
  return {
    ...{ clock, waiting, said, state, watch, seen },
    pass: async (ms: number) => await passOf(clock, ms, 100),
    giveUp: (why: string) => {
      state.givenUp = why;
      waiting.wake();
    },
    watching: () => said.filter(([event]) => event === 'guard.watching').map(([, of]) => of),
  };
}

function stubborn(count = 1): Book {
  const book = new Book();
  for (let at = 0; at < count; at += 1) book.open.add(`0x${at + 100}`);
  book.cancelAll = async () => STUBBORN;
  book.cancelOrders = async (hashes) => ({ ...STUBBORN, failed: hashes.length });
  return book;
}

describe('the last watch of a guard', () => {
  it('says each ten seconds what it waits for, and ends with the proof', async () => {
    const { pass, seen, watching, said } = ending();
    await pass(9_900);
    expect(watching()).toHaveLength(1);
    await pass(100);
    expect(watching()).toMatchObject([
      { forMs: 25_000, settling: 0, why: 'what was sent may still arrive' },
      { forMs: 15_000, settling: 0 },
    ]);
    await pass(15_300);
    expect(seen.value).toEqual({ isConfirmed: true, settling: 0, rests: [] });
    expect(said.at(-1)).toEqual([
      'guard.confirmed',
      { cancelled: 0, scope: 'account', leftAlone: 0, settling: 0 },
    ]);
    expect(watching()).toHaveLength(3);
  });

  it('waits for what settles, says so, and names it where its proof waits no longer', async () => {
    const book = new Book();
    book.readOpenOrders = async () => ({
      kind: 'ok',
      value: [{ ...report('0x01'), executed: shares(10) }],
    });
    const { pass, seen, watching } = ending({}, book);
    await pass(31_000);
    expect(watching().at(-1)).toEqual({
      ...{ forMs: 0, settling: 1, why: 'an order whose settlement fails may rest again' },
    });
    expect(watching()[1]).toMatchObject({ why: 'what was sent may still arrive' });
    await pass(55_000);
    expect(seen.value).toMatchObject({
      ...{ isConfirmed: true, settling: 1, rests: [{ what: '1 matched order' }] },
    });
  });

  it('counts what the trader said that settles, where no list shows it', async () => {
    const { pass, seen } = ending({ told: { settling: 2, inFlight: ['a'] } });
    await pass(26_000);
    expect(seen.value).toMatchObject({
      ...{ isConfirmed: true, settling: 2 },
      rests: [{ what: 'a' }, { what: '2 matched orders' }],
    });
  });

  it('has nothing to wait for where nothing was ever placed', async () => {
    const { pass, seen, said } = ending({ watch: () => undefined });
    await pass(0);
    expect(seen.value).toEqual({ isConfirmed: true, settling: 0, rests: [] });
    expect(said).toEqual([['guard.confirmed', { scope: 'account', settling: 0 }]]);
  });

  it('confirms nothing where nobody looks and somebody has given up', async () => {
    const { pass, seen, said } = ending({ watch: () => undefined, givenUp: () => 'a deadline' });
    await pass(0);
    expect(seen.value).toEqual({
      ...{ isConfirmed: false, settling: 0 },
      rests: [{ what: 'any order of the account', why: 'nobody has looked' }],
    });
    expect(said.at(-1)?.[1]).toMatchObject({ why: 'a deadline' });
  });

  it('ends when nobody waits any longer, says why, what is open, and what may arrive', async () => {
    const { pass, seen, giveUp, said, clock } = ending({}, stubborn(60));
    await pass(2_000);
    giveUp('guard.stopDeadlineSec is over');
    await pass(0);
    expect(seen.value).toMatchObject({ isConfirmed: false });
    expect(seen.value?.rests).toHaveLength(61);
    expect(seen.value?.rests.at(-1)?.why).toBe('it may be accepted for 23 s more');
    const [event, fields] = said.at(-1) ?? [];
    expect(event).toBe('guard.unconfirmed');
    expect(fields).toMatchObject({ why: 'guard.stopDeadlineSec is over', cancelled: 0 });
    expect(fields?.['orderHashes']).toHaveLength(50);
    expect(clock.pending).toBe(0);
  });

  it('does not wait for a call that is under way when nobody waits any longer', async () => {
    const book = new Book();
    book.readOpenOrders = async () => await new Promise(() => {});
    const { pass, seen, giveUp } = ending({}, book);
    await pass(100);
    giveUp('a second signal');
    await pass(0);
    expect(seen.value).toMatchObject({
      rests: [{ what: 'any order of the account' }, { what: 'what was sent last' }],
    });
  });

  it('ends a stop in vain where the venue refuses to cancel what is left, and no other watch', async () => {
    const { pass, seen, state, waiting, said } = ending({}, stubborn());
    await pass(40_000);
    expect(seen.value).toBeUndefined();
    state.isStopped = true;
    waiting.wake();
    await pass(100);
    expect(seen.value).toMatchObject({ isConfirmed: false, rests: [{ what: /0x100/ }] });
    expect(said.at(-1)?.[1]).toMatchObject({ why: 'the venue refuses to cancel what is open' });
  });

  it('says so where nobody has said whose the open orders are', async () => {
    const book = new Book();
    book.open.add('0x0f');
    const { pass, seen, said } = ending({ scope: 'own' }, book, 'unknown');
    await pass(26_000);
    expect(seen.value).toMatchObject({ isConfirmed: false });
    expect(said.at(-1)?.[1]).toMatchObject({
      ...{ why: 'nobody has said whose the open orders are', leftAlone: 1, scope: 'own' },
    });
  });
});
