// Bounds of what a strategy says: its reasons are kept for each market, shown, sent and written.

import type { QuoteReason } from './contract.ts';

/** Reasons of one target quote that are kept; the first of a side is the one that is shown. */
export const REASONS_MAX = 20;
/** Characters of each text. */
export const REASON_CHARS_MAX = 500;

/** The first of them, with texts that end. */
export function boundedReasons(reasons: readonly QuoteReason[]): readonly QuoteReason[] {
  return reasons.slice(0, REASONS_MAX).map(({ side, code, detail, clears }) => ({
    side,
    code: boundedText(code),
    detail: boundedText(detail),
    clears: boundedText(clears),
  }));
}

/** A text that ends with `…` where it was longer. */
export function boundedText(text: string): string {
  return text.length > REASON_CHARS_MAX ? `${text.slice(0, REASON_CHARS_MAX - 1)}…` : text;
}
