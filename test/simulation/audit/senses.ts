// The daemon acts on what it can see: it places nothing into a book that it has not reported for while it
// changed, nor into a market that it was told is not open, but for one order now and then that asks.

import type { TokenId } from '../../../src/domain/ids.ts';
import type { TradingStatus } from '../../../src/domain/market.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { PlaceCommand } from '../world/network.ts';

/**
 * A dead connection shows after 15 s of silence, and the machine may be busy for 2.5 s. Beyond that
 * nobody knows any more what the book is.
 */
const BLIND_MS = 20_000;
/** What the daemon was told takes its turn behind what it is doing. */
const TOLD_MS = 3_000;
/** One order may ask whether a pause is over, no more often than this: its pace is two seconds and more. */
const ASK_MS = 1_800;
/** Fills and cancels are not seen without the account's channel. */
const DEAF_MS = 3_000;

type Unseen = { readonly sinceMs: number; lastMs: number; count: number };
type Fault = { readonly rule: string; readonly detail: string };
/** The daemon paces its asking by its own clock, which may be set ahead. */
type Closed = { readonly status: TradingStatus; readonly toldAtMs: number; askedAtHostMs: number };
/** When something is, by the world's clock and by the daemon's. */
type At = { readonly nowMs: number; readonly hostMs: number };

export class Senses {
  readonly #marketOf: (tokenId: string) => ListedMarket | undefined;
  /** Changes of a book since the daemon last reported for it. */
  readonly #unseen = new Map<ListedMarket, Unseen>();
  readonly #closed = new Map<ListedMarket, Closed>();
  /** A rejection may have reported a pause before its frame: whoever asks counts from there. */
  readonly #placedAtHostMs = new Map<ListedMarket, number>();
  /** Since when the account's channel tells nothing, as far as the daemon was told. */
  #deafSinceMs: number | undefined = 0;

  constructor(marketOf: (tokenId: string) => ListedMarket | undefined) {
    this.#marketOf = marketOf;
  }

  onProcessStarts(): void {
    this.#unseen.clear();
    this.#closed.clear();
    this.#placedAtHostMs.clear();
    this.#deafSinceMs = 0;
  }

  /** A book moved on the venue, or a market opened again. */
  onEvent(event: ExchangeEvent, nowMs: number): void {
    if (event.kind === 'statusChanged' && event.status === 'open')
      this.#closed.delete(event.market);
    if (event.kind !== 'levelChanged') return;
    const { market } = event.token;
    const unseen = this.#unseen.get(market);
    if (unseen === undefined) {
      this.#unseen.set(market, { sinceMs: nowMs, lastMs: nowMs, count: 1 });
      return;
    }
    unseen.lastMs = nowMs;
    unseen.count += 1;
  }

  onMessage(message: VenueMessage, at: At): void {
    switch (message.kind) {
      case 'bookSnapshot':
        this.#seen(message.tokenId);
        this.#maybeOpen(message.tokenId);
        return;
      case 'bookDelta':
        this.#seen(message.tokenId);
        return;
      case 'bookRead':
        if (message.outcome.kind === 'ok') this.#seen(message.tokenId);
        return;
      case 'marketStatus':
        this.#told(message.tokenId, message.status, at);
        return;
      case 'socketLost':
        // Whether a pause has ended meanwhile nobody tells again.
        this.#closed.clear();
        this.#deafSinceMs ??= at.nowMs;
        return;
      case 'authRefused':
        this.#deafSinceMs ??= at.nowMs;
        return;
      case 'authenticated':
        this.#deafSinceMs = undefined;
        return;
      default:
        return;
    }
  }

  /** What is wrong with placing this now. */
  onPlacing({ orders }: PlaceCommand, at: At): Fault | undefined {
    const deafMs = at.nowMs - (this.#deafSinceMs ?? at.nowMs);
    if (deafMs > DEAF_MS) {
      return { rule: 'placed_deaf', detail: `the account's channel is down for ${deafMs} ms` };
    }
    for (const { tokenId } of orders) {
      const fault = this.#faultOf(tokenId, at, orders.length === 1);
      if (fault) return fault;
    }
    return undefined;
  }

  #faultOf(tokenId: TokenId, at: At, isAlone: boolean): Fault | undefined {
    const { nowMs, hostMs } = at;
    const market = this.#marketOf(tokenId);
    if (market === undefined) return undefined;
    const { title } = market.market;
    this.#placedAtHostMs.set(market, hostMs);
    const closed = this.#closed.get(market);
    if (closed && nowMs - closed.toldAtMs > TOLD_MS && !(isAlone && mayAsk(closed, hostMs))) {
      const agoMs = nowMs - closed.toldAtMs;
      return { rule: 'placed_closed', detail: `${title}: told ${closed.status} ${agoMs} ms ago` };
    }
    const unseen = this.#unseen.get(market);
    if (unseen === undefined || !isTelling(unseen)) return undefined;
    const blindMs = nowMs - unseen.sinceMs;
    if (blindMs <= BLIND_MS) return undefined;
    return {
      rule: 'placed_blind',
      detail: `${title}: nothing reported for its book for ${blindMs} ms`,
    };
  }

  #seen(tokenId: TokenId): void {
    const market = this.#marketOf(tokenId);
    if (market) this.#unseen.delete(market);
  }

  /** A snapshot after the pause may mean that it has ended: one order may ask, whenever the last one did. */
  #maybeOpen(tokenId: TokenId): void {
    const market = this.#marketOf(tokenId);
    const closed = market && this.#closed.get(market);
    if (closed) closed.askedAtHostMs = Number.NEGATIVE_INFINITY;
  }

  #told(tokenId: TokenId, status: TradingStatus, { nowMs, hostMs }: At): void {
    const market = this.#marketOf(tokenId);
    if (market === undefined || market.trading === 'open' || status === 'open') return;
    const askedAtHostMs = this.#placedAtHostMs.get(market) ?? hostMs;
    this.#closed.set(market, { status, toldAtMs: nowMs, askedAtHostMs });
  }
}

function mayAsk(closed: Closed, hostMs: number): boolean {
  if (closed.status === 'resolved' || hostMs - closed.askedAtHostMs < ASK_MS) return false;
  closed.askedAtHostMs = hostMs;
  return true;
}

/** A change and its undoing within one flush of the venue send no frame; several over time do. */
function isTelling({ sinceMs, lastMs, count }: Unseen): boolean {
  return count >= 4 && lastMs - sinceMs >= 5_000;
}
