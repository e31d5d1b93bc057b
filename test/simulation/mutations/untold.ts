// Circumstances in which the daemon is told late, or not at all, what has traded.

import type { Input } from '../../../src/domain/input.ts';
import { type Circumstance, joined } from './mutation.ts';
import { told } from './tools.ts';

const UPDATES_LATE_MS = 30_000;

/** Settlements, lists and balances tell of what has traded before its order does. */
export const UPDATES_LATE: Circumstance = {
  about: 'what is said of orders comes half a minute late',
  engine: (engine) => {
    let late: Input[] = [];
    return {
      step: (input) => {
        const { atMs } = input;
        const due = late.filter((each) => atMs - each.atMs >= UPDATES_LATE_MS);
        late = late.slice(due.length);
        const commands = due.flatMap((each) => engine.step({ ...each, atMs }));
        const isLate = input.kind === 'venue' && input.message.kind === 'orderUpdate';
        if (isLate) late.push(input);
        return isLate ? commands : [...commands, ...engine.step(input)];
      },
    };
  },
};

/** Lists and balances alone say what has traded, for half a minute. */
export const TRADES_UNTOLD: Circumstance = {
  ...joined(UPDATES_LATE, {
    engine: (engine) =>
      told(engine, (message) => (message.kind === 'tradeSettled' ? [] : [message])),
  }),
  about: `${UPDATES_LATE.about}, and nobody reports what settles`,
};
