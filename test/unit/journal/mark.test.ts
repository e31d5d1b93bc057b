// The mark of a ledger, when a power cut has spoilt a part of it.

import { closeSync, openSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newChain } from '../../../src/journal/ledger/chain.ts';
import { Mark, markFile, readMark } from '../../../src/journal/ledger/mark.ts';
import { journalIn } from './support.ts';

const SLOT_BYTES = 512;

function spoil(journal: string, slot: number): void {
  const handle = openSync(markFile(journal), 'r+');
  writeSync(handle, 'spoilt', slot * SLOT_BYTES);
  closeSync(handle);
}

describe('a mark with a spoilt slot', () => {
  it.each([0, 1])('that has just begun is told by the other one: %d', (slot) => {
    const journal = journalIn();
    const chain = { ...newChain(), count: 4 };
    Mark.begin(journal, { ...chain, isPlay: false }).close();
    spoil(journal, slot);
    expect(readMark(journal)).toEqual({ ...chain, isPlay: false });
  });

  it('tells of the write before where the last one was spoilt', () => {
    const journal = journalIn();
    const chain = newChain();
    const mark = Mark.begin(journal, { ...chain, isPlay: false });
    for (const count of [1, 2, 3]) mark.write({ ...chain, count });
    mark.close();
    expect(readMark(journal)).toMatchObject({ count: 3 });
    spoil(journal, 1);
    expect(readMark(journal)).toMatchObject({ count: 2 });
  });
});
