// Short backtests: one market, usual settings, any world.

import type { Conditions } from '../../../src/backtest/conditions.ts';
import { openRecordedWorld } from '../../../src/backtest/recorded-world.ts';
import { type RegimeName, regimePlan } from '../../../src/backtest/regimes.ts';
import type { RunResult } from '../../../src/backtest/result.ts';
import { runBacktest } from '../../../src/backtest/run.ts';
import { SyntheticWorld } from '../../../src/backtest/synthetic-world.ts';
import type { OnProgress, World } from '../../../src/backtest/world.ts';
import type { CoreSettings, MarketChoice } from '../../../src/domain/input.ts';
import { openRecording } from '../../../src/paper/crowd/recording.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { USUAL_TIMING } from '../../support/usual-timing.ts';

export const CONDITIONS: Conditions = {
  latency: { kind: 'constant', feedMs: 40, entryMs: 60, responseMs: 40 },
  queue: 'conservative',
  takerFeeRate: 0,
  settleMsMin: 15_000,
  settleMsMax: 20_000,
  positionLagMsMin: 30_000,
  positionLagMsMax: 120_000,
  settlementFailureRate: 0,
  partlyFilled: 'cancellable',
  startingCashUsdc: 2_000,
  seed: 1,
};

/** What to change of the usual run. */
export type Changes = {
  readonly conditions?: Partial<Conditions>;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Quotes this market of the event only. */
  readonly market?: string;
  readonly onProgress?: OnProgress;
};

export const LADDER = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 20 };

/** A ladder in a world. */
export async function runIn(world: World, changes: Changes = {}): Promise<RunResult> {
  const params = { ...LADDER, ...changes.params };
  const markets = world.events.map(
    (event): MarketChoice => ({
      event: event.slug,
      market: changes.market,
      strategy: 'ladder',
      params,
    }),
  );
  return await runBacktest({
    world,
    conditions: { ...CONDITIONS, ...queueOf(world), ...changes.conditions },
    settings: { ...SETTINGS, markets },
    strategies: new Map([['ladder', ladder as unknown as Strategy]]),
    wallMs: () => 0,
    ...(changes.onProgress === undefined ? {} : { onProgress: changes.onProgress }),
  });
}

/** As `backtest` plays it where no queue model is named: orders of a synthetic crowd stand as they came. */
function queueOf(world: World): Partial<Conditions> {
  return world instanceof SyntheticWorld ? { queue: 'real' } : {};
}

export function synthetic(name: RegimeName, hours: number, seed = 1): World {
  return new SyntheticWorld(regimePlan(name, { hours, seed, activity: 1 }));
}

export async function recorded(path: string): Promise<World> {
  return await openRecordedWorld(await openRecording(path), undefined);
}

export const SETTINGS: CoreSettings = {
  markets: [],
  risk: {
    maxPositionShares: 200,
    maxOrderNotionalUsdc: 100,
    maxOpenOrders: 60,
    maxLossUsdc: 1_000,
  },
  orders: {
    priceToleranceTicks: 0,
    sizeTolerance: 0.2,
    writesPer10s: 240,
    gatherMs: 20,
    preferSell: true,
  },
  book: { depth: 50 },
  timing: USUAL_TIMING,
};
