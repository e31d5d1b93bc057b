import { describe, expect, it } from 'vitest';
import { OLDER_DIALECT } from '../../../../src/paper/api/dialect.ts';
import type { EventPlan } from '../../../../src/paper/exchange/plan.ts';
import {
  at,
  list,
  NO,
  RACE,
  RAIN,
  RAIN_MARKET,
  RAIN_YES_OUTCOME,
  START_MS,
  TestVenue,
  UNKNOWN_TOKEN,
  YES,
} from '../support.ts';

const get = (test: TestVenue, path: string) => test.ask('GET', path, { as: 'nobody' });

const slugs = (test: TestVenue, query: string) =>
  list(at(get(test, `/events${query}`).data, 'items')).map((event) => at(event, 'slug'));

describe('health', () => {
  it('answers without credentials', () => {
    const test = new TestVenue();
    expect(get(test, '/ok')).toMatchObject({ status: 200, success: true });
    expect(get(test, '/time').data).toEqual({ serverTime: START_MS / 1_000 });
  });
});

describe('GET /events', () => {
  it('is a page of events with markets and outcomes', () => {
    expect(get(new TestVenue(), '/events').data).toEqual({
      items: [
        {
          id: expect.stringMatching(/^evt_/),
          slug: 'rain',
          title: 'Will it rain tomorrow?',
          category: 'weather',
          marketType: 'CTF',
          status: 'open',
          tickSize: '0.01',
          expiryTime: expect.stringMatching(/Z$/),
          markets: [
            {
              id: RAIN_MARKET,
              title: 'Rain',
              status: 'open',
              enableOrderBook: true,
              volume: '0',
              outcomes: [
                {
                  id: expect.any(String),
                  name: 'No',
                  tokenId: NO,
                  outcomeIndex: 0,
                  lastPrice: '0',
                },
                {
                  id: RAIN_YES_OUTCOME,
                  name: 'Yes',
                  tokenId: YES,
                  outcomeIndex: 1,
                  lastPrice: '0',
                },
              ],
            },
          ],
        },
        expect.objectContaining({ slug: 'race', tickSize: '0.001' }),
      ],
      total: 2,
      limit: 20,
      offset: 0,
    });
  });

  it('filters by status, category, tag and title', () => {
    const test = new TestVenue();
    test.venue.desk.setTradingStatus(RAIN_MARKET, 'closed');
    expect(slugs(test, '?status=open')).toEqual(['race']);
    expect(slugs(test, '?status=CLOSED')).toEqual(['rain']);
    expect(slugs(test, '?status=resolved')).toEqual([]);
    expect(slugs(test, '?category=sports')).toEqual(['race']);
    expect(slugs(test, '?tag=daily')).toEqual(['rain']);
    expect(slugs(test, '?search=WINS%20the')).toEqual(['race']);
    expect(slugs(test, '?category=sports&tag=daily')).toEqual([]);
  });

  it('pages, and skips the count where asked', () => {
    const plans = Array.from(
      { length: 45 },
      (_, count): EventPlan => ({ ...RAIN, slug: `e${count}` }),
    );
    const test = new TestVenue({ events: plans });
    expect(slugs(test, '')).toHaveLength(20);
    expect(slugs(test, '?limit=100')).toHaveLength(45);
    expect(slugs(test, '?limit=2&offset=44')).toEqual(['e44']);
    expect(slugs(test, '?offset=45')).toEqual([]);
    const { data } = get(test, '/events?includeTotal=false&limit=1');
    expect(data).toMatchObject({ limit: 1, offset: 0 });
    expect(data).not.toHaveProperty('total');
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'offset=-1',
    'status=paused',
    'includeTotal=perhaps',
  ])('refuses %s', (query) => {
    const refused = { status: 400, code: 'invalid_parameter' };
    expect(get(new TestVenue(), `/events?${query}`)).toMatchObject(refused);
  });
});

describe('a single event or market', () => {
  it('is found by slug or id', () => {
    const test = new TestVenue();
    const bySlug = get(test, '/events/rain').data;
    expect(get(test, `/events/${String(at(bySlug, 'id'))}`).data).toEqual(bySlug);
    expect(get(test, `/markets/${RAIN_MARKET}`).data).toMatchObject({ id: RAIN_MARKET });
    expect(get(test, '/events/none')).toMatchObject({ status: 404, code: 'market_not_found' });
    expect(get(test, '/markets/none')).toMatchObject({ status: 404, code: 'market_not_found' });
  });

  it('has the same ids on every venue that lists it', () => {
    const one = get(new TestVenue({ seed: 1 }), '/events/race').data;
    const two = get(new TestVenue({ seed: 2, events: [RACE] }), '/events/race').data;
    expect(one).toEqual(two);
  });

  it('can be asked how it was resolved, one market of it alone too', () => {
    const test = new TestVenue();
    const all = list(at(get(test, '/events/race/resolution').data, 'markets'));
    expect(all).toHaveLength(2);
    const id = String(at(all[1], 'marketId'));
    const one = get(test, `/events/race/resolution?marketId=${id}`).data;
    expect(list(at(one, 'markets'))).toEqual([all[1]]);
    const wrong = get(test, `/events/race/resolution?marketId=${RAIN_MARKET}`);
    expect(wrong.code).toBe('market_not_found');
  });

  it('shows as open while it is merely paused: REST has no word for that', () => {
    const test = new TestVenue();
    test.venue.desk.setTradingStatus(RAIN_MARKET, 'paused');
    expect(get(test, `/markets/${RAIN_MARKET}`).data).toMatchObject({ status: 'open' });
  });

  it('belongs to a category that is listed', () => {
    expect(get(new TestVenue(), '/categories').data).toMatchObject([
      { slug: 'weather' },
      { slug: 'sports' },
    ]);
  });
});

describe('a book over REST', () => {
  const filled = () => {
    const test = new TestVenue();
    for (const price of [10, 20, 30]) test.crowd('BUY', price, 20);
    for (const price of [90, 80, 70]) test.crowd('SELL', price, 20);
    return test;
  };

  it('has bids highest first and asks lowest first, as deep as asked', () => {
    const test = filled();
    expect(get(test, `/orderbook/${YES}`).data).toEqual({
      bids: [
        { price: 0.3, size: 20 },
        { price: 0.2, size: 20 },
        { price: 0.1, size: 20 },
      ],
      asks: [
        { price: 0.7, size: 20 },
        { price: 0.8, size: 20 },
        { price: 0.9, size: 20 },
      ],
    });
    const { data } = get(test, `/orderbook/${YES}?depth=1`);
    expect(data).toEqual({ bids: [{ price: 0.3, size: 20 }], asks: [{ price: 0.7, size: 20 }] });
  });

  it('is 50 levels deep by default and 200 at most', () => {
    const test = new TestVenue({ events: [{ ...RAIN, tickSize: '0.001' }] });
    for (let price = 1; price <= 250; price += 1) test.recordedLevel('bid', price, 10);
    expect(list(at(get(test, `/orderbook/${YES}`).data, 'bids'))).toHaveLength(50);
    expect(list(at(get(test, `/orderbook/${YES}?depth=200`).data, 'bids'))).toHaveLength(200);
    expect(get(test, `/orderbook/${YES}?depth=201`).code).toBe('invalid_parameter');
  });

  it('has a midpoint and two best prices', () => {
    const test = filled();
    expect(get(test, `/midpoint/${YES}`).data).toEqual({ mid: '0.5' });
    expect(get(test, `/price/${YES}/buy`).data).toMatchObject({ price: '0.70' });
    expect(get(test, `/price/${YES}/sell`).data).toMatchObject({ price: '0.30' });
    expect(get(test, `/price/${YES}/hold`).code).toBe('invalid_parameter');
  });

  it('has no midpoint when a side is empty', () => {
    const test = new TestVenue();
    expect(get(test, `/midpoint/${YES}`).status).toBe(404);
    test.crowd('BUY', 30, 20);
    expect(get(test, `/midpoint/${YES}`).status).toBe(404);
    expect(get(test, `/price/${YES}/buy`).status).toBe(404);
    expect(get(test, `/price/${YES}/sell`).status).toBe(200);
  });

  it.each(['orderbook', 'midpoint'])('%s does not know other tokens', (what) => {
    expect(get(new TestVenue(), `/${what}/${UNKNOWN_TOKEN}`)).toMatchObject({
      status: 404,
      code: 'token_not_found',
    });
  });
});

describe('the portfolio', () => {
  const traded = () => {
    const test = new TestVenue();
    test.crowd('SELL', 40, 100);
    test.rest({ price: 0.4, quantity: 10 });
    test.advance(140_000);
    return test;
  };

  it('shows positions in all markets or in one', () => {
    const test = traded();
    const position = { tokenId: YES, marketId: RAIN_MARKET, shareAmount: '10', costBasis: '4' };
    expect(test.ask('GET', '/portfolio/positions').data).toMatchObject([position]);
    expect(test.ask('GET', `/portfolio/market/${RAIN_MARKET}`).data).toMatchObject([position]);
    const race = list(at(test.ask('GET', '/events/race').data, 'markets'))[0];
    expect(test.ask('GET', `/portfolio/market/${String(at(race, 'id'))}`).data).toEqual([]);
    expect(test.ask('GET', '/portfolio/market/none').code).toBe('market_not_found');
  });

  it('marks positions at the middle of the book', () => {
    const test = traded();
    test.crowd('BUY', 50, 10);
    test.crowd('SELL', 60, 10, { trader: 'late' });
    test.venue.desk.cancelAll('crowd');
    test.crowd('BUY', 50, 10);
    expect(test.ask('GET', '/portfolio/summary').data).toMatchObject({
      cashBalance: '9996',
      positionsValue: '5.5',
      totalValue: '10001.5',
      costBasis: '4',
      unrealizedPnl: '1.5',
      totalPnl: '1.5',
      accountReturn: '0.00015',
    });
  });

  it('keeps settled trades, deposits and withdrawals, newest first', () => {
    const test = traded();
    const { accounts } = test.venue.exchange;
    accounts.withdraw(
      accounts.named('maker'),
      test.venue.exchange.accounts.named('maker').cashNano / 2n,
    );
    expect(test.ask('GET', '/portfolio/trades').data).toMatchObject([
      { tokenId: YES, side: 'BUY', price: '0.40', quantity: '10', amount: '4', fee: '0' },
    ]);
    expect(test.ask('GET', '/portfolio/deposits').data).toMatchObject([{ amount: '10000' }]);
    expect(test.ask('GET', '/portfolio/withdrawals').data).toMatchObject([{ amount: '4998' }]);
    const types = list(test.ask('GET', '/portfolio/transactions').data).map((entry) =>
      at(entry, 'type'),
    );
    expect(types).toEqual(['withdrawal', 'trade', 'deposit']);
    expect(list(test.ask('GET', '/portfolio/transactions?limit=1').data)).toHaveLength(1);
    expect(test.ask('GET', '/portfolio/trades?limit=0').code).toBe('invalid_parameter');
  });

  it.each([
    'balances',
    'summary',
    'positions',
    'market/x',
    'trades',
    'deposits',
    'withdrawals',
    'transactions',
  ])('%s needs credentials', (what) => {
    expect(get(new TestVenue(), `/portfolio/${what}`).code).toBe('missing_credentials');
  });
});

describe('candles', () => {
  const traded = (options: ConstructorParameters<typeof TestVenue>[0] = {}) => {
    const test = new TestVenue({ timing: { settleMsMin: 0, settleMsMax: 0 }, ...options });
    for (const [price, waitMs] of [
      [40, 0],
      [60, 10_000],
      [30, 10_000],
      [50, 60_000],
    ] as const) {
      test.advance(waitMs);
      test.crowd('SELL', price, 10, { trader: 'maker of candles' });
      test.rest({ price: price / 100, quantity: 10 });
    }
    return test;
  };

  const kline = (test: TestVenue, query: string) =>
    get(test, `/kline?outcomeId=${YES}&${query}`).data;

  it('sum up the trades of their interval', () => {
    expect(kline(traded(), 'interval=m1')).toEqual([
      {
        timestamp: '2026-11-21T12:00:00.000Z',
        ...{ open: '0.40', high: '0.60', low: '0.30', close: '0.30', volume: '30' },
      },
      {
        timestamp: '2026-11-21T12:01:00.000Z',
        ...{ open: '0.50', high: '0.50', low: '0.50', close: '0.50', volume: '10' },
      },
    ]);
  });

  it.each(['m5', 'm15', 'h1', 'h4', 'd1'])('come at the interval %s', (interval) => {
    expect(kline(traded(), `interval=${interval}`)).toMatchObject([
      { open: '0.40', close: '0.50', volume: '40' },
    ]);
  });

  // Noon is where every interval but the day begins.
  it.each([
    ['m1', 1],
    ['m5', 5],
    ['m15', 15],
    ['h1', 60],
    ['h4', 240],
    ['d1', 720],
  ])('of the interval %s end after its length', (interval, minutes) => {
    const test = traded();
    test.advance((minutes === 1 ? 0 : minutes - 2) * 60_000 + 39_000);
    const trade = (price: number) => {
      test.crowd('SELL', price, 10, { trader: 'maker of candles' });
      test.rest({ price: price / 100, quantity: 10 });
    };
    trade(45);
    const before = list(kline(test, `interval=${interval}&from=2026-11-21T00:00:00Z`)).length;
    test.advance(2_000);
    trade(46);
    const after = list(kline(test, `interval=${interval}&from=2026-11-21T00:00:00Z`));
    expect(after).toHaveLength(before + 1);
    expect(after.at(-1)).toMatchObject({ open: '0.46', close: '0.46' });
  });

  it('can be narrowed in time', () => {
    const test = traded();
    const late = 'interval=m1&from=2026-11-21T12:01:00Z';
    expect(kline(test, late)).toMatchObject([{ open: '0.50' }]);
    expect(kline(test, 'interval=m1&to=2026-11-21T12:00:30.000Z')).toMatchObject([
      { open: '0.40' },
    ]);
    expect(get(test, `/kline?outcomeId=${YES}&from=yesterday`).code).toBe('invalid_parameter');
    expect(get(test, `/kline?outcomeId=${YES}&interval=m2`).code).toBe('invalid_parameter');
    expect(get(test, '/kline').code).toBe('missing_parameter');
  });

  it.each([
    ['either', RAIN_YES_OUTCOME, 200],
    ['either', YES, 200],
    ['outcomeId', YES, 404],
    ['outcomeId', RAIN_YES_OUTCOME, 200],
    ['tokenId', RAIN_YES_OUTCOME, 404],
    ['tokenId', YES, 200],
  ] as const)('of a deployment that takes %s: %s gets %d', (klineOutcome, id, status) => {
    const test = new TestVenue({ dialect: { klineOutcome } });
    expect(get(test, `/kline?outcomeId=${id}`).status).toBe(status);
  });
});

describe('public feeds', () => {
  it('page through what has settled', () => {
    const test = new TestVenue({ timing: { settleMsMin: 0, settleMsMax: 0 } });
    for (let count = 0; count < 3; count += 1) {
      test.crowd('SELL', 40 + count, 10);
      test.rest({ price: 0.5, quantity: 10 });
      test.settle();
    }
    const { data } = get(test, '/activity?limit=2&offset=1');
    expect(data).toMatchObject({ items: [{ price: '0.41' }, { price: '0.40' }], total: 3 });
  });

  it('rank traders of a period', () => {
    const test = new TestVenue({ timing: { settleMsMin: 0, settleMsMax: 0 } });
    test.crowd('SELL', 40, 10);
    test.rest({ price: 0.4, quantity: 10 });
    test.settle();
    const ranks = (period: string) => list(get(test, `/leaderboard?period=${period}`).data);
    expect(ranks('today')).toMatchObject([
      { rank: 1, name: 'maker', volume: '4' },
      { rank: 2, name: 'crowd', volume: '4' },
    ]);
    test.advance(2 * 86_400_000);
    expect(ranks('today')).toEqual([]);
    for (const period of ['weekly', 'monthly', 'all']) expect(ranks(period)).toHaveLength(2);
    expect(get(test, '/leaderboard?period=daily').code).toBe('invalid_parameter');
  });
});

describe('the older reference', () => {
  it('shows a bare array, upper case, numbers, and failures without a code', () => {
    const test = new TestVenue({ dialect: OLDER_DIALECT });
    const [rain] = list(get(test, '/events').data);
    expect(rain).toMatchObject({ status: 'OPEN', tickSize: 0.01, markets: [{ status: 'OPEN' }] });
    expect(list(at(rain, 'markets', 0, 'outcomes'))).toMatchObject([
      { name: 'YES', outcomeIndex: 1, tokenId: YES, lastPrice: 0 },
      { name: 'NO', outcomeIndex: 0, tokenId: NO },
    ]);
    const failure = get(test, '/events/none');
    expect(failure).toMatchObject({ status: 404, success: false, message: expect.any(String) });
    expect(failure.code).toBeUndefined();
  });

  it('names the order type orderType, and adds token and time to a book', () => {
    const test = new TestVenue({ dialect: OLDER_DIALECT });
    const { data } = test.place({ price: 0.4 });
    expect(data).toMatchObject({ orderType: 'GTC' });
    expect(data).not.toHaveProperty('timeInForce');
    expect(get(test, `/orderbook/${YES}`).data).toMatchObject({ tokenId: YES, ts: START_MS });
  });
});

describe('a path or method that does not exist', () => {
  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/', 404],
    ['GET', '/orders/0xab', 405],
    ['PUT', '/orders', 405],
    ['POST', '/events', 405],
    ['PATCH', '/orders/batch', 405],
    ['GET', '/events/rain/more/and/more', 404],
    ['GET', '//', 404],
  ])('%s %s gets %d in the usual envelope', (method, path, status) => {
    const answer = new TestVenue().ask(method, path, { as: 'nobody' });
    expect(answer).toMatchObject({ success: false, status, code: 'invalid_request' });
  });
});
