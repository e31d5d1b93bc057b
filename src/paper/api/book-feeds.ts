// Book subscriptions: a baseline at once, then net changes at a steady pace.

import type { BookSide } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { TokenRef } from '../exchange/events.ts';
import type { ListedMarket } from '../exchange/listed-market.ts';
import { Feed, type Touched } from './feed.ts';
import type { Frame } from './frames.ts';
import type { HubOptions } from './hub-options.ts';
import type { Session } from './session.ts';

type TokenFeeds = {
  readonly token: TokenRef;
  /** By depth: subscribers of the same depth share one window. */
  readonly byDepth: Map<number, { readonly feed: Feed; readonly sessions: Set<Session> }>;
  touched: Touched;
  needsSnapshot: boolean;
};

export class BookFeeds {
  readonly #options: HubOptions;
  /** One entry per token that somebody watches. */
  readonly #byToken = new Map<string, TokenFeeds>();
  readonly #dirty = new Set<TokenFeeds>();
  /** When the books of a market last changed. */
  readonly #changedAtMs = new WeakMap<ListedMarket, UnixMs>();
  #isScheduled = false;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  /** Subscribes, or renews a subscription: either way a fresh snapshot follows. */
  join(session: Session, token: TokenRef, depth: number): void {
    const { tokenId } = token.market.outcome(token.index);
    this.leaveToken(session, tokenId);
    const feeds = this.#ensure(tokenId, token);
    // Whoever is here already gets what is pending first, so that one window serves all.
    this.#flush(feeds);
    const entry = feeds.byDepth.get(depth) ?? {
      feed: new Feed(token, depth, this.#options.dialect),
      sessions: new Set<Session>(),
    };
    feeds.byDepth.set(depth, entry);
    entry.sessions.add(session);
    session.feeds.set(tokenId, entry.feed);
    this.#send(feeds, [session], this.#snapshotOf(feeds, entry.feed));
  }

  leaveToken(session: Session, tokenId: string): void {
    const feed = session.feeds.get(tokenId);
    const feeds = this.#byToken.get(tokenId);
    if (!feed || !feeds) return;
    session.feeds.delete(tokenId);
    const entry = feeds.byDepth.get(feed.depth);
    entry?.sessions.delete(session);
    if (entry?.sessions.size === 0) feeds.byDepth.delete(feed.depth);
    if (feeds.byDepth.size > 0) return;
    this.#byToken.delete(tokenId);
    this.#dirty.delete(feeds);
  }

  leave(session: Session): void {
    for (const tokenId of [...session.feeds.keys()]) this.leaveToken(session, tokenId);
  }

  /** A level changed; its net change goes out with the next flush. */
  touch(token: TokenRef, side: BookSide, priceTicks: number): void {
    this.#changedAtMs.set(token.market, this.#options.nowMs());
    const feeds = this.#find(token);
    if (!feeds) return;
    feeds.touched[side].add(priceTicks);
    this.#mark(feeds);
  }

  /** So much changed that the next flush sends a baseline. */
  reset(market: ListedMarket): void {
    this.#changedAtMs.set(market, this.#options.nowMs());
    for (const index of [0, 1] as const) {
      const feeds = this.#find({ market, index });
      if (!feeds) continue;
      feeds.needsSnapshot = true;
      this.#mark(feeds);
    }
  }

  /** Sends a frame to everybody who watches a token's book. */
  tell(token: TokenRef, frame: Frame): void {
    const feeds = this.#find(token);
    if (!feeds) return;
    for (const { sessions } of feeds.byDepth.values()) this.#send(feeds, sessions, frame);
  }

  #find({ market, index }: TokenRef): TokenFeeds | undefined {
    return this.#byToken.get(market.outcome(index).tokenId);
  }

  #ensure(tokenId: string, token: TokenRef): TokenFeeds {
    const known = this.#byToken.get(tokenId);
    if (known) return known;
    const fresh: TokenFeeds = {
      token,
      byDepth: new Map(),
      touched: untouched(),
      needsSnapshot: false,
    };
    this.#byToken.set(tokenId, fresh);
    return fresh;
  }

  #mark(feeds: TokenFeeds): void {
    this.#dirty.add(feeds);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const { exchange, limits } = this.#options;
    exchange.context.timers.after(limits.deltaFlushMs, () => this.#flushAll());
  }

  #flushAll(): void {
    this.#isScheduled = false;
    for (const feeds of [...this.#dirty]) this.#flush(feeds);
  }

  #flush(feeds: TokenFeeds): void {
    if (!this.#dirty.delete(feeds)) return;
    const { touched } = feeds;
    const needsSnapshot = feeds.needsSnapshot || this.#options.dialect.bookWindow === 'snapshots';
    feeds.touched = untouched();
    feeds.needsSnapshot = false;
    const book = this.#options.exchange.context.books.of(feeds.token.market);
    for (const { feed, sessions } of [...feeds.byDepth.values()]) {
      const frames = needsSnapshot
        ? [this.#snapshotOf(feeds, feed)]
        : feed.deltas(book, touched, this.#options.nowMs());
      for (const frame of frames) this.#send(feeds, sessions, frame);
    }
  }

  #snapshotOf(feeds: TokenFeeds, feed: Feed): Frame {
    const { dialect, exchange, nowMs } = this.#options;
    const { market } = feeds.token;
    const changedAtMs =
      dialect.snapshotTs === 'changed' ? this.#changedAtMs.get(market) : undefined;
    return feed.snapshot(exchange.context.books.of(market), changedAtMs ?? nowMs());
  }

  #send(feeds: TokenFeeds, sessions: Iterable<Session>, frame: Frame): void {
    if (this.#isMuted(feeds)) return;
    const text = JSON.stringify(frame);
    for (const session of [...sessions]) {
      session.sendText(text);
      if (session.isClosed) this.leave(session);
    }
  }

  #isMuted(feeds: TokenFeeds): boolean {
    if (!feeds.token.market.hasOrderBook) return true;
    const { books } = this.#options.faults.mute;
    if (books === 'none') return false;
    if (books === 'all') return true;
    return books.has(feeds.token.market.outcome(feeds.token.index).tokenId);
  }
}

function untouched(): Touched {
  return { bid: new Set(), ask: new Set() };
}
