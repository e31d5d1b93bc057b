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
  /** What it remembers; absent where that stays as it was. */
  readonly state?: Partial<OverlayState>;
};

/** Middles and spreads of the book, and the last jump of it. */
export type JumpState = {
  readonly middles: readonly { readonly atMs: UnixMs; readonly price: number }[];
  readonly usualSpread: { readonly price: number; readonly atMs: UnixMs } | undefined;
  readonly jumpedAtMs: UnixMs | undefined;
  readonly detail: string;
  /** When the pause was over; reduce-only counts from there. */
  readonly settledAtMs: UnixMs | undefined;
};

/** What the guards of one market remember between two decisions: plain data of fixed size. */
export type OverlayState = {
  readonly jump: JumpState;
  /** The decayed mean of the fair value, the last one known. */
  readonly shape: { readonly mean: number; readonly atMs: UnixMs } | undefined;
  /** Since when a side is pulled. */
  readonly toxicity: Readonly<Record<AxisSide, UnixMs | undefined>>;
};

export const NO_OVERLAY_STATE: OverlayState = {
  jump: {
    middles: [],
    usualSpread: undefined,
    jumpedAtMs: undefined,
    detail: '',
    settledAtMs: undefined,
  },
  shape: undefined,
  toxicity: { bid: undefined, ask: undefined },
};

export type Guard<Name extends OverlayName> = (
  quotes: readonly Quote[],
  situation: Situation,
  settings: OverlaySettings[Name],
  before: OverlayState,
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

/** A quantity is cut to hundredths of a share, which every venue's decimals can state. */
const QUANTITY_STEP = MICRO_PER_SHARE / 100;

/** The quote with a part of its size, `undefined` when nothing is left. */
export function shrunk(quote: Quote, part: number): Quote | undefined {
  if (part >= 1) return quote;
  const steps = Math.floor((quote.quantity * Math.max(0, part)) / QUANTITY_STEP);
  return steps === 0 ? undefined : { ...quote, quantity: microShares(steps * QUANTITY_STEP) };
}
