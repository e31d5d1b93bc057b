import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestId, tokenId } from '../../../src/domain/ids.ts';
import type { Input } from '../../../src/domain/input.ts';
import { microShares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { fromExact, toExact } from '../../../src/journal/exact.ts';
import { decodeInput, encodeInput, isInput } from '../../../src/journal/input-line.ts';
import {
  openRecorder,
  type Recorder,
  type RecorderOptions,
  recordingFile,
} from '../../../src/journal/recorder.ts';
import { decodeLine } from '../../../src/journal/recording-line.ts';
import { journalIn, RUN_FACTS } from './support.ts';

/** A machine that is busy gets some seconds for what takes milliseconds. */
const SOON = { timeout: 8_000, interval: 10 };

const HAS_FULL = existsSync('/dev/full');
if (!HAS_FULL) console.warn('no /dev/full here: the test of a full disk is skipped');

const tick = (atMs: number): Input => ({ kind: 'tick', atMs: unixMs(atMs) });

const INPUTS: readonly Input[] = [
  tick(1),
  { kind: 'operator', atMs: unixMs(2), order: { kind: 'kill', by: 'a "person"\n' } },
  {
    kind: 'venue',
    atMs: unixMs(3),
    message: {
      kind: 'bookDelta',
      tokenId: tokenId('0xab'),
      side: 'ask',
      price: ticks(tickGrid('0.01'), 29),
      size: microShares(12_500_000),
      venueTs: undefined,
    },
  },
  {
    kind: 'venue',
    atMs: unixMs(4),
    message: {
      kind: 'balances',
      requestId: requestId(7),
      askedAtMs: unixMs(3),
      outcome: {
        kind: 'ok',
        value: {
          cashBalance: new Decimal('9007199254740993.000001'),
          availableBalance: new Decimal('0.1'),
          usdcOnHold: new Decimal('0'),
          positions: [],
        },
      },
    },
  },
  {
    kind: 'venue',
    atMs: unixMs(5),
    message: {
      kind: 'cancelled',
      requestId: requestId(8),
      outcome: {
        kind: 'refused',
        refusal: { code: undefined, message: 'no', httpStatus: 500, retryAfterMs: undefined },
      },
    },
  },
];

describe('an input as a line', () => {
  it.each(INPUTS.map((input) => [input.kind, input] as const))(
    'of kind %s comes back exactly',
    (_, input) => {
      const line = encodeInput(input);
      expect(line).not.toContain('\n');
      expect(decodeInput(line)).toStrictEqual(input);
    },
  );

  it('keeps money as it was, to the last digit', () => {
    const amount = new Decimal('9007199254740993.000001');
    const back = fromExact(JSON.parse(JSON.stringify(toExact(amount))));
    expect(Decimal.isDecimal(back) && amount.eq(back)).toBe(true);
  });

  it('comes back exactly, whatever stands in it', () => {
    const anything = fc.anything({
      maxDepth: 4,
      withBigInt: true,
      withNullPrototype: false,
      key: fc.oneof(fc.string(), fc.constantFrom('$', 'text', 'entries', '__proto__', 'toJSON')),
    });
    fc.assert(
      fc.property(anything, (value) => {
        const back = fromExact(JSON.parse(JSON.stringify(toExact(value))));
        expect(back).toStrictEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['', '{', '7', 'null', '{"kind":"tick"}', '{"kind":"x","atMs":1}', '{"$":"y"}'])(
    'is refused when it reads %j',
    (line) => {
      expect(() => decodeInput(line)).toThrow(expect.objectContaining({ code: 'replay.file' }));
    },
  );
});

function recorded(file: string): readonly Input[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(decodeLine)
    .filter(isInput);
}

async function open(journal: string, bounds: Partial<RecorderOptions> = {}): Promise<Recorder> {
  return await openRecorder({
    ...{ journal, about: RUN_FACTS, fileBytesMax: 1_000_000, filesMax: 3 },
    ...bounds,
  });
}

describe('a recording', () => {
  it('has every input in its order', async () => {
    const journal = journalIn();
    const recorder = await open(journal);
    for (const input of INPUTS) recorder.record(input);
    await recorder.close();
    expect(recorded(recordingFile(journal))).toStrictEqual(INPUTS);
    expect(recorder.stats()).toEqual({ written: 5, dropped: 0, lastFault: undefined });
  });

  it('is of the format that earlier versions read', async () => {
    const journal = journalIn();
    const recorder = await open(journal);
    recorder.record(tick(1));
    await recorder.close();
    const [first = ''] = readFileSync(recordingFile(journal), 'utf8').split('\n');
    expect(first).toMatch(/^\{"kind":"part","format":1,/);
  });

  it('goes on in new files and keeps as many as it may', async () => {
    const journal = journalIn();
    const recorder = await open(journal, { fileBytesMax: 200 });
    for (let at = 1; at <= 200; at += 1) {
      recorder.record(tick(at));
      if (at % 10 === 0) await expect.poll(() => recorder.stats().written, SOON).toBe(at);
    }
    await recorder.close();
    const file = recordingFile(journal);
    const names = readdirSync(dirname(journal)).toSorted();
    expect(names).toEqual(['', '.1', '.2'].map((age) => `${basename(file)}${age}`));
    const kept = [`${file}.2`, `${file}.1`, file].flatMap(recorded).map((input) => input.atMs);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => 200 - kept.length + 1 + i));
  });

  it('puts aside what a previous run recorded', async () => {
    const journal = journalIn();
    for (const at of [1, 2]) {
      const recorder = await open(journal);
      recorder.record(tick(at));
      await recorder.close();
    }
    expect(recorded(recordingFile(journal))).toEqual([tick(2)]);
    expect(recorded(`${recordingFile(journal)}.1`)).toEqual([tick(1)]);
  });

  it('drops and counts what the disk does not take, and never throws', async () => {
    const journal = journalIn();
    const file = recordingFile(journal);
    writeFileSync(file, '');
    // A folder in the place of the oldest part cannot be removed to make room.
    mkdirSync(`${file}.2`);
    const recorder = await open(journal);
    recorder.record(tick(1));
    await expect.poll(() => recorder.stats().dropped, SOON).toBe(1);
    recorder.record(tick(2));
    await recorder.close();
    recorder.record(tick(3));
    expect(recorder.stats()).toMatchObject({ written: 0, dropped: 2 });
    expect(recorder.stats().lastFault).toEqual(expect.any(String));
  });

  it.skipIf(!HAS_FULL)(
    'loses nothing recorded before to a full disk, and goes on after',
    async () => {
      const journal = journalIn();
      const file = recordingFile(journal);
      writeFileSync(`${file}.1`, `${encodeInput(tick(1))}\n`);
      const leadTo = (target: string): void => {
        rmSync(file, { force: true });
        symlinkSync(target, file);
      };
      leadTo('nowhere/at/all');
      const recorder = await open(journal, { faultPauseMs: 0 });
      recorder.record(tick(2));
      await expect.poll(() => recorder.stats().dropped, SOON).toBe(1);
      leadTo('/dev/full');
      for (let at = 3; at < 8; at += 1) {
        recorder.record(tick(at));
        await expect.poll(() => recorder.stats().dropped, SOON).toBe(at - 1);
      }
      expect(recorder.stats().lastFault).toContain('ENOSPC');
      leadTo(`${file}.room`);
      recorder.record(tick(8));
      await recorder.close();
      expect([...recorded(`${file}.1`), ...recorded(file)]).toEqual([tick(1), tick(8)]);
      expect(recorder.stats()).toMatchObject({ written: 1, dropped: 6 });
      // Whoever reads it is told where and how many are missing.
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n').map(decodeLine);
      expect(lines.map((line) => line?.kind)).toEqual(['part', 'gap', 'tick', 'end']);
      expect(lines[1]).toMatchObject({
        lines: 6,
        inputs: 6,
        why: expect.stringContaining('ENOSPC'),
      });
    },
  );

  it('is bounded in what waits for the disk', async () => {
    const journal = journalIn();
    const recorder = await open(journal, { fileBytesMax: 100_000_000 });
    const by = 'x'.repeat(1_000_000);
    for (let at = 1; at <= 40; at += 1) {
      recorder.record({ kind: 'operator', atMs: unixMs(at), order: { kind: 'pause', by } });
    }
    await recorder.close();
    const { written, dropped } = recorder.stats();
    expect(written + dropped).toBe(40);
    expect(dropped).toBeGreaterThan(20);
  });

  it('takes an input that cannot be written as a line for lost', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const recorder = await open(journalIn());
    const settings = JSON.parse('{}');
    settings.markets = circle;
    recorder.record({ kind: 'settings', atMs: unixMs(1), settings });
    await recorder.close();
    expect(recorder.stats()).toMatchObject({ written: 0, dropped: 1 });
  });
});
