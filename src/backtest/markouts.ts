// How the market moved after own fills: by time, by side, and by the place in the queue.

import { type Fill, MARKOUT_SEC } from './fills.ts';
import type { Markouts, QueueRow } from './result.ts';

/** Upper ends of the rows, in shares ahead. */
const QUEUE_ENDS: readonly number[] = [0, 50, 200, 1_000, Number.POSITIVE_INFINITY];

export function markoutsOf(fills: readonly Fill[], halfTicksPerUnit: number): readonly Markouts[] {
  return MARKOUT_SEC.map((sec, index) => ({
    sec,
    bid: meanMarkout(ofSide(fills, 1), index, halfTicksPerUnit),
    ask: meanMarkout(ofSide(fills, -1), index, halfTicksPerUnit),
  }));
}

/** Fills that made, by how many shares stood ahead when their orders came to rest. */
export function queueRowsOf(fills: readonly Fill[], halfTicksPerUnit: number): readonly QueueRow[] {
  return QUEUE_ENDS.map((end, row) => {
    const start = row === 0 ? -1 : (QUEUE_ENDS[row - 1] ?? 0);
    const of = fills.filter(({ aheadMicro }) => {
      const ahead = aheadMicro === undefined ? Number.NaN : aheadMicro / 1e6;
      return ahead > start && ahead <= end;
    });
    return {
      ahead: rowName(start, end),
      fills: of.length,
      shares: of.reduce((sum, { quantityMicro }) => sum + quantityMicro, 0) / 1e6,
      markoutUsdc: meanMarkout(of, 1, halfTicksPerUnit),
    };
  }).filter((row) => row.fills > 0);
}

function rowName(start: number, end: number): string {
  if (end === 0) return 'none';
  return end === Number.POSITIVE_INFINITY ? `over ${start}` : `up to ${end}`;
}

function ofSide(fills: readonly Fill[], sign: 1 | -1): readonly Fill[] {
  return fills.filter((fill) => fill.sign === sign);
}

/** From the price of the fill to the middle of `MARKOUT_SEC[index]` later, per share. */
function meanMarkout(
  fills: readonly Fill[],
  index: number,
  halfTicksPerUnit: number,
): number | undefined {
  let micro = 0;
  let units = 0;
  for (const { later, sign, price, quantityMicro } of fills) {
    const middle = later[index];
    if (middle === undefined) continue;
    micro += quantityMicro;
    units += sign * quantityMicro * (middle - price);
  }
  return micro === 0 ? undefined : units / micro / halfTicksPerUnit;
}
