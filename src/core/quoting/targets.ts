// Asks strategies, and trusts nothing: what one throws or quotes wrongly costs its markets their
// quotes, is reported once, and no more than that.

import { LEGS, marketCount } from '../../domain/market.ts';
import { MICRO_SHARES_MAX } from '../../domain/shares.ts';
import { ticksWithin } from '../../domain/ticks.ts';
import {
  boundedReasons,
  boundedText,
  type EventTargets,
  QUOTES_MAX,
  type Quote,
  type QuoteReason,
  type Strategy,
  TAKES_MAX,
  type TargetQuotes,
} from '../../strategy/index.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { Look } from './context.ts';
import type { QuotedMarket } from './market.ts';
import { conditionReason } from './reasons.ts';
import type { QuotingStores } from './stores.ts';

const SIDES = ['bid', 'ask'] as const;
export const NO_TARGETS: TargetQuotes = Object.freeze({ quotes: [], reasons: [] });

export type Answer = { readonly targetQuotes: TargetQuotes; readonly failure: string | undefined };

/**
 * What one strategy wants for each of the markets that it prices together; nothing after a fault.
 * @param remembers - Whether what it wants remembered is kept.
 * @returns In the order of `looks`; none where nobody was asked.
 */
export function answersOf(
  stores: QuotingStores,
  looks: readonly Look[],
  { remembers }: { readonly remembers: boolean },
): readonly Answer[] {
  const [first] = looks;
  if (first === undefined || (first.terms.strategy.scope !== 'event' && first.blocked)) return [];
  try {
    const { byMarket, memory } = wanted(stores, looks, first);
    if (remembers) remember(stores, first, memory);
    return looks.map(({ market, blocked }) => {
      const own = blocked === undefined ? byMarket.get(market.market.id) : undefined;
      return { targetQuotes: own ?? NO_TARGETS, failure: undefined };
    });
  } catch (cause) {
    // It may be anything, of a module that somebody has dropped in.
    const failure = boundedText(thrownText(cause));
    return looks.map(() => ({ targetQuotes: NO_TARGETS, failure }));
  }
}

type Wanted = {
  readonly byMarket: ReadonlyMap<string, TargetQuotes>;
  readonly memory: TargetQuotes['memory'];
};

/** Checked. @throws {Error} What is wrong with it. */
function wanted(stores: QuotingStores, looks: readonly Look[], first: Look): Wanted {
  const { market, context, terms } = first;
  const { strategy, choice } = terms;
  if (strategy.scope !== 'event') {
    const targetQuotes = strategy.quote(context);
    const byMarket = new Map([[market.market.id, checked(market, targetQuotes, strategy)]]);
    return { byMarket, memory: targetQuotes.memory };
  }
  const isWhole = marketCount(market.event) === looks.length;
  const targetQuotes = strategy.quoteEvent({
    nowMs: stores.nowMs,
    eventId: market.event.id,
    markets: looks.map((each) => ({ context: each.context, blocked: blockedBy(stores, each) })),
    isExclusive: isWhole && (choice.isExclusive ?? false),
    params: choice.params,
    memory: stores.memories.of(choice.strategy, memoryIdOf(first)),
  });
  const markets = looks.map((each) => each.market);
  return { byMarket: byMarketOf(markets, targetQuotes, strategy), memory: targetQuotes.memory };
}

/** Prices of the others hang on whether an outcome is decided, or its books can be had: an operator's stop hides neither. */
function blockedBy({ nowMs }: KernelStores, { market, blocked }: Look): string | undefined {
  return blocked && (conditionReason(market, nowMs) ?? blocked).code;
}

/** Whose memory it is: the event's where the choice names no market of it, or the market's. */
function memoryIdOf({ market, terms: { strategy, choice } }: Look): string {
  const isOfEvent = strategy.scope === 'event' && choice.market === undefined;
  return isOfEvent ? market.event.id : market.market.id;
}

function byMarketOf(
  markets: readonly QuotedMarket[],
  targetQuotes: EventTargets,
  strategy: Strategy,
): ReadonlyMap<string, TargetQuotes> {
  const byMarket = new Map<string, TargetQuotes>();
  for (const { marketId, targetQuotes: own } of targetQuotes.markets) {
    const market = markets.find((each) => each.market.id === marketId);
    if (market === undefined) throw new Error(`${marketId} is no market of this event`);
    if (byMarket.has(marketId)) throw new Error(`${marketId} is wanted for twice`);
    if (own.memory !== undefined) throw new Error('memory belongs to the event');
    byMarket.set(marketId, checked(market, own, strategy));
  }
  return byMarket;
}

function remember(stores: QuotingStores, look: Look, memory: TargetQuotes['memory']): void {
  if (memory === undefined) return;
  const fault = stores.memories.keep(look.terms.choice.strategy, memoryIdOf(look), memory);
  if (fault !== undefined) throw new Error(fault);
}

/** A strategy may fill one list for market after market: what it wanted of this one stays what it was. */
function checked(
  market: QuotedMarket,
  targetQuotes: TargetQuotes,
  strategy: Strategy,
): TargetQuotes {
  const fault = faultOf(market, targetQuotes, strategy);
  if (fault !== undefined) throw new Error(fault);
  const { quotes, reasons, takes } = targetQuotes;
  return {
    quotes: quotes.map(({ side, price, quantity, purpose, worst }) =>
      worst === undefined
        ? { side, price, quantity, purpose }
        : { side, price, quantity, purpose, worst },
    ),
    reasons: boundedReasons(reasons),
    ...(takes && {
      takes: takes.map(({ leg, side, price, quantity }) => ({ leg, side, price, quantity })),
    }),
  };
}

function faultOf(
  market: QuotedMarket,
  targetQuotes: TargetQuotes,
  strategy: Strategy,
): string | undefined {
  return (
    shapeFault(targetQuotes) ??
    quotesFault(market, targetQuotes) ??
    takesFault(market, targetQuotes, strategy)
  );
}

function quotesFault(market: QuotedMarket, targetQuotes: TargetQuotes): string | undefined {
  for (const side of SIDES) {
    const count = targetQuotes.quotes.filter((quote) => quote.side === side).length;
    if (count > QUOTES_MAX) return `${count} ${side}s wanted, at most ${QUOTES_MAX} are allowed`;
  }
  for (const quote of targetQuotes.quotes) {
    const fault =
      amountFault(market, quote.side, quote) ??
      (quote.worst === undefined ? undefined : worstFault(market, quote.side, quote.worst));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function amountFault(
  market: QuotedMarket,
  what: string,
  amount: { readonly price: number; readonly quantity: number },
): string | undefined {
  if (ticksWithin(market.grid, amount.price) === undefined) {
    return `a ${what} at ${amount.price} ticks is not a price`;
  }
  const isCount = Number.isSafeInteger(amount.quantity) && amount.quantity >= 0;
  if (!isCount || amount.quantity > MICRO_SHARES_MAX) {
    return `a ${what} of ${amount.quantity} micro-shares is not a quantity`;
  }
  return undefined;
}

function worstFault(market: QuotedMarket, side: string, worst: number): string | undefined {
  if (ticksWithin(market.grid, worst) !== undefined) return undefined;
  return `the worst price of a ${side}, ${worst} ticks, is not a price`;
}

function takesFault(
  market: QuotedMarket,
  { takes }: TargetQuotes,
  strategy: Strategy,
): string | undefined {
  if (takes === undefined || takes.length === 0) return undefined;
  if (strategy.takes !== true) return 'takes without saying that its purpose is to take';
  if (takes.length > TAKES_MAX) return `${takes.length} takes wanted, at most ${TAKES_MAX}`;
  for (const take of takes) {
    const fault =
      unlike(take?.leg, LEGS, 'the leg of a take') ??
      unlike(take.side, TAKE_SIDES, 'the side of a take') ??
      amountFault(market, `${take.side} of ${take.leg}`, take);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What failed while a market was priced, if anything; told once for as long as it stays the same. */
export function noteFailure(
  stores: KernelStores,
  market: QuotedMarket,
  failure: string | undefined,
): void {
  if (failure !== undefined && market.strategyFailure !== failure) {
    stores.outbox.report({
      event: 'strategy.failed',
      marketId: market.market.id,
      strategy: market.strategy.name,
      detail: failure,
    });
  }
  market.strategyFailure = failure;
}

// Whether what a strategy answered is a target quote at all. A module that somebody drops in may be plain
// JavaScript: no compiler has seen what it returns.

const REASON_SIDES = [...SIDES, 'both'];
const PURPOSES = ['add', 'reduce'];
const TAKE_SIDES = ['BUY', 'SELL'];
const SHOWN_LENGTH_MAX = 40;

/** What is not of the form that the contract states, `undefined` when all of it is. */
function shapeFault(targetQuotes: TargetQuotes): string | undefined {
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
  return (
    unlike(quote?.side, SIDES, 'the side of a quote') ??
    unlike(quote.purpose, PURPOSES, 'the purpose of a quote')
  );
}

function reasonFault(reason: QuoteReason): string | undefined {
  const fault = unlike(reason?.side, REASON_SIDES, 'the side of a reason');
  if (fault !== undefined) return fault;
  const texts = [reason.code, reason.detail, reason.clears];
  const isText = texts.every((each) => typeof each === 'string');
  return isText ? undefined : 'a reason has texts for `code`, `detail` and `clears`';
}

function unlike(value: unknown, words: readonly unknown[], what: string): string | undefined {
  return words.includes(value) ? undefined : `${shown(value)} is not ${what}`;
}

/** What was thrown, in words; it may be anything, even something that cannot be put in words. */
function thrownText(cause: unknown): string {
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
