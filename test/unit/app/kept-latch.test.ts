// The latch of a daemon on a disk that does not take it, now or at all.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isOther, KeptLatch, KILL_FACT } from '../../../src/app/kept-latch.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { latchFile, latchReserve, readLatch, setLatch } from '../../../src/journal/latch.ts';
import { createLog } from '../../../src/telemetry/logs.ts';
import { journalIn } from '../journal/support.ts';

const latches: KeptLatch[] = [];

afterEach(() => {
  for (const latch of latches.splice(0)) latch.close();
});

/** Nothing can be written where a folder stands in the way of the draft. */
class SmallDisk {
  readonly journal = journalIn();
  readonly clock = new VirtualClock({ startMs: 1_000_000 });
  readonly told: (string | undefined)[] = [];
  readonly lines: string[] = [];
  readonly latch: KeptLatch;
  readonly #blocks: readonly string[];

  /**
   * @param heldBy - A kill of a previous run that its guard keeps.
   * @param facts - What the ledger keeps by name.
   */
  constructor(heldBy?: string, facts = new Map<string, string>()) {
    const { journal, clock } = this;
    this.#blocks = [latchFile(journal), latchReserve(journal)].map(
      (file) => `${file}.${process.pid}.draft`,
    );
    this.latch = new KeptLatch({
      ...{ journal, clock, timers: clock },
      log: createLog({
        level: 'info',
        format: 'json',
        sink: { write: (line) => this.lines.push(line) },
      }),
      tellGuard: (by) => void this.told.push(by),
      heldBy,
      ledger: {
        fact: (name) => facts.get(name),
        setFact: (name, value) => void facts.set(name, value),
      },
    });
    latches.push(this.latch);
  }

  block(): void {
    for (const each of this.#blocks) mkdirSync(`${each}/in-the-way`, { recursive: true });
  }

  free(): void {
    for (const each of this.#blocks) rmSync(each, { recursive: true, force: true });
  }

  async retried(isSo: () => boolean): Promise<void> {
    await vi.waitFor(() => {
      this.clock.advance(1_000);
      expect(isSo()).toBe(true);
    });
  }
}

describe('a kill whose latch cannot be written', () => {
  it('takes the room that was kept for it', async () => {
    const disk = new SmallDisk();
    await disk.latch.reserve();
    disk.block();
    await disk.latch.set('control');
    expect(await readLatch(disk.journal)).toMatchObject({ by: 'control', reason: 'kill' });
    expect(disk.latch.fault).toBeUndefined();
    expect(disk.told).toEqual([]);
  });

  it('is a fault that guard and operators are reported where no room was kept', async () => {
    const disk = new SmallDisk();
    disk.block();
    await disk.latch.reserve();
    await disk.latch.set('control');
    expect(disk.latch.fault).toMatchObject({ by: 'control', at: '1970-01-01T00:16:40.000Z' });
    expect(disk.told).toEqual(['control']);
    expect(disk.lines.join('')).toContain('latch.reserve_failed');
    expect(disk.lines.join('')).toContain('latch.failed');
    expect(await readLatch(disk.journal)).toBeUndefined();
  });

  it('is written as soon as it can be, with the proof that came meanwhile', async () => {
    const disk = new SmallDisk();
    disk.block();
    await disk.latch.set('control');
    await disk.latch.confirm();
    await disk.retried(() => disk.latch.fault !== undefined);
    disk.free();
    await disk.retried(() => disk.latch.fault === undefined);
    expect(await readLatch(disk.journal)).toMatchObject({
      by: 'control',
      at: '1970-01-01T00:16:40.000Z',
      confirmed: '1970-01-01T00:16:40.000Z',
    });
    expect(disk.told).toEqual(['control', undefined]);
    expect(disk.lines.filter((line) => line.includes('latch.failed'))).toHaveLength(1);
  });

  it('is a fault no longer when it is written, though the proof comes in the middle of that', async () => {
    const disk = new SmallDisk();
    disk.block();
    await disk.latch.set('control');
    disk.free();
    disk.clock.advance(1_000);
    for (let turns = 0; turns < 3; turns += 1) await Promise.resolve();
    await disk.latch.confirm();
    expect(await readLatch(disk.journal)).toMatchObject({ by: 'control' });
    expect(disk.latch.fault).toBeUndefined();
    expect(disk.told).toEqual(['control', undefined]);
  });

  it('is a fault as well where the disk does not answer, until it does', async () => {
    const disk = new SmallDisk();
    const draft = `${latchFile(disk.journal)}.${process.pid}.draft`;
    // Whoever opens it for writing waits for somebody at the other end.
    execFileSync('mkfifo', [draft]);
    const set = disk.latch.set('control');
    const settled = disk.latch.settled();
    disk.clock.advance(2_000);
    await settled;
    expect(disk.latch.fault).toMatchObject({ by: 'control', detail: 'the disk does not answer' });
    expect(disk.told).toEqual(['control']);
    const end = await open(draft, 'r+');
    await set;
    await end.close();
    disk.clock.advance(1_000);
    await disk.retried(() => disk.latch.fault === undefined);
    expect(disk.told).toEqual(['control', undefined]);
  });

  it('is tried no more after a resume, however the writing and the resume meet', async () => {
    const disk = new SmallDisk();
    disk.block();
    await disk.latch.set('control');
    disk.free();
    const again = disk.latch.set('control');
    await disk.latch.lift(await disk.latch.standing());
    await again;
    disk.clock.advance(10_000);
    await disk.latch.confirm();
    expect(await readLatch(disk.journal)).toBeUndefined();
    expect(disk.latch.fault).toBeUndefined();
    expect(disk.told.at(-1)).toBeUndefined();
  });

  it('that is on the disk already is settled, and no fault', async () => {
    const disk = new SmallDisk();
    await disk.latch.set('control');
    await disk.latch.settled();
    expect(disk.latch.fault).toBeUndefined();
    expect(disk.told).toEqual([]);
  });

  it('is tried no more by who has ended, though the disk refused it only then', async () => {
    const disk = new SmallDisk();
    disk.block();
    const set = disk.latch.set('control');
    disk.latch.close();
    await set;
    disk.free();
    disk.clock.advance(60_000);
    await disk.latch.settled();
    expect(await readLatch(disk.journal)).toBeUndefined();
  });

  it('stands after two kills at once', async () => {
    const disk = new SmallDisk();
    await Promise.all([disk.latch.set('one'), disk.latch.set('two')]);
    expect(await readLatch(disk.journal)).toMatchObject({ by: 'two' });
  });
});

describe('a resume', () => {
  it('lifts what stood when it was asked for, whatever was noted on it since', async () => {
    const disk = new SmallDisk();
    await setLatch(disk.journal, { by: 'bookend kill', reason: 'kill', at: 'one' });
    const standing = await disk.latch.standing();
    await disk.latch.confirm();
    expect(await disk.latch.lift(standing)).toBeUndefined();
    expect(await readLatch(disk.journal)).toBeUndefined();
  });

  it('lifts what the guard keeps as well, of which it has told this process nothing', async () => {
    const disk = new SmallDisk();
    await disk.latch.set('control');
    expect(disk.told).toEqual([]);
    await disk.latch.lift(await disk.latch.standing());
    expect(disk.told).toEqual([undefined]);
  });

  it('leaves a kill that another process has ordered meanwhile', async () => {
    const disk = new SmallDisk();
    await disk.latch.set('control');
    const standing = await disk.latch.standing();
    await setLatch(disk.journal, { by: 'bookend kill', reason: 'kill', at: 'later' });
    expect(await disk.latch.lift(standing)).toMatchObject({ by: 'bookend kill' });
    expect(await readLatch(disk.journal)).toMatchObject({ by: 'bookend kill', at: 'later' });
  });

  it('leaves one of this process that no disk has taken yet', async () => {
    const disk = new SmallDisk();
    const standing = await disk.latch.standing();
    disk.block();
    await disk.latch.set('control');
    expect(await disk.latch.lift(standing)).toMatchObject({ by: 'control' });
    disk.free();
    await disk.retried(() => disk.latch.fault === undefined);
    expect(await readLatch(disk.journal)).toMatchObject({ by: 'control' });
  });
});

describe('a kill that the guard keeps of a previous run', () => {
  it('stands at the start, and is kept no longer once it is latched', async () => {
    const disk = new SmallDisk('control');
    expect(await disk.latch.atStart()).toMatchObject({ by: 'control' });
    await vi.waitFor(() => expect(disk.told).toEqual([undefined]));
    expect(await readLatch(disk.journal)).toMatchObject({ by: 'control' });
  });

  it('is kept on while no disk takes it, and no longer than until a resume', async () => {
    const disk = new SmallDisk('control');
    disk.block();
    await disk.latch.atStart();
    await vi.waitFor(() => expect(disk.latch.fault).toBeDefined());
    expect(disk.told).toEqual([]);
    await disk.latch.lift(await disk.latch.standing());
    expect(disk.told).toEqual([undefined]);
  });

  it('is kept no longer where a latch stands: a resume would lift that one alone', async () => {
    const disk = new SmallDisk('control');
    await setLatch(disk.journal, { by: 'control', reason: 'kill', at: undefined });
    expect(await disk.latch.atStart()).toMatchObject({ by: 'control' });
    expect(disk.told).toEqual([undefined]);
  });
});

describe('a kill that the ledger keeps as well', () => {
  it('stands where its latch file was removed, and is set anew, until it is lifted', async () => {
    const facts = new Map<string, string>();
    const before = new SmallDisk(undefined, facts);
    await before.latch.set('somebody');

    const after = new SmallDisk(undefined, facts);
    expect(await after.latch.atStart()).toMatchObject({ by: 'somebody' });
    await vi.waitFor(async () =>
      expect(await readLatch(after.journal)).toMatchObject({ by: 'somebody' }),
    );
    await after.latch.lift(await after.latch.standing());

    const last = new SmallDisk(undefined, facts);
    expect(await last.latch.atStart()).toBeUndefined();
  });

  it('is one of another process, too, which a start or a proof has found', async () => {
    const facts = new Map<string, string>();
    const latch = { by: 'bookend kill', reason: 'kill', at: '2026-01-01T00:00:00.000Z' };
    const found = new SmallDisk(undefined, facts);
    await setLatch(found.journal, latch);
    await found.latch.atStart();
    expect(await new SmallDisk(undefined, facts).latch.atStart()).toMatchObject({ by: latch.by });

    // Of its own: the latch above is still being set anew, and kept.
    const others = new Map<string, string>();
    const confirmed = new SmallDisk(undefined, others);
    await setLatch(confirmed.journal, latch);
    await confirmed.latch.confirm();
    expect(await new SmallDisk(undefined, others).latch.atStart()).toMatchObject({ by: latch.by });
  });
});

describe('what is said of a latch', () => {
  const repaired = (disk: SmallDisk) =>
    disk.lines.filter((line) => line.includes('latch.repaired')).length;

  it('is why the disk does not take it, and that it does again, once', async () => {
    const disk = new SmallDisk();
    disk.block();
    await disk.latch.set('control');
    expect(disk.latch.fault?.detail).toMatch(/^the journal cannot be written/);
    expect(repaired(disk)).toBe(0);
    disk.free();
    await disk.retried(() => disk.latch.fault === undefined);
    expect(repaired(disk)).toBe(1);
    await disk.latch.set('control');
    expect(repaired(disk)).toBe(1);
  });

  it('is tried again by one timer, however often it was set', async () => {
    const disk = new SmallDisk();
    disk.block();
    await disk.latch.set('one');
    await disk.latch.set('two');
    expect(disk.clock.pending).toBe(1);
    disk.latch.close();
    expect(disk.clock.pending).toBe(0);
  });
});

describe('the latch of a kill that can be written', () => {
  it('is one thing that stands, and notes its proof', async () => {
    const disk = new SmallDisk();
    await disk.latch.set('control');
    expect(await disk.latch.standing()).toMatchObject([{ by: 'control' }]);
    await disk.latch.confirm();
    expect(await readLatch(disk.journal)).toMatchObject({
      confirmed: '1970-01-01T00:16:40.000Z',
    });
  });

  it('is waited for by whoever ends, and leaves no timer', async () => {
    const disk = new SmallDisk();
    const set = disk.latch.set('control');
    await disk.latch.settled();
    expect(disk.latch.fault).toBeUndefined();
    await set;
    expect(disk.clock.pending).toBe(0);
  });

  it('is written to the ledger once, and lifted there only where it stands', async () => {
    const written: string[] = [];
    const facts = new Map<string, string>();
    const set = facts.set.bind(facts);
    facts.set = (name, text) => {
      written.push(text);
      return set(name, text);
    };
    const disk = new SmallDisk(undefined, facts);
    await disk.latch.lift(await disk.latch.standing());
    expect(written).toEqual([]);
    await disk.latch.set('control');
    await disk.latch.atStart();
    expect(written).toHaveLength(1);
    await disk.latch.lift(await disk.latch.standing());
    expect([written.length, facts.get(KILL_FACT)]).toEqual([2, '']);
  });
});

describe('the latch of a kill on a disk that is full or hangs', () => {
  const AT = '1970-01-01T00:16:40.000Z';
  const standing = [{ by: 'control', reason: 'kill', at: AT }];
  const real = async () => await new Promise((resolve) => setTimeout(resolve, 40));

  it('is tried again after a second', async () => {
    const disk = new SmallDisk();
    disk.block();
    await disk.latch.set('control');
    disk.free();
    disk.clock.advance(999);
    await real();
    expect(await readLatch(disk.journal)).toBeUndefined();
    disk.clock.advance(1);
    await expect.poll(() => disk.latch.fault).toBeUndefined();
  });

  it('is told by why it could not be written, also when whoever ends waits for it', async () => {
    const disk = new SmallDisk();
    disk.block();
    await disk.latch.set('control');
    await disk.latch.settled();
    expect(disk.latch.fault?.detail).toMatch(/^the journal cannot be written/);
  });

  it('is tried no more once it was lifted, and room is kept for the next one', async () => {
    const disk = new SmallDisk();
    disk.block();
    await disk.latch.set('control');
    disk.free();
    await disk.latch.lift(await disk.latch.standing());
    expect(disk.clock.pending).toBe(0);
    disk.block();
    await disk.latch.set('control');
    expect(disk.latch.fault).toBeUndefined();
    expect(await readLatch(disk.journal)).toMatchObject({ by: 'control' });
  });

  it('is tried no more where it was lifted while the disk refused it', async () => {
    const disk = new SmallDisk();
    disk.block();
    const set = disk.latch.set('control');
    const lifted = disk.latch.lift(standing);
    await set;
    await lifted;
    expect([disk.clock.pending, disk.latch.fault]).toEqual([0, undefined]);
  });

  it('is no fault where it was lifted before the disk answered', async () => {
    const disk = new SmallDisk();
    const draft = `${latchFile(disk.journal)}.${process.pid}.draft`;
    execFileSync('mkfifo', [draft]);
    const set = disk.latch.set('control');
    await real();
    const lifted = disk.latch.lift(standing);
    disk.clock.advance(2_000);
    expect([disk.latch.fault, disk.lines.join('')]).toEqual([undefined, '']);
    const end = await open(draft, 'r+');
    await set;
    await lifted;
    await end.close();
    expect(await readLatch(disk.journal)).toBeUndefined();
  });
});

describe('a latch', () => {
  const known = { by: 'control', reason: 'kill', at: 'one' };

  it.each([{ by: 'http' }, { reason: 'breaker' }, { at: 'two' }])(
    'is another one where %j differs',
    (part) => {
      expect(isOther({ ...known, ...part }, [known])).toBe(true);
    },
  );

  it('is the same one with its proof on it, and none is no other one', () => {
    expect(isOther({ ...known, confirmed: 'three' }, [known])).toBe(false);
    expect(isOther(undefined, [known])).toBe(false);
  });
});
