// What of the environment the children of a daemon get.

import { describe, expect, it } from 'vitest';
import { openEnv, traderEnv } from '../../../src/app/child-env.ts';

const MACHINE = { PATH: '/bin', TERM: 'dumb', NODE_OPTIONS: '--x', LC_ALL: 'C', TZ: 'UTC' };
const ADDRESS = { VENUE_BASE_URL: 'http://v', VENUE_WS_URL: 'ws://v' };
const CREDENTIALS = { VENUE_API_KEY: 'k', VENUE_API_SECRET: 's', VENUE_CREDENTIALS_FILE: 'f' };
const FEED = { FEED_ODDS: 'o' };
const OTHERS = {
  ...{ AWS_SECRET_ACCESS_KEY: 'a', GITHUB_TOKEN: 'g', NODE_AUTH_TOKEN: 'n', npm_config__auth: 'x' },
  ...{ ODDS_LOGIN: 'l', DATABASE_URL: 'postgres://u:p@h', HTTPS_PROXY: 'http://u:p@h' },
};
const ALL = {
  ...{ ...MACHINE, ...ADDRESS, ...CREDENTIALS, ...FEED, ...OTHERS },
  ...{ BOOKEND_CONTROL_TOKEN: 't', BOOKEND_VIEW_TOKEN: 'v' },
  ...{ BOOKEND_TRADE_TOKEN: 't', BOOKEND_KILL_TOKEN: 'k' },
};

describe('the environment of a trader', () => {
  it('has the credentials of venue and feeds, and nothing that others have set', () => {
    expect(traderEnv(ALL)).toEqual({ ...MACHINE, ...ADDRESS, ...CREDENTIALS, ...FEED });
  });
});

describe('the environment of a process that serves others', () => {
  it('has no secret at all, and says of those of feeds only that they are set', () => {
    const env = { ...ALL, FEED_EMPTY: '', VENUE_ADDRESS: 'x' };
    expect(openEnv(env)).toEqual({
      ...{ ...MACHINE, ...ADDRESS },
      FEED_ODDS: 'withheld-from-this-process',
    });
  });
});
