// What is known of order books.

import type { TrustSettings } from '../../domain/trust.ts';
import type { TokenIndex } from '../kernel/token-index.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { BookTrust } from './book-trust.ts';
import type { MirroredMarket, Place } from './market.ts';

export interface BookStores<Market extends MirroredMarket = MirroredMarket>
  extends OrderStores<Market> {
  readonly trust: BookTrust;
  readonly trustLimits: TrustSettings;
  /** Whether the venue shows one book twice: as stated, or as own orders showed. */
  readonly isUnified: boolean;
  /** Of each token the market and which of its two it is: the book of a frame. */
  readonly byToken: TokenIndex<Place<Market>>;
}
