// What the guards between a strategy's target quotes and the orders have in common. A guard is pure: quotes
// and situation in, quotes and reasons out; what it must remember is plain data kept per market.

import type { OverlayName, OverlaySettings } from '../../../domain/overlays.ts';
import { MICRO_PER_SHARE, type MicroShares, microShares } from '../../../domain/shares.ts';
import type { TickGrid } from '../../../domain/ticks.ts';
import type { UnixMs } from '../../../domain/time.ts';
import type {
  AxisBook,
  AxisSide,
  FairValue,
  MarketLife,
  Quote,
  QuoteReason,
  Toxicity,
  TradeDigest,
} from '../../../strategy/index.ts';
import { reducingPart } from '../../risk/latches.ts';

/** What a guard may look at. */
export type Situation = {
  readonly nowMs: UnixMs;
  /** By the venue's clock, for what has a date or a time of day. */
  readonly venueMs: UnixMs;
  readonly grid: TickGrid;
  readonly book: AxisBook;
  readonly fair: FairValue | undefined;
  readonly trades: TradeDigest;
  readonly toxicity: Toxicity;
  readonly life: MarketLife;
  readonly net: MicroShares;
  readonly maxPosition: MicroShares;
  /** Own fills of a side that lost a tick within 10 s, since a time. */
  readonly quickLosses: (side: AxisSide, sinceMs: number) => number;
};

/** What a guard did: took quotes away, made them smaller, or moved them back. */
export type GuardReason = QuoteReason & {
  readonly guard: OverlayName;
  readonly effect: 'pulled' | 'smaller' | 'moved';
};

export type Guarded = {
  readonly quotes: readonly Quote[];
  readonly reasons: readonly GuardReason[];
};

/** A guard without a memory of its own. */
export type Guard<Name extends OverlayName> = (
  quotes: readonly Quote[],
  situation: Situation,
  settings: OverlaySettings[Name],
) => Guarded;

export function untouched(quotes: readonly Quote[]): Guarded {
  return { quotes, reasons: [] };
}

/** Everything goes. */
export function pulled(reason: Omit<GuardReason, 'effect' | 'side'>): Guarded {
  return { quotes: [], reasons: [{ ...reason, side: 'both', effect: 'pulled' }] };
}

/**
 * Keeps what brings the net position nearer to zero, whatever the strategy calls it: up to the
 * position itself, the inner quotes first.
 */
export function onlyReducing(
  { grid, net }: Pick<Situation, 'grid' | 'net'>,
  quotes: readonly Quote[],
  reason: Omit<GuardReason, 'effect' | 'side'>,
): Guarded {
  const kept = reducingPart(grid, quotes, net);
  const other: AxisSide = net < 0 ? 'ask' : 'bid';
  const emptied = kept.length === 0 ? 'both' : other;
  return { quotes: kept, reasons: [{ ...reason, side: emptied, effect: 'pulled' }] };
}

/** Quotes of one side go, those of the other stay. */
export function withoutSide(
  quotes: readonly Quote[],
  side: AxisSide,
  reason: Omit<GuardReason, 'effect' | 'side'>,
): Guarded {
  const kept = quotes.filter((quote) => quote.side !== side);
  return { quotes: kept, reasons: [{ ...reason, side, effect: 'pulled' }] };
}

/** A quantity is cut to hundredths of a share, which every venue's decimals can state. */
const QUANTITY_STEP = MICRO_PER_SHARE / 100;

/** The quote with a part of its size, `undefined` when nothing is left. */
export function shrunk(quote: Quote, part: number): Quote | undefined {
  if (part >= 1) return quote;
  const steps = Math.floor((quote.quantity * Math.max(0, part)) / QUANTITY_STEP);
  return steps === 0 ? undefined : { ...quote, quantity: microShares(steps * QUANTITY_STEP) };
}

/** The side whose fills make the position larger; without a position both do. */
export function isAdding(quote: Quote, net: MicroShares): boolean {
  return quote.side === 'bid' ? net >= 0 : net <= 0;
}

/** Part of the position limit in use, 0 to 1. */
export function usedShare({ net, maxPosition }: Situation): number {
  const size = Math.abs(net);
  return size >= maxPosition ? 1 : size / maxPosition;
}
