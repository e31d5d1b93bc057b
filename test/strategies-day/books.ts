// What a day did to the account, by the venue's own words: fills, fees, position, markouts.

import type { Account } from '../../src/paper/exchange/account.ts';
import { usdcOf } from '../../src/paper/exchange/amounts.ts';
import type { ExchangeEvent } from '../../src/paper/exchange/events.ts';

/** How long after a fill its worth is looked at again. */
export const MARKOUT_MS = 60_000;

/**
 * An order younger than this cannot have been known: deltas are gathered for 150 ms, travel, wait for a
 * tick of 50 ms and for placements to gather, and the answer travels back.
 */
const BOOK_LAG_MS = 400;

type Fill = {
  readonly marketId: string;
  /** Shares of YES, negative where sold. */
  readonly change: number;
  /** Of YES. */
  readonly price: number;
  readonly dueMs: number;
};

type Holding = { yes: number; no: number };

export class Books {
  fills = 0;
  shares = 0;
  fees = 0;
  /** Shares of orders that took; maker orders pay no fee. */
  taken = 0;
  /** Those taken from an order that the book had shown before ours was sent. */
  takenKnown = 0;
  failed = 0;
  largestNet = 0;
  #cash = 0;
  #markoutSum = 0;
  #markoutShares = 0;
  #netTimeSum = 0;
  #netSamples = 0;
  readonly #holdings = new Map<string, Holding>();
  #waiting: Fill[] = [];
  #maker: { readonly tradeId: string; readonly placedAtMs: number | undefined } | undefined;
  readonly #account: Account;
  readonly #nowMs: () => number;

  constructor(account: Account, nowMs: () => number) {
    this.#account = account;
    this.#nowMs = nowMs;
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'positionMoved' && event.account === this.#account) this.#onMoved(event);
    if (event.kind === 'tradeFailed' && event.leg.account === this.#account) this.failed += 1;
    if (event.kind === 'tradeSettled') this.#onSettled(event);
  }

  /** Measures fills that are old enough against the true fair value, and looks at the position. */
  look(fairOf: (marketId: string) => number): void {
    const nowMs = this.#nowMs();
    for (const fill of this.#waiting) {
      if (fill.dueMs > nowMs) continue;
      this.#markoutSum += fill.change * (fairOf(fill.marketId) - fill.price);
      this.#markoutShares += Math.abs(fill.change);
    }
    this.#waiting = this.#waiting.filter((fill) => fill.dueMs > nowMs);
    for (const { yes, no } of this.#holdings.values()) {
      this.#netTimeSum += Math.abs(yes - no);
      this.#netSamples += 1;
    }
  }

  /** Gain per share a minute after the fill, in cents. */
  markoutCents(): number {
    return this.#markoutShares === 0 ? 0 : (100 * this.#markoutSum) / this.#markoutShares;
  }

  meanNet(): number {
    return this.#netSamples === 0 ? 0 : this.#netTimeSum / this.#netSamples;
  }

  /** Cash earned, with what is held at its true fair value. */
  gain(fairOf: (marketId: string) => number): number {
    let worth = this.#cash - this.fees;
    for (const [marketId, { yes, no }] of this.#holdings) {
      const fair = fairOf(marketId);
      worth += yes * fair + no * (1 - fair);
    }
    return worth;
  }

  /** The maker's leg of a trade is told before the taker's. */
  #onSettled({ leg, tradeId }: Extract<ExchangeEvent, { kind: 'tradeSettled' }>): void {
    const fee = usdcOf(leg.feeNano).toNumber();
    const placedAtMs = leg.order?.terms.createdAtMs;
    const other = this.#maker;
    this.#maker = { tradeId, placedAtMs };
    if (leg.account !== this.#account) return;
    this.fees += fee;
    if (fee === 0) return;
    const shares = leg.quantityMicro / 1e6;
    this.taken += shares;
    if (other?.tradeId !== tradeId || placedAtMs === undefined) return;
    const wasThereMs = placedAtMs - (other.placedAtMs ?? placedAtMs);
    if (wasThereMs > BOOK_LAG_MS) this.takenKnown += shares;
  }

  #onMoved(event: Extract<ExchangeEvent, { kind: 'positionMoved' }>): void {
    const { market, index } = event.token;
    const marketId = market.market.id;
    const change = event.deltaMicro / 1e6;
    const price = Number(event.averagePrice);
    const holding = this.#holdings.get(marketId) ?? { yes: 0, no: 0 };
    if (index === 1) holding.yes += change;
    else holding.no += change;
    this.#holdings.set(marketId, holding);
    this.#cash -= change * price;
    this.fills += 1;
    this.shares += Math.abs(change);
    this.largestNet = Math.max(this.largestNet, Math.abs(holding.yes - holding.no));
    const yes = index === 1 ? { change, price } : { change: -change, price: 1 - price };
    this.#waiting.push({ marketId, ...yes, dueMs: this.#nowMs() + MARKOUT_MS });
  }
}
