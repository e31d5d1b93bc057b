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
  const sides = markets.map(sideShares);
  const shares = sum(sides);
  const longest = Math.max(0, ...sides);
  const orders = sum(markets.map(({ params }) => 2 * numberOf(params, 'levels', 1)));
  const largest = Math.max(0, ...markets.map(({ params }) => numberOf(params, 'size', 0)));
  const held = markets.length * Math.min(risk.maxPositionShares, risk.maxNetShares);
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
      ...{ what: 'the largest quote', least: largest / 2, most: largest, unit: 'USDC' },
      ...{ limit: 'risk.maxOrderNotionalUsdc', limitIs: risk.maxOrderNotionalUsdc },
    },
    {
      ...{ what: 'the longest ladder, one side', least: longest, unit: 'shares' },
      ...{ most: longest, limit: 'risk.maxPositionShares' },
      limitIs: risk.maxPositionShares,
    },
    {
      ...{ what: 'quotes of all markets', least: orders, most: orders, unit: 'orders' },
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
