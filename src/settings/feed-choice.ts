// From feeds as the file states them to what an edge reads: secrets come in, ages follow the market.

import type { DigitalOption, FeedChoice, VenueMids } from '../domain/feed.ts';
import { Secret } from '../domain/secret.ts';
import { unixMs } from '../domain/time.ts';
import type { Environment, FileSettings } from './settings.ts';

export type FeedSettings = FileSettings['feeds'][number];
export type FeedMarkets = FileSettings['markets'];

type Addresses = {
  readonly from: string;
  readonly stream?: string;
  readonly keepAlive?: string;
};

/**
 * Public addresses of the venues, as their documentation names them: docs.polymarket.com, docs.kalshi.com and
 * docs.developer.betfair.com.
 */
const VENUE_ADDRESSES: Readonly<Record<VenueMids['name'], Addresses>> = {
  polymarket: {
    from: 'https://clob.polymarket.com',
    stream: 'wss://ws-subscriptions-clob.polymarket.com/ws/market',
  },
  kalshi: { from: 'https://external-api.kalshi.com/trade-api/v2' },
  betfair: {
    from: 'https://api.betfair.com/exchange/betting/rest/v1.0',
    keepAlive: 'https://identitysso.betfair.com/api/keepAlive',
  },
};

/** The feeds of a configuration that was found right. */
export function feedChoices(
  settings: Pick<FileSettings, 'feeds' | 'markets'>,
  env: Environment,
): readonly FeedChoice[] {
  return settings.feeds.map((feed) => feedChoice(feed, settings.markets, env));
}

function feedChoice(feed: FeedSettings, markets: FeedMarkets, env: Environment): FeedChoice {
  const { name, event, market, subscribe, pollMs, timeoutMs, jumpMax, jumpReadings } = feed;
  const { priceField, uncertaintyField, timeField, onlyField, onlyValue } = feed;
  const isNarrowed = onlyField !== undefined && onlyValue !== undefined;
  return {
    name,
    target: { kind: 'event', event, market },
    ...addressesOf(feed),
    fields: {
      price: priceField,
      touch: touchOf(feed),
      uncertainty: uncertaintyField,
      time: timeField,
    },
    only: isNarrowed ? { field: onlyField, value: onlyValue } : undefined,
    subscribe,
    pollMs,
    timeoutMs,
    ageMsMax: marketOfFeed(feed, markets)?.externalAgeMsMax ?? pollMs,
    jumpMax,
    jumpReadings,
    auth: authOf(feed, env),
    venue: venueOf(feed, env),
    digital: digitalOf(feed),
    isInverted: feed.inverted,
  };
}

/** The name of a venue whose books are read; the schema takes no other. */
export function venueNameOf({ venue }: FeedSettings): VenueMids['name'] | undefined {
  return venue === 'polymarket' || venue === 'kalshi' || venue === 'betfair' ? venue : undefined;
}

function addressesOf(feed: FeedSettings): Pick<FeedChoice, 'from' | 'stream'> {
  const venue = venueNameOf(feed);
  const known = venue === undefined ? undefined : VENUE_ADDRESSES[venue];
  // The stream of one deployment says nothing of another.
  const stream = feed.stream ?? (feed.from === undefined ? known?.stream : undefined);
  return { from: feed.from ?? known?.from ?? '', stream };
}

function venueOf(feed: FeedSettings, env: Environment): VenueMids | undefined {
  const name = venueNameOf(feed);
  if (name === undefined) return undefined;
  const { outcomes, venueMarket: market, spreadMax, appKeyEnv } = feed;
  const publicly = feed.from === undefined ? VENUE_ADDRESSES[name].keepAlive : undefined;
  const keepAlive = feed.keepAliveFrom ?? publicly;
  return { name, outcomes, market, spreadMax, appKey: secretOf(appKeyEnv, env), keepAlive };
}

function digitalOf({ digital }: FeedSettings): DigitalOption | undefined {
  const { strike, strikeUpper, expiry, halfLifeSec, ...rest } = digital;
  if (strike === undefined || expiry === undefined) return undefined;
  const expiryMs = unixMs(Date.parse(expiry));
  return { strike, strikeUpper, expiryMs, halfLifeMs: halfLifeSec * 1_000, ...rest };
}

function touchOf({ bidField, askField }: FeedSettings): FeedChoice['fields']['touch'] {
  return bidField === undefined || askField === undefined
    ? undefined
    : { bid: bidField, ask: askField };
}

function authOf(feed: FeedSettings, env: Environment): FeedChoice['auth'] {
  const secret = secretOf(feed.authEnv, env);
  if (secret === undefined) return undefined;
  return { header: feed.venue === 'betfair' ? 'x-authentication' : feed.authHeader, secret };
}

function secretOf(name: string | undefined, env: Environment): Secret | undefined {
  const value = name === undefined ? undefined : env[name]?.trim();
  return value === undefined || value === '' ? undefined : new Secret(value);
}

export function marketOfFeed(
  feed: FeedSettings,
  markets: FeedMarkets,
): FeedMarkets[number] | undefined {
  return markets.find(
    ({ event, market }) =>
      event === feed.event &&
      (market === undefined || feed.market === undefined || market === feed.market),
  );
}
