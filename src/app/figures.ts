// What quoting came to in this run, market by market and in all: the figures of a backtest, of the state that the
// core shows anyway and of the fills that the day book follows. It looks on at the pace of that state, by time: what
// was seen last holds until the next look, so that no path of an order has to tell it anything.

import { Drawdown } from '../backtest/drawdown.ts';
import type { VenuePort } from '../domain/command.ts';
import type { MarketId } from '../domain/ids.ts';
import type { Clock, Timers } from '../domain/time.ts';
import type { MarketView, PickMarkets, StateView } from '../domain/view.ts';
import { figuresView, inAll } from './figures-in-all.ts';
import type { EarnedSoFar } from './look-back/earned.ts';
import { type Figures, MarketFigures, SAMPLE_MS_MIN } from './market-figures.ts';

/** Where nobody asks for the state, markets are looked at by this. */
const LOOK_MS = 1_000;
/** In one such look; with the rest of the state it takes a few milliseconds. */
const LOOKED_MAX = 20;
/** More than the settings allow markets; those that left longest ago are given up beyond it. */
const MARKETS_MAX = 2_000;

export type LiveFiguresNeeds = {
  /** What the fills of a market come to at a value of YES; absent where nobody follows them. */
  readonly earnedIn: (marketId: MarketId, value: number | undefined) => EarnedSoFar | undefined;
  readonly clock: Clock;
};

export class LiveFigures {
  readonly #needs: LiveFiguresNeeds;
  readonly #markets = new Map<MarketId, MarketFigures>();
  readonly #drawdown = new Drawdown();
  #sampledAtMs = Number.NEGATIVE_INFINITY;
  #ids: readonly MarketId[] = [];
  #writes = 0;
  #callOff: () => void = () => {};

  constructor(needs: LiveFiguresNeeds) {
    this.#needs = needs;
  }

  /** Counts order writes, each behind its leaving. */
  counting(send: VenuePort['send']): VenuePort['send'] {
    return (command, ageMs) => {
      send(command, ageMs);
      if (command.kind === 'placeOrders') this.#writes += 1;
    };
  }

  /** Looks from now on at those markets that nobody has asked for within a second. */
  start(timers: Timers, view: (pick: PickMarkets) => StateView): void {
    this.#callOff = timers.after(LOOK_MS, () => {
      this.start(timers, view);
      this.#lookAt(view);
    });
  }

  stop(): void {
    this.#callOff();
  }

  /** The state as it is made, with figures: each market of it is looked at. */
  shown(make: (pick: PickMarkets) => StateView, pick: PickMarkets = (all) => all): StateView {
    const view = make((all) => {
      this.#ids = all;
      return pick(all);
    });
    const markets = view.markets.map((market) => this.#seen(view, market));
    this.#forget();
    const writes = { ...view.writes, sent: this.#writes };
    const figures = figuresView(this.#inAll(view));
    return { ...view, markets, writes, figures };
  }

  #seen({ atMs, phase }: StateView, market: MarketView): MarketView {
    // Positions are not known yet.
    if (phase === 'starting') return market;
    const { marketId, mark } = market;
    const kept = this.#markets.get(marketId) ?? new MarketFigures();
    this.#markets.set(marketId, kept);
    const value = mark === undefined ? undefined : Number(mark);
    const figures = kept.look(atMs, market, this.#needs.earnedIn(marketId, value));
    return { ...market, figures: figuresView(figures) };
  }

  #inAll({ atMs, account: { pnlUsdc } }: StateView): Figures {
    const current = this.#ids.flatMap((id) => this.#markets.get(id)?.figures ?? []);
    const all = [...this.#markets.values()];
    const profits = all.flatMap(({ profitUsdc }) => profitUsdc ?? []);
    if (atMs - this.#sampledAtMs >= SAMPLE_MS_MIN) {
      this.#sampledAtMs = atMs;
      this.#drawdown.add(profits.reduce((sum, profit) => sum + profit, 0));
    }
    return inAll({
      current,
      ever: all.flatMap(({ figures }) => figures ?? []),
      pnlUsdc: pnlUsdc === undefined ? undefined : Number(pnlUsdc),
      drawdownUsdc: profits.length === 0 ? undefined : this.#drawdown.deepest,
    });
  }

  #lookAt(view: (pick: PickMarkets) => StateView): void {
    const dueMs = this.#needs.clock.nowMs() - LOOK_MS;
    const isDue = (id: MarketId): boolean => (this.#markets.get(id)?.sampledAtMs ?? 0) <= dueMs;
    if (this.#ids.length > 0 && !this.#ids.some(isDue)) return;
    try {
      view((all) => {
        const looked = (id: MarketId): number => this.#markets.get(id)?.sampledAtMs ?? 0;
        const due = all.filter(isDue).sort((a, b) => looked(a) - looked(b));
        return due.slice(0, LOOKED_MAX);
      });
    } catch {
      // Whoever looks on stops nobody.
    }
  }

  /** The ones that left longest ago, where there are too many. */
  #forget(): void {
    if (this.#markets.size <= MARKETS_MAX) return;
    const current = new Set(this.#ids);
    for (const id of this.#markets.keys()) {
      if (this.#markets.size <= MARKETS_MAX) return;
      if (!current.has(id)) this.#markets.delete(id);
    }
  }
}
