// What the books of another venue say of its outcomes, whichever venue it is.

import type { Refusal } from '../statement.ts';

/** Best prices of an outcome as probabilities, or why nobody can trade it. */
export type Quote =
  | { readonly bid: number | undefined; readonly ask: number | undefined }
  | { readonly fault: string };

/** `isWhole`: an outcome that is not among them is not there. */
export type Quotes = {
  readonly kind: 'quotes';
  readonly isWhole: boolean;
  readonly quotes: ReadonlyMap<string, Quote>;
};

export type QuotesRead = Quotes | Refusal | { readonly kind: 'skipped' };

/** Items of a list that somebody else wrote, or none. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
