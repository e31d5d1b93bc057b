// What changed since the journal was last told, so that each record is written once.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { OwnOrder } from '../orders/own-order.ts';

export class Touched {
  readonly orders = new Set<OwnOrder>();
  readonly tokens = new Set<TokenId>();
  readonly flows = new Set<MarketId>();
}
