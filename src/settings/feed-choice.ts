// From feeds as the file states them to what an edge reads: secrets come in, ages follow the market.

import type { FeedChoice } from '../domain/feed.ts';
import { Secret } from '../domain/secret.ts';
import type { Reading } from './keys.ts';
import type { Environment, FileSettings } from './settings.ts';

type FeedSettings = FileSettings['feeds'][number];
type MarketSettings = FileSettings['markets'][number];

/** The feeds of a configuration that was found right. */
export function feedChoices(
  settings: Pick<FileSettings, 'feeds' | 'markets'>,
  env: Environment,
): readonly FeedChoice[] {
  return settings.feeds.map((feed) => feedChoice(feed, settings.markets, env));
}

function feedChoice(
  feed: FeedSettings,
  markets: readonly MarketSettings[],
  env: Environment,
): FeedChoice {
  const { name, event, market, from, subscribe, pollMs, timeoutMs, jumpMax, jumpReadings } = feed;
  const { priceField, uncertaintyField, timeField, onlyField, onlyValue } = feed;
  const secret = feed.authEnv === undefined ? undefined : env[feed.authEnv]?.trim();
  const isNarrowed = onlyField !== undefined && onlyValue !== undefined;
  return {
    name,
    target: { kind: 'event', event, market },
    from,
    fields: { price: priceField, uncertainty: uncertaintyField, time: timeField },
    only: isNarrowed ? { field: onlyField, value: onlyValue } : undefined,
    subscribe,
    pollMs,
    timeoutMs,
    ageMsMax: marketOf(feed, markets)?.externalAgeMsMax ?? pollMs,
    jumpMax,
    jumpReadings,
    auth: secret ? { header: feed.authHeader, secret: new Secret(secret) } : undefined,
  };
}

function marketOf(
  feed: FeedSettings,
  markets: readonly MarketSettings[],
): MarketSettings | undefined {
  return markets.find(
    ({ event, market }) =>
      event === feed.event &&
      (market === undefined || feed.market === undefined || market === feed.market),
  );
}

/** Reports feeds that are right key by key and wrong together, or without their secret. */
export function checkFeeds(
  { feeds, markets }: Pick<FileSettings, 'feeds' | 'markets'>,
  { problems, env }: Reading,
): void {
  feeds.forEach((feed, index) => {
    const complain = (key: string, message: string): void =>
      problems.add(['feeds', index, key], message);
    const before = feeds.slice(0, index);
    if (before.some(({ name }) => name === feed.name)) {
      complain('name', `is used twice: ${feed.name}`);
    }
    const other = before.findIndex((each) => isSameMarket(each, feed));
    // Two sources would take turns, and each would look like a jump of the other.
    if (other !== -1) complain('event', `feeds[${other}] already prices this market`);
    if (marketOf(feed, markets) === undefined) {
      complain('event', `must be a market that is quoted, not ${feed.event}; see \`markets\``);
    }
    if ((feed.onlyField === undefined) !== (feed.onlyValue === undefined)) {
      complain('onlyField', 'must stand together with onlyValue');
    }
    if (feed.subscribe !== undefined && !/^wss?:/.test(feed.from)) {
      complain('subscribe', 'is for a ws:// or wss:// address only');
    }
    checkSecret(feed, env, complain);
  });
}

/** A feed without `market` is about the only market of its event. */
function isSameMarket(one: FeedSettings, other: FeedSettings): boolean {
  const isAny = one.market === undefined || other.market === undefined;
  return one.event === other.event && (isAny || one.market === other.market);
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

function checkSecret(
  { authEnv, from }: FeedSettings,
  env: Environment,
  complain: (key: string, message: string) => void,
): void {
  if (authEnv === undefined) return;
  const address = /^(https?|wss?):\/\/([^/?]+)/.exec(from);
  if (address === null) {
    complain('authEnv', 'is for an address; a file needs no secret');
    return;
  }
  if ((env[authEnv]?.trim() ?? '') === '') {
    complain('authEnv', `must name a variable that is set; ${authEnv} is not`);
  }
  const [, scheme = '', host = ''] = address;
  if (scheme !== 'https' && scheme !== 'wss' && !LOOPBACK.test(host)) {
    complain('from', 'must be https:// or wss:// where a secret goes along');
  }
}
