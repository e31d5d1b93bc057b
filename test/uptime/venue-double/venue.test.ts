import { afterEach, describe, expect, it, vi } from 'vitest';
import { BOT, type Exchange } from './exchange.ts';
import type { DoubleOptions, Switches } from './options.ts';
import { MICRO } from './terms.ts';
import { VenueDouble } from './venue.ts';

const QUICK: Partial<DoubleOptions> = {
  settleMs: [150, 150],
  indexLagMs: [1_000, 1_000],
  markets: 1,
};
const WAIT_MS_MAX = 10_000;
const venues: VenueDouble[] = [];

afterEach(async () => {
  await Promise.all(venues.splice(0).map(async (venue) => await venue.stop()));
});

async function started(switches: Partial<Switches> = {}): Promise<VenueDouble> {
  const venue = await VenueDouble.start(QUICK, switches);
  venues.push(venue);
  return venue;
}

async function ask(venue: VenueDouble, method: string, path: string, body?: object) {
  const response = await fetch(`${venue.baseUrl}${path}`, {
    method,
    headers: {
      'service-api-key': venue.credentials.apiKey,
      'service-timestamp': String(Math.floor(venue.exchange.nowMs() / 1_000)),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: { data?: unknown; code?: string } = JSON.parse(await response.text());
  return { status: response.status, ...answer };
}

function yesOf({ exchange }: VenueDouble): string {
  return exchange.markets[0]?.tokens[1] ?? '';
}

async function bid(venue: VenueDouble, price = 0.4): Promise<void> {
  const order = { tokenId: yesOf(venue), side: 'BUY', price, quantity: 20 };
  expect(await ask(venue, 'POST', '/orders', order)).toMatchObject({ status: 200 });
  await passed(10);
}

/** Somebody sells into the bid. */
function sell(venue: VenueDouble, shares: number): void {
  venue.exchange.place('takers', {
    ...{ tokenId: yesOf(venue), side: 'SELL', priceTicks: 40 },
    ...{ quantity: shares * MICRO, isFak: true },
  });
}

function onlyOrder(exchange: Exchange) {
  const [order] = exchange.account(BOT).orders.values();
  if (order === undefined) throw new Error('an order was placed');
  return order;
}

async function passed(ms: number): Promise<void> {
  await new Promise((done) => setTimeout(done, ms));
}

describe('the venue double', () => {
  it('shows a fill as held, then settled, and its shares later still', async () => {
    const venue = await started();
    await bid(venue);
    sell(venue, 5);
    const held = { filledQuantity: '0', holdQuantity: '5', status: 'PARTIALLY_FILLED' };
    expect((await ask(venue, 'GET', '/orders')).data).toMatchObject([held]);
    await passed(250);
    const settled = { filledQuantity: '5', holdQuantity: '0', status: 'PARTIALLY_FILLED' };
    expect((await ask(venue, 'GET', '/orders')).data).toMatchObject([settled]);
    const early = await ask(venue, 'GET', '/portfolio/balances');
    expect(early.data).toMatchObject({ cashBalance: '99998', usdcOnHold: '6', positions: [] });
    await vi.waitFor(async () => {
      const late = await ask(venue, 'GET', '/portfolio/balances');
      expect(late.data).toMatchObject({ positions: [{ shareAmount: '5' }] });
    }, WAIT_MS_MAX);
  });

  it('matches a bid for NO with a bid for YES that pay one together', async () => {
    const venue = await started();
    await bid(venue);
    const no = venue.exchange.markets[0]?.tokens[0] ?? '';
    const quantity = 20 * MICRO;
    venue.exchange.place('others', { tokenId: no, side: 'BUY', priceTicks: 60, quantity });
    expect(onlyOrder(venue.exchange).held).toBe(quantity);
  });

  it('cancels a partial fill, or refuses to where a scene reads the rule literally', async () => {
    const venue = await started({ partialsCancellable: false });
    await bid(venue);
    sell(venue, 5);
    const { orderHash } = onlyOrder(venue.exchange);
    const single = await ask(venue, 'DELETE', `/orders/${orderHash}`);
    expect(single).toMatchObject({ status: 409, code: 'order_not_cancellable' });
    const all = await ask(venue, 'DELETE', '/orders');
    expect(all.data).toEqual({ cancelled: 0, failed: 1 });
    venue.switches.partialsCancellable = true;
    const again = await ask(venue, 'POST', '/orders/batch-cancel', { orderHashes: [orderHash] });
    expect(again.data).toEqual({ cancelled: 1, failed: 0 });
  });

  it.each([
    { failedTrade: 'restore', status: 'OPEN' },
    { failedTrade: 'cancel', status: 'CANCELLED' },
  ] as const)('ends a failed trade with $failedTrade: $status', async ({ failedTrade, status }) => {
    const venue = await started({ failedTrade, failNextTrades: 1 });
    await bid(venue);
    sell(venue, 20);
    await passed(250);
    expect(onlyOrder(venue.exchange)).toMatchObject({ status, held: 0, filled: 0 });
    expect(venue.exchange.levels(yesOf(venue), 'bid')).toEqual(
      status === 'OPEN' ? [[40, 20 * MICRO]] : [],
    );
  });

  it('answers service_unavailable, and places one in four all the same', async () => {
    const venue = await started({ isUnavailable: true });
    const order = { tokenId: yesOf(venue), side: 'BUY', price: 0.4, quantity: 20 };
    for (let count = 0; count < 4; count += 1) {
      const answer = await ask(venue, 'POST', '/orders', order);
      expect(answer).toMatchObject({ status: 503, code: 'service_unavailable' });
    }
    expect(venue.exchange.account(BOT).live()).toHaveLength(1);
  });

  it('refuses what is beyond the ceiling of open orders, each item of a batch by itself', async () => {
    const venue = await started({ openOrdersMax: 1 });
    const order = { tokenId: yesOf(venue), side: 'BUY', price: 0.4, quantity: 20 };
    const { data } = await ask(venue, 'POST', '/orders/batch', { orders: [order, order] });
    expect(data).toMatchObject([
      { index: 0, success: true },
      { index: 1, success: false, error: 'Too many open orders for this account' },
    ]);
  });
});
