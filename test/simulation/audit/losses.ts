// Losses of the session, of the day and from the peak, by the venue's own ledger: what cash and shares
// came to at the middle of its books without the daemon's orders. Each is the least that it can have been
// over the last minute, since the daemon prices from what it last trusted.

import type { ControlName, RiskControls } from '../../../src/domain/risk.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { Exchange } from '../../../src/paper/exchange/exchange.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { Excuses } from './excuses.ts';
import type { OrderFacts } from './facts.ts';

export type Beyond = { readonly control: ControlName; readonly detail: string };

export type LossParts = {
  readonly exchange: Exchange;
  readonly account: Account;
  readonly facts: OrderFacts;
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
type Unsure = Pick<Excuses, 'isAnyUnsettled' | 'corrections'>;

/** No loss is beyond a limit that is measured from here. */
const UNKNOWN = Number.NEGATIVE_INFINITY;

export class Losses {
  readonly #parts: LossParts;
  /** Profit of the last minute in USDC, a number a second. */
  #samples: number[] = [];
  /** Slugs of the events that are quoted. */
  #quoted: ReadonlySet<string>;
  /** The last of each market while it was open and quoted. */
  readonly #middles = new Map<ListedMarket, number>();
  #sampledAtMs = 0;
  #session: number | undefined;
  #dayBegan = 0;
  #day: number | undefined;
  #peak = UNKNOWN;
  #corrections = 0;

  constructor(parts: LossParts, quoted: ReadonlySet<string>) {
    this.#parts = parts;
    this.#quoted = quoted;
  }

  onSettings(quoted: ReadonlySet<string>): void {
    this.#quoted = quoted;
  }

  /** Whoever begins without a memory measures from what it finds. */
  forget(): void {
    this.#samples = [];
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

  look(nowMs: number, at: { readonly startsAtHour: number; readonly excuses: Unsure }): void {
    if (nowMs - this.#sampledAtMs < SAMPLE_MS) return;
    this.#sampledAtMs = nowMs;
    const profitUsdc = this.#isSure(at.excuses) ? this.#profitUsdc() : undefined;
    if (profitUsdc === undefined) this.#samples = [];
    else this.#samples.push(profitUsdc);
    if (this.#samples.length > SAMPLES) this.#samples.shift();
    const least = profitUsdc === undefined ? UNKNOWN : Math.min(...this.#samples);
    this.#session ??= least;
    const day = Math.floor((nowMs / HOUR_MS - at.startsAtHour) / DAY_HOURS);
    if (this.#day === undefined || day !== this.#dayBegan) this.#day = least;
    this.#dayBegan = day;
    if (this.#samples.length >= PEAK_SAMPLES)
      this.#peak = Math.max(this.#peak, Math.min(...this.#samples.slice(-PEAK_SAMPLES)));
  }

  /**
   * Losses that are beyond their limit for certain.
   * @param unpricedUsdc - By so much a profit from before a correction may differ from one of after it.
   */
  beyond(
    { sessionUsdc, dayUsdc, drawdownUsdc }: RiskControls['loss'],
    unpricedUsdc: number,
  ): readonly Beyond[] {
    if (this.#samples.length < SAMPLES) return [];
    const most = Math.max(...this.#samples);
    const since = (from: number | undefined) =>
      from === undefined ? undefined : from - unpricedUsdc;
    const losses = [
      ['session_loss', 'a session loss', since(this.#session), sessionUsdc],
      ['day_loss', 'a day loss', since(this.#day), dayUsdc],
      ['drawdown', 'a drawdown', this.#peak, drawdownUsdc],
    ] as const;
    return losses.flatMap(([control, name, from, limit]) => {
      const lost = (from ?? most) - most;
      const isOver = limit > 0 && lost > limit * (1 + SLACK_PART) + SLACK_USDC;
      const detail = `${name} of ${lost.toFixed(2)} USDC, ${limit} allowed`;
      return isOver ? [{ control, detail }] : [];
    });
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
  #profitUsdc(): number | undefined {
    const { exchange, facts } = this.#parts;
    let usdc = 0;
    for (const { markets } of exchange.catalogue.events()) {
      for (const market of markets) {
        const yes = facts.totalMicro(market.market.yes.tokenId) / 1e6;
        const no = facts.totalMicro(market.market.no.tokenId) / 1e6;
        const price = yes === no ? 0 : this.#priceOf(market);
        if (price === undefined) return undefined;
        usdc += facts.cashNano(market.market.id) / 1e9 + yes * price + no * (1 - price);
      }
    }
    return usdc;
  }

  /**
   * Which outcome has won nobody is told before shares are redeemed: the last price stands. So it does
   * for a market that was taken out of the settings, whose books nobody hears any more.
   */
  #priceOf(market: ListedMarket): number | undefined {
    const isHeard = market.winner === undefined && this.#quoted.has(market.listed.event.slug);
    if (!isHeard) return this.#middles.get(market);
    const middle = middleOf(this.#parts.exchange, this.#parts.account, market);
    if (middle !== undefined) this.#middles.set(market, middle);
    return middle;
  }
}

/** Between the best of what others offer; `undefined` where a side is empty. */
export function middleOf(
  exchange: Exchange,
  account: Account,
  market: ListedMarket,
): number | undefined {
  const bid = bestOf(exchange, account, { market, side: 'bid' });
  const ask = bestOf(exchange, account, { market, side: 'ask' });
  if (bid === undefined || ask === undefined) return undefined;
  return (bid + ask) / 2 / market.grid.ticksPerUnit;
}

function bestOf(
  exchange: Exchange,
  account: Account,
  { market, side }: { readonly market: ListedMarket; readonly side: 'bid' | 'ask' },
): number | undefined {
  const book = exchange.context.books.of(market);
  for (const tick of book.ticksTo(side, side === 'bid' ? 1 : market.grid.ticksPerUnit - 1)) {
    const orders = book.level(side, tick)?.orders ?? [];
    if (orders.some(({ terms }) => terms.account !== account)) return tick;
  }
  return undefined;
}
