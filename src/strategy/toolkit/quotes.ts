// What most strategies need: the middle of the book, and levels on one side of it.

import type { MicroShares } from '../../domain/shares.ts';
import { formatPrice, type TickGrid, type Ticks, ticks, ticksWithin } from '../../domain/ticks.ts';
import type {
  AxisBook,
  AxisSide,
  Quote,
  QuoteContext,
  QuotePurpose,
  QuoteReason,
  TargetQuotes,
} from '../contract.ts';
import { pricePastDust } from './heuristic/touch.ts';

/** Both touches of others; the middle, which dust does not move, is stated doubled because it may lie on a half-tick. */
export type Middle = {
  readonly kind: 'found';
  readonly bid: Ticks;
  readonly ask: Ticks;
  readonly twiceTicks: number;
};

/** Wanted levels of one side. */
export type SidePlan = {
  readonly side: AxisSide;
  /** Whole ticks of the level nearest to the middle; it may lie beyond the touch or the range. */
  readonly bestTicks: number;
  readonly levels: number;
  readonly spacingTicks: number;
  /** Each level's. */
  readonly quantity: MicroShares;
};

type Situation = Pick<QuoteContext<unknown>, 'grid' | 'inventory'>;

/** The middle of a book, or why it has none; there is no default price. */
export function middleOf(book: AxisBook): Middle | { kind: 'absent'; reason: QuoteReason } {
  const bid = book.bestBid();
  const ask = book.bestAsk();
  if (bid === undefined && ask === undefined) return absent('book_empty', 'others show no order');
  if (bid === undefined) return absent('book_one_sided', 'others show no bid');
  if (ask === undefined) return absent('book_one_sided', 'others show no ask');
  if (bid >= ask) return absent('book_crossed', 'the best bid is not below the best ask');
  const twiceTicks = (pricePastDust(book, 'bid') ?? bid) + (pricePastDust(book, 'ask') ?? ask);
  return { kind: 'found', bid, ask, twiceTicks };
}

/**
 * Levels from the best one outwards, every `spacingTicks`. The best is moved back to where it
 * does not meet the opposite touch; levels outside the price range are left out with a reason.
 */
export function sideQuotes(context: Situation, middle: Middle, plan: SidePlan): TargetQuotes {
  const away = plan.side === 'bid' ? -1 : 1;
  const start = besideTouch(middle, plan);
  const quotes: Quote[] = [];
  for (let index = 0; index < plan.levels; index += 1) {
    const price = ticksWithin(context.grid, start + away * index * plan.spacingTicks);
    if (price === undefined) break;
    const purpose = purposeOf(context.inventory.net, plan, index);
    quotes.push({ side: plan.side, price, quantity: plan.quantity, purpose });
  }
  return { quotes, reasons: rangeReasons(context.grid, plan, quotes.length) };
}

export function joined(...targets: readonly TargetQuotes[]): TargetQuotes {
  return {
    quotes: targets.flatMap((targetQuotes) => targetQuotes.quotes),
    reasons: targets.flatMap((targetQuotes) => targetQuotes.reasons),
  };
}

export function noQuotes(reason: QuoteReason): TargetQuotes {
  return { quotes: [], reasons: [reason] };
}

function absent(code: string, detail: string): { kind: 'absent'; reason: QuoteReason } {
  const clears = 'others quote both sides of the book';
  return { kind: 'absent', reason: { side: 'both', code, detail, clears } };
}

function besideTouch(middle: Middle, plan: SidePlan): number {
  return plan.side === 'bid'
    ? Math.min(plan.bestTicks, middle.ask - 1)
    : Math.max(plan.bestTicks, middle.bid + 1);
}

/**
 * A level reduces only when all levels up to it, filled, do not turn the position over: what is
 * allowed in order to get out must not be a way to get in.
 */
function purposeOf(net: MicroShares, plan: SidePlan, index: number): QuotePurpose {
  const reducible = plan.side === 'bid' ? -net : net;
  return plan.quantity * (index + 1) <= reducible ? 'reduce' : 'add';
}

function rangeReasons(grid: TickGrid, plan: SidePlan, kept: number): readonly QuoteReason[] {
  const dropped = plan.levels - kept;
  if (dropped === 0) return [];
  const lowest = formatPrice(grid, ticks(grid, 1));
  const highest = formatPrice(grid, ticks(grid, grid.ticksPerUnit - 1));
  return [
    {
      side: plan.side,
      code: 'out_of_range',
      detail: `${dropped} of ${plan.levels} levels lie outside ${lowest} to ${highest}`,
      clears: 'the middle of the book moves away from the end of the price range',
    },
  ];
}
