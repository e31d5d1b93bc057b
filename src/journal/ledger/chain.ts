// The chain of a ledger: each commit has a number and a checksum over everything that was ever committed. The
// ledger keeps the latest of them, and so does a file outside it: a ledger that is not the latest is known by it.

import { hash, randomUUID } from 'node:crypto';
import { z } from 'zod';

/** One link of the chain; the later one says more. */
export type Chain = {
  /** Of this ledger and no other: it is drawn when one begins. */
  readonly id: string;
  /** How often the ledger was opened to be written. */
  readonly run: number;
  /** Commits since the ledger began. */
  readonly count: number;
  /** Over the checksum before it and all that was committed since. */
  readonly head: string;
};

export const CHAIN = z.object({
  id: z.string().min(1),
  run: z.number().int().nonnegative(),
  count: z.number().int().nonnegative(),
  head: z.string(),
});

export function newChain(): Chain {
  return { id: randomUUID(), run: 0, count: 0, head: '' };
}

/** @param changes - The checksums of what was written, in its order. */
export function nextLink(chain: Chain, changes: readonly (string | number)[]): Chain {
  const { id, run, count, head } = chain;
  const text = `${id} ${run} ${count + 1} ${head} ${changes.join(' ')}`;
  return { id, run, count: count + 1, head: hash('sha256', text) };
}
