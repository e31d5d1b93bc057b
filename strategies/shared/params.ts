// Parameters that several strategies have in common, each described once.

import {
  numberParam,
  QUOTES_MAX,
  type QuoteContext,
  wholeParam,
} from '../../src/strategy/index.ts';

export const levelsParam = wholeParam({
  doc: 'Quotes on each side.',
  unit: 'quotes',
  default: 3,
  min: 1,
  max: QUOTES_MAX,
});

export const sizeParam = numberParam({
  doc: 'Quantity of each quote; raised to what makes 1.00 USDC.',
  unit: 'shares',
  default: 50,
  min: 1,
  max: 1_000_000,
});

export const levelStepParam = numberParam({
  doc: 'Distance from one level to the next; it counts at least as one tick.',
  unit: 'USDC per share',
  default: 0.002,
  min: 0.001,
  max: 0.5,
});

export const varPriorParam = numberParam({
  doc: 'Log-odds variance of an hour until it has been measured.',
  unit: 'per hour',
  default: 0.3,
  min: 0,
  max: 1_000,
});

export const fillDecayParam = numberParam({
  doc: 'How fast fills become rarer with distance: k of A e^(-k d); 0: by tick and price, 60 or 300 at a tick of 0.01 or 0.001.',
  unit: 'per USDC',
  default: 0,
  min: 0,
  max: 10_000,
});

/** Takers reach so far into a book, in price, on each grid: less than two ticks of 0.01, some three of 0.001. */
const FILL_DECAY = { coarse: 60, fine: 300 } as const;
/** Towards the ends books are as narrow in log-odds as in the middle, down to about a price of 0.05. */
const NARROW_MIN = 0.2;

/** The stated decay of fills, or the usual one of a grid at a price. */
export function fillDecayAt(
  { grid, params }: QuoteContext<{ readonly fillDecay: number }>,
  price: number,
): number {
  if (params.fillDecay > 0) return params.fillDecay;
  const usual = grid.ticksPerUnit > 100 ? FILL_DECAY.fine : FILL_DECAY.coarse;
  return usual / Math.max(NARROW_MIN, 4 * price * (1 - price));
}

export const lossBudgetParam = numberParam({
  doc: 'What the market may lose at worst; it sets the risk scale b = L/ln 2.',
  unit: 'USDC',
  default: 100,
  min: 1,
  max: 1_000_000,
});

export const informedPriorParam = numberParam({
  doc: 'Part of takers taken for informed until own fills have shown another; 0: 0.03 at a tick of 0.01, 0.005 at 0.001.',
  unit: 'part',
  default: 0,
  min: 0,
  max: 0.9,
});

/** Where a tick is a tenth as large, takers are usually fended off by less than a cent. */
const INFORMED_PRIOR = { coarse: 0.03, fine: 0.005 } as const;

/** The stated part of informed takers, or the usual one of a grid. */
export function informedPriorAt({
  grid,
  params,
}: QuoteContext<{ readonly informedPrior: number }>): number {
  if (params.informedPrior > 0) return params.informedPrior;
  return grid.ticksPerUnit > 100 ? INFORMED_PRIOR.fine : INFORMED_PRIOR.coarse;
}
