// What the server passes on to those who can do it.

import type { SetsOrder } from '../domain/sets.ts';

/** What came of something that an operator asked for, as it is told to him. */
export type Outcome = { readonly status: number; readonly body: object };

/** What an operator asks of one market; others are not touched. */
export type MarketAsk = {
  readonly order: 'pause' | 'resume' | 'kill';
  /** Its id, or the id or slug of an event, for all of its markets. */
  readonly market: string;
  readonly by: string;
};

/** What an operator may ask for; `by` says who asked. None of them rejects with anything that may be told. */
export interface Operator {
  /** Answers as soon as it is known what was done; with `isProofPending` when it is confirmed, or cannot be. */
  kill(by: string, isProofPending: boolean): Promise<Outcome>;
  pause(by: string): Promise<Outcome>;
  resume(by: string): Promise<Outcome>;
  /** The same for one market, or for all of an event that are quoted here. */
  ofMarket(ask: MarketAsk): Promise<Outcome>;
  /** Splits, merges or redeems; the answer is what is known of it by then. */
  sets(order: SetsOrder): Promise<Outcome>;
  /** What a configuration would change. */
  preview(config: string): Promise<Outcome>;
}
