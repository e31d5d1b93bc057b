// Cash that surprises a life at its first read of the balances, since the life before did not know of it,
// or did not keep that it did: how much of it the daemon still counts as unexplained, at the least and at
// the most. It is inherited once, as an amount, and forgotten like any other surprise.

import type { ExchangeEvent } from '../../../../src/paper/exchange/events.ts';

type Settled = Extract<ExchangeEvent, { kind: 'tradeSettled' }>;

type Trade = { readonly usdc: number; readonly atMs: number; toldAtMs: number | undefined };

/** What a life may or may not count: cash between the two, zero among them. */
export type Span = { readonly low: number; readonly high: number };

export const NOTHING: Span = { low: 0, high: 0 };

/** The history goes back a hundred trades. */
const TRADES_MAX = 2_000;
/** A disk that takes nothing keeps what was told from the next life for so long. */
const UNWRITTEN_MS = 130_000;
const NANO_PER_USDC = 1e9;

export class Legacy {
  readonly #trades = new Map<string, Trade>();
  #beganWithUsdc: number | undefined;
  #beganAtMs = 0;
  #readAtMs: number | undefined;
  #surprise: Span = NOTHING;

  /** @param cashNano - What the disk says that the cash was. */
  onLifeStarts(nowMs: number, cashNano: number | undefined): void {
    this.#beganWithUsdc = cashNano === undefined ? undefined : cashNano / NANO_PER_USDC;
    this.#beganAtMs = nowMs;
    this.#readAtMs = undefined;
    this.#surprise = NOTHING;
  }

  onSettled({ tradeId, leg }: Settled, nowMs: number): void {
    const usdc = leg.cost.toNumber() * (leg.side === 'BUY' ? -1 : 1);
    this.#trades.set(tradeId, { usdc, atMs: nowMs, toldAtMs: undefined });
    const [oldest] = this.#trades.keys();
    if (this.#trades.size > TRADES_MAX && oldest !== undefined) this.#trades.delete(oldest);
  }

  /** News of what settled before the first read explains some of what that read showed. */
  onTold(tradeIds: readonly string[], nowMs: number): void {
    for (const tradeId of tradeIds) {
      const trade = this.#trades.get(tradeId);
      if (trade === undefined) continue;
      const { toldAtMs } = trade;
      const isNews = toldAtMs === undefined || this.#mayBeLost(toldAtMs);
      trade.toldAtMs = nowMs;
      const isBefore = trade.atMs <= (this.#readAtMs ?? nowMs);
      if (isNews && isBefore) this.#surprise = widened(this.#surprise, -trade.usdc);
    }
  }

  onRead(cashUsdc: number, nowMs: number): void {
    if (this.#readAtMs !== undefined) return;
    this.#readAtMs = nowMs;
    if (this.#beganWithUsdc === undefined) return;
    this.#surprise = widened(this.#surprise, cashUsdc - this.#beganWithUsdc);
  }

  /** What may be left of it. */
  span(nowMs: number, keptMs: number): Span {
    const isForgotten = nowMs - (this.#readAtMs ?? nowMs) > keptMs;
    return isForgotten ? NOTHING : this.#surprise;
  }

  #mayBeLost(toldAtMs: number): boolean {
    return toldAtMs < this.#beganAtMs && toldAtMs > this.#beganAtMs - UNWRITTEN_MS;
  }
}

/** With an amount beside it that may count or not. */
export function widened({ low, high }: Span, usdc: number): Span {
  return { low: low + Math.min(0, usdc), high: high + Math.max(0, usdc) };
}

/** What is there at the least, whatever of the span counts. */
export function leastWith(usdc: number, { low, high }: Span): number {
  return Math.max(0, usdc + low, -(usdc + high));
}
