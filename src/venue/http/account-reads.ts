// What the account holds and has resting, and its chain actions.
// @spec Endpoints › Orders (all Auth), Portfolio (all Auth), Conditional tokens (all Auth)

import type { AgeMs } from '../../domain/command.ts';
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
import { type OrdersPage, parseOpenOrders } from '../../wire/orders.ts';
import type { TokenLookup } from '../../wire/tokens.ts';
import { parseTrades } from '../../wire/trades.ts';
import type { AgeLimit } from './age.ts';
import type { Client } from './client.ts';
import { readWholeList } from './order-pages.ts';

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
  /** Never sent twice, nor long after it was decided on: an unknown outcome is confirmed by balances. */
  splitSets(change: SetChange, ageMs?: AgeMs): Promise<ChainOutcome>;
  mergeSets(change: SetChange, ageMs?: AgeMs): Promise<ChainOutcome>;
  redeem(marketId: MarketId, ageMs?: AgeMs): Promise<ChainOutcome>;
}

type Parts = {
  readonly client: Client;
  readonly tokens: TokenLookup;
  readonly choices: WireChoices;
  readonly age: AgeLimit;
};

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
      read(client, {
        path: '/portfolio/balances',
        isUrgent: true,
        parse: (data) => parseBalances(data, choices),
      }),
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
    splitSets: (change, ageMs) =>
      chain(parts, { path: '/positions/split', body: setChangeBody(change, choices), ageMs }),
    mergeSets: (change, ageMs) =>
      chain(parts, { path: '/positions/merge', body: setChangeBody(change, choices), ageMs }),
    redeem: (marketId, ageMs) =>
      chain(parts, { path: '/positions/redeem', body: { marketId }, ageMs }),
  };
}

async function readOpenOrders(
  parts: Parts,
  scope: CancelScope,
): Promise<ReadOutcome<readonly OrderReport[]>> {
  const outcome = await readWholeList((offset) => readOrdersPage(parts, scope, offset));
  return outcome.kind === 'ok' ? ofScope(outcome.value, scope) : outcome;
}

function readOrdersPage(
  { client, tokens, choices }: Parts,
  scope: CancelScope,
  offset: number,
): Promise<ReadOutcome<OrdersPage>> {
  // The interface lets the list be narrowed by market only.
  const narrowed = scope.kind === 'market' ? cancelScopeQuery(scope) : {};
  return read(client, {
    path: '/orders',
    isUrgent: true,
    query: { ...narrowed, offset: offset === 0 ? undefined : offset },
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

type ChainCall = {
  readonly path: string;
  readonly body: object;
  readonly ageMs: AgeMs | undefined;
};

async function chain(
  { client, age }: Parts,
  { path, body, ageMs }: ChainCall,
): Promise<ChainOutcome> {
  const outcome = await client.call({
    method: 'POST',
    route: path,
    path,
    body,
    lane: 'read',
    access: 'auth',
    kind: 'write',
    calledOff: age.of(ageMs).calledOff,
    parse: parseChainAction,
  });
  return outcome.kind === 'ok' ? { kind: 'accepted', txHash: outcome.value } : outcome;
}

function asIs(data: unknown): unknown {
  return data;
}
