// One side of one token as one maker keeps it: a bounded set of orders that changes as little as
// it can.

import type { OrderHash, TokenId } from '../../domain/ids.ts';
import type { BookSide } from '../../domain/message.ts';
import { type MicroShares, shares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { Desk } from '../exchange/desk.ts';
import type { CrowdAccount } from './account.ts';
import { type LadderShape, ladderPrices } from './ladder.ts';
import type { Random } from './random.ts';
import { type Room, roomFor } from './touch.ts';

export type MakerSideOptions = {
  readonly desk: Desk;
  readonly grid: TickGrid;
  readonly account: CrowdAccount;
  readonly random: Random;
  readonly tokenId: TokenId;
  readonly siblingId: TokenId;
  readonly side: BookSide;
};

type Resting = {
  readonly orderHash: OrderHash;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  readonly placedAtMs: UnixMs;
  readonly keptUntilMs: UnixMs;
};

/** An order is looked up in the public book only after it must have arrived there. */
const ARRIVAL_MS = 1_000;
/** Nobody leaves an order alone for longer than this. */
const KEPT_MS = { least: 20_000, most: 60_000 };
/** Orders this many ladders behind the best price are too far off to be worth their cash. */
const REACH_LADDERS = 3;
/** Spread of order sizes, as the standard deviation of their logarithm. */
const SIZE_SIGMA = 0.6;
/** No order is larger than this many median ones. */
const SIZE_MEDIANS_MAX = 8;
/** The best level's share of the median size; sizes grow evenly to as much above it at the end. */
const BEST_LEVEL_SHARE = 0.3;
/** Everybody's ladder without regard to the book. */
const ANYWHERE: Room = { bidMax: Number.POSITIVE_INFINITY, askMin: Number.NEGATIVE_INFINITY };

export class MakerSide {
  readonly #options: MakerSideOptions;
  /** Best price first. */
  #resting: readonly Resting[] = [];

  constructor(options: MakerSideOptions) {
    this.#options = options;
  }

  /** Cancels what is worn, eaten into, bolder than the view allows, or far off. */
  prune(shape: LadderShape): void {
    const { desk, grid, tokenId, side } = this.#options;
    const best = ladderPrices(grid, side, { ...shape, levels: 1 }, ANYWHERE)[0];
    const reach = REACH_LADDERS * shape.levels * shape.spacingTicks;
    const nowMs = desk.nowMs();
    this.#cancelUnless((order) => {
      const behind = best === undefined ? -1 : this.#worseBy(order.price, best);
      const hasArrived = nowMs - order.placedAtMs >= ARRIVAL_MS;
      const isEaten = () => desk.sizeAt(tokenId, side, order.price) < order.quantity;
      return (
        behind >= 0 && behind <= reach && nowMs < order.keptUntilMs && !(hasArrived && isEaten())
      );
    });
  }

  /** Places what the ladder lacks, never at a price that would trade at once. */
  fill(shape: LadderShape, medianShares: number): void {
    const { desk, grid, tokenId, siblingId, side } = this.#options;
    const room = roomFor(desk, grid, tokenId, siblingId);
    this.#keepBest(shape.levels);
    for (const [depth, price] of ladderPrices(grid, side, shape, room).entries()) {
      if (this.#resting.some((order) => order.price === price)) continue;
      const worst = this.#resting.at(-1);
      const isFull = this.#resting.length >= shape.levels;
      if (isFull && worst && this.#worseBy(worst.price, price) <= 0) return;
      if (isFull) this.#keepBest(shape.levels - 1);
      if (!this.#place(price, medianShares * depthShare(depth, shape.levels))) return;
    }
  }

  /** Forgets every order: the account has just cancelled them all. */
  forget(): void {
    this.#resting = [];
  }

  #place(price: Ticks, medianShares: number): boolean {
    const { desk, account, random, tokenId, side } = this.#options;
    const quantity = this.#quantityAt(price, medianShares);
    const orderSide = side === 'bid' ? 'BUY' : 'SELL';
    const order = { tokenId, side: orderSide, price, quantity, timeInForce: 'GTC' } as const;
    const keptMs = random.whole(KEPT_MS.least, KEPT_MS.most);
    const orderHash = account.place(order);
    if (orderHash === undefined) return false;
    const nowMs = desk.nowMs();
    const entry = {
      orderHash,
      price,
      quantity,
      placedAtMs: nowMs,
      keptUntilMs: addMs(nowMs, keptMs),
    };
    this.#resting = [...this.#resting, entry].sort((a, b) => this.#worseBy(a.price, b.price));
    return true;
  }

  /** Whole shares, as many as the smallest order value asks for at least. */
  #quantityAt(price: Ticks, medianShares: number): MicroShares {
    const { grid, random } = this.#options;
    const drawn = random.lognormal(medianShares, SIZE_SIGMA);
    const wanted = Math.round(Math.min(drawn, SIZE_MEDIANS_MAX * medianShares));
    return shares(Math.max(wanted, Math.ceil(grid.ticksPerUnit / price)));
  }

  #keepBest(count: number): void {
    if (this.#resting.length <= count) return;
    const kept = new Set(this.#resting.slice(0, Math.max(0, count)));
    this.#cancelUnless((order) => kept.has(order));
  }

  /** A failed cancel means filled or stuck; either way the order is nothing to quote around. */
  #cancelUnless(isKept: (order: Resting) => boolean): void {
    const kept: Resting[] = [];
    const worn: Resting[] = [];
    for (const order of this.#resting) (isKept(order) ? kept : worn).push(order);
    if (worn.length === 0) return;
    for (const order of worn) this.#options.account.cancel(order.orderHash);
    this.#resting = kept;
  }

  /** How many ticks a price is behind another, from the maker's side of the book. */
  #worseBy(price: Ticks, than: Ticks): number {
    return this.#options.side === 'bid' ? than - price : price - than;
  }
}

/** Few show their hand at the best price. */
function depthShare(depth: number, levels: number): number {
  const reach = 2 * (1 - BEST_LEVEL_SHARE);
  return BEST_LEVEL_SHARE + (levels > 1 ? (reach * depth) / (levels - 1) : reach / 2);
}
