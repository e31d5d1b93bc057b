// Orders of our own at the far end of the book, where nobody trades with them, and their cancels.
// @spec Endpoints › Orders (all Auth)

import { holds, payload, refusal, seen } from '../../../src/cli/doctor/card.ts';
import { ordersOf } from '../../../src/cli/doctor/cards-account.ts';
import { CANCEL_RESULT, isOrder } from '../../../src/cli/doctor/records.ts';
import { at, hasFields, listOf, textAt } from '../../../src/cli/doctor/shape.ts';
import { type Bench, destructive } from '../bench/bench.ts';

const MINUTE_MS = 60_000;
const SHARES_MAX = 900_000;

/** A bid at the lowest price, worth just over one dollar. */
function farBid(bench: Bench, change: Readonly<Record<string, unknown>> = {}) {
  const price = Number(bench.target.tickSize);
  return {
    tokenId: bench.target.yes,
    side: 'BUY',
    price,
    quantity: Math.round(1.1 / price),
    ...change,
  };
}

async function placed(bench: Bench, change: Readonly<Record<string, unknown>> = {}) {
  const order = payload(await bench.rest.post('/orders', farBid(bench, change)), 'POST /orders');
  return { order, orderHash: textAt(order, 'orderHash') };
}

async function openHashes(bench: Bench, query = ''): Promise<readonly string[]> {
  const data = payload(await bench.rest.signedGet(`/orders${query}`), 'GET /orders');
  return ordersOf(data).map((order) => textAt(order, 'orderHash'));
}

/** A page of the older generation and a lag of the list are both waited out. */
async function untilOpen(bench: Bench, orderHash: string, isOpen: boolean): Promise<void> {
  for (let looks = 0; looks < 100; looks += 1) {
    if ((await openHashes(bench)).includes(orderHash) === isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  holds(false, `${orderHash} ${isOpen ? 'never came into' : 'never left'} the list`);
}

/** Every card ends with nothing resting. */
async function cancelAll(bench: Bench): Promise<void> {
  payload(await bench.rest.delete('/orders'), 'DELETE /orders');
}

export const ORDER_CARDS = destructive(
  {
    id: 'C-060',
    title:
      'a placement is acknowledged as OPEN with nothing filled, and rests until it is cancelled',
    spec: 'POST /orders',
    covers: [
      'endpoint POST /orders',
      'endpoint DELETE /orders/:orderHash',
      ...['tokenId', 'side', 'price', 'quantity'].map((name) => `field POST /orders.${name}`),
      'text POST /orders 1',
      'text Order 1',
      'state Order status values: (none) by POST /orders or POST /orders/market',
      'rule Signature 2',
    ],
    run: async (bench) => {
      const { order, orderHash } = await placed(bench);
      isOrder(order, 'order');
      holds(textAt(order, 'status') === 'OPEN', 'the acknowledgement says OPEN');
      holds(Number(at(order, 'filledQuantity')) === 0, 'nothing is filled');
      holds(Number(at(order, 'holdQuantity')) === 0, 'nothing is on hold');
      const { price, quantity } = farBid(bench);
      holds(Number(at(order, 'price')) === price, 'the price is ours');
      holds(Number(at(order, 'quantity')) === quantity, 'the quantity is ours');
      await untilOpen(bench, orderHash, true);
      payload(await bench.rest.delete(`/orders/${orderHash}`), 'DELETE /orders/:orderHash');
      await untilOpen(bench, orderHash, false);
      return undefined;
    },
  },
  {
    id: 'C-061',
    title: 'each broken rule of a limit order has its code, and nothing is placed',
    spec: 'POST /orders',
    covers: [
      ...[1, 2, 3, 4].map((rule) => `rule POST /orders ${rule}`),
      ...['tick_size_violation', 'price_out_of_range', 'invalid_price'].map(
        (code) => `code ${code}`,
      ),
      ...['below_min_notional', 'invalid_quantity', 'token_not_found'].map(
        (code) => `code ${code}`,
      ),
      'limit Minimum order value',
      'fact Minimum order value',
      'fact Price range',
    ],
    run: async (bench) => {
      const tick = Number(bench.target.tickSize);
      const wrong: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
        [{ price: tick * 1.5 }, 'tick_size_violation'],
        [{ price: 0 }, 'price_out_of_range'],
        [{ price: 1 }, 'price_out_of_range'],
        [{ price: 0.00005 }, 'price_out_of_range'],
        [{ price: 0.99995 }, 'price_out_of_range'],
        [{ price: 'cheap' }, 'invalid_price'],
        [{ quantity: Math.round(0.9 / tick) }, 'below_min_notional'],
        [{ quantity: 0 }, 'invalid_quantity'],
        [{ quantity: -5 }, 'invalid_quantity'],
        [{ quantity: 200.123456789 }, 'invalid_quantity'],
        [{ tokenId: `0x${'f'.repeat(64)}` }, 'token_not_found'],
        [{ tokenId: bench.target.yesOutcomeId }, 'token_not_found'],
      ];
      for (const [change, code] of wrong) {
        const answer = await bench.rest.post('/orders', farBid(bench, change));
        refusal(answer, code);
        const status = code === 'token_not_found' ? [404, 409] : [400];
        holds(status.includes(answer.status), `${status.join(' or ')} expected, ${seen(answer)}`);
      }
      holds((await openHashes(bench)).length === 0, 'nothing rests');
      return undefined;
    },
  },
  {
    id: 'C-062',
    title: 'a body that is no order is refused as malformed, incomplete or unusable',
    spec: 'Errors',
    covers: ['code invalid_request', 'code missing_parameter', 'code invalid_parameter'],
    run: async (bench) => {
      const broken = await bench.rest.ask('POST', '/orders', { rawBody: '{"tokenId":' });
      refusal(broken, 'invalid_request');
      for (const field of ['tokenId', 'side', 'price', 'quantity']) {
        const answer = await bench.rest.post('/orders', farBid(bench, { [field]: undefined }));
        refusal(answer, 'missing_parameter', 'invalid_parameter', 'invalid_request');
      }
      const wrong = [
        { side: 'HOLD' },
        { orderType: 'IOC' },
        { orderType: 'GTD', expiredAt: 'soon' },
      ];
      for (const change of wrong) {
        const answer = await bench.rest.post('/orders', farBid(bench, change));
        refusal(answer, 'invalid_parameter', 'invalid_request');
      }
      return undefined;
    },
  },
  {
    id: 'C-063',
    title: 'an order beyond the cash or the settled shares is refused',
    spec: 'Errors',
    covers: ['rule POST /orders 5', 'code insufficient_balance', 'code insufficient_shares'],
    run: async (bench) => {
      const balances = payload(await bench.rest.signedGet('/portfolio/balances'), 'balances');
      const available = Number(at(balances, 'availableBalance'));
      // Low enough that even a venue which takes it by mistake leaves it resting, and few enough
      // shares that no other limit speaks first.
      const tick = Number(bench.target.tickSize);
      const ticks = Math.ceil((available + 10) / SHARES_MAX / tick);
      const price = Number((ticks * tick).toFixed(3));
      const quantity = Math.ceil((available + 10) / price);
      const rich = await bench.rest.post('/orders', farBid(bench, { price, quantity }));
      refusal(rich, 'insufficient_balance');
      const high = Number((1 - tick).toFixed(3));
      const sell = farBid(bench, { side: 'SELL', price: high, quantity: SHARES_MAX });
      const empty = await bench.rest.post('/orders', sell);
      refusal(empty, 'insufficient_shares');
      holds(rich.status === 422 && empty.status === 422, `422 expected, ${seen(rich)}`);
      return undefined;
    },
  },
  {
    id: 'C-064',
    title:
      'a GTD order needs a date at least a minute ahead; GTC is the default, FOK and FAK do not rest',
    spec: 'POST /orders',
    covers: [
      'field POST /orders.orderType',
      'field POST /orders.expiredAt',
      'field Order.timeInForce',
      'field Order.expiredAt',
      'limit GTD expiry',
    ],
    run: async (bench) => {
      const gtd = (aheadMs: number) =>
        farBid(bench, {
          orderType: 'GTD',
          expiredAt: new Date(bench.nowMs() + aheadMs).toISOString(),
        });
      const early = await bench.rest.post('/orders', gtd(MINUTE_MS / 2));
      refusal(early, 'invalid_parameter', 'invalid_request');
      const dateless = await bench.rest.post('/orders', farBid(bench, { orderType: 'GTD' }));
      refusal(dateless, 'missing_parameter', 'invalid_parameter');
      const order = payload(await bench.rest.post('/orders', gtd(10 * MINUTE_MS)), 'GTD');
      isOrder(order, 'GTD');
      const expiredAtMs = Date.parse(textAt(order, 'expiredAt'));
      holds(Math.abs(expiredAtMs - bench.nowMs() - 10 * MINUTE_MS) < MINUTE_MS, 'our date');
      const { order: plain } = await placed(bench);
      const type = at(plain, 'timeInForce') ?? at(plain, 'orderType');
      holds(type === 'GTC', 'GTC without an orderType');
      for (const orderType of ['FOK', 'FAK']) {
        // It is acknowledged like any other and ends at once, since nobody sells down here.
        const { orderHash } = await placed(bench, { orderType });
        await untilOpen(bench, orderHash, false);
      }
      await cancelAll(bench);
      return undefined;
    },
  },
  {
    id: 'C-065',
    title: 'the items of a batch stand alone, in the order of the request, refused ones in prose',
    spec: 'POST /orders/batch',
    covers: [
      'endpoint POST /orders/batch',
      'text POST /orders/batch 1',
      'bullet Batch and cancel results 1',
      'rule Errors 2',
      'limit Orders per batch placement',
    ],
    run: async (bench) => {
      const good = farBid(bench);
      const orders = [good, farBid(bench, { price: 2 }), good];
      const data = payload(await bench.rest.post('/orders/batch', { orders }), 'batch');
      const items = listOf(data, 'batch');
      holds(items.map((item) => at(item, 'index')).join() === '0,1,2', 'indexes 0, 1, 2');
      holds(
        items.map((item) => at(item, 'success')).join() === 'true,false,true',
        'only one fails',
      );
      holds(typeof at(items[1], 'error') === 'string', 'a failure is told in words');
      for (const item of [items[0], items[2]]) {
        await untilOpen(bench, textAt(item, 'order', 'orderHash'), true);
      }
      const sixteen = Array.from({ length: 16 }, () => good);
      const large = await bench.rest.post('/orders/batch', { orders: sixteen });
      refusal(large, 'invalid_request', 'invalid_parameter');
      const none = await bench.rest.post('/orders/batch', { orders: [] });
      refusal(none, 'invalid_request', 'invalid_parameter');
      await cancelAll(bench);
      return undefined;
    },
  },
  {
    id: 'C-066',
    title: 'a batch cancel counts what it cancelled and what it could not',
    spec: 'Cancelling',
    covers: [
      'endpoint POST /orders/batch-cancel',
      'bullet Batch and cancel results 2',
      'text Cancelling 1',
      'limit Hashes per batch cancel',
    ],
    run: async (bench) => {
      const { orderHash } = await placed(bench);
      await untilOpen(bench, orderHash, true);
      const orderHashes = [orderHash, `0x${'e'.repeat(64)}`];
      const answer = await bench.rest.post('/orders/batch-cancel', { orderHashes });
      const data = payload(answer, 'batch-cancel');
      hasFields(data, CANCEL_RESULT, 'cancel');
      holds(at(data, 'cancelled') === 1 && at(data, 'failed') === 1, 'one of two');
      await untilOpen(bench, orderHash, false);
      const many = Array.from({ length: 101 }, () => orderHash);
      const large = await bench.rest.post('/orders/batch-cancel', { orderHashes: many });
      refusal(large, 'invalid_request', 'invalid_parameter');
      return undefined;
    },
  },
  {
    id: 'C-067',
    title: 'the kill switch cancels a token, a market or everything',
    spec: 'Cancelling',
    covers: ['endpoint DELETE /orders', 'text What the service does 4'],
    run: async (bench) => {
      const { yes, no, marketId } = bench.target;
      const { orderHash: onYes } = await placed(bench);
      const { orderHash: onNo } = await placed(bench, { tokenId: no });
      await untilOpen(bench, onYes, true);
      await untilOpen(bench, onNo, true);
      const ofToken = payload(await bench.rest.delete(`/orders?tokenId=${yes}`), 'of a token');
      hasFields(ofToken, CANCEL_RESULT, 'cancel');
      holds(at(ofToken, 'cancelled') === 1, 'one of the token');
      await untilOpen(bench, onYes, false);
      const narrowed = await openHashes(bench, `?marketId=${marketId}`);
      holds(narrowed.includes(onNo), 'the other is still there, in its market');
      const path = `/orders?marketId=${marketId}`;
      const ofMarket = payload(await bench.rest.delete(path), 'of a market');
      holds(at(ofMarket, 'cancelled') === 1, 'one of the market');
      await placed(bench);
      await cancelAll(bench);
      holds((await openHashes(bench)).length === 0, 'nothing is left');
      return undefined;
    },
  },
  {
    id: 'C-068',
    title: 'only open orders can be cancelled: an unknown or ended one says so',
    spec: 'Order status values',
    covers: ['rule Order status values 1', 'code order_not_found', 'code order_not_cancellable'],
    run: async (bench) => {
      const unknown = await bench.rest.delete(`/orders/0x${'e'.repeat(64)}`);
      refusal(unknown, 'order_not_found');
      const { orderHash } = await placed(bench);
      payload(await bench.rest.delete(`/orders/${orderHash}`), 'the first cancel');
      const again = await bench.rest.delete(`/orders/${orderHash}`);
      refusal(again, 'order_not_cancellable', 'order_not_found');
      holds([404, 409].includes(again.status), `404 or 409 expected, ${seen(again)}`);
      return String(again.code);
    },
  },
  {
    id: 'C-069',
    title: 'the user channel tells a placement and its cancel, without a subscription',
    spec: 'User channel',
    covers: ['frame order.update', 'text User channel 1'],
    run: async (bench) => {
      const socket = await bench.openSocket();
      try {
        await socket.authenticate(bench.keys);
        const { orderHash } = await placed(bench);
        const says = (status: string) => (frame: object) =>
          at(frame, 'data', 'orderHash') === orderHash && at(frame, 'data', 'status') === status;
        const { data } = await socket.next('order.update', says('OPEN'));
        for (const name of ['id', 'tokenId', 'filledQuantity', 'remaining', 'price', 'side']) {
          holds(at(data, name) !== undefined, `order.update has ${name}`);
        }
        holds(at(data, 'marketId') === bench.target.marketId, 'order.update has our marketId');
        payload(await bench.rest.delete(`/orders/${orderHash}`), 'cancel');
        await socket.next('order.update', says('CANCELLED'));
      } finally {
        socket.close();
      }
      return undefined;
    },
  },
  {
    id: 'C-070',
    title: 'a market order has exactly one size, the one of its side, in up to six decimals',
    spec: 'POST /orders/market',
    covers: [
      'text POST /orders/market 1',
      ...['tokenId', 'side', 'maxSpend', 'quantity', 'timeInForce'].map(
        (name) => `field POST /orders/market.${name}`,
      ),
      'limit Decimal places, market order sizes',
      'bullet Versioning 4',
    ],
    run: async (bench) => {
      const { yes } = bench.target;
      const wrong = [
        { side: 'BUY', maxSpend: '5', quantity: '5' },
        { side: 'BUY', quantity: '5' },
        { side: 'SELL', maxSpend: '5' },
        { side: 'BUY' },
        { side: 'BUY', maxSpend: '5.1234567' },
        { side: 'SELL', quantity: '5.1234567' },
        { side: 'BUY', maxSpend: '0' },
        { side: 'BUY', maxSpend: '5', timeInForce: 'GTC' },
        { maxSpend: '5' },
      ];
      for (const body of wrong) {
        const answer = await bench.rest.post('/orders/market', { tokenId: yes, ...body });
        const codes = ['invalid_parameter', 'missing_parameter', 'invalid_quantity'];
        refusal(answer, ...codes, 'invalid_request');
      }
      holds((await openHashes(bench)).length === 0, 'nothing was placed');
      return undefined;
    },
  },
  {
    id: 'C-071',
    title: 'what an order holds is taken off the available balance and given back by its cancel',
    spec: 'Balances',
    covers: ['field Balances.availableBalance', 'field Balances.usdcOnHold'],
    run: async (bench) => {
      const available = async () => {
        const data = payload(await bench.rest.signedGet('/portfolio/balances'), 'balances');
        return { free: Number(at(data, 'availableBalance')), held: Number(at(data, 'usdcOnHold')) };
      };
      const before = await available();
      await placed(bench);
      const during = await available();
      const near = (one: number, other: number) => Math.abs(one - other) < 0.01;
      holds(near(before.free - during.free, 1.1), 'about 1.10 USDC are no longer available');
      holds(near(during.held - before.held, 1.1), 'they are on hold');
      await cancelAll(bench);
      const after = await available();
      holds(near(after.free, before.free), 'the cancel gives them back');
      return undefined;
    },
  },
);
