// Cancels that are decided on before the book moves: which own quotes of a market are wrong beyond which
// middle, and the book of others that this is reckoned from. Whoever hears a frame first can send them.

import type { MarketId, OrderHash, RequestId, TokenId } from './ids.ts';
import type { Leg } from './market.ts';
import type { BookSide } from './message.ts';
import type { LimitOrder } from './order.ts';
import type { TickGrid, Ticks } from './ticks.ts';

/** The middle is best bid plus best ask, in half ticks of the YES price. */
export type ArmedOrder = {
  readonly orderHash: OrderHash;
  /** The last middle at which it is right: lower is wrong for a bid, higher for an ask. */
  readonly rightTo: number;
};

/** Quotes of one side; a request is sent once at most. */
export type Arm = { readonly requestId: RequestId; readonly orders: readonly ArmedOrder[] };

/** One level of one token's book, by the token's own prices. */
export type ArmedLevel = {
  readonly tokenId: TokenId;
  readonly side: BookSide;
  readonly price: Ticks;
};

/** The best level of a side, where one token alone shows it: with it gone the next one is the best. */
export type ArmedEnd = ArmedLevel & { readonly next: Ticks };

/** An order to place, with what a ledger needs to keep its intent. */
export type AheadOrder = LimitOrder & {
  readonly leg: Leg;
  readonly ticksPerUnit: TickGrid['ticksPerUnit'];
};

/**
 * Orders that take the place of what a frame makes wrong, decided on for one middle that it may lead to. At most
 * one of them all leaves before the core has its turn: each is within the limits by itself.
 */
export type ArmedPlacement = {
  readonly middle: number;
  readonly requestId: RequestId;
  readonly orders: readonly AheadOrder[];
  /** Of these orders, on the YES price: they leave only if they still lie on their sides of the touch. */
  readonly bidMax: number;
  readonly askMin: number;
};

/** What is armed of one market; it takes the place of what was armed of it before. */
export type MarketArms = {
  readonly marketId: MarketId;
  /** Grows with each word about the market: a cancel that was sent says which one it obeyed. */
  readonly version: number;
  readonly yes: TokenId;
  readonly no: TokenId;
  readonly ticksPerUnit: number;
  /** Best prices of others on the YES price. */
  readonly bid: Ticks;
  readonly ask: Ticks;
  readonly bidEnd: ArmedEnd | undefined;
  readonly askEnd: ArmedEnd | undefined;
  /** Levels with own size, which say nothing of others. */
  readonly own: readonly ArmedLevel[];
  /** Own bids, wrong when the middle falls, and own asks, wrong when it rises; absent without such orders. */
  readonly bids: Arm | undefined;
  readonly asks: Arm | undefined;
  /** By the middle, beside the cancels that it sets off; void whenever anything but a book may have changed. */
  readonly placements: readonly ArmedPlacement[];
  readonly settingsVersion: string;
};

/** Orders that a frame has set off, behind its cancel. */
export type FiredPlacement = {
  readonly marketId: MarketId;
  readonly version: number;
  readonly requestId: RequestId;
  readonly orders: readonly AheadOrder[];
  readonly settingsVersion: string;
};

/** A cancel that a frame has set off. */
export type FiredCancel = {
  readonly marketId: MarketId;
  readonly version: number;
  readonly requestId: RequestId;
  readonly orderHashes: readonly OrderHash[];
};
