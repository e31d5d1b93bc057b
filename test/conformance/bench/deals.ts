// Two accounts of any venue that trade with each other, at prices where nobody else is.

import { type Answer, holds, payload } from '../../../src/cli/doctor/card.ts';
import { ordersOf } from '../../../src/cli/doctor/cards-account.ts';
import { at, listOf, textAt } from '../../../src/cli/doctor/shape.ts';
import type { Bench, Trader } from './bench.ts';
import { soon } from './lab.ts';
import type { Frame, RawSocket } from './raw-socket.ts';

/** Settlement takes 15 to 20 seconds, and shares show in positions up to two minutes later. */
export const SETTLED_MS_MAX = 60_000;
export const INDEXED_MS_MAX = 180_000;
/** What one part is worth at least: above the least order value. */
const PART_USDC = 1.3;

export type Deal = {
  readonly price: number;
  /** Shares of one part; the bid is of three. */
  readonly part: number;
  readonly whole: number;
  /** The price so many ticks higher. */
  readonly above: (ticks: number) => number;
};

/**
 * A price of our own amid the spread, with so many free prices from it on: near an end a dollar's worth of one
 * outcome would take thousands of sets.
 * @throws {CardFailure} Where the spread has no room for them.
 */
export async function dealOf(
  { rest, target }: Bench,
  token = target.yes,
  prices = 1,
): Promise<Deal> {
  const book = payload(await rest.get(`/orderbook/${token}`), 'the book');
  const touch = (side: string): number | undefined => {
    const best = listOf(at(book, side), side)[0];
    return best === undefined ? undefined : Number(at(best, 'price'));
  };
  const perUnit = Math.round(1 / Number(target.tickSize));
  const bid = Math.round((touch('bids') ?? 0) * perUnit);
  const ask = Math.round((touch('asks') ?? 1) * perUnit);
  holds(ask - bid > prices, `the spread has room for ${prices} prices between its touches`);
  const first = bid + Math.max(1, Math.floor((ask - bid - prices) / 2));
  const price = first / perUnit;
  const part = Math.ceil(PART_USDC / price);
  return { price, part, whole: 3 * part, above: (ticks) => (first + ticks) / perUnit };
}

/** Shares of a token that are free, as positions show them. */
export async function sharesOf({ rest }: Trader, token: string): Promise<number> {
  const balances = payload(await rest.signedGet('/portfolio/balances'), 'balances');
  const positions = listOf(at(balances, 'positions'), 'positions');
  const position = positions.find((each) => at(each, 'tokenId') === token);
  return Number(at(position, 'shareAmount') ?? 0) - Number(at(position, 'onHoldShareAmount') ?? 0);
}

export async function rests(bench: Bench, { price, whole }: Deal): Promise<string> {
  const order = { tokenId: bench.target.yes, side: 'BUY', price, quantity: whole };
  const orderHash = textAt(payload(await bench.rest.post('/orders', order), 'a bid'), 'orderHash');
  await soon('the bid in the book', async () => {
    const book = payload(await bench.rest.get(`/orderbook/${bench.target.yes}`), 'the book');
    return Number(at(book, 'bids', 0, 'price')) === price;
  });
  return orderHash;
}

/** An older venue says it without a code. */
export function lacksShares({ status, code }: Answer): boolean {
  return code === 'insufficient_shares' || (code === undefined && status === 422);
}

/** The second account sells: at once what somebody bids for, or, by `GTC`, to whoever comes. It splits what it lacks. */
export async function sells(
  bench: Bench,
  price: number,
  quantity: number,
  orderType: 'FAK' | 'GTC' = 'FAK',
): Promise<unknown> {
  const { second, target } = bench;
  const order = { tokenId: target.yes, side: 'SELL', price, quantity, orderType };
  const sell = async () => await second.rest.post('/orders', order);
  let answer = await sell();
  if (!lacksShares(answer)) return payload(answer, 'a sale');
  const { eventId, marketId } = target;
  const body = { eventId, marketId, amount: String(quantity) };
  payload(await second.rest.post('/positions/split', body), 'a split of the second account');
  const isSold = async () => {
    answer = await sell();
    return !lacksShares(answer);
  };
  await soon('the shares of the split', isSold, SETTLED_MS_MAX);
  return payload(answer, 'a sale');
}

/** The second account asks, and its order is in the book. */
export async function asks(bench: Bench, price: number, quantity: number): Promise<string> {
  const orderHash = textAt(await sells(bench, price, quantity, 'GTC'), 'orderHash');
  await soon('the ask in the book', async () => {
    const book = payload(await bench.rest.get(`/orderbook/${bench.target.yes}`), 'the book');
    return listOf(at(book, 'asks'), 'asks').some((level) => Number(at(level, 'price')) === price);
  });
  return orderHash;
}

/** An open order of the first account, or of whom is named. */
export async function listed(bench: Bench, orderHash: string, rest = bench.rest): Promise<unknown> {
  const orders = ordersOf(payload(await rest.signedGet('/orders'), 'GET /orders'));
  return orders.find((order) => at(order, 'orderHash') === orderHash);
}

/** An order that has traded whole leaves the list when it has settled: no cash of it moves later. */
export async function settled(bench: Bench, orderHash: string, rest = bench.rest): Promise<void> {
  const isGone = async () => (await listed(bench, orderHash, rest)) === undefined;
  await soon('the settlement', isGone, SETTLED_MS_MAX);
}

export async function withSocket<Value>(
  bench: Bench,
  run: (socket: RawSocket) => Promise<Value>,
): Promise<Value> {
  const socket = await bench.openSocket();
  try {
    return await run(socket);
  } finally {
    socket.close();
  }
}

export const ofOrder = (orderHash: string, status: string) => (frame: Frame) =>
  at(frame, 'data', 'orderHash') === orderHash && at(frame, 'data', 'status') === status;

export async function reported(
  socket: RawSocket,
  orderHash: string,
  status: string,
): Promise<unknown> {
  const isReported = ofOrder(orderHash, status);
  const found = () => socket.of('order.update').find(isReported);
  await socket.until(`${status} of the order`, () => found() !== undefined, SETTLED_MS_MAX);
  return at(found(), 'data');
}

/** What awaits settlement and what has settled, together: no race between the two moves it. */
export const traded = (order: unknown) =>
  Number(at(order, 'filledQuantity')) + Number(at(order, 'holdQuantity'));
