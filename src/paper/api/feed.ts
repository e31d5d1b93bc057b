// The book of one token as subscribers of one depth see it: a baseline, then net changes.

import type { BookSide } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { priceJson, sharesJson } from '../exchange/amounts.ts';
import type { TokenRef } from '../exchange/events.ts';
import type { MarketBook } from '../exchange/market-book.ts';
import type { Dialect } from './dialect.ts';
import { levelsJson, noisy } from './encode-order.ts';
import type { Frame } from './frames.ts';

type Sent = Readonly<Record<BookSide, Map<number, number>>>;
export type Touched = Readonly<Record<BookSide, Set<number>>>;

const SIDES: readonly BookSide[] = ['bid', 'ask'];

export class Feed {
  readonly token: TokenRef;
  readonly depth: number;
  readonly #dialect: Dialect;
  #sent: Sent = { bid: new Map(), ask: new Map() };

  constructor(token: TokenRef, depth: number, dialect: Dialect) {
    this.token = token;
    this.depth = depth;
    this.#dialect = dialect;
  }

  /** The full baseline; deltas that follow build on it. */
  snapshot(book: MarketBook, nowMs: UnixMs): Frame {
    const bids = book.levels(this.token.index, 'bid', this.depth);
    const asks = book.levels(this.token.index, 'ask', this.depth);
    this.#sent = { bid: sizesOf(bids), ask: sizesOf(asks) };
    return {
      type: 'orderbook.snapshot',
      marketId: this.#tokenId(),
      levels: {
        bids: levelsJson(this.token, bids, this.#dialect),
        asks: levelsJson(this.token, asks, this.#dialect),
      },
      ts: nowMs,
    };
  }

  /** Net changes since the last flush; what leaves the book goes before what joins it. */
  deltas(book: MarketBook, touched: Touched, nowMs: UnixMs): readonly Frame[] {
    const changes = SIDES.flatMap((side) => this.#changes(book, side, touched[side]));
    const removalsFirst = changes.sort((a, b) => Number(a.sizeMicro > 0) - Number(b.sizeMicro > 0));
    return removalsFirst.map(({ side, priceTicks, sizeMicro }) => ({
      type: 'orderbook.delta',
      marketId: this.#tokenId(),
      side,
      price: noisy(priceJson(this.token.market.grid, priceTicks), this.#dialect),
      size: noisy(sharesJson(sizeMicro), this.#dialect),
      ts: nowMs,
    }));
  }

  #changes(book: MarketBook, side: BookSide, touched: Set<number>): Change[] {
    if (touched.size === 0) return [];
    const now = sizesOf(book.levels(this.token.index, side, this.depth));
    const sent = this.#sent[side];
    const isExact = this.#dialect.bookWindow === 'exact';
    const prices = isExact ? new Set([...sent.keys(), ...now.keys()]) : touched;
    const isGone = (price: number): boolean =>
      isExact || sizeAt(book, { token: this.token, side, price }) === 0;
    const changes: Change[] = [];
    for (const priceTicks of prices) {
      const sizeMicro = now.get(priceTicks) ?? 0;
      const known = sent.get(priceTicks) ?? 0;
      if (sizeMicro === known || (sizeMicro === 0 && !isGone(priceTicks))) continue;
      if (sizeMicro === 0) sent.delete(priceTicks);
      else sent.set(priceTicks, sizeMicro);
      changes.push({ side, priceTicks, sizeMicro });
    }
    return changes;
  }

  #tokenId(): string {
    return this.token.market.outcome(this.token.index).tokenId;
  }
}

type Change = { readonly side: BookSide; readonly priceTicks: number; readonly sizeMicro: number };

function sizesOf(
  levels: readonly { readonly priceTicks: number; readonly sizeMicro: number }[],
): Map<number, number> {
  const sizes = new Map<number, number>();
  for (const { priceTicks, sizeMicro } of levels) sizes.set(priceTicks, sizeMicro);
  return sizes;
}

function sizeAt(
  book: MarketBook,
  at: { readonly token: TokenRef; readonly side: BookSide; readonly price: number },
): number {
  const { index, market } = at.token;
  return book.sizeAt(market.grid, { index, side: at.side, price: at.price });
}
