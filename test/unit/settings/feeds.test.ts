import { describe, expect, it } from 'vitest';
import { feedChoices } from '../../../src/settings/feed-choice.ts';
import { SettingsError } from '../../../src/settings/problems.ts';
import { load } from './support.ts';

const MARKETS = `
markets:
  - { event: rain, strategy: still, externalAgeMsMax: 7000 }
`;

const text = (...feeds: readonly string[]) =>
  `${MARKETS}\nfeeds:\n${feeds.map((feed) => `  - ${feed}`).join('\n')}`;

function problemsOf(config: string, env: Record<string, string> = {}): readonly string[] {
  try {
    load(config, env);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map(({ path, message }) => `${path} ${message}`);
  }
}

const ODDS = '{ name: odds, event: rain, from: https://odds.example/rain, authEnv: FEED_ODDS }';

describe('feeds of a configuration', () => {
  it('become what the edge reads, with the age of their market and their secret', () => {
    const env = { FEED_ODDS: 'Bearer secret-of-odds' };
    const [feed] = feedChoices(load(text(ODDS), env), env);
    expect(feed).toMatchObject({ name: 'odds', ageMsMax: 7_000, pollMs: 1_000, jumpMax: 0.2 });
    expect(feed?.auth?.secret.reveal()).toBe('Bearer secret-of-odds');
    expect(JSON.stringify(feed)).not.toContain('secret-of-odds');
  });

  it('know the public addresses of a venue, and take its stream from nowhere else', () => {
    const venue = 'name: a, event: rain, venue: polymarket, outcomes: ["7132"]';
    const [feed] = feedChoices(load(text(`{ ${venue} }`)), {});
    expect(feed).toMatchObject({
      from: 'https://clob.polymarket.com',
      stream: 'wss://ws-subscriptions-clob.polymarket.com/ws/market',
      venue: { name: 'polymarket', outcomes: ['7132'], spreadMax: 0.1 },
    });
    const own = load(text(`{ ${venue}, from: "http://127.0.0.1:9/" }`));
    expect(feedChoices(own, {})[0]).toMatchObject({
      from: 'http://127.0.0.1:9/',
      stream: undefined,
    });
  });

  it('become options on a spot price', () => {
    const digital = 'digital: { strike: 100000, expiry: 2026-12-31T17:00:00Z }';
    const spot =
      '{ name: a, event: rain, from: "wss://spot.example/ws", bidField: /b, askField: /a';
    const [feed] = feedChoices(load(text(`${spot}, inverted: true, ${digital} }`)), {});
    expect(feed).toMatchObject({
      fields: { touch: { bid: '/b', ask: '/a' } },
      digital: { strike: 100_000, expiryMs: Date.UTC(2026, 11, 31, 17), halfLifeMs: 3_600_000 },
      isInverted: true,
    });
  });

  it('take both secrets of Betfair from the environment', () => {
    const env = { FEED_BF_SESSION: 'session-of-betfair', FEED_BF_KEY: 'key-of-betfair-app' };
    const betfair =
      '{ name: a, event: rain, venue: betfair, venueMarket: "1.23", outcomes: ["47972"], authEnv: FEED_BF_SESSION, appKeyEnv: FEED_BF_KEY }';
    const [feed] = feedChoices(load(text(betfair), env), env);
    expect(feed?.auth?.header).toBe('x-authentication');
    expect(feed?.venue?.appKey?.reveal()).toBe('key-of-betfair-app');
    expect(feed?.venue?.keepAlive).toBe('https://identitysso.betfair.com/api/keepAlive');
    expect(JSON.stringify(feed)).not.toMatch(/session-of-betfair|key-of-betfair/);
    const clear = text(
      betfair.replace('venue: betfair', 'venue: betfair, from: "http://bf.example/"'),
    );
    expect(problemsOf(clear, env)).toContain(
      'feeds[0].from must be https:// or wss:// where a secret goes along',
    );
  });

  it.each([
    ['a secret that is not set', text(ODDS), 'feeds[0].authEnv must name a variable that is set'],
    [
      'a secret over plain text',
      text('{ name: a, event: rain, from: http://odds.example/, authEnv: FEED_ODDS }'),
      'feeds[0].from must be https:// or wss://',
    ],
    [
      'a variable of something else',
      text('{ name: a, event: rain, from: https://odds.example/, authEnv: VENUE_API_SECRET }'),
      'feeds[0].authEnv must be the name of a variable that begins with FEED_',
    ],
    [
      'a market that is not quoted',
      text('{ name: a, event: snow, from: x.csv }'),
      'feeds[0].event must be a market that is quoted, not snow',
    ],
    [
      'two sources of one market',
      text('{ name: a, event: rain, from: x.csv }', '{ name: b, event: rain, from: y.csv }'),
      'feeds[1].event feeds[0] already prices this market',
    ],
    [
      'a name twice',
      text(
        '{ name: a, event: rain, market: m1, from: x.csv }',
        '{ name: a, event: rain, market: m2, from: y.csv }',
      ),
      'feeds[1].name is used twice: a',
    ],
    [
      'an address with a user in it',
      text('{ name: a, event: rain, from: "https://me:pw@odds.example/" }'),
      'feeds[0].from must be a path, or an http(s)://',
    ],
    [
      'another scheme',
      text('{ name: a, event: rain, from: "ftp://odds.example/" }'),
      'feeds[0].from must be a path, or an http(s)://',
    ],
    [
      'no source at all',
      text('{ name: a, event: rain }'),
      'feeds[0].from is missing; it must be a path or an address, or name a `venue`',
    ],
    [
      'a venue nobody reads',
      text('{ name: a, event: rain, venue: augur, outcomes: ["1"] }'),
      'feeds[0].venue must be one of polymarket, kalshi, betfair, not "augur"',
    ],
    [
      'a venue without an outcome',
      text('{ name: a, event: rain, venue: polymarket }'),
      'feeds[0].outcomes must name what YES is there: a token id of digits, in quotes',
    ],
    [
      'an outcome of another venue',
      text('{ name: a, event: rain, venue: polymarket, outcomes: ["1", KXRAIN-26] }'),
      'feeds[0].outcomes[1] must be a token id of digits, in quotes, not KXRAIN-26',
    ],
    [
      'Betfair without its application key',
      text(
        '{ name: a, event: rain, venue: betfair, venueMarket: "1.23", outcomes: ["47972"], authEnv: FEED_ODDS }',
      ),
      'feeds[0].appKeyEnv is missing; betfair needs it',
    ],
    [
      'a key that a venue does not take',
      text('{ name: a, event: rain, venue: kalshi, outcomes: [KX-1], authEnv: FEED_ODDS }'),
      'feeds[0].authEnv is for betfair only',
    ],
    [
      'an option without its end',
      text('{ name: a, event: rain, from: x.csv, digital: { strike: 100 } }'),
      'feeds[0].digital.strike must stand together with digital.expiry',
    ],
    [
      'a time that is another one elsewhere',
      text(
        '{ name: a, event: rain, from: x, digital: { strike: 1, expiry: 2026-12-31T10:00:00 } }',
      ),
      'feeds[0].digital.expiry must be a time as 2026-12-31T17:00:00Z, with its zone',
    ],
    [
      'a day that there is not, and that would be one of the next month',
      text(
        '{ name: a, event: rain, from: x, digital: { strike: 1, expiry: 2026-04-31T10:00:00Z } }',
      ),
      'feeds[0].digital.expiry must be a time as 2026-12-31T17:00:00Z, with its zone',
    ],
    [
      'a range that ends below its begin',
      text(
        '{ name: a, event: rain, from: x, digital: { strike: 2, strikeUpper: 1, expiry: 2026-12-31T10:00:00Z } }',
      ),
      'feeds[0].digital.strikeUpper must be above digital.strike',
    ],
    [
      'half a touch',
      text('{ name: a, event: rain, from: "wss://spot.example/ws", bidField: /b }'),
      'feeds[0].bidField must stand together with askField',
    ],
    [
      'a subscription for a file',
      text('{ name: a, event: rain, from: x.csv, subscribe: hello }'),
      'feeds[0].subscribe is for a ws:// or wss:// address only',
    ],
    [
      'a port that there is not',
      text('{ name: a, event: rain, from: "wss://spot.example:70000/ws?key=abc" }'),
      'feeds[0].from must be an address, and "wss://spot.example:70000/ws?[secret]" is none',
    ],
    [
      'a host that there cannot be',
      text(
        '{ name: a, event: rain, venue: polymarket, outcomes: ["7132"], stream: "wss://[::1/ws" }',
      ),
      'feeds[0].stream must be an address',
    ],
    [
      'a pointer that is none',
      text('{ name: a, event: rain, from: x.json, priceField: price }'),
      'feeds[0].priceField must be a JSON pointer',
    ],
  ])('are refused for %s, with place and what would be right', (what, config, expected) => {
    const env: Record<string, string> = what.includes('not set') ? {} : { FEED_ODDS: 'x' };
    const problems = problemsOf(config, env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it.each(['line\nend', 'quoted “smartly”'])(
    'are refused for a secret that no header takes, and do not show it: %j',
    (secret) => {
      expect(problemsOf(text(ODDS), { FEED_ODDS: secret })).toEqual([
        'feeds[0].authEnv must name a variable that fits in a header; FEED_ODDS has a line end, or more than Latin letters',
      ]);
    },
  );

  it('never show a password that stands in an address', () => {
    const [problem] = problemsOf(
      text('{ name: a, event: rain, from: "https://me:pw@odds.example/" }'),
    );
    expect(problem).not.toContain('pw@');
  });
});
