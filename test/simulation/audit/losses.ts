// Losses since the start, of the session, of the day and from the peak, by the venue's own ledger: what cash and shares
// came to at the middle of its books without the daemon's orders. Each is the least that it can have been
// over the last minute, since the daemon prices from what it last trusted.

import type { RiskLimits } from '../../../src/domain/input.ts';
import type { ControlName, RiskAction } from '../../../src/domain/risk.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import { type Books, middlesOf } from './middles.ts';
import type { Range } from './told.ts';
import type { Unreported } from './unreported.ts';

export type Beyond = {
  readonly control: ControlName;
  /** What holds then. */
  readonly level: RiskAction;
  readonly detail: string;
};

const SAMPLE_MS = 1_000;
/** Prices that are trusted may be this old before a market counts as unpriced. */
const SAMPLES = 60;
/** A price that stood for less was perhaps never seen. */
const PEAK_SAMPLES = 10;
const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Beyond a limit by this part of it and this much, nobody can have overlooked it. */
const SLACK_PART = 0.3;
const SLACK_USDC = 4;

/** What is excused of the truth about profits. */
type Unsure = Pick<Unreported, 'isAnyUnsettled' | 'corrections'>;

/** No loss is beyond a limit that is measured from here. */
const UNKNOWN = Number.NEGATIVE_INFINITY;

type Limits = Pick<RiskLimits, 'maxLossUsdc' | 'loss'>;

type Measured = readonly [
  control: ControlName,
  name: string,
  from: number | undefined,
  limitUsdc: number,
  level: RiskAction,
];

type DayAt = {
  readonly startsAtHour: number;
  /** By the machine's clock: a day of the daemon's ends by nothing else. */
  readonly hostMs: number;
};

type LookAt = DayAt & { readonly unreported: Unsure };

export class Losses {
  readonly #parts: Books;
  /** Profit of the last minute in USDC, once a second: the least and the most that it may be taken for. */
  #samples: Range[] = [];
  /** Slugs of the events that are quoted. */
  #quoted: ReadonlySet<string>;
  /** The last of each market while it was open and quoted. */
  readonly #middles = new Map<ListedMarket, Range>();
  #sampledAtMs = 0;
  #start: number | undefined;
  #session: number | undefined;
  #dayBegan = 0;
  #day: number | undefined;
  #peak = UNKNOWN;
  #corrections = 0;

  constructor(parts: Books, quoted: ReadonlySet<string>) {
    this.#parts = parts;
    this.#quoted = quoted;
  }

  onSettings(quoted: ReadonlySet<string>): void {
    this.#quoted = quoted;
  }

  /** Whoever begins without a memory measures from what it finds. */
  forget(): void {
    this.#samples = [];
    this.#start = undefined;
    this.#session = undefined;
    this.#day = undefined;
    this.#peak = UNKNOWN;
  }

  /** A loss that an operator has seen is measured anew from here; the others stay what they are. */
  onSeen(control: ControlName): void {
    if (control === 'session_loss') this.#session = undefined;
    if (control === 'day_loss') this.#day = undefined;
    if (control === 'drawdown') this.#peak = UNKNOWN;
  }

  /** After an operator's resume nothing is judged before there is a minute of profits again. */
  onResumed(): void {
    this.#samples = [];
  }

  look(nowMs: number, at: LookAt): void {
    if (nowMs - this.#sampledAtMs < SAMPLE_MS) return;
    this.#sampledAtMs = nowMs;
    const profit = this.#isSure(at.unreported) ? this.#profitUsdc() : undefined;
    if (profit === undefined) this.#samples = [];
    else this.#samples.push(profit);
    if (this.#samples.length > SAMPLES) this.#samples.shift();
    const least = profit === undefined ? UNKNOWN : leastOf(this.#samples);
    this.#start ??= least;
    this.#session ??= least;
    const day = dayOf(at);
    if (this.#day === undefined || day !== this.#dayBegan) this.#day = least;
    this.#dayBegan = day;
    if (this.#samples.length >= PEAK_SAMPLES)
      this.#peak = Math.max(this.#peak, leastOf(this.#samples.slice(-PEAK_SAMPLES)));
  }

  /**
   * Losses that are beyond their limit for certain.
   * @param unpricedUsdc - By so much a profit from before a correction may differ from one of after it.
   * @param at - A day that has begun since the last look has lost nothing yet.
   */
  beyond(limits: Limits, unpricedUsdc: number, at: DayAt): readonly Beyond[] {
    if (this.#samples.length < SAMPLES) return [];
    const most = Math.max(...this.#samples.map(({ high }) => high));
    const isToday = dayOf(at) === this.#dayBegan;
    return this.#measured(limits, unpricedUsdc).flatMap(([control, name, from, limit, level]) => {
      if (control === 'day_loss' && !isToday) return [];
      const lost = (from ?? most) - most;
      const isOver = limit > 0 && lost > limit * (1 + SLACK_PART) + SLACK_USDC;
      const detail = `${name} of ${lost.toFixed(2)} USDC, ${limit} allowed`;
      return isOver ? [{ control, level, detail }] : [];
    });
  }

  #measured({ maxLossUsdc, loss }: Limits, unpricedUsdc: number): readonly Measured[] {
    const since = (from: number | undefined) =>
      from === undefined ? undefined : from - unpricedUsdc;
    const ever = ['max_loss_usdc', 'a loss', since(this.#start), maxLossUsdc, 'killed'] as const;
    if (loss === undefined) return [ever];
    const { sessionUsdc, sessionAction, dayUsdc, dayAction, drawdownUsdc, drawdownAction } = loss;
    return [
      ever,
      ['session_loss', 'a session loss', since(this.#session), sessionUsdc, sessionAction],
      ['day_loss', 'a day loss', since(this.#day), dayUsdc, dayAction],
      ['drawdown', 'a drawdown', this.#peak, drawdownUsdc, drawdownAction],
    ];
  }

  /**
   * While somebody else's trade or a failed settlement is not known to the daemon its profit is another
   * one, and a correction moves it to a price that is a guess. What was measured from stays where it was;
   * a day, or a loss seen by an operator, that begins meanwhile begins at nobody knows what, and is not
   * held against anything; a peak is looked for anew, since the daemon's is no lower than that.
   */
  #isSure({ isAnyUnsettled, corrections }: Unsure): boolean {
    const isCorrected = corrections !== this.#corrections;
    this.#corrections = corrections;
    if (!isAnyUnsettled && !isCorrected) return true;
    this.#peak = UNKNOWN;
    return false;
  }

  /** `undefined` while something is held of which a side of the book is empty: it has no price. */
  #profitUsdc(): Range | undefined {
    const { exchange, facts } = this.#parts;
    const sum = { low: 0, high: 0 };
    for (const { markets } of exchange.catalogue.events()) {
      for (const market of markets) {
        const yes = facts.totalMicro(market.market.yes.tokenId) / 1e6;
        const no = facts.totalMicro(market.market.no.tokenId) / 1e6;
        const price = yes === no ? { low: 0, high: 0 } : this.#priceOf(market);
        if (price === undefined) return undefined;
        const cash = facts.cashNano(market.market.id) / 1e9;
        const [least, most] = yes > no ? [price.low, price.high] : [price.high, price.low];
        sum.low += cash + yes * least + no * (1 - least);
        sum.high += cash + yes * most + no * (1 - most);
      }
    }
    return sum;
  }

  /**
   * Which outcome has won nobody is told before shares are redeemed: the last price stands. So it does
   * for a market that was taken out of the settings, whose books nobody hears any more.
   */
  #priceOf(market: ListedMarket): Range | undefined {
    const isHeard = market.winner === undefined && this.#quoted.has(market.listed.event.slug);
    if (!isHeard) return this.#middles.get(market);
    const middles = middlesOf(this.#parts, market);
    if (middles !== undefined) this.#middles.set(market, middles);
    return middles;
  }
}

function dayOf({ hostMs, startsAtHour }: DayAt): number {
  return Math.floor((hostMs / HOUR_MS - startsAtHour) / DAY_HOURS);
}

function leastOf(samples: readonly Range[]): number {
  return Math.min(...samples.map(({ low }) => low));
}
