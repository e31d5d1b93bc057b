// What leaves a command for a terminal: whatever stands in it, no character steers the terminal but colours of ours.

import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CliIo, complain, printLine, printResult } from '../../../src/cli/io.ts';
import { KillTime } from '../../../src/cli/kill-time.ts';
import { COLOURED } from '../../../src/cli/paint.ts';
import { Progress } from '../../../src/cli/progress.ts';
import { screenTitle } from '../../../src/cli/screen-title.ts';
import { paintedOnly } from '../../../src/cli/text.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { visibleJson } from '../../../src/domain/unseen.ts';
import { textLine } from '../../../src/telemetry/text-line.ts';

const ESC = '\u001b';
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u;
/** Sequences, and any other text, each of them often. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        `${ESC}[2J`,
        `${ESC}]0;x\u0007`,
        '\u009b31m',
        '\u202e',
        '\r',
        '\b',
        '\t',
        '\u2028',
      ),
      fc.constantFrom(`${ESC}[31m`, '\u{e0041}', '\u007f', '\u200b'),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

function printed(print: (io: CliIo) => void): string {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  print({ stdout, stderr, env: {} });
  return `${String(stdout.read() ?? '')}${String(stderr.read() ?? '')}`;
}

const withoutColours = (text: string) =>
  [0, 1, 2, 31, 32, 33].reduce((rest, code) => rest.replaceAll(`${ESC}[${code}m`, ''), text);

describe('a text of anybody', () => {
  it.each([
    ['a result', (text: string) => (io: CliIo) => printResult(io, { json: {}, lines: [text] }, {})],
    ['a line', (text: string) => (io: CliIo) => printLine(io.stdout, text)],
    ['a complaint', (text: string) => (io: CliIo) => complain(io, text)],
    [
      'a result as JSON',
      (text: string) => (io: CliIo) =>
        printResult(io, { json: { [text]: text }, lines: [] }, { json: true }),
    ],
  ] as const)('in %s steers nothing', (_, of) => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(withoutColours(printed(of(text)))).not.toMatch(UNSEEN);
      }),
    );
  });

  it('is the same text in JSON, however it is written', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = visibleJson(JSON.stringify({ text }));
        expect(json).not.toMatch(UNSEEN);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });

  it('in a line of the log steers nothing', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = JSON.stringify({
          level: 'warn',
          time: '2026-11-28T00:00:00.000Z',
          event: 'x',
          text,
        });
        expect(textLine(json, { colour: false })).not.toMatch(UNSEEN);
      }),
    );
  });

  it('keeps the colours that a table of ours has', () => {
    expect(paintedOnly(`${COLOURED.good('0.48')} ${COLOURED.bad(`x${ESC}[2J`)}`)).toBe(
      `${COLOURED.good('0.48')} ${COLOURED.bad('x [2J')}`,
    );
  });
});

describe('progress', () => {
  function watched(isTTY: boolean) {
    const stderr = Object.assign(new PassThrough(), { isTTY, columns: 60 });
    let nowMs = 0;
    const progress = new Progress({ stdout: stderr, stderr, env: {} }, () => nowMs);
    const at = (ms: number) => {
      nowMs = ms;
      progress.showPart(ms / 10_000, () => 'rows');
      return String(stderr.read() ?? '');
    };
    return { at, progress, rest: () => String(stderr.read() ?? '') };
  }

  it('says nothing for two seconds, and then how long it still takes', () => {
    const { at, progress, rest } = watched(true);
    expect(at(1_999)).toBe('');
    expect(at(2_500)).toBe(`\r${ESC}[K25 % · rows, 7 s left`);
    expect(at(2_600)).toBe('');
    expect(at(5_000)).toBe(`\r${ESC}[K50 % · rows, 5 s left`);
    progress.clear();
    expect(rest()).toBe(`\r${ESC}[K`);
  });

  it('is a line now and then where there is no terminal', () => {
    const { at, progress, rest } = watched(false);
    expect(at(2_500)).toBe('25 % · rows, 7 s left\n');
    expect(at(9_000)).toBe('');
    expect(at(12_600)).toBe('100 % · rows, 0 s left\n');
    progress.clear();
    expect(rest()).toBe('');
  });

  it('clears nothing where nothing was shown', () => {
    const { progress, rest } = watched(true);
    progress.clear();
    expect(rest()).toBe('');
  });
});

describe('the top line of the live status', () => {
  it('says how long a stop and a clearing may still take, and what runs otherwise', () => {
    let nowMs = 0;
    const title = screenTitle(
      () => 'run',
      { stopMs: 19_000, cancelMs: 20_000 },
      () => nowMs,
    );
    expect(title('quoting')).toBe('run');
    expect(title('clearing')).toContain(
      'cancelling what an earlier run left: 20 s left at the most',
    );
    nowMs = 4_500;
    expect(title('clearing')).toContain('16 s left');
    expect(title('stopping')).toContain('19 s left at the most; a second Ctrl-C ends it sooner');
    nowMs = 30_000;
    expect(title('stopping')).toContain('longer than usual');
    expect(title('quoting')).toBe('run');
  });

  it('names no time where only a confirmation ends it', () => {
    const forEver = { stopMs: Number.POSITIVE_INFINITY, cancelMs: 1_000 };
    expect(
      screenTitle(
        () => 'run',
        forEver,
        () => 0,
      )('stopping'),
    ).toContain('until it is confirmed');
  });
});

describe('a kill with a deadline', () => {
  it('says with each step when it ends at the latest', () => {
    const clock = systemClock();
    expect(new KillTime(clock, 18_900).leftText()).toBe(' · ends within 18 s');
    expect(new KillTime(clock, Number.POSITIVE_INFINITY).leftText()).toBe('');
  });

  it('leaves a second for what comes behind its lists, and of a second most to cancels', () => {
    const source = { wallMs: () => 0, steadyMs: () => 0 };
    const sweepMs = (ms: number) => new KillTime(systemClock(source), ms).sweepMs();
    expect([19_000, 1_800, 900, 0].map(sweepMs)).toEqual([18_000, 1_440, 720, 0]);
  });
});
