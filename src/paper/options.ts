// Everything about the embedded venue that can be chosen, each with its default.

import type { Event } from '../domain/market.ts';
import type { Clock, Timers } from '../domain/time.ts';
import {
  DELTA_FLUSH_MS,
  GTD_AHEAD_MIN_MS,
  OPEN_ORDERS_MAX,
  PING_INTERVAL_MS,
} from '../wire/limits.ts';
import { type Budgets, DEFAULT_BUDGETS } from './api/budgets.ts';
import { CURRENT_DIALECT, type Dialect } from './api/dialect.ts';
import type { SocketLimits } from './api/hub-options.ts';
import type { EventPlan } from './exchange/plan.ts';
import type { ExchangeRules, ExchangeTiming } from './exchange/rules.ts';

export type PaperOptions = {
  /** Loopback unless said otherwise. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  /** What is listed: plans, whose ids derive from their slugs, or events of a recording. */
  readonly events: readonly (EventPlan | Event)[];
  /** The machine's own when absent. */
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly seed?: number;
  /** Cash of the ready-made account in USDC. */
  readonly startingCash?: string | number;
  readonly accountName?: string;
  /** Scales settlement and index lag: 0.01 settles in 150 to 200 ms. */
  readonly timeScale?: number;
  readonly timing?: Partial<ExchangeTiming>;
  readonly rules?: Partial<ExchangeRules>;
  readonly dialect?: Partial<Dialect>;
  readonly budgets?: Partial<Budgets>;
  /** Budgets of single accounts, by name. @spec Limits, rule 3 */
  readonly accountBudgets?: Readonly<Record<string, Partial<Budgets>>>;
  readonly sockets?: Partial<SocketLimits>;
  readonly bodyBytesMax?: number;
  /** Serves `/__control/*`, through which a test steers the venue from another process. */
  readonly isControllable?: boolean;
};

/** Options with every default filled in; clock and timers are the caller's. */
export type PaperSettings = {
  readonly events: readonly (EventPlan | Event)[];
  readonly seed: number;
  readonly startingCash: string | number;
  readonly accountName: string;
  readonly timing: ExchangeTiming;
  readonly rules: ExchangeRules;
  readonly dialect: Dialect;
  readonly budgets: Budgets;
  readonly accountBudgets: Readonly<Record<string, Partial<Budgets>>>;
  readonly sockets: SocketLimits;
  readonly bodyBytesMax: number;
  readonly isControllable: boolean;
};

/** Settlement and index lag are the interface's; the way to the engine is ours. */
const DEFAULT_TIMING: ExchangeTiming = {
  matchDelayMs: 5,
  settleMsMin: 15_000,
  settleMsMax: 20_000,
  indexLagMsMin: 30_000,
  indexLagMsMax: 120_000,
};

const DEFAULT_RULES: ExchangeRules = {
  complementMatching: true,
  books: 'separate',
  selfTrade: 'cancelResting',
  partiallyFilledCancellable: false,
  batchCancel: 'count',
  failedTrade: 'cancelOrder',
  offTickMarketSell: 'refuse',
  quantityDecimalsMax: 6,
  orderSharesMax: 1_000_000,
  openOrdersMax: OPEN_ORDERS_MAX,
  deskOpenOrdersMax: 50_000,
  gtdAheadMsMin: GTD_AHEAD_MIN_MS,
  takerFeeBps: 0,
  takerFeeBpsByCategory: {},
  takerFeeRate: 0,
  restingFeeHold: 'held',
  settlementFailureRate: 0,
  recordedQueue: 'displayed',
  accountPlace: 'arrival',
};

const DEFAULT_SOCKETS: SocketLimits = {
  pingMs: PING_INTERVAL_MS,
  deltaFlushMs: DELTA_FLUSH_MS,
  summaryMsMin: 1_000,
  bufferBytesMax: 4 * 1_024 * 1_024,
  frameBytesMax: 1_024 * 1_024,
  socketsMax: 1_000,
  framesPerSecMax: 200,
};

/** A batch of 15 orders is under 4 kB; this leaves room for anything legitimate. */
const BODY_BYTES_MAX = 256 * 1_024;
const STARTING_CASH_USDC = 10_000;

/** Fills in the defaults. */
export function paperSettings(options: PaperOptions): PaperSettings {
  return {
    events: options.events,
    seed: options.seed ?? 1,
    startingCash: options.startingCash ?? STARTING_CASH_USDC,
    accountName: options.accountName ?? 'maker',
    timing: { ...scaled(DEFAULT_TIMING, options.timeScale ?? 1), ...options.timing },
    rules: { ...DEFAULT_RULES, ...options.rules },
    dialect: { ...CURRENT_DIALECT, ...options.dialect },
    budgets: { ...DEFAULT_BUDGETS, ...options.budgets },
    accountBudgets: options.accountBudgets ?? {},
    sockets: { ...DEFAULT_SOCKETS, ...options.sockets },
    bodyBytesMax: options.bodyBytesMax ?? BODY_BYTES_MAX,
    isControllable: options.isControllable ?? false,
  };
}

function scaled(timing: ExchangeTiming, timeScale: number): ExchangeTiming {
  return {
    matchDelayMs: timing.matchDelayMs,
    settleMsMin: timing.settleMsMin * timeScale,
    settleMsMax: timing.settleMsMax * timeScale,
    indexLagMsMin: timing.indexLagMsMin * timeScale,
    indexLagMsMax: timing.indexLagMsMax * timeScale,
  };
}
