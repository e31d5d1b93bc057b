// Fuzzes for as long as asked: npm run fuzz -- --seconds 60 [--seed 1]

import process from 'node:process';
import { parseArgs } from 'node:util';
import { type Figures, figureLine, runFuzz, TARGETS } from './run.ts';

/** Small enough that a slow target still ends in time. */
const BLOCK_CASES = 500;
/** What one target may hold more at its end than after its first block. */
const GROWTH_MB_MAX = 40;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const targetMs = (Number(values.seconds) * 1_000) / TARGETS.length;

async function main(): Promise<number> {
  if (!(targetMs > 0) || !Number.isSafeInteger(Number(values.seed))) {
    process.stderr.write('fuzz: --seconds and --seed are numbers\n');
    return 2;
  }
  const all: Figures[] = [];
  for (const fuzz of TARGETS) {
    const figures = await runFuzz(fuzz, {
      seed: Number(values.seed),
      blockCases: BLOCK_CASES,
      goesOn: (_, tookMs) => tookMs < targetMs,
    });
    all.push(figures);
    process.stdout.write(`${figureLine(figures)}\n`);
  }
  const grown = all.filter(({ heapMb: [first, last] }) => last - first > GROWTH_MB_MAX);
  for (const { name } of grown) process.stderr.write(`fuzz: ${name} grew\n`);
  const total = all.reduce((sum, { cases }) => sum + cases, 0);
  process.stdout.write(`${total} cases, nothing broke\n`);
  return grown.length === 0 ? 0 : 1;
}

process.exitCode = await main();
