// A synthetic crowd as the world of a backtest: it knows what its markets are worth.

import type { MarketId } from '../domain/ids.ts';
import type { Event } from '../domain/market.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import type { ProfileChoice } from '../paper/crowd/profile.ts';
import { type SyntheticCrowd, startSyntheticCrowd } from '../paper/crowd/synthetic.ts';
import type { WorthOf } from './watch.ts';
import type { OnProgress, Stage, World } from './world.ts';

/** Some day; results do not depend on it. */
const STARTS_AT_MS = Date.UTC(2026, 0, 5);
const PROGRESS_MS = 60_000;

export type SyntheticPlan = {
  readonly name: string;
  readonly events: readonly Event[];
  /** By market id or event slug. */
  readonly profiles: Readonly<Record<string, ProfileChoice>>;
  readonly activity: number;
  readonly hours: number;
  readonly seed: number;
};

export class SyntheticWorld implements World {
  readonly name: string;
  readonly events: readonly Event[];
  readonly startsAtMs: UnixMs = unixMs(STARTS_AT_MS);
  readonly #plan: SyntheticPlan;
  #stage: Stage | undefined;
  #crowd: SyntheticCrowd | undefined;
  readonly #values = new Map<MarketId, number>();

  constructor(plan: SyntheticPlan) {
    this.#plan = plan;
    this.name = `${plan.name}, seed ${plan.seed}`;
    this.events = plan.events;
  }

  open(stage: Stage): void {
    const { seed, activity, profiles } = this.#plan;
    this.#stage = stage;
    this.#crowd = startSyntheticCrowd(stage.desk, {
      seed,
      activity,
      timers: stage.clock,
      markets: profiles,
    });
  }

  async play(onProgress: OnProgress): Promise<void> {
    const toMs = STARTS_AT_MS + this.#plan.hours * 3_600_000;
    const clock = this.#stage?.clock;
    for (let atMs = STARTS_AT_MS; clock && atMs < toMs; ) {
      atMs = Math.min(toMs, atMs + PROGRESS_MS);
      clock.runUntil(atMs);
      await onProgress({ fromMs: STARTS_AT_MS, atMs, toMs });
    }
  }

  close(): void {
    for (const { id } of this.events.flatMap(({ markets }) => markets)) {
      const value = this.#crowd?.fairValue(id);
      if (value !== undefined) this.#values.set(id, value);
    }
    this.#crowd?.stop();
    // What the crowd left resting is no longer anybody's price.
    for (const { id } of this.events.flatMap(({ markets }) => markets)) {
      this.#stage?.desk.setTradingStatus(id, 'closed');
    }
  }

  worthOf(marketId: MarketId): ReturnType<WorthOf> {
    const value = this.#values.get(marketId);
    return value === undefined ? undefined : { mark: 'belief', value };
  }

  counts() {
    return { frames: 0, badLines: 0, badLineExamples: [] };
  }
}
