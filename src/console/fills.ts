// The last own fills of each market for the page, with what the fair value has moved in their favour behind them. They
// are measured here and not in a page, which may be opened late: nothing of it costs the trader anything.

import type { Clock } from '../domain/time.ts';

/** As many as a page shows. */
const FILLS_KEPT = 12;
/** Those that were filled last are kept. */
const MARKETS_MAX = 1_000;
const HORIZONS_MS = [10_000, 60_000] as const;
/** A fair value that is told later than this belongs to another moment. */
const LATE_MS_MAX = 10_000;

type Fill = {
  readonly json: string;
  readonly atMs: number;
  readonly side: string;
  readonly tokenId: string;
  readonly price: string;
  readonly quantity: string;
  /** Per share, in USDC, by horizon: `null` where it is not to be known any more. */
  readonly markouts: (string | null | undefined)[];
};

type Kept = { fills: Fill[]; text: string };

export class LastFills {
  readonly #clock: Clock;
  readonly #markets = new Map<string, Kept>();

  /** @param clock - Time of day, as the trader dates its events. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A fill as the trader tells it; one that is told again is the same. */
  onFill(json: string): void {
    const { marketId, atMs, side, tokenId, price, quantity } = JSON.parse(json);
    const { fills } = this.#markets.get(marketId) ?? { fills: [] };
    if (fills.some((fill) => fill.json === json)) return;
    const fill = { json, atMs, side, tokenId, price, quantity, markouts: [] };
    this.#keep(marketId, [fill, ...fills].slice(0, FILLS_KEPT));
  }

  /** @returns The market as the trader tells it, with `lastFills`, the newest first, where it has any. */
  withFills(marketId: string, json: string): string {
    const kept = this.#markets.get(marketId);
    if (kept === undefined) return json;
    const nowMs = this.#clock.nowMs();
    const due = kept.fills.filter((fill) => isDue(fill, nowMs));
    if (due.length > 0) {
      const { fair, yesTokenId } = JSON.parse(json);
      for (const fill of due) measure(fill, { nowMs, yesTokenId, fair: Number(fair?.price) });
      kept.text = textOf(kept.fills);
    }
    return `${json.slice(0, -1)},"lastFills":${kept.text}}`;
  }

  #keep(marketId: string, fills: Fill[]): void {
    this.#markets.delete(marketId);
    this.#markets.set(marketId, { fills, text: textOf(fills) });
    const [oldest] = this.#markets.keys();
    if (this.#markets.size > MARKETS_MAX && oldest !== undefined) this.#markets.delete(oldest);
  }
}

function isDue({ atMs, markouts }: Fill, nowMs: number): boolean {
  const next = HORIZONS_MS[markouts.length];
  return next !== undefined && nowMs >= atMs + next;
}

type Now = { readonly nowMs: number; readonly yesTokenId: string; readonly fair: number };

function measure(fill: Fill, { nowMs, yesTokenId, fair }: Now): void {
  const isYes = fill.tokenId === yesTokenId;
  const yesPrice = isYes ? Number(fill.price) : 1 - Number(fill.price);
  const gain = (fill.side === 'BUY') === isYes ? fair - yesPrice : yesPrice - fair;
  for (const horizonMs of HORIZONS_MS.slice(fill.markouts.length)) {
    const lateMs = nowMs - fill.atMs - horizonMs;
    if (lateMs < 0) return;
    const isKnown = lateMs <= LATE_MS_MAX && Number.isFinite(gain);
    fill.markouts.push(isKnown ? gain.toFixed(6) : null);
  }
}

function textOf(fills: readonly Fill[]): string {
  const shown = fills.map(({ atMs, side, tokenId, price, quantity, markouts }) => {
    const [after10sUsdc, after60sUsdc] = markouts;
    return { atMs, side, tokenId, price, quantity, after10sUsdc, after60sUsdc };
  });
  return JSON.stringify(shown);
}
