// A market with what is risked and earned on it, and what keeps a side away for a while.

import type { Leg } from '../../domain/market.ts';
import { type MicroShares, microShares } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { PricedMarket } from '../fair/insight.ts';
import type { ListedMarket, Listing, WorkQueue } from '../kernel/market.ts';
import { payoutNano } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { Positions } from '../positions/positions.ts';
import { MarketCounts } from './counts.ts';
import type { Holdings } from './exposure.ts';

/** A refusal or limit keeps one side away for a while. */
type Backoff = { readonly untilMs: UnixMs; readonly code: string; readonly detail: string };

/** Shares of both outcomes. */
type LegShares = { readonly yes: MicroShares; readonly no: MicroShares };

/** A share that wins pays one USDC. */
const MILLI_PER_USDC = 1_000;
/** The middle of orders further apart is nobody's price. */
const CLOSE_MILLI_USDC = 100;
/** A price that stands for less goes with the orders that made it. */
export const STANDS_MS = 5_000;

/** Cash and fills of one market since the start, and what it started with. */
export class MarketFlows {
  cashNano = 0;
  fills = 0;
  start: LegShares | undefined;
  /** The start at the first known middle of the book. */
  startValueNano: number | undefined;
  /**
   * The last known price of a YES share in thousandths of a USDC, which is the same on every grid. It
   * outlives the market's books and a restart: what is held is worth that until another price is known.
   */
  markMilliUsdc: number | undefined;
}

export class RiskMarket extends PricedMarket {
  readonly flows: MarketFlows;
  /** The last price that stood, and since when there is one like that of now. */
  #stoodMilliUsdc: number | undefined;
  #priced = { isClose: false, sinceMs: 0 };
  /** Profit at the first price of this run: what earlier ones made of it. */
  pnlBeforeNano: number | undefined;
  /**
   * Its positions are too uncertain to add to, by `risk.maxUncertainShares`: since when, and until when quotes are
   * pulled for the quiet that settles it.
   */
  doubt: { readonly sinceMs: UnixMs; readonly pulledUntilMs: UnixMs | undefined } | undefined;
  /** Since when something held has had no trusted price. */
  unmarkedSinceMs: UnixMs | undefined;
  readonly backoff: Record<AxisSide, Backoff | undefined> = { bid: undefined, ask: undefined };
  readonly counts = new MarketCounts();
  /** Refusals in a row, by side: each doubles the pause. */
  readonly refusals: Record<AxisSide, number> = { bid: 0, ask: 0 };
  /** Settled shares that the venue did not let us sell, by leg. */
  readonly sellBlockedUntilMs: Record<Leg, number> = { yes: 0, no: 0 };

  constructor(
    listing: Listing,
    workQueue: WorkQueue<ListedMarket>,
    kept: { readonly depth: number; readonly flows: MarketFlows },
  ) {
    super(listing, workQueue, kept.depth);
    this.flows = kept.flows;
  }

  /**
   * Remembers the price; the first one prices what we started with. The middle of bid and ask is a price where they are
   * at most 0.10 apart; otherwise it is the last one that stood for five seconds, as far as it is between them.
   */
  onMid(positions: Positions, nowMs: UnixMs): void {
    const bid = this.#milliUsdc(this.book.bestBid());
    const ask = this.#milliUsdc(this.book.bestAsk());
    const last = this.flows.markMilliUsdc;
    const hasStood = nowMs - this.#priced.sinceMs >= STANDS_MS;
    if (hasStood || this.#stoodMilliUsdc === undefined) this.#stoodMilliUsdc = last;
    const isWhole = bid !== undefined && ask !== undefined;
    const isClose = isWhole && ask - bid <= CLOSE_MILLI_USDC;
    const middle = isWhole ? (bid + ask) / 2 : undefined;
    const known = isClose ? middle : (this.#stoodMilliUsdc ?? middle);
    if (known === undefined) return;
    const markMilliUsdc = Math.min(Math.max(known, bid ?? 0), ask ?? MILLI_PER_USDC);
    const isOther = markMilliUsdc !== last && !(isClose && this.#priced.isClose);
    this.#priced = { isClose, sinceMs: isOther ? nowMs : this.#priced.sinceMs };
    this.flows.markMilliUsdc = markMilliUsdc;
    if (!positions.isBaselined) return;
    if (this.flows.startValueNano === undefined)
      this.#priceStart(this.#startShares(positions), markMilliUsdc);
    this.pnlBeforeNano ??= this.pnlNano(positions);
  }

  #milliUsdc(price: Ticks | undefined): number | undefined {
    return price === undefined ? undefined : price * (MILLI_PER_USDC / this.grid.ticksPerUnit);
  }

  /** The last known price of one share; half a USDC before any. */
  nanoPerShare(leg: Leg): number {
    const yesMilli = this.flows.markMilliUsdc ?? MILLI_PER_USDC / 2;
    return (leg === 'yes' ? yesMilli : MILLI_PER_USDC - yesMilli) * 1_000_000;
  }

  #priceStart({ yes, no }: LegShares, markMilliUsdc: number): void {
    this.flows.startValueNano = valueNano(yes, no, markMilliUsdc);
    this.workQueue.onTouched(this);
  }

  holdings(positions: Positions): Holdings {
    const start = this.#startShares(positions);
    return {
      ...this.holdingsShares(positions),
      cashNano: this.flows.cashNano,
      // Without a price yet, what we started with counts for no more than its certain payout.
      startValueNano:
        this.flows.startValueNano ?? payoutNano(microShares(Math.min(start.yes, start.no))),
    };
  }

  /** The outcome is known: what is still held of the other is worth nothing. */
  onWinner(leg: Leg): void {
    const markMilliUsdc = leg === 'yes' ? MILLI_PER_USDC : 0;
    this.flows.markMilliUsdc = markMilliUsdc;
    const { start, startValueNano } = this.flows;
    if (start !== undefined && startValueNano === undefined) this.#priceStart(start, markMilliUsdc);
  }

  /** Profit since the start at the last known price, `undefined` while it hangs on one that is not known. */
  pnlNano(positions: Positions): number | undefined {
    const { markMilliUsdc, startValueNano, cashNano } = this.flows;
    if (markMilliUsdc === undefined || startValueNano === undefined) {
      const counted = this.#countedShares(positions);
      return counted.yes === counted.no ? this.#leastWith(counted) : undefined;
    }
    const { yes, no } = this.holdings(positions);
    return cashNano + valueNano(yes, no, markMilliUsdc) - startValueNano;
  }

  /** The same, or the least that it comes to at any price while it hangs on one that is not known. */
  leastPnlNano(positions: Positions): number {
    return this.pnlNano(positions) ?? this.#leastWith(this.#countedShares(positions));
  }

  /** Certain is what as many of both pay; where there are more of one, they may be worth nothing. */
  #leastWith({ yes, no }: Readonly<Record<Leg, number>>): number {
    const { startValueNano, cashNano } = this.flows;
    const certain = Math.min(yes, no);
    return cashNano + valueNano(certain, certain, 0) - (startValueNano ?? 0);
  }

  /**
   * Without a price the profit is known where every price comes to the same. What we started with, and
   * what came untold, is going to be valued at the first price: only what was traded since then counts.
   */
  #countedShares(positions: Positions): Readonly<Record<Leg, number>> {
    const start = this.#startShares(positions);
    const held = this.holdingsShares(positions);
    if (this.flows.startValueNano !== undefined) return held;
    return { yes: held.yes - start.yes, no: held.no - start.no };
  }

  holdingsShares(positions: Positions): LegShares {
    return {
      yes: positions.expected(this.market.yes.tokenId),
      no: positions.expected(this.market.no.tokenId),
    };
  }

  /** What we held before the first fill; asked for before any fill is recorded. */
  #startShares(positions: Positions): LegShares {
    if (this.flows.start) return this.flows.start;
    const start = {
      yes: positions.confirmed(this.market.yes.tokenId),
      no: positions.confirmed(this.market.no.tokenId),
    };
    if (positions.isBaselined) this.flows.start = start;
    return start;
  }
}

function valueNano(yes: number, no: number, markMilliUsdc: number): number {
  return markMilliUsdc * yes + (MILLI_PER_USDC - markMilliUsdc) * no;
}

// A side that is not placed on for a while, and why.

/** Keeps a side away for a while and remembers why; a shorter pause never ends a longer one. */
export function backOff(
  stores: Pick<KernelStores, 'nowMs'>,
  market: Pick<RiskMarket, 'backoff' | 'isDirty'>,
  side: AxisSide,
  why: { readonly code: string; readonly detail: string; readonly forMs: number },
): void {
  const untilMs = addMs(stores.nowMs, why.forMs);
  if ((market.backoff[side]?.untilMs ?? 0) > untilMs) return;
  market.backoff[side] = { untilMs, code: why.code, detail: why.detail };
  market.isDirty = true;
}
