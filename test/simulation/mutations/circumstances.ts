// What some bugs need to show: unusual loads, refusals that never come by themselves, and second lines
// of defence that are off. All of it is there in the run without the bug too.

import type { Stepper } from '../../../src/app/loop.ts';
import { OrderLedger } from '../../../src/core/orders/ledger.ts';
import { MISSING_LISTS_MAX } from '../../../src/core/orders/reconcile.ts';
import { MassCancel } from '../../../src/core/session/mass-cancel.ts';
import type { Command } from '../../../src/domain/command.ts';
import type { MarketId, OrderHash } from '../../../src/domain/ids.ts';
import { type CoreSettings, GTD_DEFAULTS, type Input } from '../../../src/domain/input.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { UnixMs } from '../../../src/domain/time.ts';
import { TRUST_DEFAULTS } from '../../../src/domain/trust.ts';
import type { EventKind } from '../profiles.ts';
import type { PlaceCommand } from '../world/network.ts';
import { SimulatedSocket } from '../world/socket.ts';
import { Weather } from '../world/weather.ts';
import { Workload } from '../world/workload.ts';
import { type Change, type Circumstance, joined } from './mutation.ts';
import { all, asked, misread, regotten, replaced } from './tools.ts';

/** Books are compared with REST, with each other and with the own orders: not here. */
export function unwitnessed(engine: Stepper): Stepper {
  return misread(engine, (settings) => ({
    ...settings,
    trust: {
      ...(settings.trust ?? TRUST_DEFAULTS),
      auditsPerSec: 0,
      parityEdge: 0,
      ownOrderAuditMs: 0,
    },
  }));
}

/** Whoever takes pays, and the operator has it right. */
export const TAKERS_PAY: Circumstance = {
  about: 'a ladder also takes, and the venue charges whoever does',
  controls: { takes: true, fees: { statedRate: 0.02, chargedRate: 0.02 } },
};

export const NO_WITNESS: Circumstance = {
  about: 'books are compared with nothing',
  engine: unwitnessed,
};

/** Two lists in a row must miss an order: here one does, for an order that no list has shown yet. */
export const ONE_LIST_CONFIRMS: Circumstance = {
  about: 'one list that misses an order confirms that it is gone',
  patch: () =>
    replaced(OrderLedger.prototype, 'add', (original) => {
      return function (this: OrderLedger, order) {
        order.missingLists = MISSING_LISTS_MAX - 1;
        original.call(this, order);
      };
    }),
};

/** What a list still shows is cancelled by name: here everything is meant, and nothing else said. */
export const NOTHING_NAMED: Circumstance = {
  about: 'a stop cancels everything, and never names what is left',
  controls: { scope: 'account' },
  patch: () => regotten(MassCancel.prototype, 'undecided', () => []),
};

const NOW = { atMs: 0 };

/** Data stops for a while of every while, and pings are answered. */
function silentBooks(everyMs: number, silentMs: number): Change {
  return {
    engine: (engine) => ({
      step: (input) => {
        NOW.atMs = input.atMs;
        return engine.step(input);
      },
    }),
    patch: () =>
      replaced(Weather.prototype, 'strikes', (original) => {
        return function (this: Weather, kind) {
          const isSilent = NOW.atMs % everyMs < silentMs;
          return (kind === 'bookFramesLost' && isSilent) || original.call(this, kind);
        };
      }),
  };
}

export const SILENT_BOOKS: Circumstance = {
  about: 'frames of books stay away for a minute of every three, on a living socket',
  ...silentBooks(180_000, 60_000),
};

/** Never for so long that nothing may be placed, and nothing finds it out. */
export const STUTTERING_BOOKS: Circumstance = {
  about:
    'frames of books stay away for fifteen seconds of every eighteen, and books are compared with nothing',
  ...joined(silentBooks(18_000, 15_000), NO_WITNESS),
};

/** Answers overtake what the socket tells. */
export const LATE_FRAMES: Circumstance = {
  about: 'frames come three seconds late',
  patch: () =>
    replaced(Weather.prototype, 'frameDelayMs', (original) => {
      return function (this: Weather) {
        return original.call(this) + 3_000;
      };
    }),
};

/** Shares whose settlement failed rest again. */
export const REINSTATING: Circumstance = {
  about: 'an order whose settlement failed is on the book again',
  rules: { failedTrade: 'reinstate' },
};

const LATE_PART = 0.15;

/** A placement that nobody answered arrives when its answer is given up, up to the edge of the signature window. */
export const LATE_REQUESTS: Circumstance = {
  about: 'every seventh request takes effect up to forty seconds later',
  patch: () =>
    replaced(Weather.prototype, 'strikes', (original) => {
      return function (this: Weather, kind) {
        const isLate = kind === 'acceptLate' && this.chance(LATE_PART);
        return isLate || original.call(this, kind);
      };
    }),
};

/** A cancel leaves when the engine has planned it, and at no other time. */
export const NO_ARMED_CANCELS: Circumstance = {
  about: 'no cancel is armed',
  engine: (engine) =>
    misread(engine, (settings) => ({
      ...settings,
      orders: { ...settings.orders, armedCancels: false },
    })),
};

/** Orders get a date and are renewed before it. */
export const DATED: Circumstance = {
  about: 'orders live two minutes at most',
  engine: (engine) =>
    misread(engine, (settings) => ({
      ...settings,
      orders: {
        ...settings.orders,
        timeInForce: 'GTD',
        gtd: { ...GTD_DEFAULTS, lifetimeMs: 120_000 },
      },
    })),
};

const OFTEN_MS = 90_000;
/** More than a run of 0.2 h has. */
const OFTEN_MAX = 40;

/** Whatever limits a reload draws, the next one often lowers some of them. */
export const RELOADED_OFTEN: Circumstance = {
  about: 'an operator changes the settings every minute and a half',
  patch: reloadedOften,
};

/** What rests stays where it is while the market moves, at limits that come down: it is there when they are due. */
export const LOWERED_OFTEN: Circumstance = {
  ...RELOADED_OFTEN,
  about: `${RELOADED_OFTEN.about}; what is within twenty ticks of its targetQuotes stays; a market may have five orders, and all be worth 100 USDC`,
  controls: { limits: { maxMarketOpenOrders: 5, maxOpenNotionalUsdc: 100 } },
  engine: (engine) =>
    misread(engine, (settings) => ({
      ...settings,
      orders: { ...settings.orders, priceToleranceTicks: 20 },
    })),
};

export function reloadedOften(): () => void {
  return often('reload');
}

/** What has matched and not settled dies with its process, and a list shows the next one what rests. */
export const CRASHED_OFTEN: Circumstance = {
  about: 'the process dies every minute and a half',
  patch: () => often('crash'),
};

const CUT_OFF_MS = 30_000;

/** A socket that breaks is there again within a second or two, while nothing has moved. */
export const CUT_OFF_OFTEN: Circumstance = {
  about:
    'the connection breaks every minute and a half, and no other opens for half a minute, while requests pass',
  engine: (engine) => ({
    step: (input) => {
      NOW.atMs = input.atMs;
      return engine.step(input);
    },
  }),
  patch: () => {
    let cutAtMs = Number.NEGATIVE_INFINITY;
    let isRequest = false;
    return all(
      replaced(SimulatedSocket.prototype, 'cut', (original) => {
        return function (this: SimulatedSocket) {
          cutAtMs = NOW.atMs;
          original.call(this);
        };
      }),
      replaced(Weather.prototype, 'fate', (original) => {
        return function (this: Weather) {
          isRequest = true;
          const fate = original.call(this);
          isRequest = false;
          return fate;
        };
      }),
      replaced(Weather.prototype, 'strikes', (original) => {
        return function (this: Weather, kind) {
          const isCutOff = !isRequest && NOW.atMs - cutAtMs < CUT_OFF_MS;
          return (kind === 'connectFails' && isCutOff) || original.call(this, kind);
        };
      }),
      often('socketCut'),
    );
  },
};

/** Few runs of 0.2 h stop just beside a match that fails. */
export const RETIRED_OFTEN: Circumstance = {
  ...REINSTATING,
  about: `it is stopped every minute and a half while settlements fail, and dead for minutes; ${REINSTATING.about}`,
  patch: () => often('retired'),
};

/** Every list that shows an order of a market that is there no more has it cancelled: here nobody asks. */
export const LEFT_IS_LEFT: Circumstance = {
  about: 'no cancel names an order of a market that the daemon has dropped',
  engine: (engine) => {
    const marketOf = new Map<OrderHash, MarketId>();
    const stepper = asked(engine, (command) => {
      if (command.kind !== 'cancelOrders') return [command];
      const there = new Set(engine.view().markets.map(({ marketId }) => marketId));
      const orderHashes = command.orderHashes.filter((orderHash) => {
        const marketId = marketOf.get(orderHash);
        return marketId === undefined || there.has(marketId);
      });
      return orderHashes.length === 0 ? [] : [{ ...command, orderHashes }];
    });
    return {
      step: (input) => {
        const commands = stepper.step(input);
        for (const each of commands) if (each.kind === 'record') noteMarket(each.record, marketOf);
        return commands;
      },
    };
  },
};

function noteMarket(record: LedgerRecord, marketOf: Map<OrderHash, MarketId>): void {
  if (record.kind !== 'order' || record.order.orderHash === undefined) return;
  marketOf.set(record.order.orderHash, record.order.marketId);
}

/** Troubles of one kind beside those of the plan. */
function often(kind: EventKind): () => void {
  return replaced(Workload.prototype, 'start', (original) => {
    return function (this: Workload, plan) {
      const more = Array.from({ length: OFTEN_MAX }, (_, index) => ({
        ...({ kind, durationMs: 0, strength: 1 } as const),
        atMs: (index + 1) * OFTEN_MS,
        name: `${kind}/often ${index}`,
      }));
      original.call(this, [...more, ...plan]);
    };
  });
}

const AWAY_EVERY_MS = 120_000;
const AWAY_MS = 30_000;

/** A market leaves, is dropped, and comes back under its own name. */
export const COMING_AND_GOING: Circumstance = {
  about: 'the second market is taken out of the settings for half a minute of every two',
  engine: (engine) => {
    let settings: CoreSettings | undefined;
    let wasAway = false;
    return {
      step: (input) => {
        if (input.kind === 'settings') settings = input.settings;
        const isAway = input.atMs % AWAY_EVERY_MS < AWAY_MS;
        if (input.kind !== 'tick' || settings === undefined || isAway === wasAway) {
          return engine.step(input);
        }
        wasAway = isAway;
        const { atMs } = input;
        const left = isAway ? { ...settings, markets: settings.markets.slice(0, 1) } : settings;
        return [...engine.step({ kind: 'settings', atMs, settings: left }), ...engine.step(input)];
      },
    };
  },
};

/** Moves every quote with each tick, and splits what is placed. */
export const RESTLESS: Circumstance = {
  about: 'the settings change on every tick, and each order is a write of its own',
  engine: (engine) => split(flipping(engine)),
};

/** Placements until one is rejected so that only a person can help. */
const REJECTED_EVERY = 40;

const KILLED_AT_ONCE: NonNullable<CoreSettings['risk']['refusals']> = {
  ...{ side: 0, market: 0, account: 1, intervalMs: 60_000 },
  ...{ action: 'killed', coolOffMs: 60_000 },
};

/** A rejection that halts: no trouble of the plan leads there. */
export const RESTRICTED: Circumstance = {
  about: `every ${REJECTED_EVERY}th placement is rejected, and one rejection halts the account`,
  engine: (engine) => {
    let placed = 0;
    return {
      step: (input) =>
        engine.step(halting(input)).flatMap((command) => {
          if (command.kind !== 'venue' || command.command.kind !== 'placeOrders') return [command];
          placed += 1;
          if (placed % REJECTED_EVERY !== 0) return [command];
          return rejectedBy(engine, command.command, input.atMs);
        }),
    };
  },
};

function halting(input: Input): Input {
  if (input.kind !== 'settings') return input;
  const risk = { ...input.settings.risk, refusals: KILLED_AT_ONCE };
  return { ...input, settings: { ...input.settings, risk } };
}

function flipping(engine: Stepper): Stepper {
  let settings: CoreSettings | undefined;
  let isWide = false;
  return {
    step: (input) => {
      if (input.kind === 'settings') settings = input.settings;
      if (input.kind !== 'tick' || settings === undefined) return engine.step(input);
      isWide = !isWide;
      const { atMs } = input;
      const flipped = widened(settings, isWide ? 3 : 0);
      return [...engine.step({ kind: 'settings', atMs, settings: flipped }), ...engine.step(input)];
    },
  };
}

function split(engine: Stepper): Stepper {
  return asked(engine, (command) =>
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

/** It never leaves: the venue would have rejected it, each order for what it is. */
function rejectedBy(
  engine: Stepper,
  { requestId, orders }: PlaceCommand,
  atMs: UnixMs,
): readonly Command[] {
  const refusal = {
    code: 'invalid_price',
    message: 'not this price',
    httpStatus: 400,
    retryAfterMs: undefined,
  };
  return orders.flatMap(({ intentId }) => {
    const outcomes = [{ intentId, outcome: { kind: 'refused', refusal } as const }];
    return engine.step({ kind: 'venue', atMs, message: { kind: 'placed', requestId, outcomes } });
  });
}
