// A trade that mints or merges a set takes something off two books, and may be told for both tokens. It is one trade:
// played twice, it would fill twice.

import type { MarketId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';

type Seen = {
  readonly marketId: MarketId;
  readonly isYes: boolean;
  readonly takerSide: Side;
  readonly size: number;
  /** On the price axis of YES. */
  readonly yesTicks: number;
  readonly venueTs: UnixMs | undefined;
};

/** Both are told at once. */
const APART_MS_MAX = 50;
/** Trades that are looked back at. */
const SEEN_MAX = 64;

export class MintedTrades {
  readonly #seen: Seen[] = [];

  /** The same trade came for the other token; where two were alike by chance, one fill too few is simulated. */
  isToldTwice(trade: Seen): boolean {
    const place = this.#seen.findIndex((before) => isSameTrade(before, trade));
    if (place >= 0) {
      this.#seen.splice(place, 1);
      return true;
    }
    this.#seen.push(trade);
    if (this.#seen.length > SEEN_MAX) this.#seen.shift();
    return false;
  }
}

function isSameTrade(before: Seen, trade: Seen): boolean {
  const isSame =
    before.marketId === trade.marketId &&
    before.isYes !== trade.isYes &&
    before.takerSide !== trade.takerSide &&
    before.size === trade.size &&
    before.yesTicks === trade.yesTicks;
  if (!isSame || before.venueTs === undefined || trade.venueTs === undefined) return false;
  return Math.abs(before.venueTs - trade.venueTs) <= APART_MS_MAX;
}
