// Bugs about cancels that leave before a decision.

import { ArmedCancels } from '../../../src/app/armed.ts';
import { Outbox } from '../../../src/core/kernel/outbox.ts';
import type { MarketArms } from '../../../src/domain/arms.ts';
import type { Command } from '../../../src/domain/command.ts';
import type { MarketId } from '../../../src/domain/ids.ts';
import type { Mutation } from './mutation.ts';
import { replaced } from './tools.ts';

/** What each room has armed last, so that bugs can arm it again. */
function remembering(): (room: ArmedCancels, commands: readonly Command[]) => Iterable<MarketArms> {
  const rooms = new WeakMap<ArmedCancels, Map<MarketId, MarketArms>>();
  return (room, commands) => {
    const known = rooms.get(room) ?? new Map<MarketId, MarketArms>();
    rooms.set(room, known);
    for (const command of commands) {
      if (command.kind === 'arm') known.set(command.arms.marketId, command.arms);
      if (command.kind === 'disarm' && command.marketId === undefined) known.clear();
      else if (command.kind === 'disarm' && command.marketId) known.delete(command.marketId);
    }
    return [...known.values()];
  };
}

export const ARMED_BUGS: readonly Mutation[] = [
  {
    name: 'armed-through-changes',
    about:
      'lets frames cancel by what was armed before a fill, an answer or an order of the operator',
    lookIn: ['calm', 'stormy'],
    patch: () => replaced(ArmedCancels.prototype, 'standDown', () => () => undefined),
  },
  {
    name: 'armed-fires-again',
    about:
      'sends a cancel again with each further frame that reaches it before the core has its turn',
    lookIn: ['calm', 'stormy', 'feed'],
    patch: () => {
      const last = remembering();
      const undoTake = replaced(ArmedCancels.prototype, 'take', (original) => {
        return function (this: ArmedCancels, commands) {
          last(this, commands);
          original.call(this, commands);
        };
      });
      const undoHear = replaced(ArmedCancels.prototype, 'hear', (original) => {
        return function (this: ArmedCancels, message) {
          const fired = original.call(this, message);
          if (fired.length > 0)
            this.take([...last(this, [])].map((arms) => ({ kind: 'arm', arms })));
          return fired;
        };
      });
      return () => {
        undoHear();
        undoTake();
      };
    },
  },
  {
    name: 'armed-other-side',
    about: 'cancels the asks when the book falls, and the bids when it rises',
    lookIn: ['calm', 'stormy'],
    patch: () =>
      replaced(ArmedCancels.prototype, 'take', (original) => {
        return function (this: ArmedCancels, commands) {
          const swapped = commands.map((command) => {
            if (command.kind !== 'arm') return command;
            const { bids, asks } = command.arms;
            const any = (arm: typeof bids, rightTo: number) =>
              arm && { ...arm, orders: arm.orders.map((each) => ({ ...each, rightTo })) };
            const arms = { ...command.arms, bids: any(asks, 999), asks: any(bids, 0) };
            return { kind: 'arm', arms } as const;
          });
          original.call(this, swapped);
        };
      }),
  },
  {
    name: 'armed-not-told',
    about: 'does not hear that a frame has cancelled its orders',
    lookIn: ['calm', 'stormy'],
    engine: (engine) => ({
      step: (input) => (input.kind === 'fired' ? [] : engine.step(input)),
    }),
  },
  {
    name: 'armed-not-kept',
    about: 'keeps no record of orders that a frame has cancelled',
    lookIn: ['calm', 'stormy'],
    engine: (engine) => ({
      step: (input) => {
        const commands = engine.step(input);
        return input.kind === 'fired' ? commands.filter(({ kind }) => kind !== 'record') : commands;
      },
    }),
  },
  {
    name: 'armed-while-stopped',
    about: 'leaves everything armed when it pauses, halts or is killed',
    lookIn: ['killer', 'account', 'calm'],
    patch: () =>
      replaced(Outbox.prototype, 'disarm', (original) => {
        return function (this: Outbox, marketId) {
          if (marketId !== undefined) original.call(this, marketId);
        };
      }),
  },
  {
    name: 'armed-once-for-all',
    about: 'goes by what it armed first, and hears of no later version',
    lookIn: ['calm', 'stormy'],
    patch: () => {
      const seen = new WeakMap<ArmedCancels, Set<MarketId>>();
      return replaced(ArmedCancels.prototype, 'take', (original) => {
        return function (this: ArmedCancels, commands) {
          const known = seen.get(this) ?? new Set<MarketId>();
          seen.set(this, known);
          const first = commands.filter((command) => {
            if (command.kind !== 'arm') return false;
            if (command.arms.bids === undefined || command.arms.asks === undefined) return false;
            const isFirst = !known.has(command.arms.marketId);
            known.add(command.arms.marketId);
            return isFirst;
          });
          original.call(this, first);
        };
      });
    },
  },
];
