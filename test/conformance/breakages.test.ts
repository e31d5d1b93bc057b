// A sample of the breakages, each in a process of its own; `npm run conformance -- --breakages` looks for all.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { hunt } from './breakages/hunt.ts';
import { BREAKAGES } from './breakages/list.ts';
import { CARDS } from './cards.ts';
import { rowsOf } from './document.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = `${ROOT}dist/conformance/test/conformance/breakages/one.js`;
const SPEC = `${ROOT}../shared/spec/venue-interface.md`;
/** One in so many is looked for here. */
const STEP = 30;

describe('the breakages', () => {
  it('have names of their own, and cards that there are', () => {
    const names = BREAKAGES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const cards = new Set(CARDS.map(({ id }) => id));
    expect(BREAKAGES.filter(({ card }) => !cards.has(card))).toEqual([]);
  });

  it.skipIf(!existsSync(SPEC))('are each of a row that the interface has', () => {
    const rows = new Set(rowsOf(readFileSync(SPEC, 'utf8')).map(({ key }) => key));
    expect(BREAKAGES.filter(({ row }) => !rows.has(row)).map(({ name }) => name)).toEqual([]);
  });
});

describe('a sample of the breakages', () => {
  beforeAll(() => {
    execFileSync(process.execPath, [
      `${ROOT}node_modules/typescript/bin/tsc`,
      '-p',
      `${ROOT}test/conformance/tsconfig.json`,
    ]);
  });

  // A row whose text has moved is looked for by nobody.
  it('can each be planted: their texts are there, once', () => {
    const missing = BREAKAGES.flatMap((each) => {
      const code = readFileSync(`${ROOT}dist/conformance/${each.file.replace(/\.ts$/, '.js')}`);
      const times = code.toString().split(each.from).length - 1;
      return times === 1 ? [] : [`${each.name}: ${times} times`];
    });
    expect(missing).toEqual([]);
  });

  it('is caught by the cards that each is named for', async () => {
    const sample = BREAKAGES.filter((_, index) => index % STEP === 0);
    const found = await hunt(sample, { program: PROGRAM });
    expect(found.filter(({ isCaught }) => !isCaught)).toEqual([]);
    expect(found.length).toBe(sample.length);
  });
});
