// The planted bugs: each is what somebody once wrote, and each must be found.

import type { Stepper } from '../../../src/app/loop.ts';
import { Inventory } from '../../../src/core/inventory/inventory.ts';
import { type BarrierResult, CancelBarrier } from '../../../src/core/orders/barrier.ts';
import { OrderLedger } from '../../../src/core/orders/ledger.ts';
import type { Command } from '../../../src/domain/command.ts';
import type { Input } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { ORDER_LIFE, type OrderSignal, type OrderState } from '../../../src/domain/order.ts';
import type { PlaceCommand } from '../world/network.ts';
import type { Mutation } from './mutation.ts';

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'blind-resend',
    about: 'sends a placement again when its answer was lost',
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
    patch: () => patchMove('sending', 'noAnswer', 'refused'),
  },
  {
    name: 'failed-cancel-forgets',
    about: 'forgets an order whose cancel failed or was not answered',
    patch: () =>
      both(
        patchMove('cancelling', 'cancelFailed', 'cancelled'),
        patchMove('cancelling', 'noAnswer', 'cancelled'),
      ),
  },
  {
    name: 'empty-list-on-failure',
    about: 'takes a failed read of the open orders for an empty list',
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'openOrders' && message.outcome.kind !== 'ok'
          ? [{ ...message, outcome: { kind: 'ok', value: [] } }]
          : [message],
      ),
  },
  {
    name: 'fill-counted-twice',
    about: 'counts every match twice',
    patch: () => {
      const original = Inventory.prototype.onMatched;
      Inventory.prototype.onMatched = function (fill) {
        original.call(this, { ...fill });
        original.call(this, { ...fill });
      };
      return () => {
        Inventory.prototype.onMatched = original;
      };
    },
  },
  {
    name: 'settlement-counted-twice',
    about: 'counts a settlement again when it is told of twice',
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'tradeSettled'
          ? [message, { ...message, tradeId: `${message.tradeId}-again` }]
          : [message],
      ),
  },
  {
    name: 'kill-resumes-by-itself',
    about: 'resumes as soon as a kill is proven',
    engine: (engine) => ({
      step: (input) => {
        const commands = engine.step(input);
        const isProven = commands.some(isReportOf('kill.proven'));
        if (!isProven) return commands;
        const order = { kind: 'resume', by: 'nobody' } as const;
        return [...commands, ...engine.step({ kind: 'operator', atMs: input.atMs, order })];
      },
    }),
  },
  {
    name: 'kill-misses-in-flight',
    about: 'calls a kill proven while a placement without an answer may still arrive',
    patch: () =>
      patchBarrier(
        (original) =>
          function (requestId, outcome, at) {
            return original.call(this, requestId, outcome, {
              ...at,
              mayStillArriveUntilMs: undefined,
            });
          },
      ),
  },
  {
    name: 'proof-by-one-list',
    about: 'calls a kill proven after a single empty list',
    patch: () =>
      patchBarrier(
        (original) =>
          function (requestId, outcome, at) {
            const result = original.call(this, requestId, outcome, at);
            const isEmpty = outcome.kind === 'ok' && outcome.value.length === 0;
            if (result === undefined || !isEmpty) return result;
            return { kind: 'proven', cancelled: 0, tookMs: 0 };
          },
      ),
  },
  {
    name: 'in-flight-not-counted',
    about: 'leaves orders without an answer out of limits and plans',
    patch: () => {
      const original = OrderLedger.prototype.ofMarket;
      OrderLedger.prototype.ofMarket = function (marketId) {
        return [...original.call(this, marketId)].filter((order) => order.orderHash !== undefined);
      };
      return () => {
        OrderLedger.prototype.ofMarket = original;
      };
    },
  },
  {
    name: 'orphans-ignored',
    about: 'does not look at orders on the venue that it never sent',
    engine: (engine) => {
      const known = new Set<string>();
      return {
        step: (input) => {
          const commands = engine.step(withoutStrangers(input, known));
          for (const command of commands) learnHashes(command, known);
          return commands;
        },
      };
    },
  },
  {
    name: 'absent-too-soon',
    about: 'gives an unknown placement up as soon as one list does not show it',
    engine: (engine) => ({
      step: (input) => engine.step(withHorizon(input, 0)),
    }),
  },
  {
    name: 'hashes-mixed-up',
    about: "gives the orders of a batch each other's hashes",
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'placed'
          ? [{ ...message, outcomes: rotated(message.outcomes) }]
          : [message],
      ),
  },
  {
    name: 'pause-does-not-pause',
    about: "does not hear the operator's pause",
    engine: (engine) => ({
      step: (input) => {
        const commands = engine.step(input);
        if (input.kind !== 'operator' || input.order.kind !== 'pause') return commands;
        const order = { kind: 'resume', by: 'nobody' } as const;
        return [...commands, ...engine.step({ kind: 'operator', atMs: input.atMs, order })];
      },
    }),
  },
];

type Barrier = (
  this: CancelBarrier,
  ...args: Parameters<CancelBarrier['onOpenOrders']>
) => BarrierResult | undefined;

function patchBarrier(make: (original: Barrier) => Barrier): () => void {
  const original = CancelBarrier.prototype.onOpenOrders;
  CancelBarrier.prototype.onOpenOrders = make(original);
  return () => {
    CancelBarrier.prototype.onOpenOrders = original;
  };
}

function patchMove(from: OrderState, signal: OrderSignal, to: OrderState): () => void {
  const row = ORDER_LIFE[from].moves;
  const before = row[signal];
  Object.assign(row, { [signal]: to });
  return () => {
    Object.assign(row, { [signal]: before });
  };
}

function both(one: () => void, other: () => void): () => void {
  return () => {
    other();
    one();
  };
}

/** A core that is told something else than the venue said. */
function told(
  engine: Stepper,
  change: (message: VenueMessage) => readonly VenueMessage[],
): Stepper {
  return {
    step: (input) => {
      if (input.kind !== 'venue') return engine.step(input);
      const messages = change(input.message);
      return messages.flatMap((message) => engine.step({ ...input, message }));
    },
  };
}

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

function isReportOf(event: string): (command: Command) => boolean {
  return (command) => command.kind === 'report' && command.report.event === event;
}

function withHorizon(input: Input, unknownHorizonMs: number): Input {
  if (input.kind !== 'settings') return input;
  const { settings } = input;
  return { ...input, settings: { ...settings, timing: { ...settings.timing, unknownHorizonMs } } };
}

function withoutStrangers(input: Input, known: ReadonlySet<string>): Input {
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

type Outcomes = Extract<VenueMessage, { kind: 'placed' }>['outcomes'];

function rotated(outcomes: Outcomes): Outcomes {
  return outcomes.map(({ intentId }, index) => {
    const next = outcomes[(index + 1) % outcomes.length];
    return {
      intentId,
      outcome: (next ?? { outcome: outcomes[0]?.outcome }).outcome,
    } as Outcomes[number];
  });
}
