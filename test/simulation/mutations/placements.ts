// Bugs about placements: answers that are lost, late, halved or mixed up.

import { BookTrust } from '../../../src/core/book/stores.ts';
import { type Planned, WorkQueue } from '../../../src/core/kernel/market.ts';
import { OrderLedger } from '../../../src/core/orders/ledger.ts';
import type { OwnOrder } from '../../../src/core/orders/own-order.ts';
import type { Command } from '../../../src/domain/command.ts';
import { type CoreSettings, GTD_DEFAULTS, type Input } from '../../../src/domain/input.ts';
import type { PlaceOutcome, UnknownCause, VenueMessage } from '../../../src/domain/message.ts';
import { microShares, minShares } from '../../../src/domain/shares.ts';
import type { StateView } from '../../../src/domain/view.ts';
import type { PlaceCommand } from '../world/network.ts';
import { COMING_AND_GOING, DATED, LEFT_IS_LEFT } from './circumstances.ts';
import type { Mutation } from './mutation.ts';
import { all, misread, moved, regotten, replaced, told } from './tools.ts';

export const PLACEMENT_BUGS: readonly Mutation[] = [
  {
    name: 'blind-resend',
    about: 'sends a placement again when its answer was lost',
    lookIn: ['stormy', 'killer'],
    engine: (engine) => {
      const sent = new Map<number, PlaceCommand>();
      return {
        step: (input) => {
          const commands = engine.step(input);
          for (const each of commands) rememberPlacing(each, sent);
          return [...commands, ...resentOf(input, sent)];
        },
      };
    },
  },
  {
    name: 'unknown-is-refused',
    about: 'takes a placement without an answer for one that was refused',
    lookIn: ['stormy', 'killer'],
    patch: () => moved('sending', 'noAnswer', 'refused'),
  },
  {
    name: 'server-error-is-refused',
    about: 'takes a 5xx on a placement for a refusal',
    lookIn: ['stormy', 'everything'],
    engine: (engine) => told(engine, (message) => [refusedFor(message, 'serverError')]),
  },
  {
    name: 'half-batch-is-refused',
    about: 'takes an item that a batch answer lacks for a refused one',
    lookIn: ['stormy', 'everything'],
    engine: (engine) => told(engine, (message) => [refusedFor(message, 'missing')]),
  },
  {
    name: 'in-flight-not-counted',
    about: 'leaves orders without an answer out of limits and plans',
    lookIn: ['calm'],
    patch: () =>
      replaced(OrderLedger.prototype, 'ofMarket', (original) => {
        return function (this: OrderLedger, marketId) {
          return [...original.call(this, marketId)].filter((order) => order.orderHash);
        };
      }),
  },
  {
    name: 'open-orders-without-unknown',
    about: 'leaves orders without an answer out of the count of open orders',
    lookIn: ['stormy', 'killer'],
    patch: () =>
      regotten(OrderLedger.prototype, 'exposedCount', (ledger) => {
        return [...ledger.exposed()].filter(({ orderHash }) => orderHash !== undefined).length;
      }),
  },
  {
    name: 'absent-too-soon',
    about: 'gives an unknown placement up as soon as two lists do not show it, however soon',
    lookIn: ['killer', 'crashy'],
    engine: (engine) =>
      misread(engine, (settings) => ({
        ...settings,
        timing: { ...settings.timing, unknownHorizonMs: 0 },
      })),
  },
  {
    name: 'hashes-mixed-up',
    about: "gives the orders of a batch each other's hashes",
    lookIn: ['calm'],
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'placed'
          ? [{ ...message, outcomes: rotated(message.outcomes) }]
          : [message],
      ),
  },
  {
    name: 'partial-fill-ends-order',
    about: 'takes an order that traded in part for one that is off the book',
    lookIn: ['calm'],
    patch: () => all(moved('resting', 'partial', 'filled'), moved('sending', 'partial', 'filled')),
  },
  {
    name: 'totals-added-up',
    about: 'adds up running totals of what an order has traded',
    lookIn: ['calm'],
    patch: () =>
      replaced(OrderLedger.prototype, 'execute', (original) => {
        return function (this: OrderLedger, order, executed, nowMs) {
          const sum = minShares(order.quantity, microShares(order.executed + executed));
          original.call(this, order, executed > order.executed ? sum : executed, nowMs);
        };
      }),
  },
  {
    name: 'dying-not-counted',
    about: 'leaves orders whose date is near out of limits and plans, and so renews them twice',
    lookIn: ['calm', 'stormy'],
    circumstance: DATED,
    patch: () =>
      replaced(OrderLedger.prototype, 'ofMarket', (original) => {
        return function (this: OrderLedger, marketId) {
          return [...original.call(this, marketId)].filter(isYoung);
        };
      }),
    engine: (engine) => ({
      step: (input) => {
        NOW.atMs = input.atMs;
        return engine.step(input);
      },
    }),
  },
  {
    name: 'left-market-forgotten',
    about: 'forgets the orders of a market that is taken out of the settings',
    lookIn: ['killer', 'everything'],
    circumstance: LEFT_IS_LEFT,
    patch: () =>
      replaced(OrderLedger.prototype, 'ofMarket', (original) => {
        return function (this: OrderLedger, marketId) {
          return LEFT.has(marketId) ? [] : original.call(this, marketId);
        };
      }),
    engine: (engine) => ({
      step: (input) => {
        if (input.kind === 'settings') leave(engine.view(), input.settings);
        return engine.step(input);
      },
    }),
  },
  {
    name: 'dropped-market-planned-on',
    about: 'goes on planning a market that was dropped, beside the one that took its place',
    lookIn: ['calm', 'stormy'],
    circumstance: COMING_AND_GOING,
    patch: () =>
      all(
        replaced(BookTrust.prototype, 'forget', () => () => undefined),
        replaced(WorkQueue.prototype, 'forget', (original) => {
          return function (this: WorkQueue<Planned>, market) {
            original.call(this, market);
            market.isGone = false;
          };
        }),
      ),
  },
];

function rememberPlacing(command: Command, sent: Map<number, PlaceCommand>): void {
  if (command.kind !== 'venue' || command.command.kind !== 'placeOrders') return;
  sent.set(command.command.requestId, command.command);
}

/** What was sent once more, under the same name: the second answer is nobody's. */
function resentOf(input: Input, sent: Map<number, PlaceCommand>): readonly Command[] {
  if (input.kind !== 'venue' || input.message.kind !== 'placed') return [];
  const { requestId, outcomes } = input.message;
  const command = sent.get(requestId);
  sent.delete(requestId);
  if (!command || !outcomes.some(({ outcome }) => outcome.kind === 'unknown')) return [];
  return [{ kind: 'venue', command: { ...command } }];
}

function refusedFor(message: VenueMessage, cause: UnknownCause): VenueMessage {
  if (message.kind !== 'placed') return message;
  const outcomes = message.outcomes.map(({ intentId, outcome }) => ({
    intentId,
    outcome: outcome.kind === 'unknown' && outcome.cause === cause ? refusal() : outcome,
  }));
  return { ...message, outcomes };
}

function refusal(): PlaceOutcome {
  const refused = { code: undefined, message: 'failed', httpStatus: 500, retryAfterMs: undefined };
  return { kind: 'refused', refusal: refused };
}

type Outcomes = Extract<VenueMessage, { kind: 'placed' }>['outcomes'];

function rotated(outcomes: Outcomes): Outcomes {
  return outcomes.map(({ intentId, outcome }, index) => {
    const next = outcomes[(index + 1) % outcomes.length];
    return { intentId, outcome: next?.outcome ?? outcome };
  });
}

const NOW = { atMs: 0 };

function isYoung({ expiresAtMs }: OwnOrder): boolean {
  return expiresAtMs === undefined || expiresAtMs - NOW.atMs > GTD_DEFAULTS.renewMs;
}

/** Markets that the settings name no more. */
const LEFT = new Set<string>();

function leave({ markets }: StateView, settings: CoreSettings): void {
  LEFT.clear();
  for (const { marketId, title } of markets) {
    if (!settings.markets.some(({ event }) => event === title.toLowerCase())) LEFT.add(marketId);
  }
}
