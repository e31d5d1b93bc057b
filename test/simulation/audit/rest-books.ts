// Orders and books at rest: `orders_differ`, `book_differs`, and `venue_book`, which is the venue's own.

import type { MarketView } from '../../../src/domain/view.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { AxisLevel } from '../../../src/paper/exchange/market-book.ts';
import type { AxisBook } from '../../../src/strategy/index.ts';
import type { OrderFact } from './facts.ts';
import type { RestParts } from './rest-parts.ts';
import type { Fault } from './room.ts';

/** Levels of each side that are compared; the subscription reaches further. */
const LEVELS = 12;

/** What the daemon says it has resting is what rests. */
export function orderFaults(
  parts: RestParts,
  view: MarketView,
  market: ListedMarket,
): readonly Fault[] {
  const faults: Fault[] = [];
  for (const side of ['bid', 'ask'] as const) {
    const quotes = side === 'bid' ? view.ownBids : view.ownAsks;
    const said = quotes
      .map(({ price, quantity }) => `${price}x${quantity}`)
      .sort()
      .join(' ');
    const rests = new Map<number, number>();
    for (const fact of parts.facts.live()) {
      const { order } = fact;
      if (parts.isOwnScope && !isKnownAsOwn(parts, fact)) continue;
      if (order.terms.market !== market || order.axis.side !== side) continue;
      const { tick } = order.axis;
      rests.set(tick, (rests.get(tick) ?? 0) + order.restingMicro());
    }
    const digits = market.grid.ticksPerUnit === 100 ? 2 : 3;
    const true_ = [...rests]
      .map(([tick, micro]) => `${(tick / market.grid.ticksPerUnit).toFixed(digits)}x${micro / 1e6}`)
      .sort()
      .join(' ');
    if (said === true_) continue;
    const detail = `${view.title} ${side}s: the daemon shows "${said}", the venue "${true_}"`;
    faults.push({ rule: 'orders_differ', detail });
  }
  return faults;
}

/**
 * In the own scope somebody else's orders are none of the daemon's. Of two that came of one intent it
 * takes one for somebody else's, and may be wrong about which.
 */
function isKnownAsOwn({ facts, era, kept }: RestParts, fact: OrderFact): boolean {
  const { orderHash } = fact.order.terms;
  const isExternal = kept.some((each) => each.orderHash === orderHash && each.isExternal);
  if (facts.isDoubled(fact)) return !isExternal;
  return fact.owner === 'intent' && fact.era === era;
}

export function bookFaults(parts: RestParts, market: ListedMarket): readonly Fault[] {
  const book = parts.bookOf(market.market.id);
  if (!book) return [];
  const venue = parts.exchange.context.books.of(market);
  const faults: Fault[] = [];
  const shown = addsBooksUp(parts) ? 2 : 1;
  for (const side of ['bid', 'ask'] as const) {
    const truth: string[] = [];
    for (const tick of venue.allTicks(side)) {
      let others = 0;
      for (const order of venue.level(side, tick)?.orders ?? []) {
        if (order.terms.account !== parts.account) others += order.restingMicro() * shown;
      }
      if (others > 0) truth.push(`${tick}x${others}`);
      const leak = leakAt(venue.level(side, tick));
      if (leak !== 0) faults.push({ rule: 'venue_book', detail: `${leak} too much at ${tick}` });
    }
    const seen = levelsOf(book, side);
    const wanted = truth.slice(0, LEVELS).join(' ');
    if (seen.join(' ') === wanted) continue;
    const detail = `${market.market.title} ${side}s: the daemon sees ${seen.join(' ')}, there is ${wanted}`;
    faults.push({ rule: 'book_differs', detail });
  }
  return faults;
}

/**
 * The venue shows one book twice, and no own order has shown it to this process yet, as where a limit has kept it
 * from quoting since it started: it adds both up, which moves no price.
 */
function addsBooksUp({ exchange, engine }: RestParts): boolean {
  if (exchange.context.rules.books !== 'unified') return false;
  const books = engine.view().venueBeliefs?.find(({ what }) => what === 'books');
  return books?.value !== 'unified';
}

/** What the public book shows at a level beyond the orders that rest there. */
function leakAt(level: AxisLevel | undefined): number {
  if (!level) return 0;
  const resting = level.orders.reduce((sum, order) => sum + order.restingMicro(), 0);
  return level.restingMicro[0] + level.restingMicro[1] - resting;
}

function levelsOf(book: AxisBook, side: 'bid' | 'ask'): readonly string[] {
  const found: string[] = [];
  let at = side === 'bid' ? book.bestBid() : book.bestAsk();
  while (at !== undefined && found.length < LEVELS) {
    const size = side === 'bid' ? book.bidSizeAt(at) : book.askSizeAt(at);
    found.push(`${at}x${size}`);
    at = side === 'bid' ? book.nextBid(at) : book.nextAsk(at);
  }
  return found;
}
