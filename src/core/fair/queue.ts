// Where our orders stand in the queues of their levels. The venue shows levels, not queues, so the
// place is an estimate: trades bring an order forward, and so do cancels that were ahead of it.
// Levels are compared once for each decision, so the order of messages inside a flush is no matter.

import type { TokenId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type MicroShares, microShares } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';
import type { QueueEstimate } from '../../strategy/index.ts';
import {
  afterLevel,
  afterOwnFill,
  afterTrade,
  newPlace,
  type QueueModel,
  type QueuePlace,
} from '../../strategy/toolkit/estimate/queue-position.ts';
import { type MarketBook, shownAt } from '../book/axis.ts';
import { rankOf } from '../book/ladder.ts';
import { isQuoting, type OwnOrder } from '../orders/own-order.ts';

/**
 * Cancels of others are taken to fall behind us the more, the more stands there. The square lies
 * between "only trades bring us forward", which never trusts in a front place, and the half.
 */
const MODEL: QueueModel = { kind: 'power', exponent: 2 };

type Entry = {
  readonly atRest: MicroShares | undefined;
  place: QueuePlace;
  levelSize: number;
  executed: MicroShares;
};

/** Queue places of one market's live orders; it holds as many entries as there are such orders. */
export class QueueTracker {
  readonly #entries = new Map<OwnOrder, Entry>();

  /** A public trade on one token's own book. */
  onTrade(trade: {
    readonly tokenId: TokenId;
    readonly price: Ticks;
    readonly size: MicroShares;
    readonly takerSide: Side;
  }): void {
    for (const [order, entry] of this.#entries) {
      const isAtOurs = order.tokenId === trade.tokenId && order.price === trade.price;
      if (!isAtOurs || order.side === trade.takerSide) continue;
      entry.place = afterTrade(entry.place, trade.size).place;
    }
  }

  /** Compares the levels of live orders with what they showed at the last decision. */
  update(orders: Iterable<OwnOrder>, book: MarketBook): void {
    let kept = 0;
    for (const order of orders) {
      if (!isPlaced(order)) continue;
      this.#look(order, book);
      if (this.#entries.has(order)) kept += 1;
    }
    // Every entry is of an order that was just looked at: nothing has left.
    if (this.#entries.size > kept) this.#forgetOthers(orders);
  }

  of(order: OwnOrder): QueueEstimate | undefined {
    const entry = this.#entries.get(order);
    if (entry === undefined) return undefined;
    const ahead = Math.round(Math.min(entry.place.ahead, entry.levelSize));
    return { ahead: microShares(ahead), behind: microShares(entry.levelSize - ahead) };
  }

  /** What stood before it, of both tokens, when it came to rest; `undefined` where that was not seen. */
  aheadAtRest(order: OwnOrder): MicroShares | undefined {
    return this.#entries.get(order)?.atRest;
  }

  #forgetOthers(orders: Iterable<OwnOrder>): void {
    const live = new Set<OwnOrder>();
    for (const order of orders) if (isPlaced(order)) live.add(order);
    for (const order of this.#entries.keys()) if (!live.has(order)) this.#entries.delete(order);
  }

  #look(order: OwnOrder, book: MarketBook): void {
    const size = othersAt(order, book);
    const entry = this.#entries.get(order);
    // A level that is not displayed lies beyond the subscribed depth, or its frame is in flight.
    if (size === undefined) return;
    if (entry === undefined) {
      const { executed, axisSide, axisPrice } = order;
      const place = executed > 0 ? newPlace(0) : newPlace(size);
      const all = axisSide === 'bid' ? book.bidSizeAt(axisPrice) : book.askSizeAt(axisPrice);
      const atRest = executed > 0 ? undefined : all;
      this.#entries.set(order, { atRest, place, levelSize: size, executed });
      return;
    }
    if (hasMoved(entry, size)) {
      entry.place = afterLevel(entry.place, { previousSize: entry.levelSize, size }, MODEL);
    }
    entry.levelSize = size;
    if (order.executed > entry.executed) entry.place = afterOwnFill(entry.place);
    entry.executed = order.executed;
  }
}

function isPlaced(order: OwnOrder): boolean {
  return isQuoting(order) && order.orderHash !== undefined;
}

/** Something traded or left at its level, or came to it. */
function hasMoved({ place, levelSize }: Entry, size: number): boolean {
  return size !== levelSize || place.tradedSince !== 0 || place.ahead > size;
}

/** Shares of others at the order's own level, `undefined` while the level does not show. */
function othersAt(order: OwnOrder, book: MarketBook): number | undefined {
  const { leg, side, price } = shownAt(book, order);
  const { mirror, own } = book[leg];
  const rank = rankOf(mirror.grid, side, price);
  const displayed = mirror.levels(side).at(rank);
  return displayed === 0 ? undefined : own.side(side).others(rank, displayed);
}
