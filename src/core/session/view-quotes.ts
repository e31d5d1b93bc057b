// Of one market on the YES axis: the book of others, what we want there, and what rests there.

import { clampShares, formatShares, type MicroShares } from '../../domain/shares.ts';
import { formatPrice, type Ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { OwnQuoteView, QuoteView, SidesView } from '../../domain/view.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { isRestingQuote, remaining } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { MarketState } from '../sending/market.ts';

/** Levels of a side that a person looks at; a mirror may be twice as deep. */
const BOOK_LEVELS_SHOWN = 10;

export function bookView({ book, grid }: MarketState): SidesView {
  const levels = (
    best: Ticks | undefined,
    next: (from: Ticks) => Ticks | undefined,
    sizeAt: (price: Ticks) => MicroShares,
  ): readonly QuoteView[] => {
    const found: QuoteView[] = [];
    for (let at = best; at !== undefined && found.length < BOOK_LEVELS_SHOWN; at = next(at)) {
      found.push({ price: formatPrice(grid, at), quantity: formatShares(sizeAt(at)) });
    }
    return found;
  };
  return {
    bids: levels(
      book.bestBid(),
      (below) => book.nextBid(below),
      (price) => book.bidSizeAt(price),
    ),
    asks: levels(
      book.bestAsk(),
      (above) => book.nextAsk(above),
      (price) => book.askSizeAt(price),
    ),
  };
}

export function targetsView({ desk, grid }: MarketState): SidesView {
  const of = (side: AxisSide): readonly QuoteView[] =>
    desk.targets
      .filter((target) => target.side === side)
      .map(({ price, quantity }) => ({
        price: formatPrice(grid, price),
        quantity: formatShares(quantity),
      }));
  return { bids: of('bid'), asks: of('ask') };
}

type Joined = { quantity: number; sinceMs: UnixMs; ahead: MicroShares | undefined };

/** Live quotes of one side, joined by price, best first: the oldest order of a price speaks for its place. */
export function quotesOf(
  stores: OrderStores,
  market: MarketState,
  side: AxisSide,
): readonly OwnQuoteView[] {
  const byPrice = new Map<Ticks, Joined>();
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (order.axisSide !== side || !isRestingQuote(order)) continue;
    const known = byPrice.get(order.axisPrice);
    const isOldest = known === undefined || order.sentAtMs < known.sinceMs;
    byPrice.set(order.axisPrice, {
      quantity: (known?.quantity ?? 0) + remaining(order),
      sinceMs: isOldest ? order.sentAtMs : known.sinceMs,
      ahead: isOldest ? market.insight.queues.of(order)?.ahead : known.ahead,
    });
  }
  const inwardFirst = side === 'bid' ? -1 : 1;
  return [...byPrice]
    .sort(([a], [b]) => inwardFirst * (a - b))
    .map(([at, { quantity, sinceMs, ahead }]) => ({
      price: formatPrice(market.grid, at),
      quantity: formatShares(clampShares(quantity)),
      sinceMs,
      ahead: ahead === undefined ? undefined : formatShares(ahead),
    }));
}
