// Who runs, on which market, against which crowd.

import type { CoreSettings, MarketChoice } from '../../src/domain/input.ts';
import { OVERLAY_DEFAULTS } from '../../src/domain/overlays.ts';
import { RECYCLER_DEFAULTS, type RecyclerSettings } from '../../src/domain/sets.ts';
import {
  HONEST_PROFILES,
  type ProfileChoice,
  type ProfileName,
} from '../../src/paper/crowd/profile.ts';
import type { EventPlan } from '../../src/paper/exchange/plan.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { strategy as amm } from '../../strategies/amm.ts';
import { strategy as auto } from '../../strategies/auto.ts';
import { strategy as avellaneda } from '../../strategies/avellaneda-stoikov.ts';
import { strategy as bands } from '../../strategies/bands.ts';
import { strategy as eventBook } from '../../strategies/event-book.ts';
import { strategy as fairFollow } from '../../strategies/fair-follow.ts';
import { strategy as glft } from '../../strategies/glft.ts';
import { strategy as skew } from '../../strategies/inventory-skew.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';
import { strategy as lmsr } from '../../strategies/lmsr.ts';
import { strategy as logitInventory } from '../../strategies/logit-inventory.ts';
import { strategy as setArb } from '../../strategies/set-arb.ts';
import { strategy as touchQueue } from '../../strategies/touch-queue.ts';
import { USUAL_TIMING } from '../support/usual-timing.ts';

export type CrowdName = ProfileName;
export const CROWDS: readonly CrowdName[] = ['calm', 'informed', 'jumpy'];

export type Runner = {
  readonly strategy: Strategy;
  /** Changes to the defaults. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly tickSize: '0.01' | '0.001';
  /** Markets of the event; more than one are its exclusive outcomes. */
  readonly markets: number;
  /** Instead of a crowd, somebody now and then offers both tokens below one. */
  readonly hasStrays?: boolean;
  /** What becomes of complete sets; they are left alone where nothing is said. */
  readonly sets?: Partial<RecyclerSettings>;
  /** Whether somebody outside states the fair value every second. */
  readonly hasFeed?: boolean;
};

const SIZE = { size: 20, levels: 2 };

/** The same capital for everybody; a market of 0.01 where nothing else is said. */
export const LINEUP: readonly Runner[] = [
  runner(auto, { params: SIZE }),
  runner(ladder, { params: SIZE }),
  runner(skew, { params: SIZE }),
  runner(bands, {}),
  // It offers what it holds: without sets to begin with it could only bid.
  runner(amm, {
    params: { maxCollateral: 100, depth: 0.05 },
    sets: { mode: 'on', workingMin: 60, workingMax: 120 },
  }),
  runner(avellaneda, { params: SIZE }),
  runner(glft, { params: SIZE }),
  runner(logitInventory, { params: SIZE }),
  runner(lmsr, { params: SIZE }),
  runner(touchQueue, { params: { size: 20 } }),
  runner(fairFollow, { params: SIZE, hasFeed: true }),
  runner(eventBook, { params: SIZE, markets: 3 }),
  // The crowd's own books of YES and NO always agree, so that nothing would ever be taken from it.
  runner(setArb, {
    params: { minEdge: 0.003 },
    hasStrays: true,
    sets: { mode: 'on', workingMax: 20 },
  }),
];

function runner<Params>(
  strategy: Strategy<Params>,
  more: Partial<Omit<Runner, 'strategy'>>,
): Runner {
  const own = strategy as unknown as Strategy;
  return { params: {}, tickSize: '0.01', markets: 1, ...more, strategy: own };
}

export function eventOf({ tickSize, markets }: Runner): EventPlan {
  const slugs = Array.from({ length: markets }, (_, index) => `rain-${index}`);
  return {
    slug: 'rain',
    title: 'Rain',
    category: 'weather',
    tickSize,
    markets: slugs.map((slug) => ({ slug, title: slug })),
  };
}

/** The crowd of that name as the days meet it. */
export function crowdOf(
  { hasStrays }: Runner,
  name: CrowdName,
  resolvesAfterMs?: number,
): ProfileChoice {
  const honest = { ...HONEST_PROFILES[name], resolvesAfterMs };
  if (hasStrays !== true) return honest;
  return { ...honest, makers: 0, noiseTakersPerSec: 0, informedTakersPerSec: 0 };
}

/** What an operator would set for one small account; every guard stands as it does by default. */
export function settingsOf(runner: Runner): CoreSettings {
  const choice: MarketChoice = {
    event: 'rain',
    market: undefined,
    strategy: runner.strategy.name,
    params: { ...defaultsOf(runner.strategy), ...runner.params },
    overlays: OVERLAY_DEFAULTS,
    // The venue of the day takes one per cent of the cost: no more than this.
    takerFeeRate: 0.03,
    isExclusive: runner.markets > 1,
    sets: { ...RECYCLER_DEFAULTS, ...runner.sets },
  };
  return {
    markets: [choice],
    risk: {
      maxPositionShares: 250,
      maxOrderNotionalUsdc: 120,
      maxOpenOrders: 60,
      maxLossUsdc: 600,
    },
    orders: {
      priceToleranceTicks: 0,
      sizeTolerance: 0.2,
      writesPer10s: 240,
      gatherMs: 20,
      preferSell: true,
      requote: { policy: 'value', driftTicksMax: 1, writeCostUsdc: 0.001, marginUsdc: 0.0005 },
      quietFeedMs: 1_000,
    },
    book: { depth: 50 },
    timing: USUAL_TIMING,
  };
}

function defaultsOf({ params }: Strategy): Readonly<Record<string, unknown>> {
  const specs = Object.entries<{ readonly default: unknown }>(params as never);
  return Object.fromEntries(specs.map(([name, spec]) => [name, spec.default]));
}
