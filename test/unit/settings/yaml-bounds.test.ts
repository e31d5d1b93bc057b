// What a configuration may cost that somebody else wrote.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readBoundedFile } from '../../../src/settings/bounded-file.ts';
import { loadKillSettings, loadSettings } from '../../../src/settings/load.ts';
import { readYaml, readYamlSections } from '../../../src/settings/yaml.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const LENGTH = 1_000_000;

function repeated(part: (index: number) => string, length: number): string {
  const parts: string[] = [];
  for (let index = 0, left = length; left > 0; index += 1) {
    const text = part(index);
    parts.push(text);
    left -= text.length;
  }
  return parts.join('');
}

/** Of this process, since a machine that many share passes wall time without doing anything. */
function cpuMsOf(task: () => void): number {
  const before = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** What is refused before the parser sees it: a deep one may end a whole process there, not only its reading. */
const EXCESSES: readonly (readonly [what: string, text: string, why: string])[] = [
  [
    'a megabyte of markets',
    `markets:\n${repeated((n) => `  - {event: e${n}}\n`, LENGTH)}`,
    'longer',
  ],
  [
    'a megabyte of anchors and aliases',
    repeated((n) => `k${n}: &a${n} 1\nj${n}: *a${n}\n`, LENGTH),
    'longer',
  ],
  [
    'thousands of anchors, and their aliases behind them',
    `a:\n${repeated((n) => `  - &a${n} 1\n`, 120_000)}b:\n${repeated((n) => `  - *a${n}\n`, 90_000)}`,
    'aliases',
  ],
  ['many aliases of one anchor', `a: &a [x]\nb:\n${'  - *a\n'.repeat(20_000)}`, 'aliases'],
  ['brackets within brackets', `a: ${'['.repeat(100_000)}`, 'brackets'],
  ['maps within maps', `a: ${'{a: '.repeat(30_000)}`, 'brackets'],
  ['dashes before dashes', `a:\n${'- '.repeat(50_000)}`, 'dashes'],
  ['keys that are keys', '? '.repeat(50_000), 'dashes'],
  ['a deep staircase', repeated((n) => `${' '.repeat(n)}a:\n`, 200_000), 'blanks'],
];

describe('a configuration that nobody could have written', () => {
  it.each(EXCESSES)('is refused at once: %s', (_, text, why) => {
    const read: ReturnType<typeof readYaml>[] = [];
    expect(cpuMsOf(() => read.push(readYaml(text)))).toBeLessThan(500);
    expect(read[0]?.value).toBeUndefined();
    expect(read[0]?.problems).toEqual([
      {
        path: '',
        line: undefined,
        message: expect.stringMatching(`(longer|more) than .*${why}|${why} than`),
      },
    ]);
  });

  it.each(EXCESSES)('is refused at once where one section is asked for: %s', (_, text) => {
    const read: ReturnType<typeof readYamlSections>[] = [];
    expect(cpuMsOf(() => read.push(readYamlSections(text, ['venue'])))).toBeLessThan(500);
    expect(read[0]?.problems).toHaveLength(1);
  });
});

describe('a configuration of the longest kind', () => {
  // Less than half of what is let in: what is linear here is linear there.
  const LONG = 100_000;
  it.each([
    // A parser that compares each key with all before it takes 15 s for these.
    ['keys in one map', repeated((n) => `k${n}: 1\n`, 250_000)],
    ['keys in one flow map', `{${repeated((n) => `k${n}: 1, `, LONG)}}`],
    ['empty lines', `${'\n'.repeat(LONG)}a: 1`],
    ['faults', repeated(() => '@a: x\n', LONG)],
    ['colons', repeated(() => 'a: b: c\n', LONG)],
  ])('is read, or refused, within seconds: %s', (_, text) => {
    const tookMs = cpuMsOf(() => {
      readYaml(text);
      readYamlSections(text, ['venue']);
    });
    expect(tookMs).toBeLessThan(5_000);
  });

  it('may use an anchor here and there', () => {
    const { value, problems } = readYaml('a: &usual {levels: 3}\nb: *usual\nc: *usual\n');
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: { levels: 3 }, b: { levels: 3 }, c: { levels: 3 } });
  });

  it('names the line of a key that stands twice', () => {
    const { problems } = readYaml('a: 1\nb:\n  c: 1\n  c: 2\n');
    expect(problems).toEqual([
      { path: '', line: 4, message: 'the same key stands twice in one map' },
    ]);
  });
});

describe('a file that took the place of a configuration', () => {
  it('is read no further than a configuration may go, and refused', () => {
    const file = join(tempFolder('long'), 'run.yaml');
    const load = (path: string) => () =>
      loadSettings({ file: path, env: {}, strategies: new Map() });
    for (const unit of ['a', 'é', '㐀', '💥']) {
      writeFileSync(file, `# ${unit.repeat(1_000_000)}`);
      expect(load(file)).toThrow('is longer than 262144 characters');
    }
    // A device has no end.
    if (process.platform === 'linux') expect(load('/dev/zero')).toThrow('is longer than');
    writeFileSync(file, `# ${'é'.repeat(1_000)}\nmarkets: []\n`);
    expect(readBoundedFile(file)).toBe(`# ${'é'.repeat(1_000)}\nmarkets: []\n`);
  });

  it.skipIf(process.platform === 'win32')('that is a pipe or a terminal holds up nobody', () => {
    const file = join(tempFolder('pipe'), 'run.yaml');
    execFileSync('mkfifo', [file]);
    const load = (path: string) => () =>
      loadSettings({ file: path, env: {}, strategies: new Map() });
    const beganMs = performance.now();
    expect(load(file)).toThrow('is empty');
    const writer = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
    expect(load(file)).toThrow('is a pipe or a terminal, and has nothing to say (EAGAIN)');
    expect(performance.now() - beganMs).toBeLessThan(1_000);
    closeSync(writer);
  });

  it.skipIf(process.platform === 'win32')('that is a pipe is waited for by a kill', async () => {
    const file = join(tempFolder('pipe'), 'run.yaml');
    execFileSync('mkfifo', [file]);
    // As long as somebody has it open to read, what was said stays in the pipe, however late this process goes on.
    const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(reader));
    const text = 'venue: { baseUrl: "http://a/api" }';
    const script = `exec 3>'${file}'; echo open; sleep 0.5; echo '${text}' >&3`;
    const writer = spawn('sh', ['-c', script]);
    await once(writer.stdout, 'data');
    expect(loadKillSettings({ file, env: {} }).venue.baseUrl).toBe('http://a/api');
  });
});
