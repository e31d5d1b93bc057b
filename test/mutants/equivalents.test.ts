// The list of changes that nobody could see stays short, and has nothing in it that is no change any more.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EQUIVALENTS, isEquivalent } from './equivalents.ts';
import { mutantsOf } from './mutate.ts';
import { rooms } from './rooms.ts';

const files = [...new Set(rooms(process.cwd()).flatMap((room) => room.files))];
const mutants = files.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')));

describe('the changes that nobody could see', () => {
  it('are changes that the rig makes, each of them, with why', () => {
    const stale = EQUIVALENTS.filter(
      (each) => !mutants.some((mutant) => isEquivalent(mutant, [each])),
    );
    expect(stale).toEqual([]);
    expect(EQUIVALENTS.filter(({ why }) => why.length < 20)).toEqual([]);
  });

  it('are two in a hundred of all at the most', () => {
    const count = mutants.filter((mutant) => isEquivalent(mutant)).length;
    expect(count / mutants.length).toBeLessThan(0.02);
  });
});
