// What the account holds and has resting, and its chain actions.
// @spec Endpoints › Orders (all Auth), Portfolio (all Auth), Conditional tokens (all Auth)

import type { MarketId } from '../../domain/ids.ts';
import type {
  Balances,
  CancelScope,
  Failure,
  ReadOutcome,
  SettledTrade,
} from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import { parseBalances } from '../../wire/balances.ts';
import type { WireChoices } from '../../wire/choices.ts';
import {
  cancelScopeQuery,
  encodeQuery,
  encodeSegment,
  type Query,
  type SetChange,
  setChangeBody,
} from '../../wire/encode.ts';
import { parseChainAction } from '../../wire/feeds.ts';
import { OPEN_ORDERS_MAX } from '../../wire/limits.ts';
import { type OrdersPage, parseOpenOrders } from '../../wire/orders.ts';
import type { TokenLookup } from '../../wire/tokens.ts';
import { parseTrades } from '../../wire/trades.ts';
import type { Client } from './client.ts';

export type ChainOutcome = { readonly kind: 'accepted'; readonly txHash: string } | Failure;

/** Portfolio records whose shapes the interface does not show; nothing of ours reads a field. */
export type PortfolioRecord =
  | 'summary'
  | 'positions'
  | 'trades'
  | 'deposits'
  | 'withdrawals'
  | 'transactions';

export interface AccountCalls {
  /** Every open order of the scope; a part of them is a failure. */
  readOpenOrders(scope?: CancelScope): Promise<ReadOutcome<readonly OrderReport[]>>;
  readBalances(): Promise<ReadOutcome<Balances>>;
  /** The newest settled trades, as far as their shape is understood. */
  readTrades(): Promise<ReadOutcome<readonly SettledTrade[]>>;
  readPortfolio(record: PortfolioRecord, limit?: number): Promise<ReadOutcome<unknown>>;
  readMarketPositions(marketId: MarketId): Promise<ReadOutcome<unknown>>;
  readClaimable(): Promise<ReadOutcome<unknown>>;
  /** Never sent twice: an unknown outcome is proven by balances. */
  splitSets(change: SetChange): Promise<ChainOutcome>;
  mergeSets(change: SetChange): Promise<ChainOutcome>;
  redeem(marketId: MarketId): Promise<ChainOutcome>;
}

type Parts = {
  readonly client: Client;
  readonly tokens: TokenLookup;
  readonly choices: WireChoices;
};

/** The account's ceiling, in pages of any size a venue may choose. @spec Limits */
const ORDER_PAGES_MAX = OPEN_ORDERS_MAX;

/**
 * Settled trades of one read. The interface names `limit` and no bound; other lists take a hundred. More
 * than ten settle in a second only beyond any budget of orders.
 */
const TRADES_READ = 100;

/** Calls about what the account holds and has resting. @spec Endpoints › Portfolio (all Auth) */
export function accountCalls(parts: Parts): AccountCalls {
  const { client, choices } = parts;
  return {
    readOpenOrders: (scope = { kind: 'account' }) => readOpenOrders(parts, scope),
    readBalances: () =>
      read(client, { path: '/portfolio/balances', isUrgent: true, parse: parseBalances }),
    readTrades: () =>
      read(client, {
        path: '/portfolio/trades',
        query: { limit: TRADES_READ },
        parse: parseTrades,
      }),
    readPortfolio: (record, limit) =>
      read(client, { path: `/portfolio/${record}`, query: { limit }, parse: asIs }),
    readMarketPositions: (marketId) =>
      read(client, {
        route: '/portfolio/market/:marketId',
        path: `/portfolio/market/${encodeSegment(marketId)}`,
        parse: asIs,
      }),
    readClaimable: () => read(client, { path: '/positions/claimable', parse: asIs }),
    splitSets: (change) => chain(client, '/positions/split', setChangeBody(change, choices)),
    mergeSets: (change) => chain(client, '/positions/merge', setChangeBody(change, choices)),
    redeem: (marketId) => chain(client, '/positions/redeem', { marketId }),
  };
}

/**
 * Reads the open orders, following pages where the venue sends them. The list may change between
 * two pages; fewer orders than the last page says there are is a part, and a part is no answer.
 */
async function readOpenOrders(
  parts: Parts,
  scope: CancelScope,
): Promise<ReadOutcome<readonly OrderReport[]>> {
  const orders = new Map<string, OrderReport>();
  let sent = 0;
  for (let pages = 0; pages < ORDER_PAGES_MAX; pages += 1) {
    const outcome = await readOrdersPage(parts, scope, sent);
    if (outcome.kind !== 'ok') return outcome;
    const { orders: page, total } = outcome.value;
    for (const order of page) orders.set(order.orderHash, order);
    sent += page.length;
    if (total === undefined || orders.size >= total) return ofScope([...orders.values()], scope);
    if (page.length === 0 || sent >= total) break;
  }
  return { kind: 'unknown', cause: 'unreadable', detail: 'orders: the list changed between pages' };
}

function readOrdersPage(
  { client, tokens, choices }: Parts,
  scope: CancelScope,
  sent: number,
): Promise<ReadOutcome<OrdersPage>> {
  // The interface lets the list be narrowed by market only.
  const narrowed = scope.kind === 'market' ? cancelScopeQuery(scope) : {};
  return read(client, {
    path: '/orders',
    isUrgent: true,
    query: { ...narrowed, offset: sent === 0 ? undefined : sent },
    parse: (data) => parseOpenOrders(data, { tokens, choices }),
  });
}

function ofScope(
  orders: readonly OrderReport[],
  scope: CancelScope,
): ReadOutcome<readonly OrderReport[]> {
  const wanted =
    scope.kind === 'token' ? orders.filter(({ tokenId }) => tokenId === scope.tokenId) : orders;
  return { kind: 'ok', value: wanted };
}

type Read<Value> = {
  readonly path: string;
  /** Where the path holds an id. */
  readonly route?: string;
  readonly query?: Query;
  readonly isUrgent?: boolean;
  readonly parse: (data: unknown) => Value;
};

function read<Value>(
  client: Client,
  { path, route, query, isUrgent, parse }: Read<Value>,
): Promise<ReadOutcome<Value>> {
  return client.call({
    method: 'GET',
    route: route ?? path,
    path: `${path}${encodeQuery(query ?? {})}`,
    lane: 'read',
    access: 'auth',
    kind: 'read',
    isUrgent: isUrgent ?? false,
    parse,
  });
}

async function chain(client: Client, path: string, body: object): Promise<ChainOutcome> {
  const outcome = await client.call({
    method: 'POST',
    route: path,
    path,
    body,
    lane: 'read',
    access: 'auth',
    kind: 'write',
    parse: parseChainAction,
  });
  return outcome.kind === 'ok' ? { kind: 'accepted', txHash: outcome.value } : outcome;
}

function asIs(data: unknown): unknown {
  return data;
}
