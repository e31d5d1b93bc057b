// Figures over the last day for the charts. Each series keeps a fixed number of points: when it is full every
// second one is dropped, so that a short run is fine-grained and a long one still fits.

import type { Clock } from '../domain/time.ts';

/** At the coarsest step they are more than a day. */
const POINTS = 720;
const STEP_MS_MIN = 5_000;
const STEP_MS_MAX = 160_000;
/** About 17 kB each. */
const MARKETS_MAX = 1_000;

/** Of a market; unknown figures are NaN. */
export const MARKET_FIGURES = ['mid', 'fair', 'net', 'pnl'] as const;
export const ACCOUNT_FIGURES = ['pnl', 'worst', 'resting', 'writes'] as const;
type Figures = readonly number[];

class Series {
  readonly #names: readonly string[];
  readonly #at = new Float64Array(POINTS);
  readonly #columns: readonly Float32Array[];
  #count = 0;
  #stepMs = STEP_MS_MIN;

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#columns = names.map(() => new Float32Array(POINTS));
  }

  isDue(atMs: number): boolean {
    const lastMs = this.#at[this.#count - 1];
    return lastMs === undefined || atMs - lastMs >= this.#stepMs;
  }

  add(atMs: number, figures: Figures): void {
    if (this.#count === POINTS) this.#makeRoom();
    this.#at[this.#count] = atMs;
    for (const [place, column] of this.#columns.entries()) {
      column[this.#count] = figures[place] ?? Number.NaN;
    }
    this.#count += 1;
  }

  json(): string {
    const points = { stepMs: this.#stepMs, at: [...this.#at.subarray(0, this.#count)] };
    const columns = this.#names.map((name, place) => [name, this.#known(place)]);
    return JSON.stringify({ ...points, ...Object.fromEntries(columns) });
  }

  /** JSON has no NaN: what is not known is `null` there. */
  #known(place: number): readonly unknown[] {
    const column = this.#columns[place]?.subarray(0, this.#count) ?? [];
    return [...column].map((value) => (Number.isNaN(value) ? null : Number(value.toPrecision(7))));
  }

  #makeRoom(): void {
    const all = [this.#at, ...this.#columns];
    if (this.#stepMs >= STEP_MS_MAX) {
      for (const column of all) column.copyWithin(0, 1);
      this.#count -= 1;
      return;
    }
    this.#stepMs *= 2;
    this.#count = POINTS / 2;
    for (const column of all) {
      for (let at = 0; at < this.#count; at += 1) column[at] = column[2 * at + 1] ?? Number.NaN;
    }
  }
}

export class History {
  readonly #clock: Clock;
  readonly #account = new Series(ACCOUNT_FIGURES);
  readonly #markets = new Map<string, Series>();

  /** @param clock - Time of day, as people read it beside a chart. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  onHead(json: string): void {
    const nowMs = this.#clock.nowMs();
    if (!this.#account.isDue(nowMs)) return;
    const { account, ordersByState: by, writes } = JSON.parse(json);
    const resting = Number(by?.resting) + Number(by?.partiallyFilled);
    const { pnlUsdc, worstCaseLossUsdc } = account ?? {};
    this.#account.add(nowMs, [
      Number(pnlUsdc),
      Number(worstCaseLossUsdc),
      resting,
      Number(writes?.usedInWindow),
    ]);
  }

  onMarket(marketId: string, json: string): void {
    const nowMs = this.#clock.nowMs();
    const series = this.#markets.get(marketId) ?? this.#begun(marketId);
    if (series === undefined || !series.isDue(nowMs)) return;
    const { bestBid, bestAsk, fair, positionYes, positionNo, pnlUsdc } = JSON.parse(json);
    series.add(nowMs, [
      (Number(bestBid) + Number(bestAsk)) / 2,
      Number(fair?.price),
      Number(positionYes) - Number(positionNo),
      Number(pnlUsdc),
    ]);
  }

  onOrder(marketIds: readonly string[]): void {
    const kept = new Set(marketIds);
    for (const id of this.#markets.keys()) if (!kept.has(id)) this.#markets.delete(id);
  }

  /** Of one market, or of the account; `undefined` where nothing is kept of it. */
  json(marketId: string | undefined): string | undefined {
    if (marketId === undefined) return this.#account.json();
    return this.#markets.get(marketId)?.json();
  }

  #begun(marketId: string): Series | undefined {
    if (this.#markets.size >= MARKETS_MAX) return undefined;
    const series = new Series(MARKET_FIGURES);
    this.#markets.set(marketId, series);
    return series;
  }
}
