// Sums over the own fills of a market that are over: settled, and looked at as often as they will be. However
// many there are, and however long a venue runs, it stays as small as it is.

import { type Fill, NO_PARTS, type Parts } from './fills.ts';
import { MarkoutSums } from './markouts.ts';
import type { ShownFill } from './result.ts';
import { Series } from './series.ts';

export class Tally {
  readonly markouts = new MarkoutSums();
  /** For a chart: all of them, or as many as one can show. */
  readonly shown: Series<ShownFill>;
  fills = 0;
  makerMicro = 0;
  takerMicro = 0;
  readonly #halfTicksPerUnit: number;
  // In micro-shares times half ticks.
  #spread = 0;
  readonly #adverse: [number, number, number] = [0, 0, 0];
  #lastLook = 0;
  #netMicro = 0;
  #feesUsdc = 0;

  constructor(halfTicksPerUnit: number, pointsMax?: number) {
    this.#halfTicksPerUnit = halfTicksPerUnit;
    this.shown = new Series(pointsMax);
  }

  /**
   * @param middle - Where the market stood last: a look that the end cut off is made there, since an outcome that
   * became known is no adverse selection.
   */
  add(fill: Fill, middle = fill.middle): void {
    const { sign, quantityMicro, price, isTaker, later } = fill;
    const [first = middle, second = middle, third = middle] = later;
    const micro = sign * quantityMicro;
    this.fills += 1;
    if (isTaker) this.takerMicro += quantityMicro;
    else this.makerMicro += quantityMicro;
    this.#spread += micro * (fill.middle - price);
    this.#adverse[0] += micro * (first - fill.middle);
    this.#adverse[1] += micro * (second - first);
    this.#adverse[2] += micro * (third - second);
    this.#lastLook += micro * third;
    this.#netMicro += micro;
    this.#feesUsdc += fill.feeUsdc;
    this.markouts.add(fill);
    this.shown.add(() => ({
      atMs: fill.atMs,
      side: sign === 1 ? 'BUY' : 'SELL',
      price: price / this.#halfTicksPerUnit,
      shares: quantityMicro / 1e6,
      isTaker,
    }));
  }

  /** The same with some more fills, which stay open here; charts are left out. */
  with(fills: readonly Fill[], middle: number | undefined): Tally {
    const all = new Tally(this.#halfTicksPerUnit, 0);
    all.#take(this);
    for (const fill of fills) all.add(fill, middle);
    return all;
  }

  #take(other: Tally): void {
    this.markouts.take(other.markouts);
    this.fills += other.fills;
    this.makerMicro += other.makerMicro;
    this.takerMicro += other.takerMicro;
    this.#spread += other.#spread;
    other.#adverse.forEach((units, look) => {
      this.#adverse[look] = (this.#adverse[look] ?? 0) + units;
    });
    this.#lastLook += other.#lastLook;
    this.#netMicro += other.#netMicro;
    this.#feesUsdc += other.#feesUsdc;
  }

  /** With shares valued at `value` half ticks; nothing moved where nobody knows what they are worth. */
  parts(value: number | undefined): Parts {
    if (this.fills === 0) return NO_PARTS;
    const usdc = (units: number): number => units / this.#halfTicksPerUnit / 1e6;
    const [first, second, third] = this.#adverse;
    return {
      spread: usdc(this.#spread),
      adverse: [usdc(first), usdc(second), usdc(third)],
      inventory: value === undefined ? 0 : usdc(this.#netMicro * value - this.#lastLook),
      fees: -this.#feesUsdc,
    };
  }
}
