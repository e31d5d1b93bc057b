// The short form of `npm run fuzz`: the same targets, as many cases as a test run can spare.

import { describe, expect, it } from 'vitest';
import { hostileBytes } from './fuzz/network.ts';
import { figureLine, runFuzz, TARGETS } from './fuzz/run.ts';

const BLOCKS = 3;
const BLOCK_CASES = 300;
/** Each of these opens a connection and waits for an answer that may never come. */
const CONNECTION_CASES = 60;

describe('under hostile input', () => {
  it.each(TARGETS.map((fuzz) => [fuzz.name, fuzz] as const))(
    '%s: nothing breaks',
    async (_, fuzz) => {
      const blockCases = fuzz === hostileBytes ? CONNECTION_CASES : BLOCK_CASES;
      const figures = await runFuzz(fuzz, {
        seed: 20_261_121,
        blockCases,
        goesOn: (blocks) => blocks < BLOCKS,
      });
      console.log(figureLine(figures));
      expect(figures.cases).toBe(BLOCKS * blockCases);
    },
  );
});
