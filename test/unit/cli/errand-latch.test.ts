// The latch of `bookend kill` on a disk that hangs, or that nobody may look at.

import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InFlightTracker } from '../../../src/app/in-flight-tracker.ts';
import { ErrandLatch } from '../../../src/cli/errand-latch.ts';
import { systemClock } from '../../../src/clock/system.ts';
import type { Timers } from '../../../src/domain/time.ts';
import type { KillResult } from '../../../src/guard/kill.ts';
import { clearLatch, latchFile, readLatch, setLatch } from '../../../src/journal/latch.ts';
import { journalIn } from '../journal/support.ts';

const clock = systemClock();
const CONFIRMED: KillResult = { kind: 'confirmed', cancelled: 2, tookMs: 600 };

function errand(journal: string, timers: Timers = clock): ErrandLatch {
  const unread = new Writable({ write: (_chunk, _encoding, done) => done() });
  const io = { env: {}, stdout: unread, stderr: unread };
  return new ErrandLatch({
    io,
    journal,
    at: '2026-11-22T00:00:00.000Z',
    timers,
    resume: 'bookend resume --config F',
  });
}

/** Whoever opens it for reading, or for writing, waits for somebody at the other end. */
function hanging(file: string): void {
  execFileSync('mkfifo', [file]);
}

/** Lets go of whoever waits. */
async function endHanging(file: string): Promise<void> {
  await (await open(file, 'r+')).close();
}

describe('the latch of a kill', () => {
  it('is on the disk when the kill is called confirmed, however slow that is', async () => {
    const journal = journalIn();
    const latch = errand(journal);
    void latch.set();
    expect(await latch.settle(CONFIRMED)).toEqual(CONFIRMED);
    expect(await readLatch(journal)).toMatchObject({ reason: 'kill' });
  });

  it('is no proof once somebody has lifted it, whatever the venue listed last', async () => {
    const journal = journalIn();
    const latch = errand(journal);
    await latch.set();
    await clearLatch(journal);
    expect(await latch.settle(CONFIRMED)).toMatchObject({
      kind: 'unconfirmed',
      detail: expect.stringContaining('lifted meanwhile'),
    });
  });

  it('is as good where a daemon has put its own in its place', async () => {
    const journal = journalIn();
    const latch = errand(journal);
    await latch.set();
    await setLatch(journal, { by: 'http', reason: 'kill', at: '2026-11-22T00:00:01.000Z' });
    expect(await latch.settle(CONFIRMED)).toEqual(CONFIRMED);
  });

  it('keeps nobody for longer than a second from being told in other ways', async () => {
    const waitsMs: number[] = [];
    const timers: Timers = {
      after: (durationMs, task) => {
        waitsMs.push(durationMs);
        return clock.after(durationMs, task);
      },
    };
    await errand(journalIn(), timers).set();
    expect(waitsMs).toEqual([1_000]);
  });

  it('is none where the disk does not answer', async () => {
    const journal = journalIn();
    const draft = `${latchFile(journal)}.${process.pid}.draft`;
    hanging(draft);
    const latch = errand(journal);
    // Whoever sets it has a daemon to tell over HTTP as well.
    await latch.set();
    expect(await latch.settle(CONFIRMED)).toMatchObject({
      kind: 'unconfirmed',
      detail: expect.stringContaining('the disk does not answer'),
    });
    await endHanging(draft);
  });

  it('may be missing for a daemon where nobody may look at the journal', async () => {
    const loop = `${journalIn()}.loop`;
    symlinkSync(loop, loop);
    const latch = errand(join(loop, 'test.db'));
    await latch.set();
    expect(await latch.settle(CONFIRMED)).toMatchObject({ kind: 'unconfirmed' });
  });

  it('is missing for nobody where there can be no journal', async () => {
    const file = `${journalIn()}.file`;
    writeFileSync(file, '');
    const latch = errand(join(file, 'test.db'));
    await latch.set();
    expect(await latch.settle(CONFIRMED)).toEqual(CONFIRMED);
  });
});

describe('a kill beside a disk that hangs', () => {
  it('begins all the same, and knows of a living process when the disk answers', async () => {
    const journal = journalIn();
    const claim = `${journal}.lock.7-1`;
    hanging(claim);
    const one = await InFlightTracker.of({
      ...{ journal, clock, timers: clock, silenceMs: 300 },
      horizonMs: 45_000,
      latchedAt: '2026-11-22T00:00:00.000Z',
    });
    expect(one.holders).toEqual([]);
    expect(one.untilMs({ cancelled: 0, left: 0 })).toBeGreaterThan(clock.nowMs());
    const unconfirmed = one.unconfirmed();
    await endHanging(claim);
    await unconfirmed;
    expect(one.holders).toMatchObject([{ file: claim }]);
    one.close();
  });
});
