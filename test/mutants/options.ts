// What `npm run mutants` is asked for.

import { parseArgs } from 'node:util';

export const USAGE =
  'npm run mutants -- [--each 60] [--from 0] [--seed 1] [--room guard,journal,kill] [--file PART] [--jobs 2] [--minutes 60]\n' +
  'npm run mutants -- --defences [--file PART]';

export type Options = {
  readonly each: number;
  /** So many of a sample were tried before. */
  readonly from: number;
  readonly seed: number;
  readonly jobs: number;
  readonly minutes: number;
  readonly file: string;
  /** In place of a sample: each defence against a weakness that was found once is taken out. */
  readonly defences: boolean;
  /** Of all of them where it is absent. */
  readonly room: readonly string[] | undefined;
};

/** `help` where that is asked for, and why not where they cannot be used. */
export function optionsOf(args: readonly string[]): Options | 'help' | { readonly fault: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        each: { type: 'string', default: '60' },
        from: { type: 'string', default: '0' },
        seed: { type: 'string', default: '1' },
        room: { type: 'string' },
        file: { type: 'string', default: '' },
        jobs: { type: 'string', default: '2' },
        minutes: { type: 'string', default: '60' },
        defences: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    return {
      each: numberOf('each', values.each, 1),
      from: numberOf('from', values.from, 0),
      seed: numberOf('seed', values.seed, 1),
      jobs: numberOf('jobs', values.jobs, 1),
      minutes: numberOf('minutes', values.minutes, 1),
      file: values.file,
      defences: values.defences,
      room: values.room?.split(','),
    };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function numberOf(name: string, text: string, min: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new Error(`--${name} ${text} must be a whole number of ${min} or more`);
}
