// Whether what a strategy answered is a target quote at all. A module that somebody drops in may be plain
// JavaScript: no compiler has seen what it returns.

import type { Quote, QuoteReason, TargetQuotes } from '../../strategy/index.ts';

const SIDES: readonly unknown[] = ['bid', 'ask'];
const REASON_SIDES: readonly unknown[] = ['bid', 'ask', 'both'];
const PURPOSES: readonly unknown[] = ['add', 'reduce'];
const SHOWN_LENGTH_MAX = 40;

/** What is not of the form that the contract states, `undefined` when all of it is. */
export function shapeFault(targetQuotes: TargetQuotes): string | undefined {
  if (!Array.isArray(targetQuotes?.quotes)) return 'it answers no list of `quotes`';
  if (!Array.isArray(targetQuotes.reasons)) return 'it answers no list of `reasons`';
  if (targetQuotes.takes !== undefined && !Array.isArray(targetQuotes.takes))
    return '`takes` is no list';
  return firstOf(targetQuotes.quotes, quoteFault) ?? firstOf(targetQuotes.reasons, reasonFault);
}

function firstOf<Part>(
  parts: readonly Part[],
  faultOf: (part: Part) => string | undefined,
): string | undefined {
  for (const part of parts) {
    const fault = faultOf(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function quoteFault(quote: Quote): string | undefined {
  if (!SIDES.includes(quote?.side)) return `${shown(quote?.side)} is not the side of a quote`;
  if (PURPOSES.includes(quote.purpose)) return undefined;
  return `${shown(quote.purpose)} is not the purpose of a quote`;
}

function reasonFault(reason: QuoteReason): string | undefined {
  if (!REASON_SIDES.includes(reason?.side)) return `${shown(reason?.side)} is no side of a reason`;
  const isText = [reason.code, reason.detail, reason.clears].every(
    (each) => typeof each === 'string',
  );
  return isText ? undefined : 'a reason has texts for `code`, `detail` and `clears`';
}

/** What was thrown, in words; it may be anything, even something that cannot be put in words. */
export function thrownText(cause: unknown): string {
  try {
    return cause instanceof Error ? String(cause.message) : String(cause);
  } catch {
    return 'something was thrown that has no text';
  }
}

function shown(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, SHOWN_LENGTH_MAX))
    : typeof value;
}
