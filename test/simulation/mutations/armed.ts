// Bugs about cancels that leave before a decision.

import { ArmedCancels } from '../../../src/app/armed.ts';
import { CommandDispatcher } from '../../../src/app/command-dispatcher.ts';
import { Outbox } from '../../../src/core/kernel/outbox.ts';
import { Ahead } from '../../../src/core/sending/stores.ts';
import type { ArmedPlacement, FiredPlacement, MarketArms } from '../../../src/domain/arms.ts';
import type { Command } from '../../../src/domain/command.ts';
import type { MarketId } from '../../../src/domain/ids.ts';
import { microShares } from '../../../src/domain/shares.ts';
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

/** Arms other placements than the core has. */
function withPlacements(
  change: (arms: MarketArms, placement: ArmedPlacement) => ArmedPlacement,
): () => void {
  return replaced(ArmedCancels.prototype, 'take', (original) => {
    return function (this: ArmedCancels, commands) {
      const changed = commands.map((command) => {
        if (command.kind !== 'arm') return command;
        const { arms } = command;
        const placements = arms.placements.map((placement) => change(arms, placement));
        return { kind: 'arm', arms: { ...arms, placements } } as const;
      });
      original.call(this, changed);
    };
  });
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
    name: 'ahead-through-changes',
    about: 'lets frames place what was admitted before anything was kept anew',
    lookIn: ['calm', 'stormy'],
    patch: () => {
      const undoVoid = replaced(Ahead.prototype, 'isVoid', () => () => false);
      const undoDisarm = replaced(Outbox.prototype, 'disarmPlacements', () => () => undefined);
      return () => {
        undoDisarm();
        undoVoid();
      };
    },
  },
  {
    name: 'ahead-stale-at-the-edge',
    about: 'does not hear that placements are armed no more',
    lookIn: ['calm', 'stormy'],
    patch: () =>
      replaced(ArmedCancels.prototype, 'take', (original) => {
        return function (this: ArmedCancels, commands) {
          const others = commands.filter(({ kind }) => kind !== 'disarmPlacements');
          original.call(this, others);
        };
      }),
  },
  {
    name: 'ahead-fires-again',
    about: 'places once more what it has placed, with the next cancel that a frame sets off',
    lookIn: ['calm', 'stormy'],
    patch: () => {
      const last = new WeakMap<ArmedCancels, FiredPlacement>();
      return replaced(ArmedCancels.prototype, 'takePlacement', (original) => {
        return function (this: ArmedCancels) {
          const fired = original.call(this);
          if (fired !== undefined) last.set(this, fired);
          return fired ?? last.get(this);
        };
      });
    },
  },
  {
    name: 'ahead-other-way',
    about: 'places for a book that rises when it falls, and the other way round',
    lookIn: ['calm', 'stormy'],
    patch: () =>
      withPlacements(({ bid, ask }, placement) => ({
        ...placement,
        middle: 2 * (bid + ask) - placement.middle,
      })),
  },
  {
    name: 'ahead-next-middle',
    about: 'places for half a tick more than the book has moved',
    lookIn: ['calm', 'stormy'],
    patch: () =>
      withPlacements((_arms, placement) => ({ ...placement, middle: placement.middle + 1 })),
  },
  {
    name: 'ahead-other-quantity',
    about: 'places twice the shares that were admitted',
    lookIn: ['calm', 'stormy'],
    patch: () =>
      withPlacements((_arms, placement) => ({
        ...placement,
        orders: placement.orders.map((order) => ({
          ...order,
          quantity: microShares(2 * order.quantity),
        })),
      })),
  },
  {
    name: 'ahead-not-told',
    about: 'does not hear that a frame has placed orders',
    lookIn: ['calm', 'stormy'],
    engine: (engine) => ({
      step: (input) => (input.kind === 'placedAhead' ? [] : engine.step(input)),
    }),
  },
  {
    name: 'ahead-not-kept',
    about: 'keeps no record of what became of orders that a frame has placed',
    lookIn: ['calm', 'stormy'],
    engine: (engine) => ({
      step: (input) => {
        const commands = engine.step(input);
        const isAhead = input.kind === 'placedAhead';
        return isAhead ? commands.filter(({ kind }) => kind !== 'record') : commands;
      },
    }),
  },
  {
    name: 'ahead-intent-unwritten',
    about: 'lets orders leave ahead without their intents in the file',
    lookIn: ['calm', 'stormy'],
    patch: () =>
      replaced(CommandDispatcher.prototype, 'leaveAhead', (original) => {
        return function (this: CommandDispatcher, command, _intents, ageMs) {
          original.call(this, command, [], ageMs);
        };
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
