// What the venue shows, value by value, on time of its own: a venue in this process whose clock the card
// moves. Several levels a side, two events, several traders, orders that trade in part.

import { holds } from '../../../src/cli/doctor/card.ts';
import { at, listOf } from '../../../src/cli/doctor/shape.ts';
import {
  ANN_MARKET,
  ANN_YES,
  type Answer,
  BEN_MARKET,
  type Keys,
  NO,
  RACE,
  RAIN,
  RAIN_MARKET,
  RAIN_YES_OUTCOME,
  START_MS,
  TestSocket,
  TestVenue,
  YES,
} from '../../unit/paper/support.ts';
import { embedded } from '../bench/bench.ts';
import { same } from '../bench/written.ts';

const EXPIRY_MS = Date.UTC(2027, 4, 6, 7, 8, 9);
/** From settlement until positions show it, at the longest. */
const INDEXED_MS = 121_000;

const iso = (atMs: number) => new Date(atMs).toISOString();

/** What an answer says, once it is held to be a success. */
function dataOf({ status, data, code }: Answer, what: string): unknown {
  holds(status === 200, `${what}: a success expected, seen ${status} ${String(code)}`);
  return data;
}

const read = (venue: TestVenue, path: string, as?: Keys) =>
  dataOf(venue.ask('GET', path, as ? { as } : {}), path);

/** Only the named fields of a thing; a decimal text means a number, however many zeros it ends in. */
function only(value: unknown, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, short(at(value, name))]));
}

function short(value: unknown): unknown {
  const isDecimal = typeof value === 'string' && /^-?\d+\.\d*0$/.test(value);
  return isDecimal ? String(Number(value)) : value;
}

const BOTH = {
  events: [
    { ...RAIN, expiryAtMs: EXPIRY_MS as never },
    { ...RACE, tags: ['daily', 'fast'] },
  ],
};

/** Gives the account settled, indexed sets of the rain market. */
function split(venue: TestVenue, amount: string, as?: Keys): void {
  const eventId = String(at(read(venue, '/events/rain'), 'id'));
  const body = { eventId, amount };
  dataOf(venue.ask('POST', '/positions/split', as ? { body, as } : { body }), 'a split');
  venue.advance(INDEXED_MS);
}

/** Several levels on each side of YES, of another trader. */
function levels(venue: TestVenue): void {
  for (const [price, size] of [
    [38, 40],
    [37, 25.5],
    [35, 10],
  ] as const)
    venue.crowd('BUY', price, size);
  for (const [price, size] of [
    [45, 30],
    [46, 12.25],
    [50, 100],
  ] as const)
    venue.crowd('SELL', price, size);
}

export const VALUE_CARDS = embedded(
  'clock',
  {
    id: 'C-260',
    title: 'an event, its markets and their outcomes are shown as they were listed and have traded',
    spec: 'Event',
    covers: [
      ...[
        'id',
        'slug',
        'title',
        'category',
        'marketType',
        'status',
        'tickSize',
        'expiryTime',
        'markets',
      ].map((name) => `field Event.${name}`),
      ...['id', 'title', 'status', 'enableOrderBook', 'volume', 'outcomes'].map(
        (name) => `field Market.${name}`,
      ),
      ...['id', 'name', 'tokenId', 'outcomeIndex', 'lastPrice'].map(
        (name) => `field Outcome.${name}`,
      ),
      ...[
        'endpoint GET /events/:idOrSlug',
        'endpoint GET /markets/:id',
        'text What the service does 1',
      ],
    ],
    run: () => {
      const venue = new TestVenue(BOTH);
      venue.rest({ price: 0.4, quantity: 30 });
      venue.crowd('SELL', 40, 30, { timeInForce: 'FAK' });
      venue.settle();
      const event = read(venue, '/events/rain');
      same(
        only(event, 'slug', 'title', 'category', 'marketType', 'status', 'tickSize', 'expiryTime'),
        {
          ...{
            slug: 'rain',
            title: RAIN.title,
            category: 'weather',
            marketType: 'CTF',
            status: 'open',
          },
          ...{ tickSize: '0.01', expiryTime: iso(EXPIRY_MS) },
        },
        'the event',
      );
      same(read(venue, `/events/${String(at(event, 'id'))}`), event, 'the event by its id');
      const [market] = listOf(at(event, 'markets'), 'markets');
      same(
        only(market, 'id', 'title', 'status', 'enableOrderBook', 'volume'),
        {
          ...{
            id: RAIN_MARKET,
            title: 'Rain',
            status: 'open',
            enableOrderBook: true,
            volume: '12',
          },
        },
        'its market',
      );
      const outcomes = listOf(at(market, 'outcomes'), 'outcomes');
      const of = (index: number) => outcomes.find((each) => at(each, 'outcomeIndex') === index);
      const yes = {
        id: RAIN_YES_OUTCOME,
        name: 'Yes',
        tokenId: YES,
        outcomeIndex: 1,
        lastPrice: '0.4',
      };
      same(only(of(1), ...Object.keys(yes)), yes, 'Yes');
      same(only(of(0), 'name', 'tokenId'), { name: 'No', tokenId: NO }, 'No');
      holds(at(of(0), 'id') !== at(of(1), 'id'), 'each outcome has an id of its own');
      const alone = read(venue, `/markets/${RAIN_MARKET}`);
      same(
        only(alone, 'id', 'title', 'volume'),
        only(market, 'id', 'title', 'volume'),
        'the market alone',
      );
      const race = read(venue, '/events/race');
      const titles = listOf(at(race, 'markets'), 'markets').map((each) => at(each, 'title'));
      same([at(race, 'tickSize'), titles], ['0.001', ['Ann', 'Ben']], 'the other event');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-261',
    title: 'events are listed, filtered and paged by every parameter',
    spec: 'Markets',
    covers: [
      ...['status', 'category', 'tag', 'search', 'limit', 'offset', 'includeTotal'].map(
        (name) => `param Markets.${name}`,
      ),
      ...['endpoint GET /events', 'endpoint GET /categories', 'limit Event list page size'],
    ],
    run: () => {
      const venue = new TestVenue(BOTH);
      const slugs = (query: string) =>
        listOf(at(read(venue, `/events?${query}`), 'items'), query).map((each) => at(each, 'slug'));
      same(slugs(''), ['rain', 'race'], 'all');
      same(
        [slugs('limit=1'), slugs('limit=1&offset=1'), slugs('offset=2')],
        [['rain'], ['race'], []],
        'pages',
      );
      same([slugs('category=sports'), slugs('category=none')], [['race'], []], 'a category');
      same(
        [slugs('tag=daily'), slugs('tag=fast'), slugs('tag=none')],
        [['rain', 'race'], ['race'], []],
        'a tag',
      );
      same(
        [slugs('search=WINS%20the'), slugs('search=nobody')],
        [['race'], []],
        'a part of a title',
      );
      venue.venue.desk.setTradingStatus(RAIN_MARKET, 'closed');
      same(
        [slugs('status=open'), slugs('status=closed'), slugs('status=OPEN')],
        [['race'], ['rain'], ['race']],
        'a status',
      );
      const page = read(venue, '/events?limit=1');
      same(only(page, 'total', 'limit', 'offset'), { total: 2, limit: 1, offset: 0 }, 'a page');
      const categories = listOf(read(venue, '/categories'), 'categories').map((each) =>
        at(each, 'slug'),
      );
      same(categories, ['weather', 'sports'], 'the categories');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-262',
    title:
      'an order shows what it is of, what has settled, what awaits settlement, and when it ends',
    spec: 'Order',
    covers: [
      ...[
        'id',
        'orderHash',
        'tokenId',
        'side',
        'price',
        'quantity',
        'filledQuantity',
        'holdQuantity',
      ].map((name) => `field Order.${name}`),
      ...['status', 'timeInForce', 'expiredAt', 'createdAt'].map((name) => `field Order.${name}`),
      ...[
        'text Order 1',
        'bullet Versioning 3',
        'endpoint GET /orders',
        'rule Order status values 2',
      ],
    ],
    run: () => {
      const venue = new TestVenue();
      split(venue, '100');
      const createdMs = venue.clock.nowMs();
      const expiredAt = iso(createdMs + 600_000);
      const hash = venue.rest({
        ...{ tokenId: NO, side: 'SELL', price: 0.62, quantity: 40.5 },
        orderType: 'GTD',
        expiredAt,
      });
      const shown = only(
        venue.order(hash),
        'orderHash',
        'tokenId',
        'side',
        'price',
        'quantity',
        'timeInForce',
        'expiredAt',
        'createdAt',
      );
      same(
        shown,
        {
          ...{ orderHash: hash, tokenId: NO, side: 'SELL', price: '0.62', quantity: '40.5' },
          ...{ timeInForce: 'GTD', expiredAt, createdAt: iso(createdMs) },
        },
        'an offer',
      );
      const amounts = () =>
        only(venue.order(hash), 'quantity', 'filledQuantity', 'holdQuantity', 'status');
      const whole = { quantity: '40.5', filledQuantity: '0', holdQuantity: '0', status: 'OPEN' };
      same(amounts(), whole, 'untouched');
      venue.crowd('BUY', 62, 12, { tokenId: NO, timeInForce: 'FAK' });
      same(
        amounts(),
        { ...whole, holdQuantity: '12', status: 'PARTIALLY_FILLED' },
        'a part that awaits settlement',
      );
      venue.settle();
      venue.crowd('BUY', 62, 3.5, { tokenId: NO, timeInForce: 'FAK' });
      const partly = {
        ...whole,
        filledQuantity: '12',
        holdQuantity: '3.5',
        status: 'PARTIALLY_FILLED',
      };
      same(amounts(), partly, 'a part that has settled and one that has not');
      const bid = venue.rest({ price: 0.3, quantity: 10 });
      const ids = [venue.order(hash), venue.order(bid)].map((order) => at(order, 'id'));
      holds(typeof ids[0] === 'string' && ids[0] !== ids[1], 'each has an id of its own');
      const {
        timeInForce,
        expiredAt: none,
        side,
      } = only(venue.order(bid), 'timeInForce', 'expiredAt', 'side');
      same([timeInForce, none, side], ['GTC', null, 'BUY'], 'a bid');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-263',
    title:
      'balances show cash, what is held and each position, and move with orders and settlements',
    spec: 'Balances',
    covers: [
      ...['cashBalance', 'availableBalance', 'usdcOnHold', 'positions'].map(
        (name) => `field Balances.${name}`,
      ),
      ...[
        'text Balances 1',
        'endpoint GET /portfolio/balances',
        'fact Collateral',
        'fact Matching and settlement',
      ],
    ],
    run: () => {
      const venue = new TestVenue({
        timing: {
          settleMsMin: 15_000,
          settleMsMax: 20_000,
          indexLagMsMin: 30_000,
          indexLagMsMax: 120_000,
        },
      });
      const money = () =>
        Object.values(only(venue.balances(), 'cashBalance', 'availableBalance', 'usdcOnHold'));
      const held = () => venue.balances()['positions'];
      same(money(), ['10000', '10000', '0'], 'at first');
      split(venue, '50');
      const position = (tokenId: string, shareAmount: string, onHoldShareAmount: string) => ({
        ...{ tokenId, marketId: RAIN_MARKET, shareAmount, onHoldShareAmount },
      });
      const shown = () =>
        listOf(held(), 'positions').map((each) =>
          only(each, 'tokenId', 'marketId', 'shareAmount', 'onHoldShareAmount'),
        );
      const no = position(NO, '50', '0');
      const both = (yes: object) => (at(shown()[0], 'tokenId') === YES ? [yes, no] : [no, yes]);
      same(shown(), both(position(YES, '50', '0')), 'positions of a split');
      const yes = listOf(held(), 'positions').find((each) => at(each, 'tokenId') === YES);
      same(at(yes, 'outcomeId'), RAIN_YES_OUTCOME, 'an outcome by its id');
      venue.rest({ price: 0.4, quantity: 30 });
      same(money(), ['9950', '9938', '12'], 'a bid of 12 USDC');
      venue.rest({ side: 'SELL', price: 0.6, quantity: 20 });
      same(shown(), both(position(YES, '50', '20')), 'an offer of 20 shares');
      venue.crowd('SELL', 40, 10, { timeInForce: 'FAK' });
      same(money(), ['9950', '9938', '12'], 'a match moves nothing yet');
      venue.advance(14_000);
      same(money(), ['9950', '9938', '12'], 'nor does it before 15 s');
      venue.advance(6_000);
      same(money(), ['9946', '9938', '8'], 'it has settled after 20 s');
      same(shown(), both(position(YES, '50', '20')), 'and shows in positions later');
      venue.advance(29_000);
      same(shown(), both(position(YES, '50', '20')), 'not before 30 s');
      venue.advance(INDEXED_MS);
      same(shown(), both(position(YES, '60', '20')), 'after two minutes');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-264',
    title:
      'a book shows every level with the sum at it, best first, as deep as asked; its middle and touches follow',
    spec: 'Order book',
    covers: [
      ...[
        'endpoint GET /orderbook/:tokenId',
        'text Order book 1',
        'limit Order book depth per side',
      ],
      ...['endpoint GET /midpoint/:tokenId', 'rule Errors 1', 'endpoint GET /price/:tokenId/:side'],
    ],
    run: () => {
      const venue = new TestVenue();
      const mid = () => venue.ask('GET', `/midpoint/${YES}`, { as: 'nobody' });
      same([mid().status, mid().success], [404, false], 'no middle of an empty book');
      levels(venue);
      venue.rest({ price: 0.37, quantity: 4.5 });
      const bids = [
        [0.38, 40],
        [0.37, 30],
        [0.35, 10],
      ];
      const asks = [
        [0.45, 30],
        [0.46, 12.25],
        [0.5, 100],
      ];
      same(venue.levels(), { bids, asks }, 'three levels a side');
      const mirrored = (side: readonly (readonly number[])[]) =>
        side.map(([price = 0, size]) => [Number((1 - price).toFixed(2)), size]);
      const shownNo = venue.levels(NO);
      const noIs = [
        { bids: [], asks: [] },
        { bids: mirrored(asks), asks: mirrored(bids) },
      ];
      holds(
        noIs.some((each) => JSON.stringify(each) === JSON.stringify(shownNo)),
        'NO shows its own orders, or the mirror of both',
      );
      const two = read(venue, `/orderbook/${YES}?depth=2`);
      const pairs = (side: string) =>
        listOf(at(two, side), side).map((each) => [at(each, 'price'), at(each, 'size')]);
      same([pairs('bids'), pairs('asks')], [bids.slice(0, 2), asks.slice(0, 2)], 'two levels');
      same(Number(at(mid().data, 'mid')), 0.415, 'the middle, between two ticks');
      const price = (side: string) => Number(at(read(venue, `/price/${YES}/${side}`), 'price'));
      same(
        [price('buy'), price('sell')],
        [0.45, 0.38],
        'to buy at the best ask, to sell at the best bid',
      );
      venue.crowd('SELL', 38, 40, { timeInForce: 'FAK' });
      same(price('sell'), 0.37, 'the next bid is the best');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-265',
    title: 'each frame of the account tells the very order, match, settlement, position and totals',
    spec: 'User channel',
    covers: [
      ...['order.update', 'trade.settled', 'position.update', 'portfolio.summary_update'].map(
        (name) => `frame ${name}`,
      ),
      ...[
        'text User channel 1',
        'text User channel 2',
        'text User channel 3',
        'text Order status values 1',
      ],
      'state Order status values: OPEN by engine matches the order',
      'state Order status values: OPEN by a partial fill',
    ],
    run: () => {
      const venue = new TestVenue();
      split(venue, '100');
      const socket = new TestSocket(venue);
      socket.authenticate();
      const hash = venue.rest({ tokenId: YES, side: 'SELL', price: 0.42, quantity: 30 });
      venue.crowd('BUY', 42, 12, { timeInForce: 'FAK' });
      venue.match();
      venue.crowd('BUY', 42, 18, { timeInForce: 'FAK' });
      venue.match();
      const told = () => socket.of('order.update').map((frame) => at(frame, 'data'));
      const amounts = told().map((data) =>
        Object.values(only(data, 'status', 'filledQuantity', 'remaining')),
      );
      same(
        amounts,
        [
          ['OPEN', '0', '30'],
          ['PARTIALLY_FILLED', '12', '18'],
          ['MATCHED', '30', '0'],
        ],
        'its reports',
      );
      for (const data of told()) {
        same(
          only(data, 'orderHash', 'tokenId', 'price', 'side', 'marketId'),
          {
            ...{
              orderHash: hash,
              tokenId: YES,
              price: '0.42',
              side: 'SELL',
              marketId: RAIN_MARKET,
            },
          },
          'the order',
        );
      }
      const moves = () => socket.of('position.update').map((frame) => at(frame, 'data'));
      const move = { marketId: RAIN_MARKET, outcomeId: RAIN_YES_OUTCOME, averagePrice: '0.42' };
      same(
        moves(),
        [
          { ...move, sharesDelta: '-12' },
          { ...move, sharesDelta: '-18' },
        ],
        'sold positions',
      );
      venue.settle();
      same(
        told()
          .slice(3)
          .map((data) => at(data, 'status')),
        ['FILLED'],
        'filled when it has settled',
      );
      const settled = socket.of('trade.settled');
      const trade = {
        side: 'SELL',
        outcomeName: 'Yes',
        tokenId: YES,
        marketId: RAIN_MARKET,
        marketTitle: 'Rain',
        price: '0.42',
      };
      same(
        settled.map((frame) => only(frame, ...Object.keys(trade))),
        [trade, trade],
        'two settlements',
      );
      same(
        settled.map((frame) => at(frame, 'quantity')).sort(),
        ['12', '18'],
        'of their quantities',
      );
      holds(
        settled.every((frame) => String(at(frame, 'txHash')).startsWith('0x')),
        'each with a transaction',
      );
      holds(at(settled[0], 'tradeId') !== at(settled[1], 'tradeId'), 'each with an id of its own');
      venue.rest({ price: 0.1, quantity: 100 });
      venue.advance(2_000);
      const last = socket.of('portfolio.summary_update').at(-1);
      // 9,900 of cash after the split, 12.60 for what was sold, 70 YES and 100 NO at their marks.
      same(
        only(at(last, 'data'), 'availableBalance', 'positionCount'),
        { availableBalance: '9902.6', positionCount: 2 },
        'totals',
      );
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-266',
    title: 'totals go out at most once a second, the newest last',
    spec: 'User channel',
    covers: ['text User channel 2', 'frame portfolio.summary_update'],
    run: () => {
      const venue = new TestVenue();
      const socket = new TestSocket(venue);
      socket.authenticate();
      for (let count = 0; count < 10; count += 1) {
        venue.rest({ price: 0.1, quantity: 10 });
        venue.advance(90);
      }
      const frames = () => socket.of('portfolio.summary_update');
      holds(frames().length <= 2, `one a second, seen ${frames().length} in one`);
      venue.advance(2_000);
      same(at(frames().at(-1), 'data', 'availableBalance'), '9990', 'the newest');
      holds(frames().length <= 3, 'and no more of them');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-267',
    title:
      'candles hold the first, highest, lowest and last price of their interval, and its shares',
    spec: 'Price history and feeds',
    covers: ['endpoint GET /kline', 'text Candle 1', 'text Price history and feeds 1'],
    run: () => {
      const venue = new TestVenue();
      for (const price of [40, 52, 31, 44]) {
        venue.crowd('BUY', price, 10);
        venue.crowd('SELL', price, 10, { timeInForce: 'FAK', trader: 'seller' });
        venue.settle();
      }
      const from = iso(START_MS - 86_400_000);
      const to = iso(START_MS + 86_400_000);
      for (const interval of ['m5', 'm15', 'h1', 'h4', 'd1']) {
        const query = `/kline?outcomeId=${YES}&interval=${interval}&from=${from}&to=${to}`;
        const [candle, ...more] = listOf(read(venue, query), interval);
        const wanted = { open: '0.4', high: '0.52', low: '0.31', close: '0.44', volume: '40' };
        same(only(candle, ...Object.keys(wanted)), wanted, interval);
        holds(more.length === 0, `${interval}: one candle`);
      }
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-268',
    title: 'a connection that misses two native pongs is ended at the next ping, and no sooner',
    spec: 'Connection',
    covers: ['rule Connection 1', 'frame {type: ping} server to client'],
    run: () => {
      const venue = new TestVenue();
      const silent = new TestSocket(venue, { answersPings: false });
      venue.advance(60_000);
      same([silent.of('ping').length, silent.isClosed], [2, false], 'two pings without a pong');
      venue.advance(30_001);
      same([silent.of('ping').length, silent.isClosed], [2, true], 'the end');
      const alive = new TestSocket(venue);
      venue.advance(300_000);
      same([alive.of('ping').length, alive.isClosed], [10, false], 'who answers stays');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-269',
    title: 'a FOK limit order trades whole or not at all, a FAK what is there, and neither rests',
    spec: 'POST /orders',
    covers: ['field POST /orders.orderType', 'field Order.timeInForce'],
    run: () => {
      const venue = new TestVenue();
      venue.crowd('SELL', 40, 10);
      venue.crowd('SELL', 41, 10);
      const socket = new TestSocket(venue);
      socket.authenticate();
      venue.rest({ price: 0.41, quantity: 25, orderType: 'FOK' });
      same([socket.statuses(), venue.openOrders().length], [['OPEN', 'CANCELLED'], 0], '25 of 20');
      venue.rest({ price: 0.4, quantity: 10, orderType: 'FOK' });
      same(socket.statuses().slice(2), ['OPEN', 'MATCHED'], '10 of 10');
      venue.rest({ price: 0.41, quantity: 15, orderType: 'FAK' });
      const rest = venue.openOrders().filter((order) => Number(at(order, 'quantity')) === 15);
      holds(
        rest.every((order) => Number(at(order, 'holdQuantity')) === 10),
        '10 of 15, and nothing rests',
      );
      same(venue.levels(), { bids: [], asks: [] }, 'the book');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-270',
    title: 'the least value, the region and the plan of a market order are held to their numbers',
    spec: 'POST /orders',
    covers: [
      ...['rule POST /orders 3', 'limit Minimum order value', 'fact Minimum order value'],
      ...['code below_min_notional', 'code geo_restricted', 'endpoint POST /orders/market'],
      ...['requestedMaxSpend', 'submittedQuantity', 'limitPrice', 'estimatedAveragePrice'].map(
        (name) => `field Execution plan.${name}`,
      ),
      ...['field Execution plan.estimatedQuoteAmount', 'field Execution plan.bookTimestamp'],
    ],
    run: () => {
      const venue = new TestVenue();
      same(
        venue.place({ price: 0.25, quantity: 3.999999 }).code,
        'below_min_notional',
        'just under a dollar',
      );
      same(venue.place({ price: 0.25, quantity: 4 }).status, 200, 'a dollar');
      venue.ask('DELETE', '/orders');
      venue.crowd('SELL', 40, 10);
      venue.crowd('SELL', 50, 4);
      const body = { tokenId: YES, side: 'BUY', maxSpend: '9.5', timeInForce: 'FAK' };
      const answer = dataOf(venue.ask('POST', '/orders/market', { body }), 'a market order');
      const plan = {
        requestedMaxSpend: '9.5',
        submittedQuantity: '14',
        limitPrice: '0.5',
        estimatedQuoteAmount: '6',
        bookTimestamp: iso(START_MS),
      };
      same(
        only(at(answer, 'executionPlan'), ...Object.keys(plan)),
        plan,
        'the plan of a thin book',
      );
      const average = Number(at(answer, 'executionPlan', 'estimatedAveragePrice'));
      holds(Math.abs(average - 6 / 14) < 1e-6, `the average, seen ${average}`);
      split(venue, '20');
      venue.venue.exchange.accounts.named('maker').isGeoRestricted = true;
      same(venue.place({ price: 0.3 }).code, 'geo_restricted', 'no new position from there');
      same(venue.place({ side: 'SELL', price: 0.9, quantity: 5 }).status, 200, 'one may be closed');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-271',
    title:
      'a resolution names the winner; winning shares pay one USDC each, losing ones nothing, once',
    spec: 'Conditional tokens',
    covers: [
      ...['endpoint POST /positions/redeem', 'endpoint GET /positions/claimable'],
      ...['endpoint GET /events/:id/resolution', 'text Event and market status 1'],
    ],
    run: () => {
      const venue = new TestVenue();
      split(venue, '30');
      venue.rest({ side: 'SELL', price: 0.5, quantity: 20 });
      venue.crowd('BUY', 50, 20, { timeInForce: 'FAK' });
      venue.settle();
      same(read(venue, '/positions/claimable'), [], 'nothing to claim yet');
      venue.venue.desk.resolve(RAIN_MARKET, YES);
      const eventId = String(at(read(venue, '/events/rain'), 'id'));
      const [told] = listOf(at(read(venue, `/events/${eventId}/resolution`), 'markets'), 'markets');
      const winner = {
        marketId: RAIN_MARKET,
        status: 'resolved',
        winningOutcomeIndex: 1,
        winningTokenId: YES,
      };
      same(only(told, ...Object.keys(winner)), winner, 'the resolution');
      const [claim, ...more] = listOf(read(venue, '/positions/claimable'), 'claimable');
      same(
        only(claim, 'marketId', 'tokenId', 'shareAmount', 'payout'),
        { marketId: RAIN_MARKET, tokenId: YES, shareAmount: '10', payout: '10' },
        'a claim',
      );
      same(more, [], 'no other claim');
      const body = { marketId: RAIN_MARKET };
      dataOf(venue.ask('POST', '/positions/redeem', { body }), 'a redemption');
      // 30 for the sets, 10 for what was sold, 10 for what won; 30 losing shares pay nothing.
      same(venue.balances()['cashBalance'], '9990', 'the cash');
      holds(
        venue.ask('POST', '/positions/redeem', { body }).success === false,
        'and no second time',
      );
      same(read(venue, '/positions/claimable'), [], 'nothing is left to claim');
      const open = listOf(at(read(venue, '/events/race/resolution'), 'markets'), 'markets');
      same(
        open.map((each) => Object.values(only(each, 'marketId', 'status', 'winningOutcomeIndex'))),
        [
          [ANN_MARKET, 'open', null],
          [BEN_MARKET, 'open', null],
        ],
        'the others',
      );
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-272',
    title: 'histories list the newest first, as many as asked for, and deposits with their amounts',
    spec: 'Portfolio',
    covers: [
      ...[
        'summary',
        'positions',
        'trades',
        'deposits',
        'withdrawals',
        'transactions',
        'market/:marketId',
      ].map((name) => `endpoint GET /portfolio/${name}`),
      ...['text Portfolio 1', 'endpoint GET /activity', 'endpoint GET /leaderboard'],
    ],
    run: () => {
      const venue = new TestVenue();
      for (const [price, count] of [
        [0.4, 10],
        [0.3, 20],
        [0.2, 30],
      ] as const) {
        venue.rest({ price, quantity: count });
        venue.crowd('SELL', price * 100, count, { timeInForce: 'FAK' });
        venue.settle();
      }
      venue.advance(INDEXED_MS);
      const trades = (query: string) =>
        listOf(read(venue, `/portfolio/trades${query}`), 'trades').map((each) =>
          Object.values(only(each, 'price', 'quantity', 'side', 'tokenId')),
        );
      const wanted = [
        ['0.2', '30'],
        ['0.3', '20'],
        ['0.4', '10'],
      ].map((each) => [...each, 'BUY', YES]);
      same(trades(''), wanted, 'all trades');
      same(
        [trades('?limit=2'), trades('?limit=1')],
        [wanted.slice(0, 2), wanted.slice(0, 1)],
        'the newest of them',
      );
      const [position, ...others] = listOf(read(venue, '/portfolio/positions'), 'positions');
      const held = { tokenId: YES, marketId: RAIN_MARKET, shareAmount: '60', costBasis: '16' };
      same([only(position, ...Object.keys(held)), others], [held, []], 'the position');
      same(read(venue, `/portfolio/market/${RAIN_MARKET}`), [position], 'in its market');
      same(read(venue, `/portfolio/market/${ANN_MARKET}`), [], 'and in no other');
      const summary = read(venue, '/portfolio/summary');
      // The last price is the mark: 60 shares at 0.20.
      const totals = {
        cashBalance: '9984',
        costBasis: '16',
        positionsValue: '12',
        totalValue: '9996',
        totalPnl: '-4',
      };
      same(only(summary, ...Object.keys(totals)), totals, 'the summary');
      const [deposit] = listOf(read(venue, '/portfolio/deposits?limit=1'), 'deposits');
      same(at(deposit, 'amount'), '10000', 'the deposit');
      same(read(venue, '/portfolio/withdrawals'), [], 'no withdrawal');
      same(
        listOf(read(venue, '/portfolio/transactions'), 'transactions').length,
        4,
        'three trades and a deposit',
      );
      const activity = listOf(at(read(venue, '/activity'), 'items'), 'activity');
      same(
        activity.map((each) => at(each, 'quantity')),
        ['30', '20', '10'],
        'all settled trades',
      );
      const leaders = listOf(read(venue, '/leaderboard?period=today'), 'leaders').map((each) =>
        at(each, 'name'),
      );
      holds(
        leaders.includes('crowd') && leaders.includes('maker'),
        `both who traded, seen ${leaders.join()}`,
      );
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-273',
    title:
      'order writes, bulk cancels and reads each have their own budget, counted to the request',
    spec: 'Limits',
    covers: [
      'limit Order writes (API key)',
      'limit Bulk cancels',
      'limit Reads (API key)',
      'rule Limits 2',
      'code rate_limited',
    ],
    run: () => {
      const venue = new TestVenue();
      const gone = `/orders/0x${'e'.repeat(64)}`;
      for (let count = 0; count < 300; count += 1)
        same(venue.ask('DELETE', gone).status, 404, `write ${count}`);
      for (const path of ['/orders', '/orders/market', '/orders/batch']) {
        const refused = venue.ask('POST', path, { body: {} });
        same(
          [refused.status, refused.code, refused.headers['retry-after']],
          [429, 'rate_limited', '10'],
          path,
        );
      }
      for (let count = 0; count < 40; count += 1) {
        const body = { orderHashes: [`0x${'e'.repeat(64)}`] };
        same(
          dataOf(venue.ask('POST', '/orders/batch-cancel', { body }), 'a bulk cancel'),
          { cancelled: 0, failed: 1 },
          'its counts',
        );
      }
      same(
        dataOf(venue.ask('DELETE', '/orders'), 'the kill switch'),
        { cancelled: 0, failed: 0 },
        'its counts',
      );
      same(venue.ask('GET', '/orders').status, 200, 'a read');
      venue.advance(9_999);
      same(venue.ask('DELETE', gone).status, 429, 'before ten seconds have passed');
      venue.advance(1);
      same(venue.ask('DELETE', gone).status, 404, 'after ten seconds');
      return Promise.resolve(undefined);
    },
  },
  {
    id: 'C-274',
    title:
      'a settlement that fails is told with its market, side, quantity and reason, and moves back',
    spec: 'Settlement outcome',
    covers: ['frame trade.failed', 'text Settlement outcome 1', 'frame position.update'],
    run: () => {
      const venue = new TestVenue();
      const socket = new TestSocket(venue);
      socket.authenticate();
      venue.venue.exchange.settlement.failNext(1, 'out of gas');
      venue.rest({ tokenId: ANN_YES, price: 0.123, quantity: 30 });
      venue.crowd('SELL', 123, 30, { tokenId: ANN_YES, marketId: ANN_MARKET, timeInForce: 'FAK' });
      venue.settle();
      const failed = {
        type: 'trade.failed',
        reason: 'out of gas',
        marketId: ANN_MARKET,
        side: 'BUY',
        quantity: '30',
      };
      same(socket.of('trade.failed'), [failed], 'the failure');
      const deltas = socket
        .of('position.update')
        .map((frame) => Object.values(only(at(frame, 'data'), 'sharesDelta', 'averagePrice')));
      same(
        deltas,
        [
          ['30', '0.123'],
          ['-30', '0.123'],
        ],
        'given and taken back',
      );
      same(venue.balances()['cashBalance'], '10000', 'the cash');
      return Promise.resolve(undefined);
    },
  },
);
