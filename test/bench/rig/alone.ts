// One contender of a group in a process of its own: beside others, shared code has met their shapes, too.
// Arguments: the group, the contender, `short` where nothing is judged. Writes what it measured, less is better.

import { check } from './report.ts';

/** Loaded one at a time: a contender starts with the code that it needs, and no more. */
const GROUPS = {
  book: () => import('../groups/book.ts'),
  decode: () => import('../groups/decode.ts'),
  stores: () => import('../groups/stores.ts'),
  matching: () => import('../groups/matching.ts'),
};

const [, , group = '', contender = '', size] = process.argv;
const [, load] = Object.entries(GROUPS).find(([name]) => name === group) ?? [];
check(load !== undefined, `a group "${group}" has contenders of their own`);
const { alone } = await load();
process.stdout.write(`${await alone(contender, size === 'short')}`);
