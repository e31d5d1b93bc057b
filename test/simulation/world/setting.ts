// What is listed, and how the daemon is configured to quote it.

import type { CoreSettings } from '../../../src/domain/input.ts';
import type { Random } from '../../../src/paper/crowd/random.ts';
import type { EventPlan } from '../../../src/paper/exchange/plan.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { strategy as eventBook } from '../../../strategies/event-book.ts';
import { strategy as skew } from '../../../strategies/inventory-skew.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { USUAL_TIMING } from '../../support/usual-timing.ts';
import type { Scene } from '../profiles.ts';
import { type Controls, retunedLimits, retunedRisk, withControls } from './controls.ts';
import { strategy as takingLadder } from './taking-ladder.ts';

const RAIN: EventPlan = {
  slug: 'rain',
  title: 'Will it rain tomorrow?',
  category: 'weather',
  tickSize: '0.01',
  markets: [{ slug: 'rain', title: 'Rain' }],
};

const VOTE: EventPlan = {
  slug: 'vote',
  title: 'Will the vote pass?',
  category: 'politics',
  tickSize: '0.001',
  markets: [{ slug: 'vote', title: 'Vote' }],
};

/** Exactly one of its markets comes true. */
const CUP: EventPlan = {
  slug: 'cup',
  title: 'Who wins the cup?',
  category: 'sports',
  tickSize: '0.01',
  markets: [
    { slug: 'ash', title: 'Ash' },
    { slug: 'birch', title: 'Birch' },
    { slug: 'cedar', title: 'Cedar' },
  ],
};

const LADDER = { halfSpreadTicks: 2, levels: 3, levelSpacingTicks: 1, size: 30 };
const SKEW = { halfSpreadTicks: 6, levels: 2, levelSpacingTicks: 3, size: 40, skewTicks: 3 };

const JOINT = { lossBudget: 60, edge: 0.02, levels: 2, size: 20 };

const BINARY: CoreSettings = {
  markets: [
    { event: 'rain', market: undefined, strategy: 'ladder', params: LADDER },
    { event: 'vote', market: undefined, strategy: 'inventory-skew', params: SKEW },
  ],
  risk: {
    maxPositionShares: 250,
    maxOrderNotionalUsdc: 60,
    maxOpenOrders: 16,
    maxLossUsdc: 220,
  },
  orders: {
    priceToleranceTicks: 0,
    sizeTolerance: 0.2,
    writesPer10s: 240,
    gatherMs: 20,
    preferSell: true,
    armedCancels: true,
    armedPlacements: true,
  },
  book: { depth: 50, unified: 'auto' },
  timing: USUAL_TIMING,
};

const OUTCOMES: CoreSettings = {
  ...BINARY,
  markets: [
    { event: 'rain', market: undefined, strategy: 'ladder', params: LADDER },
    {
      event: 'cup',
      market: undefined,
      strategy: 'event-book',
      params: JOINT,
      isExclusive: true,
    },
  ],
  risk: { ...BINARY.risk, maxOpenOrders: 24 },
};

export type Setting = { readonly events: readonly EventPlan[]; readonly settings: CoreSettings };

const SETTINGS: Readonly<Record<Scene['events'], Setting>> = {
  binary: { events: [RAIN, VOTE], settings: BINARY },
  outcomes: { events: [RAIN, CUP], settings: OUTCOMES },
};

/** What is listed, and settings with what is switched on in them. */
export function settingOf(name: Scene['events'], controls: Controls): Setting {
  const { events, settings } = SETTINGS[name];
  return { events, settings: withControls(settings, controls) };
}

/** Part of the reloads that change limits alone: what rests is wanted for as before. */
const LIMITS_ALONE = 0.35;

/** Settings as an operator might change them while trading. */
export function changedSettings(
  from: CoreSettings,
  base: CoreSettings,
  random: Random,
): CoreSettings {
  const changed = allChanged(from, base, random);
  return random.split('alone').chance(LIMITS_ALONE) ? { ...from, risk: changed.risk } : changed;
}

function allChanged(from: CoreSettings, base: CoreSettings, random: Random): CoreSettings {
  const pick = (values: readonly number[]): number =>
    values[random.whole(0, values.length - 1)] ?? 1;
  return {
    ...from,
    markets: [
      {
        ...(from.markets[0] ?? { event: 'rain', market: undefined, strategy: 'ladder' }),
        params: { ...LADDER, levels: pick([1, 2, 3, 4]), halfSpreadTicks: pick([1, 2, 3]) },
      },
      ...(random.chance(0.8) ? base.markets.slice(1) : []),
    ],
    risk: {
      ...from.risk,
      ...retunedRisk(base.risk, random),
      ...retunedLimits(base.risk, random.split('limits')),
      maxPositionShares: pick([100, 200, 300]),
      maxOpenOrders: pick([6, 12, 20]),
    },
    orders: { ...from.orders, priceToleranceTicks: pick([0, 1]), gatherMs: pick([0, 20, 100]) },
  };
}

/** The strategies by name, seen through `spy`. */
export function strategies(spy: (strategy: Strategy) => Strategy): ReadonlyMap<string, Strategy> {
  const all = [ladder, takingLadder, skew, eventBook] as unknown as readonly Strategy[];
  return new Map(all.map((strategy) => [strategy.name, spy(strategy)]));
}
