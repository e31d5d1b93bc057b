// Bugs about what the venue is asked: failed, partial and old answers.

import { LISTED_BY_MS } from '../../../src/core/orders/reconcile.ts';
import { Positions } from '../../../src/core/positions/positions.ts';
import type { Command } from '../../../src/domain/command.ts';
import type { Input } from '../../../src/domain/input.ts';
import { NO_SHARES } from '../../../src/domain/shares.ts';
import { addMs } from '../../../src/domain/time.ts';
import { ONE_LIST_CONFIRMS } from './circumstances.ts';
import type { Mutation } from './mutation.ts';
import { replaced, told } from './tools.ts';

export const READ_BUGS: readonly Mutation[] = [
  {
    name: 'empty-list-on-failure',
    about: 'takes a failed read of the open orders for an empty list',
    lookIn: ['everything', 'killer', 'stormy'],
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'openOrders' && message.outcome.kind !== 'ok'
          ? [{ ...message, outcome: { kind: 'ok', value: [] } }]
          : [message],
      ),
  },
  {
    name: 'first-page-is-all',
    about: 'takes the first four open orders for all of them',
    lookIn: ['calm'],
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'openOrders' && message.outcome.kind === 'ok'
          ? [{ ...message, outcome: { kind: 'ok', value: message.outcome.value.slice(0, 4) } }]
          : [message],
      ),
  },
  {
    name: 'old-list-believed',
    about: 'takes a list of open orders for newer than its answer, by as much as one may lag',
    lookIn: ['stormy', 'killer', 'everything'],
    circumstance: ONE_LIST_CONFIRMS,
    engine: (engine) => ({
      step: (input) => engine.step(askedJustNow(input)),
    }),
  },
  {
    name: 'lagging-positions-believed',
    about: 'takes the positions of every read as they are, though they lag',
    lookIn: ['calm'],
    patch: () =>
      replaced(Positions.prototype, 'onRead', () => {
        return function (this: Positions, tokenId, amount, { nowMs }) {
          for (const fill of this.pending(tokenId)) fill.quantity = NO_SHARES;
          this.adjust(tokenId, amount - this.confirmed(tokenId), { sinceMs: nowMs, nowMs });
          return { kind: 'agrees', settled: [] };
        };
      }),
  },
  {
    name: 'history-by-other-names',
    about: 'counts what the history tells beside what frames told, as if its names were others',
    lookIn: ['calm', 'everything', 'crashy'],
    controls: { history: true },
    engine: (engine) =>
      told(engine, (message) => {
        if (message.kind !== 'trades' || message.outcome.kind !== 'ok') return [message];
        const { value } = message.outcome;
        const again = value.map((trade) => ({ ...trade, tradeId: `${trade.tradeId}, again` }));
        const both = value.flatMap((trade, index) => [trade, again[index] ?? trade]);
        return [{ ...message, outcome: { kind: 'ok', value: both } }];
      }),
  },
  {
    name: 'external-orders-ignored',
    about: 'does not look at orders on the venue that it never sent',
    lookIn: ['account'],
    engine: (engine) => {
      const known = new Set<string>();
      return {
        step: (input) => {
          const commands = engine.step(withoutUnknown(input, known));
          for (const command of commands) learnHashes(command, known);
          return commands;
        },
      };
    },
  },
];

function askedJustNow(input: Input): Input {
  if (input.kind !== 'venue' || input.message.kind !== 'openOrders') return input;
  const askedAtMs = addMs(input.atMs, LISTED_BY_MS);
  return { ...input, message: { ...input.message, askedAtMs } };
}

function withoutUnknown(input: Input, known: ReadonlySet<string>): Input {
  if (input.kind !== 'venue' || input.message.kind !== 'openOrders') return input;
  const { message } = input;
  if (message.outcome.kind !== 'ok') return input;
  const value = message.outcome.value.filter(({ orderHash }) => known.has(orderHash));
  return { ...input, message: { ...message, outcome: { kind: 'ok', value } } };
}

function learnHashes(command: Command, known: Set<string>): void {
  if (command.kind !== 'report' || command.report.event !== 'order.moved') return;
  if (command.report.orderHash !== undefined) known.add(command.report.orderHash);
}
