// The book channel of one connection: a snapshot at once, then net changes at the venue's pace.
// @spec Events › Order book channel

import type { TokenId } from '../domain/ids.ts';
import type { BookSide, Level, VenueMessage } from '../domain/message.ts';
import { clampShares } from '../domain/shares.ts';
import { ticks } from '../domain/ticks.ts';
import type { TokenRef } from '../paper/exchange/events.ts';
import type { Exchange } from '../paper/exchange/exchange.ts';
import type { PublicLevel } from '../paper/exchange/market-book.ts';

/** Net changes go out this often. @spec Events › Order book channel */
const FLUSH_MS = 150;

type Watched = {
  readonly tokenId: TokenId;
  readonly token: TokenRef;
  readonly depth: number;
  /** What the subscriber has, by side and price. */
  readonly sent: Readonly<Record<BookSide, Map<number, number>>>;
  isDirty: boolean;
};

export class BookChannel {
  readonly #exchange: Exchange;
  readonly #send: (message: VenueMessage) => void;
  readonly #watched = new Map<TokenId, Watched>();
  #dirty: Watched[] = [];

  constructor(exchange: Exchange, send: (message: VenueMessage) => void) {
    this.#exchange = exchange;
    this.#send = send;
  }

  /** Replaces the set of tokens; each new one begins with a snapshot. */
  subscribe(tokenIds: readonly TokenId[], depth: number): void {
    const wanted = new Set(tokenIds);
    for (const [tokenId, { depth: known }] of this.#watched) {
      if (!wanted.has(tokenId) || known !== depth) this.#watched.delete(tokenId);
    }
    for (const tokenId of tokenIds) if (!this.#watched.has(tokenId)) this.#join(tokenId, depth);
  }

  /** A fresh snapshot of a token that is watched. */
  renew(tokenId: TokenId): void {
    const watched = this.#watched.get(tokenId);
    if (watched) this.#snapshot(watched);
  }

  renewAll(): void {
    for (const watched of this.#watched.values()) this.#snapshot(watched);
  }

  touch({ market, index }: TokenRef): void {
    const watched = this.#watched.get(market.outcome(index).tokenId);
    if (!watched || watched.isDirty) return;
    watched.isDirty = true;
    this.#dirty.push(watched);
    if (this.#dirty.length > 1) return;
    this.#exchange.context.timers.after(FLUSH_MS, () => this.#flush());
  }

  watches(tokenId: TokenId): boolean {
    return this.#watched.has(tokenId);
  }

  #join(tokenId: TokenId, depth: number): void {
    const token = this.#exchange.catalogue.findToken(tokenId);
    if (!token) return;
    const sent = { bid: new Map<number, number>(), ask: new Map<number, number>() };
    const watched = { tokenId, token, depth, sent, isDirty: false };
    this.#watched.set(tokenId, watched);
    this.#snapshot(watched);
  }

  #snapshot(watched: Watched): void {
    const { tokenId, sent } = watched;
    const levels = (side: BookSide): readonly Level[] => {
      const found = this.#levels(watched, side);
      sent[side].clear();
      for (const { priceTicks, sizeMicro } of found) sent[side].set(priceTicks, sizeMicro);
      return found.map((level) => levelOf(watched, level));
    };
    const bids = levels('bid');
    const asks = levels('ask');
    const venueTs = this.#exchange.context.clock.nowMs();
    this.#send({ kind: 'bookSnapshot', tokenId, bids, asks, venueTs });
  }

  #flush(): void {
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const watched of dirty) {
      watched.isDirty = false;
      // What leaves goes first: the sides of a book that moved would overlap on the way.
      const changes = [...this.#changes(watched, 'bid'), ...this.#changes(watched, 'ask')];
      for (const change of changes) if (change.size === 0) this.#delta(watched, change);
      for (const change of changes) if (change.size !== 0) this.#delta(watched, change);
    }
  }

  #changes(watched: Watched, side: BookSide): readonly (Level & { readonly side: BookSide })[] {
    const sent = watched.sent[side];
    const gone = new Set(sent.keys());
    const changes: (Level & { readonly side: BookSide })[] = [];
    for (const level of this.#levels(watched, side)) {
      gone.delete(level.priceTicks);
      if (sent.get(level.priceTicks) === level.sizeMicro) continue;
      sent.set(level.priceTicks, level.sizeMicro);
      changes.push({ side, ...levelOf(watched, level) });
    }
    for (const priceTicks of gone) {
      sent.delete(priceTicks);
      changes.push({ side, ...levelOf(watched, { priceTicks, sizeMicro: 0 }) });
    }
    return changes;
  }

  #delta({ tokenId }: Watched, change: Level & { readonly side: BookSide }): void {
    const venueTs = this.#exchange.context.clock.nowMs();
    this.#send({ kind: 'bookDelta', tokenId, ...change, venueTs });
  }

  #levels({ token, depth }: Watched, side: BookSide): readonly PublicLevel[] {
    return this.#exchange.context.books.of(token.market).levels(token.index, side, depth);
  }
}

function levelOf({ token }: Watched, { priceTicks, sizeMicro }: PublicLevel): Level {
  return { price: ticks(token.market.grid, priceTicks), size: clampShares(sizeMicro) };
}
