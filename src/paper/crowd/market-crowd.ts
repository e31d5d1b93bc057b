// Everybody who trades one market: makers, takers who know nothing, takers who know.

import type { Market } from '../../domain/market.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { Desk } from '../exchange/desk.ts';
import { CrowdAccount } from './account.ts';
import { Maker } from './maker.ts';
import type { MarketProfile } from './profile.ts';
import type { Random } from './random.ts';
import { InformedTaker, NoiseTaker } from './takers.ts';

export type MarketCrowdOptions = {
  readonly desk: Desk;
  readonly grid: TickGrid;
  readonly market: Market;
  readonly profile: MarketProfile;
  /** The market's own stream of chance. */
  readonly random: Random;
  readonly activity: number;
};

/** Makers of one market whatever its profile says; each may rest some dozens of orders. */
const MAKERS_MAX = 10;
/** Accounts that noise flow is spread over. */
const NOISE_ACCOUNTS = 2;
/** Takers that may arrive in one step: a crowd that was held up does not make good for it. */
const IN_FLIGHT_MAX = 20;
/** Time that one step makes up for, for the same reason. */
const STEP_MS_MAX = 1_000;

export class MarketCrowd {
  readonly #options: MarketCrowdOptions;
  readonly #makers: readonly Maker[];
  readonly #noise: readonly NoiseTaker[];
  readonly #informed: InformedTaker;
  readonly #arrivals: Random;
  #past: readonly { readonly atMs: number; readonly fairValue: number }[] = [];

  constructor(options: MarketCrowdOptions) {
    this.#options = options;
    this.#arrivals = options.random.split('arrivals');
    const count = Math.min(MAKERS_MAX, Math.max(0, options.profile.makers));
    this.#makers = Array.from({ length: count }, (_, rank) => {
      return new Maker({ ...this.#trader(`maker-${rank + 1}`), rank, activity: options.activity });
    });
    this.#noise = Array.from({ length: NOISE_ACCOUNTS }, (_, index) => {
      return new NoiseTaker(this.#trader(`noise-${index + 1}`));
    });
    this.#informed = new InformedTaker(this.#trader('informed'));
  }

  /** Lets everybody act once; `elapsedMs` is the time since the step before. */
  step(elapsedMs: number, fairValue: number): void {
    this.#remember(fairValue);
    for (const maker of this.#makers) maker.act((agoMs) => this.#fairValueAt(agoMs));
    this.#takersArrive(Math.min(elapsedMs, STEP_MS_MAX) / 1_000, fairValue);
    for (const taker of this.#noise) taker.tidy();
  }

  stop(): void {
    for (const trader of [...this.#makers, ...this.#noise, this.#informed]) trader.stop();
  }

  #takersArrive(seconds: number, fairValue: number): void {
    const { profile, activity } = this.#options;
    const busy = seconds * activity;
    const noise = this.#arrivals.poisson(profile.noiseTakersPerSec * busy);
    for (let count = 0; count < Math.min(noise, IN_FLIGHT_MAX); count += 1) {
      this.#noise[this.#arrivals.whole(0, NOISE_ACCOUNTS - 1)]?.arrive();
    }
    const informed = this.#arrivals.poisson(profile.informedTakersPerSec * busy);
    for (let count = 0; count < Math.min(informed, IN_FLIGHT_MAX); count += 1) {
      this.#informed.arrive(fairValue);
    }
  }

  /** Keeps as much of the past as the slowest look at it needs. */
  #remember(fairValue: number): void {
    const nowMs = this.#options.desk.nowMs();
    const fromMs = nowMs - this.#options.profile.makerLagMs;
    const firstNeeded = this.#past.findLastIndex((each) => each.atMs <= fromMs);
    this.#past = [...this.#past.slice(Math.max(0, firstNeeded)), { atMs: nowMs, fairValue }];
  }

  #fairValueAt(agoMs: number): number {
    const atMs = this.#options.desk.nowMs() - agoMs;
    const seen = this.#past.findLast((each) => each.atMs <= atMs) ?? this.#past[0];
    return seen?.fairValue ?? 0.5;
  }

  #trader(role: string) {
    const { desk, grid, market, profile, random } = this.#options;
    const account = new CrowdAccount(desk, market.id, `crowd/${market.id}/${role}`);
    return { desk, grid, market, profile, account, random: random.split(role) };
  }
}
