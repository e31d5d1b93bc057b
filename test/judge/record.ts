// The part of the table that tests hold against a record: which runs it is, and what is kept of each.

import type { Case, Row } from './court.ts';

/** From the root of the project. */
export const RECORD_FILE = 'test/judge/record.json';

/** Few and short, since every test run plays them; on seeds that no table uses. */
export const RECORD_CASE = {
  strategies: ['auto'],
  worlds: ['calm', 'informed', 'jumpy'],
  queue: 'conservative',
  hours: 0.334,
  seeds: 2,
  firstSeed: 901,
  params: {},
} as const satisfies Case;

export type Recorded = Pick<Row, 'strategy' | 'world' | 'queue' | 'seed' | 'blocksUsdc'>;

export function recordedOf({ strategy, world, queue, seed, blocksUsdc }: Row): Recorded {
  const blocks = blocksUsdc.map((usdc) => Math.round(usdc * 10_000) / 10_000);
  return { strategy, world, queue, seed, blocksUsdc: blocks };
}
