// What an earlier run left, where a start has failed: cleared once, or said to rest.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { clearEarlier, type EarlierRun } from '../../../src/guard/earlier.ts';
import type { TraderRun } from '../../../src/guard/trader-run.ts';
import { Waiting } from '../../../src/guard/waiting.ts';
import { Watch } from '../../../src/guard/watch.ts';
import { Book, listening, passOf, peeked, SETTINGS } from './support.ts';

const UNTOUCHED = { isUntouched: true, isLeaving: true, hasGone: false };

function clearing(over: Partial<EarlierRun> = {}, said: object = UNTOUCHED, book = new Book()) {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const waiting = new Waiting(clock);
  const log = listening();
  let isAbandoned = false;
  const watches: Watch[] = [];
  const seen = peeked(
    clearEarlier({ ...UNTOUCHED, ...said } as TraderRun, 0, {
      ...{ hadJournal: true, hasLeft: async () => true, settings: SETTINGS, log: log.log },
      ...{ scope: 'account', isStopping: true, waiting, hasAbandoned: () => isAbandoned },
      startWatch: () => {
        const watch = new Watch({
          ...{ door: book, clock, timers: clock, horizonMs: () => 45_000, tellMs: 60_000 },
          ...{ onUpdate: () => waiting.wake(), onNotClear: () => {} },
        });
        watches.push(watch);
        return watch;
      },
      ...over,
    }),
  );
  return {
    ...{ book, seen, watches, clock, said: log.said },
    pass: async (ms: number) => await passOf(clock, ms, 50),
    abandon: () => {
      isAbandoned = true;
      waiting.wake();
    },
  };
}

const LEFT = ['guard.left_earlier', { do: 'bookend kill', scope: 'account' }];

describe('what an earlier run left', () => {
  it('is cancelled once, counted, and not watched any longer', async () => {
    const book = new Book();
    book.open.add('0x01').add('0x02');
    const { seen, pass, said, clock } = clearing({}, UNTOUCHED, book);
    await pass(200);
    expect(seen.value).toEqual({ kind: 'cleared', cancelled: 2 });
    expect(said).toEqual([['guard.cleared_earlier', { cancelled: 2, clearMs: 0 }]]);
    await pass(1_000);
    expect(clock.pending).toBe(0);
  });

  it('is said to rest where the venue does not answer within five seconds', async () => {
    const book = new Book();
    book.isDown = true;
    const { seen, pass, said } = clearing({}, UNTOUCHED, book);
    await pass(4_950);
    expect('value' in seen).toBe(false);
    await pass(50);
    expect(seen.value).toEqual({ kind: 'left' });
    expect(said).toEqual([LEFT]);
  });

  it('is said to rest where nobody waits any longer, or the journal does not answer in five seconds', async () => {
    const down = new Book();
    down.isDown = true;
    const one = clearing({}, UNTOUCHED, down);
    await one.pass(1_000);
    one.abandon();
    await one.pass(0);
    expect(one.seen.value).toEqual({ kind: 'left' });
    const silent = { hasLeft: async () => await new Promise<boolean>(() => {}) };
    const asked = { isUntouched: false, isLeaving: false };
    const other = clearing(silent, asked);
    await other.pass(4_950);
    expect('value' in other.seen).toBe(false);
    await other.pass(50);
    expect([other.seen.value, other.watches.length]).toEqual([{ kind: 'left' }, 0]);
    const abandoned = clearing(silent, asked);
    await abandoned.pass(100);
    abandoned.abandon();
    await abandoned.pass(0);
    expect(abandoned.seen.value).toEqual({ kind: 'left' });
  });

  it('is left to whoever reads this in the scope of own orders: nobody knows them', async () => {
    const { seen, pass, watches } = clearing({ scope: 'own' });
    await pass(100);
    expect([seen.value, watches.length]).toEqual([{ kind: 'left' }, 0]);
  });

  it('is nothing where there was no journal, the guard is switched off, or the journal says so', async () => {
    for (const over of [
      { hadJournal: false },
      { settings: { ...SETTINGS, enabled: false } },
      { hasLeft: async () => false },
    ]) {
      const { seen, pass, said, watches } = clearing(over, {
        isUntouched: false,
        isLeaving: false,
      });
      await pass(100);
      expect(seen).toEqual({ value: undefined });
      expect([said, watches]).toEqual([[], []]);
    }
  });
});
