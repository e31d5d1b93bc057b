// The list of defences goes with the program and with its page. Whether each is missed: `npm run mutants -- --defences`.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../house/project-files.ts';
import { DEFENCES, mutantOf } from './defences.ts';

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const WEAKNESSES = Array.from({ length: 13 }, (_, index) => index + 1);
/** `| 7 | what was seen | its tests | its rigs |` */
const rowOf = (weakness: number) =>
  text('test/mutants/README.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${weakness} |`)) ?? '';

describe('a defence against a weakness that was found once', () => {
  it.each(DEFENCES)('$weakness is in $file, once, and its test is there', (defence) => {
    expect(mutantOf(defence, text(defence.file)).from).toBe(defence.from);
    expect(existsSync(join(ROOT, defence.test))).toBe(true);
  });

  it.each(WEAKNESSES)('%i is told on the page with each of its tests', (weakness) => {
    const row = rowOf(weakness);
    const tests = DEFENCES.filter((each) => each.weakness === weakness).map(({ test }) => test);
    expect(tests).not.toEqual([]);
    expect(tests.filter((test) => !row.includes(`](../../${test})`))).toEqual([]);
    const linked = [...row.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    expect(linked.filter((path) => !existsSync(join(ROOT, 'test/mutants', path)))).toEqual([]);
  });

  it('that the program does not have once is no defence', () => {
    const [first = { weakness: 1, file: 'a.ts', from: 'a', to: 'b', test: '' }] = DEFENCES;
    expect(() => mutantOf(first, '')).toThrow('does not have this once');
    expect(() => mutantOf(first, first.from.repeat(2))).toThrow('does not have this once');
  });
});
