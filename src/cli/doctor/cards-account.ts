// Cards of an account: signed reads, which change nothing.

import { type HarmlessCard, holds, payload } from './card.ts';
import { isBalances, isOrder } from './records.ts';
import { at, isList, listOf, textAt } from './shape.ts';

type Signed = Omit<HarmlessCard, 'kind' | 'needsAccount'>;

const ORDER_FIELDS = [
  ...['id', 'orderHash', 'tokenId', 'side', 'price', 'quantity', 'filledQuantity'],
  ...['holdQuantity', 'status', 'timeInForce', 'expiredAt', 'createdAt'],
];

/** Records whose shapes the interface does not show. */
const PORTFOLIO = ['summary', 'positions', 'trades', 'deposits', 'withdrawals', 'transactions'];

const CARDS: readonly Signed[] = [
  {
    id: 'C-020',
    title: 'a request signed as the interface says is let in',
    spec: 'Signature',
    covers: [
      ...['API-KEY', 'TIMESTAMP', 'PASSPHRASE', 'SIGNATURE'].map(
        (name) => `header SERVICE-${name}`,
      ),
      ...['timestamp', 'METHOD', 'path'].map((part) => `signature ${part}`),
      ...['apiKey', 'apiSecret', 'apiPassphrase'].map((name) => `credential ${name}`),
      'text Signature 1',
      'text Credentials 1',
      'fact Authentication',
    ],
    run: async ({ rest }) => {
      payload(await rest.signedGet('/portfolio/balances'), 'GET /portfolio/balances');
      return undefined;
    },
  },
  {
    id: 'C-021',
    title: 'a query string is signed exactly as it is sent',
    spec: 'Signature',
    covers: ['rule Signature 1'],
    run: async ({ rest, target }) => {
      payload(await rest.signedGet(`/orders?marketId=${target.marketId}`), 'GET /orders?marketId');
      payload(await rest.signedGet('/portfolio/trades?limit=1'), 'GET /portfolio/trades?limit');
      return undefined;
    },
  },
  {
    id: 'C-022',
    title: 'balances tell cash, holds and shares for each token',
    spec: 'Balances',
    covers: [],
    touches: [
      'endpoint GET /portfolio/balances',
      ...['cashBalance', 'availableBalance', 'usdcOnHold', 'positions'].map(
        (name) => `field Balances.${name}`,
      ),
      'text Balances 1',
      'fact Collateral',
    ],
    run: async ({ rest }) => {
      const data = payload(await rest.signedGet('/portfolio/balances'), 'balances');
      isBalances(data, 'balances');
      const { cash, available } = {
        cash: Number(at(data, 'cashBalance')),
        available: Number(at(data, 'availableBalance')),
      };
      holds(available <= cash, 'what is available is no more than the cash');
      return `${textAt(data, 'availableBalance')} of ${textAt(data, 'cashBalance')} USDC available`;
    },
  },
  {
    id: 'C-023',
    title: 'open orders are listed whole, matched quantity as holdQuantity',
    spec: 'GET /orders',
    covers: [],
    touches: [
      'endpoint GET /orders',
      'text GET /orders 1',
      'rule Order status values 2',
      'bullet Versioning 3',
      ...ORDER_FIELDS.map((name) => `field Order.${name}`),
    ],
    run: async ({ rest }) => {
      const orders = ordersOf(payload(await rest.signedGet('/orders'), 'GET /orders'));
      for (const [index, order] of orders.entries()) isOrder(order, `orders[${index}]`);
      return `${orders.length} open`;
    },
  },
  {
    id: 'C-024',
    title: 'the rest of the portfolio is told, in whatever shape',
    spec: 'Portfolio',
    covers: [],
    touches: [
      ...PORTFOLIO.map((name) => `endpoint GET /portfolio/${name}`),
      'endpoint GET /portfolio/market/:marketId',
      'text Portfolio 1',
      'bullet Records without a shown shape 1',
    ],
    run: async ({ rest, target }) => {
      const missing: string[] = [];
      for (const name of PORTFOLIO) {
        const answer = await rest.signedGet(`/portfolio/${name}`);
        // Listed in an older reference only: a venue may have dropped it.
        if (name === 'transactions' && answer.status === 404) missing.push(name);
        else payload(answer, `GET /portfolio/${name}`);
      }
      payload(await rest.signedGet(`/portfolio/market/${target.marketId}`), 'of one market');
      return missing.length === 0 ? undefined : `without ${missing.join()}`;
    },
  },
  {
    id: 'C-025',
    title: 'claimable winnings are told, in whatever shape',
    spec: 'Conditional tokens',
    covers: [],
    touches: ['endpoint GET /positions/claimable'],
    run: async ({ rest }) => {
      payload(await rest.signedGet('/positions/claimable'), 'GET /positions/claimable');
      return undefined;
    },
  },
];

export const ACCOUNT_CARDS: readonly HarmlessCard[] = CARDS.map((card) => ({
  ...card,
  kind: 'harmless',
  needsAccount: true,
}));

/** The orders of an answer: a bare array, a page, or a named list. */
export function ordersOf(data: unknown): readonly unknown[] {
  if (isList.is(data)) return listOf(data, 'orders');
  return listOf(at(data, 'items') ?? at(data, 'orders'), 'orders');
}
