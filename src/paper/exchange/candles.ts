// Candles of one token at every interval, built as trades settle.

/** @spec Price history and feeds (all Public) */
export const INTERVAL_MS = {
  m1: 60_000,
  m5: 300_000,
  m15: 900_000,
  h1: 3_600_000,
  h4: 14_400_000,
  d1: 86_400_000,
} as const;

export type Interval = keyof typeof INTERVAL_MS;

/** Whether a text names one of the six intervals. */
export function isInterval(text: string): text is Interval {
  return Object.hasOwn(INTERVAL_MS, text);
}

export type Candle = {
  readonly startMs: number;
  open: string;
  high: string;
  low: string;
  close: string;
  volumeMicro: number;
};

/** Candles kept per token and interval: a day of minutes, four years of days. */
const CANDLES_MAX = 1_500;

export class CandleBook {
  readonly #series = new Map<Interval, Candle[]>();

  add(atMs: number, price: string, volumeMicro: number): void {
    for (const interval of INTERVALS) this.#addTo(interval, atMs, { price, volumeMicro });
  }

  /** Candles that start within a span, oldest first. */
  between(interval: Interval, fromMs: number, toMs: number): readonly Candle[] {
    const series = this.#series.get(interval) ?? [];
    return series.filter((candle) => candle.startMs >= fromMs && candle.startMs <= toMs);
  }

  #addTo(
    interval: Interval,
    atMs: number,
    trade: { readonly price: string; readonly volumeMicro: number },
  ): void {
    const startMs = Math.floor(atMs / INTERVAL_MS[interval]) * INTERVAL_MS[interval];
    const series = this.#series.get(interval) ?? [];
    this.#series.set(interval, series);
    const last = series.at(-1);
    if (last?.startMs === startMs) extend(last, trade);
    else series.push(started(startMs, trade));
    if (series.length > CANDLES_MAX) series.shift();
  }
}

const INTERVALS: readonly Interval[] = ['m1', 'm5', 'm15', 'h1', 'h4', 'd1'];

function started(
  startMs: number,
  trade: { readonly price: string; readonly volumeMicro: number },
): Candle {
  const { price, volumeMicro } = trade;
  return { startMs, open: price, high: price, low: price, close: price, volumeMicro };
}

function extend(
  candle: Candle,
  trade: { readonly price: string; readonly volumeMicro: number },
): void {
  // Prices of one token have the same number of digits, so texts compare as numbers do.
  if (trade.price > candle.high) candle.high = trade.price;
  if (trade.price < candle.low) candle.low = trade.price;
  candle.close = trade.price;
  candle.volumeMicro += trade.volumeMicro;
}
