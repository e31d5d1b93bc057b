// One market of a backtest as seen from outside: own fills, inventory and profit, beside the market without us.

import type { MarketId } from '../domain/ids.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import type { Account } from '../paper/exchange/account.ts';
import { usdcOf } from '../paper/exchange/amounts.ts';
import { mirrored } from '../paper/exchange/axis.ts';
import type { Exchange } from '../paper/exchange/exchange.ts';
import type { ExchangeOrder } from '../paper/exchange/exchange-order.ts';
import type { ListedMarket } from '../paper/exchange/listed-market.ts';
import type { TradeLeg } from '../paper/exchange/trade.ts';
import { Drawdown } from './drawdown.ts';
import { type Fill, MARKOUT_SEC } from './fills.ts';
import { middleOf, type Touch, touchOfOthers, withinTouch } from './others.ts';
import type { Point } from './result.ts';
import { Series } from './series.ts';
import { Tally } from './tally.ts';

/** Those of the finest grid: a market may change its own, and what was counted before goes on. */
const HALF_TICKS_PER_UNIT = 2_000;

export type WatchOptions = {
  readonly exchange: Exchange;
  readonly account: Account;
  readonly time: Clock & Timers;
  /** Points of a chart, of each market; as many as one can show where absent. */
  readonly pointsMax?: number;
};

/** Own best prices in axis ticks. */
type OwnTouch = { readonly bid: number | undefined; readonly ask: number | undefined };

export class MarketWatch {
  readonly market: ListedMarket;
  readonly halfTicksPerUnit = HALF_TICKS_PER_UNIT;
  readonly tally: Tally;
  failedFills = 0;
  /** Own fills that await their settlement or a look at the middle. */
  readonly #open = new Set<Fill>();
  readonly points: Series<Point>;
  readonly drawdown = new Drawdown();
  readonly #exchange: Exchange;
  readonly #account: Account;
  /** Of everybody else's book, in half ticks: the last one known. */
  #middle: number | undefined;
  #netMicro = 0;
  /** What fills cost, in micro-shares times half ticks. */
  #costUnits = 0;
  #feesUsdc = 0;
  #squares = 0;
  #samples = 0;
  #maxMicro = 0;
  #touched = 0;
  #openSides = 0;

  constructor(
    market: ListedMarket,
    { exchange, account, pointsMax }: Pick<WatchOptions, 'exchange' | 'account' | 'pointsMax'>,
  ) {
    this.market = market;
    this.#exchange = exchange;
    this.#account = account;
    this.points = new Series(pointsMax);
    this.tally = new Tally(HALF_TICKS_PER_UNIT, pointsMax);
  }

  get marketId(): MarketId {
    return this.market.market.id;
  }

  get netMicro(): number {
    return this.#netMicro;
  }

  /** In half ticks; `undefined` before there was one. */
  get lastMiddle(): number | undefined {
    return this.#middle;
  }

  /** The middle of everybody else's book, or the last that there was, no better than the side that is left. */
  middle(): number | undefined {
    this.#take(this.#touch());
    return this.#middle;
  }

  /** Takes down a match of ours at the moment it happens. */
  add(
    leg: TradeLeg,
    how: { readonly atMs: UnixMs; readonly aheadMicro: number | undefined },
  ): Fill {
    const sign = (leg.side === 'BUY') === (leg.index === 1) ? 1 : -1;
    const ticks = mirrored(leg.market.grid, leg.index, leg.priceTicks);
    const price = ticks * (HALF_TICKS_PER_UNIT / leg.market.grid.ticksPerUnit);
    const fill: Fill = {
      marketId: this.marketId,
      atMs: how.atMs,
      sign,
      quantityMicro: leg.quantityMicro,
      price,
      feeUsdc: usdcOf(leg.feeNano).toNumber(),
      isTaker: how.aheadMicro === undefined,
      aheadMicro: how.aheadMicro,
      // What it was before this moment: what fills a quote may have moved the middle already.
      middle: this.#middle ?? price,
      later: [],
      isSettled: false,
    };
    this.#open.add(fill);
    this.#count(fill, 1);
    return fill;
  }

  /** Its settlement failed: nothing changed hands. */
  takeBack(fill: Fill): void {
    this.#open.delete(fill);
    this.failedFills += 1;
    this.#count(fill, -1);
  }

  settle(fill: Fill): void {
    fill.isSettled = true;
    this.#sumUp(fill);
  }

  /** Where the market stands so long after a fill. */
  look(fill: Fill): void {
    fill.later.push(this.middle() ?? fill.middle);
    this.#sumUp(fill);
  }

  /** The end came first for what is still open. */
  end(): void {
    for (const fill of this.#open) this.tally.add(fill, this.#middle);
    this.#open.clear();
  }

  /** Profit with shares valued at `value` half ticks. */
  profitAt(value: number): number {
    const units = this.#netMicro * value - this.#costUnits;
    return units / this.halfTicksPerUnit / 1e6 - this.#feesUsdc;
  }

  /** Profit at the middle; nothing is held before there is one, or it is worth what it cost. */
  profit(): number {
    return this.#middle === undefined ? 0 : this.profitAt(this.#middle);
  }

  sample(atMs: UnixMs, own: readonly ExchangeOrder[]): void {
    const touch = this.#touch();
    const middle = this.#take(touch);
    const ownTouch = ownTouchOf(own);
    this.#samples += 1;
    this.#squares += (this.#netMicro / 1e6) ** 2;
    this.drawdown.add(this.profit());
    if (this.market.trading === 'open') this.#countTouch(touch, ownTouch);
    this.points.add(() => this.#point(atMs, middle, ownTouch));
  }

  /** Over the samples so far. */
  inventory(): { readonly rms: number; readonly max: number } {
    const rms = this.#samples === 0 ? 0 : Math.sqrt(this.#squares / this.#samples);
    return { rms, max: this.#maxMicro / 1e6 };
  }

  /** Sides at the touch, and sides in all, over the samples in which the market was open. */
  touchCounts(): { readonly at: number; readonly of: number } {
    return { at: this.#touched, of: this.#openSides };
  }

  #sumUp(fill: Fill): void {
    if (!fill.isSettled || fill.later.length < MARKOUT_SEC.length) return;
    if (this.#open.delete(fill)) this.tally.add(fill);
  }

  #count({ sign, quantityMicro, price, feeUsdc }: Fill, times: 1 | -1): void {
    this.#netMicro += times * sign * quantityMicro;
    this.#costUnits += times * sign * quantityMicro * price;
    this.#feesUsdc += times * feeUsdc;
    this.#maxMicro = Math.max(this.#maxMicro, Math.abs(this.#netMicro));
  }

  #countTouch(others: Touch, own: OwnTouch): void {
    this.#openSides += 2;
    if (own.bid !== undefined && own.bid >= (others.bid ?? 0)) this.#touched += 1;
    const ask = others.ask ?? Number.POSITIVE_INFINITY;
    if (own.ask !== undefined && own.ask <= ask) this.#touched += 1;
  }

  #point(atMs: UnixMs, middle: number | undefined, own: OwnTouch): Point {
    const { ticksPerUnit } = this.market.grid;
    return {
      atMs,
      middle: middle === undefined ? undefined : middle / this.halfTicksPerUnit,
      bid: own.bid === undefined ? undefined : own.bid / ticksPerUnit,
      ask: own.ask === undefined ? undefined : own.ask / ticksPerUnit,
      netShares: this.#netMicro / 1e6,
      pnlUsdc: this.profit(),
    };
  }

  /** @returns The middle in half ticks of the finest grid; `undefined` where a side is empty. */
  #take(touch: Touch): number | undefined {
    const perHalfTick = HALF_TICKS_PER_UNIT / (2 * this.market.grid.ticksPerUnit);
    const middle = middleOf(touch);
    if (middle === undefined) {
      this.#middle = withinTouch(this.#middle, touch, 2 * perHalfTick);
      return undefined;
    }
    this.#middle = middle * perHalfTick;
    return this.#middle;
  }

  #touch(): Touch {
    return touchOfOthers(this.#exchange.context.books.of(this.market), this.#account);
  }
}

function ownTouchOf(own: readonly ExchangeOrder[]): OwnTouch {
  let bid: number | undefined;
  let ask: number | undefined;
  for (const order of own) {
    if (order.restingMicro() === 0) continue;
    const { side, tick } = order.axis;
    if (side === 'bid') bid = Math.max(bid ?? 0, tick);
    else ask = Math.min(ask ?? Number.POSITIVE_INFINITY, tick);
  }
  return { bid, ask };
}
