// What others send is read by readers with limits, and by nothing else.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, ROOT } from './project-files.ts';

const CODE = projectFiles().filter(
  (path) => /^(?:src|strategies)\/.*\.ts$/.test(path) && !path.startsWith('src/console/page/'),
);
const having = (pattern: RegExp): readonly string[] =>
  CODE.filter((path) => pattern.test(readFileSync(join(ROOT, path), 'utf8')));

/** Texts that this program has written itself, in files for its own user alone or over its own channels. */
const OWN_TEXTS: readonly string[] = [
  ...['src/app/http-parent.ts', 'src/app/http-words.ts', 'src/app/version.ts'],
  ...['src/cli/last-events.ts', 'src/guard/marks.ts'],
  ...['src/telemetry/board.ts', 'src/telemetry/text-line.ts', 'src/domain/redact.ts'],
  ...['src/console/fills.ts', 'src/console/history.ts'],
  ...['claims.ts', 'input-line.ts', 'latch.ts'].map((name) => `src/journal/${name}`),
  ...['kept-stops.ts', 'mark.ts', 'persisted.ts', 'rows-risk.ts', 'rows.ts', 'sealed.ts'].map(
    (name) => `src/journal/ledger/${name}`,
  ),
];

describe('what others send', () => {
  it('is JSON with a limit of length and depth', () => {
    const reader = 'src/domain/json.ts';
    expect(having(/\bJSON\.parse\(/).filter((path) => !OWN_TEXTS.includes(path))).toEqual([reader]);
    expect(OWN_TEXTS.filter((path) => !having(/\bJSON\.parse\(/).includes(path))).toEqual([]);
  });

  it('is YAML that was looked at before', () => {
    const parsers = /\b(?:parseDocument|parseAllDocuments|new (?:Parser|Composer)|YAML\.parse)\b/;
    expect(having(parsers)).toEqual(['src/settings/yaml-document.ts']);
    expect(having(/import \{[^}]*\bparse\b[^}]*\} from 'yaml'/)).toEqual([]);
  });

  it('is the body of an answer that ends', () => {
    expect(having(/\b(?:response|answer|body)\.(?:json|text|arrayBuffer|blob)\(\)/)).toEqual([]);
  });

  it('is a configuration, or credentials, of which no more is read than they may have', () => {
    const files = having(/\breadFile(?:Sync)?\(/);
    expect(files.filter((path) => path.startsWith('src/settings/'))).toEqual([]);
  });
});
