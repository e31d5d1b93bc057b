// Bugs of controls that never trip, each with a cause that comes in every run.

import type { Stepper } from '../../../src/app/loop.ts';
import { type RiskControls, RISK_CONTROL_DEFAULTS as USUAL } from '../../../src/domain/risk.ts';
import { shares } from '../../../src/domain/shares.ts';
import { SimulatedNetwork } from '../world/network.ts';
import { Weather } from '../world/weather.ts';
import type { Change, Circumstance, Mutation } from './mutation.ts';
import { LONG_BREAKERS } from './switched.ts';
import { asked, misread, replaced } from './tools.ts';

const NOW = { atMs: 0 };
const EVERY_MS = 180_000;
const GONE_MS = 70_000;

/** Blackouts as a network has them, for longer than anybody can wait. */
export const LONG_BLACKOUTS: Circumstance = {
  ...whileGone('blackout'),
  about: 'nothing passes for seventy seconds of every three minutes',
  controls: { risk: { ...USUAL, blind: { forMs: 2_000 } } },
};

const UNREAD_EVERY_MS = 600_000;
/** Five minutes into each: a run that is short has one, with quotes before it. */
const UNREAD_FROM_MS = 300_000;
const UNREAD_MS = 110_000;
const READING = { isList: false };

/** Lists of open orders fail as behind an index that is down, while everything else is answered. */
const LISTS_UNREAD: Circumstance = {
  about: 'no list of open orders is answered for 110 s of every ten minutes',
  controls: { risk: { ...USUAL, blind: { forMs: 2_000 } } },
  engine: (engine) => ({
    step: (input) => {
      NOW.atMs = input.atMs;
      return engine.step(input);
    },
  }),
  patch: () => {
    const undoDispatch = replaced(SimulatedNetwork.prototype, 'dispatch', (original) => {
      return function (this: SimulatedNetwork, options, handler) {
        const sinceMs = (NOW.atMs % UNREAD_EVERY_MS) - UNREAD_FROM_MS;
        const isGone = sinceMs >= 0 && sinceMs < UNREAD_MS;
        READING.isList = isGone && options.method === 'GET' && options.path.includes('/orders');
        return original.call(this, options, handler);
      };
    });
    const undoFate = replaced(Weather.prototype, 'fate', (original) => {
      return function (this: Weather) {
        const fate = original.call(this);
        return READING.isList ? { ...fate, loss: 'none', answer: 'errorBefore' } : fate;
      };
    });
    return () => {
      undoFate();
      undoDispatch();
    };
  },
};

const NARROW_CLOCK: Circumstance = {
  about: 'the clock may be five seconds off',
  controls: {
    risk: { ...USUAL, clock: { ...USUAL.clock, offsetMsMax: 5_000, driftMsMax: 0 } },
  },
};

const NARROW_DRIFT: Circumstance = {
  about: 'the offset of the clock may move by two seconds',
  controls: {
    risk: { ...USUAL, clock: { ...USUAL.clock, offsetMsMax: 0, driftMsMax: 2_000 } },
  },
};

const FEW_FAILURES: Circumstance = {
  about: 'three settlements may fail in an hour',
  controls: { risk: { ...USUAL, settlements: { ...USUAL.settlements, failures: 3 } } },
};

const SMALL_EVERY = 8;
/** One share is worth less than the venue takes. */
const TOO_SMALL = shares(1);

const FEW_REFUSALS: Circumstance = {
  about: `every ${SMALL_EVERY}th placement begins with an order that is too small, and two may be refused in a minute`,
  controls: {
    risk: { ...USUAL, refusals: { ...USUAL.refusals, side: 2, market: 2, account: 2 } },
  },
  engine: (engine) => {
    let placed = 0;
    return asked(engine, (command) => {
      if (command.kind !== 'placeOrders') return [command];
      placed += 1;
      if (placed % SMALL_EVERY !== 0) return [command];
      const [first, ...others] = command.orders;
      const small = first === undefined ? [] : [{ ...first, quantity: TOO_SMALL }];
      return [{ ...command, orders: [...small, ...others] }];
    });
  },
};

const DIVERGENCE = { ...USUAL.divergence, forMs: 20_000 };

/** Before somebody trades with them. */
const AT_ONCE = { ...DIVERGENCE, forMs: 2_000 };

const DEAF_MINUTES: Circumstance = {
  ...whileGone('userFramesLost'),
  about: 'frames of the account stay away for seventy seconds of every three minutes',
  controls: { risk: { ...USUAL, divergence: DIVERGENCE } },
};

const EXTERNAL_ORDERS_STAY: Circumstance = {
  about: 'no cancel names what somebody else sent',
  controls: { risk: { ...USUAL, divergence: AT_ONCE }, scope: 'account' },
  engine: (engine) => {
    const external = new Set<string>();
    const noting: Stepper = {
      step: (input) => {
        const commands = engine.step(input);
        for (const each of commands) {
          if (each.kind === 'report' && each.report.event === 'order.external') {
            external.add(each.report.orderHash);
          }
        }
        return commands;
      },
    };
    return asked(noting, (command) => {
      if (command.kind !== 'cancelOrders') return [command];
      const orderHashes = command.orderHashes.filter((hash) => !external.has(hash));
      return orderHashes.length === 0 ? [] : [{ ...command, orderHashes }];
    });
  },
};

export const SILENCE_BUGS: readonly Mutation[] = [
  {
    name: 'blindness-unread',
    about: "does not mind how long the account's channel is down while orders rest",
    lookIn: ['calm', 'stormy'],
    circumstance: LONG_BLACKOUTS,
    engine: unread({ blind: { forMs: 0 } }),
  },
  {
    name: 'lists-unread',
    about: 'does not mind how long open orders cannot be read while they rest',
    lookIn: ['calm', 'account'],
    circumstance: LISTS_UNREAD,
    engine: unread({ blind: { forMs: 0 } }),
  },
  {
    name: 'clock-unread',
    about: 'does not hold the offset of its clock against anything',
    lookIn: ['clocks', 'everything'],
    circumstance: NARROW_CLOCK,
    engine: unread({ clock: { ...USUAL.clock, offsetMsMax: 0, driftMsMax: 0 } }),
  },
  {
    name: 'drift-unread',
    about: 'does not mind how much the offset of its clock moves',
    lookIn: ['clocks', 'everything'],
    circumstance: NARROW_DRIFT,
    engine: unread({ clock: { ...USUAL.clock, offsetMsMax: 0, driftMsMax: 0 } }),
  },
  {
    name: 'failures-uncounted',
    about: 'does not count settlements that failed',
    lookIn: ['account', 'everything'],
    circumstance: FEW_FAILURES,
    engine: unread({ settlements: { ...USUAL.settlements, failures: 0 } }),
  },
  {
    name: 'fills-uncounted',
    about: 'does not count how often its orders trade',
    lookIn: ['calm', 'stormy'],
    circumstance: LONG_BREAKERS,
    engine: unread({
      fillBurst: {
        ...USUAL.fillBurst,
        ...{ marketFills: 0, marketShares: 0, accountFills: 0, accountShares: 0 },
      },
    }),
  },
  {
    name: 'refusals-uncounted',
    about: 'does not count what it is refused',
    lookIn: ['calm', 'stormy'],
    circumstance: FEW_REFUSALS,
    engine: unread({ refusals: { ...USUAL.refusals, side: 0, market: 0, account: 0 } }),
  },
  {
    name: 'cash-unread',
    about: 'does not mind cash that moves without a word',
    lookIn: ['calm', 'account'],
    circumstance: DEAF_MINUTES,
    engine: unread({ divergence: { ...DIVERGENCE, cashUsdc: 0 } }),
  },
  {
    name: 'external-orders-unread',
    about: "does not mind how long somebody else's orders stay",
    lookIn: ['account', 'everything'],
    circumstance: EXTERNAL_ORDERS_STAY,
    engine: unread({ divergence: { ...AT_ONCE, forMs: 0 } }),
  },
];

/** A core whose settings switch something off that the operator has switched on. */
export function unread(off: Partial<RiskControls>): NonNullable<Change['engine']> {
  return (engine) =>
    misread(engine, (settings) => ({ ...settings, risk: { ...settings.risk, ...off } }));
}

export function whileGone(kind: 'blackout' | 'userFramesLost' | 'diskFails'): Change {
  const isGone = (asked: string) => asked === kind && NOW.atMs % EVERY_MS < GONE_MS;
  return {
    engine: (engine) => ({
      step: (input) => {
        NOW.atMs = input.atMs;
        return engine.step(input);
      },
    }),
    patch: () => {
      const undoIs = replaced(Weather.prototype, 'is', (original) => {
        return function (this: Weather, asked) {
          return isGone(asked) || original.call(this, asked);
        };
      });
      const undoStrikes = replaced(Weather.prototype, 'strikes', (original) => {
        return function (this: Weather, asked) {
          return isGone(asked) || original.call(this, asked);
        };
      });
      return () => {
        undoStrikes();
        undoIs();
      };
    },
  };
}
