// Own orders as the venue shows them, and its answers to placements and cancels.
// @spec Resources and their fields › Order (returned by order placement), Batch and cancel results

import { z } from 'zod';
import { WireError } from '../domain/errors.ts';
import { excerpt } from '../domain/excerpt.ts';
import type { OrderHash, TokenId } from '../domain/ids.ts';
import type { OrderReport, OrderStatus, Side } from '../domain/order.ts';
import { MICRO_SHARES_MAX, type MicroShares, microShares } from '../domain/shares.ts';
import type { UnixMs } from '../domain/time.ts';
import type { Usdc } from '../domain/usdc.ts';
import type { WireChoices } from './choices.ts';
import { UNCERTAIN_CODES } from './codes.ts';
import { ITEMS_MAX } from './limits.ts';
import {
  anything,
  countOfOrder,
  countOfShares,
  decimal,
  hash,
  isoTime,
  list,
  maybe,
  parseWith,
  shares,
  side,
  token,
  usdc,
  within,
} from './parse.ts';
import { orderPrice } from './prices.ts';
import type { TokenLookup } from './tokens.ts';

export type OrdersPage = {
  readonly orders: readonly OrderReport[];
  /** `undefined` where the venue sends a bare array: then this is all of it. */
  readonly total: number | undefined;
};

/** How orders are read: which grid a token has, and what silence is taken to mean. */
export type OrderReading = { readonly tokens: TokenLookup; readonly choices: WireChoices };

/** What an answer repeats of the order it is about; absent where it does not. */
export type OrderEcho = {
  readonly tokenId: TokenId | undefined;
  readonly side: Side | undefined;
  readonly price: string | number | undefined;
  readonly quantity: string | number | undefined;
};

/** An order that an answer names, with what it repeats of it. */
export type NamedOrder = { readonly orderHash: OrderHash; readonly echo: OrderEcho };

export type BatchItem =
  | ({ readonly kind: 'accepted'; readonly index: number } & NamedOrder)
  | { readonly kind: 'refused'; readonly index: number; readonly message: string }
  /** The item names a code after which the order may rest, as of a failing server. */
  | { readonly kind: 'serverError'; readonly index: number; readonly detail: string }
  /** It says success, yet no hash to cancel by can be read; or it says failure and names one. */
  | {
      readonly kind: 'unreadable';
      readonly index: number;
      readonly detail: string;
      readonly named?: NamedOrder;
    }
  /** It names an order, and nothing says which one of the batch that is. */
  | ({ readonly kind: 'placeless' } & NamedOrder);

export type CancelCounts = { readonly cancelled: number; readonly failed: number };

/** @spec Resources and their fields › Execution plan (returned with a market order) */
export type ExecutionPlan = {
  readonly requestedMaxSpend: Usdc | undefined;
  readonly submittedQuantity: MicroShares | undefined;
  /** May fall off the tick grid, so it is no tick count. */
  readonly limitPrice: Usdc | undefined;
  readonly estimatedAveragePrice: Usdc | undefined;
  readonly estimatedQuoteAmount: Usdc | undefined;
  readonly bookAtMs: UnixMs | undefined;
};

const orderShape = z.object({
  orderHash: hash,
  tokenId: token,
  side,
  price: decimal,
  quantity: countOfOrder,
  filledQuantity: maybe(countOfShares),
  holdQuantity: maybe(countOfShares),
  status: z.string(),
  createdAt: maybe(isoTime).catch(undefined),
});
const count = z.int().nonnegative();
/** A text where a venue writes all of its numbers so: no page shows its shape. */
const digits = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const total = maybe(z.union([count, digits]));
const page = z.object({ items: list(z.unknown(), ITEMS_MAX), total });
const named = z.object({ orders: list(z.unknown(), ITEMS_MAX), total });
/** Fields by which a page that names no total says that it is not all. */
const more = z.object({
  limit: anything,
  hasMore: anything,
  has_more: anything,
  next: anything,
  nextCursor: anything,
  next_cursor: anything,
});
const placed = z.object({ orderHash: hash });
const echoed = placed.extend({
  tokenId: maybe(token).catch(undefined),
  side: maybe(side).catch(undefined),
  price: maybe(decimal).catch(undefined),
  quantity: maybe(decimal).catch(undefined),
});
const cancelCounts = z.object({ cancelled: count, failed: count });
const batchItem = z.object({
  index: count,
  success: z.boolean(),
  order: anything,
  error: anything,
});
const placeless = z.object({ order: echoed });
const plan = z
  .object({
    requestedMaxSpend: maybe(usdc),
    submittedQuantity: maybe(shares),
    limitPrice: maybe(usdc),
    estimatedAveragePrice: maybe(usdc),
    estimatedQuoteAmount: maybe(usdc),
    bookTimestamp: maybe(isoTime),
  })
  .transform(({ bookTimestamp, ...rest }) => ({ ...rest, bookAtMs: bookTimestamp }));

/**
 * Reads the open orders of `GET /orders`: a bare array, or a page.
 * @throws {WireError} `wire.field` when any one order is unreadable: a part is not an answer.
 * @spec Endpoints › GET /orders
 */
export function parseOpenOrders(data: unknown, reading: OrderReading): OrdersPage {
  const { items, total } = itemsOf(data);
  const orders = items.map((item, index) => readOrder(item, reading, `orders[${index}]`));
  return { orders, total };
}

/** Reads one order. @throws {WireError} `wire.field` */
export function parseOrder(data: unknown, reading: OrderReading): OrderReport {
  return readOrder(data, reading, 'order');
}

/** Reads the handle of a placed order. @throws {WireError} `wire.field` */
export function parsePlaced(data: unknown): OrderHash {
  return parseWith(placed, data, 'order').orderHash;
}

/** The same, with what the answer repeats of the order. @throws {WireError} `wire.field` */
export function parseEchoed(data: unknown): NamedOrder {
  return namedBy(parseWith(echoed, data, 'order'));
}

function namedBy({ orderHash, ...echo }: z.output<typeof echoed>): NamedOrder {
  return { orderHash, echo };
}

/** Reads the handle and plan of a market order. @throws {WireError} `wire.field` */
export function parseMarketPlaced(data: unknown): {
  readonly orderHash: OrderHash;
  readonly plan: ExecutionPlan | undefined;
} {
  const { order, executionPlan } = parseWith(
    z.object({ order: anything, executionPlan: anything }),
    data,
    'marketOrder',
  );
  // The plan is an estimate: an order is not lost for the sake of one that cannot be read.
  const read = plan.safeParse(executionPlan);
  return { orderHash: parsePlaced(order), plan: read.success ? read.data : undefined };
}

/**
 * Reads the items of a batch placement. An item that cannot be read at all is left out, and its
 * order's outcome is then missing: unknown, never refused. The order that it names is named all the same.
 * @throws {WireError} `wire.field` when the answer is not a list.
 * @spec Endpoints › POST /orders/batch
 */
export function parseBatch(data: unknown): readonly BatchItem[] {
  const items = parseWith(list(z.unknown(), ITEMS_MAX), data, 'batch');
  return items.flatMap((item) => {
    const shape = batchItem.safeParse(item);
    return shape.success ? [readBatchItem(shape.data)] : readPlaceless(item);
  });
}

function readPlaceless(item: unknown): readonly BatchItem[] {
  const shape = placeless.safeParse(item);
  return shape.success ? [{ kind: 'placeless', ...namedBy(shape.data.order) }] : [];
}

/** Reads a cancel result. @throws {WireError} `wire.field` @spec Endpoints › Cancelling */
export function parseCancelCounts(data: unknown): CancelCounts {
  return parseWith(cancelCounts, data, 'cancel');
}

function readBatchItem(item: z.output<typeof batchItem>): BatchItem {
  const { index } = item;
  const order = echoed.safeParse(item.order);
  const named = order.success ? namedBy(order.data) : undefined;
  if (!item.success) return readFailedItem(item, named);
  if (named !== undefined) return { kind: 'accepted', index, ...named };
  return { kind: 'unreadable', index, detail: `batch[${index}].order: no readable orderHash` };
}

/**
 * What a failed item says is no ground to branch on, but for caution: a single placement that is answered
 * with such a code is unknown, and so is one of a batch.
 */
function readFailedItem(
  { index, error }: z.output<typeof batchItem>,
  named: NamedOrder | undefined,
): BatchItem {
  if (named !== undefined) {
    return { kind: 'unreadable', index, detail: `batch[${index}]: a failure with an order`, named };
  }
  if (namesUncertainCode(error)) {
    return {
      kind: 'serverError',
      index,
      detail: `batch[${index}]: ${excerpt(textOf(error), 300)}`,
    };
  }
  return { kind: 'refused', index, message: typeof error === 'string' ? excerpt(error, 300) : '' };
}

/** Of what an item says is wrong; a code stands at its beginning, if at all. */
const ERROR_LENGTH_MAX = 10_000;

/** A code stands as a word of its own, in a text or anywhere in what is no text. */
function namesUncertainCode(error: unknown): boolean {
  const words = excerpt(textOf(error), ERROR_LENGTH_MAX)
    .toLowerCase()
    .split(/[^a-z0-9_]+/);
  return UNCERTAIN_CODES.some((code) => words.includes(code));
}

function textOf(error: unknown): string {
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? '');
}

function itemsOf(data: unknown): { readonly items: readonly unknown[]; readonly total?: number } {
  if (Array.isArray(data))
    return { items: parseWith(list(z.unknown(), ITEMS_MAX), data, 'orders') };
  const byName = named.safeParse(data);
  const { items, total } = byName.success
    ? { items: byName.data.orders, total: byName.data.total }
    : parseWith(page, data, 'orders');
  if (total !== undefined) return { items, total };
  if (isPart(data, items.length)) {
    throw new WireError('wire.field', 'orders: a page of more, and no total');
  }
  return { items };
}

/** Where a next page begins nothing says without a total: what is listed may be a part, and is no answer. */
function isPart(data: unknown, length: number): boolean {
  const { success, data: said } = more.safeParse(data);
  if (!success) return false;
  const marks = [said.hasMore, said.has_more, said.next, said.nextCursor, said.next_cursor];
  // A full page is where most of the parts end; that there is no more it has to say by a total.
  const limit = Number(said.limit);
  const isFull = limit > 0 && length >= limit;
  return (
    isFull ||
    marks.some((mark) => mark !== undefined && mark !== null && mark !== false && mark !== '')
  );
}

function readOrder(data: unknown, { tokens, choices }: OrderReading, path: string): OrderReport {
  const shape = parseWith(orderShape, data, path);
  const grid = tokens.gridOf(shape.tokenId);
  const executed = executedOf(shape, choices);
  return {
    orderHash: shape.orderHash,
    tokenId: shape.tokenId,
    side: shape.side,
    ...within(`${path}.price`, () => orderPrice(grid, shape.price)),
    quantity: mostOf(shape.quantity),
    executed,
    status: statusOf(shape.status, executed),
    createdAtMs: shape.createdAt,
  };
}

/**
 * What no longer rests. Never more than the order: where `filledQuantity` already counts what
 * `holdQuantity` counts again, the sum would say so. Of an order of more than can be counted as much rests as can.
 */
function executedOf(
  shape: {
    readonly quantity: number;
    readonly filledQuantity: number | undefined;
    readonly holdQuantity: number | undefined;
  },
  choices: WireChoices,
): MicroShares {
  const filled = shape.filledQuantity ?? 0;
  const hold = choices.filledIncludesHold ? 0 : (shape.holdQuantity ?? 0);
  const resting = Math.max(0, shape.quantity - filled - hold);
  const most = mostOf(shape.quantity);
  return microShares(most - Math.min(resting, most));
}

function mostOf(count: number): MicroShares {
  return microShares(Math.min(count, MICRO_SHARES_MAX));
}

/** A listed order rests, whatever word it carries: the list holds no others. */
function statusOf(word: string, executed: MicroShares): OrderStatus {
  const known = ORDER_STATUSES.find((status) => status === excerpt(word, 40).trim().toUpperCase());
  return known ?? (executed > 0 ? 'PARTIALLY_FILLED' : 'OPEN');
}

const ORDER_STATUSES: readonly OrderStatus[] = [
  'OPEN',
  'MATCHED',
  'PARTIALLY_FILLED',
  'FILLED',
  'CANCELLED',
  'EXPIRED',
];
