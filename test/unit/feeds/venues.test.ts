import { lookup } from 'node:dns';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import type { FeedChoice, VenueMids } from '../../../src/domain/feed.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { FairFeeds } from '../../../src/feeds/feeds.ts';
import type { FairUpdate } from '../../../src/feeds/update.ts';
import { venueReader } from '../../../src/feeds/venues/mids.ts';
import {
  BETFAIR_KEYS,
  betfair,
  betfairRunner,
  kalshi,
  kalshiMarket,
  polymarket,
} from '../../support/outside-venues.ts';
import { eventually } from '../../support/processes.ts';

const clock = systemClock();
let update: FairUpdate[];
let feeds: FairFeeds;
/** Added to the clock, so that half an hour passes at once. */
let aheadMs: number;
const closers: (() => Promise<void>)[] = [];

beforeEach(() => {
  update = [];
  aheadMs = 0;
  feeds = new FairFeeds({
    clock: { nowMs: () => unixMs(clock.nowMs() + aheadMs) },
    timers: clock,
    fromTimeOfDay: clock.fromTimeOfDay,
    random: () => 0,
    lookup,
    onUpdate: (each) => update.push(each),
    onState: () => undefined,
  });
});

afterEach(async () => {
  feeds.stop();
  for (const close of closers.splice(0)) await close();
});

function choice(
  from: string,
  venue: Pick<VenueMids, 'name' | 'outcomes'> & Partial<VenueMids>,
  own: Partial<FeedChoice> = {},
): FeedChoice {
  return {
    name: 'outside',
    target: { kind: 'event', event: 'match', market: undefined },
    from,
    fields: { price: '/price', uncertainty: undefined, time: undefined },
    ...{ only: undefined, subscribe: undefined, auth: undefined },
    pollMs: 100,
    timeoutMs: 1_000,
    ageMsMax: 1_500,
    jumpMax: 0.5,
    jumpReadings: 3,
    venue: { market: undefined, spreadMax: 0.1, appKey: undefined, keepAlive: undefined, ...venue },
    ...own,
  };
}

const prices = () => update.flatMap((each) => (each.kind === 'price' ? [each.price] : []));
const view = () => feeds.views()[0];
const untilPrice = async (price: number) =>
  await eventually(`the price ${price}`, () =>
    Math.abs((prices().at(-1) ?? 0) - price) < 1e-9 && view()?.state === 'ok' ? true : undefined,
  );
const untilState = async (state: string) =>
  await eventually(`the state ${state}`, () => (view()?.state === state ? true : undefined));

const HOME = '71321045679252212594626385532706912750332728571942532289631379312455583992563';
const DRAW = '52114319501245915516055106046884209969926127482827954674443846427813813222426';

describe('prices of Polymarket', () => {
  const books = () =>
    new Map([
      [HOME, { bid: '0.44', ask: '0.46' }],
      [DRAW, { bid: '.24', ask: '.28' }],
    ]);

  it('are the middle of what is asked, sooner by what is told, and of several outcomes the sum', async () => {
    const venue = await polymarket(books());
    closers.push(venue.close);
    const own = { stream: venue.stream, pollMs: 300 };
    feeds.apply([choice(venue.from, { name: 'polymarket', outcomes: [HOME, DRAW] }, own)]);
    await untilPrice(0.71);
    expect(view()?.basis).toBe('713210…2563 0.440/0.460, 521143…2426 0.240/0.280');
    await eventually('the subscription', () => venue.heard[0]);
    expect(JSON.parse(venue.heard[0] ?? '')).toMatchObject({
      type: 'market',
      assets_ids: [HOME, DRAW],
    });
    venue.tell(HOME, { bid: '0.48', ask: '0.50' });
    await untilPrice(0.75);
    venue.say('PONG');
    venue.say({ event_type: 'last_trade_price', asset_id: HOME, price: '0.9', size: '1' });
    venue.tell('123', { bid: '0.01', ask: '0.02' });
    venue.books.set(HOME, { bid: '0.50', ask: '0.52' });
    await untilPrice(0.77);
    expect(new Set(prices())).toEqual(
      new Set([0.71, 0.75, 0.77].map((each) => expect.closeTo(each))),
    );
  });

  it('go on by what is asked where the socket is open and says nothing, and where it is cut', async () => {
    const venue = await polymarket(books());
    closers.push(venue.close);
    const own = { stream: venue.stream };
    feeds.apply([choice(venue.from, { name: 'polymarket', outcomes: [HOME] }, own)]);
    await untilPrice(0.45);
    venue.books.set(HOME, { bid: '0.54', ask: '0.56' });
    await untilPrice(0.55);
    venue.cut();
    await eventually('the lost socket', () =>
      (view()?.counts.failures ?? 0) > 0 ? true : undefined,
    );
    expect(view()?.state).toBe('ok');
    venue.books.set(HOME, { bid: '0.60', ask: '0.62' });
    await untilPrice(0.61);
    await eventually('a new socket', () => (venue.heard.length > 1 ? true : undefined));
  });

  it('are as old as the oldest outcome, where only some of them are told and none is answered', async () => {
    const venue = await polymarket(books());
    closers.push(venue.close);
    const own = { stream: venue.stream, ageMsMax: 600 };
    feeds.apply([choice(venue.from, { name: 'polymarket', outcomes: [HOME, DRAW] }, own)]);
    await untilPrice(0.71);
    await eventually('the subscription', () => venue.heard[0]);
    venue.isDown = true;
    await untilState('down');
    const downAtMs = clock.nowMs();
    // DRAW moves as well, and nobody tells.
    for (let told = 0; told < 10; told += 1) {
      venue.tell(HOME, { bid: '0.48', ask: told % 2 === 0 ? '0.50' : '0.51' });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const statedAtMs = update.flatMap((each) => (each.kind === 'price' ? [each.statedAtMs] : []));
    expect(Math.max(...statedAtMs)).toBeLessThanOrEqual(downAtMs);
    expect(view()?.ageMs).toBeGreaterThan(600);
    venue.isDown = false;
    venue.books.set(HOME, { bid: '0.48', ask: '0.50' });
    venue.books.set(DRAW, { bid: '.10', ask: '.14' });
    await untilPrice(0.61);
  });

  it('are by what was told while an answer was in flight', () => {
    const venue = { name: 'polymarket', outcomes: [HOME, DRAW] } as const;
    const reader = venueReader({
      ...venue,
      ...{ market: undefined, spreadMax: 0.1, appKey: undefined, keepAlive: undefined },
    });
    const book = (asset: string, bid: number, ask: number) => ({
      asset_id: asset,
      bids: [{ price: String(bid), size: '5' }],
      asks: [{ price: String(ask), size: '5' }],
    });
    const read = (message: unknown, usualAtMs: number, isStream = false) =>
      reader.read({
        text: JSON.stringify(message),
        isStream,
        usualAtMs: unixMs(usualAtMs),
        nowMs: unixMs(usualAtMs),
      });
    const asked = [book(HOME, 0.44, 0.46), book(DRAW, 0.24, 0.28)];
    expect(read(asked, 1_000)).toMatchObject({ price: expect.closeTo(0.71), heardAtMs: 1_000 });
    const told = { event_type: 'book', ...book(HOME, 0.14, 0.16) };
    expect(read(told, 2_500, true)).toMatchObject({
      price: expect.closeTo(0.41),
      heardAtMs: 1_000,
    });
    expect(read(asked, 2_000)).toMatchObject({ price: expect.closeTo(0.41), heardAtMs: 2_000 });
    expect(read(asked, 3_000)).toMatchObject({ price: expect.closeTo(0.71), heardAtMs: 3_000 });
  });

  it('are withdrawn where a book is gone, one-sided, wide or resolved', async () => {
    const venue = await polymarket(books());
    closers.push(venue.close);
    const own = { stream: venue.stream, isInverted: true };
    feeds.apply([choice(venue.from, { name: 'polymarket', outcomes: [HOME] }, own)]);
    await untilPrice(0.55);
    const refusedFor = async (touch: { bid: string; ask: string } | undefined, why: string) => {
      if (touch === undefined) venue.books.delete(HOME);
      else venue.books.set(HOME, touch);
      await eventually(why, () => (view()?.detail.includes(why) ? true : undefined));
      expect(view()?.state).toBe('refused');
      venue.books.set(HOME, { bid: '0.44', ask: '0.46' });
      await untilPrice(0.55);
    };
    await refusedFor(undefined, 'outcome 713210…2563 is not in the answer');
    await refusedFor({ bid: '0.10', ask: '0.46' }, 'at 0.100 / 0.460; right would be a spread of');
    await refusedFor({ bid: '0', ask: '0.46' }, 'at 0.010 / 0.460');
    venue.tell(HOME, { bid: '0.44', ask: '1' });
    await eventually('the refusal', () => (view()?.counts.refused ?? 0) >= 3 || undefined);
    await untilPrice(0.55);
    expect(update.some((each) => each.kind === 'fault' && each.isWithdrawn)).toBe(true);
  });
});

describe('prices of Kalshi', () => {
  it('are the middle of bid and ask in dollars, while a market is active', async () => {
    const venue = await kalshi(
      new Map([
        ['KXHIGHNY-24JAN01-T60', kalshiMarket('0.4200', '0.4400')],
        ['KXHIGHNY-24JAN01-B59.5', kalshiMarket('0.1000', '0.1400')],
      ]),
    );
    closers.push(venue.close);
    const outcomes = ['KXHIGHNY-24JAN01-T60', 'KXHIGHNY-24JAN01-B59.5'];
    feeds.apply([choice(venue.from, { name: 'kalshi', outcomes })]);
    await untilPrice(0.55);
    expect(venue.asked[0]).toBe(
      '/trade-api/v2/markets?limit=2&tickers=KXHIGHNY-24JAN01-T60,KXHIGHNY-24JAN01-B59.5',
    );
    venue.markets.set('KXHIGHNY-24JAN01-T60', kalshiMarket('0.42', '0.44', 'closed'));
    await untilState('refused');
    expect(view()?.detail).toBe(
      'outcome KXHIGHNY-24JAN01-T60 is of status "closed"; right would be traded',
    );
    venue.markets.set('KXHIGHNY-24JAN01-T60', kalshiMarket('0.0000', '0.4400'));
    await eventually('one side', () =>
      view()?.detail.includes('without a bid') ? true : undefined,
    );
    venue.markets.set('KXHIGHNY-24JAN01-T60', kalshiMarket('0.50', '0.52'));
    await untilPrice(0.63);
  });
});

describe('prices of Betfair', () => {
  const secrets = () => ({
    ...{ appKey: new Secret(BETFAIR_KEYS.appKey) },
    auth: { header: 'x-authentication', secret: new Secret(BETFAIR_KEYS.session) },
  });

  it('are the middle of one over the best odds, while the market is open and its data live', async () => {
    const venue = await betfair([betfairRunner(47_972, 2, 2.02), betfairRunner(58_805, 3.9, 4)]);
    closers.push(venue.close);
    const { appKey, auth } = secrets();
    const mids = { name: 'betfair', market: '1.2345', appKey, keepAlive: venue.keepAlive } as const;
    feeds.apply([choice(venue.from, { ...mids, outcomes: ['47972', '58805'] }, { auth })]);
    await untilPrice((1 / 2 + 1 / 2.02) / 2 + (1 / 3.9 + 1 / 4) / 2);
    venue.book = { ...venue.book, status: 'SUSPENDED' };
    await untilState('refused');
    expect(view()?.detail).toBe('market 1.2345 is of status "SUSPENDED"; right would be OPEN');
    venue.book = { ...venue.book, status: 'OPEN', isMarketDataDelayed: true };
    await eventually('delayed data', () => (view()?.detail.includes('delayed') ? true : undefined));
    venue.book = { ...venue.book, isMarketDataDelayed: false };
    await untilState('ok');
  });

  it('keep their session alive, and say with which fault it has ended', async () => {
    const venue = await betfair([betfairRunner(47_972, 2, 2.02)]);
    closers.push(venue.close);
    const { appKey, auth } = secrets();
    const mids = { name: 'betfair', market: '1.2345', appKey, keepAlive: venue.keepAlive } as const;
    feeds.apply([choice(venue.from, { ...mids, outcomes: ['47972'] }, { auth })]);
    await untilState('ok');
    expect(venue.kept).toBe(0);
    aheadMs += 1_800_000;
    await eventually('the session is kept', () => (venue.kept === 1 ? true : undefined));
    venue.isSessionOver = true;
    await untilState('down');
    expect(view()?.detail).toContain('answers 400');
    expect(view()?.detail).toContain('ANGX-0003');
    expect(JSON.stringify(feeds.views())).not.toContain(BETFAIR_KEYS.session);
  });
});
