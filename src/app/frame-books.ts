// Every book as the frames so far make it, as a snapshot that the venue could have sent.

import type { TokenId } from '../domain/ids.ts';
import type { Event } from '../domain/market.ts';
import type { BookSide, VenueMessage } from '../domain/message.ts';
import { MICRO_PER_SHARE } from '../domain/shares.ts';
import type { TickGrid } from '../domain/ticks.ts';
import type { UnixMs } from '../domain/time.ts';
import { RecordedBooks } from '../paper/crowd/recorded-books.ts';

export class FrameBooks {
  readonly #nowMs: () => UnixMs;
  readonly #books = new RecordedBooks();
  readonly #grids = new Map<TokenId, TickGrid>();
  /** Tokens whose whole book has come. */
  readonly #based = new Set<TokenId>();

  constructor(nowMs: () => UnixMs) {
    this.#nowMs = nowMs;
  }

  know(events: readonly Event[]): void {
    for (const { grid, markets } of events) {
      const outcomes = markets.flatMap(({ yes, no }) => [yes, no]);
      for (const { tokenId } of outcomes) {
        if (this.#grids.get(tokenId)?.tickSize !== grid.tickSize) this.#forget(tokenId);
        this.#grids.set(tokenId, grid);
      }
    }
  }

  take(message: VenueMessage): void {
    switch (message.kind) {
      case 'socketLost':
        for (const tokenId of this.#based) this.#forget(tokenId);
        return;
      case 'bookUnreadable':
        this.#forget(message.tokenId);
        return;
      case 'bookSnapshot':
        this.#books.replace(message.tokenId, 'bid', message.bids);
        this.#books.replace(message.tokenId, 'ask', message.asks);
        this.#based.add(message.tokenId);
        return;
      case 'bookDelta':
        if (this.#based.has(message.tokenId)) this.#books.set(message);
        return;
      default:
    }
  }

  snapshots(): readonly string[] {
    return [...this.#based].flatMap((tokenId) => {
      const grid = this.#grids.get(tokenId);
      return grid === undefined ? [] : [this.#snapshot(tokenId, grid)];
    });
  }

  #snapshot(tokenId: TokenId, { ticksPerUnit }: TickGrid): string {
    const side = (bookSide: BookSide) => {
      const levels = [...this.#books.side(tokenId, bookSide)];
      levels.sort(([a], [b]) => (bookSide === 'bid' ? b - a : a - b));
      return levels.map(([price, size]) => ({
        price: price / ticksPerUnit,
        size: size / MICRO_PER_SHARE,
      }));
    };
    const levels = { bids: side('bid'), asks: side('ask') };
    return JSON.stringify({
      ...{ type: 'orderbook.snapshot', marketId: tokenId, levels, ts: this.#nowMs() },
    });
  }

  #forget(tokenId: TokenId): void {
    this.#books.forget(tokenId);
    this.#based.delete(tokenId);
  }
}
