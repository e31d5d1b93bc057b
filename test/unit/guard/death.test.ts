import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import {
  crashLoopText,
  describeEnd,
  goodEnd,
  mayBlame,
  mayHaveTraded,
  TRADER_EXIT,
} from '../../../src/guard/death.ts';
import { TAKE_OVER_MS_MAX } from '../../../src/guard/protocol.ts';
import type { RunEnd } from '../../../src/guard/trader-run.ts';

const silent = (why: Extract<RunEnd, { kind: 'silent' }>['why']): RunEnd => ({
  ...{ kind: 'silent', why },
  ...{ forMs: 800, givenMs: 800 },
});
const exited = { kind: 'exited', exit: { code: 1, signal: null } } as const satisfies RunEnd;

describe('the strategy that was asked when a trader died', () => {
  it.each([
    { end: exited, isBlamed: true },
    { end: silent('blocked'), isBlamed: true },
    { end: silent('asleep'), isBlamed: true },
    { end: silent('silent'), isBlamed: true },
    { end: silent('stopped'), isBlamed: false },
    { end: silent('starved'), isBlamed: false },
  ])('is blamed for $end: $isBlamed', ({ end, isBlamed }) => {
    expect(mayBlame(end)).toBe(isBlamed);
  });
});

const FIRST = {
  ...{ isFirst: true, isStopping: false, hasGone: false, isLeaving: false, hasHeld: false },
};

describe('the end of a trader that is no death', () => {
  it.each([
    ['with 0, as it said', 0, { hasGone: true, isLeaving: true }, 0],
    ['with 0, unsaid', 0, { hasGone: true }, undefined],
    ['by its usage', TRADER_EXIT.usage, {}, TRADER_EXIT.usage],
    ['by its usage later', TRADER_EXIT.usage, { isFirst: false }, undefined],
    [
      'unconfirmed at a stop',
      TRADER_EXIT.unconfirmed,
      { isStopping: true },
      TRADER_EXIT.unconfirmed,
    ],
    ['unconfirmed at no stop', TRADER_EXIT.unconfirmed, {}, undefined],
    ['refused at the first start', TRADER_EXIT.refused, {}, TRADER_EXIT.refused],
    ['refused later', TRADER_EXIT.refused, { isFirst: false }, undefined],
    ['failed at the first start', TRADER_EXIT.failed, {}, TRADER_EXIT.failed],
    ['failed later', TRADER_EXIT.failed, { isFirst: false }, undefined],
    [
      'failed at a stop with what no disk has',
      TRADER_EXIT.failed,
      { isFirst: false, isStopping: true, hasHeld: true },
      TRADER_EXIT.failed,
    ],
    [
      'failed at a stop with nothing',
      TRADER_EXIT.failed,
      { isFirst: false, isStopping: true },
      undefined,
    ],
    ['by a signal before it listened', null, { isStopping: true }, 0],
    ['by a signal later', null, { isStopping: true, isFirst: false }, undefined],
    ['by a signal that nobody sent to stop', null, {}, undefined],
  ] as const)('is told %s', (_, code, of, expected) => {
    expect(goodEnd(code, { ...FIRST, ...of })).toBe(expected);
  });
});

describe('what a run may have placed that nobody reported to take over', () => {
  const killed = { kind: 'exited', exit: { code: null, signal: 'SIGKILL' } } as const;
  const startedAtMs = unixMs(1_000_000);

  it.each([
    ['it was killed when it may have', killed, TAKE_OVER_MS_MAX, true],
    ['it was killed before', killed, TAKE_OVER_MS_MAX - 1, false],
    ['it ended by itself', exited, 10 * TAKE_OVER_MS_MAX, false],
    ['it was silent for long', silent('blocked'), 10 * TAKE_OVER_MS_MAX, true],
  ] as const)('is told where %s', (_, end, livedMs, expected) => {
    const run = { hasGone: false, startedAtMs };
    expect(mayHaveTraded(run, end, unixMs(startedAtMs + livedMs))).toBe(expected);
    expect(mayHaveTraded({ ...run, hasGone: true }, end, startedAtMs)).toBe(true);
  });
});

describe('how a trader ended, in words', () => {
  const by = (code: number | null, signal: string | null = null, notStarted?: string): RunEnd => ({
    kind: 'exited',
    exit: { code, signal, ...(notStarted === undefined ? {} : { notStarted }) },
  });

  it.each([
    [by(null, 'SIGSEGV'), 'signal', 'SIGSEGV'],
    [by(3, null, 'EAGAIN'), 'refused', 'not started: EAGAIN'],
    [by(1), 'failed', 'exit 1'],
    [by(4), 'failed', 'exit 4'],
    [by(3), 'refused', 'exit 3'],
    [by(2), 'exit', 'exit 2'],
    [by(0), 'exit', 'exit 0'],
    [by(7), 'exit', 'exit 7'],
  ] as const)('is %j', (end, reason, detail) => {
    expect(describeEnd(end, { hasGone: true })).toEqual({ reason, detail });
  });

  it('is a refusal with 2 where it could not begin, as beside a strategy that does not load', () => {
    const refused = { reason: 'refused', detail: 'exit 2' };
    expect(describeEnd(by(2), { hasGone: false })).toEqual(refused);
  });

  it.each([
    ['blocked', 'silent', 'its event loop is blocked'],
    ['asleep', 'silent', 'it waits for something, and its event loop with it'],
    ['stopped', 'silent', 'it is stopped'],
    ['silent', 'silent', 'the machine does not say why'],
    ['starved', 'starved', 'the machine gave it no processor, or its disk did not answer'],
  ] as const)('is silent, since it was %s', (why, reason, words) => {
    const end = { kind: 'silent', forMs: 900, givenMs: 700.4, why } as const;
    const detail = `no sign for 900 ms, of which it could run 700: ${words}`;
    expect(describeEnd(end, { hasGone: true })).toEqual({ reason, detail });
  });

  it('is one death too many', () => {
    expect(crashLoopText({ restartsMax: 5, restartWindowMs: 600_000 })).toBe(
      'more than 5 deaths within 600 s',
    );
  });
});

describe('a first start that has ended', () => {
  it.each([
    [TRADER_EXIT.refused, { hasGone: true }, undefined],
    [TRADER_EXIT.failed, { hasGone: true, isLeaving: true }, undefined],
    [TRADER_EXIT.refused, { hasGone: true, isLeaving: true }, TRADER_EXIT.refused],
    [null, { isStopping: true, hasGone: true, isLeaving: true }, undefined],
    [TRADER_EXIT.failed, { isFirst: false, hasHeld: true }, undefined],
    [5, {}, undefined],
    [5, { isStopping: true }, 0],
  ] as const)('with %s and %j is told by %s', (code, of, expected) => {
    expect(goodEnd(code, { ...FIRST, ...of })).toBe(expected);
  });
});
