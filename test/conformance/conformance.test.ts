// The whole suite against the embedded venue, and the coverage of the interface document by it.

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CardId } from '../../src/cli/doctor/card.ts';
import { headingsOf, isHeading } from '../house/spec-tags.ts';
import type { Bench } from './bench/bench.ts';
import { Lab } from './bench/lab.ts';
import { startedBench } from './bench/start.ts';
import { CARDS, isAnywhere } from './cards.ts';
import { coverageFigures, coverageLines, coverageOf, type Result } from './coverage.ts';
import { runCard } from './run.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SPEC = resolve(ROOT, '../shared/spec/venue-interface.md');
const HAS_SPEC = existsSync(SPEC);
if (!HAS_SPEC) console.warn(`SKIPPED: ${SPEC} is absent, so no coverage of it is computed`);

vi.setConfig({ testTimeout: 70_000 });

const lab = new Lab();
const results = new Map<CardId, Result>();
let bench: Bench;

beforeAll(async () => {
  bench = await startedBench(lab);
});

afterAll(async () => {
  await lab.stop();
  if (!HAS_SPEC) return;
  const coverage = coverageOf(readFileSync(SPEC, 'utf8'), CARDS);
  const lines = [...coverageLines(coverage, results), coverageFigures(coverage, results)];
  console.log(lines.join('\n'));
});

async function verdict(id: CardId): Promise<Result> {
  const card = CARDS.find((each) => each.id === id);
  if (!card) throw new Error(`no card ${id}`);
  const result = await runCard(card, { bench, isDestructive: true, hasLab: true });
  results.set(id, result);
  return result;
}

/** A card that fails is read in the report of the test. */
function text(result: Result): string {
  return result.kind === 'passed' ? 'passed' : `${result.kind}: ${result.detail}`;
}

describe('against the embedded venue', () => {
  // They share one venue and its account, so they come one after another.
  it.each(CARDS.filter(isAnywhere))('$id: $title', async ({ id }) => {
    expect(text(await verdict(id))).toBe('passed');
  });
});

describe.concurrent('against embedded venues of their own', () => {
  it.for(CARDS.filter((card) => !isAnywhere(card)))('$id: $title', async ({ id }, { expect }) => {
    expect(text(await verdict(id))).toBe('passed');
  });
});

describe('the cards', () => {
  it('have numbers of their own, in rising order', () => {
    const numbers = CARDS.map(({ id }) => Number(id.slice(2)));
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  });

  it.skipIf(!HAS_SPEC)('name sections that the interface has', () => {
    const headings = headingsOf(readFileSync(SPEC, 'utf8'));
    const wrong = CARDS.filter(({ spec }) => !isHeading(headings, spec));
    expect(wrong.map(({ id, spec }) => `${id}: ${spec}`)).toEqual([]);
  });

  it.skipIf(!HAS_SPEC)(
    'cover every line of the interface, and no line that it does not have',
    () => {
      const { forgotten, unknown } = coverageOf(readFileSync(SPEC, 'utf8'), CARDS);
      expect({ forgotten, unknown }).toEqual({ forgotten: [], unknown: [] });
    },
  );
});
