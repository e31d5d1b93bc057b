// The page of the embedded venue names every setting there is, and no other.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { paperSettings } from '../../../src/paper/options.ts';

const README = readFileSync(new URL('../../../src/paper/README.md', import.meta.url), 'utf8');

const settings = paperSettings({ events: [] });

const GROUPS = ['rules', 'timing', 'budgets', 'sockets', 'dialect'] as const;

const documented = (group: string): readonly string[] => [
  ...new Set(
    [...README.matchAll(new RegExp(`\`${group}\\.(\\w+)\``, 'g'))].map(([, name]) => String(name)),
  ),
];

describe('the page of the embedded venue', () => {
  it.each(GROUPS)('names every setting of %s and no other', (group) => {
    expect([...documented(group)].sort()).toEqual(Object.keys(settings[group]).sort());
  });

  it('names every control verb', () => {
    const source = readFileSync(
      new URL('../../../src/paper/api/control.ts', import.meta.url),
      'utf8',
    );
    const verbs = [...source.matchAll(/^ {2}(\w+): verb\(/gm)].map(([, name]) => String(name));
    expect(verbs.length).toBeGreaterThan(10);
    expect(verbs.filter((verb) => !README.includes(`\`${verb}\``))).toEqual([]);
  });
});
