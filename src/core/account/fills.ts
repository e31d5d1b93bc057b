// Reports of own fills, and settlements on the chain, become shares and cash: those that frames tell, and those that the
// history of trades tells alone.
// @spec Settlement outcome

import type { TokenId } from '../../domain/ids.ts';
import type { MessageOf, ReadOutcome, SettledTrade } from '../../domain/message.ts';
import type { PersistedState, StoredEarly, StoredPending } from '../../domain/record.ts';
import {
  addShares,
  formatShares,
  type MicroShares,
  NO_SHARES,
  subtractShares,
} from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { dropOldest } from '../kernel/bounds.ts';
import { touchToken } from '../kernel/market.ts';
import { flowNano, tradeNano } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { PositionStores } from '../positions/stores.ts';
import { takeEarly, type Wanted } from '../positions/token-position.ts';
import { cashOf, type Fill, isAtPrice, type ReportedFill } from '../positions/unsettled.ts';
import { holdToLimits } from '../risk/beyond-limits.ts';
import { onFillCounted } from '../risk/breakers.ts';
import type { MarketState } from '../sending/market.ts';
import { settleBusts } from './busts.ts';
import { recordFill } from './records.ts';
import type { AccountStores } from './stores.ts';
import { addFlow, hasAlike, isNamed, tokenOf } from './trade-tokens.ts';

type Settled = MessageOf<'tradeSettled'>;

/** Trade ids remembered, so that a settlement that is reported twice counts once. */
const TRADE_IDS_MAX = 20_000;
/** Settlements that name no token, remembered until balances show their shares. */
const UNNAMED_MAX = 1_000;
/** Matches settle in 15 to 20 s: what traded longer ago has moved cash. @spec States and transitions */
export const SETTLED_BY_MS = 30_000;

/** Shares of an own order traded, at its own price: a maker is filled at his price or better. */
export function onExecuted(stores: AccountStores, order: OwnOrder, quantity: MicroShares): void {
  const market = stores.markets.get(order.marketId);
  if (market === undefined) return;
  const { flows, grid, insight } = market;
  market.holdings(stores.positions);
  const fill = fillOf(stores, market, order, quantity);
  const { cashNano, feeNano } = stores.positions.onFill(order.tokenId, fill, stores.nowMs);
  flows.cashNano += cashNano;
  flows.fills += 1;
  stores.cash.onFlow(-feeNano, stores.nowMs);
  insight.onFill({ side: order.axisSide, price: order.axisPrice, quantity }, stores.nowMs);
  touchToken(stores, order.tokenId);
  if (order.isExternal) holdToLimits(stores, order.tokenId);
  onFillCounted(stores, market, quantity);
  recordFill(stores, order, quantity);
  stores.outbox.report({
    event: 'order.filled',
    marketId: order.marketId,
    tokenId: order.tokenId,
    side: order.side,
    price: formatPrice(grid, order.price),
    quantity: formatShares(quantity),
  });
}

function fillOf(
  stores: KernelStores,
  { grid, choice }: MarketState,
  order: OwnOrder,
  quantity: MicroShares,
): ReportedFill {
  const { intentId, side, isTake, sentAtMs } = order;
  return {
    intentId,
    side,
    cashNano: flowNano(grid, order, quantity),
    takerFeeRate: isTake === true ? choice.takerFeeRate : undefined,
    quantity,
    original: quantity,
    sentAtMs,
    atMs: stores.nowMs,
  };
}

/** @returns Whether balances must be read, since nobody knows of which token it is. */
export function onTradeSettled(stores: AccountStores, told: Settled): boolean {
  const trade = partOf(stores, told);
  stores.history.onTold(told, stores.nowMs);
  if (isRepeated(stores, trade.tradeId)) return false;
  const tokenId = trade.tokenId ?? tokenOf(stores, trade);
  const quantity = formatShares(trade.quantity);
  stores.outbox.report({ event: 'trade.settled', tokenId, side: trade.side, quantity });
  if (tokenId === undefined) stores.history.onUnnamed(trade.tradeId);
  return settle(stores, trade, tokenId);
}

/** One trade may settle several fills, each reported under its id: what says something else is another part. */
function partOf(stores: AccountStores, told: Settled): Settled {
  const name = stores.history.nameOfPart(told);
  if (name === undefined) return told;
  const isPart = stores.tradeIds.has(name) || hasAlike(stores, told);
  return isPart ? { ...told, tradeId: name } : told;
}

/** Remembers the trade; `true` when it was counted before. */
function isRepeated({ tradeIds }: AccountStores, tradeId: string): boolean {
  if (tradeIds.has(tradeId)) return true;
  tradeIds.add(tradeId);
  dropOldest(tradeIds, TRADE_IDS_MAX);
  return false;
}

/** Counts a settlement, whoever reported it. @returns Whether its token is not known. */
function settle(stores: AccountStores, trade: SettledTrade, tokenId: TokenId | undefined): boolean {
  recordSettlement(stores, trade, tokenId);
  if (tokenId === undefined) {
    noteUnnamed(stores, trade);
    return true;
  }
  const market = stores.byToken.get(tokenId)?.market;
  // What it started with is fixed before the first share comes.
  market?.holdings(stores.positions);
  const { side, quantity } = trade;
  const cashNano = tradeNano(trade);
  const settled = { side, quantity, cashNano };
  const before = stores.positions.expected(tokenId);
  const counted = stores.positions.onSettled(tokenId, settled, stores.nowMs);
  if (stores.positions.expected(tokenId) !== before) holdToLimits(stores, tokenId);
  const netNano = cashNano - counted.feeNano;
  stores.cash.onFlow(netNano - counted.bookedNano, stores.nowMs);
  addFlow(stores, tokenId, netNano - counted.countedNano, trade.marketId);
  settleBusts(stores, tokenId);
  touchToken(stores, tokenId);
  return false;
}

/** Keeps a settlement, so that no run counts it again. */
function recordSettlement(
  stores: AccountStores,
  trade: SettledTrade,
  tokenId: TokenId | undefined,
): void {
  const { tradeId, side, quantity } = trade;
  const { history, outbox, nowMs: atMs } = stores;
  const isRecovered = !history.wasHeard(tradeId);
  const told = { tradeId, side, quantity, tokenId, cashNano: tradeNano(trade), atMs, isRecovered };
  outbox.record({ kind: 'settlement', settlement: told });
}

/** Cash moved, and the shares are those that balances show next: `takeUnnamed` finds it then. */
function noteUnnamed(stores: AccountStores, trade: SettledTrade): void {
  const { side, quantity } = trade;
  if (quantity <= 0) return;
  const cashNano = tradeNano(trade);
  stores.cash.onFlow(cashNano, stores.nowMs);
  stores.unnamedSettlements.push({ side, quantity, cashNano, atMs: stores.nowMs });
  if (stores.unnamedSettlements.length > UNNAMED_MAX) stores.unnamedSettlements.shift();
  // In one step with the settlement, or a next run would know of it and not of its cash.
  stores.written.sweptAtMs = undefined;
}

/**
 * What a previous run knew to have settled, as its cash has it, may be of a fill that waits for its shares: the newest, and
 * no more than wait. Of the others balances had shown whose they were.
 */
export function restoreUnnamed(
  stores: AccountStores,
  { tokens, settlements = [] }: PersistedState,
): void {
  const pending = tokens.flatMap((token) => token.pending);
  const left = { BUY: 0, SELL: 0 };
  for (const { side, quantity } of pending) left[side] += quantity;
  for (const { tokenId, side, quantity, cashNano, atMs } of settlements.toReversed()) {
    const isThen = pending.some((fill) => fill.side === side && isSince(fill, atMs));
    // An older ledger did not keep what one of an unknown token had cost.
    if (tokenId !== undefined || cashNano === 0 || !isThen || left[side] <= 0) continue;
    left[side] -= quantity;
    stores.unnamedSettlements.unshift({ side, quantity, cashNano, atMs });
  }
}

/** A settlement may come before its fill is reported. */
function isSince({ atMs }: StoredPending, settledAtMs: UnixMs): boolean {
  return settledAtMs > atMs - SETTLED_BY_MS;
}

/**
 * Whether a settlement that named no token can be of a fill: one may be of a part, and of several fills at the average of
 * their prices. It may have come long before, where others of that price settled instead of what it was of.
 */
export function mayBeOf(fill: StoredPending, settled: StoredEarly): boolean {
  if (settled.side !== fill.side) return false;
  return isSince(fill, settled.atMs) || isAtPrice(fill, settled);
}

/** Balances showed a fill as settled: its cash, where settlements without a token can be of it. */
export function takeUnnamed(stores: AccountStores, fill: Fill): number | undefined {
  let left = fill.quantity;
  let nano = 0;
  // What was at its price goes first.
  for (const isFor of [isAtPrice, () => true]) {
    const fits = (each: StoredEarly) => mayBeOf(fill, each) && isFor(fill, each);
    const taken = takeFrom(stores, { side: fill.side, quantity: left, fits });
    left = subtractShares(left, taken.quantity);
    nano += taken.nano;
  }
  if (left === fill.quantity) return undefined;
  // Of the rest nobody has told.
  const restNano = cashOf(fill, left);
  stores.cash.explain(restNano);
  return nano + restNano;
}

/** The history names the token of such a settlement: its cash is counted with it now, and no second time. */
function takeUnnamedTrade(stores: AccountStores, trade: SettledTrade): void {
  const { side, quantity } = trade;
  const priced = { cashNano: tradeNano(trade), original: quantity };
  const fits = (each: StoredEarly) => isAtPrice(priced, each);
  stores.cash.onFlow(-takeFrom(stores, { side, quantity, fits }).nano, stores.nowMs);
}

/** Takes so many shares off settlements that named no token, oldest first. */
function takeFrom(stores: AccountStores, wanted: Wanted) {
  let quantity = NO_SHARES;
  let nano = 0;
  stores.unnamedSettlements = takeEarly(stores.unnamedSettlements, wanted, (part, early) => {
    quantity = addShares(quantity, part);
    nano += Math.round((early.cashNano * part) / early.quantity);
  });
  return { quantity, nano };
}

// Settlements that the history tells of and no frame did: counted as if their frames came now, unless
// what balances showed may have them in it already.

/** Refusals of what was asked for, whoever asks: there is no such list, or not by these words. */
const SAYS_NO: ReadonlySet<number> = new Set([400, 404, 405, 410, 422]);

/** Takes in a read of the history. @returns Whether balances must be read. */
export function onTrades(
  stores: AccountStores,
  outcome: ReadOutcome<readonly SettledTrade[]>,
  askedAtMs: UnixMs,
): boolean {
  if (outcome.kind !== 'ok') {
    onUnreadTrades(stores, outcome);
    return false;
  }
  // Only a market says what shares cost, and only a baseline what there was before.
  if (stores.catalogue === undefined || !stores.positions.isBaselined) return false;
  const fresh = stores.history.onRead(outcome.value, askedAtMs);
  reportStanding(stores);
  let isUnclear = false;
  for (const { trade, sinceMs } of fresh) {
    if (takeListed(stores, trade, sinceMs)) isUnclear = true;
  }
  return isUnclear;
}

/** A shape that cannot be read is told once; what a network loses comes again. */
function onUnreadTrades(
  stores: AccountStores,
  outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' }>,
): void {
  const detail = whyUnreadable(outcome);
  if (detail !== undefined && stores.history.onUnreadable()) {
    stores.outbox.report({ event: 'history.state', state: 'unreadable', detail });
  }
}

function whyUnreadable(outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' }>): string | undefined {
  if (outcome.kind === 'unknown' && outcome.cause === 'unreadable') return outcome.detail;
  const isSaid = outcome.kind === 'refused' && SAYS_NO.has(outcome.refusal.httpStatus ?? 0);
  return isSaid ? outcome.refusal.message : undefined;
}

function reportStanding(stores: AccountStores): void {
  const state = stores.history.takeNewStanding();
  if (state === undefined) return;
  const detail =
    state === 'counted'
      ? 'it tells what frames told'
      : 'it tells of a settlement otherwise than its frame did, or of two by one name';
  stores.outbox.report({ event: 'history.state', state, detail });
}

function takeListed(stores: AccountStores, trade: SettledTrade, sinceMs: UnixMs): boolean {
  const wasTold = stores.history.takeUnnamed(trade.tradeId);
  if (wasTold) takeUnnamedTrade(stores, trade);
  else if (isRepeated(stores, trade.tradeId)) return false;
  const tokenId = trade.tokenId ?? tokenOf(stores, trade);
  const isShown = tokensOf(stores, trade).some(
    (each) => isInOpening(stores, each, sinceMs) || isOfSets(stores, each, trade),
  );
  const isCounted = tokenId === undefined || !isShown;
  const { tradeId, side } = trade;
  const told = { tradeId, tokenId: trade.tokenId, side, quantity: formatShares(trade.quantity) };
  if (!wasTold) stores.outbox.report({ event: 'trade.recovered', ...told, isCounted });
  if (isCounted) return settle(stores, trade, tokenId);
  recordSettlement(stores, trade, tokenId);
  return true;
}

/** Tokens that a record may be of: without a name, what balances have shown of one is no other one's. */
function tokensOf(stores: AccountStores, trade: SettledTrade): readonly TokenId[] {
  if (trade.tokenId !== undefined) return [trade.tokenId];
  return [...stores.byToken.keys()].filter((each) => isNamed(stores, each, trade));
}

/** The opening position has in it whatever settled before it was read. */
function isInOpening({ positions }: PositionStores, tokenId: TokenId, sinceMs: UnixMs): boolean {
  const openedAtMs = positions.openedAtMs(tokenId);
  return openedAtMs !== undefined && openedAtMs >= sinceMs;
}

/** A history may be so late, and list the halves of a split or merge as trades: balances have shown those. */
const SETS_LISTED_MS = 600_000;

function isOfSets(stores: AccountStores, tokenId: TokenId, trade: SettledTrade): boolean {
  const { sets, nowMs } = stores;
  const id = stores.byToken.get(tokenId)?.market.market.id;
  if (id === undefined) return false;
  const sinceMs = addMs(nowMs, -SETS_LISTED_MS);
  return sets.underWay(id) !== undefined || sets.mayBeListedAs(id, trade, sinceMs);
}
