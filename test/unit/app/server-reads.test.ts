// What the process that serves HTTP may read, and what it may not, whatever stands beside it.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverReads } from '../../../src/app/server-reads.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A folder with files in it, each with what it says. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder('reads');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** As Node judges: a path itself, or one below an asterisk. */
function isWithin(reads: readonly string[], path: string): boolean {
  return reads.some((read) =>
    read.endsWith('/*') ? path.startsWith(read.slice(0, -1)) : path === resolve(read),
  );
}

const OWN =
  'markets: [{ id: m1, strategy: ./mine.mjs }, { id: m2, strategy: ../other/theirs.mjs }]\n';
const FILES = {
  'opt/package.json': '{}',
  'opt/src/bookend.js': '',
  'opt/node_modules/ws/index.js': '',
  'opt/dist/src/main.js': '',
  'opt/dist/strategies/ladder.js': '',
  'opt/.env': 'VENUE_API_KEY=planted',
  'etc/config.yaml': OWN,
  'etc/config.yaml.bak': OWN,
  'etc/.env': 'VENUE_API_KEY=planted',
  'etc/bookend.env': 'BOOKEND_CONTROL_TOKEN=planted',
  'etc/venue.json': '{}',
  'etc/mine.mjs': '',
  'etc/lib/table.json': '{}',
  'etc/lib/deep/more.ts': '',
  'etc/.ssh/key.js': '',
  'other/theirs.mjs': '',
  'node_modules/shared/index.js': '',
  'data/test.db.days/2026-01-01.jsonl': '',
  'data/test.db.token': 'planted',
};

function readsOf(folder: string): readonly string[] {
  const at = (path: string) => join(folder, path);
  return serverReads(
    {
      configFile: at('etc/config.yaml'),
      journal: at('data/test.db'),
      credentialsFile: at('etc/venue.json'),
    },
    at('opt/dist/'),
  );
}

describe('the process that serves HTTP', () => {
  const folder = folderOf(FILES);
  const reads = readsOf(folder);

  it.each([
    ...[
      'opt/package.json',
      'opt/src/bookend.js',
      'opt/node_modules/ws/index.js',
      'opt/dist/src/main.js',
    ],
    ...['opt/dist/strategies/ladder.js', 'etc/config.yaml', 'data/test.db'],
    'data/test.db.days/2026-01-01.jsonl',
    ...['etc/mine.mjs', 'etc/lib/table.json', 'etc/lib/deep/more.ts', 'other/theirs.mjs'],
    'node_modules/shared/index.js',
  ])('reads %s', (path) => {
    expect(isWithin(reads, join(folder, path))).toBe(true);
  });

  it.each([
    ...['opt/.env', 'etc/.env', 'etc/bookend.env', 'etc/venue.json', 'etc/.ssh/key.js'],
    ...['data/test.db.token', 'etc/config.yaml.bak', 'data', 'etc', 'opt'],
  ])('does not read %s', (path) => {
    expect(isWithin(reads, join(folder, path))).toBe(false);
  });

  it('does not read the credentials by another name either', () => {
    const linked = folderOf({ 'etc/config.yaml': OWN, 'etc/mine.mjs': '', 'secret/v.json': '{}' });
    symlinkSync(join(linked, 'secret/v.json'), join(linked, 'etc/venue.json'));
    symlinkSync(join(linked, 'secret/v.json'), join(linked, 'etc/again.json'));
    const found = readsOf(linked).filter((path) => path.endsWith('.json'));
    expect(found.filter((path) => path.startsWith(join(linked, 'etc')))).toEqual([]);
  });

  it('reads no more than its program and days where the configuration names no file, or is none', () => {
    for (const text of ['markets: [{ id: m1, strategy: ladder }]\n', ': : :', '']) {
      const plain = folderOf({ ...FILES, 'etc/config.yaml': text });
      expect(isWithin(readsOf(plain), join(plain, 'etc/mine.mjs'))).toBe(false);
      expect(isWithin(readsOf(plain), join(plain, 'etc/config.yaml'))).toBe(true);
    }
    expect(readsOf(tempFolder('reads-none')).filter((path) => path === '*')).toEqual([]);
  });

  it('is started with a bounded number of them, however many files stand beside a strategy', () => {
    const many = Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`etc/t${n}.json`, '']));
    const found = readsOf(folderOf({ ...FILES, ...many }));
    expect(found.length).toBeLessThan(600);
    expect(found.filter((path) => path.endsWith('etc/mine.mjs'))).toHaveLength(1);
  });
});
