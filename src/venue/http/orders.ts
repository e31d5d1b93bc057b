// Placing and cancelling. @spec Endpoints › Orders (all Auth)

import type { AgeMs } from '../../domain/command.ts';
import type { OrderHash } from '../../domain/ids.ts';
import type {
  CancelOutcome,
  CancelScope,
  Failure,
  PlaceOutcome,
  ReadOutcome,
} from '../../domain/message.ts';
import type { LimitOrder } from '../../domain/order.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import {
  batchBody,
  batchCancelBody,
  cancelScopeQuery,
  encodeQuery,
  encodeSegment,
  limitOrderBody,
  type MarketOrder,
  marketOrderBody,
} from '../../wire/encode.ts';
import { BATCH_CANCEL_MAX, BATCH_ORDERS_MAX } from '../../wire/limits.ts';
import {
  type BatchItem,
  type CancelCounts,
  type ExecutionPlan,
  type NamedOrder,
  parseBatch,
  parseCancelCounts,
  parseEchoed,
  parseMarketPlaced,
} from '../../wire/orders.ts';
import type { TokenLookup } from '../../wire/tokens.ts';
import type { VenueClock } from './account.ts';
import { type AgeLimit, type Leaving, leavingAtAnyAge, NEVER_OLD } from './age.ts';
import type { Client } from './client.ts';
import { echoKind } from './echo.ts';
import type { CalledOff } from './exchange.ts';

export type MarketOrderOutcome =
  | {
      readonly kind: 'accepted';
      readonly orderHash: OrderHash;
      readonly plan: ExecutionPlan | undefined;
    }
  | Failure;

export interface OrderCalls {
  /**
   * Places 1 to 15 orders: one alone by `POST /orders`, more by one batch. Nothing is ever sent
   * twice, and what still waits when everything is cancelled, or was decided on too long ago, is not
   * sent at all. One outcome for each order, in their order.
   */
  placeOrders(orders: readonly LimitOrder[], ageMs?: AgeMs): Promise<readonly PlaceOutcome[]>;
  placeMarketOrder(order: MarketOrder): Promise<MarketOrderOutcome>;
  /** Costs an order write, unlike the bulk cancels. */
  cancelOrder(orderHash: OrderHash): Promise<CancelOutcome>;
  /** 1 to 100 hashes. */
  cancelOrders(orderHashes: readonly OrderHash[], ageMs?: AgeMs): Promise<CancelOutcome>;
  cancelAll(scope: CancelScope): Promise<CancelOutcome>;
}

type Parts = {
  readonly client: Client;
  readonly tokens: TokenLookup;
  readonly venueClock: VenueClock;
  readonly age: AgeLimit;
  readonly stops: Stops;
};

/** Counts the cancels of everything: a placement that was asked for before one never leaves after it. */
class Stops {
  #count = 0;

  add(): void {
    this.#count += 1;
  }

  /** Says later whether there was one since now, or something else keeps it from leaving. */
  sinceNow(calledOff: CalledOff): CalledOff {
    const count = this.#count;
    return () => (this.#count === count ? calledOff() : 'called off');
  }
}

type PlacedItem = Exclude<BatchItem, { kind: 'placeless' }>;
type Sendable = { readonly order: LimitOrder; readonly grid: TickGrid; readonly position: number };

/** Calls that place and cancel. @spec Endpoints › Orders (all Auth) */
export function orderCalls(of: Omit<Parts, 'stops'>): OrderCalls {
  const parts = { ...of, stops: new Stops() };
  const { client, stops } = parts;
  return {
    placeOrders: (orders, ageMs) => placeOrders(parts, orders, ageMs),
    placeMarketOrder: async (order) =>
      marketOutcome(
        await client.call({
          method: 'POST',
          route: '/orders/market',
          path: '/orders/market',
          body: marketOrderBody(order),
          lane: 'order',
          access: 'auth',
          kind: 'write',
          calledOff: stops.sinceNow(NEVER_OLD),
          parse: parseMarketPlaced,
        }),
      ),
    cancelOrder: async (orderHash) =>
      cancelOutcome(
        await client.call({
          method: 'DELETE',
          route: '/orders/:orderHash',
          path: `/orders/${encodeSegment(orderHash)}`,
          lane: 'order',
          access: 'auth',
          kind: 'cancel',
          parse: singleCancelCounts,
        }),
      ),
    cancelOrders: (orderHashes, ageMs) => cancelOrders(client, orderHashes, ageMs),
    cancelAll: (scope) => {
      if (scope.kind === 'account') stops.add();
      return cancelAll(client, scope);
    },
  };
}

async function cancelAll(client: Client, scope: CancelScope): Promise<CancelOutcome> {
  return cancelOutcome(
    await client.call({
      method: 'DELETE',
      route: '/orders',
      path: `/orders${encodeQuery(cancelScopeQuery(scope))}`,
      // Those of many markets would have the one of everything wait.
      lane: scope.kind === 'account' ? 'all' : 'exit',
      access: 'auth',
      kind: 'cancel',
      parse: parseCancelCounts,
    }),
  );
}

async function placeOrders(
  parts: Parts,
  orders: readonly LimitOrder[],
  ageMs: AgeMs | undefined,
): Promise<readonly PlaceOutcome[]> {
  if (orders.length > BATCH_ORDERS_MAX) return orders.map(() => notSent('more than 15 orders'));
  const sendable = orders.flatMap((order, position): readonly Sendable[] => {
    const grid = parts.tokens.gridOf(order.tokenId);
    return grid && isOnGrid(order, grid) ? [{ order, grid, position }] : [];
  });
  const { calledOff, waitedMs } = parts.age.of(ageMs);
  const leaving = { calledOff: parts.stops.sinceNow(calledOff), waitedMs };
  const sent = await placeSendable(parts, sendable, leaving);
  const byPosition = new Map(sendable.map(({ position }, index) => [position, sent[index]]));
  return orders.map(
    (_, position) => byPosition.get(position) ?? notSent('its tick size is not known'),
  );
}

/** Decided on before a change of the tick size that is known here, it would leave at another price. */
function isOnGrid({ ticksPerUnit }: LimitOrder, grid: TickGrid): boolean {
  return ticksPerUnit === undefined || ticksPerUnit === grid.ticksPerUnit;
}

async function placeSendable(
  parts: Parts,
  sendable: readonly Sendable[],
  leaving: Leaving,
): Promise<readonly PlaceOutcome[]> {
  const [first] = sendable;
  if (!first) return [];
  return sendable.length === 1
    ? [await placeOne(parts, first, leaving)]
    : await placeBatch(parts, sendable, leaving);
}

async function placeOne(parts: Parts, sendable: Sendable, leaving: Leaving): Promise<PlaceOutcome> {
  const outcome = await parts.client.call({
    method: 'POST',
    route: '/orders',
    path: '/orders',
    body: bodyOf(parts, sendable),
    lane: 'order',
    access: 'auth',
    kind: 'write',
    ...leaving,
    parse: parseEchoed,
  });
  if (outcome.kind !== 'ok') return outcome;
  return shownOutcome(sendable, outcome.value, 'order: the one it shows');
}

async function placeBatch(
  parts: Parts,
  sendable: readonly Sendable[],
  leaving: Leaving,
): Promise<readonly PlaceOutcome[]> {
  const outcome = await parts.client.call({
    method: 'POST',
    route: '/orders/batch',
    path: '/orders/batch',
    body: batchBody(sendable.map((each) => bodyOf(parts, each))),
    lane: 'order',
    access: 'auth',
    kind: 'write',
    ...leaving,
    parse: parseBatch,
  });
  if (outcome.kind !== 'ok') return sendable.map(() => outcome);
  const placed = outcome.value.filter((item) => item.kind !== 'placeless');
  return namingAll(sendable, outcome.value, itemOutcomes(sendable, placed));
}

/**
 * Orders that the answer names and that no outcome has taken rest as far as anybody knows: whatever has no
 * outcome may be one of them. What is of another token or side than all that were sent is nobody's here.
 */
function namingAll(
  sendable: readonly Sendable[],
  items: readonly BatchItem[],
  outcomes: readonly PlaceOutcome[],
): readonly PlaceOutcome[] {
  const taken = new Set(outcomes.map(takenHash));
  const among = items.flatMap(namedIn).filter(({ orderHash }) => !taken.has(orderHash));
  const ours = among.filter(({ echo }) =>
    sendable.some(({ order, grid }) => echoKind(echo, order, grid) !== 'another'),
  );
  if (ours.length === 0) return outcomes;
  const batchOrderIds = [...new Set(ours.map(({ orderHash }) => orderHash))];
  return outcomes.map((outcome) =>
    outcome.kind === 'unknown' ? { ...outcome, batchOrderIds } : outcome,
  );
}

function takenHash(outcome: PlaceOutcome): OrderHash | undefined {
  if (outcome.kind === 'accepted') return outcome.orderHash;
  return outcome.kind === 'unknown' ? outcome.namedHash : undefined;
}

function namedIn(item: BatchItem): readonly NamedOrder[] {
  if (item.kind === 'accepted' || item.kind === 'placeless') return [item];
  return item.kind === 'unreadable' && item.named !== undefined ? [item.named] : [];
}

/**
 * The outcome of each order of a batch, found by `index`. An index outside the batch puts every
 * item in doubt (perhaps the venue counts from one), and so does an index or a hash named twice, or an
 * answer that lacks items and the first index: then nothing says where the venue begins to count.
 */
function itemOutcomes(
  sendable: readonly Sendable[],
  items: readonly PlacedItem[],
): readonly PlaceOutcome[] {
  const byIndex = new Map(items.map((item) => [item.index, item]));
  const hashes = items.flatMap((item) => (item.kind === 'accepted' ? [item.orderHash] : []));
  const isSound =
    byIndex.size === items.length &&
    new Set(hashes).size === hashes.length &&
    (items.length === sendable.length || byIndex.has(0)) &&
    items.every((item) => sendable[item.index]);
  if (!isSound) return sendable.map(() => unreadable('batch: items do not match the orders'));
  return sendable.map((each, index) => itemOutcome(each, byIndex.get(index)));
}

function itemOutcome(sendable: Sendable, item: PlacedItem | undefined): PlaceOutcome {
  switch (item?.kind) {
    case undefined:
      return { kind: 'unknown', cause: 'missing', detail: 'batch: no item for this order' };
    case 'unreadable':
      return unreadable(item.detail);
    case 'serverError':
      return { kind: 'unknown', cause: 'serverError', detail: item.detail };
    case 'refused':
      return {
        kind: 'refused',
        refusal: {
          code: undefined,
          message: item.message,
          httpStatus: undefined,
          retryAfterMs: undefined,
        },
      };
    case 'accepted':
      return shownOutcome(sendable, item, `batch[${item.index}]: the order it shows`);
  }
}

/** An answer that shows an order: the one that was sent, that one restated, or something else. */
function shownOutcome(
  { order, grid }: Sendable,
  { orderHash, echo }: NamedOrder,
  what: string,
): PlaceOutcome {
  switch (echoKind(echo, order, grid)) {
    case 'same':
      return { kind: 'accepted', orderHash };
    case 'otherwise':
      return {
        kind: 'unknown',
        cause: 'unreadable',
        detail: `${what} is not as it was sent`,
        namedHash: orderHash,
      };
    case 'another':
      return unreadable(`${what} is not the one sent`);
  }
}

async function cancelOrders(
  client: Client,
  orderHashes: readonly OrderHash[],
  ageMs: AgeMs | undefined,
): Promise<CancelOutcome> {
  const { length } = orderHashes;
  if (length === 0 || length > BATCH_CANCEL_MAX) return notSent(`${length} hashes to cancel`);
  return cancelOutcome(
    await client.call({
      method: 'POST',
      route: '/orders/batch-cancel',
      path: '/orders/batch-cancel',
      body: batchCancelBody(orderHashes),
      lane: 'exit',
      access: 'auth',
      kind: 'cancel',
      ...leavingAtAnyAge(ageMs),
      parse: parseCancelCounts,
    }),
  );
}

function bodyOf({ venueClock }: Parts, { order, grid }: Sendable): object {
  return limitOrderBody(order, { grid, clockOffsetMs: venueClock.offsetMs() });
}

/** The body of a single cancel is not shown: success without counts is one order cancelled. */
function singleCancelCounts(data: unknown): CancelCounts {
  try {
    return parseCancelCounts(data);
  } catch {
    return { cancelled: 1, failed: 0 };
  }
}

function cancelOutcome(outcome: ReadOutcome<CancelCounts>): CancelOutcome {
  return outcome.kind === 'ok' ? { kind: 'accepted', ...outcome.value } : outcome;
}

function marketOutcome(
  outcome: ReadOutcome<{ readonly orderHash: OrderHash; readonly plan: ExecutionPlan | undefined }>,
): MarketOrderOutcome {
  return outcome.kind === 'ok' ? { kind: 'accepted', ...outcome.value } : outcome;
}

function unreadable(detail: string): Failure {
  return { kind: 'unknown', cause: 'unreadable', detail };
}

function notSent(detail: string): Failure {
  return { kind: 'notSent', detail };
}
