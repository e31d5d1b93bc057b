// Rows of the ledger and back. What stands there was written by us; a row that cannot be read is an
// error and not an absent row, since an order that is forgotten is an order nobody cancels.

import { z } from 'zod';
import type { StoredAction } from '../../domain/action.ts';
import { intentId, marketId, type OrderHash, orderHash, tokenId } from '../../domain/ids.ts';
import { isTerminal, ORDER_STATES } from '../../domain/order.ts';
import type {
  StoredFill,
  StoredFlows,
  StoredHalt,
  StoredOrder,
  StoredRecent,
  StoredSets,
  StoredSettlement,
  StoredToken,
} from '../../domain/record.ts';
import { redacted } from '../../domain/redact.ts';
import type { SetsOrder } from '../../domain/sets.ts';
import { microShares } from '../../domain/shares.ts';
import { tickGrid, ticks } from '../../domain/ticks.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';

/** What one placeholder of a statement takes. */
export type Cell = number | string | null;

const whole = z.coerce.number().int();
const time = whole.transform(unixMs);
const optionalTime = time.nullable().transform((at) => at ?? undefined);
const quantity = whole.transform(microShares);
const side = z.enum(['BUY', 'SELL']);
const token = z.string().transform(tokenId);
const market = z.string().transform(marketId);

const ORDER_ROW = z
  .object({
    intent_id: z.string().transform(intentId),
    order_hash: z.string().transform(orderHash).nullable(),
    market_id: market,
    token_id: token,
    leg: z.enum(['yes', 'no']),
    side,
    price_ticks: whole,
    ticks_per_unit: whole.pipe(z.union([z.literal(100), z.literal(1000)])),
    quantity_micro: quantity,
    sent_at_ms: time,
    is_external: whole,
    state: z.enum(ORDER_STATES),
    state_since_ms: time,
    executed_micro: quantity,
    confirmed_at_ms: optionalTime,
    expires_at_ms: optionalTime,
    settings_version: z.string().nullable(),
    failed_micro: quantity,
    is_take: whole,
  })
  .transform((row): StoredOrder => {
    const grid = tickGrid(row.ticks_per_unit === 100 ? '0.01' : '0.001');
    return {
      intentId: row.intent_id,
      orderHash: row.order_hash ?? undefined,
      marketId: row.market_id,
      tokenId: row.token_id,
      leg: row.leg,
      side: row.side,
      price: ticks(grid, row.price_ticks),
      ticksPerUnit: grid.ticksPerUnit,
      quantity: row.quantity_micro,
      sentAtMs: row.sent_at_ms,
      isExternal: row.is_external === 1,
      isTake: row.is_take === 1 ? true : undefined,
      state: row.state,
      stateSinceMs: row.state_since_ms,
      executed: row.executed_micro,
      failed: row.failed_micro,
      confirmedAtMs: row.confirmed_at_ms,
      settingsVersion: row.settings_version ?? undefined,
      expiresAtMs: row.expires_at_ms,
    };
  });

const PENDING = z.array(
  z.object({
    intentId: z.string().transform(intentId).optional(),
    side,
    cashNano: z.number(),
    takerFeeRate: z.number().optional(),
    quantity: whole.transform(microShares),
    original: whole.transform(microShares),
    atMs: time,
  }),
);

const UNCERTAIN = z.array(
  z.object({
    cause: z.enum([
      'order_end',
      'previous_run',
      'trade_failed',
      'order_restored',
      'may_arrive',
      'unsettled',
      'balances_differ',
    ]),
    intentId: z.string().transform(intentId).optional(),
    side,
    quantity: whole.transform(microShares),
    cashNano: z.number(),
    sinceMs: time,
    sentAtMs: time.optional(),
    isOwed: z.literal(true).optional(),
  }),
);

const EARLY = z.array(
  z.object({
    side,
    quantity: whole.transform(microShares),
    cashNano: z.number(),
    atMs: time,
    isGuess: z.literal(true).optional(),
  }),
);

const PAST = z.array(z.object({ amount: whole.transform(microShares), untilMs: time }));

const NOTHING = '[]';

/** Nearly all of them are of markets that have left, and hold nothing: a start waits for what it reads. */
function listAs<Item>(items: z.ZodType<Item[]>) {
  return z.string().transform((text) => (text === NOTHING ? [] : items.parse(JSON.parse(text))));
}

const TOKEN_ROW = z
  .object({
    token_id: token,
    settled_micro: quantity,
    pending: listAs(PENDING),
    changed_at_ms: optionalTime,
    uncertain: listAs(UNCERTAIN),
    unreported: listAs(EARLY),
    shown: listAs(EARLY),
    past: listAs(PAST),
  })
  .transform(
    (row): StoredToken => ({
      tokenId: row.token_id,
      confirmed: row.settled_micro,
      pending: row.pending,
      changedAtMs: row.changed_at_ms,
      uncertain: row.uncertain,
      unreported: row.unreported,
      shown: row.shown,
      past: row.past,
    }),
  );

const TIME_ROW = z.object({ at_ms: time }).transform((row): UnixMs => row.at_ms);

const RECENT_FILL_ROW = z
  .object({ market_id: market, quantity_micro: quantity, at_ms: time })
  .transform((row): StoredRecent['fills'][number] => ({
    marketId: row.market_id,
    quantity: row.quantity_micro,
    atMs: row.at_ms,
  }));

const FILL_ROW = z
  .object({
    intent_id: z.string().transform(intentId),
    market_id: market,
    token_id: token,
    side,
    price_ticks: whole,
    ticks_per_unit: whole.pipe(z.union([z.literal(100), z.literal(1000)])),
    quantity_micro: quantity,
    executed_after_micro: quantity,
    cash_nano: z.number(),
    at_ms: time,
    is_inferred: whole,
  })
  .transform((row): StoredFill => {
    const grid = tickGrid(row.ticks_per_unit === 100 ? '0.01' : '0.001');
    return {
      intentId: row.intent_id,
      marketId: row.market_id,
      tokenId: row.token_id,
      side: row.side,
      price: ticks(grid, row.price_ticks),
      ticksPerUnit: grid.ticksPerUnit,
      quantity: row.quantity_micro,
      executedAfter: row.executed_after_micro,
      cashNano: row.cash_nano,
      atMs: row.at_ms,
      isInferred: row.is_inferred === 1,
    };
  });

const SETTLEMENT_ROW = z
  .object({
    trade_id: z.string(),
    token_id: token.nullable(),
    side,
    quantity_micro: quantity,
    cash_nano: z.number(),
    at_ms: time,
    is_recovered: z.number(),
  })
  .transform(
    (row): StoredSettlement => ({
      tradeId: row.trade_id,
      tokenId: row.token_id ?? undefined,
      side: row.side,
      quantity: row.quantity_micro,
      cashNano: row.cash_nano,
      atMs: row.at_ms,
      isRecovered: row.is_recovered === 1,
    }),
  );

const FLOWS_ROW = z
  .object({
    market_id: market,
    cash_nano: z.number(),
    fills: whole,
    start_yes_micro: quantity.nullable(),
    start_no_micro: quantity.nullable(),
    start_value_nano: z.number().nullable(),
  })
  .transform((row): StoredFlows => {
    const { start_yes_micro: yes, start_no_micro: no } = row;
    return {
      marketId: row.market_id,
      cashNano: row.cash_nano,
      fills: row.fills,
      start: yes === null || no === null ? undefined : { yes, no },
      startValueNano: row.start_value_nano ?? undefined,
    };
  });

const HALT = z
  .object({ limit: z.string(), detail: z.string(), sinceMs: time })
  .transform((halt): StoredHalt => halt);

const SETS = z.array(
  z
    .object({
      order: z
        .object({
          id: z.string(),
          by: z.string(),
          action: z.enum(['split', 'merge', 'redeem']),
          marketId: market,
          amount: quantity.optional(),
        })
        .transform((order): SetsOrder => ({ ...order, amount: order.amount })),
      state: z.enum(['sent', 'accepted', 'unknown', 'confirmed', 'refused', 'absent']),
      detail: z.string(),
      sentAtMs: time,
      isPaid: z.boolean().optional(),
      breakNano: z.number().optional(),
    })
    .transform((request): StoredSets => request),
);

export const readSets = (text: string): readonly StoredSets[] => SETS.parse(JSON.parse(text));
const HASH_ROW = z
  .object({ order_hash: z.string().transform(orderHash) })
  .transform((row) => row.order_hash);

export const readHash = (row: unknown): OrderHash => HASH_ROW.parse(row);
export const readOrder = (row: unknown): StoredOrder => ORDER_ROW.parse(row);
export const readToken = (row: unknown): StoredToken => TOKEN_ROW.parse(row);
export const readTime = (row: unknown): UnixMs => TIME_ROW.parse(row);
export const readRecentFill = (row: unknown): StoredRecent['fills'][number] =>
  RECENT_FILL_ROW.parse(row);
export const readFill = (row: unknown): StoredFill => FILL_ROW.parse(row);
export const readSettlement = (row: unknown): StoredSettlement => SETTLEMENT_ROW.parse(row);
export const readFlows = (row: unknown): StoredFlows => FLOWS_ROW.parse(row);
export const readHalt = (text: string | undefined): StoredHalt | undefined =>
  text === undefined ? undefined : HALT.parse(JSON.parse(text));

export function orderCells(order: StoredOrder): readonly Cell[] {
  return [
    order.intentId,
    order.orderHash ?? null,
    order.marketId,
    order.tokenId,
    order.leg,
    order.side,
    order.price,
    order.ticksPerUnit,
    order.quantity,
    order.sentAtMs,
    order.isExternal ? 1 : 0,
    order.state,
    order.stateSinceMs,
    order.executed,
    order.confirmedAtMs ?? null,
    isTerminal(order.state) ? 1 : 0,
    order.expiresAtMs ?? null,
    order.settingsVersion ?? null,
    order.failed ?? 0,
    order.refusalCode === undefined ? null : redacted(order.refusalCode),
    order.isTake === true ? 1 : 0,
  ];
}

export function fillCells(fill: StoredFill): readonly Cell[] {
  return [
    fill.intentId,
    fill.executedAfter,
    fill.marketId,
    fill.tokenId,
    fill.side,
    fill.price,
    fill.ticksPerUnit,
    fill.quantity,
    fill.cashNano,
    fill.atMs,
    fill.isInferred === true ? 1 : 0,
  ];
}

export function settlementCells(trade: StoredSettlement): readonly Cell[] {
  const { tradeId, side: of, quantity: shares, cashNano, atMs } = trade;
  const isRecovered = trade.isRecovered === true ? 1 : 0;
  return [tradeId, trade.tokenId ?? null, of, shares, cashNano, atMs, isRecovered];
}

export function tokenCells(held: StoredToken): readonly Cell[] {
  const { tokenId: id, confirmed, pending, changedAtMs, uncertain, unreported, shown } = held;
  const lists = [uncertain, unreported, shown, held.past ?? []];
  const open = lists.map((items) => JSON.stringify(items));
  return [id, confirmed, JSON.stringify(pending), changedAtMs ?? null, ...open];
}

export function flowsCells(flows: StoredFlows): readonly Cell[] {
  const { marketId: id, cashNano, fills, start, startValueNano } = flows;
  const begun = [start?.yes ?? null, start?.no ?? null, startValueNano ?? null];
  return [id, cashNano, fills, ...begun];
}

const ACTION_ROW = z
  .object({
    number: whole,
    at_ms: time,
    by: z.string(),
    action: z.string(),
    target: z.string(),
    result: z.string(),
    detail: z.string(),
    link: z.string(),
  })
  .transform(({ at_ms: atMs, ...row }): StoredAction => ({ ...row, atMs }));

export const readAction = (row: unknown): StoredAction => ACTION_ROW.parse(row);

export function actionCells(action: StoredAction): readonly Cell[] {
  const { number, atMs, by, target, result, detail, link } = action;
  return [number, atMs, by, action.action, target, result, detail, link];
}
