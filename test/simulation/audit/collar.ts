// The rule `beyond_collar`: no order is placed far from what is known of its market, the books of
// the venue without the daemon's orders, and the last trades that the daemon was reported.

import type { Event } from '../../../src/domain/market.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { RiskControls } from '../../../src/domain/risk.ts';
import type { TickGrid } from '../../../src/domain/ticks.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { PlaceCommand } from '../world/network.ts';
import { type AxisOrder, axisOf, marketOf } from './axis.ts';
import { type Books, fairValuesOf } from './middles.ts';
import type { Room, Rules } from './room.ts';
import { type Noted, note, type Range, rangeOf, ToldTrades } from './told.ts';

const SAMPLE_MS = 1_000;
/** The daemon may price from what was true a minute ago, as long as nothing said that it is not. */
const FAIR_MS = 60_000;
/** Trades that reach the daemon a moment later, or are read on another grid, move what it holds a price against. */
const TRADES_TOLERANCE = 0.03;
/** Prices are compared this much coarser than their doubles. */
const EPSILON = 1e-6;

export class CollarRules implements Rules {
  readonly #room: Room;
  readonly #collar: Collar | undefined;
  /** What prices of frames count on: a change of the tick size is known with the next catalogue. */
  readonly #grids = new Map<string, TickGrid>();

  /** Markets of which the daemon was told another tick size, and that have not come back on it. */
  readonly #regridding = new Map<string, ListedMarket>();

  constructor(room: Room) {
    const { settings, venue, account, facts } = room;
    const { collar } = settings.risk;
    const books = { exchange: venue.exchange, account, facts };
    this.#room = room;
    this.#collar = collar && new Collar(collar.tradesMs, books);
  }

  onProcessStarts(): void {
    this.#collar?.forget();
  }

  onSettings(): void {
    this.#collar?.onSettings(this.#room.nowMs());
  }

  onMessage(message: VenueMessage): void {
    if (message.kind === 'catalogue' && message.outcome.kind === 'ok')
      for (const event of message.outcome.value) this.#onListed(event);
    if (message.kind !== 'trade' || this.#collar === undefined) return;
    // An echo has no side: it tells of a settlement, long after the match that it is of.
    if (message.takerSide === undefined) return;
    const found = marketOf(this.#room.venue.exchange, message.tokenId);
    if (found === undefined) return;
    const { market, isYes } = found;
    const { ticksPerUnit } = this.#grids.get(market.listed.event.id) ?? market.grid;
    const price = message.price / ticksPerUnit;
    this.#collar.onTold(market, isYes ? price : 1 - price, this.#room.nowMs());
  }

  #onListed({ id, grid }: Event): void {
    const { nowMs, venue } = this.#room;
    const known = this.#grids.get(id);
    this.#grids.set(id, grid);
    if (known === undefined || known.ticksPerUnit === grid.ticksPerUnit) return;
    const listed = venue.exchange.catalogue.events().find(({ event }) => event.id === id);
    for (const market of listed?.markets ?? []) {
      this.#regridding.set(market.market.id, market);
      this.#collar?.onRegridded(market, nowMs());
    }
  }

  /** It leaves with its old tick size, and hears of trades until it is back. */
  onReport(report: Report): void {
    if (report.event !== 'market.listed') return;
    const market = this.#regridding.get(report.market);
    if (market !== undefined) this.#collar?.onRegridded(market, this.#room.nowMs());
    this.#regridding.delete(report.market);
  }

  onPlacing({ orders }: PlaceCommand): void {
    const { venue, nowMs, lately, violate } = this.#room;
    if (this.#collar === undefined) return;
    const collars = lately.limits(nowMs()).flatMap(({ collar }) => collar ?? []);
    for (const order of orders) {
      const found = marketOf(venue.exchange, order.tokenId);
      if (found === undefined) continue;
      const far = this.#collar.faultOf(found.market, axisOf(found, order), {
        collars,
        nowMs: nowMs(),
      });
      if (far !== undefined) violate('beyond_collar', `${found.market.market.title}: ${far}`);
    }
  }

  check(nowMs: number): void {
    this.#collar?.look(nowMs);
  }
}

class Collar {
  readonly #books: Books;
  readonly #fairValues = new Map<ListedMarket, Noted[]>();
  readonly #trades: ToldTrades<ListedMarket>;
  #sampledAtMs = 0;

  constructor(tradesMs: number, books: Books) {
    this.#trades = new ToldTrades(tradesMs);
    this.#books = books;
  }

  /** A new process has reported for no trade. */
  forget(): void {
    this.#trades.forget();
  }

  onSettings(nowMs: number): void {
    this.#trades.doubt(nowMs);
  }

  onRegridded(market: ListedMarket, nowMs: number): void {
    this.#trades.doubtOf(market, nowMs);
  }

  /** @param price - On the YES axis. */
  onTold(market: ListedMarket, price: number, nowMs: number): void {
    this.#trades.onTold(market, price, nowMs);
  }

  look(nowMs: number): void {
    if (nowMs - this.#sampledAtMs < SAMPLE_MS) return;
    this.#sampledAtMs = nowMs;
    for (const { markets } of this.#books.exchange.catalogue.events()) {
      for (const market of markets) this.#sample(market, nowMs);
    }
  }

  /** What is wrong with an order by each of the settings that may be in force. */
  faultOf(
    market: ListedMarket,
    order: AxisOrder,
    at: { readonly collars: readonly RiskControls['collar'][]; readonly nowMs: number },
  ): string | undefined {
    const { collars, nowMs } = at;
    this.#sample(market, nowMs);
    const fair = rangeOf(this.#fairValues.get(market), nowMs - FAIR_MS);
    const trades = this.#trades.range(market, nowMs);
    const faults = collars.map(
      ({ fairThrough, fairAway, tradesThrough, tradesAway }) =>
        beyond(order, fair, { what: 'a fair value', through: fairThrough, away: fairAway }) ??
        beyond(order, widened(trades), {
          what: 'trades',
          through: tradesThrough,
          away: tradesAway,
        }),
    );
    return faults.includes(undefined) ? undefined : faults[0];
  }

  #sample(market: ListedMarket, nowMs: number): void {
    const fair = fairValuesOf(this.#books, market);
    if (fair === undefined) return;
    for (const price of new Set([fair.low, fair.high]))
      note(this.#fairValues, market, { price, atMs: nowMs }, nowMs - FAIR_MS);
  }
}

function widened(range: Range | undefined): Range | undefined {
  if (range === undefined) return undefined;
  return { low: range.low - TRADES_TOLERANCE, high: range.high + TRADES_TOLERANCE };
}

function beyond(
  { side, price }: AxisOrder,
  range: Range | undefined,
  limit: { readonly what: string; readonly through: number; readonly away: number },
): string | undefined {
  if (range === undefined) return undefined;
  const above = price - range.high;
  const below = range.low - price;
  const [through, away] = side === 'bid' ? [above, below] : [below, above];
  const isFar = (distance: number, most: number) => most > 0 && distance > most + EPSILON;
  if (!isFar(through, limit.through) && !isFar(away, limit.away)) return undefined;
  const known = `${range.low.toFixed(3)} to ${range.high.toFixed(3)}`;
  return `a ${side} at ${price.toFixed(3)}, ${limit.what} ${known}`;
}
