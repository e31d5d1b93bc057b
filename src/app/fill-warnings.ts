// Markets whose quotes nobody would reach: each strategy is asked, with its parameters, what it would quote in a calm
// book on either grid. The tick of an event is known to the venue alone, so that both are looked at.

import { tickGrid } from '../domain/ticks.ts';
import type { Settings } from '../settings/settings.ts';
import type { Strategy } from '../strategy/index.ts';
import { atOnce } from './at-once.ts';
import { notionalContext } from './notional-market.ts';

/**
 * The touch of a calm book, and how far behind it a quote may rest: takers who know nothing go a cent or so deep, and
 * what is reached further out is reached by those who know why.
 */
const GRIDS = [
  { tickSize: '0.01', halfSpreadTicks: 1, behindTicksMax: 5 },
  { tickSize: '0.001', halfSpreadTicks: 2, behindTicksMax: 12 },
] as const;
const PRICES = [0.5, 0.3];
/** Markets of one configuration that are looked at; of a thousand most are alike. */
const LOOKED_AT_MAX = 50;

type Choice = Settings['markets'][number];

/** One sentence for each market and grid whose quotes are out of reach on both sides. */
export function fillWarnings(
  { markets, risk }: Settings,
  strategies: ReadonlyMap<string, Strategy>,
): readonly string[] {
  const seen = new Set<string>();
  return markets.slice(0, LOOKED_AT_MAX).flatMap((choice, index) => {
    const key = JSON.stringify([choice.strategy, choice.params]);
    const strategy = strategies.get(choice.strategy);
    if (strategy === undefined || strategy.scope === 'event' || seen.has(key)) return [];
    seen.add(key);
    const texts = GRIDS.flatMap((grid) => {
      const found = PRICES.map((price) => lookAt(choice, strategy, { ...grid, price, risk }));
      const worst = found.find((each) => each !== undefined);
      return worst === undefined ? [] : [`markets[${index}]: ${worst}`];
    });
    return [...new Set(texts)];
  });
}

type At = (typeof GRIDS)[number] & { readonly price: number; readonly risk: Settings['risk'] };

/** Strategies of others may be plain JavaScript: what one of them throws is worth a word, and no more. */
function lookAt(choice: Choice, strategy: Strategy, at: At): string | undefined {
  try {
    return distanceOf(choice, strategy, at);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : typeof cause;
    return `${choice.strategy} fails at ${at.price.toFixed(2)} in a calm book: ${detail}`;
  }
}

function distanceOf({ params, strategy: name }: Choice, strategy: Strategy, at: At) {
  if (strategy.scope === 'event') return undefined;
  const grid = tickGrid(at.tickSize);
  const middleTicks = Math.round(at.price * grid.ticksPerUnit);
  const { halfSpreadTicks } = at;
  const maxPositionShares = at.risk.maxPositionShares;
  const market = { grid, middleTicks, halfSpreadTicks, maxPositionShares };
  const quotes = atOnce(strategy.quote(notionalContext(market, params)))?.quotes;
  if (!Array.isArray(quotes)) throw new Error('it answers no list of `quotes`');
  // A watch on consistency, or asks of shares that are not held, are meant to be none.
  if (quotes.length === 0) return undefined;
  const behind = quotes.map(({ side, price }) =>
    side === 'bid' ? middleTicks - halfSpreadTicks - price : price - middleTicks - halfSpreadTicks,
  );
  const least = Math.min(...behind);
  if (least <= at.behindTicksMax) return undefined;
  return `at ${at.price.toFixed(2)} on a tick of ${at.tickSize} the nearest quote of ${name} rests ${least} ticks behind a calm book's best price: expect no fills there`;
}
