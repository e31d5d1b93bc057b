// Bugs of the venue client: clock, credentials, limits.

import { LiveStatus } from '../../../src/core/book/market.ts';
import { WRITE_WINDOW_MS, WriteBudget } from '../../../src/core/sending/budget.ts';
import { Account, VenueClock } from '../../../src/venue/http/account.ts';
import { SimulatedLane } from '../world/lanes.ts';
import { RESTLESS } from './circumstances.ts';
import type { Mutation } from './mutation.ts';
import { all, replaced, told } from './tools.ts';

export const CLIENT_BUGS: readonly Mutation[] = [
  {
    name: 'credentials-never-reread',
    about: 'does not read its credentials again when the venue refuses them',
    lookIn: ['clocks', 'everything'],
    atRest: true,
    patch: () => replaced(Account.prototype, 'renew', () => () => Promise.resolve(false)),
  },
  {
    name: 'clock-step-not-followed',
    about: "measures the venue's clock once and never again",
    lookIn: ['clocks', 'everything'],
    atRest: true,
    patch: () => {
      const known = new WeakMap<VenueClock, ReturnType<VenueClock['learn']>>();
      return replaced(VenueClock.prototype, 'learn', (original) => {
        return function (this: VenueClock, probe) {
          const reading = known.get(this) ?? original.call(this, probe);
          known.set(this, reading);
          return reading;
        };
      });
    },
  },
  {
    name: 'retry-after-ignored',
    about: 'goes on writing when the venue says `rate_limited`, in the core and in the client',
    lookIn: ['stormy', 'everything', 'killer'],
    patch: () =>
      all(
        replaced(WriteBudget.prototype, 'blockUntil', () => () => true),
        replaced(SimulatedLane.prototype, 'closeFor', () => () => undefined),
      ),
  },
  {
    name: 'writes-not-counted',
    about: 'writes as often as it likes, in the core and in the client',
    lookIn: ['calm'],
    circumstance: RESTLESS,
    pace: 'brisk',
    hours: 0.02,
    patch: () =>
      all(
        replaced(WriteBudget.prototype, 'mayWrite', () => () => true),
        unlimited(),
      ),
  },
  {
    name: 'window-of-the-connection',
    about: 'begins a new window of writes with each connection, in the core and in the client',
    lookIn: ['stormy'],
    circumstance: RESTLESS,
    pace: 'brisk',
    hours: 0.05,
    patch: () => all(windowOfConnection(), unlimited()),
    engine: (engine) =>
      told(engine, (message) => {
        if (message.kind === 'authenticated') WRITES.clear();
        return [message];
      }),
  },
  {
    name: 'deaf-account',
    about: 'quotes on while the account has no session on the socket',
    lookIn: ['clocks', 'everything'],
    engine: (engine) =>
      told(engine, (message) => {
        if (message.kind === 'authRefused') return [];
        return message.kind === 'socketOpened' ? [message, { kind: 'authenticated' }] : [message];
      }),
  },
  {
    name: 'closed-market-is-one-more-refusal',
    about: 'asks whether a pause is over with one order after the other',
    lookIn: ['account', 'everything'],
    patch: () => replaced(LiveStatus.prototype, 'isProbeDue', () => () => true),
  },
];

/** The client's own limiter is off. */
function unlimited(): () => void {
  return replaced(SimulatedLane.prototype, 'run', () => async (task) => {
    return { kind: 'ran', value: await task() };
  });
}

/** Times of the writes since the connection began. */
const WRITES = new Set<{ readonly atMs: number }>();

function windowOfConnection(): () => void {
  return all(
    replaced(WriteBudget.prototype, 'onSent', (original) => {
      return function (this: WriteBudget, requestId, nowMs) {
        original.call(this, requestId, nowMs);
        WRITES.add({ atMs: nowMs });
      };
    }),
    replaced(WriteBudget.prototype, 'usedInWindow', () => {
      return (nowMs) => {
        for (const write of WRITES) if (nowMs - write.atMs >= WRITE_WINDOW_MS) WRITES.delete(write);
        return WRITES.size;
      };
    }),
  );
}
