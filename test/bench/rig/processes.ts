// Contenders of a group, each in processes of its own, in turns.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { check, quantile } from './report.ts';

const PROGRAM = fileURLToPath(new URL('alone.js', import.meta.url));
/** Of processes; each begins with the compiler's choices of its own, which is most of what differs between two. */
const TURNS = 5;

/** Of each contender what three processes in ten are below, in the unit in which it measures itself. */
export function inProcesses<Name extends string>(
  group: string,
  contenders: readonly Name[],
  { isShort, turns = TURNS }: { readonly isShort: boolean; readonly turns?: number },
): Readonly<Record<Name, number>> {
  const found = contenders.map((name) => ({ name, values: [] as number[] }));
  for (let turn = 0; turn < (isShort ? 1 : turns); turn += 1) {
    for (const { name, values } of found) values.push(once(group, name, isShort));
  }
  const entries = found.map(({ name, values }) => [name, quantile(values, 0.3)]);
  return Object.fromEntries(entries);
}

function once(group: string, name: string, isShort: boolean): number {
  const args = [PROGRAM, group, name, isShort ? 'short' : 'whole'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const value = Number(stdout);
  check(value > 0, `${name} of ${group} measures something by itself: ${stderr}`);
  return value;
}
