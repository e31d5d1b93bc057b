// Which markets have series of their own. Each has some twenty, and writing them takes its time, so that a
// mirror of thousands of markets shows those in which something is ours.

import type { MarketView } from '../domain/view.ts';

/** About a tenth of a second of a scrape, in which nothing else is answered. */
export const MARKETS_SHOWN_MAX = 500;

/**
 * All of them, or where there are too many those of ours first and those with a doubtful book next, in
 * their own order otherwise.
 */
export function shownMarkets(markets: readonly MarketView[]): readonly MarketView[] {
  if (markets.length <= MARKETS_SHOWN_MAX) return markets;
  const ours: MarketView[] = [];
  const doubtful: MarketView[] = [];
  const others: MarketView[] = [];
  for (const market of markets) {
    if (isOurs(market)) ours.push(market);
    else if (isDoubtful(market)) doubtful.push(market);
    else others.push(market);
  }
  return [...ours, ...doubtful, ...others].slice(0, MARKETS_SHOWN_MAX);
}

function isDoubtful({ bookStates }: MarketView): boolean {
  return bookStates.yes !== 'trusted' || bookStates.no !== 'trusted';
}

/** Something rests or is held there, or did so in this run. */
function isOurs(market: MarketView): boolean {
  const { ownBids, ownAsks, uptime, fills, positionYes, positionNo } = market;
  const wasQuoted = (uptime.bid.sinceStart ?? 0) > 0 || (uptime.ask.sinceStart ?? 0) > 0;
  const isHeld = Number(positionYes) !== 0 || Number(positionNo) !== 0;
  return wasQuoted || ownBids.length > 0 || ownAsks.length > 0 || isHeld || fills > 0;
}
