// Market orders, immediate orders, sets, prices and histories, by own orders of one or two accounts of any venue
// that stand alone at their prices, inside the spread.
// @spec Endpoints

import { type Answer, holds, payload, refusal } from '../../../src/cli/doctor/card.ts';
import { EXECUTION_PLAN, isOrder } from '../../../src/cli/doctor/records.ts';
import { at, hasFields, isList, listOf, textAt } from '../../../src/cli/doctor/shape.ts';
import { type Bench, destructive, harmless, paired } from '../bench/bench.ts';
import {
  asks,
  dealOf,
  INDEXED_MS_MAX,
  lacksShares,
  listed,
  rests,
  SETTLED_MS_MAX,
  sells,
  settled,
  sharesOf,
  traded,
  withSocket,
} from '../bench/deals.ts';
import { soon } from '../bench/lab.ts';

/** More than anybody has, fewer than a venue refuses for their number. */
const SHARES_MAX = 900_000;
const SETS = 2;
const MINUTES = { m1: 1, m5: 5, m15: 15, h1: 60, h4: 240, d1: 1_440 };
/** A venue pings every 30 s, and ends who missed two answers at the next ping. */
const PING_MS_MAX = 45_000;
const STALE_MS_MAX = 150_000;
const BPS = 10_000;

const sweep = ({ rest, target }: Bench, body: Readonly<Record<string, unknown>>) =>
  rest.post('/orders/market', { tokenId: target.yes, ...body });

/** USDC to the millionth. */
const usdcText = (amount: number): string => String(Number(amount.toFixed(6)));

const near = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6;

/** A list, bare or of a page. */
function recordsOf(answer: Answer, path: string): readonly unknown[] {
  const data = payload(answer, path);
  return listOf(isList.is(data) ? data : at(data, 'items'), path);
}

async function cashOf({ rest }: Bench): Promise<number> {
  const balances = payload(await rest.signedGet('/portfolio/balances'), 'balances');
  return Number(at(balances, 'cashBalance'));
}

/** An order of the second account has traded so much, settled or not. */
async function soldOf(bench: Bench, orderHash: string, quantity: number): Promise<void> {
  const { rest } = bench.second;
  await soon('what was sold', async () => {
    const order = await listed(bench, orderHash, rest);
    return order !== undefined && near(traded(order), quantity);
  });
}

/** The markets of open events, each with what places an order there. */
async function openMarkets({ rest }: Bench) {
  const events = recordsOf(await rest.get('/events?status=open&limit=100'), '/events');
  return events.flatMap((event) =>
    listOf(at(event, 'markets'), 'markets').map((market) => ({
      eventId: textAt(event, 'id'),
      tickSize: Number(at(event, 'tickSize')),
      markets: listOf(at(event, 'markets'), 'markets').length,
      marketId: textAt(market, 'id'),
      tokenId: textAt(at(market, 'outcomes', 0), 'tokenId'),
    })),
  );
}

const SET_CARDS = destructive(
  {
    id: 'C-089',
    title: 'a set is split out of one USDC and merged into one, and both are told as transactions',
    spec: 'Conditional tokens',
    isSlow: true,
    covers: [
      'endpoint POST /positions/split',
      'endpoint POST /positions/merge',
      'endpoint GET /portfolio/market/:marketId',
      'text Conditional tokens 1',
      'bullet Batch and cancel results 3',
    ],
    run: async (bench) => {
      const { rest, target, keys } = bench;
      const { eventId, marketId, yes, no } = target;
      const shares = () => Promise.all([yes, no].map((token) => sharesOf({ rest, keys }, token)));
      const cash = () => cashOf(bench);
      const before = { cash: await cash(), shares: await shares() };
      const chain = async (verb: string, amount: number) =>
        await rest.post(`/positions/${verb}`, { eventId, marketId, amount: String(amount) });
      const split = payload(await chain('split', SETS), 'split');
      holds(textAt(split, 'txHash') !== '', 'a split has a transaction');
      // Bids for YES that have traded before may be indexed meanwhile; nobody trades NO here.
      const gained = async (wanted: number) => {
        const [ofYes = 0, ofNo = 0] = (await shares()).map(
          (now, index) => now - (before.shares[index] ?? 0),
        );
        return ofYes >= wanted - 1e-6 && near(ofNo, wanted);
      };
      await soon('shares of both outcomes', async () => await gained(SETS), INDEXED_MS_MAX);
      await soon('their cash', async () => near(before.cash - (await cash()), SETS));
      const ofMarket = payload(await rest.signedGet(`/portfolio/market/${marketId}`), 'its market');
      holds(JSON.stringify(ofMarket).includes(yes), 'its positions name the token');
      const other = (await openMarkets(bench)).find((each) => each.marketId !== marketId);
      if (other !== undefined) {
        const path = `/portfolio/market/${other.marketId}`;
        const shown = JSON.stringify(payload(await rest.signedGet(path), path));
        holds(!shown.includes(yes), 'those of another market do not');
      }
      const rich = await chain('merge', SHARES_MAX);
      holds(lacksShares(rich), 'no merge of what is not there');
      const merge = payload(await chain('merge', SETS), 'merge');
      holds(textAt(merge, 'txHash') !== '', 'a merge has a transaction');
      await soon('no more shares', async () => await gained(0), INDEXED_MS_MAX);
      await soon('the cash again', async () => near(await cash(), before.cash));
      const several = (await openMarkets(bench)).find(({ markets }) => markets > 1);
      if (several === undefined) return 'no event of several outcomes is open';
      const body = { eventId: several.eventId, amount: '1' };
      refusal(await rest.post('/positions/split', body), 'missing_parameter');
      return undefined;
    },
  },
  {
    id: 'C-090',
    title: 'a question about one market is answered for it alone, a cancel ends nothing of another',
    spec: 'GET /orders',
    covers: [
      'endpoint GET /orders',
      'text GET /orders 1',
      'endpoint DELETE /orders',
      'endpoint GET /events/:id/resolution',
      'param Markets.search',
    ],
    run: async (bench) => {
      const { rest, target } = bench;
      const { marketId, eventId, title, yes } = target;
      const other = (await openMarkets(bench)).find((each) => each.marketId !== marketId);
      holds(other !== undefined, 'a second market is open');
      const farBid = async (tokenId: string, tick: number) => {
        const order = { tokenId, side: 'BUY', price: tick, quantity: Math.round(1.1 / tick) };
        return textAt(payload(await rest.post('/orders', order), 'a bid'), 'orderHash');
      };
      const here = await farBid(yes, Number(target.tickSize));
      const there = await farBid(other.tokenId, other.tickSize);
      const open = async (query = '') => {
        const orders = recordsOf(await rest.signedGet(`/orders${query}`), 'GET /orders');
        const hashes = orders.map((order) => textAt(order, 'orderHash'));
        // An order that has traded in part may be there for ever: these are not about it.
        return hashes.filter((hash) => [here, there].includes(hash)).sort();
      };
      const isOpen = async (hashes: readonly string[], query?: string) =>
        (await open(query)).join() === [...hashes].sort().join();
      await soon('both orders', async () => await isOpen([here, there]));
      holds(await isOpen([here], `?marketId=${marketId}`), 'only the order of this market');
      holds(await isOpen([there], `?marketId=${other.marketId}`), 'only the order of the other');
      const path = `/orders?marketId=${other.marketId}`;
      const counts = payload(await rest.delete(path), 'DELETE /orders');
      holds(at(counts, 'cancelled') === 1, 'one is cancelled');
      await soon('the other order alone', async () => await isOpen([here]));
      payload(await rest.get(`/events/${eventId}/resolution?marketId=${marketId}`), 'resolution');
      const middle = title.slice(1, -1);
      const query = `/events?search=${encodeURIComponent(middle)}`;
      const found = recordsOf(await rest.get(query), query);
      holds(
        found.some((event) => at(event, 'id') === eventId),
        'found by a part of its title',
      );
      holds(
        found.every((event) => textAt(event, 'title').toLowerCase().includes(middle.toLowerCase())),
        'and nothing that does not have it',
      );
      return undefined;
    },
  },
);

const DEAL_CARDS = paired(
  {
    id: 'C-091',
    title: 'a market buy spends up to its USDC and comes with its plan',
    spec: 'Execution plan',
    covers: [
      'endpoint POST /orders/market',
      'text POST /orders/market 2',
      ...[
        ...['requestedMaxSpend', 'submittedQuantity', 'limitPrice', 'estimatedAveragePrice'],
        ...['estimatedQuoteAmount', 'bookTimestamp'],
      ].map((name) => `field Execution plan.${name}`),
      'field POST /orders/market.maxSpend',
      'field POST /orders/market.timeInForce',
    ],
    run: async (bench) => {
      const { price, part, whole } = await dealOf(bench);
      const ask = await asks(bench, price, whole);
      const spend = usdcText(price * 2 * part);
      const body = { side: 'BUY', maxSpend: spend, timeInForce: 'FAK' };
      const data = payload(await sweep(bench, body), 'POST /orders/market');
      isOrder(at(data, 'order'), 'order');
      holds(at(data, 'order', 'side') === 'BUY', 'the side is ours');
      holds(at(data, 'order', 'tokenId') === bench.target.yes, 'the token is ours');
      hasFields(at(data, 'executionPlan'), EXECUTION_PLAN, 'executionPlan');
      const plan = (name: string) => Number(at(data, 'executionPlan', name));
      holds(near(plan('requestedMaxSpend'), Number(spend)), 'the spend is ours');
      holds(near(plan('submittedQuantity'), 2 * part), 'what it buys at the only price');
      holds(near(plan('limitPrice'), price), 'the worst price');
      holds(near(plan('estimatedAveragePrice'), price), 'the average price');
      holds(near(plan('estimatedQuoteAmount'), Number(spend)), 'what it will cost');
      await soldOf(bench, ask, 2 * part);
      // What is left of an order that has traded in part may be there for ever, unless it trades.
      const rest = { tokenId: bench.target.yes, side: 'BUY', price, quantity: part };
      payload(await bench.rest.post('/orders', { ...rest, orderType: 'FAK' }), 'the rest');
      await settled(bench, ask, bench.second.rest);
      return undefined;
    },
  },
  {
    id: 'C-092',
    title: 'a sweep that averages worse than allowed from the touch is refused',
    spec: 'POST /orders/market',
    covers: ['field POST /orders/market.maxSlippageBps'],
    run: async (bench) => {
      const { price, part, above } = await dealOf(bench, bench.target.yes, 2);
      const first = await asks(bench, price, part);
      await asks(bench, above(1), part);
      const slippageBps = ((above(1) - price) / 2 / price) * BPS;
      const maxSpend = usdcText((price + above(1)) * part);
      const buy = { side: 'BUY', maxSpend, timeInForce: 'FAK' };
      const narrow = { ...buy, maxSlippageBps: Math.floor(slippageBps / 2) };
      const refused = await sweep(bench, narrow);
      holds(refused.success === false, 'half of what the sweep slips was allowed');
      const order = await listed(bench, first, bench.second.rest);
      holds(order !== undefined && traded(order) === 0, 'nothing has traded');
      const wide = { ...buy, maxSlippageBps: Math.ceil(slippageBps) * 2 };
      payload(await sweep(bench, wide), 'twice as much is allowed');
      return String(refused.code);
    },
  },
  {
    id: 'C-093',
    title: 'FOK trades whole or not at all, FAK what is there, and neither rests',
    spec: 'POST /orders',
    covers: ['field POST /orders.orderType', 'field POST /orders/market.timeInForce'],
    run: async (bench) => {
      const { price, part } = await dealOf(bench);
      const ask = await asks(bench, price, part);
      const { rest, target } = bench;
      const buys = async (quantity: number, orderType: string) => {
        const order = { tokenId: target.yes, side: 'BUY', price, quantity, orderType };
        const placed = payload(await rest.post('/orders', order), orderType);
        return textAt(placed, 'orderHash');
      };
      await settled(bench, await buys(2 * part, 'FOK'));
      const untouched = await listed(bench, ask, bench.second.rest);
      holds(untouched !== undefined && traded(untouched) === 0, 'FOK: no part of it');
      const taken = await buys(2 * part, 'FAK');
      await settled(bench, ask, bench.second.rest);
      await settled(bench, taken);
      const book = payload(await rest.get(`/orderbook/${target.yes}`), 'the book');
      const levels = ['bids', 'asks'].flatMap((side) => listOf(at(book, side), side));
      holds(!levels.some((level) => Number(at(level, 'price')) === price), 'FAK: nothing rests');
      return undefined;
    },
  },
  {
    id: 'C-094',
    title: 'a tick-aligned limit order that ends at once sells into several levels',
    spec: 'POST /orders/market',
    covers: ['rule POST /orders/market 2', 'field POST /orders.orderType'],
    run: async (bench) => {
      const { price, part, above } = await dealOf(bench, bench.target.yes, 2);
      const bids: string[] = [];
      for (const [at, whole] of [
        [price, 2 * part],
        [above(1), part],
      ] as const) {
        bids.push(await rests(bench, { price: at, part, whole, above }));
      }
      await sells(bench, price, 3 * part);
      for (const orderHash of bids) await settled(bench, orderHash);
      return undefined;
    },
  },
  {
    id: 'C-095',
    title: 'a level shows the sum at its price, and touches, prices and the middle follow it',
    spec: 'Order book',
    covers: [
      ...['endpoint GET /orderbook/:tokenId', 'text Order book 1'],
      ...['endpoint GET /midpoint/:tokenId', 'endpoint GET /price/:tokenId/:side'],
    ],
    run: async (bench) => {
      const { rest, target } = bench;
      const { price, part, whole, above } = await dealOf(bench, target.yes, 3);
      await rests(bench, { price, part, whole, above });
      await rests(bench, { price, part, whole: 2 * part, above });
      await asks(bench, above(2), part);
      const path = `/orderbook/${target.yes}?depth=1`;
      const shown = async () => {
        const book = payload(await rest.get(path), 'the book');
        return JSON.stringify(
          ['bids', 'asks'].map((side) =>
            listOf(at(book, side), side).map((level) => [at(level, 'price'), at(level, 'size')]),
          ),
        );
      };
      const wanted = JSON.stringify([[[price, whole + 2 * part]], [[above(2), part]]]);
      await soon(`the book ${wanted}`, async () => (await shown()) === wanted);
      const priceOf = async (side: string) => {
        const data = payload(await rest.get(`/price/${target.yes}/${side}`), side);
        return Number(at(data, 'price') ?? data);
      };
      holds((await priceOf('buy')) === above(2), 'to buy at what is asked');
      holds((await priceOf('sell')) === price, 'to sell at what is bid');
      const mid = payload(await rest.get(`/midpoint/${target.yes}`), 'the middle');
      holds(near(Number(at(mid, 'mid')), (price + above(2)) / 2), 'the middle between the two');
      return undefined;
    },
  },
  {
    id: 'C-096',
    title: 'a settled trade is in the candle of each interval that it falls into',
    spec: 'Price history and feeds',
    covers: ['endpoint GET /kline', 'text Price history and feeds 1', 'text Candle 1'],
    run: async (bench) => {
      const { rest, target } = bench;
      const { price, part, whole, above } = await dealOf(bench);
      const orderHash = await rests(bench, { price, part, whole, above });
      await sells(bench, price, whole);
      await settled(bench, orderHash);
      const candles = async (outcomeId: string, query = '') =>
        recordsOf(await rest.get(`/kline?outcomeId=${outcomeId}${query}`), 'kline');
      const number = (candle: unknown, name: string) => Number(textAt(candle, name));
      const holdsTrade = (candle: unknown, minutes: number) => {
        const startMs = Date.parse(textAt(candle, 'timestamp'));
        const isPresent = bench.nowMs() - startMs < (minutes + SETTLED_MS_MAX / 60_000) * 60_000;
        return (
          isPresent &&
          startMs % (minutes * 60_000) === 0 &&
          number(candle, 'low') <= price &&
          number(candle, 'high') >= price &&
          number(candle, 'volume') >= whole - 1e-6
        );
      };
      for (const [interval, minutes] of Object.entries(MINUTES)) {
        await soon(
          `the candle of ${interval}`,
          async () => {
            // Which identifier `outcomeId` takes is not shown.
            for (const id of [target.yes, target.yesOutcomeId]) {
              const found = await candles(id, `&interval=${interval}`);
              if (found.some((candle) => holdsTrade(candle, minutes))) return true;
            }
            return false;
          },
          SETTLED_MS_MAX,
        );
      }
      const past = '&from=2020-01-01T00:00:00Z&to=2020-01-01T00:00:00Z';
      holds((await candles(target.yes, past)).length === 0, 'none of another time');
      return undefined;
    },
  },
  {
    id: 'C-097',
    title: 'the history of trades lists the newest first, as many as asked for',
    spec: 'Portfolio',
    covers: ['endpoint GET /portfolio/trades'],
    run: async (bench) => {
      const trades = async (limit: number) => {
        const path = `/portfolio/trades?limit=${limit}`;
        return recordsOf(await bench.rest.signedGet(path), path).map((each) =>
          JSON.stringify(each),
        );
      };
      /** The newest record once it is another one than before. */
      const next = async (before: string | undefined): Promise<string> => {
        const deal = await dealOf(bench);
        const orderHash = await rests(bench, deal);
        await sells(bench, deal.price, deal.whole);
        await settled(bench, orderHash);
        const isNew = async () => ![undefined, before].includes((await trades(1))[0]);
        await soon('its record', isNew, SETTLED_MS_MAX);
        return (await trades(1))[0] ?? '';
      };
      const [oldest] = await trades(1);
      const first = await next(oldest);
      const second = await next(first);
      holds((await trades(1)).length === 1, 'one where one is asked for');
      holds((await trades(2)).join() === [second, first].join(), 'two, the newest first');
      return undefined;
    },
  },
);

const PING_CARDS = harmless(
  {
    id: 'C-098',
    title: 'the server pings natively and in its own frame, and who answers stays',
    spec: 'Connection',
    isSlow: true,
    covers: ['frame {type: ping} server to client'],
    run: async (bench) =>
      await withSocket(bench, async (socket) => {
        await socket.until('a ping', () => socket.of('ping').length > 0, PING_MS_MAX);
        socket.send({ type: 'pong' });
        await socket.until('a native ping', () => socket.nativePings > 0, PING_MS_MAX);
        await socket.until('another', () => socket.of('ping').length > 1, PING_MS_MAX);
        holds(!socket.isClosed, 'who answers stays');
        return undefined;
      }),
  },
  {
    id: 'C-099',
    title: 'a connection that misses two native pongs is ended as stale',
    spec: 'Connection',
    isSlow: true,
    covers: ['rule Connection 1'],
    run: async (bench) => {
      const silent = await bench.openSocket({ autoPong: false });
      try {
        await silent.until('its end', () => silent.isClosed, STALE_MS_MAX);
        holds(silent.nativePings >= 2, `two pings were missed, ${silent.nativePings} seen`);
      } finally {
        silent.close();
      }
      return undefined;
    },
  },
);

export const DEAL_AND_PING_CARDS = [...SET_CARDS, ...DEAL_CARDS, ...PING_CARDS];
