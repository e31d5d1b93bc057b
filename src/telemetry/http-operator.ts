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

/** Values of the configuration that are to be others, in the text that was shown. */
export type EditAsk = {
  readonly edits: readonly {
    readonly path: readonly (string | number)[];
    readonly value: number | boolean | string;
  }[];
  /** Of the text; another one is refused. */
  readonly revision: string;
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
  /** What of the configuration can be changed value by value, and what it says now. */
  config(): Promise<Outcome>;
  /** What a configuration would change: a whole text, or single values of the file. */
  preview(next: string | EditAsk): Promise<Outcome>;
  /** Changes them in the file, and applies them. */
  edit(ask: EditAsk, by: string): Promise<Outcome>;
}
