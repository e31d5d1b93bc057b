// One set of parameters of a strategy on the books and trades that are really seen, with an inventory of its own: what
// would have been filled behind the size that was displayed, and what that came to.

import { clampShares, MICRO_PER_SHARE, microShares, NO_SHARES } from '../domain/shares.ts';
import type { Ticks } from '../domain/ticks.ts';
import type { UnixMs } from '../domain/time.ts';
import type { SimulatedView } from '../domain/view.ts';
import type {
  AxisSide,
  Inventory,
  Json,
  MarketStrategy,
  OwnQuote,
  Quote,
  QuoteContext,
} from '../strategy/index.ts';

type Context = QuoteContext<unknown>;
type Resting = {
  readonly side: AxisSide;
  readonly price: Ticks;
  readonly sinceMs: UnixMs;
  left: number;
  /** Micro-shares of others that are filled first; what is cancelled there stood behind. */
  ahead: number;
};

/** More orders of one set than any strategy may want: two for each of its quotes. */
const RESTING_MAX = 200;

export class SimulatedQuotes {
  #resting: Resting[] = [];
  #memory: Json | undefined;
  #lookedAtMs: number | undefined;
  #middle: number | undefined;
  #netMicro = 0;
  #cashUsdc = 0;
  #spreadUsdc = 0;
  #fills = 0;
  #filledMicro = 0;
  /** Integral of the squared net shares over time. */
  #squareSec = 0;
  #sec = 0;

  /** Fills what would have been since the last look, then asks for what should rest from now on. */
  look(
    strategy: MarketStrategy,
    context: Context,
    params: Readonly<Record<string, unknown>>,
  ): void {
    const fromMs = this.#lookedAtMs;
    this.#lookedAtMs = context.nowMs;
    if (fromMs !== undefined) this.#pass(context, fromMs);
    this.#middle = middleOf(context) ?? this.#middle;
    const targets = strategy.quote(this.#seenBy(context, params));
    if (targets.memory !== undefined) this.#memory = targets.memory;
    this.#rest(context, targets.quotes);
  }

  view(): SimulatedView {
    const net = this.#netMicro / MICRO_PER_SHARE;
    return {
      pnlUsdc: (this.#cashUsdc + net * (this.#middle ?? 0)).toFixed(6),
      spreadUsdc: this.#spreadUsdc.toFixed(6),
      fills: this.#fills,
      filledShares: (this.#filledMicro / MICRO_PER_SHARE).toFixed(6),
      netShares: net.toFixed(6),
      inventoryRmsShares: (this.#sec > 0 ? Math.sqrt(this.#squareSec / this.#sec) : 0).toFixed(2),
    };
  }

  #pass(context: Context, fromMs: number): void {
    const sec = (context.nowMs - fromMs) / 1_000;
    this.#squareSec += sec * (this.#netMicro / MICRO_PER_SHARE) ** 2;
    this.#sec += sec;
    for (const { atMs, price, size, taker } of context.trades.recent) {
      if (atMs <= fromMs) continue;
      this.#trade(context, { side: taker === 'sells' ? 'bid' : 'ask', price, size });
    }
    for (const order of this.#resting) {
      const displayed = sizeAt(context, order.side, order.price);
      order.ahead = Math.min(order.ahead, displayed);
      // Others ask where it bids: whoever came to rest there would have met it.
      if (isCrossed(context, order)) this.#fill(context, order, order.left);
    }
    this.#resting = this.#resting.filter(({ left }) => left > 0);
  }

  #trade(
    context: Context,
    {
      side,
      price,
      size,
    }: { readonly side: AxisSide; readonly price: Ticks; readonly size: number },
  ): void {
    let left = size;
    const inward = side === 'bid' ? -1 : 1;
    for (const order of this.#resting
      .filter((each) => each.side === side)
      .toSorted((a, b) => inward * (a.price - b.price))) {
      const beyond = side === 'bid' ? order.price - price : price - order.price;
      if (beyond < 0 || left <= 0) return;
      // A trade beyond its price has taken everybody who stood before it.
      const ahead = beyond > 0 ? 0 : order.ahead;
      order.ahead = Math.max(0, ahead - left);
      const filled = Math.min(order.left, Math.max(0, left - ahead));
      left -= filled;
      this.#fill(context, order, filled);
    }
  }

  #fill({ grid }: Context, order: Resting, micro: number): void {
    if (micro <= 0) return;
    const price = order.price / grid.ticksPerUnit;
    const sign = order.side === 'bid' ? 1 : -1;
    const shares = micro / MICRO_PER_SHARE;
    order.left -= micro;
    this.#netMicro += sign * micro;
    this.#cashUsdc -= sign * shares * price;
    this.#spreadUsdc += sign * shares * ((this.#middle ?? price) - price);
    this.#fills += 1;
    this.#filledMicro += micro;
  }

  /** What is wanted no more goes, the latest first; what is missing comes behind everybody. */
  #rest(context: Context, wanted: readonly Quote[]): void {
    const kept: Resting[] = [];
    for (const { side, price, quantity } of wanted) {
      if (!(price > 0 && quantity >= 0)) throw new Error('a quote has no price or no quantity');
      let missing: number = quantity;
      for (const order of this.#resting) {
        if (order.side !== side || order.price !== price || missing <= 0) continue;
        order.left = Math.min(order.left, missing);
        missing -= order.left;
        kept.push(order);
      }
      if (missing <= 0 || kept.length >= RESTING_MAX) continue;
      const ahead = sizeAt(context, side, price);
      kept.push({ side, price, sinceMs: context.nowMs, left: missing, ahead });
    }
    this.#resting = kept;
  }

  #seenBy(context: Context, params: Readonly<Record<string, unknown>>): Context {
    return Object.freeze({
      ...context,
      params: Object.freeze(Object.assign({}, context.params, params)),
      inventory: inventoryOf(this.#netMicro, this.#filledMicro),
      ownQuotes: this.#resting.map(ownQuoteOf),
      memory: this.#memory,
    });
  }
}

function inventoryOf(netMicro: number, filledMicro: number): Inventory {
  const yes = microShares(Math.max(0, netMicro));
  const no = microShares(Math.max(0, -netMicro));
  const none = { yes: NO_SHARES, no: NO_SHARES };
  return {
    ...{ yes, no, net: microShares(yes - no), settled: { yes, no }, matched: none, held: none },
    // It began with nothing: what it has bought less what it has sold is its position.
    filled: {
      bought: clampShares((filledMicro + netMicro) / 2),
      sold: clampShares((filledMicro - netMicro) / 2),
    },
    sets: NO_SHARES,
  };
}

function ownQuoteOf({ side, price, left, ahead, sinceMs }: Resting): OwnQuote {
  const queue = { ahead: microShares(ahead), behind: NO_SHARES };
  return { side, price, remaining: microShares(left), restingSinceMs: sinceMs, queue };
}

function sizeAt({ book }: Context, side: AxisSide, price: Ticks): number {
  return side === 'bid' ? book.bidSizeAt(price) : book.askSizeAt(price);
}

function isCrossed({ book }: Context, { side, price }: Resting): boolean {
  if (side === 'bid') return (book.bestAsk() ?? Number.POSITIVE_INFINITY) <= price;
  return (book.bestBid() ?? Number.NEGATIVE_INFINITY) >= price;
}

function middleOf({ book, grid }: Context): number | undefined {
  const bid = book.bestBid();
  const ask = book.bestAsk();
  if (bid === undefined || ask === undefined || bid >= ask) return undefined;
  return (bid + ask) / 2 / grid.ticksPerUnit;
}
