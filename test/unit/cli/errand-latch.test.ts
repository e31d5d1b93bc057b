// The latch of `bookend kill` on a disk that hangs, or that nobody may look at.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InFlightTracker } from '../../../src/app/in-flight-tracker.ts';
import { ErrandLatch } from '../../../src/cli/errand-latch.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { orderHash } from '../../../src/domain/ids.ts';
import type { Timers } from '../../../src/domain/time.ts';
import type { KillResult } from '../../../src/guard/kill.ts';
import { clearLatch, latchFile, readLatch, setLatch } from '../../../src/journal/latch.ts';
import { lockJournal } from '../../../src/journal/lock.ts';
import { letGo } from '../../support/let-go.ts';
import { journalIn } from '../journal/support.ts';

const clock = systemClock();
const CONFIRMED: KillResult = { kind: 'confirmed', cancelled: 2, tookMs: 600 };

function errand(journal: string, timers: Timers = clock, said: string[] = []): ErrandLatch {
  const heard = new Writable({
    write: (chunk, _encoding, done) => {
      said.push(String(chunk));
      done();
    },
  });
  const io = { env: {}, stdout: heard, stderr: heard };
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

/** A folder stands where the latch is drafted, until it is taken away. */
function block(journal: string): () => void {
  const draft = `${latchFile(journal)}.${process.pid}.draft`;
  mkdirSync(join(draft, 'in-the-way'), { recursive: true });
  return () => rmSync(draft, { recursive: true });
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

  it('is waited for three seconds when all else is known, on the disk and as it is there then', async () => {
    const waitsMs: number[] = [];
    const timers: Timers = {
      after: (durationMs, task) => {
        waitsMs.push(durationMs);
        return clock.after(durationMs, task);
      },
    };
    const latch = errand(journalIn(), timers);
    await latch.set();
    await latch.settle(CONFIRMED);
    expect(waitsMs).toEqual([1_000, 3_000, 3_000]);
  });

  it('is said to be set, with what lifts it, or why it is not', async () => {
    const journal = journalIn();
    const said: string[] = [];
    await errand(journal, clock, said).set();
    expect(said.join('')).toContain(
      `latched: ${latchFile(journal)}; \`bookend resume --config F\``,
    );
    const full = journalIn();
    block(full);
    await errand(full, clock, said).set();
    expect(said.at(-1)).toMatch(/a daemon may quote again: the journal cannot be written/);
  });

  it('changes nothing of a kill that was to set none', async () => {
    expect(await errand(journalIn()).settle(CONFIRMED)).toEqual(CONFIRMED);
  });

  it('is tried once more where the disk had no room, and is then as good', async () => {
    const journal = journalIn();
    writeFileSync(journal, '');
    const free = block(journal);
    const latch = errand(journal);
    await latch.set();
    free();
    expect(await latch.settle(CONFIRMED)).toEqual(CONFIRMED);
    expect(await readLatch(journal)).toMatchObject({ reason: 'kill' });
  });

  it('that is missing is told beside what else keeps a kill from being confirmed', async () => {
    const journal = journalIn();
    writeFileSync(journal, '');
    block(journal);
    const latch = errand(journal);
    await latch.set();
    const open: KillResult = {
      ...{ kind: 'unconfirmed', cancelled: 1, tookMs: 600 },
      ...{ left: [orderHash('0x0a')], detail: 'one is open' },
    };
    expect(await latch.settle(open)).toMatchObject({
      left: ['0x0a'],
      detail: expect.stringMatching(/^one is open; the latch is not on the disk/),
    });
  });

  it('of a daemon is as good where none of this kill can be written', async () => {
    const journal = journalIn();
    writeFileSync(journal, '');
    await setLatch(journal, { by: 'http', reason: 'kill', at: '2026-11-22T00:00:00.000Z' });
    block(journal);
    const latch = errand(journal);
    await latch.set();
    expect(await latch.settle(CONFIRMED)).toEqual(CONFIRMED);
  });

  it('is missing for a process that has claimed a journal in which nothing is written yet', async () => {
    const journal = journalIn();
    const lock = await lockJournal({ journal, clock, onLost: () => {} });
    block(journal);
    const latch = errand(journal);
    await latch.set();
    expect(await latch.settle(CONFIRMED)).toMatchObject({
      ...{ kind: 'unconfirmed', left: [] },
      detail: expect.stringContaining(
        'a daemon may start and quote: the journal cannot be written',
      ),
    });
    await lock.release();
  });

  it('is missing for nobody where no daemon has ever written the journal', async () => {
    const journal = journalIn();
    block(journal);
    const latch = errand(journal);
    await latch.set();
    expect(await latch.settle(CONFIRMED)).toEqual(CONFIRMED);
  });

  it('is lifted by nobody where the disk hangs once it is set', async () => {
    const journal = journalIn();
    const timers = new VirtualClock();
    const latch = errand(journal, timers);
    await latch.set();
    rmSync(latchFile(journal));
    hanging(latchFile(journal));
    const settled = latch.settle(CONFIRMED);
    // By then it looks at the disk for the second time.
    await new Promise((resolve) => setImmediate(resolve));
    timers.advance(3_000);
    expect(await settled).toEqual(CONFIRMED);
    await letGo(latchFile(journal));
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
    await letGo(draft);
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
    await letGo(claim);
    await unconfirmed;
    expect(one.holders).toMatchObject([{ file: claim }]);
    one.close();
  });
});
