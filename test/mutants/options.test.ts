import { describe, expect, it } from 'vitest';
import { optionsOf } from './options.ts';

describe('npm run mutants', () => {
  it.each(['--help', '-h'])('is asked how it is used by %s', (flag) => {
    expect(optionsOf([flag])).toBe('help');
  });

  it('tries sixty of each room where nothing is said', () => {
    expect(optionsOf([])).toEqual({
      ...{ each: 60, from: 0, seed: 1, jobs: 2, minutes: 60, file: '' },
      ...{ room: undefined, defences: false },
    });
    expect(optionsOf(['--room', 'kill,guard', '--from', '20'])).toMatchObject({
      ...{ room: ['kill', 'guard'], from: 20 },
    });
    expect(optionsOf(['--defences'])).toMatchObject({ defences: true });
  });

  it.each([
    [['--each', 'many'], '--each many must be a whole number of 1 or more'],
    [['--from=-1'], '--from -1 must be a whole number of 0 or more'],
    [['--every', '3'], "Unknown option '--every'"],
  ])('says what is wrong with %j', (args, text) => {
    expect(optionsOf(args)).toEqual({ fault: expect.stringContaining(text) });
  });
});
