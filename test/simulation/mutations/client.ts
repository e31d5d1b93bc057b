// Bugs of the venue client: clock, credentials, limits.

import type { Stepper } from '../../../src/app/loop.ts';
import { WriteBudget } from '../../../src/core/orders/budget.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import { Account, VenueClock } from '../../../src/venue/http/account.ts';
import { SimulatedLane } from '../world/lanes.ts';
import type { Mutation } from './mutation.ts';
import { all, asked, marked, replaced, told } from './tools.ts';

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
        replaced(WriteBudget.prototype, 'blockUntil', () => () => undefined),
        replaced(SimulatedLane.prototype, 'closeFor', () => () => undefined),
      ),
  },
  {
    name: 'writes-not-counted',
    about: 'writes as often as it likes, in the core and in the client',
    lookIn: ['calm'],
    circumstance: {
      about: 'each order is a write of its own, and the settings change on every tick',
      engine: restless,
    },
    patch: () =>
      all(
        replaced(WriteBudget.prototype, 'mayWrite', () => () => true),
        replaced(SimulatedLane.prototype, 'run', () => async (task) => {
          return { kind: 'ran', value: await task() };
        }),
      ),
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
    about: 'does not hear that a market is paused, and tries again a second after each refusal',
    lookIn: ['account', 'everything'],
    patch: () => all(...CLOSED.map((code) => marked(code, 'stopSide'))),
    engine: (engine) =>
      told(engine, (message) => (message.kind === 'marketStatus' ? [] : [message])),
  },
];

const CLOSED = ['market_paused', 'market_closed', 'market_resolved'] as const;

/** Moves every quote with each tick, and splits what is placed. */
function restless(engine: Stepper): Stepper {
  let settings: CoreSettings | undefined;
  let isWide = false;
  const flipping: Stepper = {
    step: (input) => {
      if (input.kind === 'settings') settings = input.settings;
      if (input.kind !== 'tick' || settings === undefined) return engine.step(input);
      isWide = !isWide;
      const { atMs } = input;
      const flipped = widened(settings, isWide ? 3 : 0);
      return [...engine.step({ kind: 'settings', atMs, settings: flipped }), ...engine.step(input)];
    },
  };
  return asked(flipping, (command) =>
    command.kind === 'placeOrders'
      ? command.orders.map((order) => ({ ...command, orders: [order] }))
      : [command],
  );
}

function widened(settings: CoreSettings, byTicks: number): CoreSettings {
  const markets = settings.markets.map((market) => ({
    ...market,
    params: { ...market.params, halfSpreadTicks: 2 + byTicks },
  }));
  return { ...settings, markets };
}
