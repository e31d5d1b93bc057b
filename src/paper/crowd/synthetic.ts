// The seeded crowd: a fair value for every event, and people who trade its markets around it.

import { assert } from '../../domain/assert.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { Event, Market } from '../../domain/market.ts';
import type { Timers } from '../../domain/time.ts';
import type { Desk } from '../exchange/desk.ts';
import { Belief } from './belief.ts';
import { MarketCrowd } from './market-crowd.ts';
import { type MarketProfile, type ProfileChoice, profileOf } from './profile.ts';
import { type Random, seededRandom } from './random.ts';

export type SyntheticCrowdOptions = {
  readonly seed: string | number;
  readonly timers: Timers;
  /** By market id, or by event slug for all its markets; calm where nothing is said. */
  readonly markets?: Readonly<Record<string, ProfileChoice>>;
  /** Scales how often takers arrive and makers look; 1 is the usual pace, 0 leaves makers only. */
  readonly activity?: number;
};

export type SyntheticCrowd = {
  /** Ends all trading and takes back every order of the crowd. */
  stop(): void;
  /** What YES of a market is worth at this moment; `undefined` for a market without a crowd. */
  fairValue(marketId: MarketId): number | undefined;
  /**
   * News that everybody hears: YES of the market is worth this much from now on.
   * @throws {AssertionError} For a market without a crowd or a value outside (0, 1).
   */
  announce(marketId: MarketId, probability: number): void;
};

/** The crowd of one event acts this often. */
const STEP_MS = 100;
/** News of no more than this come at once. */
const ELAPSED_MS_MAX = 3_600_000;
/** Beyond it the crowd would be a load test, and its arrivals no longer a Poisson process. */
const ACTIVITY_MAX = 100;

/**
 * Starts a crowd on every open market of the exchange. A usable book stands after the first step,
 * which is taken at once.
 *
 * Same seed, same exchange and same time: the same orders. Each trader draws from a stream of its
 * own, so another market or trader leaves the draws of the rest as they were. The markets of an
 * event that has several are taken for its exclusive outcomes, of which one wins.
 */
export function startSyntheticCrowd(desk: Desk, options: SyntheticCrowdOptions): SyntheticCrowd {
  const activity = options.activity ?? 1;
  assert(activity >= 0 && activity <= ACTIVITY_MAX, 'the activity is from 0 to 100');
  const random = seededRandom(options.seed);
  const crowds = desk
    .events()
    .filter((event) => event.status === 'open' && tradable(event).length > 0)
    .map((event) => new EventCrowd(desk, event, { ...options, activity, random }));
  for (const crowd of crowds) crowd.start();
  const crowdOf = (id: MarketId): EventCrowd | undefined => crowds.find((crowd) => crowd.has(id));
  return {
    stop: () => {
      for (const crowd of crowds) crowd.stop();
    },
    fairValue: (id) => crowdOf(id)?.fairValue(id),
    announce: (id, probability) => {
      const crowd = crowdOf(id);
      assert(crowd !== undefined, 'news is about a market that has a crowd');
      crowd.announce(id, probability);
    },
  };
}

type EventCrowdOptions = {
  readonly timers: Timers;
  readonly random: Random;
  readonly activity: number;
  readonly markets?: Readonly<Record<string, ProfileChoice>>;
};

class EventCrowd {
  readonly #desk: Desk;
  readonly #timers: Timers;
  readonly #markets: readonly Market[];
  readonly #crowds: readonly MarketCrowd[];
  readonly #belief: Belief;
  #steppedAtMs: number;
  #callOff: (() => void) | undefined;
  #isOver = false;

  constructor(desk: Desk, event: Event, options: EventCrowdOptions) {
    this.#desk = desk;
    this.#timers = options.timers;
    this.#markets = tradable(event);
    this.#steppedAtMs = desk.nowMs();
    const random = options.random.split(event.slug);
    const profiles = this.#markets.map((market) =>
      profileOf(options.markets ?? {}, { id: market.id, eventSlug: event.slug }),
    );
    this.#belief = beliefOf(profiles, random.split('belief'));
    this.#crowds = this.#markets.map((market, index) => {
      const profile = profiles[index];
      assert(profile !== undefined, 'every market has a profile');
      const common = { desk, grid: event.grid, market, profile, activity: options.activity };
      return new MarketCrowd({ ...common, random: random.split(market.id) });
    });
  }

  start(): void {
    this.#step();
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#callOff?.();
    for (const crowd of this.#crowds) crowd.stop();
  }

  has(id: MarketId): boolean {
    return this.#markets.some((market) => market.id === id);
  }

  /** The probability of YES. */
  fairValue(id: MarketId): number | undefined {
    return this.#belief.probabilities()[this.#markets.findIndex((market) => market.id === id)];
  }

  announce(id: MarketId, probability: number): void {
    this.#belief.announce(
      this.#markets.findIndex((market) => market.id === id),
      probability,
    );
  }

  #step(): void {
    const nowMs = this.#desk.nowMs();
    // Clocks are set back, and hosts sleep for days: neither is time in which anybody traded or learnt.
    const elapsedMs = Math.min(ELAPSED_MS_MAX, Math.max(0, nowMs - this.#steppedAtMs));
    this.#steppedAtMs = nowMs;
    this.#belief.step(elapsedMs);
    if (this.#belief.isResolved) {
      this.#resolve();
      return;
    }
    const probabilities = this.#belief.probabilities();
    this.#crowds.forEach((crowd, index) => {
      crowd.step(elapsedMs, probabilities[index] ?? 0.5);
    });
    this.#callOff = this.#timers.after(STEP_MS, () => this.#step());
  }

  #resolve(): void {
    this.stop();
    this.#markets.forEach((market, index) => {
      const winner = index === this.#belief.winner ? market.yes : market.no;
      this.#desk.resolve(market.id, winner.tokenId);
    });
  }
}

function tradable(event: Event): readonly Market[] {
  return event.markets.filter((market) => market.status === 'open' && market.enableOrderBook);
}

/** A single market has its NO for the other outcome; several markets are the outcomes themselves. */
function beliefOf(profiles: readonly MarketProfile[], random: Random): Belief {
  const [first] = profiles;
  assert(first !== undefined, 'an event with a crowd has a market');
  const weights = profiles.map(({ startProbability }) => {
    const drawn = 0.3 + 0.4 * random.uniform();
    return startProbability ?? drawn;
  });
  const [only] = weights;
  const isSingle = weights.length === 1 && only !== undefined;
  return new Belief(isSingle ? [only, 1 - only] : weights, first, random);
}
