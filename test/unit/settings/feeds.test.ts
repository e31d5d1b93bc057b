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
      'a subscription for a file',
      text('{ name: a, event: rain, from: x.csv, subscribe: hello }'),
      'feeds[0].subscribe is for a ws:// or wss:// address only',
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

  it('never show a password that stands in an address', () => {
    const [problem] = problemsOf(
      text('{ name: a, event: rain, from: "https://me:pw@odds.example/" }'),
    );
    expect(problem).not.toContain('pw@');
  });
});
