// The file `.env` beside whatever a person starts.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadDotEnv } from '../../../src/cli/dot-env.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const NAMES = ['NODE_OPTIONS', 'VENUE_API_KEY', 'BOOKEND_VIEW_TOKEN'] as const;
const ENV = { NODE_OPTIONS: '--require=./planted.js', VENUE_API_KEY: 'key-of-the-file' };

const cwd = process.cwd();
const before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));
let folder: string;

beforeEach(() => {
  folder = tempFolder('dot-env');
  process.chdir(folder);
  for (const name of NAMES) delete process.env[name];
});

afterEach(() => {
  process.chdir(cwd);
  for (const name of NAMES) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

function write(values: Readonly<Record<string, string>>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, '.env'), lines.join(''));
}

describe('a file .env', () => {
  it('gives what is not set, and nothing to a part that others start', () => {
    write({ ...ENV, BOOKEND_VIEW_TOKEN: 'of-the-file' });
    process.env['BOOKEND_VIEW_TOKEN'] = 'of-the-shell';
    loadDotEnv('trader');
    expect(process.env['VENUE_API_KEY']).toBeUndefined();
    loadDotEnv('kill');
    expect(process.env['VENUE_API_KEY']).toBe('key-of-the-file');
    expect(process.env['BOOKEND_VIEW_TOKEN']).toBe('of-the-shell');
  });

  it('has Node load nothing in the processes below', () => {
    write(ENV);
    loadDotEnv('run');
    expect(process.env['NODE_OPTIONS']).toBeUndefined();
    process.env['NODE_OPTIONS'] = '--no-warnings';
    loadDotEnv('run');
    expect(process.env['NODE_OPTIONS']).toBe('--no-warnings');
  });

  it('that is a folder, as Python makes one, keeps nobody from a kill', () => {
    mkdirSync(join(folder, '.env'));
    expect(() => loadDotEnv('kill')).not.toThrow();
  });
});
