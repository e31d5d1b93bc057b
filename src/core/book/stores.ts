// What is known of order books.

import { type UnixMs, unixMs } from '../../domain/time.ts';
import type { TrustSettings } from '../../domain/trust.ts';
import type { TokenIndex } from '../kernel/market.ts';
import type { OrderStores } from '../orders/stores.ts';
import { Auditor } from './audit.ts';
import type { MirroredMarket, Place } from './market.ts';
import { type TokenTrust, UnifiedBooks } from './token-trust.ts';

export interface BookStores<Market extends MirroredMarket = MirroredMarket>
  extends OrderStores<Market> {
  readonly trust: BookTrust;
  readonly trustLimits: TrustSettings;
  /** Whether the venue shows one book twice: as stated, or as own orders showed. */
  readonly isUnified: boolean;
  /** Of each token the market and which of its two it is: the book of a frame. */
  readonly byToken: TokenIndex<Place<Market>>;
}

// What the watch over all books keeps from one look to the next.

export class BookTrust {
  /** How old changes of books are when they come, by the venue's stamps: the mean of the last ones. */
  feedDelayMs: number | undefined;
  readonly auditor = new Auditor<Place>();
  readonly unified = new UnifiedBooks();
  /** Books that are not trusted, with their places. */
  readonly unwell = new Map<TokenTrust, Place>();
  /** What may still be asked for in this turn: renewed subscriptions, and baselines over REST. */
  readonly turn = { renewalsLeft: 0, readsLeft: 0 };
  /** Frames of books and trades heard so far, of all tokens. */
  frames = 0;
  reconnectedAtMs: UnixMs = unixMs(Number.NEGATIVE_INFINITY);
  /** Markets in their order, and how far the rotations are. */
  order: readonly MirroredMarket[] = [];
  orderVersion = -1;
  lookedAtMs: UnixMs | undefined;
  lookCredit = 0;
  lookNext = 0;
  auditNext = 0;
  /** Books whose last audit found a difference: the second opinion does not wait its turn. */
  again: Place[] = [];

  /** The books of a dropped market hear nothing any more: no audit may judge them, nor anything resync them. */
  forget(market: MirroredMarket): void {
    this.auditor.forget((place) => place.market === market);
    this.again = this.again.filter((place) => place.market !== market);
    this.unwell.delete(market.trust.yes);
    this.unwell.delete(market.trust.no);
  }
}
