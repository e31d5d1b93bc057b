// Feeds that are right key by key and wrong together, or without their secret.

import { type FeedSettings, marketOfFeed, venueNameOf } from './feed-choice.ts';
import type { Reading } from './keys.ts';
import { shown } from './problems.ts';
import type { Environment, FileSettings } from './settings.ts';

type Complain = (key: string, message: string) => void;

export function checkFeeds(
  { feeds, markets }: Pick<FileSettings, 'feeds' | 'markets'>,
  { problems, env }: Reading,
): void {
  feeds.forEach((feed, index) => {
    const complain: Complain = (key, message) =>
      problems.add(['feeds', index, ...pathOf(key)], message);
    const before = feeds.slice(0, index);
    if (before.some(({ name }) => name === feed.name)) {
      complain('name', `is used twice: ${feed.name}`);
    }
    const other = before.findIndex((each) => isSameMarket(each, feed));
    // Two sources would take turns, and each would look like a jump of the other.
    if (other !== -1) complain('event', `feeds[${other}] already prices this market`);
    if (marketOfFeed(feed, markets) === undefined) {
      complain('event', `must be a market that is quoted, not ${feed.event}; see \`markets\``);
    }
    checkFields(feed, complain);
    if (feed.venue === undefined) checkPlain(feed, complain);
    else checkVenue(feed, complain);
    checkDigital(feed, complain);
    checkSecret(feed.authEnv, feed, { env, complain, key: 'authEnv' });
    checkSecret(feed.appKeyEnv, feed, { env, complain, key: 'appKeyEnv' });
  });
}

/** `outcomes.2` is the third of a list. */
function pathOf(key: string): readonly (string | number)[] {
  return key.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** A feed without `market` is about the only market of its event. */
function isSameMarket(one: FeedSettings, other: FeedSettings): boolean {
  const isAny = one.market === undefined || other.market === undefined;
  return one.event === other.event && (isAny || one.market === other.market);
}

function checkFields(feed: FeedSettings, complain: Complain): void {
  if ((feed.onlyField === undefined) !== (feed.onlyValue === undefined)) {
    complain('onlyField', 'must stand together with onlyValue');
  }
  if ((feed.bidField === undefined) !== (feed.askField === undefined)) {
    complain('bidField', 'must stand together with askField');
  }
  for (const key of ['from', 'stream', 'keepAliveFrom'] as const) {
    const address = feed[key] ?? '';
    if (/^(?:https?|wss?):/.test(address) && !URL.canParse(address)) {
      complain(
        key,
        `must be an address, and ${shown(address)} is none: its host or its port cannot be`,
      );
    }
  }
  if (feed.subscribe !== undefined && !/^wss?:/.test(feed.from ?? '')) {
    complain('subscribe', 'is for a ws:// or wss:// address only');
  }
}

/** Keys that mean something beside a `venue` only. */
function checkPlain(feed: FeedSettings, complain: Complain): void {
  if (feed.from === undefined) {
    complain('from', 'is missing; it must be a path or an address, or name a `venue`');
  }
  if (feed.outcomes.length > 0) complain('outcomes', 'is for a `venue` only');
  for (const key of ['venueMarket', 'stream', 'keepAliveFrom', 'appKeyEnv'] as const) {
    if (feed[key] !== undefined) complain(key, 'is for a `venue` only');
  }
}

/** What an outcome is called at each venue, and an example of it. */
const OUTCOMES = {
  polymarket: { pattern: /^\d{1,80}$/, right: 'a token id of digits, in quotes' },
  kalshi: { pattern: /^[A-Z0-9][A-Z0-9.-]*$/, right: 'a ticker like KXHIGHNY-24JAN01-T60' },
  betfair: { pattern: /^\d{1,20}$/, right: 'a selection id of digits, in quotes' },
} as const;

function checkVenue(feed: FeedSettings, complain: Complain): void {
  const venue = venueNameOf(feed);
  if (venue === undefined) return;
  const { pattern, right } = OUTCOMES[venue];
  if (feed.outcomes.length === 0) complain('outcomes', `must name what YES is there: ${right}`);
  feed.outcomes.forEach((outcome, at) => {
    if (!pattern.test(outcome)) complain(`outcomes.${at}`, `must be ${right}, not ${outcome}`);
    if (feed.outcomes.indexOf(outcome) < at) complain(`outcomes.${at}`, 'is named twice');
  });
  if (feed.from !== undefined && !/^https?:/.test(feed.from)) {
    complain('from', 'must be an http:// or https:// address where a `venue` is named');
  }
  if (feed.digital.strike !== undefined) {
    complain('digital.strike', 'is for a spot price, and the prices of a `venue` are none');
  }
  checkOwn(feed, complain);
}

/** What one venue needs and no other has. */
function checkOwn(feed: FeedSettings, complain: Complain): void {
  const isBetfair = feed.venue === 'betfair';
  for (const key of ['venueMarket', 'appKeyEnv', 'authEnv'] as const) {
    if (isBetfair && feed[key] === undefined) complain(key, 'is missing; betfair needs it');
    if (!isBetfair && feed[key] !== undefined) complain(key, 'is for betfair only');
  }
  if (!isBetfair && feed.keepAliveFrom !== undefined) {
    complain('keepAliveFrom', 'is for betfair only');
  }
  if (feed.venue !== 'polymarket' && feed.stream !== undefined) {
    complain('stream', 'is for polymarket only');
  }
}

function checkDigital({ digital }: FeedSettings, complain: Complain): void {
  const { strike, strikeUpper, expiry, volatility, volatilityMin, volatilityMax } = digital;
  if ((strike === undefined) !== (expiry === undefined)) {
    complain('digital.strike', 'must stand together with digital.expiry');
  }
  if (strikeUpper !== undefined && !(strike !== undefined && strikeUpper > strike)) {
    complain('digital.strikeUpper', 'must be above digital.strike');
  }
  if (!(volatilityMin <= volatility && volatility <= volatilityMax)) {
    complain('digital.volatility', `must be from ${volatilityMin} to ${volatilityMax}`);
  }
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

function checkSecret(
  name: string | undefined,
  feed: FeedSettings,
  how: { readonly env: Environment; readonly complain: Complain; readonly key: string },
): void {
  const { env, complain, key } = how;
  if (name === undefined) return;
  const addresses = [feed.from, feed.keepAliveFrom].filter((each) => each !== undefined);
  if (feed.venue === undefined && !/^(?:https?|wss?):/.test(feed.from ?? '')) {
    complain(key, 'is for an address; a file needs no secret');
    return;
  }
  const secret = env[name]?.trim() ?? '';
  if (secret === '') complain(key, `must name a variable that is set; ${name} is not`);
  if (NO_HEADER.test(secret)) {
    complain(
      key,
      `must name a variable that fits in a header; ${name} has a line end, or more than Latin letters`,
    );
  }
  if (addresses.some(isInTheClear)) {
    complain('from', 'must be https:// or wss:// where a secret goes along');
  }
}

/** A socket that is opened with such a header throws. */
const NO_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

function isInTheClear(address: string): boolean {
  const [, scheme = '', host = ''] = /^(https?|wss?):\/\/([^/?]+)/.exec(address) ?? [];
  return scheme !== 'https' && scheme !== 'wss' && !LOOPBACK.test(host);
}
