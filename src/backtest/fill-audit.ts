// Own fills of a daemon's recorded run, held against what the queue models of a backtest would have filled: the same
// orders, from where they came to rest to their end, in the same books and trades.
//
// `conservative`: what stood ahead goes by trades alone. `optimistic`: whatever leaves the level stood ahead. Between
// them a part of the cancels helps; the part at which the model fills what was filled is what a backtest should assume.

import { z } from 'zod';
import type { Input } from '../domain/input.ts';
import type { BookSide, PlaceOutcome, VenueMessage } from '../domain/message.ts';
import type { OrderUpdate } from '../domain/order.ts';

/** Parts of the cancels at a level that are taken to have stood ahead. */
export const CANCEL_PARTS = [0, 0.25, 0.5, 0.75, 1] as const;
/** Upper ends of the groups by shares that stood ahead, in micro-shares. */
const GROUP_ENDS_MICRO = [0, 100e6, 1_000e6, Number.POSITIVE_INFINITY];
/** Orders whose answer never came, and answers whose order nobody knows. */
const WAITING_MAX = 10_000;

const placed = z.object({
  kind: z.literal('placeOrders'),
  orders: z.array(
    z.object({
      intentId: z.string(),
      tokenId: z.string(),
      side: z.enum(['BUY', 'SELL']),
      price: z.number(),
      quantity: z.number(),
    }),
  ),
});

type Order = z.infer<typeof placed>['orders'][number];

/** With what its level showed: the answer may come after the frame that shows the order itself. */
type Sent = { readonly order: Order; readonly sizeMicro: number | undefined };

/** One own order in the book, and what each model has given it. */
type Resting = {
  readonly order: Order;
  readonly aheadMicro: number;
  /** What still stands ahead, by model. */
  readonly ahead: number[];
  /** What of it the last of the cancels took, which may turn out to have traded. */
  readonly leapt: number[];
  readonly modelled: number[];
  filled: number;
  filledAtMs: number | undefined;
};

/** Within this time the frame of a trade and that of the level it took from belong together, in either order. */
const TOGETHER_MS = 1_000;

/** One price of one side. */
type Level = {
  size: number;
  /** Traded, and not seen to leave the level yet. */
  tradedUnseen: number;
  tradedAtMs: number;
  /** Seen to leave it, by a trade or a cancel. */
  droppedUntold: number;
  droppedAtMs: number;
};

export type FillGroup = {
  /** Shares ahead, as `none`, `up to 100`. */
  readonly ahead: string;
  readonly orders: number;
  /** Shares, all of them. */
  readonly offered: number;
  readonly filled: number;
  /** Shares that a model fills, by the part of cancels that it takes to have stood ahead: `CANCEL_PARTS`. */
  readonly modelled: readonly number[];
};

export type FillReport = {
  readonly groups: readonly FillGroup[];
  readonly total: FillGroup;
  /** Orders that came to rest where no book was known: in no group. */
  readonly unseen: number;
  /** Public ones that say who took: nothing is modelled without them. */
  readonly trades: number;
  /** At which the model fills what was filled; `undefined` where even all or none of them does not. */
  readonly cancelPart: number | undefined;
};

export class FillAudit {
  readonly #sent = new Map<string, Sent>();
  readonly #resting = new Map<string, Resting>();
  readonly #ended: Resting[] = [];
  readonly #books = new Map<string, Map<string, Level>>();
  #unseen = 0;
  #trades = 0;
  #nowMs = 0;

  /** What the core asked for, as a recording has it. */
  commands(commands: readonly unknown[]): void {
    for (const command of commands) {
      const read = placed.safeParse(command);
      if (!read.success) continue;
      for (const order of read.data.orders) {
        const book = this.#books.get(order.tokenId);
        const level = book?.get(levelKey(sideOf(order), order.price));
        const sizeMicro = book && (level?.size ?? 0);
        keep(this.#sent, order.intentId, { order, sizeMicro });
      }
    }
  }

  input(input: Input): void {
    this.#nowMs = input.atMs;
    if (input.kind === 'venue') this.#onMessage(input.message);
  }

  report(): FillReport {
    const all = [...this.#ended, ...this.#resting.values()];
    const groups = GROUP_ENDS_MICRO.map((end, index) => {
      const over = GROUP_ENDS_MICRO[index - 1] ?? Number.NEGATIVE_INFINITY;
      const inside = all.filter(({ aheadMicro }) => aheadMicro > over && aheadMicro <= end);
      return groupOf(nameOf(over, end), inside);
    });
    const total = groupOf('all', all);
    const { unseen, trades } = { unseen: this.#unseen, trades: this.#trades };
    return { groups, total, unseen, trades, cancelPart: cancelPartOf(total) };
  }

  #onMessage(message: VenueMessage): void {
    switch (message.kind) {
      case 'bookSnapshot':
        this.#onSnapshot(message);
        break;
      case 'bookDelta':
        this.#onLevel(message.tokenId, message.side, message.price, message.size);
        break;
      case 'trade':
        this.#onTrade(message);
        break;
      case 'placed':
        for (const { intentId, outcome } of message.outcomes) this.#onPlaced(intentId, outcome);
        break;
      case 'orderUpdate':
        this.#onUpdate(message.update);
        break;
      default:
        break;
    }
  }

  #onSnapshot({ tokenId, bids, asks }: Extract<VenueMessage, { kind: 'bookSnapshot' }>): void {
    const book = this.#bookOf(tokenId);
    const shown = new Map<string, number>();
    for (const { price, size } of bids) shown.set(levelKey('bid', price), size);
    for (const { price, size } of asks) shown.set(levelKey('ask', price), size);
    for (const key of book.keys()) if (!shown.has(key)) book.delete(key);
    // What was missed between two snapshots may have traded or been cancelled: nobody can tell.
    for (const [key, size] of shown) book.set(key, levelWith(size));
    for (const each of this.#resting.values()) {
      const { order } = each;
      if (order.tokenId !== tokenId) continue;
      moveUp(each, shown.get(levelKey(sideOf(order), order.price)) ?? 0);
    }
  }

  #onLevel(tokenId: string, side: BookSide, price: number, size: number): void {
    const book = this.#books.get(tokenId);
    if (book === undefined) return;
    const level = levelOf(book, side, price);
    const dropped = level.size - size;
    level.size = size;
    if (dropped <= 0) return;
    const isRecent = this.#nowMs - level.tradedAtMs <= TOGETHER_MS;
    const traded = isRecent ? Math.min(dropped, level.tradedUnseen) : 0;
    level.tradedUnseen = isRecent ? level.tradedUnseen - traded : 0;
    const cancelled = dropped - traded;
    const stands = this.#nowMs - level.droppedAtMs <= TOGETHER_MS ? level.droppedUntold : 0;
    level.droppedUntold = stands + cancelled;
    level.droppedAtMs = this.#nowMs;
    for (const each of this.#at(tokenId, side, price)) {
      leap(each, cancelled, stands);
      moveUp(each, size);
    }
  }

  #onTrade({ tokenId, price, size, takerSide }: Extract<VenueMessage, { kind: 'trade' }>): void {
    const book = this.#books.get(tokenId);
    // `last_trade_price` names no taker, and says again what a `trade` has said.
    if (book === undefined || takerSide === undefined) return;
    this.#trades += 1;
    for (const [hash, each] of this.#resting) {
      if (this.#nowMs - (each.filledAtMs ?? this.#nowMs) > TOGETHER_MS) this.#end(hash, each);
    }
    const side = takerSide === 'SELL' ? 'bid' : 'ask';
    const told = this.#takeTold(book.get(levelKey(side, price)), size);
    for (const each of this.#behind(tokenId, side, price)) {
      // Traded beyond its price: nobody there was left out.
      if (each.order.price === price) advance(each, size, told);
      else fillWhole(each);
    }
  }

  /** How much of a trade the level has shown already. */
  #takeTold(level: Level | undefined, size: number): number {
    if (level === undefined) return 0;
    const isRecent = this.#nowMs - level.droppedAtMs <= TOGETHER_MS;
    const told = isRecent ? Math.min(size, level.droppedUntold) : 0;
    level.droppedUntold = isRecent ? level.droppedUntold - told : 0;
    const stands = this.#nowMs - level.tradedAtMs <= TOGETHER_MS ? level.tradedUnseen : 0;
    level.tradedUnseen = stands + size - told;
    level.tradedAtMs = this.#nowMs;
    return told;
  }

  #onPlaced(intentId: string, outcome: PlaceOutcome): void {
    const sent = this.#sent.get(intentId);
    this.#sent.delete(intentId);
    if (sent === undefined || outcome.kind !== 'accepted') return;
    const { order } = sent;
    const book = this.#books.get(order.tokenId);
    if (sent.sizeMicro === undefined || book === undefined) {
      this.#unseen += 1;
      return;
    }
    const shown = book.get(levelKey(sideOf(order), order.price))?.size ?? 0;
    // Either the level shows the order already, or it grew by less than that.
    const isShown = shown - sent.sizeMicro >= order.quantity;
    const aheadMicro = isShown ? shown - order.quantity : shown;
    const ahead = CANCEL_PARTS.map(() => aheadMicro);
    const modelled = CANCEL_PARTS.map(() => 0);
    keep(this.#resting, outcome.orderHash, {
      order,
      aheadMicro,
      ahead,
      leapt: CANCEL_PARTS.map(() => 0),
      modelled,
      filled: 0,
      filledAtMs: undefined,
    });
  }

  #onUpdate({ orderHash, status, filledQuantity, remaining }: OrderUpdate): void {
    const resting = this.#resting.get(orderHash);
    if (resting === undefined) return;
    const { quantity } = resting.order;
    const rests = status === 'OPEN' || status === 'PARTIALLY_FILLED';
    // What is left of an order that was cancelled is no fill.
    const isGivenUp = status === 'CANCELLED' || status === 'EXPIRED';
    const left = isGivenUp ? quantity : (remaining ?? (rests ? quantity : 0));
    const told = Math.max(filledQuantity, quantity - left);
    resting.filled = Math.min(quantity, Math.max(resting.filled, told));
    if (isGivenUp) this.#end(orderHash, resting);
    // The trade that filled it may be told a moment later.
    else if (!rests) resting.filledAtMs = this.#nowMs;
  }

  #end(hash: string, resting: Resting): void {
    this.#resting.delete(hash);
    this.#ended.push(resting);
  }

  #bookOf(tokenId: string): Map<string, Level> {
    const known = this.#books.get(tokenId);
    if (known !== undefined) return known;
    const book = new Map<string, Level>();
    this.#books.set(tokenId, book);
    return book;
  }

  #at(tokenId: string, side: BookSide, price: number): readonly Resting[] {
    return this.#behind(tokenId, side, price).filter(({ order }) => order.price === price);
  }

  /** Own orders that a trade at this price reaches. */
  #behind(tokenId: string, side: BookSide, price: number): readonly Resting[] {
    const sign = side === 'bid' ? 1 : -1;
    return [...this.#resting.values()].filter(
      ({ order }) =>
        order.tokenId === tokenId && sideOf(order) === side && sign * (order.price - price) >= 0,
    );
  }
}

/** @param stands - What left the level shortly before, and has not turned out to have traded. */
function leap({ ahead, leapt }: Resting, cancelled: number, stands: number): void {
  CANCEL_PARTS.forEach((part, model) => {
    const before = ahead[model] ?? 0;
    ahead[model] = Math.max(0, before - part * cancelled);
    leapt[model] = (stands > 0 ? (leapt[model] ?? 0) : 0) + before - ahead[model];
  });
}

/** @param told - So much of what traded was taken for cancels before. */
function advance({ order, ahead, leapt, modelled }: Resting, traded: number, told: number): void {
  CANCEL_PARTS.forEach((part, model) => {
    const back = Math.min(part * told, leapt[model] ?? 0);
    leapt[model] = (leapt[model] ?? 0) - back;
    const passed = traded - back;
    const before = ahead[model] ?? 0;
    ahead[model] = Math.max(0, before - passed);
    modelled[model] = Math.min(
      order.quantity,
      (modelled[model] ?? 0) + Math.max(0, passed - before),
    );
  });
}

/** No more stands ahead than the level shows; only the conservative model says otherwise. */
function moveUp({ ahead }: Resting, sizeMicro: number): void {
  for (let model = 1; model < ahead.length; model += 1) {
    ahead[model] = Math.min(ahead[model] ?? 0, sizeMicro);
  }
}

function fillWhole(resting: Resting): void {
  resting.modelled.fill(resting.order.quantity);
}

function sideOf({ side }: Order): BookSide {
  return side === 'BUY' ? 'bid' : 'ask';
}

function levelKey(side: BookSide, price: number): string {
  return `${side} ${price}`;
}

function levelWith(size: number): Level {
  return { size, tradedUnseen: 0, tradedAtMs: 0, droppedUntold: 0, droppedAtMs: 0 };
}

function levelOf(book: Map<string, Level>, side: BookSide, price: number): Level {
  const key = levelKey(side, price);
  const level = book.get(key) ?? levelWith(0);
  book.set(key, level);
  return level;
}

/** The oldest goes where there is no room: nobody waits for it any more. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  if (map.size <= WAITING_MAX) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

function groupOf(ahead: string, orders: readonly Resting[]): FillGroup {
  const shares = (of: (each: Resting) => number): number =>
    orders.reduce((sum, each) => sum + of(each), 0) / 1e6;
  return {
    ahead,
    orders: orders.length,
    offered: shares(({ order }) => order.quantity),
    filled: shares(({ filled }) => filled),
    modelled: CANCEL_PARTS.map((_, model) => shares(({ modelled }) => modelled[model] ?? 0)),
  };
}

function nameOf(over: number, end: number): string {
  if (end === 0) return 'none';
  return end === Number.POSITIVE_INFINITY ? `over ${over / 1e6}` : `up to ${end / 1e6}`;
}

/** Between two models by a straight line. */
function cancelPartOf({ filled, modelled }: FillGroup): number | undefined {
  for (const [index, low] of modelled.entries()) {
    const high = modelled[index + 1];
    if (high === undefined || filled < low || filled > high) continue;
    const [from = 0, to = 1] = CANCEL_PARTS.slice(index, index + 2);
    return high === low ? from : from + ((filled - low) / (high - low)) * (to - from);
  }
  return undefined;
}
