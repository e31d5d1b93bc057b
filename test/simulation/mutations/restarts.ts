// Bugs about what outlives the process: written too late, not written, read wrongly.

import { JournalWriter } from '../../../src/app/journal-writer.ts';
import type { Stepper } from '../../../src/app/loop.ts';
import type { PersistedState } from '../../../src/domain/record.ts';
import { Held } from '../../../src/guard/held.ts';
import { CRASHED_OFTEN, RESTRICTED } from './circumstances.ts';
import type { Mutation } from './mutation.ts';
import { BUSY_SETS_ALONE, LONG_BREAKERS, NARROW_LOSSES } from './switched.ts';
import { regotten, replaced } from './tools.ts';

export const RESTART_BUGS: readonly Mutation[] = [
  {
    name: 'sends-before-it-writes',
    about: 'sends an order and writes its intent down at the end of the turn',
    lookIn: ['calm'],
    patch: () => replaced(JournalWriter.prototype, 'commit', () => () => true),
  },
  {
    name: 'disk-failure-ignored',
    about: 'goes on placing when its ledger cannot be written',
    lookIn: ['crashy', 'everything'],
    patch: () =>
      replaced(JournalWriter.prototype, 'commit', (original) => {
        return function (this: JournalWriter) {
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
    about: 'starts anew without the orders of the process before it',
    lookIn: ['crashy', 'everything'],
    atRest: true,
    engine: (engine) => remembering(engine, (state) => ({ ...state, orders: [] })),
  },
  {
    name: 'ends-forgotten-at-restart',
    about: 'starts anew without the orders that ended and may have traded unreported',
    lookIn: ['crashy', 'killer', 'everything'],
    atRest: true,
    engine: (engine) =>
      remembering(engine, (state) => ({
        ...state,
        tokens: state.tokens.map((token) => ({ ...token, uncertain: [] })),
      })),
  },
  {
    name: 'pending-forgotten-at-restart',
    about: 'starts anew without the matches that had not settled',
    lookIn: ['crashy', 'everything'],
    circumstance: CRASHED_OFTEN,
    engine: (engine) =>
      remembering(engine, (state) => ({
        ...state,
        tokens: state.tokens.map((token) => ({ ...token, pending: [] })),
      })),
  },
  {
    name: 'fills-replayed-at-restart',
    about: 'counts matches that had not settled twice when it starts anew',
    lookIn: ['crashy', 'everything'],
    circumstance: CRASHED_OFTEN,
    engine: (engine) =>
      remembering(engine, (state) => ({
        ...state,
        tokens: state.tokens.map((token) => ({
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
    engine: (engine) => remembering(engine, (state) => ({ ...state, flows: [] })),
  },
  {
    name: 'halt-forgotten-at-restart',
    about: 'trades again after a restart though it was halted',
    lookIn: ['crashy', 'everything'],
    circumstance: RESTRICTED,
    // The control that tripped would halt it again.
    engine: (engine) =>
      remembering(engine, (state) => ({ ...state, halt: undefined, latches: [] })),
  },
  {
    name: 'pause-forgotten-at-restart',
    about: 'trades again after a restart though an operator had paused it',
    lookIn: ['crashy', 'everything'],
    engine: (engine) => remembering(engine, (state) => ({ ...state, pause: undefined })),
  },
  {
    name: 'unwritten-stop-forgotten-at-restart',
    about: 'trades again after a death though it was paused while its ledger could not be written',
    lookIn: ['crashy', 'everything'],
    patch: () => regotten(Held.prototype, 'stops', () => ({})),
  },
  {
    name: 'kill-latch-forgotten-at-restart',
    about: 'does not look for the latch of a kill when it starts',
    lookIn: ['crashy', 'everything'],
    engine: (engine) => ({
      step: (input) => {
        const isLatch = input.kind === 'operator' && input.order.by.startsWith('latch: ');
        return isLatch ? [] : engine.step(input);
      },
    }),
  },
  {
    name: 'latches-forgotten-at-restart',
    about: 'lets go of every control that had tripped when it starts anew',
    lookIn: ['crashy', 'everything'],
    circumstance: LONG_BREAKERS,
    engine: (engine) => remembering(engine, (state) => ({ ...state, latches: [] })),
  },
  {
    name: 'baselines-forgotten-at-restart',
    about: 'measures losses from its own start after a restart',
    lookIn: ['crashy', 'everything'],
    circumstance: NARROW_LOSSES,
    engine: (engine) => remembering(engine, (state) => ({ ...state, baselines: undefined })),
  },
  {
    name: 'sets-forgotten-at-restart',
    about: 'starts anew without the chain actions that are under way',
    lookIn: ['crashy', 'everything'],
    circumstance: BUSY_SETS_ALONE,
    engine: (engine) => remembering(engine, (state) => ({ ...state, sets: [] })),
  },
  {
    name: 'pause-not-written',
    about: 'keeps a pause to itself',
    lookIn: ['killer', 'crashy'],
    patch: () =>
      replaced(JournalWriter.prototype, 'keep', (original) => {
        return function (this: JournalWriter, record) {
          if (record.kind !== 'pause') original.call(this, record);
        };
      }),
  },
];

function remembering(engine: Stepper, change: (state: PersistedState) => PersistedState): Stepper {
  return {
    step: (input) =>
      engine.step(
        input.kind === 'restored' ? { ...input, persisted: change(input.persisted) } : input,
      ),
  };
}
