// The orders of one market in price-time order on its axis, with the recorded size among them.

import type { OutcomeIndex } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import { type AxisPoint, axisLevel, bookSideOf, mirrored } from './axis.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import type { AccountPlace, ExchangeRules, QueueModel } from './rules.ts';

export const INDEXES: readonly OutcomeIndex[] = [0, 1];

/**
 * Recorded size of one token at one level, how much of it real orders took and it still shows, and how much of
 * what stood ahead of real orders recorded trades have taken since its update.
 */
type Recorded = { sizeMicro: number; takenMicro: number; tradedMicro: number };

/** One axis price: orders of both tokens in the order of their arrival. */
export class AxisLevel {
  readonly orders: ExchangeOrder[] = [];
  /** Resting shares by outcome index. */
  readonly restingMicro: [number, number] = [0, 0];
  readonly #recorded: readonly [Recorded, Recorded] = [
    { sizeMicro: 0, takenMicro: 0, tradedMicro: 0 },
    { sizeMicro: 0, takenMicro: 0, tradedMicro: 0 },
  ];

  recordedMicro(index: OutcomeIndex): number {
    const { sizeMicro, takenMicro } = this.#recorded[index];
    return sizeMicro - takenMicro;
  }

  sizeMicro(index: OutcomeIndex): number {
    return this.restingMicro[index] + this.recordedMicro(index);
  }

  /** What the public book of a token shows here. */
  shownMicro(index: OutcomeIndex, books: ExchangeRules['books']): number {
    return books === 'unified' ? this.sizeMicro(0) + this.sizeMicro(1) : this.sizeMicro(index);
  }

  /** Recorded size that was taken is still to leave. */
  isEmpty(): boolean {
    const [no, yes] = this.#recorded;
    return this.orders.length === 0 && no.sizeMicro === 0 && yes.sizeMicro === 0;
  }

  /** A new recorded size; what it means for orders that stood behind the old one is the queue model's to say. */
  setRecorded(index: OutcomeIndex, sizeMicro: number, queue: QueueModel): void {
    const recorded = this.#recorded[index];
    const shrunkMicro = Math.max(0, recorded.sizeMicro - sizeMicro);
    const untradedMicro = Math.max(0, shrunkMicro - recorded.tradedMicro);
    recorded.tradedMicro = Math.max(0, recorded.tradedMicro - shrunkMicro);
    recorded.sizeMicro = sizeMicro;
    // What leaves is what real orders had taken, as long as that is enough: none of it is there to be taken again.
    const cancelledMicro = Math.max(0, untradedMicro - recorded.takenMicro);
    const takenMicro = Math.max(0, recorded.takenMicro - untradedMicro);
    recorded.takenMicro = Math.min(takenMicro, sizeMicro);
    if (queue === 'conservative') return;
    for (const order of this.orders) {
      const aheadMicro = order.aheadMicro[index] - (queue === 'optimistic' ? cancelledMicro : 0);
      order.aheadMicro[index] = Math.max(0, Math.min(aheadMicro, this.recordedMicro(index)));
    }
  }

  /** A real order took recorded size: it is gone, however often the level is recorded with it. */
  takeRecorded(index: OutcomeIndex, countMicro: number): void {
    this.#recorded[index].takenMicro += countMicro;
    this.passRecorded(index, countMicro);
  }

  /** A recorded trade took size that stood in front; the level's next update shows it once more. */
  tradeRecorded(index: OutcomeIndex, countMicro: number): void {
    this.#recorded[index].tradedMicro += countMicro;
    this.passRecorded(index, countMicro);
  }

  /** Recorded size that stood in front is gone, so everyone moves up. */
  passRecorded(index: OutcomeIndex, countMicro: number): void {
    for (const order of this.orders) {
      order.aheadMicro[index] = Math.max(0, order.aheadMicro[index] - countMicro);
    }
  }
}

/** One side, dense by axis tick: a price has at most 999 legal levels. */
class LevelSlots {
  readonly #levels: (AxisLevel | undefined)[];
  /** Between these lies all that it holds, so that a walk costs no more than that. */
  #lowest: number;
  #highest = 0;

  constructor(grid: TickGrid) {
    this.#levels = new Array<AxisLevel | undefined>(grid.ticksPerUnit).fill(undefined);
    this.#lowest = grid.ticksPerUnit;
  }

  get lowest(): number {
    return this.#lowest;
  }

  get highest(): number {
    return this.#highest;
  }

  at(tick: number): AxisLevel | undefined {
    return this.#levels[tick];
  }

  ensure(tick: number): AxisLevel {
    const known = this.#levels[tick];
    if (known) return known;
    const fresh = new AxisLevel();
    this.#levels[tick] = fresh;
    this.#lowest = Math.min(this.#lowest, tick);
    this.#highest = Math.max(this.#highest, tick);
    return fresh;
  }

  clear(tick: number): void {
    this.#levels[tick] = undefined;
    while (this.#highest > 0 && !this.#levels[this.#highest]) this.#highest -= 1;
    while (this.#lowest < this.#levels.length && !this.#levels[this.#lowest]) this.#lowest += 1;
  }
}

export type PublicLevel = { readonly priceTicks: number; readonly sizeMicro: number };

export class MarketBook {
  readonly #grid: TickGrid;
  readonly #books: ExchangeRules['books'];
  readonly #bids: LevelSlots;
  readonly #asks: LevelSlots;

  constructor(grid: TickGrid, books: ExchangeRules['books']) {
    this.#grid = grid;
    this.#books = books;
    this.#bids = new LevelSlots(grid);
    this.#asks = new LevelSlots(grid);
  }

  level(side: BookSide, tick: number): AxisLevel | undefined {
    return this.#sideOf(side).at(tick);
  }

  ensureLevel(side: BookSide, tick: number): AxisLevel {
    return this.#sideOf(side).ensure(tick);
  }

  /** Joins the queue behind everything that is there, but for what the rule says of accounts and crowd. */
  rest(order: ExchangeOrder, place: AccountPlace): void {
    const level = this.ensureLevel(order.axis.side, order.axis.tick);
    for (const index of INDEXES) order.aheadMicro[index] = level.recordedMicro(index);
    const at = placeIn(level.orders, order, place);
    if (at === level.orders.length) level.orders.push(order);
    else level.orders.splice(at, 0, order);
    level.restingMicro[order.index] += order.restingMicro();
  }

  /** Takes shares of a resting order off the book; an order with nothing left leaves its queue. */
  reduce(order: ExchangeOrder, countMicro: number, isGone: boolean): void {
    const level = this.level(order.axis.side, order.axis.tick);
    const place = level?.orders.indexOf(order) ?? -1;
    if (!level || place < 0) return;
    level.restingMicro[order.index] -= countMicro;
    if (isGone) level.orders.splice(place, 1);
    this.tidy(order.axis);
  }

  /** Forgets a level that holds nothing, so that a walk costs what the book holds. */
  tidy({ side, tick }: AxisPoint): void {
    const level = this.level(side, tick);
    if (level?.isEmpty()) this.#sideOf(side).clear(tick);
  }

  /** Axis ticks of a side that hold anything, best first, as far as `limitTick`. */
  ticksTo(side: BookSide, limitTick: number): readonly number[] {
    const slots = this.#sideOf(side);
    const found: number[] = [];
    if (side === 'ask') {
      const last = Math.min(limitTick, slots.highest);
      for (let tick = slots.lowest; tick <= last; tick += 1) if (slots.at(tick)) found.push(tick);
      return found;
    }
    const last = Math.max(limitTick, slots.lowest);
    for (let tick = slots.highest; tick >= last; tick -= 1) if (slots.at(tick)) found.push(tick);
    return found;
  }

  /** The best axis tick of a side whose level is as asked. */
  bestWhere(side: BookSide, isAsked: (level: AxisLevel) => boolean): number | undefined {
    const slots = this.#sideOf(side);
    const { lowest, highest } = slots;
    const step = side === 'ask' ? 1 : -1;
    for (let tick = side === 'ask' ? lowest : highest; tick >= lowest && tick <= highest; ) {
      const level = slots.at(tick);
      if (level && isAsked(level)) return tick;
      tick += step;
    }
    return undefined;
  }

  /** Axis ticks of a whole side that hold anything, best first. */
  allTicks(side: BookSide): readonly number[] {
    return this.ticksTo(side, side === 'ask' ? this.#grid.ticksPerUnit - 1 : 1);
  }

  /** One side of a token's public book, best first. */
  levels(index: OutcomeIndex, side: BookSide, countMax = Number.POSITIVE_INFINITY): PublicLevel[] {
    const axisSide = bookSideOf(side, index);
    const slots = this.#sideOf(axisSide);
    const { lowest, highest } = slots;
    const step = axisSide === 'ask' ? 1 : -1;
    const found: PublicLevel[] = [];
    let tick = axisSide === 'ask' ? lowest : highest;
    for (; tick >= lowest && tick <= highest && found.length < countMax; tick += step) {
      const sizeMicro = slots.at(tick)?.shownMicro(index, this.#books) ?? 0;
      if (sizeMicro > 0) found.push({ priceTicks: mirrored(this.#grid, index, tick), sizeMicro });
    }
    return found;
  }

  /** The public size of one level. */
  sizeAt(
    grid: TickGrid,
    at: { readonly index: OutcomeIndex; readonly side: BookSide; readonly price: number },
  ): number {
    const point = axisLevel(grid, at);
    return this.level(point.side, point.tick)?.shownMicro(at.index, this.#books) ?? 0;
  }

  /** Every resting order, in no order that matters. */
  orders(): ExchangeOrder[] {
    const found: ExchangeOrder[] = [];
    for (const slots of [this.#bids, this.#asks]) {
      for (let tick = slots.lowest; tick <= slots.highest; tick += 1)
        found.push(...(slots.at(tick)?.orders ?? []));
    }
    return found;
  }

  #sideOf(side: BookSide): LevelSlots {
    return side === 'bid' ? this.#bids : this.#asks;
  }
}

/** How many orders of the level stand before this one. */
function placeIn(
  orders: readonly ExchangeOrder[],
  order: ExchangeOrder,
  place: AccountPlace,
): number {
  const first = place === 'first' ? 'api' : 'crowd';
  if (place === 'arrival' || order.terms.account.kind !== first) return orders.length;
  const other = orders.findIndex(({ terms }) => terms.account.kind !== first);
  return other < 0 ? orders.length : other;
}
