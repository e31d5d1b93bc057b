// Figures over the last day for the charts. Each series keeps a fixed number of points: when it is full those that are close are
// thinned out, so that a short run is fine-grained and a long one still fits.

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
type Point = readonly [atMs: number, figures: Figures];

/** What was written down of an earlier moment, each figure as it was then: unknown ones are NaN. */
export type PastPoint = {
  readonly atMs: number;
  readonly pnl: number;
  readonly writes: number;
  readonly markets: readonly {
    readonly marketId: string;
    readonly mid: number;
    readonly net: number;
    readonly pnl: number;
  }[];
};

/** Points further apart have nothing between them: the daemon did not run. */
const GAP_MS = 1_200_000;

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

  /** Also where the clock was set back: points ahead of it would keep all others away until it is there. */
  isDue(atMs: number): boolean {
    const lastMs = this.#lastMs;
    return lastMs === undefined || atMs < lastMs || atMs - lastMs >= this.#stepMs;
  }

  get #lastMs(): number | undefined {
    return this.#at[this.#count - 1];
  }

  add(atMs: number, figures: Figures): void {
    while ((this.#lastMs ?? atMs) > atMs) this.#count -= 1;
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

  /** Puts points of an earlier run before those of this one. */
  recall(past: readonly Point[]): void {
    const own = this.#points();
    const firstMs = own[0]?.[0] ?? Number.POSITIVE_INFINITY;
    this.#count = 0;
    for (const point of [...past.filter(([atMs]) => atMs < firstMs), ...own]) {
      const lastMs = this.#at[this.#count - 1] ?? point[0];
      const unknown = this.#names.map(() => Number.NaN);
      if (point[0] - lastMs > GAP_MS) this.add((lastMs + point[0]) / 2, unknown);
      this.add(...point);
    }
  }

  #points(): readonly Point[] {
    return Array.from({ length: this.#count }, (_, at) => {
      const figures = this.#columns.map((column) => column[at] ?? Number.NaN);
      return [this.#at[at] ?? 0, figures];
    });
  }

  #makeRoom(): void {
    while (this.#count === POINTS && this.#stepMs < STEP_MS_MAX) {
      this.#stepMs *= 2;
      this.#thin();
    }
    if (this.#count < POINTS) return;
    for (const column of [this.#at, ...this.#columns]) column.copyWithin(0, 1);
    this.#count -= 1;
  }

  /** Leaves points that are a step apart, the last of them and those that are rare anyway. */
  #thin(): void {
    const kept: number[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (let at = this.#count - 1; at >= 0; at -= 1) {
      const atMs = this.#at[at] ?? 0;
      if (nextMs - atMs < this.#stepMs) continue;
      kept.push(at);
      nextMs = atMs;
    }
    kept.reverse();
    for (const column of [this.#at, ...this.#columns]) {
      for (const [to, from] of kept.entries()) column[to] = column[from] ?? Number.NaN;
    }
    this.#count = kept.length;
  }
}

export class History {
  readonly #clock: Clock;
  readonly #account = new Series(ACCOUNT_FIGURES);
  readonly #markets = new Map<string, Series>();
  /** Those that the trader tells of, once it has said so. */
  #order: ReadonlySet<string> | undefined;

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
    this.#order = kept;
    for (const id of this.#markets.keys()) if (!kept.has(id)) this.#markets.delete(id);
  }

  /** What earlier runs left of the last day, oldest first: a restart does not begin a new day. */
  recall(past: readonly PastPoint[]): void {
    this.#account.recall(
      past.map(({ atMs, pnl, writes }) => [atMs, [pnl, Number.NaN, Number.NaN, writes]]),
    );
    const points = new Map<string, Point[]>();
    for (const { atMs, markets } of past) {
      for (const { marketId, mid, net, pnl } of markets) {
        const known = points.get(marketId) ?? [];
        known.push([atMs, [mid, Number.NaN, net, pnl]]);
        points.set(marketId, known);
      }
    }
    for (const [marketId, known] of points) {
      if (this.#order?.has(marketId) === false) continue;
      (this.#markets.get(marketId) ?? this.#begun(marketId))?.recall(known);
    }
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
