// Placements, cancels and the list of open orders. @spec Endpoints › Orders (all Auth)

import { BATCH_CANCEL_MAX, BATCH_ORDERS_MAX } from '../../../wire/limits.ts';
import type { ExchangeOrder } from '../../exchange/exchange-order.ts';
import { VenueRefusal } from '../../exchange/refusal.ts';
import { orderJson, planJson } from '../encode-order.ts';
import { fieldsOf, invalid, requiredList } from '../fields.ts';
import { queryText, queryWhole } from '../query.ts';
import {
  type OrderReading,
  readLimitOrder,
  readMarketOrder,
  readOrderHash,
} from '../read-order.ts';
import { type AuthCall, authRoute, param, type Route } from '../route.ts';

/** Page size of `GET /orders` where it pages; the interface shows no page. */
const ORDERS_PAGE = { min: 1, max: 500, default: 100 };
const OFFSET_MAX = 1_000_000;

export const ORDER_ROUTES: readonly Route[] = [
  authRoute('POST', '/orders', place, 'write'),
  authRoute('POST', '/orders/market', placeMarket, 'write'),
  authRoute('POST', '/orders/batch', placeBatch, 'write'),
  authRoute('POST', '/orders/batch-cancel', cancelBatch, 'exempt'),
  authRoute('DELETE', '/orders', cancelAll, 'exempt'),
  authRoute('DELETE', '/orders/:orderHash', cancelOne, 'write'),
  authRoute('GET', '/orders', openOrders),
];

function place(call: AuthCall): unknown {
  const order = call.exchange.placeLimit(call.account, readLimitOrder(call.body, readingOf(call)));
  return orderJson(order, call.dialect);
}

function placeMarket(call: AuthCall): unknown {
  const request = readMarketOrder(call.body, readingOf(call));
  const { order, plan } = call.exchange.placeMarket(call.account, request);
  return {
    order: orderJson(order, call.dialect),
    executionPlan: planJson(request, plan, call.nowMs),
  };
}

/** @spec Endpoints › Orders (all Auth) › POST /orders/batch */
function placeBatch(call: AuthCall): unknown {
  const items = requiredList(fieldsOf(call.body), 'orders', BATCH_ORDERS_MAX);
  return items.map((item, index) => placeItem(call, item, index));
}

/** Items stand alone: a refused one is reported in prose and the others go on. */
function placeItem(call: AuthCall, item: unknown, index: number): unknown {
  const shown = index + call.dialect.batchIndexFrom;
  try {
    const request = readLimitOrder(item, readingOf(call));
    const order = call.exchange.placeLimit(call.account, request);
    const { orderHash } = order.terms;
    const isFull = call.dialect.batchOrders === 'full';
    return {
      index: shown,
      success: true,
      order: isFull ? orderJson(order, call.dialect) : { orderHash },
    };
  } catch (error) {
    if (!(error instanceof VenueRefusal)) throw error;
    const isProse = call.dialect.batchErrors === 'prose';
    return { index: shown, success: false, error: isProse ? error.message : error.code };
  }
}

/** @spec Endpoints › Orders (all Auth) › Cancelling */
function cancelOne(call: AuthCall): unknown {
  const orderHash = readOrderHash(param(call, 'orderHash'));
  if (!orderHash) throw new VenueRefusal('order_not_found', 'not an order hash');
  call.exchange.cancel(call.account, orderHash);
  return call.dialect.singleCancel === 'counts' ? { orderHash, cancelled: 1, failed: 0 } : null;
}

function cancelBatch(call: AuthCall): unknown {
  const texts = requiredList(fieldsOf(call.body), 'orderHashes', BATCH_CANCEL_MAX);
  if (!texts.every((text) => typeof text === 'string')) return invalid('orderHashes', 'texts');
  const hashes = texts.map(readOrderHash).filter((hash) => hash !== undefined);
  const { cancelled, failed } = call.exchange.cancelBatch(call.account, hashes);
  return { cancelled, failed: failed + texts.length - hashes.length };
}

/** The kill switch. An unknown token or market is refused, lest "0 cancelled" looks like done. */
function cancelAll(call: AuthCall): unknown {
  const { catalogue } = call.exchange;
  const tokenId = queryText(call.query, 'tokenId');
  const marketId = queryText(call.query, 'marketId');
  return call.exchange.cancelAll(call.account, {
    token: tokenId === undefined ? undefined : catalogue.token(tokenId),
    market: marketId === undefined ? undefined : catalogue.market(marketId),
  });
}

function openOrders(call: AuthCall): unknown {
  const orders = wantedOrders(call);
  const items = orders.map((order) => orderJson(order, call.dialect));
  if (call.dialect.ordersAs === 'array') return items;
  const limit = queryWhole(call.query, 'limit', ORDERS_PAGE);
  const offset = queryWhole(call.query, 'offset', { min: 0, max: OFFSET_MAX, default: 0 });
  return { items: items.slice(offset, offset + limit), total: items.length, limit, offset };
}

function wantedOrders(call: AuthCall): readonly ExchangeOrder[] {
  const marketId = queryText(call.query, 'marketId');
  const market = marketId === undefined ? undefined : call.exchange.catalogue.market(marketId);
  return call.exchange
    .openOrders(call.account)
    .filter((order) => !market || order.terms.market === market)
    .filter((order) => call.dialect.listsMatched || order.restingMicro() > 0);
}

function readingOf(call: AuthCall): OrderReading {
  const { exchange, nowMs, dialect } = call;
  return { exchange, nowMs, acceptsText: dialect.acceptsTextNumbers };
}
