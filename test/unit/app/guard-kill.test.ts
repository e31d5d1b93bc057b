// A kill that an operator asks for, as the guard does it beside a trader.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { GuardKill } from '../../../src/app/guard-kill.ts';
import type { KillUpdate } from '../../../src/app/http-parent.ts';
import { systemClock } from '../../../src/clock/system.ts';
import type { CancelOutcome } from '../../../src/domain/message.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { Held } from '../../../src/guard/held.ts';
import { USUAL_TIMING } from '../../support/usual-timing.ts';
import { report } from '../guard/support.ts';

afterEach(() => {
  vi.useRealTimers();
});

const HORIZON_MS = 30_000;

function guard() {
  vi.useFakeTimers();
  const open = new Set(['0x01', '0x02']);
  const counts = { cancels: 0 };
  const latched: string[] = [];
  const disk = { isFull: false, hung: 0, goesOn: Promise.resolve() };
  const lists = { areReadable: true };
  const events: string[] = [];
  const say = (event: string) => void events.push(event);
  const held = new Held({ info: say, warn: say, error: say });
  const killer = new GuardKill({
    held,
    door: {
      cancelAll: async (): Promise<CancelOutcome> => {
        counts.cancels += 1;
        const cancelled = open.size;
        open.clear();
        return await Promise.resolve({ kind: 'accepted', cancelled, failed: 0 });
      },
      readOpenOrders: async () =>
        await Promise.resolve(
          lists.areReadable
            ? ({ kind: 'ok', value: [...open].map(report) } as const)
            : ({ kind: 'unknown', cause: 'serverError', detail: 'no list' } as const),
        ),
    },
    timing: {
      ...{ ...USUAL_TIMING, tradesMs: 10_000, unknownSlotMs: 1_000 },
      ...{ proofQuietMs: 1_000, proofDeadlineMs: 5_000 },
    },
    clock: { nowMs: () => unixMs(Date.now()) },
    timers: systemClock(),
    log: { warn() {}, error() {} } as never,
    latch: async (by) => {
      disk.hung += 1;
      await disk.goesOn;
      disk.hung -= 1;
      if (disk.isFull) throw new Error('no space');
      latched.push(by);
    },
    known: () => ({ own: undefined, horizonMs: HORIZON_MS }),
    account: () => 'mark',
  });
  const update: [number, KillUpdate][] = [];
  const ended = () => update.flatMap(([id, each]) => (each.kind === 'ended' ? [[id, each]] : []));
  const kill = (id: number) => killer.kill(id, 'http me', (each) => update.push([id, each]));
  return { killer, kill, open, lists, counts, latched, disk, held, events, update, ended };
}

describe('a kill of the guard', () => {
  it('cancels at once, and tells what it has cancelled', async () => {
    const { kill, open, update } = guard();
    kill(1);
    await vi.advanceTimersByTimeAsync(1);
    expect([...open]).toEqual([]);
    expect(update[0]).toEqual([1, { kind: 'step', detail: 'cancelled 2, failed 0' }]);
  });

  it('is confirmed when nothing that was in flight can arrive any more', async () => {
    const { kill, open, ended, counts } = guard();
    kill(1);
    await vi.advanceTimersByTimeAsync(20_000);
    open.add('0x03');
    await vi.advanceTimersByTimeAsync(HORIZON_MS - 20_500);
    expect([[...open], ended()]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ended()).toMatchObject([
      [1, { isConfirmed: true, body: { account: 'mark', cancelled: 3 } }],
    ]);
    expect(counts.cancels).toBe(2);
  });

  it('that no list confirms goes on until nothing can arrive any more, and says so then', async () => {
    const { kill, lists, ended } = guard();
    lists.areReadable = false;
    kill(1);
    await vi.advanceTimersByTimeAsync(HORIZON_MS - 5_000);
    expect(ended()).toEqual([]);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(ended()).toMatchObject([[1, { isConfirmed: false, body: { error: 'not confirmed' } }]]);
  });

  it('cancels nothing that is placed once a resume has lifted it', async () => {
    const { killer, kill, open, update, counts } = guard();
    kill(1);
    await vi.advanceTimersByTimeAsync(10_000);
    killer.resumed();
    open.add('0x03');
    await vi.advanceTimersByTimeAsync(2 * HORIZON_MS);
    expect([[...open], counts.cancels]).toEqual([['0x03'], 1]);
    expect(update.at(-1)).toEqual([1, { kind: 'step', detail: 'a resume has lifted it' }]);
  });

  it('that is asked for behind a resume is another one, and goes on', async () => {
    const { killer, kill, open, ended } = guard();
    kill(1);
    await vi.advanceTimersByTimeAsync(10_000);
    killer.resumed();
    kill(2);
    killer.resumed();
    open.add('0x03');
    await vi.advanceTimersByTimeAsync(2 * HORIZON_MS);
    expect([...open]).toEqual([]);
    expect(ended()).toMatchObject([[2, { isConfirmed: true }]]);
  });

  it('ends as soon as the trader has confirmed it', async () => {
    const { killer, kill, ended } = guard();
    kill(1);
    await vi.advanceTimersByTimeAsync(100);
    killer.confirmed(1);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(ended()).toMatchObject([[1, { isConfirmed: true }]]);
  });

  it('that is asked for again looks as long as for the last who asked, in one sweep', async () => {
    const { killer, kill, ended, update, counts } = guard();
    kill(1);
    await vi.advanceTimersByTimeAsync(20_000);
    kill(2);
    expect(update.at(-1)).toMatchObject([2, { kind: 'step' }]);
    killer.confirmed(1);
    await vi.advanceTimersByTimeAsync(HORIZON_MS - 1_000);
    expect(ended()).toEqual([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ended()).toMatchObject([
      [1, { isConfirmed: true }],
      [2, { isConfirmed: true }],
    ]);
    expect(counts.cancels).toBe(1);
  });

  it('that is asked for again is not confirmed by a trader that had confirmed the one before', async () => {
    const { killer, kill, ended } = guard();
    kill(1);
    await vi.advanceTimersByTimeAsync(100);
    killer.confirmed(1);
    await vi.advanceTimersByTimeAsync(100);
    kill(2);
    await vi.advanceTimersByTimeAsync(HORIZON_MS - 1_000);
    expect(ended()).toEqual([]);
    killer.confirmed(2);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(ended()).toHaveLength(2);
  });

  it('latches when it is told that the trader does not', async () => {
    const { killer, latched } = guard();
    killer.latch('http me');
    await vi.advanceTimersByTimeAsync(1);
    expect(latched).toEqual(['http me']);
  });

  it('that no disk takes is held for the next trader, until the disk has it', async () => {
    const { killer, latched, disk, held } = guard();
    disk.isFull = true;
    killer.latch('http me');
    await vi.advanceTimersByTimeAsync(4_500);
    expect([latched, held.killedBy]).toEqual([[], 'http me']);
    disk.isFull = false;
    await vi.advanceTimersByTimeAsync(500);
    expect([latched, held.killedBy]).toEqual([['http me'], undefined]);
  });

  it('that no disk takes is tried no more once an operator has lifted it', async () => {
    const { killer, latched, disk, held } = guard();
    disk.isFull = true;
    killer.latch('http me');
    await vi.advanceTimersByTimeAsync(1_500);
    held.onUnlatched(undefined);
    disk.isFull = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect([latched, held.killedBy]).toEqual([[], undefined]);
  });

  it('waits once for a disk that hangs, however often it is asked for', async () => {
    const { killer, latched, disk } = guard();
    let goOn = () => {};
    disk.goesOn = new Promise((resolve) => {
      goOn = resolve;
    });
    for (const by of ['http me', 'http you', 'http me', 'http you']) killer.latch(by);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([disk.hung, latched]).toEqual([1, []]);
    goOn();
    await vi.advanceTimersByTimeAsync(1);
    expect([disk.hung, latched.at(-1)]).toEqual([0, 'http you']);
  });

  it('that no disk takes is said once, however often it is tried', async () => {
    const { killer, disk, events } = guard();
    disk.isFull = true;
    killer.latch('http me');
    await vi.advanceTimersByTimeAsync(5_500);
    expect(events.filter((event) => event === 'guard.holds_kill')).toHaveLength(1);
  });

  it('that the disk takes lifts nothing that is held of somebody else', async () => {
    const { killer, held } = guard();
    held.onUnlatched('somebody else');
    killer.latch('http me');
    await vi.advanceTimersByTimeAsync(1);
    expect(held.killedBy).toBe('somebody else');
  });

  it('begins anew when it is asked for again after its end', async () => {
    const { killer, kill, open, ended, counts } = guard();
    kill(1);
    killer.confirmed(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended()).toHaveLength(1);
    open.add('0x03');
    kill(2);
    await vi.advanceTimersByTimeAsync(100);
    expect([[...open], counts.cancels]).toEqual([[], 2]);
  });

  it('that no list confirms is over with the horizon of the last who asked', async () => {
    const { kill, lists, ended } = guard();
    lists.areReadable = false;
    kill(1);
    await vi.advanceTimersByTimeAsync(20_000);
    kill(2);
    await vi.advanceTimersByTimeAsync(HORIZON_MS - 1_000);
    expect(ended()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(ended()).toHaveLength(2);
  });

  it('is told to the last 64 who have asked', async () => {
    const { killer, kill, ended } = guard();
    for (let id = 1; id <= 65; id += 1) kill(id);
    killer.confirmed(65);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended().map(([id]) => id)).toEqual(Array.from({ length: 64 }, (_, at) => at + 2));
  });

  it('is told to all 64 who have asked', async () => {
    const { killer, kill, ended } = guard();
    for (let id = 1; id <= 64; id += 1) kill(id);
    killer.confirmed(64);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended()).toHaveLength(64);
  });
});
