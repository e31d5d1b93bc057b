// Bugs about kill, pause, halt and resume.

import type { Stepper } from '../../../src/app/loop.ts';
import { OrderLedger } from '../../../src/core/orders/ledger.ts';
import { Restored } from '../../../src/core/orders/restored.ts';
import { MassCancel, type MassCancelResult } from '../../../src/core/session/mass-cancel.ts';
import { Session } from '../../../src/core/session/session.ts';
import type { Command } from '../../../src/domain/command.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import { isCommitted } from '../../../src/domain/order.ts';
import type { UnixMs } from '../../../src/domain/time.ts';
import { LATE_REQUESTS, NOTHING_NAMED, RESTRICTED, RETIRED_OFTEN } from './circumstances.ts';
import type { Circumstance, Mutation } from './mutation.ts';
import { PLAIN_DESK } from './switched.ts';
import { asked, hasReport, obeying, replaced } from './tools.ts';

/** What was sent before a kill is accepted after its first empty list. */
const LATE_IN_FLIGHT: Circumstance = {
  ...PLAIN_DESK,
  ...LATE_REQUESTS,
  about: `${PLAIN_DESK.about}; ${LATE_REQUESTS.about}`,
};

export const STOP_BUGS: readonly Mutation[] = [
  {
    name: 'kill-resumes-by-itself',
    about: 'resumes as soon as a kill is confirmed',
    lookIn: ['killer'],
    engine: (engine) => obeying(engine, (_, commands) => hasReport(commands, 'kill.confirmed')),
  },
  {
    name: 'reconnect-resumes',
    about: 'resumes from a kill or a pause when the socket comes back',
    lookIn: ['killer'],
    circumstance: {
      about: 'the connection breaks whenever an operator stops',
      engine: (engine) => ({
        step: (input) => {
          const commands = engine.step(input);
          const isStop = input.kind === 'operator' && input.order.kind !== 'resume';
          const command = { kind: 'reconnect', reason: 'it broke' } as const;
          return isStop ? [...commands, { kind: 'venue', command }] : commands;
        },
      }),
    },
    engine: (engine) =>
      obeying(engine, (input) => input.kind === 'venue' && input.message.kind === 'authenticated'),
  },
  {
    name: 'kill-misses-in-flight',
    about: 'calls a kill confirmed while a placement without an answer may still arrive',
    lookIn: ['killer'],
    patch: () =>
      massCancel((original) => {
        return function (this: MassCancel, requestId, outcome, at) {
          const mayStillArriveUntilMs = undefined;
          return original.call(this, requestId, outcome, { ...at, mayStillArriveUntilMs });
        };
      }),
  },
  {
    name: 'proof-by-one-list',
    about: 'calls a kill confirmed after a single empty list',
    lookIn: ['killer', 'everything'],
    circumstance: LATE_IN_FLIGHT,
    patch: () =>
      massCancel((original) => {
        return function (this: MassCancel, requestId, outcome, at) {
          const result = original.call(this, requestId, outcome, at);
          const isEmpty = outcome.kind === 'ok' && outcome.value.length === 0;
          // A start is cleared as ever: what differs begins with the kill.
          if (result === undefined || !isEmpty || at.mayStay) return result;
          return { kind: 'confirmed', cancelled: 0, tookMs: 0, leftAlone: 0, refused: [] };
        };
      }),
  },
  {
    name: 'kill-of-one-token',
    about: 'cancels the orders of one token only when everything is to be cancelled',
    lookIn: ['killer', 'everything'],
    atRest: true,
    circumstance: NOTHING_NAMED,
    engine: (engine) => {
      let tokenId: TokenId | undefined;
      return asked(engine, (command) => {
        if (command.kind === 'subscribe') tokenId ??= command.tokenIds[0];
        if (command.kind !== 'cancelAll' || tokenId === undefined) return [command];
        return [{ ...command, scope: { kind: 'token', tokenId } }];
      });
    },
  },
  {
    name: 'pause-does-not-pause',
    about: "does not hear the operator's pause",
    lookIn: ['killer'],
    engine: (engine) =>
      obeying(engine, (input) => input.kind === 'operator' && input.order.kind === 'pause'),
  },
  {
    name: 'start-does-not-clear',
    about: 'takes an account for empty at its start, without asking',
    lookIn: ['crashy', 'everything'],
    engine: (engine) => {
      let isCleared = false;
      return {
        step: (input) => {
          const commands = engine.step(input);
          if (hasReport(commands, 'start.cleared')) isCleared = true;
          if (isCleared) return commands;
          return commands.flatMap((command) => clearedBy(command, engine, input.atMs));
        },
      };
    },
  },
  {
    name: 'kill-never-says',
    about: 'goes on trying to confirm a kill and does not say that it cannot',
    lookIn: ['killer', 'everything'],
    patch: () => replaced(MassCancel.prototype, 'isPastDeadline', () => () => false),
  },
  {
    name: 'shutdown-only-pauses',
    about: 'takes a shutdown for a pause',
    lookIn: ['killer', 'everything'],
    engine: (engine) => ({
      step: (input) => {
        if (input.kind !== 'operator' || input.order.kind !== 'shutdown') return engine.step(input);
        return engine.step({ ...input, order: { ...input.order, kind: 'pause' } });
      },
    }),
  },
  {
    name: 'stop-waits-for-no-settlement',
    about: 'ends a stop beside orders that have matched and not settled',
    lookIn: ['dialects'],
    circumstance: RETIRED_OFTEN,
    patch: withoutSettling,
  },
  {
    name: 'halt-does-not-latch',
    about: 'resumes from a halt as soon as everything is cancelled',
    lookIn: ['calm', 'stormy'],
    circumstance: RESTRICTED,
    engine: (engine) => obeying(engine, (_, commands) => hasReport(commands, 'kill.confirmed')),
  },
];

/** The core is told at once what it wants to hear. */
function clearedBy(command: Command, engine: Stepper, atMs: UnixMs): readonly Command[] {
  if (command.kind !== 'venue') return [command];
  const asked = command.command;
  if (asked.kind === 'cancelAll') {
    const outcome = { kind: 'accepted', cancelled: 0, failed: 0 } as const;
    const message = { kind: 'cancelled', requestId: asked.requestId, outcome } as const;
    return engine.step({ kind: 'venue', atMs, message });
  }
  if (asked.kind !== 'readOpenOrders') return [command];
  const outcome = { kind: 'ok', value: [] } as const;
  const message = {
    kind: 'openOrders',
    askedAtMs: atMs,
    requestId: asked.requestId,
    outcome,
  } as const;
  return engine.step({ kind: 'venue', atMs, message });
}

/** What a stop asks its ledgers about matches has no answer; all else hears of them. */
function withoutSettling(): () => void {
  let isAsked = false;
  const undo = [
    replaced(Session.prototype, 'onOpenOrders', (original) => {
      return function (this: Session, ...args) {
        isAsked = true;
        try {
          original.apply(this, args);
        } finally {
          isAsked = false;
        }
      };
    }),
    replaced(OrderLedger.prototype, 'notEnded', (original) => {
      return function (this: OrderLedger) {
        const orders = original.call(this);
        return isAsked ? orders.filter(({ state }) => !isCommitted(state)) : orders;
      };
    }),
    replaced(OrderLedger.prototype, 'endedSince', (original) => {
      return function (this: OrderLedger, atMs) {
        return isAsked ? [] : original.call(this, atMs);
      };
    }),
    replaced(Restored.prototype, 'settling', (original) => {
      return function (this: Restored) {
        return isAsked ? [] : original.call(this);
      };
    }),
  ];
  return () => {
    for (const each of undo.toReversed()) each();
  };
}

type MassCancelFn = (
  this: MassCancel,
  ...args: Parameters<MassCancel['onOpenOrders']>
) => MassCancelResult | undefined;

function massCancel(make: (original: MassCancelFn) => MassCancelFn): () => void {
  return replaced(MassCancel.prototype, 'onOpenOrders', make);
}
