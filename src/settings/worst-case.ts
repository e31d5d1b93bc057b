// What a configuration could lose at worst, reckoned from the file alone, beside the limits that hold it: no book is
// known yet, so that a price is anything from 0 to 1.

import type { FileSettings } from './settings.ts';

type Choice = FileSettings['markets'][number];

/** One figure against its limit. */
export type WorstCase = {
  readonly what: string;
  readonly least: number;
  readonly most: number;
  readonly unit: 'USDC' | 'orders' | 'shares';
  readonly limit: string;
  readonly limitIs: number;
};

/** An entry without `market` counts as one, though its event may have several. */
export function worstCases({ markets, risk }: FileSettings): readonly WorstCase[] {
  // A filter counts as the markets that it may choose.
  const each = markets.flatMap((choice) =>
    Array.from({ length: choice.select?.max ?? 1 }, () => choice),
  );
  // Where the sizes follow from other parameters, as those of bands do, only limits say what may rest.
  const sized = each.filter(hasSize);
  const others = each.length - sized.length;
  const heldOfOne = Math.min(risk.maxPositionShares, risk.maxNetShares);
  const sides = sized.map(sideShares);
  const shares = sum(sides) + others * heldOfOne;
  const longest = highestOf(sides);
  const longestMost = others > 0 ? Math.max(longest, heldOfOne) : longest;
  const orders = sum(sized.map(({ params }) => 2 * numberOf(params, 'levels', 1)));
  const ordersMost = orders + others * risk.maxMarketOpenOrders;
  const largest = highestOf(sized.map(({ params }) => numberOf(params, 'size', 0)));
  const largestMost = others > 0 ? Math.max(largest, risk.maxOrderNotionalUsdc) : largest;
  const held = each.length * heldOfOne;
  return [
    {
      // A share bought at p may lose p, one sold 1 - p: the dearer side at least half of a dollar. Markets of which one
      // comes true lose less together than one by one, so that only the longest ladder counts as the least.
      ...{
        what: 'one side of every ladder filled',
        least: longest / 2,
        most: shares,
        unit: 'USDC',
      },
      ...{ limit: 'risk.maxLossUsdc', limitIs: risk.maxLossUsdc },
    },
    {
      ...{ what: 'positions at their limits, all lost', least: 0, most: held, unit: 'USDC' },
      ...{ limit: 'risk.maxLossUsdc', limitIs: risk.maxLossUsdc },
    },
    {
      ...{ what: 'the largest quote', least: largest / 2, most: largestMost, unit: 'USDC' },
      ...{ limit: 'risk.maxOrderNotionalUsdc', limitIs: risk.maxOrderNotionalUsdc },
    },
    {
      ...{ what: 'the longest ladder, one side', least: longest, unit: 'shares' },
      ...{ most: longestMost, limit: 'risk.maxPositionShares' },
      limitIs: risk.maxPositionShares,
    },
    {
      ...{ what: 'quotes of all markets', least: orders, most: ordersMost, unit: 'orders' },
      ...{ limit: 'risk.maxOpenOrders', limitIs: risk.maxOpenOrders },
    },
  ];
}

/** One line: `one side of every ladder filled: 180 to 360 USDC of risk.maxLossUsdc 1500`. */
export function worstCaseText({ what, least, most, unit, limit, limitIs }: WorstCase): string {
  const range = least === most || least === 0 ? `${most}` : `${least} to ${most}`;
  const over = most > limitIs ? `; ${limit} ends it there` : '';
  return `${what}: ${range} ${unit} of ${limit} ${limitIs}${over}`;
}

function hasSize({ params }: Choice): boolean {
  return numberOf(params, 'size', 0) > 0;
}

function sideShares({ params }: Choice): number {
  return numberOf(params, 'size', 0) * numberOf(params, 'levels', 1);
}

function numberOf(params: Choice['params'], name: string, otherwise: number): number {
  const value: unknown = Reflect.get(params, name);
  return typeof value === 'number' ? value : otherwise;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** One by one: filters may choose more markets than a call takes arguments. */
function highestOf(numbers: readonly number[]): number {
  return numbers.reduce((highest, one) => Math.max(highest, one), 0);
}
