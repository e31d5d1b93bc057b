// Active trading: others quote around a middle that walks, and somebody trades with the bot several times
// a second, more often against the position it has, as informed flow never lets it grow for ever.

import type { Floor } from './floor.ts';

export type CrowdPlan = {
  /** Distance of the others' best prices from the middle, in ticks. */
  readonly halfSpreadTicks: number;
  /** Prices of each side, a tick apart. */
  readonly levels: number;
  /** How often the middle of a market moves by `stepTicks`; 0 never moves it. */
  readonly moveMs: number;
  readonly stepTicks: number;
  /** How often somebody trades in each market; 0 never. */
  readonly tradeMs: number;
  readonly tradeShares: readonly [number, number];
};

export const ACTIVE: CrowdPlan = {
  halfSpreadTicks: 8,
  levels: 1,
  moveMs: 1_500,
  stepTicks: 1,
  tradeMs: 400,
  tradeShares: [4, 30],
};

/** A net position of so many shares is traded against nearly always. */
const NET_SCALE = 150;
/** The middle stays within this part of the range around a half. */
const WALK_PART = 0.08;

export class Crowd {
  readonly #floor: Floor;
  readonly #plan: CrowdPlan;
  readonly #middles: number[];
  readonly #timers: NodeJS.Timeout[] = [];
  isTrading = true;

  constructor(floor: Floor, plan: CrowdPlan = ACTIVE) {
    this.#floor = floor;
    this.#plan = plan;
    const half = floor.ticksPerUnit / 2;
    this.#middles = Array.from({ length: floor.marketCount }, () => half);
    for (const market of this.#middles.keys()) this.#start(market);
  }

  middle(market: number): number {
    return this.#middles[market] ?? 0;
  }

  /** How far the middle moves in two steps: nobody follows it faster than books are sent. */
  get slackTicks(): number {
    return 2 * this.#plan.stepTicks;
  }

  move(market: number, ticks: number): void {
    this.#middles[market] = this.middle(market) + ticks;
    this.#quote(market);
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #start(market: number): void {
    this.#quote(market);
    const { moveMs, tradeMs } = this.#plan;
    if (moveMs > 0) this.#timers.push(setInterval(() => this.#walk(market), moveMs));
    if (tradeMs > 0) this.#timers.push(setInterval(() => this.#trade(market), tradeMs));
  }

  #quote(market: number): void {
    const { halfSpreadTicks, levels } = this.#plan;
    const middle = this.middle(market);
    const [bid, ask] = [middle - halfSpreadTicks, middle + halfSpreadTicks];
    this.#floor.layBook(market, { bid, ask, levels });
  }

  #walk(market: number): void {
    const half = this.#floor.ticksPerUnit / 2;
    const reach = this.#floor.ticksPerUnit * WALK_PART;
    const offset = this.middle(market) - half;
    const isUp = Math.random() < 0.5 - offset / (2 * reach);
    this.move(market, isUp ? this.#plan.stepTicks : -this.#plan.stepTicks);
  }

  #trade(market: number): void {
    if (!this.isTrading) return;
    const { net } = this.#floor.bot(market);
    const [min, max] = this.#plan.tradeShares;
    const hitsBid = Math.random() < 0.5 - net / (2 * NET_SCALE);
    const shares = Math.round(min + Math.random() * (max - min));
    this.#floor.hit(market, hitsBid ? 'bid' : 'ask', shares);
  }
}
