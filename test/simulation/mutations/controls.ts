// Bugs of the automatic controls, of dates, of the own scope, and of complete sets.

import { OrderLedger } from '../../../src/core/orders/ledger.ts';
import { SetsBook } from '../../../src/core/positions/sets-book.ts';
import { Controls } from '../../../src/core/risk/controls.ts';
import { Latches, rankOf } from '../../../src/core/risk/latches.ts';
import type { VenueCommand } from '../../../src/domain/command.ts';
import type { RiskControls } from '../../../src/domain/risk.ts';
import { addMs } from '../../../src/domain/time.ts';
import type { Mutation } from './mutation.ts';
import {
  ALIKE_WARNED,
  ASTRAY,
  BUSY_SETS,
  DATES,
  LONG_BREAKERS,
  NARROW_LOSSES,
  NARROW_RATE,
  OWN_SCOPE,
  REREAD_CLOCK,
  UNANSWERED_SETS,
} from './switched.ts';
import { asked, misread, replaced, told } from './tools.ts';

export const CONTROL_BUGS: readonly Mutation[] = [
  {
    name: 'latches-hold-nothing',
    about: 'trips controls and goes on as before',
    lookIn: ['calm', 'stormy'],
    circumstance: LONG_BREAKERS,
    patch: () => replaced(Latches.prototype, 'binding', () => () => undefined),
  },
  {
    name: 'latches-cool-at-once',
    about: 'lets a breaker go with the next tick',
    lookIn: ['calm', 'stormy'],
    circumstance: LONG_BREAKERS,
    patch: () =>
      replaced(Latches.prototype, 'takeEnded', () => {
        return function (this: Latches) {
          const timed = this.all().filter(({ resumes }) => resumes.kind === 'time');
          for (const { control, marketId } of timed) this.lift(control, marketId);
          return timed;
        };
      }),
  },
  {
    name: 'losses-forgive-themselves',
    about: 'lifts by itself, after a minute, what only an operator may lift',
    lookIn: ['calm', 'stormy', 'everything'],
    circumstance: NARROW_LOSSES,
    patch: () =>
      replaced(Latches.prototype, 'takeEnded', () => {
        return function (this: Latches, nowMs) {
          const old = this.all().filter(({ sinceMs }) => nowMs - sinceMs > 60_000);
          for (const { control, marketId } of old) this.lift(control, marketId);
          return old;
        };
      }),
  },
  {
    name: 'reload-lifts-held',
    about: 'lets go of what waits for a condition as soon as the settings are read again',
    lookIn: ['clocks', 'everything'],
    circumstance: REREAD_CLOCK,
    patch: () => replaced(Controls.prototype, 'isAskedFor', () => () => false),
  },
  {
    name: 'warning-hides-the-loss',
    about:
      'keeps the warning of a loss, which ends by itself, when the loss comes to a limit of its level',
    lookIn: ['calm', 'feed', 'stormy'],
    circumstance: ALIKE_WARNED,
    patch: () =>
      replaced(Latches.prototype, 'moves', () => {
        return function (this: Latches, { control, marketId, level }) {
          const known = this.get(control, marketId);
          return known === undefined || rankOf(level) > rankOf(known.level);
        };
      }),
  },
  {
    name: 'loss-controls-unread',
    about: 'does not hold its losses against their limits',
    lookIn: ['calm', 'stormy', 'feed'],
    circumstance: NARROW_LOSSES,
    engine: (engine) => without(engine, 'loss'),
  },
  {
    name: 'collar-unread',
    about: 'does not hold prices against what is known of the market',
    lookIn: ['calm', 'stormy'],
    circumstance: ASTRAY,
    engine: (engine) => without(engine, 'collar'),
  },
  {
    name: 'order-rate-unread',
    about: 'does not count its placements',
    lookIn: ['calm'],
    circumstance: NARROW_RATE,
    pace: 'brisk',
    hours: 0.02,
    engine: (engine) => without(engine, 'orderRate'),
  },
  {
    name: 'date-forgotten',
    about: 'sends every fifth order without its date',
    lookIn: ['calm'],
    circumstance: DATES,
    engine: (engine) => {
      let sent = 0;
      return asked(engine, (command) => [undated(command, () => ++sent % 5 === 0)]);
    },
  },
  {
    name: 'date-in-an-hour',
    about: 'gives orders a date that is an hour too late',
    lookIn: ['calm'],
    circumstance: DATES,
    engine: (engine) => asked(engine, (command) => [late(command, 3_600_000)]),
  },
  {
    name: 'own-scope-means-everybody',
    about: 'cancels every order of the account where it should cancel its own',
    lookIn: ['calm', 'killer'],
    circumstance: OWN_SCOPE,
    engine: (engine) =>
      asked(engine, (command) => {
        if (command.kind !== 'cancelOrders') return [command];
        const { requestId } = command;
        return [{ kind: 'cancelAll', requestId, scope: { kind: 'account' } }];
      }),
  },
  {
    name: 'external-taken-for-own',
    about: 'takes every order that a list shows for one of its own',
    lookIn: ['account', 'everything'],
    circumstance: OWN_SCOPE,
    patch: () => replaced(OrderLedger.prototype, 'isOwnHash', () => () => true),
  },
  {
    name: 'sets-sent-twice',
    about: 'sends a split or merge again when its answer was lost',
    lookIn: ['stormy', 'killer', 'everything'],
    circumstance: BUSY_SETS,
    engine: (engine) => {
      const sent = new Map<number, VenueCommand>();
      return {
        step: (input) => {
          const commands = engine.step(input);
          for (const each of commands) {
            if (each.kind !== 'venue' || each.command.kind !== 'changeSets') continue;
            sent.set(each.command.requestId, each.command);
          }
          if (input.kind !== 'venue' || input.message.kind !== 'setsChanged') return commands;
          const { outcome, requestId } = input.message;
          const again = outcome.kind === 'unknown' ? sent.get(requestId) : undefined;
          sent.delete(requestId);
          return again === undefined ? commands : [...commands, { kind: 'venue', command: again }];
        },
      };
    },
  },
  {
    name: 'sets-unknown-is-refused',
    about: 'takes a split or merge without an answer for one that was refused',
    lookIn: ['calm', 'stormy', 'everything'],
    circumstance: UNANSWERED_SETS,
    engine: (engine) =>
      told(engine, (message) => {
        // It hears of answers before the circumstance loses them: each is one that did not come.
        if (message.kind !== 'setsChanged' || message.outcome.kind === 'refused') return [message];
        const refusal = {
          code: undefined,
          message: 'failed',
          httpStatus: 500,
          retryAfterMs: undefined,
        };
        return [{ ...message, outcome: { kind: 'refused', refusal } }];
      }),
  },
  {
    name: 'sets-not-waited-for',
    about: 'splits again before the split before has shown',
    lookIn: ['calm', 'stormy'],
    circumstance: BUSY_SETS,
    patch: () => replaced(SetsBook.prototype, 'underWay', () => () => undefined),
  },
];

/** A core that does not know one of the controls. */
function without(engine: Parameters<typeof misread>[0], name: keyof RiskControls) {
  return misread(engine, (settings) => {
    const { [name]: _, ...risk } = settings.risk;
    return { ...settings, risk };
  });
}

function undated(command: VenueCommand, isNext: () => boolean): VenueCommand {
  if (command.kind !== 'placeOrders') return command;
  const orders = command.orders.map((order) =>
    isNext() ? { ...order, lifetime: { timeInForce: 'GTC' as const } } : order,
  );
  return { ...command, orders };
}

function late(command: VenueCommand, byMs: number): VenueCommand {
  if (command.kind !== 'placeOrders') return command;
  const orders = command.orders.map((order) => {
    const { lifetime } = order;
    if (lifetime.timeInForce !== 'GTD') return order;
    const expiresAtMs = addMs(lifetime.expiresAtMs, byMs);
    return { ...order, lifetime: { ...lifetime, expiresAtMs } };
  });
  return { ...command, orders };
}
