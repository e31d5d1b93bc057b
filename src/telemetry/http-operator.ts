// What the server passes on to those who can do it.

import type { SetsOrder } from '../domain/sets.ts';

/** What came of something that an operator asked for, as it is told to him. */
export type Outcome = { readonly status: number; readonly body: object };

/** What an operator may ask for; `by` says who asked. None of them rejects with anything that may be told. */
export interface Operator {
  /** Answers as soon as it is known what was done; with `isProofAwaited` when it is proven, or cannot be. */
  kill(by: string, isProofAwaited: boolean): Promise<Outcome>;
  pause(by: string): Promise<Outcome>;
  resume(by: string): Promise<Outcome>;
  /** Splits, merges or redeems; the answer is what is known of it by then. */
  sets(order: SetsOrder): Promise<Outcome>;
  /** What a configuration would change. */
  preview(config: string): Promise<Outcome>;
}
