// Asks strategies, and believes nothing: what one throws or wishes wrongly costs its markets their
// quotes, is reported once, and no more than that.

import type { MarketChoice } from '../../domain/input.ts';
import { marketCount } from '../../domain/market.ts';
import { ticksWithin } from '../../domain/ticks.ts';
import {
  type EventStrategy,
  type EventWish,
  type MarketStrategy,
  QUOTES_MAX,
  type QuoteContext,
  type QuoteWish,
  type Strategy,
  TAKES_MAX,
} from '../../strategy/index.ts';
import type { MarketState } from '../market.ts';
import type { World } from '../world.ts';
import type { ReasonText } from './reasons.ts';
import { shapeFault, thrownText } from './wish-shape.ts';

const SIDES = ['bid', 'ask'] as const;
const NOTHING: QuoteWish = Object.freeze({ quotes: [], reasons: [] });

/** What the strategy of one market wishes; nothing after a fault, which the market remembers. */
export function askMarket(
  world: World,
  market: MarketState,
  of: { readonly strategy: MarketStrategy<unknown>; readonly context: QuoteContext<unknown> },
): QuoteWish {
  const answer = attempt(() => {
    const wish = marketWish(market, of);
    remember(world, market.choice.strategy, { id: market.market.id, memory: wish.memory });
    return wish;
  });
  return settled(world, market, answer);
}

/** The same, and nothing is remembered. @throws {Error} What is wrong with the wish. */
export function marketWish(
  market: MarketState,
  of: { readonly strategy: MarketStrategy<unknown>; readonly context: QuoteContext<unknown> },
): QuoteWish {
  const wish = of.strategy.quote(of.context);
  const fault = faultOf(market, wish, of.strategy);
  if (fault !== undefined) throw new Error(fault);
  return wish;
}

export type Seen = {
  readonly market: MarketState;
  readonly context: QuoteContext<unknown>;
  readonly blocked: ReasonText | undefined;
};

/** What a joint strategy wishes for each market of its event, in the order of `seen`. */
export function askEvent(
  world: World,
  seen: readonly Seen[],
  strategy: EventStrategy<unknown>,
): readonly QuoteWish[] {
  const [first] = seen;
  if (first === undefined) return [];
  const { choice } = first.market;
  const answer = attempt(() => {
    const wish = eventWish(world, seen, { strategy, choice });
    remember(world, choice.strategy, { id: memoryIdOf(first.market, choice), memory: wish.memory });
    return wish.byMarket;
  });
  return seen.map(({ market }) => {
    if (answer.kind === 'failed') return settled(world, market, answer);
    const wish = answer.wish.get(market.market.id) ?? NOTHING;
    return settled(world, market, { kind: 'answered', wish });
  });
}

type Answer<Wish> =
  | { readonly kind: 'answered'; readonly wish: Wish }
  | { readonly kind: 'failed'; readonly detail: string };

function attempt<Wish>(ask: () => Wish): Answer<Wish> {
  try {
    return { kind: 'answered', wish: ask() };
  } catch (cause) {
    return { kind: 'failed', detail: thrownText(cause) };
  }
}

export type CheckedEventWish = {
  readonly byMarket: ReadonlyMap<string, QuoteWish>;
  readonly memory: EventWish['memory'];
};

/** What a joint strategy wishes, checked. @throws {Error} What is wrong with it. */
export function eventWish(
  world: World,
  seen: readonly Seen[],
  of: { readonly strategy: EventStrategy<unknown>; readonly choice: MarketChoice },
): CheckedEventWish {
  const [first] = seen;
  if (first === undefined) return { byMarket: new Map(), memory: undefined };
  const { event } = first.market;
  const { strategy, choice } = of;
  const isWhole = marketCount(event) === seen.length;
  const wish = strategy.quoteEvent({
    nowMs: world.nowMs,
    eventId: event.id,
    markets: seen.map(({ context, blocked }) => ({ context, blocked: blocked?.code })),
    isExclusive: isWhole && (choice.isExclusive ?? false),
    params: choice.params,
    memory: world.memories.of(choice.strategy, memoryIdOf(first.market, choice)),
  });
  const markets = seen.map(({ market }) => market);
  return { byMarket: wishesByMarket(markets, wish, strategy), memory: wish.memory };
}

/** Whose memory it is: the event's, or the market's where the choice names one market of the event. */
function memoryIdOf({ event, market }: MarketState, choice: MarketChoice): string {
  return choice.market === undefined ? event.id : market.id;
}

function wishesByMarket(
  markets: readonly MarketState[],
  wish: EventWish,
  strategy: Strategy,
): ReadonlyMap<string, QuoteWish> {
  const byMarket = new Map<string, QuoteWish>();
  for (const { marketId, wish: own } of wish.markets) {
    const market = markets.find((each) => each.market.id === marketId);
    if (market === undefined) throw new Error(`${marketId} is no market of this event`);
    if (byMarket.has(marketId)) throw new Error(`${marketId} is wished for twice`);
    const fault =
      own.memory === undefined ? faultOf(market, own, strategy) : 'memory belongs to the event';
    if (fault !== undefined) throw new Error(fault);
    byMarket.set(marketId, own);
  }
  return byMarket;
}

function remember(
  world: World,
  strategy: string,
  kept: { readonly id: string; readonly memory: QuoteWish['memory'] },
): void {
  if (kept.memory === undefined) return;
  const fault = world.memories.keep(strategy, kept.id, kept.memory);
  if (fault !== undefined) throw new Error(fault);
}

function settled(world: World, market: MarketState, answer: Answer<QuoteWish>): QuoteWish {
  if (answer.kind === 'answered') {
    market.strategyFailure = undefined;
    return answer.wish;
  }
  noteFailure(world, market, answer.detail);
  return NOTHING;
}

function faultOf(market: MarketState, wish: QuoteWish, strategy: Strategy): string | undefined {
  return shapeFault(wish) ?? quotesFault(market, wish) ?? takesFault(market, wish, strategy);
}

function quotesFault(market: MarketState, wish: QuoteWish): string | undefined {
  for (const side of SIDES) {
    const count = wish.quotes.filter((quote) => quote.side === side).length;
    if (count > QUOTES_MAX) return `${count} ${side}s wished, at most ${QUOTES_MAX} are allowed`;
  }
  for (const quote of wish.quotes) {
    const fault =
      amountFault(market, quote.side, quote) ??
      (quote.worst === undefined ? undefined : worstFault(market, quote.side, quote.worst));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function amountFault(
  market: MarketState,
  what: string,
  amount: { readonly price: number; readonly quantity: number },
): string | undefined {
  if (ticksWithin(market.grid, amount.price) === undefined) {
    return `a ${what} at ${amount.price} ticks is not a price`;
  }
  if (!Number.isSafeInteger(amount.quantity) || amount.quantity < 0) {
    return `a ${what} of ${amount.quantity} micro-shares is not a quantity`;
  }
  return undefined;
}

function worstFault(market: MarketState, side: string, worst: number): string | undefined {
  if (ticksWithin(market.grid, worst) !== undefined) return undefined;
  return `the worst price of a ${side}, ${worst} ticks, is not a price`;
}

function takesFault(
  market: MarketState,
  { takes }: QuoteWish,
  strategy: Strategy,
): string | undefined {
  if (takes === undefined || takes.length === 0) return undefined;
  if (strategy.takes !== true) return 'takes without saying that its purpose is to take';
  if (takes.length > TAKES_MAX) return `${takes.length} takes wished, at most ${TAKES_MAX}`;
  for (const take of takes) {
    const fault = amountFault(market, `${take.side} of ${take.leg}`, take);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What failed while a market was priced; told once for as long as it stays the same. */
export function noteFailure(world: World, market: MarketState, detail: string): void {
  if (market.strategyFailure !== detail) {
    world.outbox.report({
      event: 'strategy.failed',
      marketId: market.market.id,
      strategy: market.strategy.name,
      detail,
    });
  }
  market.strategyFailure = detail;
}
