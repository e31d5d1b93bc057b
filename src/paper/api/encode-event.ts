// Events, markets and outcomes as REST shows them. @spec Resources and their fields

import type { MarketStatus, OutcomeIndex } from '../../domain/market.ts';
import { usdcText } from '../exchange/amounts.ts';
import type { ListedEvent, ListedMarket } from '../exchange/listed-market.ts';
import type { Dialect } from './dialect.ts';
import { isoText } from './time-text.ts';

/** Far enough away to mean "none": the field is not optional in the interface. */
const NO_EXPIRY = '9999-12-31T23:59:59.000Z';

/** @spec Resources and their fields › Event */
export function eventJson(listed: ListedEvent, dialect: Dialect): Record<string, unknown> {
  const { event, grid } = listed;
  const { title, category } = event;
  const expiryTime = event.expiryAtMs === undefined ? NO_EXPIRY : isoText(event.expiryAtMs);
  return {
    id: event.id,
    slug: event.slug,
    ...optional({ title, category, expiryTime }, dialect),
    marketType: 'CTF',
    status: statusJson(listed.status(), dialect),
    tickSize: dialect.numbersAs === 'text' ? grid.tickSize : Number(grid.tickSize),
    markets: listed.markets.map((market) => marketJson(market, dialect)),
  };
}

/** @spec Resources and their fields › Market */
export function marketJson(market: ListedMarket, dialect: Dialect): Record<string, unknown> {
  const { title } = market.market;
  const enableOrderBook = market.hasOrderBook;
  const order: readonly OutcomeIndex[] = dialect.outcomeOrder === 'noFirst' ? [0, 1] : [1, 0];
  return {
    id: market.market.id,
    ...optional({ title, enableOrderBook }, dialect),
    status: statusJson(market.restStatus(), dialect),
    volume: usdcText(market.volumeNano),
    outcomes: order.map((index) => outcomeJson(market, index, dialect)),
  };
}

/** A status in the case of the dialect. @spec Event and market status */
export function statusJson(status: MarketStatus, dialect: Dialect): string {
  return dialect.statusCase === 'upper' ? status.toUpperCase() : status;
}

/** An outcome that never traded has a last price of 0, which is no legal price. */
function outcomeJson(
  market: ListedMarket,
  index: OutcomeIndex,
  dialect: Dialect,
): Record<string, unknown> {
  const outcome = market.outcome(index);
  const lastPrice = market.lastPrices[index] ?? '0';
  return {
    id: outcome.id,
    name: casedName(outcome.name, dialect),
    tokenId: outcome.tokenId,
    outcomeIndex: index,
    lastPrice: dialect.numbersAs === 'text' ? lastPrice : Number(lastPrice),
  };
}

function optional<Fields extends object>(
  fields: Fields,
  { optionalFields }: Dialect,
): Partial<Fields> {
  return optionalFields === 'present' ? fields : {};
}

function casedName(name: string, dialect: Dialect): string {
  if (dialect.outcomeNames === 'title') return name;
  return dialect.outcomeNames === 'upper' ? name.toUpperCase() : name.toLowerCase();
}
