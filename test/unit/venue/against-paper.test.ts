import { afterEach, describe, expect, it, vi } from 'vitest';
import type { VenuePort } from '../../../src/domain/command.ts';
import { intentId, requestId } from '../../../src/domain/ids.ts';
import type { Event } from '../../../src/domain/market.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import { type Credentials, Secret } from '../../../src/domain/secret.ts';
import { shares } from '../../../src/domain/shares.ts';
import { ticks, ticksWithin } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { CURRENT_DIALECT, type Dialect, OLDER_DIALECT } from '../../../src/paper/api/dialect.ts';
import { plannedEvent } from '../../../src/paper/exchange/plan.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import { createVenue } from '../../../src/venue/venue.ts';
import { tokenLookup } from '../../../src/wire/tokens.ts';
import { fixedCredentials, REAL_TIME, until } from '../../support/http-double-fixtures.ts';

const PLAN = {
  slug: 'will-it-rain',
  title: 'Will it rain?',
  category: 'weather',
  tickSize: '0.01',
  tags: ['sky'],
  expiryAtMs: unixMs(1_893_456_000_000),
  markets: [{ slug: 'main', title: 'Rain' }],
} as const;

const EVENT: Event = plannedEvent(PLAN);
const [MARKET] = EVENT.markets;
if (!MARKET) throw new Error('the plan lists one market');
const YES = MARKET.yes.tokenId;

const DIALECTS: readonly (readonly [string, Dialect])[] = [
  ['the current generation', CURRENT_DIALECT],
  ['the older generation', OLDER_DIALECT],
  [
    'the current generation with its other answers',
    {
      ...CURRENT_DIALECT,
      ordersAs: 'page',
      batchOrders: 'hashOnly',
      bookExtras: true,
      pauseWord: 'PAUSED',
      socketFilled: 'settled',
    },
  ],
];

let paper: PaperVenue | undefined;
let http: VenueHttp | undefined;
let port: VenuePort | undefined;

afterEach(async () => {
  await port?.stop();
  await http?.stop();
  await paper?.stop();
  [port, http, paper] = [undefined, undefined, undefined];
});

async function startPaper(dialect: Dialect): Promise<PaperVenue> {
  paper = await startPaperVenue({ events: [PLAN], dialect, timeScale: 0.005 });
  return paper;
}

function accessTo(venue: PaperVenue) {
  return {
    baseUrl: venue.baseUrl,
    credentials: fixedCredentials(secretsOf(venue.account)),
    clock: REAL_TIME,
    timers: REAL_TIME,
  };
}

function secretsOf(texts: PaperVenue['account']): Credentials {
  return {
    apiKey: new Secret(texts.apiKey),
    apiSecret: new Secret(texts.apiSecret),
    apiPassphrase: new Secret(texts.apiPassphrase),
  };
}

async function openHttp(dialect: Dialect): Promise<VenueHttp> {
  const venue = await startPaper(dialect);
  http = createVenueHttp({ ...accessTo(venue), tokens: tokenLookup([EVENT]) });
  return http;
}

function order(name: string, over: Partial<LimitOrder> = {}): LimitOrder {
  return {
    intentId: intentId(name),
    tokenId: YES,
    side: 'BUY',
    price: ticks(EVENT.grid, 29),
    quantity: shares(10.5),
    lifetime: { timeInForce: 'GTC' },
    ...over,
  };
}

describe.each(DIALECTS)('against a venue of %s', (_name, dialect) => {
  it('every public read is answered and read', async () => {
    const venue = await openHttp(dialect);
    const listing = await venue.readAllEvents({ status: 'open', tag: 'sky' });
    expect(listing).toEqual({ kind: 'ok', value: { events: [inDialect(dialect)], skipped: [] } });
    expect(await venue.readNamedEvents([PLAN.slug, 'nowhere'])).toEqual(listing);
    const page = await venue.readEventsPage({ limit: 1, includeTotal: false, search: 'rain' });
    expect(page).toMatchObject({ kind: 'ok', value: { itemCount: 1 } });
    expect(await venue.readOk()).toEqual({ kind: 'ok', value: true });
    expect(await venue.readBook(YES)).toMatchObject({ kind: 'ok', value: { bids: [], asks: [] } });
    expect(await venue.readMidpoint(YES)).toEqual({ kind: 'ok', value: { kind: 'noMidpoint' } });
    const candles = await venue.readCandles({ outcomeId: YES, interval: 'm1' });
    expect(candles).toEqual({ kind: 'ok', value: [] });
    const others = await Promise.all([
      venue.readPrice(YES, 'buy'),
      venue.readResolution(EVENT.id, MARKET.id),
      venue.readMarket(MARKET.id),
      venue.readCategories(),
      venue.readActivity(),
      venue.readLeaderboard('today'),
    ]);
    // A price needs a side to name; the interface does not say what an empty one answers.
    expect(others.slice(1).map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    const offset = await venue.measureClock();
    expect(offset.kind === 'ok' && Math.abs(offset.value.offsetMs)).toBeLessThan(1_000);
  });

  it('every account read is answered and read', async () => {
    const venue = await openHttp(dialect);
    const balances = await venue.readBalances();
    expect(balances.kind === 'ok' && balances.value.cashBalance.toNumber()).toBe(10_000);
    const records = ['summary', 'positions', 'trades', 'deposits', 'withdrawals'] as const;
    const answers = await Promise.all([
      ...records.map((record) => venue.readPortfolio(record)),
      venue.readMarketPositions(MARKET.id),
      venue.readClaimable(),
      venue.readOpenOrders(),
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'ok'));
  });

  it('orders are placed alone and in a batch, listed, and cancelled in every way', async () => {
    const venue = await openHttp(dialect);
    const soon = unixMs(Date.now() + 120_000);
    const placed = [
      ...(await venue.placeOrders([order('a')])),
      ...(await venue.placeOrders([
        order('b', { price: ticks(EVENT.grid, 30) }),
        order('c', { price: ticks(EVENT.grid, 1), quantity: shares(1) }),
        order('d', { lifetime: { timeInForce: 'GTD', expiresAtMs: soon } }),
        order('e', { tokenId: MARKET.no.tokenId }),
      ])),
    ];
    expect(placed.map(({ kind }) => kind)).toEqual([
      'accepted',
      'accepted',
      'refused',
      'accepted',
      'accepted',
    ]);
    const hashes = placed.flatMap((each) => (each.kind === 'accepted' ? [each.orderHash] : []));
    const listed = await venue.readOpenOrders();
    expect(listed.kind === 'ok' && listed.value.map((each) => each.orderHash).sort()).toEqual(
      [...hashes].sort(),
    );
    expect(
      listed.kind === 'ok' && listed.value.find((each) => each.orderHash === hashes[0]),
    ).toEqual(
      expect.objectContaining({ price: 29, quantity: 10_500_000, executed: 0, side: 'BUY' }),
    );
    const [first, second] = hashes;
    if (!first || !second) throw new Error('four orders were accepted');
    expect(await venue.cancelOrder(first)).toMatchObject({ kind: 'accepted', failed: 0 });
    expect(await venue.cancelOrders([first, second])).toEqual({
      kind: 'accepted',
      cancelled: 1,
      failed: 1,
    });
    const token = { kind: 'token', tokenId: MARKET.no.tokenId } as const;
    expect(await venue.cancelAll(token)).toMatchObject({ kind: 'accepted', cancelled: 1 });
    const market = { kind: 'market', marketId: MARKET.id } as const;
    expect(await venue.readOpenOrders(market)).toMatchObject({ kind: 'ok', value: [{}] });
    expect(await venue.readOpenOrders(token)).toEqual({ kind: 'ok', value: [] });
    expect(await venue.cancelAll(market)).toMatchObject({ kind: 'accepted', cancelled: 1 });
    expect(await venue.readOpenOrders()).toEqual({ kind: 'ok', value: [] });
  });

  it('a refusal arrives with its status, and with its code where the venue sends one', async () => {
    const venue = await openHttp(dialect);
    const code = (text: string) => (dialect.failureCodes ? text : undefined);
    const small = order('a', { price: ticks(EVENT.grid, 1), quantity: shares(1) });
    const large = order('a', { quantity: shares(900_000) });
    const sell = order('a', { side: 'SELL' });
    const outcomes = [
      ...(await venue.placeOrders([small])),
      ...(await venue.placeOrders([large])),
      ...(await venue.placeOrders([sell])),
    ];
    expect(outcomes).toMatchObject([
      { kind: 'refused', refusal: { code: code('below_min_notional'), httpStatus: 400 } },
      { kind: 'refused', refusal: { code: code('insufficient_balance'), httpStatus: 422 } },
      { kind: 'refused', refusal: { code: code('insufficient_shares'), httpStatus: 422 } },
    ]);
  });

  it('sets are split and merged, market orders sweep, and the book shows what rests', async () => {
    const venue = await openHttp(dialect);
    const change = { eventId: EVENT.id, marketId: undefined, amount: shares(100) };
    expect(await venue.splitSets(change)).toMatchObject({ kind: 'accepted' });
    const sell = order('s', { side: 'SELL', price: ticks(EVENT.grid, 60), quantity: shares(20) });
    await eventually(() => venue.placeOrders([sell]), [{ kind: 'accepted' }]);
    await venue.placeOrders([order('b')]);
    await eventually(() => venue.readBook(YES), {
      kind: 'ok',
      value: {
        bids: [{ price: 29, size: 10_500_000 }],
        asks: [{ price: 60, size: 20_000_000 }],
      },
    });
    const mid = await venue.readMidpoint(YES);
    expect(mid.kind === 'ok' && mid.value.kind === 'mid' && mid.value.mid.toFixed()).toBe('0.445');
    const common = { tokenId: YES, timeInForce: 'FAK', maxSlippageBps: undefined } as const;
    const taker = otherAccount();
    const bought = await taker.placeMarketOrder({ ...common, side: 'BUY', maxSpend: usdc('6') });
    expect(bought).toMatchObject({ kind: 'accepted' });
    expect(bought.kind === 'accepted' && bought.plan?.limitPrice?.toFixed()).toBe('0.6');
    await taker.stop();
    expect(await venue.mergeSets({ ...change, amount: shares(1) })).toMatchObject({
      kind: 'accepted',
    });
    expect((await venue.redeem(MARKET.id)).kind).toBe('refused');
  });

  it('the socket tells of books, trades and our own orders', async () => {
    const venue = await startPaper(dialect);
    const messages: VenueMessage[] = [];
    port = createVenue({
      ...accessTo(venue),
      wsUrl: venue.wsUrl,
      wantedEvents: [PLAN.slug],
      random: () => 0.5,
    });
    port.start((message) => messages.push(message));
    const has = (kind: VenueMessage['kind']) => messages.some((message) => message.kind === kind);
    await until('a session', () => has('authenticated') && has('catalogue'));
    port.send({ kind: 'subscribe', tokenIds: [YES, MARKET.no.tokenId], depth: 50 });
    await until('a snapshot', () => has('bookSnapshot'));
    port.send({ kind: 'placeOrders', requestId: requestId(1), orders: [order('a')] });
    await until('an answer', () => has('placed'));
    await until('the order in the book', () => has('bookDelta'));
    await until('the order on the user channel', () => has('orderUpdate'));
    venue.desk.fund('taker', usdc(1_000));
    venue.desk.mintSets('taker', MARKET.id, shares(100));
    venue.desk.place('taker', {
      tokenId: YES,
      side: 'SELL',
      price: ticksWithin(EVENT.grid, 29) ?? ticks(EVENT.grid, 29),
      quantity: shares(4),
      timeInForce: 'FAK',
    });
    await until('a settlement', () => has('tradeSettled'));
    await until('a trade', () => has('trade'));
    venue.desk.setTradingStatus(MARKET.id, 'paused');
    await until('the pause', () => has('marketStatus'));
    expect(messages).toContainEqual(expect.objectContaining({ status: 'paused' }));
    expect(messages.filter(({ kind }) => kind === 'unrecognised')).toEqual([]);
    expect(messages.filter(({ kind }) => kind === 'bookUnreadable')).toEqual([]);
    const settled = messages.find(({ kind }) => kind === 'tradeSettled');
    expect(settled).toMatchObject({ side: 'BUY', quantity: 4_000_000 });
  });
});

describe('against a venue whose credentials are regenerated', () => {
  it('the session and the requests resync with what the source holds now', async () => {
    const venue = await startPaper(CURRENT_DIALECT);
    const messages: VenueMessage[] = [];
    let current = secretsOf(venue.account);
    let fresh = current;
    port = createVenue({
      ...accessTo(venue),
      credentials: {
        current: () => current,
        reload: () => {
          current = fresh;
          return Promise.resolve(true);
        },
      },
      wsUrl: venue.wsUrl,
      wantedEvents: [PLAN.slug],
      random: () => 0,
      socket: { reconnectMsMin: 20 },
    });
    port.start((message) => messages.push(message));
    const count = (kind: VenueMessage['kind']) =>
      messages.filter((message) => message.kind === kind).length;
    await until('a session', () => count('authenticated') === 1);
    fresh = secretsOf(venue.regenerate('maker'));
    port.send({ kind: 'readOpenOrders', requestId: requestId(1) });
    await until('a new session', () => count('authenticated') >= 2);
    await until('an answer', () => count('openOrders') === 1);
    expect(messages).toContainEqual(
      expect.objectContaining({ kind: 'openOrders', outcome: { kind: 'ok', value: [] } }),
    );
  });
});

/** The event as this venue names it: the case of outcome names is nothing to rely on. */
function inDialect({ outcomeNames }: Dialect): unknown {
  const named = (name: string) => (outcomeNames === 'upper' ? name.toUpperCase() : name);
  const markets = EVENT.markets.map((market) => ({
    ...market,
    yes: { ...market.yes, name: named(market.yes.name) },
    no: { ...market.no, name: named(market.no.name) },
  }));
  return { ...EVENT, markets };
}

/** The venue works on its own time: asks again until the answer is as expected, or a second over. */
async function eventually(ask: () => Promise<unknown>, expected: object): Promise<void> {
  await vi.waitFor(async () => expect(await ask()).toMatchObject(expected), {
    timeout: 2_000,
    interval: 20,
  });
}

function otherAccount(): VenueHttp {
  if (!paper) throw new Error('no venue is running');
  return createVenueHttp({
    ...accessTo(paper),
    tokens: tokenLookup([EVENT]),
    credentials: fixedCredentials(secretsOf(paper.openAccount('taker', 1_000))),
  });
}
