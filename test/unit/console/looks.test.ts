// Which markets somebody looks at.

import { expect, it } from 'vitest';
import { Looks } from '../../../src/console/looks.ts';
import { unixMs } from '../../../src/domain/time.ts';

function looks() {
  let nowMs = 0;
  const said: (readonly string[])[] = [];
  const kept = new Looks({ nowMs: () => unixMs(nowMs) }, (marketIds) => said.push(marketIds));
  return {
    kept,
    said,
    at: (ms: number) => {
      nowMs = ms;
    },
  };
}

it('a market is named when somebody begins to look, and once', () => {
  const { kept, said } = looks();
  kept.add('a');
  kept.add('a');
  kept.add('b');
  expect(said).toEqual([['a'], ['a', 'b']]);
});

it('it is forgotten when nobody has looked for a while', () => {
  const { kept, said, at } = looks();
  kept.add('a');
  at(10_000);
  kept.add('b');
  at(16_000);
  kept.prune();
  expect(said.at(-1)).toEqual(['b']);
  kept.prune();
  expect(said).toHaveLength(3);
});

it('the last few count, however many are looked at', () => {
  const { kept } = looks();
  for (let at = 0; at < 1_000; at += 1) kept.add(`m${at}`);
  expect(kept.marketIds).toEqual(['m996', 'm997', 'm998', 'm999']);
});
