// What once found something is kept: the list that people read and the runs that are repeated are the same.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KEPT, KEPT_BRIEF } from './kept.ts';

const README = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

/** Profile and seed of each run that the list names, in the first cell of its lines. */
function listed(): readonly string[] {
  const [, after = ''] = README.split('\n## Found so far\n');
  const lines = (after.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  return lines.flatMap((line) => {
    let profile = '';
    return [...(line.split('|')[1] ?? '').matchAll(/`(?:(\w+) )?(\d+)`/g)].map(([, name, seed]) => {
      profile = name ?? profile;
      return `${profile} ${seed}`;
    });
  });
}

describe('what once found something', () => {
  it('is kept as a run, each of the list and nothing else', () => {
    const kept = new Set(KEPT.map(({ profile, seed }) => `${profile} ${seed}`));
    expect([...kept].sort()).toEqual([...new Set(listed())].sort());
    expect(kept.size).toBeGreaterThan(90);
  });

  it('is kept once', () => {
    const keys = KEPT.map((run) => JSON.stringify(run));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('is brief enough in what every test run repeats', () => {
    const hours = KEPT_BRIEF.reduce((sum, run) => sum + run.hours, 0);
    expect(KEPT_BRIEF.length).toBeGreaterThanOrEqual(5);
    expect(hours).toBeLessThan(1.1);
  });
});
