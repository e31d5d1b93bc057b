// How the market moved after own fills: by time, by side, and by the place in the queue. Only sums are kept.

import { type Fill, MARKOUT_SEC } from './fills.ts';
import type { Markouts, QueueRow } from './result.ts';

/** Upper ends of the rows, in shares ahead. */
const QUEUE_ENDS: readonly number[] = [0, 50, 200, 1_000, Number.POSITIVE_INFINITY];
/** The row of fills before which nobody saw what stood. */
const UNKNOWN_END = Number.NaN;
/** As the rows are called, in their order. */
export const QUEUE_NAMES: readonly string[] = [...QUEUE_ENDS, UNKNOWN_END].map((end, row) =>
  rowName(QUEUE_ENDS[row - 1] ?? 0, end),
);
/** Rows say what came after 10 s. */
const QUEUE_LOOK = 1;

/** From the prices of fills to the middle at one later time, per share. */
class MeanMarkout {
  #micro = 0;
  #units = 0;

  add({ sign, price, quantityMicro, later }: Fill, look: number): void {
    const middle = later[look];
    if (middle === undefined) return;
    this.#micro += quantityMicro;
    this.#units += sign * quantityMicro * (middle - price);
  }

  take({ micro, units }: { readonly micro: number; readonly units: number }): void {
    this.#micro += micro;
    this.#units += units;
  }

  sums(): { readonly micro: number; readonly units: number } {
    return { micro: this.#micro, units: this.#units };
  }

  usdc(halfTicksPerUnit: number): number | undefined {
    return this.#micro === 0 ? undefined : this.#units / this.#micro / halfTicksPerUnit;
  }
}

export class MarkoutSums {
  readonly #looks = MARKOUT_SEC.map((sec) => ({
    sec,
    bid: new MeanMarkout(),
    ask: new MeanMarkout(),
  }));
  readonly #rows = [...QUEUE_ENDS, UNKNOWN_END].map((end, row) => ({
    ahead: QUEUE_NAMES[row] ?? '',
    end,
    fills: 0,
    micro: 0,
    markout: new MeanMarkout(),
  }));

  add(fill: Fill): void {
    this.#looks.forEach(({ bid, ask }, look) => {
      (fill.sign === 1 ? bid : ask).add(fill, look);
    });
    if (fill.isTaker) return;
    const { aheadMicro } = fill;
    const row =
      aheadMicro === undefined
        ? this.#rows.at(-1)
        : this.#rows.find(({ end }) => aheadMicro / 1e6 <= end);
    if (!row) return;
    row.fills += 1;
    row.micro += fill.quantityMicro;
    row.markout.add(fill, QUEUE_LOOK);
  }

  /** Adds what another has summed up. */
  take(other: MarkoutSums): void {
    this.#looks.forEach(({ bid, ask }, look) => {
      const of = other.#looks[look];
      if (of === undefined) return;
      bid.take(of.bid.sums());
      ask.take(of.ask.sums());
    });
    this.#rows.forEach((row, index) => {
      const of = other.#rows[index];
      if (of === undefined) return;
      row.fills += of.fills;
      row.micro += of.micro;
      row.markout.take(of.markout.sums());
    });
  }

  markouts(halfTicksPerUnit: number): readonly Markouts[] {
    return this.#looks.map(({ sec, bid, ask }) => ({
      sec,
      bid: bid.usdc(halfTicksPerUnit),
      ask: ask.usdc(halfTicksPerUnit),
    }));
  }

  /** Fills that made, by how many shares stood ahead when their orders came to rest. */
  queueRows(halfTicksPerUnit: number): readonly QueueRow[] {
    return this.#rows
      .filter(({ fills }) => fills > 0)
      .map(({ ahead, fills, micro, markout }) => ({
        ahead,
        fills,
        shares: micro / 1e6,
        markoutUsdc: markout.usdc(halfTicksPerUnit),
      }));
  }
}

function rowName(start: number, end: number): string {
  if (end === 0) return 'none';
  if (Number.isNaN(end)) return 'unknown';
  return end === Number.POSITIVE_INFINITY ? `over ${start}` : `up to ${end}`;
}
