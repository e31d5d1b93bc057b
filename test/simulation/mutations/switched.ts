// What is switched on for bugs of controls, dates, scope and chain actions, so that every seed shows them.

import { GTD_DEFAULTS, type Input } from '../../../src/domain/input.ts';
import { RISK_CONTROL_DEFAULTS as USUAL } from '../../../src/domain/risk.ts';
import { RECYCLER_DEFAULTS } from '../../../src/domain/sets.ts';
import { RESTLESS } from './circumstances.ts';
import type { Circumstance } from './mutation.ts';
import { misread, told } from './tools.ts';

export const LONG_BREAKERS: Circumstance = {
  about: 'five fills of a market in 10 s leave it reduce-only for ten minutes',
  controls: {
    risk: {
      ...USUAL,
      fillBurst: {
        ...USUAL.fillBurst,
        marketFills: 5,
        action: 'reduce-only',
        coolOffMs: 600_000,
      },
    },
  },
};

/** Quotes that add are pulled, and what reduces stays: for longer than a run has. */
export const PULLING_BREAKERS: Circumstance = {
  about: 'five fills of a market in 10 s pull what adds for ten minutes',
  controls: {
    risk: {
      ...USUAL,
      fillBurst: { ...USUAL.fillBurst, marketFills: 5, action: 'cancel', coolOffMs: 600_000 },
    },
  },
};

export const NARROW_LOSSES: Circumstance = {
  about: 'a drawdown of 2 USDC stops what adds',
  controls: {
    risk: {
      ...USUAL,
      loss: { ...USUAL.loss, drawdownUsdc: 2, drawdownAction: 'reduce-only', dayUsdc: 0 },
    },
  },
};

export const ALIKE_WARNED: Circumstance = {
  about:
    'a drawdown of 2 USDC makes quotes wider, and so does the warning at a tenth of it; they are too narrow to earn, a ladder also takes, and the venue charges whoever does at a rate of 0.2',
  engine: (engine) =>
    misread(engine, (settings) => ({
      ...settings,
      markets: settings.markets.map((market) => ({
        ...market,
        params: { ...market.params, halfSpreadTicks: 1, skewTicks: 0 },
      })),
    })),
  controls: {
    takes: true,
    fees: { statedRate: 0.2, chargedRate: 0.2 },
    risk: {
      ...USUAL,
      loss: {
        ...USUAL.loss,
        drawdownUsdc: 2,
        drawdownAction: 'widen',
        warnPart: 0.1,
        warnAction: 'widen',
        dayUsdc: 0,
      },
    },
  },
};

const REREAD_MS = 60_000;

export const REREAD_CLOCK: Circumstance = {
  about: 'the clock may be five seconds off, and the same settings are read again every minute',
  controls: {
    risk: { ...USUAL, clock: { ...USUAL.clock, offsetMsMax: 5_000, driftMsMax: 0 } },
  },
  engine: (engine) => {
    let settings: Extract<Input, { readonly kind: 'settings' }> | undefined;
    let readAtMs = 0;
    return {
      step: (input) => {
        if (input.kind === 'settings') settings = input;
        const isDue = input.kind === 'tick' && input.atMs - readAtMs >= REREAD_MS;
        if (settings === undefined || !isDue) return engine.step(input);
        readAtMs = input.atMs;
        return [...engine.step({ ...settings, atMs: input.atMs }), ...engine.step(input)];
      },
    };
  },
};

export const NARROW_RATE: Circumstance = {
  ...RESTLESS,
  about: `${RESTLESS.about}, of which 20 in 10 s are allowed`,
  controls: {
    risk: {
      ...USUAL,
      orderRate: { orders: 20, intervalMs: 10_000, action: 'cancel', coolOffMs: 30_000 },
    },
  },
};

/** Quotes that nobody would stand by, which the collar holds back. */
export const ASTRAY: Circumstance = {
  about: 'the strategies quote a quarter away from the middle, and a tenth is allowed',
  controls: { risk: { ...USUAL, collar: { ...USUAL.collar, fairAway: 0.1 } } },
  engine: (engine) =>
    misread(engine, (settings) => ({
      ...settings,
      markets: settings.markets.map((market) => ({
        ...market,
        params: {
          ...market.params,
          halfSpreadTicks: market.strategy === 'ladder' ? 25 : 250,
        },
      })),
    })),
};

export const DATES: Circumstance = {
  about: 'orders live a minute and a half at most',
  controls: { gtd: { ...GTD_DEFAULTS, lifetimeMs: 90_000, renewMs: 20_000 } },
};

export const OWN_SCOPE: Circumstance = {
  about: 'the daemon cancels its own orders only',
  controls: { scope: 'own' },
};

export const BUSY_SETS: Circumstance = {
  about: 'complete sets are split and merged every few seconds',
  controls: {
    sets: {
      ...RECYCLER_DEFAULTS,
      mode: 'on',
      workingMin: 60,
      workingMax: 70,
      changeMin: 5,
      pauseMs: 1_000,
    },
  },
};

/** Cash that nobody explains would stop what adds, and no set is begun then. */
export const BUSY_SETS_ALONE: Circumstance = {
  about: `${BUSY_SETS.about}, and no automatic control is on`,
  controls: { ...BUSY_SETS.controls, risk: undefined },
};

/** What was split or merged shows in balances only. */
export const UNANSWERED_SETS: Circumstance = {
  ...BUSY_SETS,
  about: `${BUSY_SETS.about}, and nobody answers`,
  engine: (engine) =>
    told(engine, (message) => {
      if (message.kind !== 'setsChanged' || message.outcome.kind !== 'accepted') return [message];
      const outcome = { kind: 'unknown', cause: 'timeout', detail: 'no answer' } as const;
      return [{ ...message, outcome }];
    }),
};

/** Second lines of defence that a desk has by default, and that a seed may switch on. */
export const PLAIN_DESK: Circumstance = {
  about: 'no automatic control is on, and orders have no dates',
  controls: { risk: undefined, gtd: undefined, sets: undefined, scope: 'account' },
};
