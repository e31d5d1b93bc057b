// How the market moved after own fills: by time, by side, and by the place in the queue. Only sums are kept.

import { type Fill, MARKOUT_SEC } from './fills.ts';
import type { MarkoutCurve, Markouts, QueueRow } from './result.ts';

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
/** A curve begins at the fill itself. */
export const CURVE_SEC: readonly number[] = [0, ...MARKOUT_SEC];

/** From the prices of fills to the middle at one later time, per share. */
class MeanMarkout {
  #micro = 0;
  #units = 0;

  add({ sign, price, quantityMicro }: Fill, middle: number | undefined): void {
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

/** At the fill, and at each look behind it. */
class Curve {
  readonly #means = CURVE_SEC.map(() => new MeanMarkout());

  add(fill: Fill): void {
    const middles = [fill.middle, ...fill.later];
    this.#means.forEach((mean, at) => {
      mean.add(fill, middles[at]);
    });
  }

  take(other: Curve): void {
    this.#means.forEach((mean, at) => {
      const of = other.#means[at];
      if (of !== undefined) mean.take(of.sums());
    });
  }

  usdc(halfTicksPerUnit: number): readonly (number | undefined)[] {
    return this.#means.map((mean) => mean.usdc(halfTicksPerUnit));
  }

  /** At one of `MARKOUT_SEC`. */
  lookUsdc(look: number, halfTicksPerUnit: number): number | undefined {
    return this.#means[look + 1]?.usdc(halfTicksPerUnit);
  }
}

export class MarkoutSums {
  readonly #bid = new Curve();
  readonly #ask = new Curve();
  readonly #rows = [...QUEUE_ENDS, UNKNOWN_END].map((end, row) => ({
    ahead: QUEUE_NAMES[row] ?? '',
    end,
    fills: 0,
    micro: 0,
    markout: new Curve(),
  }));

  add(fill: Fill): void {
    (fill.sign === 1 ? this.#bid : this.#ask).add(fill);
    if (fill.isTaker) return;
    const { aheadMicro } = fill;
    const row =
      aheadMicro === undefined
        ? this.#rows.at(-1)
        : this.#rows.find(({ end }) => aheadMicro / 1e6 <= end);
    if (!row) return;
    row.fills += 1;
    row.micro += fill.quantityMicro;
    row.markout.add(fill);
  }

  /** Adds what another has summed up. */
  take(other: MarkoutSums): void {
    this.#bid.take(other.#bid);
    this.#ask.take(other.#ask);
    this.#rows.forEach((row, index) => {
      const of = other.#rows[index];
      if (of === undefined) return;
      row.fills += of.fills;
      row.micro += of.micro;
      row.markout.take(of.markout);
    });
  }

  markouts(halfTicksPerUnit: number): readonly Markouts[] {
    return MARKOUT_SEC.map((sec, look) => ({
      sec,
      bid: this.#bid.lookUsdc(look, halfTicksPerUnit),
      ask: this.#ask.lookUsdc(look, halfTicksPerUnit),
    }));
  }

  /** Of either side, and of each row of the queue. */
  curves(halfTicksPerUnit: number): readonly MarkoutCurve[] {
    const sides = [
      { name: 'bids', curve: this.#bid },
      { name: 'asks', curve: this.#ask },
    ];
    const rows = this.#rows
      .filter(({ fills }) => fills > 0)
      .map(({ ahead, markout }) => ({ name: `ahead: ${ahead}`, curve: markout }));
    return [...sides, ...rows].map(({ name, curve }) => ({
      name,
      usdc: curve.usdc(halfTicksPerUnit),
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
        markoutUsdc: markout.lookUsdc(QUEUE_LOOK, halfTicksPerUnit),
      }));
  }
}

function rowName(start: number, end: number): string {
  if (end === 0) return 'none';
  if (Number.isNaN(end)) return 'unknown';
  return end === Number.POSITIVE_INFINITY ? `over ${start}` : `up to ${end}`;
}
