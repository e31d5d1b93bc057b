import { describe, expect, it } from 'vitest';
import { TRADER_EXIT } from '../../../src/guard/death.ts';
import { leftOf } from '../../../src/guard/left.ts';

const says = (hasLeft: boolean) => async (): Promise<boolean> => hasLeft;
const failing = async (): Promise<boolean> => await Promise.reject(new Error('a disk'));
const RUN = { isUntouched: false, isLeaving: false, hasGone: false, isWordless: false };
const ENDED = { hasLeft: undefined, code: TRADER_EXIT.done, isStopping: true };
const WRONG = { code: TRADER_EXIT.usage, isStopping: false };

describe('what an earlier run left, when a start has ended', () => {
  it.each([
    ['it says that it has not touched them', { isUntouched: true, isLeaving: true }, {}, 'left'],
    ['it ended in good order', { isLeaving: true }, { code: TRADER_EXIT.failed }, 'nothing'],
    ['it had taken over', { hasGone: true }, { code: TRADER_EXIT.failed }, 'nothing'],
    ['it failed before that', {}, { code: TRADER_EXIT.failed }, 'unknown'],
    ['nobody had told it to end', {}, { isStopping: false }, 'nothing'],
    ['the venue had refused it', {}, { code: TRADER_EXIT.refused }, 'nothing'],
    ['its configuration is wrong', {}, { ...WRONG, hasLeft: says(true) }, 'left'],
    [
      'the machine started none',
      { isWordless: true },
      { code: TRADER_EXIT.refused, isStopping: false, hasLeft: says(true) },
      'left',
    ],
    [
      'its configuration is wrong, and nothing was left',
      {},
      { ...WRONG, hasLeft: says(false) },
      'nothing',
    ],
    ['its configuration is wrong, and it had taken over', { hasGone: true }, WRONG, 'nothing'],
    ['no journal can say', {}, {}, 'unknown'],
    ['the journal says so', {}, { hasLeft: says(true) }, 'left'],
    ['the journal knows of nothing', {}, { hasLeft: says(false) }, 'nothing'],
    ['it cannot be read', {}, { hasLeft: failing }, 'unknown'],
  ] as const)('is told where %s', async (_, run, ended, expected) => {
    expect(await leftOf({ ...RUN, ...run }, { ...ENDED, ...ended })).toBe(expected);
  });
});
