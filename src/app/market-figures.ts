// Figures of one market since this run began, from looks at its state; each is defined in `src/backtest/README.md`.

import { Drawdown } from '../backtest/drawdown.ts';
import { NO_PARTS, type Parts, profitOf } from '../backtest/fills.ts';
import type { QueueRow } from '../backtest/result.ts';
import type { MarketView } from '../domain/view.ts';
import type { EarnedSoFar } from './look-back/earned.ts';

/** What was not looked at for longer was stopped with its machine: so much of it counts. */
const UNSEEN_MS_MAX = 60_000;

/** Drawdown is of profit now and then: in the moment of a fill the middle is not yet what it is going to be. */
export const SAMPLE_MS_MIN = 800;

/** Profit of a market as its parts; they add up to it. */
export type FigureParts = {
  readonly before: number;
  readonly fills: Parts;
  readonly unsplit: number;
  readonly other: number;
};

/** As numbers; what is not known is absent. */
export type Figures = {
  readonly pnlUsdc: number | undefined;
  readonly pnlAtMiddleUsdc: number | undefined;
  readonly pnlAtFairUsdc: number | undefined;
  readonly pnlAtSettlementUsdc: number | undefined;
  readonly parts: FigureParts | undefined;
  readonly makerShares: number | undefined;
  readonly takerShares: number | undefined;
  readonly unsureShares: number | undefined;
  readonly inventoryRmsShares: number | undefined;
  readonly inventoryMaxShares: number | undefined;
  readonly drawdownUsdc: number | undefined;
  readonly touchRatio: number | undefined;
  readonly uptimeRatio: number | undefined;
  readonly queue: readonly QueueRow[];
};

/** Sides of own quotes at the touch, of those that could be there. */
type AtTouch = { readonly sides: number; readonly of: number };

export class MarketFigures {
  /** When profit was last one for the drawdown; absent before the first look. */
  sampledAtMs: number | undefined;
  #lookedAtMs: number | undefined;
  /** Of this run, at the middle: absent before there was one. */
  profitUsdc: number | undefined;
  /** As of the last look. */
  figures: Figures | undefined;
  readonly #drawdown = new Drawdown();
  /** The last price before the outcome was known. */
  #middle: number | undefined;
  #net = 0;
  #max = 0;
  #square = 0;
  #seenMs = 0;
  #atTouch: AtTouch = { sides: 0, of: 0 };
  #touchMs = 0;
  #touchOfMs = 0;

  look(atMs: number, market: MarketView, earned: EarnedSoFar | undefined): Figures {
    this.#pass(atMs);
    this.#net = netOf(market);
    this.#max = Math.max(this.#max, Math.abs(this.#net));
    this.#atTouch = atTouch(market);
    const mark = numberOf(market.mark);
    if (mark !== undefined && !isOutcome(mark)) this.#middle = mark;
    const { pnlAtMiddleUsdc: profit } = this.#profits(market);
    const before = numberOf(market.pnlParts?.beforeUsdc);
    if (profit !== undefined && before !== undefined) this.profitUsdc = profit - before;
    if (atMs - (this.sampledAtMs ?? Number.NEGATIVE_INFINITY) >= SAMPLE_MS_MIN) {
      this.sampledAtMs = atMs;
      if (this.profitUsdc !== undefined) this.#drawdown.add(this.profitUsdc);
    }
    this.figures = this.#figures(market, earned);
    return this.figures;
  }

  /** What was seen last has held since. */
  #pass(atMs: number): void {
    const ms = Math.min(Math.max(0, atMs - (this.#lookedAtMs ?? atMs)), UNSEEN_MS_MAX);
    this.#lookedAtMs = atMs;
    this.#seenMs += ms;
    this.#square += ms * this.#net ** 2;
    this.#touchMs += ms * this.#atTouch.sides;
    this.#touchOfMs += ms * this.#atTouch.of;
  }

  #figures(market: MarketView, earned: EarnedSoFar | undefined): Figures {
    const hasProfit = this.profitUsdc !== undefined;
    return {
      ...this.#profits(market),
      parts: partsOf(market, earned),
      makerShares: earned?.makerShares,
      takerShares: earned?.takerShares,
      unsureShares: earned?.unsureShares,
      inventoryRmsShares: this.#seenMs === 0 ? undefined : Math.sqrt(this.#square / this.#seenMs),
      inventoryMaxShares: this.#max,
      drawdownUsdc: hasProfit ? this.#drawdown.deepest : undefined,
      touchRatio: this.#touchOfMs === 0 ? undefined : this.#touchMs / this.#touchOfMs,
      uptimeRatio: uptimeOf(market),
      queue: earned?.queue ?? [],
    };
  }

  /** The same shares at other prices. */
  #profits(market: MarketView) {
    const pnlUsdc = numberOf(market.pnlUsdc);
    const mark = numberOf(market.mark);
    const at = (price: number | undefined): number | undefined => {
      if (pnlUsdc === undefined || this.#net === 0) return pnlUsdc;
      if (price === undefined || mark === undefined) return undefined;
      return pnlUsdc + this.#net * (price - mark);
    };
    const isSettled = mark !== undefined && isOutcome(mark);
    return {
      pnlUsdc,
      pnlAtMiddleUsdc: at(isSettled ? this.#middle : mark),
      pnlAtFairUsdc: at(numberOf(market.fair?.price)),
      pnlAtSettlementUsdc: isSettled ? pnlUsdc : undefined,
    };
  }
}

/** A middle lies between the two. */
function isOutcome(mark: number): boolean {
  return mark === 0 || mark === 1;
}

function netOf({ positionYes, positionNo }: MarketView): number {
  return Math.round((Number(positionYes) - Number(positionNo)) * 1e6) / 1e6;
}

/** While the market is open and its books are trusted: else nobody knows where the touch is. */
function atTouch({ status, bookStates, ...market }: MarketView): AtTouch {
  const isKnown = bookStates.yes === 'trusted' && bookStates.no === 'trusted';
  if (status !== 'open' || !isKnown) return { sides: 0, of: 0 };
  const [bid, ask] = [market.ownBids[0]?.price, market.ownAsks[0]?.price].map(numberOf);
  const isBid = bid !== undefined && bid >= (numberOf(market.bestBid) ?? 0);
  const isAsk = ask !== undefined && ask <= (numberOf(market.bestAsk) ?? 1);
  return { sides: Number(isBid) + Number(isAsk), of: 2 };
}

function partsOf(
  { pnlUsdc, pnlParts }: MarketView,
  earned: EarnedSoFar | undefined,
): FigureParts | undefined {
  if (pnlUsdc === undefined || pnlParts === undefined || earned === undefined) return undefined;
  const before = Number(pnlParts.beforeUsdc);
  const { parts: fills = NO_PARTS, unsplitUsdc: unsplit } = earned;
  const other = Number(pnlUsdc) - before - profitOf(fills) - unsplit;
  return { before, fills, unsplit, other };
}

/** Mean of both sides. */
function uptimeOf({ uptime }: MarketView): number | undefined {
  return meanOf([uptime.bid, uptime.ask].flatMap(({ sinceStart }) => sinceStart ?? []));
}

export function meanOf(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
