// What a kill without a daemon can know of orders that are still in flight.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InFlightTracker } from '../../../src/app/in-flight-tracker.ts';
import { learntHorizonMs } from '../../../src/app/learnt.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { SIGNED_WITHIN_MS } from '../../../src/core/kernel/bounds.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { confirmLatch, setLatch } from '../../../src/journal/latch.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { lockJournal } from '../../../src/journal/lock.ts';
import { letGo } from '../../support/let-go.ts';
import { passOf, peeked } from '../guard/support.ts';

const HORIZON_MS = 45_000;
/** No daemon learns of a slower acceptance than ten minutes, and five seconds are its margin. */
const LONGEST_MS = 605_000;
const clock = systemClock();
let folder: string;
let journal: string;
const opened: InFlightTracker[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-in-flight-'));
  journal = join(folder, 'test.db');
});
afterEach(async () => {
  for (const each of opened.splice(0)) each.close();
  await rm(folder, { recursive: true, force: true });
});

const nowMs = () => clock.nowMs();

async function inFlightTracker(
  startedAtMs: number,
  more: Partial<Parameters<typeof InFlightTracker.of>[0]> = {},
): Promise<InFlightTracker> {
  const at = new Date(startedAtMs).toISOString();
  await setLatch(journal, { by: 'test', reason: 'kill', at });
  const one = await InFlightTracker.of({
    journal,
    clock: { nowMs: () => unixMs(startedAtMs) },
    horizonMs: HORIZON_MS,
    timers: clock.background,
    latchedAt: at,
    ...more,
  });
  opened.push(one);
  return one;
}

const NOTHING = { cancelled: 0, left: 0 };

describe('orders that were sent before a kill', () => {
  it('need not be waited for where nothing was ever sent and nothing is open', async () => {
    const one = await inFlightTracker(nowMs());
    expect(one.untilMs(NOTHING)).toBeUndefined();
  });

  it('may arrive when the account had orders that this journal knows nothing of', async () => {
    const startedAtMs = nowMs();
    const one = await inFlightTracker(startedAtMs);
    expect(one.untilMs({ cancelled: 1, left: 0 })).toBe(startedAtMs + HORIZON_MS);
    expect(one.untilMs({ cancelled: 0, left: 1 })).toBe(startedAtMs + HORIZON_MS);
  });

  it('may rest again while the venue lists them as matched, as long as settlements may take', async () => {
    const startedAtMs = nowMs();
    const one = await inFlightTracker(startedAtMs);
    expect(one.untilMs({ ...NOTHING, settling: 2 })).toBe(startedAtMs + 60_000);
    expect(one.untilMs(NOTHING)).toBeUndefined();
  });

  it('may arrive when the ledger was written a moment ago', async () => {
    await writeFile(journal, 'x');
    const startedAtMs = nowMs();
    const one = await inFlightTracker(startedAtMs);
    expect(one.untilMs(NOTHING)).toBe(startedAtMs + HORIZON_MS);
  });

  it('may arrive when nobody can say whether the journal was written', async () => {
    const loop = join(folder, 'loop');
    await symlink(loop, loop);
    const startedAtMs = nowMs();
    const one = await InFlightTracker.of({
      journal: join(loop, 'test.db'),
      clock: { nowMs: () => unixMs(startedAtMs) },
      horizonMs: HORIZON_MS,
      timers: clock.background,
      latchedAt: new Date(startedAtMs).toISOString(),
    });
    opened.push(one);
    expect(one.untilMs(NOTHING)).toBe(startedAtMs + HORIZON_MS);
  });

  it('have arrived or never will when the ledger is older than any request the venue takes', async () => {
    await writeFile(journal, 'x');
    const old = new Date(nowMs() - HORIZON_MS - 10_000);
    await utimes(journal, old, old);
    const one = await inFlightTracker(nowMs());
    expect(one.untilMs(NOTHING)).toBeUndefined();
  });

  it('are known by a daemon that runs, and are waited for until it has said so', async () => {
    const lock = await lockJournal({ journal, clock, onLost: () => {} });
    const startedAtMs = nowMs();
    const one = await inFlightTracker(startedAtMs);
    expect(one.untilMs(NOTHING)).toBe(startedAtMs + HORIZON_MS);
    expect((await one.unconfirmed())?.pid).toBe(process.pid);
    await confirmLatch(journal, new Date(nowMs()).toISOString());
    await expect.poll(async () => await one.unconfirmed(), { timeout: 3_000 }).toBeUndefined();
    expect(one.untilMs({ cancelled: 4, left: 0 })).toBeUndefined();
    await lock.release();
  });

  it('are not known over by what was confirmed before the kill, and are by what is in its moment', async () => {
    const lock = await lockJournal({ journal, clock, onLost: () => {} });
    const startedAtMs = nowMs();
    const one = await inFlightTracker(startedAtMs);
    await confirmLatch(journal, new Date(startedAtMs - 1).toISOString());
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect((await one.unconfirmed())?.pid).toBe(process.pid);
    const at = new Date(startedAtMs).toISOString();
    await setLatch(journal, { by: 'test', reason: 'kill', at });
    await confirmLatch(journal, at);
    await expect.poll(async () => await one.unconfirmed(), { timeout: 3_000 }).toBeUndefined();
    await lock.release();
  });

  it('are bound by the placements without an answer where only own orders are meant', async () => {
    await writeFile(journal, 'x');
    const startedAtMs = nowMs();
    const none = await inFlightTracker(startedAtMs, { own: { unansweredSinceMs: undefined } });
    expect(none.untilMs({ cancelled: 9, left: 0 })).toBeUndefined();
    const recent = { unansweredSinceMs: unixMs(startedAtMs - 1_000) };
    const some = await inFlightTracker(startedAtMs, { own: recent });
    expect(some.untilMs(NOTHING)).toBe(startedAtMs + HORIZON_MS);
    const old = { unansweredSinceMs: unixMs(startedAtMs - 60_000) };
    expect((await inFlightTracker(startedAtMs, { own: old })).untilMs(NOTHING)).toBeUndefined();
  });

  it.each([
    ['was set ahead, where all of the account is meant', -600_000, undefined],
    ['was set ahead, where only own orders are meant', -600_000, 0],
    ['was ten minutes behind and has been put right', 0, 600_000],
  ])('look old and are recent where the clock %s', async (_name, clockOffsetMs, before) => {
    const startedAtMs = nowMs();
    const sentAtMs = startedAtMs - 600_000;
    await writeFile(journal, 'x');
    await utimes(journal, new Date(sentAtMs), new Date(sentAtMs));
    const own = { unansweredSinceMs: unixMs(sentAtMs), clockOffsetMs: before };
    const one = await inFlightTracker(startedAtMs, before === undefined ? {} : { own });
    expect(one.untilMs({ ...NOTHING, clockOffsetMs })).toBe(startedAtMs + HORIZON_MS);
  });

  it('are waited for by a kill of one market only where this journal has sent some', async () => {
    const startedAtMs = nowMs();
    const manual = await inFlightTracker(startedAtMs, { isNarrow: true });
    expect(manual.untilMs({ cancelled: 3, left: 0 })).toBeUndefined();
    await writeFile(journal, 'x');
    const recent = await inFlightTracker(startedAtMs, { isNarrow: true });
    expect(recent.untilMs({ cancelled: 3, left: 0 })).toBe(startedAtMs + HORIZON_MS);
  });
});

describe('a claim that cannot be read', () => {
  const partial = () => `${journal}.lock.1-abc`;

  it('is of a process that runs as long as it shows sign of activity', async () => {
    await writeFile(partial(), '{"pid": 12');
    const one = await inFlightTracker(nowMs(), { clock, silenceMs: 5_000 });
    setTimeout(() => void utimes(partial(), new Date(), new Date()), 300);
    expect(await one.unconfirmed()).toMatchObject({ file: partial(), pid: undefined });
  });

  it('is told, and held for dead, when it shows none', async () => {
    await writeFile(partial(), '{"pid": 12');
    const one = await inFlightTracker(nowMs(), { clock, silenceMs: 400 });
    expect(one.untilMs(NOTHING)).toBeDefined();
    expect(await one.unconfirmed()).toBeUndefined();
    expect(one.silentClaims).toEqual([partial()]);
  });
});

describe('what the ledger has learnt of late acceptances', () => {
  const found = { cancelled: 1, left: 0 };

  it('is waited for where it is longer than what is configured, and where it is not, that', async () => {
    const startedAtMs = nowMs();
    const slow = await inFlightTracker(startedAtMs, { learnt: async () => 95_000 });
    expect(slow.untilMs(found)).toBe(startedAtMs + HORIZON_MS);
    await expect.poll(() => slow.untilMs(found)).toBe(startedAtMs + 95_000);
    const quick = await inFlightTracker(startedAtMs, { learnt: async () => 30_000 });
    expect(quick.untilMs(found)).toBe(startedAtMs + HORIZON_MS);
    await Promise.resolve();
    expect(quick.untilMs(found)).toBe(startedAtMs + HORIZON_MS);
  });

  it('is waited for itself: nothing is called over before it was read', async () => {
    const startedAtMs = nowMs();
    let settle: (horizonMs: number) => void = () => {};
    const learnt = new Promise<number>((resolve) => {
      settle = resolve;
    });
    const one = await inFlightTracker(startedAtMs, { learnt: async () => await learnt });
    expect(one.untilMs(NOTHING)).toBe(startedAtMs + HORIZON_MS);
    settle(0);
    await learnt;
    await Promise.resolve();
    expect(one.untilMs(NOTHING)).toBeUndefined();
  });

  it('is waited for while it is read, also where the venue takes nothing for as long', async () => {
    const startedAtMs = nowMs();
    const learnt = async () => await new Promise<number>(() => {});
    const one = await inFlightTracker(startedAtMs, { learnt, horizonMs: 400 });
    expect(one.untilMs(NOTHING)).toBe(startedAtMs + 5_000);
  });

  it('is the longest that it may be where it cannot be read, until it can', async () => {
    const startedAtMs = nowMs();
    const timers = new VirtualClock({ startMs: startedAtMs });
    let reads = 0;
    const unread: number[] = [];
    const one = await inFlightTracker(startedAtMs, {
      timers,
      onUnread: (_, horizonMs) => void unread.push(horizonMs),
      learnt: async () => {
        reads += 1;
        if (reads < 3) throw new Error('partial');
        return 95_000;
      },
    });
    one.untilMs(found);
    await expect.poll(() => one.untilMs(found)).toBe(startedAtMs + LONGEST_MS);
    timers.advance(10_000);
    await expect.poll(() => reads).toBe(2);
    expect(one.untilMs(found)).toBe(startedAtMs + LONGEST_MS);
    expect(unread).toEqual([LONGEST_MS]);
    timers.advance(10_000);
    await expect.poll(() => one.untilMs(found)).toBe(startedAtMs + 95_000);
  });

  it('is the longest while a slow disk does not say it, and what it says in the end', async () => {
    const startedAtMs = nowMs();
    const timers = new VirtualClock({ startMs: startedAtMs });
    let settle: (horizonMs: number) => void = () => {};
    const learnt = new Promise<number>((resolve) => {
      settle = resolve;
    });
    const one = await inFlightTracker(startedAtMs, { timers, learnt: async () => await learnt });
    expect(one.untilMs(found)).toBe(startedAtMs + HORIZON_MS);
    timers.advance(5_000);
    expect(one.untilMs(found)).toBe(startedAtMs + LONGEST_MS);
    settle(0);
    await expect.poll(() => one.untilMs(found)).toBe(startedAtMs + HORIZON_MS);
  });

  it('is read from a copy: the slowest of the last thirty days, and a margin', async () => {
    expect(await learntHorizonMs({ path: journal, clock, horizonMs: HORIZON_MS })).toBe(0);
    const ledger = await openLedger({ path: journal, clock });
    const slowest = { tookMs: 90_000, atMs: unixMs(nowMs() - 1_000) };
    ledger.commit([{ kind: 'slowest', slowest }]);
    expect(await learntHorizonMs({ path: journal, clock, horizonMs: HORIZON_MS })).toBe(95_000);
    const old = { tookMs: 90_000, atMs: unixMs(nowMs() - 31 * 86_400_000) };
    ledger.commit([{ kind: 'slowest', slowest: old }]);
    expect(await learntHorizonMs({ path: journal, clock, horizonMs: HORIZON_MS })).toBe(0);
    ledger.close();
  });

  it('is longer by what a clock of ours ran ahead of the venue, as long as that matters', async () => {
    const ledger = await openLedger({ path: journal, clock });
    const learnt = () => learntHorizonMs({ path: journal, clock, horizonMs: HORIZON_MS });
    ledger.commit([{ kind: 'ahead', ahead: { aheadMs: 20_000, atMs: nowMs() } }]);
    expect(await learnt()).toBe(HORIZON_MS + 20_000);
    const slowest = { tookMs: 90_000, atMs: nowMs() };
    ledger.commit([{ kind: 'slowest', slowest }]);
    expect(await learnt()).toBe(95_000);
    const old = { aheadMs: 90_000, atMs: unixMs(nowMs() - 400_000) };
    ledger.commit([{ kind: 'ahead', ahead: old }]);
    expect(await learnt()).toBe(95_000);
    ledger.close();
  });
});

describe('a placement without an answer', () => {
  it.each([
    [0, undefined, undefined, true],
    [1, undefined, undefined, false],
    // The clock has been set ahead by a millisecond since.
    [1, -1, undefined, true],
    [2, -1, undefined, false],
    // It was behind by a millisecond when that was sent, and has been put right.
    [1, undefined, 1, true],
    [2, undefined, 1, false],
  ])(
    'that is %d ms older than its signing and its horizon, on a clock %s ms off, and %s ms before: %s',
    async (olderMs, clockOffsetMs, before, may) => {
      const startedAtMs = nowMs();
      const sinceMs = startedAtMs - HORIZON_MS - SIGNED_WITHIN_MS - olderMs;
      const own = { unansweredSinceMs: unixMs(sinceMs), clockOffsetMs: before };
      const one = await inFlightTracker(startedAtMs, { own });
      const now = clockOffsetMs === undefined ? NOTHING : { ...NOTHING, clockOffsetMs };
      expect(one.untilMs(now) !== undefined).toBe(may);
    },
  );
});

describe('the timers of a kill', () => {
  const real = async (ms = 40) => await new Promise((resolve) => setTimeout(resolve, ms));

  it('are one look at the latch each 200 ms, and none when it is closed', async () => {
    const startedAtMs = nowMs();
    const timers = new VirtualClock({ startMs: startedAtMs });
    const one = await inFlightTracker(startedAtMs, { timers });
    const found = { cancelled: 1, left: 0 };
    await expect.poll(() => timers.pending).toBe(1);
    await confirmLatch(journal, new Date(startedAtMs).toISOString());
    timers.advance(199);
    await real();
    expect(one.untilMs(found)).toBeDefined();
    timers.advance(1);
    await expect.poll(() => one.untilMs(found)).toBeUndefined();
    const other = await inFlightTracker(startedAtMs, { timers });
    await expect.poll(() => timers.pending).toBe(1);
    other.close();
    expect(timers.pending).toBe(0);
  });

  it('are called off when the ledger has answered, and one more when it could not be read', async () => {
    const startedAtMs = nowMs();
    const timers = new VirtualClock({ startMs: startedAtMs });
    const read = await inFlightTracker(startedAtMs, { timers, learnt: async () => 0 });
    read.untilMs(NOTHING);
    await real();
    expect(timers.pending).toBe(1);
    read.close();
    const unread: string[] = [];
    const broken = await inFlightTracker(startedAtMs, {
      timers,
      learnt: async () => await Promise.reject(new Error('partial')),
      onUnread: (detail) => void unread.push(detail),
    });
    broken.untilMs(NOTHING);
    await real();
    expect([timers.pending, unread]).toEqual([2, ['partial']]);
    broken.close();
    expect(timers.pending).toBe(0);
    const slow = await inFlightTracker(startedAtMs, {
      timers,
      learnt: async () => await new Promise(() => {}),
      onUnread: (detail) => void unread.push(detail),
    });
    slow.untilMs(NOTHING);
    timers.advance(5_000);
    expect(unread.at(-1)).toBe('not read within 5 s');
  });

  it('wait for what settles and for what may arrive, whichever is longer', async () => {
    const startedAtMs = nowMs();
    const one = await inFlightTracker(startedAtMs);
    expect(one.untilMs({ cancelled: 1, left: 0, settling: 1 })).toBe(startedAtMs + 60_000);
    expect(one.untilMs({ ...NOTHING, settling: 1 })).toBe(startedAtMs + 60_000);
    const far = await inFlightTracker(startedAtMs, { horizonMs: 90_000 });
    expect(far.untilMs({ cancelled: 1, left: 0, settling: 1 })).toBe(startedAtMs + 90_000);
  });

  it('hold a claim for dead in the moment in which its silence is over, and one that is gone at once', async () => {
    const claim = `${journal}.lock.1-abc`;
    await writeFile(claim, '{"pid": 12');
    const startedAtMs = nowMs();
    const timers = new VirtualClock({ startMs: startedAtMs });
    const one = await inFlightTracker(startedAtMs, { clock: timers, timers, silenceMs: 400 });
    const looked = one.unconfirmed();
    for (const ms of [200, 200]) {
      await real();
      // One look at the latch, one at the claim.
      await expect.poll(() => timers.pending).toBe(2);
      timers.advance(ms);
    }
    expect(await looked).toBeUndefined();
    expect(one.silentClaims).toEqual([claim]);
    const gone = await inFlightTracker(startedAtMs, { clock: timers, timers, silenceMs: 400 });
    await rm(claim);
    expect(await gone.unconfirmed()).toBeUndefined();
    expect(gone.silentClaims).toEqual([]);
  });

  it('end with the word of a daemon that a claim need not be looked at any more', async () => {
    await writeFile(`${journal}.lock.1-abc`, '{"pid": 12');
    const startedAtMs = nowMs();
    const timers = new VirtualClock({ startMs: startedAtMs });
    const one = await inFlightTracker(startedAtMs, { clock: timers, timers, silenceMs: 400 });
    const looked = one.unconfirmed();
    await real();
    one.vouch();
    timers.advance(200);
    expect(await looked).toBeUndefined();
    expect(one.silentClaims).toEqual([]);
  });

  it('are none when it is closed before the latch or the ledger was read', async () => {
    const startedAtMs = nowMs();
    const timers = new VirtualClock({ startMs: startedAtMs });
    let refuse: (why: Error) => void = () => {};
    const learnt = new Promise<number>((_resolve, reject) => {
      refuse = reject;
    });
    const one = await inFlightTracker(startedAtMs, { timers, learnt: async () => await learnt });
    one.untilMs(NOTHING);
    one.close();
    refuse(new Error('partial'));
    await real();
    expect(timers.pending).toBe(0);
  });

  it('wait one second for a disk that hangs before the first cancel, and ten for a result', async () => {
    const claim = `${journal}.lock.1-abc`;
    // Whoever reads it waits for somebody at the other end.
    execFileSync('mkfifo', [claim]);
    const startedAtMs = nowMs();
    const timers = new VirtualClock({ startMs: startedAtMs });
    const begun = peeked(inFlightTracker(startedAtMs, { timers }));
    await expect.poll(() => timers.pending).toBe(1);
    await passOf(timers, 999, 999);
    expect(begun.value).toBeUndefined();
    await passOf(timers, 1, 1);
    const one = begun.value;
    if (one === undefined) throw new Error('it has not begun');
    // Something may have been sent a moment ago, as long as nobody can say.
    expect(one.untilMs(NOTHING)).toBe(startedAtMs + HORIZON_MS);
    const result = peeked(one.unconfirmed().then(() => 'known'));
    await passOf(timers, 9_999, 9_999);
    expect(result.value).toBeUndefined();
    await passOf(timers, 1, 1);
    expect(result.value).toBe('known');
    one.close();
    await letGo(claim);
    await real();
    expect(timers.pending).toBe(0);
  });
});
