// Own fills of a backtest on the YES axis, and what the market thought of each before and after.

import type { MarketId } from '../domain/ids.ts';
import type { UnixMs } from '../domain/time.ts';

/** How long after a fill the market is looked at again, in seconds. */
export const MARKOUT_SEC = [1, 10, 60] as const;

/**
 * One own fill. Prices are half ticks of the YES axis, so that the middle between two ticks is a whole number
 * too; sums of them times micro-shares stay exact.
 */
export type Fill = {
  readonly marketId: MarketId;
  readonly atMs: UnixMs;
  /** +1 where it is long YES afterwards: BUY of YES or SELL of NO. */
  readonly sign: 1 | -1;
  readonly quantityMicro: number;
  readonly price: number;
  readonly feeUsdc: number;
  readonly isTaker: boolean;
  /** Micro-shares that stood ahead when its order came to rest; `undefined` of one that took. */
  readonly aheadMicro: number | undefined;
  /** The middle of everybody else's book when it happened. */
  readonly middle: number;
  /** The same after each of `MARKOUT_SEC`; those that the end cut off are missing. */
  readonly later: number[];
  isSettled: boolean;
};

/** Where a run's profit came from, in USDC; the parts add up to it. */
export type Parts = {
  /** Between the price and the middle at the fill. */
  readonly spread: number;
  /** How the middle moved in the first second, from there to 10 s, and from there to 60 s. */
  readonly adverse: readonly [number, number, number];
  /** How what was held moved after that. */
  readonly inventory: number;
  readonly fees: number;
};

export const NO_PARTS: Parts = { spread: 0, adverse: [0, 0, 0], inventory: 0, fees: 0 };

export function addParts(a: Parts, b: Parts): Parts {
  return {
    spread: a.spread + b.spread,
    adverse: [
      a.adverse[0] + b.adverse[0],
      a.adverse[1] + b.adverse[1],
      a.adverse[2] + b.adverse[2],
    ],
    inventory: a.inventory + b.inventory,
    fees: a.fees + b.fees,
  };
}

export function profitOf({ spread, adverse, inventory, fees }: Parts): number {
  return spread + adverse[0] + adverse[1] + adverse[2] + inventory + fees;
}

/**
 * Parts of one sum in whole cents that add up to that sum in whole cents, in USDC: each is rounded down, and what is
 * missing goes to those that lost most by it.
 */
export function inCents(parts: readonly number[]): readonly number[] {
  const whole = parts.map((part) => Math.floor(100 * part));
  const lost = parts.map((part, at) => 100 * part - (whole[at] ?? 0));
  const missing = Math.round(lost.reduce((sum, each) => sum + each, 0));
  const mostLost = lost.map((_, at) => at).sort((a, b) => (lost[b] ?? 0) - (lost[a] ?? 0));
  const raised = new Set(mostLost.slice(0, missing));
  return whole.map((each, at) => (each + (raised.has(at) ? 1 : 0)) / 100);
}
