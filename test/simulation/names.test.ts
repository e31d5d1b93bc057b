// Every rule by its name: it is in the list that people read, and something shows that it fails where it
// should, a planted bug or a test that plays the daemon.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const textOf = (name: string) => readFileSync(join(HERE, name), 'utf8');
const README = textOf('README.md');
const CATCHES = textOf('mutations/README.md');

const NAMED = [/violate\(\s*'(\w+)'/g, /rule: '(\w+)'/g, /const rule = [^;]*?'(\w+)'/g];

/** The rules that the code of the auditor names. */
function rulesInCode(): readonly string[] {
  const files = readdirSync(join(HERE, 'audit'), { recursive: true, encoding: 'utf8' });
  const code = files.filter((name) => name.endsWith('.ts')).map((name) => textOf(`audit/${name}`));
  const found = NAMED.flatMap((pattern) => code.flatMap((text) => [...text.matchAll(pattern)]));
  return [...new Set(found.flatMap(([, name]) => name ?? []))].sort();
}

/** The part of a page below a heading. */
function below(heading: string): string {
  const [, text = ''] = README.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

const RULES = rulesInCode();
/** A rule that tests show what it forbids has a `describe` of its name, or of `at rest`. */
const SHOWN = ['rules.test.ts', 'money.test.ts', 'intervals.test.ts'].map(textOf).join('\n');

describe('a rule of the auditor', () => {
  it('is found in the code at all', () => {
    expect(RULES.length).toBeGreaterThan(45);
    expect(RULES).toContain('core_broke');
  });

  it('is in the list of rules, and nothing else is', () => {
    const [table = ''] = below('Rules').split('Where each is kept');
    const cells = table.split('\n').map((line) => line.split('|')[1] ?? '');
    const listed = cells.flatMap((cell) =>
      [...cell.matchAll(/`(\w+)`/g)].flatMap(([, n]) => n ?? []),
    );
    expect(listed.toSorted()).toEqual(RULES);
  });

  it.each(RULES)('%s is shown to fail', (rule) => {
    const isCaught = CATCHES.includes(`| \`${rule}\` (`);
    const isShown = new RegExp(`(describe|it)\\('${rule}\\b`).test(SHOWN);
    expect([rule, isCaught || isShown]).toEqual([rule, true]);
  });
});
