// Which runs a command line asks for, and which command line asks for a run.

import { KEPT } from './kept.ts';
import type { Options } from './options.ts';
import type { RunOptions } from './run.ts';

export function* runsOf(options: Options): Generator<RunOptions> {
  const { seeds, profiles, hours, rest, isTraced, isPlain, isKept } = options;
  const controls = isPlain ? 'plain' : undefined;
  const trace = isTraced ? (line: string) => console.log(line) : undefined;
  const { pace } = options;
  if (isKept) {
    const wanted = KEPT.filter(({ profile }) => profiles.includes(profile));
    for (const run of wanted) yield { ...run, pace: pace ?? run.pace ?? 'steady', rest, trace };
    return;
  }
  for (const seed of seeds) {
    for (const profile of profiles)
      yield { seed, profile, hours, pace: pace ?? 'steady', rest, trace, controls };
  }
}

/** So that whoever reads of a violation can see it. */
export function againLine(run: RunOptions): string {
  return `npm run sim -- ${againArguments(run).join(' ')}`;
}

/** Whatever makes it another run is in it; what only prints more is not. */
export function againArguments(run: RunOptions): readonly string[] {
  const { seed, profile, hours, pace, rest, controls } = run;
  // Some of what its seed draws is off: no other option says so.
  if (typeof controls === 'object') return ['--kept', '--profile', profile];
  const words = ['--seed', String(seed), '--profile', profile, '--hours', String(hours)];
  if (pace !== undefined) words.push('--pace', pace);
  if (rest !== undefined && rest !== 'full') words.push('--rest', rest);
  if (controls === 'plain') words.push('--plain');
  return words;
}
