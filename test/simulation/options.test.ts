// What a person reads who asks for help, or who got an option wrong.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Options, readOptions } from './options.ts';
import { PACES } from './pace.ts';
import { PROFILES } from './profiles.ts';
import type { RunOptions } from './run.ts';
import { againArguments, runsOf } from './runs.ts';

function asked(...argv: readonly string[]) {
  let out = '';
  let err = '';
  const bugs = ['blind-resend', 'legs-swapped'];
  const writeOut = (text: string): void => {
    out += text;
  };
  const writeErr = (text: string): void => {
    err += text;
  };
  return { asked: readOptions(argv, { writeOut, writeErr, bugs }), out, err };
}

function optionsOf(...argv: readonly string[]): Options {
  const result = asked(...argv);
  if (result.asked.kind === 'over') throw new Error(result.err);
  return result.asked.options;
}

describe('somebody who asks for help', () => {
  it('reads every option, its values and the exit codes, and nothing has failed', () => {
    const { asked: answer, out, err } = asked('--help');
    expect(answer).toEqual({ kind: 'over', exitCode: 0 });
    expect(err).toBe('');
    for (const word of ['--seeds', '--kept', '--jobs', '--bug', 'crashy', 'sparse', 'Exit codes']) {
      expect(out).toContain(word);
    }
  });
});

describe('a wrong option', () => {
  it.each([
    { argv: ['--speed', '3'], said: '--speed' },
    { argv: ['--seeds', 'x'], said: '--seeds' },
    { argv: ['--seeds', '0'], said: 'from 1' },
    { argv: ['--seed', '1.5'], said: '--seed' },
    { argv: ['--hours', '0'], said: '--hours' },
    { argv: ['--hours', '-1'], said: '--hours' },
    { argv: ['--jobs', '-2'], said: '--jobs' },
    { argv: ['--profile', 'sunny'], said: 'calm' },
    { argv: ['--pace', 'slow'], said: 'brisk' },
    { argv: ['--rest', 'long'], said: 'brief' },
    { argv: ['--bug', 'blind-resend,legs'], said: "'legs'" },
    { argv: ['--kept', '--seed', '3'], said: '--seed' },
    { argv: ['--kept', '--hours', '3'], said: '--hours' },
    { argv: ['--kept', '--planted'], said: '--planted' },
    { argv: ['--seeds'], said: '--seeds' },
    { argv: ['crashy'], said: 'too many arguments' },
  ])('$argv is named with what would be right', ({ argv, said }) => {
    const { asked: answer, out, err } = asked(...argv);
    expect(answer).toEqual({ kind: 'over', exitCode: 2 });
    expect(out).toBe('');
    expect(err).toMatch(/^error: /);
    expect(err).toContain(said);
    expect(err).toContain('--help');
  });
});

describe('what is run', () => {
  it('is three seeds of every profile where nothing is said', () => {
    const { seeds, profiles, hours, pace, rest, jobs, isPlanted } = optionsOf();
    expect({ seeds, hours, jobs }).toEqual({ seeds: [1, 2, 3], hours: 0.5, jobs: 1 });
    expect(profiles).toEqual(Object.keys(PROFILES));
    expect({ pace, rest, isPlanted }).toEqual({ pace: undefined, rest: 'full', isPlanted: false });
  });

  it('is one run where one seed is given, and several from there on', () => {
    expect(optionsOf('--seed', '5', '--profile', 'killer').seeds).toEqual([5]);
    expect(optionsOf('--seed', '5', '--seeds', '3').seeds).toEqual([5, 6, 7]);
  });

  it('is a hunt of six seeds where bugs are planted', () => {
    const { seeds, hours, bugs, isPlanted } = optionsOf('--bug', 'blind-resend,legs-swapped');
    expect(isPlanted).toBe(true);
    expect({ hours, count: seeds.length }).toEqual({ hours: 0.2, count: 6 });
    expect(bugs).toEqual(['blind-resend', 'legs-swapped']);
  });

  it('is what once found something where that is asked for, of one profile or all', () => {
    expect(optionsOf('--kept', '--jobs', '4')).toMatchObject({ isKept: true, jobs: 4 });
    expect(optionsOf('--kept', '--profile', 'feed').profiles).toEqual(['feed']);
    expect(optionsOf().isKept).toBe(false);
  });

  it('is told on the way by one process', () => {
    expect(optionsOf('--trace', '--jobs', '4')).toMatchObject({ isTraced: true, jobs: 1 });
  });
});

it('a violation names the command that repeats just its run', () => {
  const run = fc.record({
    seed: fc.nat(),
    profile: fc.constantFrom(...(Object.keys(PROFILES) as (keyof typeof PROFILES)[])),
    hours: fc.constantFrom(0.1, 0.5, 1, 12),
    pace: fc.constantFrom(...(Object.keys(PACES) as (keyof typeof PACES)[])),
    rest: fc.constantFrom('none', 'brief', 'full'),
    controls: fc.constantFrom(undefined, 'plain'),
  });
  fc.assert(
    fc.property(run, (asked: RunOptions) => {
      const runs = [...runsOf(optionsOf(...againArguments(asked)))];
      expect(runs).toEqual([{ ...asked, trace: undefined }]);
    }),
  );
});
