// Asks strategies, and trusts nothing: what one throws or quotes wrongly costs its markets their
// quotes, is reported once, and no more than that.

import type { MarketChoice } from '../../domain/input.ts';
import { LEGS, marketCount } from '../../domain/market.ts';
import { MICRO_SHARES_MAX } from '../../domain/shares.ts';
import { ticksWithin } from '../../domain/ticks.ts';
import {
  boundedReasons,
  boundedText,
  type EventStrategy,
  type EventTargets,
  type MarketStrategy,
  QUOTES_MAX,
  type Quote,
  type QuoteContext,
  type QuoteReason,
  type Strategy,
  TAKES_MAX,
  type TargetQuotes,
} from '../../strategy/index.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { conditionReason } from './gate.ts';
import type { QuotedMarket, ReasonText } from './market.ts';
import type { QuotingStores } from './stores.ts';

const SIDES = ['bid', 'ask'] as const;
const NOTHING: TargetQuotes = Object.freeze({ quotes: [], reasons: [] });

/** What the strategy of one market wants; nothing after a fault, which the market remembers. */
export function askMarket(
  stores: QuotingStores,
  market: QuotedMarket,
  of: { readonly strategy: MarketStrategy<unknown>; readonly context: QuoteContext<unknown> },
): TargetQuotes {
  const answer = attempt(() => {
    const targetQuotes = marketTargets(market, of);
    remember(stores, market.choice.strategy, { id: market.market.id, memory: targetQuotes.memory });
    return targetQuotes;
  });
  return settled(stores, market, answer);
}

/** The same, and nothing is remembered. @throws {Error} What is wrong with the target quotes. */
export function marketTargets(
  market: QuotedMarket,
  of: { readonly strategy: MarketStrategy<unknown>; readonly context: QuoteContext<unknown> },
): TargetQuotes {
  const targetQuotes = of.strategy.quote(of.context);
  const fault = faultOf(market, targetQuotes, of.strategy);
  if (fault !== undefined) throw new Error(fault);
  return copied(targetQuotes);
}

/** A strategy may fill one list for market after market: what it wanted of this one stays what it was. */
function copied({ quotes, reasons, takes, memory }: TargetQuotes): TargetQuotes {
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
    ...(memory === undefined ? {} : { memory }),
  };
}

export type Seen = {
  readonly market: QuotedMarket;
  readonly context: QuoteContext<unknown>;
  readonly blocked: ReasonText | undefined;
};

/** What a joint strategy wants for each market of its event, in the order of `seen`. */
export function askEvent(
  stores: QuotingStores,
  seen: readonly Seen[],
  strategy: EventStrategy<unknown>,
): readonly TargetQuotes[] {
  const [first] = seen;
  if (first === undefined) return [];
  const { choice } = first.market;
  const answer = attempt(() => {
    const targetQuotes = eventTargets(stores, seen, { strategy, choice });
    remember(stores, choice.strategy, {
      id: memoryIdOf(first.market, choice),
      memory: targetQuotes.memory,
    });
    return targetQuotes.byMarket;
  });
  return seen.map(({ market }) => {
    if (answer.kind === 'failed') return settled(stores, market, answer);
    const targetQuotes = answer.targetQuotes.get(market.market.id) ?? NOTHING;
    return settled(stores, market, { kind: 'answered', targetQuotes });
  });
}

export type Attempt<Target> =
  | { readonly kind: 'answered'; readonly targetQuotes: Target }
  | { readonly kind: 'failed'; readonly detail: string };

/** Whatever is thrown on the way: it may be anything, of a module that somebody has dropped in. */
export function attempt<Target>(ask: () => Target): Attempt<Target> {
  try {
    return { kind: 'answered', targetQuotes: ask() };
  } catch (cause) {
    return { kind: 'failed', detail: boundedText(thrownText(cause)) };
  }
}

type CheckedEventTargets = {
  readonly byMarket: ReadonlyMap<string, TargetQuotes>;
  readonly memory: EventTargets['memory'];
};

/** What a joint strategy wants, checked. @throws {Error} What is wrong with it. */
export function eventTargets(
  stores: QuotingStores,
  seen: readonly Seen[],
  of: { readonly strategy: EventStrategy<unknown>; readonly choice: MarketChoice },
): CheckedEventTargets {
  const [first] = seen;
  if (first === undefined) return { byMarket: new Map(), memory: undefined };
  const { event } = first.market;
  const { strategy, choice } = of;
  const isWhole = marketCount(event) === seen.length;
  const targetQuotes = strategy.quoteEvent({
    nowMs: stores.nowMs,
    eventId: event.id,
    markets: seen.map((each) => ({ context: each.context, blocked: blockedBy(stores, each) })),
    isExclusive: isWhole && (choice.isExclusive ?? false),
    params: choice.params,
    memory: stores.memories.of(choice.strategy, memoryIdOf(first.market, choice)),
  });
  const markets = seen.map(({ market }) => market);
  return {
    byMarket: targetsByMarket(markets, targetQuotes, strategy),
    memory: targetQuotes.memory,
  };
}

/** Prices of the others hang on whether an outcome is decided, or its books can be had: an operator's stop hides neither. */
function blockedBy({ nowMs }: KernelStores, { market, blocked }: Seen): string | undefined {
  return blocked && (conditionReason(market, nowMs) ?? blocked).code;
}

/** Whose memory it is: the event's, or the market's where the choice names one market of the event. */
function memoryIdOf({ event, market }: QuotedMarket, choice: MarketChoice): string {
  return choice.market === undefined ? event.id : market.id;
}

function targetsByMarket(
  markets: readonly QuotedMarket[],
  targetQuotes: EventTargets,
  strategy: Strategy,
): ReadonlyMap<string, TargetQuotes> {
  const byMarket = new Map<string, TargetQuotes>();
  for (const { marketId, targetQuotes: own } of targetQuotes.markets) {
    const market = markets.find((each) => each.market.id === marketId);
    if (market === undefined) throw new Error(`${marketId} is no market of this event`);
    if (byMarket.has(marketId)) throw new Error(`${marketId} is wanted for twice`);
    const fault =
      own.memory === undefined ? faultOf(market, own, strategy) : 'memory belongs to the event';
    if (fault !== undefined) throw new Error(fault);
    byMarket.set(marketId, copied(own));
  }
  return byMarket;
}

function remember(
  stores: QuotingStores,
  strategy: string,
  kept: { readonly id: string; readonly memory: TargetQuotes['memory'] },
): void {
  if (kept.memory === undefined) return;
  const fault = stores.memories.keep(strategy, kept.id, kept.memory);
  if (fault !== undefined) throw new Error(fault);
}

function settled(
  stores: KernelStores,
  market: QuotedMarket,
  answer: Attempt<TargetQuotes>,
): TargetQuotes {
  if (answer.kind === 'answered') {
    market.strategyFailure = undefined;
    return answer.targetQuotes;
  }
  noteFailure(stores, market, answer.detail);
  return NOTHING;
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

/** What failed while a market was priced; told once for as long as it stays the same. */
export function noteFailure(stores: KernelStores, market: QuotedMarket, detail: string): void {
  if (market.strategyFailure !== detail) {
    stores.outbox.report({
      event: 'strategy.failed',
      marketId: market.market.id,
      strategy: market.strategy.name,
      detail,
    });
  }
  market.strategyFailure = detail;
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
