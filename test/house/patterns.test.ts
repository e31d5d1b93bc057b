// A regular expression over what others send must not take longer than the text is long.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSafe } from 'redos-detector';
import { describe, expect, it } from 'vitest';
import { type Pattern, patternsOf } from './patterns.ts';
import { projectFiles, ROOT } from './project-files.ts';

const FILES = projectFiles().filter((path) => /^(?:src|strategies)\/.*\.[jt]s$/.test(path));
/** One expression takes milliseconds; the machine may be busy. */
const TIMEOUT_MS = 20_000;

function isLinear({ source, flags }: Pattern): boolean {
  return isSafe(new RegExp(source, flags), { timeout: TIMEOUT_MS }).safe;
}

describe('regular expressions', () => {
  it('can be read in one way only, so that none backtracks over a long text', () => {
    const slow = FILES.flatMap((path) =>
      patternsOf(readFileSync(join(ROOT, path), 'utf8'))
        .filter((pattern) => !isLinear(pattern))
        .map(({ source }) => `${path}: ${source}`),
    );
    expect(slow).toEqual([]);
  }, 300_000);

  it('are found wherever they stand', () => {
    const all = FILES.flatMap((path) => patternsOf(readFileSync(join(ROOT, path), 'utf8')));
    expect(all.length).toBeGreaterThan(60);
    expect(patternsOf(`const a: RegExp = /x+/g; new RegExp(\`^\${a}\\\\b\`, 'i');`)).toEqual([
      { source: 'x+', flags: 'g' },
      { source: '^word\\b', flags: 'i' },
    ]);
    expect(() => patternsOf('new RegExp(given)')).toThrow('made of no template');
  });

  it.each([
    ['a number with two ways to read its digits', /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i],
    ['slashes at the end', /\/+$/],
    ['repeats of repeats', /^(?:\w+\s?)*$/],
  ])('are refused when they are slow: %s', (_, { source, flags }) => {
    expect(isLinear({ source, flags })).toBe(false);
  });
});
