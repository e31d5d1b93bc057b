// The venue's listed events, their markets and outcome tokens.

import type { EventId, MarketId, OutcomeId, TokenId } from './ids.ts';
import type { TickGrid } from './ticks.ts';
import type { UnixMs } from './time.ts';

/** @spec Event and market status */
export type MarketStatus = 'open' | 'closed' | 'resolved';

/** What the socket may say of a market; `unknown` keeps quotes off until the catalogue speaks. */
export type TradingStatus = MarketStatus | 'paused' | 'unknown';

/** `0` is No, `1` is Yes. @spec Resources and their fields › Outcome */
export type OutcomeIndex = 0 | 1;

/** Which of the two tokens of a market: that of Yes or that of No. */
export type Leg = 'yes' | 'no';
export const LEGS: readonly Leg[] = ['yes', 'no'];

export type Outcome = {
  readonly id: OutcomeId;
  readonly name: string;
  readonly tokenId: TokenId;
  readonly outcomeIndex: OutcomeIndex;
};

/** One binary market; `yes` and `no` are found by `outcomeIndex`, never by array order. */
export type Market = {
  readonly id: MarketId;
  readonly title: string;
  readonly status: MarketStatus;
  readonly enableOrderBook: boolean;
  readonly yes: Outcome;
  readonly no: Outcome;
};

export type Event = {
  readonly id: EventId;
  readonly slug: string;
  readonly title: string;
  readonly category: string;
  readonly status: MarketStatus;
  readonly grid: TickGrid;
  /** `undefined` when the venue states none. */
  readonly expiryAtMs: UnixMs | undefined;
  readonly markets: readonly Market[];
  /** How many more it lists that nobody could read: any of them may come true as well. */
  readonly unread?: number;
  /** Those that it listed and lists no more, though nobody reported that they are resolved: the same holds. */
  readonly vanished?: readonly MarketId[];
};

/** Markets of an event that may come true: what the venue lists, read or not, and what it listed before. */
export function marketCount({ markets, unread = 0, vanished = [] }: Event): number {
  return markets.length + unread + vanished.length;
}
