// Bugs about what outlives the process: written too late, not written, read wrongly.

import { Keeper } from '../../../src/app/keeper.ts';
import type { Stepper } from '../../../src/app/loop.ts';
import type { StoredLife } from '../../../src/domain/record.ts';
import { RESTRICTED } from './circumstances.ts';
import type { Mutation } from './mutation.ts';
import { replaced } from './tools.ts';

export const RESTART_BUGS: readonly Mutation[] = [
  {
    name: 'sends-before-it-writes',
    about: 'sends an order and writes its intent down at the end of the turn',
    lookIn: ['calm'],
    patch: () => replaced(Keeper.prototype, 'commit', () => () => true),
  },
  {
    name: 'disk-failure-ignored',
    about: 'goes on placing when its ledger cannot be written',
    lookIn: ['crashy', 'everything'],
    patch: () =>
      replaced(Keeper.prototype, 'commit', (original) => {
        return function (this: Keeper) {
          original.call(this);
          return true;
        };
      }),
    engine: (engine) => ({
      step: (input) => (input.kind === 'ledger' ? [] : engine.step(input)),
    }),
  },
  {
    name: 'orders-forgotten-at-restart',
    about: 'starts anew without the orders of the life before it',
    lookIn: ['crashy', 'everything'],
    atRest: true,
    engine: (engine) => remembering(engine, (life) => ({ ...life, orders: [] })),
  },
  {
    name: 'pending-forgotten-at-restart',
    about: 'starts anew without the matches that had not settled',
    lookIn: ['crashy', 'everything'],
    engine: (engine) =>
      remembering(engine, (life) => ({
        ...life,
        tokens: life.tokens.map((token) => ({ ...token, pending: [] })),
      })),
  },
  {
    name: 'fills-replayed-at-restart',
    about: 'counts matches that had not settled twice when it starts anew',
    lookIn: ['crashy', 'everything'],
    engine: (engine) =>
      remembering(engine, (life) => ({
        ...life,
        tokens: life.tokens.map((token) => ({
          ...token,
          pending: [...token.pending, ...token.pending],
        })),
      })),
  },
  {
    name: 'profit-forgotten-at-restart',
    about: 'begins at a profit of zero when it starts anew',
    lookIn: ['crashy', 'everything'],
    atRest: true,
    engine: (engine) => remembering(engine, (life) => ({ ...life, flows: [] })),
  },
  {
    name: 'halt-forgotten-at-restart',
    about: 'trades again after a restart though it was halted',
    lookIn: ['crashy', 'everything'],
    circumstance: RESTRICTED,
    engine: (engine) => remembering(engine, (life) => ({ ...life, halt: undefined })),
  },
];

function remembering(engine: Stepper, change: (life: StoredLife) => StoredLife): Stepper {
  return {
    step: (input) =>
      engine.step(input.kind === 'restored' ? { ...input, life: change(input.life) } : input),
  };
}
