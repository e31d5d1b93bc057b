// What the crowd may do on the exchange, in process: trade like anybody, or play a recording.

import type { EventId, MarketId, OrderHash, TokenId } from '../../domain/ids.ts';
import type { Event, TradingStatus } from '../../domain/market.ts';
import type { BookSide, Level } from '../../domain/message.ts';
import type { Side } from '../../domain/order.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Usdc } from '../../domain/usdc.ts';

/** An account of the crowd, by the name it was opened under. */
export type TraderName = string;

export type DeskOrder = {
  readonly tokenId: TokenId;
  readonly side: Side;
  readonly price: Ticks;
  readonly quantity: MicroShares;
  readonly timeInForce: 'GTC' | 'FOK' | 'FAK';
};

export type DeskAnswer =
  | { readonly kind: 'accepted'; readonly orderHash: OrderHash }
  | { readonly kind: 'refused'; readonly code: string };

export interface Desk {
  nowMs(): UnixMs;
  events(): readonly Event[];
  /** Opens an account, or adds to it; crowd accounts need no credentials and no rate budget. */
  fund(trader: TraderName, cash: Usdc): void;
  /** Mints complete sets into an account for its own cash, one share of every outcome. */
  mintSets(trader: TraderName, marketId: MarketId, quantity: MicroShares): DeskAnswer | undefined;
  place(trader: TraderName, order: DeskOrder): DeskAnswer;
  cancel(trader: TraderName, orderHash: OrderHash): boolean;
  /** Of one market, or of all; in-flight ones too. Returns how many. */
  cancelAll(trader: TraderName, marketId?: MarketId): number;
  /** The public book of one token, whole; never of another trader's identity. */
  levels(tokenId: TokenId, side: BookSide): readonly Level[];
  /** The best price of that side, `undefined` when nothing rests there. */
  best(tokenId: TokenId, side: BookSide): Ticks | undefined;
  /** The public size of one level; nothing where the book shows none. */
  sizeAt(tokenId: TokenId, side: BookSide, price: Ticks): MicroShares;

  /**
   * Replaces the recorded size of one level. Recorded size belongs to nobody: it may be taken by
   * real orders, it never takes, and orders that joined the level later stand behind it.
   */
  setRecordedLevel(tokenId: TokenId, side: BookSide, price: Ticks, size: MicroShares): void;
  /** Drops all recorded size of one token, before a recorded snapshot is laid anew. */
  clearRecorded(tokenId: TokenId): void;
  /**
   * A recorded trade passed: own resting orders at or through its price fill by price and time,
   * behind the recorded size that stood before them. It takes nothing off recorded levels, since
   * the recording's own deltas do.
   */
  printRecordedTrade(tokenId: TokenId, price: Ticks, size: MicroShares, takerSide: Side): void;
  setTradingStatus(marketId: MarketId, status: TradingStatus): void;
  /** Moves an event to another tick grid; what rests there is cancelled, its books are empty. */
  regrid(eventId: EventId, grid: TickGrid): void;
  /** Resolves a market for one winning token. */
  resolve(marketId: MarketId, winner: TokenId): void;
}
