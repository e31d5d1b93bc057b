// Bugs about cancels: trusted too early, forgotten, sent again and again.

import { OrderLedger } from '../../../src/core/orders/ledger.ts';
import { Positions } from '../../../src/core/positions/positions.ts';
import { MassCancel } from '../../../src/core/session/mass-cancel.ts';
import { isTerminal } from '../../../src/domain/order.ts';
import { LATE_FRAMES, NO_ARMED_CANCELS } from './circumstances.ts';
import type { Mutation } from './mutation.ts';
import { PLAIN_DESK } from './switched.ts';
import { all, moved, replaced, told } from './tools.ts';

/** What rests after a part has traded stays until it trades. */
const NO_PARTS = {
  about: 'the rest of a partially filled order cannot be cancelled',
  rules: { partiallyFilledCancellable: false },
} as const;

export const CANCEL_BUGS: readonly Mutation[] = [
  {
    name: 'failed-cancel-forgets',
    about: 'forgets an order whose cancel failed or was not answered',
    lookIn: ['clocks', 'stormy', 'killer'],
    patch: () =>
      all(
        moved('cancelling', 'cancelFailed', 'cancelled'),
        moved('cancelling', 'noAnswer', 'cancelled'),
      ),
  },
  {
    name: 'failed-count-ignored',
    about: 'takes every cancel that was answered for done, whatever the answer counts as failed',
    lookIn: ['calm', 'stormy'],
    circumstance: NO_PARTS,
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'cancelled' && message.outcome.kind === 'accepted'
          ? [{ ...message, outcome: { kind: 'accepted', cancelled: 100, failed: 0 } }]
          : [message],
      ),
  },
  {
    name: 'cancel-believed-when-sent',
    about: 'takes an order for gone as soon as its cancel is sent',
    lookIn: ['calm', 'stormy'],
    patch: () =>
      all(
        moved('resting', 'cancelSent', 'cancelled'),
        moved('partiallyFilled', 'cancelSent', 'cancelled'),
      ),
  },
  {
    name: 'cancelling-not-counted',
    about: 'leaves orders whose cancel is under way out of limits and plans',
    lookIn: ['calm', 'stormy'],
    patch: () =>
      replaced(OrderLedger.prototype, 'ofMarket', (original) => {
        return function (this: OrderLedger, marketId) {
          return [...original.call(this, marketId)].filter(({ state }) => state !== 'cancelling');
        };
      }),
  },
  {
    name: 'unproven-cancel-not-counted',
    about: 'leaves orders whose cancel could not be confirmed out of limits and plans',
    lookIn: ['stormy', 'killer', 'clocks'],
    circumstance: PLAIN_DESK,
    patch: () =>
      replaced(OrderLedger.prototype, 'ofMarket', (original) => {
        return function (this: OrderLedger, marketId) {
          const orders = [...original.call(this, marketId)];
          return orders.filter(({ state }) => state !== 'cancelUnresolved');
        };
      }),
  },
  {
    name: 'fill-before-cancel-lost',
    about: 'hears no more of an order whose cancel was answered, not even what had traded before',
    lookIn: ['killer', 'dialects'],
    circumstance: LATE_FRAMES,
    patch: () =>
      all(
        replaced(Positions.prototype, 'doubt', () => () => undefined),
        replaced(OrderLedger.prototype, 'onUpdate', (original) => {
          return function (this: OrderLedger, update, nowMs) {
            const order = this.byHash(update.orderHash);
            if (order && isTerminal(order.state)) return 'applied';
            return original.call(this, update, nowMs);
          };
        }),
      ),
  },
  {
    name: 'refused-is-gone',
    about: 'takes what the venue refuses to cancel for gone when a start has gone on around it',
    lookIn: ['crashy', 'everything'],
    circumstance: NO_PARTS,
    patch: () =>
      replaced(MassCancel.prototype, 'onOpenOrders', (original) => {
        return function (this: MassCancel, requestId, outcome, at) {
          const result = original.call(this, requestId, outcome, at);
          return result?.kind === 'confirmed' ? { ...result, refused: [] } : result;
        };
      }),
  },
  {
    name: 'start-waits-for-the-refused',
    about: 'does not quote as long as an order rests that the venue refuses to cancel',
    lookIn: ['crashy', 'everything'],
    atRest: true,
    circumstance: NO_PARTS,
    patch: () =>
      replaced(MassCancel.prototype, 'onOpenOrders', (original) => {
        return function (this: MassCancel, requestId, outcome, at) {
          return original.call(this, requestId, outcome, { ...at, mayStay: false });
        };
      }),
  },
  {
    name: 'kill-leaves-the-refused',
    about: 'calls a kill confirmed when nothing is left but what the venue refuses to cancel',
    lookIn: ['killer', 'everything'],
    circumstance: NO_PARTS,
    patch: () =>
      replaced(MassCancel.prototype, 'onOpenOrders', (original) => {
        return function (this: MassCancel, requestId, outcome, at) {
          return original.call(this, requestId, outcome, { ...at, mayStay: true });
        };
      }),
  },
  {
    name: 'cancel-every-tick',
    about: 'cancels an order again on every tick until it is notified of its end',
    lookIn: ['stormy', 'killer'],
    circumstance: NO_ARMED_CANCELS,
    patch: () =>
      replaced(OrderLedger.prototype, 'signal', (original) => {
        return function (this: OrderLedger, order, signal, nowMs) {
          if (signal === 'cancelSent') order.cancelAttempts = 0;
          else original.call(this, order, signal, nowMs);
        };
      }),
  },
];
