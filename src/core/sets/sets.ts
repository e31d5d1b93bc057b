// Splits, merges and redeems as commands of the core: sent once, and trusted when balances show
// them. Until then what they cost stays reserved, whatever the venue answered.
// @spec Endpoints › Conditional tokens (all Auth)

import type { RequestId, TokenId } from '../../domain/ids.ts';
import { LEGS, type Leg } from '../../domain/market.ts';
import type { SetsOutcome } from '../../domain/message.ts';
import type { SetsOrder, SetsState } from '../../domain/sets.ts';
import {
  clampShares,
  formatShares,
  MICRO_PER_SHARE,
  type MicroShares,
  microShares,
  NO_SHARES,
} from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { failureText } from '../kernel/connection.ts';
import { payoutNano } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { remaining } from '../orders/own-order.ts';
import { EPSILON_NANO } from '../positions/cash.ts';
import { type SetsRequest, setsView } from '../positions/sets-book.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { QuotedMarket } from '../quoting/market.ts';
import type { RiskStores } from '../risk/stores.ts';
import { sumUpRisk } from '../risk/uncertain.ts';
import type { SetsStores } from './stores.ts';

const ABSENT = 'balances have not shown it; a transaction may have reverted';
/** Sends a request once, or says why not; a request of the same id changes nothing. */
export function onSetsOrder(stores: SetsStores, order: SetsOrder): void {
  if (stores.sets.has(order.id)) return;
  const market = stores.markets.get(order.marketId);
  const fault = faultOf(stores, market, order);
  const isSent = market !== undefined && fault === undefined;
  const requestId = isSent ? stores.outbox.nextRequestId() : undefined;
  const request: SetsRequest = {
    order,
    amount: order.amount ?? NO_SHARES,
    requestId,
    sentAtMs: stores.nowMs,
    state: isSent ? 'sent' : 'refused',
    detail: fault ?? '',
    isPaid: false,
    breakNano: stores.cash.breakNano,
    shown: { yes: false, no: false },
  };
  stores.sets.add(request);
  // On record before it leaves: a later run must not take it for a new request.
  report(stores, request);
  if (!isSent || requestId === undefined) return;
  // And so is what was held before it, nothing too: balances that show it would be what one starts with.
  for (const leg of LEGS) stores.touched.tokens.add(market.tokenOf(leg));
  const { marketId, action } = order;
  const change =
    action === 'redeem'
      ? ({ kind: action, marketId } as const)
      : ({ kind: action, eventId: market.event.id, marketId, amount: request.amount } as const);
  stores.outbox.send({ kind: 'changeSets', requestId, change });
}

export function onSetsAnswer(
  stores: PositionStores,
  requestId: RequestId,
  outcome: SetsOutcome,
): void {
  for (const request of stores.sets.live()) {
    if (request.requestId !== requestId || request.state !== 'sent') continue;
    const isUnknown = outcome.kind === 'unknown';
    if (outcome.kind === 'accepted') move(stores, request, 'accepted', outcome.txHash);
    else move(stores, request, isUnknown ? 'unknown' : 'refused', failureText(outcome));
  }
}

/**
 * Holds what is under way against a complete read of the balances, asked for after it was sent.
 * Called before positions are confirmed, so that a confirmed change is no divergence.
 */
export function confirmSets(
  stores: SetsStores,
  amounts: ReadonlyMap<TokenId, MicroShares>,
  askedAtMs: UnixMs,
): void {
  notePaid(stores, askedAtMs);
  for (const request of stores.sets.live()) {
    const market = stores.markets.get(request.order.marketId);
    if (askedAtMs <= request.sentAtMs) continue;
    const isOver = isPastDeadline(stores, request, askedAtMs);
    const effect = market && effectOf(stores, market, request, { amounts, isOver });
    // Of a market that left cash alone says it; its shares are met when it is back.
    if (effect !== undefined || (isOver && request.isPaid)) {
      if (market && effect) apply(stores, market, { effect, request });
      move(stores, request, 'confirmed', request.detail);
    } else if (isOver) {
      move(stores, request, 'absent', ABSENT);
    }
  }
}

function faultOf(
  stores: RiskStores,
  market: QuotedMarket | undefined,
  order: SetsOrder,
): string | undefined {
  if (market === undefined) return 'the market is not one of ours';
  if (!stores.positions.isBaselined) return 'balances are not known yet';
  const other = stores.sets.underWay(order.marketId);
  if (other) return `a ${other.order.action} of this market is not confirmed yet`;
  return faultOfAmount(stores, market, order);
}

function faultOfAmount(
  stores: RiskStores,
  market: QuotedMarket,
  order: SetsOrder,
): string | undefined {
  if (order.action === 'redeem') {
    return market.status === 'resolved' ? undefined : 'the market is not resolved';
  }
  const { amount } = order;
  if (amount === undefined || amount <= 0) return 'the amount must be above zero';
  if (order.action === 'split') {
    const freeNano = (stores.cash.availableNano ?? 0) - stores.sets.reservedCashNano();
    if (payoutNano(amount) > freeNano) return 'it costs more than the free cash';
    const room = roomForSets(stores, market);
    if (amount <= room) return undefined;
    return `max_position_shares leaves room for ${formatShares(room)} beside what is held and bid for`;
  }
  const free = freeSets(stores, market);
  return amount <= free ? undefined : `only ${formatShares(free)} complete sets are free`;
}

/**
 * Complete sets that the position limit leaves room for: it is one of each token, and counts shares that
 * belong to sets, and those that a live bid or one without an answer may bring.
 */
export function roomForSets(stores: RiskStores, market: QuotedMarket): MicroShares {
  const max = (stores.settings?.risk.maxPositionShares ?? 0) * MICRO_PER_SHARE;
  const held = market.holdingsShares(stores.positions);
  sumUpRisk(stores);
  const { buying } = stores.risk.exposure(market);
  const room = LEGS.map((leg) => max - held[leg] - buying[leg]);
  return clampShares(Math.max(0, Math.min(...room)));
}

/** Sets of settled shares that no live or matched sell holds. */
export function freeSets(stores: PositionStores, market: QuotedMarket): MicroShares {
  const free = LEGS.map((leg) => {
    let shares: number = stores.positions.sellable(market.tokenOf(leg));
    for (const order of stores.ledger.ofMarket(market.market.id)) {
      if (order.leg === leg && order.side === 'SELL') shares -= remaining(order);
    }
    return Math.max(0, shares);
  });
  return microShares(Math.min(...free));
}

type Effect = {
  readonly yes: number;
  readonly no: number;
  readonly cashNano: number;
  /** The outcome that came true, where the payout tells. */
  readonly winner?: Leg;
};

/** A complete read of the positions, and whether the time to show a request has passed by then. */
type Shown = { readonly amounts: ReadonlyMap<TokenId, MicroShares>; readonly isOver: boolean };

/**
 * What the balances show of a request: all of it, or `undefined`. Shares of both outcomes come and go
 * together only by sets, so both tokens must show it, each as its index catches up.
 */
function effectOf(
  stores: PositionStores,
  market: QuotedMarket,
  request: SetsRequest,
  { amounts, isOver }: Shown,
): Effect | undefined {
  if (request.order.action === 'redeem')
    return redeemed(stores, market, request, { amounts, isOver });
  const sign = -signOf(request);
  const change = sign * request.amount;
  for (const leg of LEGS) {
    const tokenId = market.tokenOf(leg);
    const amount = amounts.get(tokenId) ?? NO_SHARES;
    if (stores.positions.isShifted(tokenId, amount, change)) request.shown[leg] = true;
  }
  const effect = { yes: change, no: change, cashNano: -sign * payoutNano(request.amount) };
  const isShown = request.shown.yes && request.shown.no;
  // Cash has no lag: what moved exactly what it costs has happened. Else a named transaction shows its shares.
  if (request.isPaid || (isShown && request.state === 'accepted')) return effect;
  return isOver && isSeenLate(stores, market, request, { amounts, change }) ? effect : undefined;
}

/**
 * When the time is over: a named transaction has its shares among other changes. Trades that nobody
 * reported keep cash and shares from showing it exactly.
 */
function isSeenLate(
  stores: PositionStores,
  market: QuotedMarket,
  request: SetsRequest,
  of: { readonly amounts: ReadonlyMap<TokenId, MicroShares>; readonly change: number },
): boolean {
  if (request.state !== 'accepted') return false;
  const moved = movedShares(stores, market, of.amounts);
  const sign = Math.sign(of.change);
  return LEGS.every((leg) => sign * moved[leg] >= sign * of.change);
}

/**
 * Cash has no lag: one read that shows just this much is evidence for good, over restarts too. Requests
 * that move the same cash are told apart by nothing in it, so it must have moved for all of them.
 */
function notePaid(stores: SetsStores, askedAtMs: UnixMs): void {
  const paid = stores.sets.live().filter((request) => isPaidNow(stores, request));
  if (paid.length === 0) return;
  for (const request of paid) {
    stores.sets.notePaid(request);
    stores.cash.explain(signOf(request) * payoutNano(request.amount), askedAtMs);
  }
  stores.outbox.record({ kind: 'sets', requests: stores.sets.stored() });
}

function isPaidNow(stores: SetsStores, request: SetsRequest): boolean {
  if (request.isPaid || request.order.action === 'redeem') return false;
  const effect = signOf(request) * payoutNano(request.amount);
  const unpaid = stores.sets.live().filter((other) => !other.isPaid);
  const alike = unpaid.filter((other) =>
    cashOf(stores, other).some((nano) => isNear(nano, effect)),
  );
  const all = effect * alike.length;
  const seenNano = cashSince(stores, request);
  // One that was delivered twice has moved it twice, as far as nothing else may have.
  if (isNear(seenNano, all) || (unpaid.length === 1 && isNear(seenNano, 2 * all))) return true;
  // The break that there was may have been of a settlement that came a moment before its report, and is over.
  return isNear(stores.cash.breakNano, all) && !isNear(request.breakNano, all);
}

/** Cash that came on top of the break that there was when a request was sent. */
function cashSince({ cash }: PositionStores, { breakNano }: SetsRequest): number {
  return cash.breakNano - breakNano;
}

/** What a request adds to the cash if it takes effect: for a redeem, one of what each outcome pays. */
function cashOf(stores: SetsStores, request: SetsRequest): readonly number[] {
  if (request.order.action !== 'redeem') return [signOf(request) * payoutNano(request.amount)];
  const market = stores.markets.get(request.order.marketId);
  if (market === undefined) return [];
  return LEGS.map((leg) => payoutNano(stores.positions.confirmed(market.tokenOf(leg))));
}

/** A merge brings cash, a split takes it. */
export function signOf({ order }: SetsRequest): 1 | -1 {
  return order.action === 'split' ? -1 : 1;
}

/**
 * Cash of the last minutes that neither a settlement nor a chain action under way explains. Cash shows
 * a chain action at once and positions much later, so it is no cash break while it waits for its proof.
 */
export function cashBreakNano(stores: SetsStores, askedAtMs: UnixMs): number {
  let nano = stores.cash.breakNano;
  for (const request of stores.sets.live()) {
    if (request.isPaid || isPastDeadline(stores, request, askedAtMs)) continue;
    const seenNano = cashSince(stores, request);
    const [best = 0] = cashOf(stores, request)
      .filter((effect) => Math.abs(seenNano - effect) < Math.abs(seenNano))
      .toSorted((one, other) => Math.abs(seenNano - one) - Math.abs(seenNano - other));
    if (Math.abs(nano - best) < Math.abs(nano)) nano -= best;
  }
  return nano;
}

/**
 * The winning shares are gone and their payout has come, and losing shares are burnt with them. Each
 * token shows it when its index catches up; what stays when the time for that is over was not burnt.
 * Where everything is gone by then, what came counts: none for shares that had all lost, and no more
 * than one outcome pays where other cash came meanwhile.
 */
function redeemed(
  stores: PositionStores,
  market: QuotedMarket,
  request: SetsRequest,
  { amounts, isOver }: Shown,
): Effect | undefined {
  const moved = movedShares(stores, market, amounts);
  const cashNano = cashSince(stores, request);
  const settledOf = (leg: Leg) => stores.positions.confirmed(market.tokenOf(leg));
  const payoutOf = (leg: Leg) => payoutNano(settledOf(leg));
  const held = LEGS.filter((leg) => settledOf(leg) > 0);
  const gone = held.filter((leg) => moved[leg] === -settledOf(leg));
  const areAllGone = gone.length === held.length && held.length > 0;
  if (!areAllGone && !isOver) return undefined;
  const paidBy = (nano: number) => gone.find((leg) => isNear(nano, payoutOf(leg)));
  // What nothing had explained when it was sent may have been explained since.
  const winner = paidBy(cashNano) ?? (isOver ? paidBy(stores.cash.breakNano) : undefined);
  if (winner !== undefined) return { ...moved, cashNano: payoutOf(winner), winner };
  if (!areAllGone || !isOver) return undefined;
  const nearly = nearestLeg(gone, payoutOf, cashNano);
  if (nearly !== undefined) return { ...moved, cashNano: payoutOf(nearly), winner: nearly };
  const covered = gone.map(payoutOf).filter((payout) => payout <= cashNano + EPSILON_NANO);
  return { ...moved, cashNano: Math.max(0, ...covered) };
}

/** Other cash that moves beside a payout, as a fee or a better price, is a small part of it. */
const OTHER_CASH_PART = 0.05;

/** The outcome whose payout the cash comes nearest to, if it comes near to any. */
function nearestLeg(
  legs: readonly Leg[],
  payoutOf: (leg: Leg) => number,
  cashNano: number,
): Leg | undefined {
  const distance = (leg: Leg): number => Math.abs(payoutOf(leg) - cashNano);
  const [nearest] = legs.toSorted((a, b) => distance(a) - distance(b));
  if (nearest === undefined) return undefined;
  return distance(nearest) <= OTHER_CASH_PART * payoutOf(nearest) ? nearest : undefined;
}

function movedShares(
  stores: PositionStores,
  market: QuotedMarket,
  amounts: ReadonlyMap<TokenId, MicroShares>,
): { readonly yes: number; readonly no: number } {
  const moved = (leg: Leg) => {
    const tokenId = market.tokenOf(leg);
    return (amounts.get(tokenId) ?? 0) - stores.positions.confirmed(tokenId);
  };
  return { yes: moved('yes'), no: moved('no') };
}

export function apply(
  stores: PositionStores,
  market: QuotedMarket,
  { effect, request }: { readonly effect: Effect; readonly request: SetsRequest },
): void {
  market.holdings(stores.positions);
  const at = { sinceMs: request.sentAtMs, nowMs: stores.nowMs };
  for (const leg of LEGS) {
    if (effect[leg] !== 0) stores.positions.adjust(market.tokenOf(leg), effect[leg], at);
  }
  market.flows.cashNano += effect.cashNano;
  // Its proof is kept in this step, and so is what follows from it.
  stores.touched.flows.add(market.market.id);
  if (effect.winner !== undefined) market.onWinner(effect.winner);
  // It may have been booked when it showed, or with a break: then there is nothing left to explain.
  const seenNano = request.isPaid ? 0 : cashSince(stores, request);
  if (Math.abs(seenNano - effect.cashNano) < Math.abs(seenNano))
    stores.cash.explain(effect.cashNano);
  market.isDirty = true;
}

/** The time is over in which an unknown one could still take effect and show in positions. */
export function isPastDeadline(
  stores: KernelStores,
  request: SetsRequest,
  askedAtMs: UnixMs,
): boolean {
  const timing = stores.settings?.timing;
  if (timing === undefined) return false;
  const sinceMs = Math.max(stores.clock.jumpedAtMs ?? 0, request.sentAtMs);
  return askedAtMs > sinceMs + timing.unknownHorizonMs + timing.positionLagMs;
}

/** A change under way explains differences of its market, but not for ever. */
export function isExplainedBySets(
  stores: PositionStores,
  market: QuotedMarket,
  askedAtMs: UnixMs,
): boolean {
  const request = stores.sets.underWay(market.market.id);
  return request !== undefined && !isPastDeadline(stores, request, askedAtMs);
}

/** Whether the cash of a chain action may have moved before positions show it. */
export function isAnyUnderWay(stores: PositionStores, askedAtMs: UnixMs): boolean {
  return stores.sets.live().some((each) => !isPastDeadline(stores, each, askedAtMs));
}

export function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= EPSILON_NANO;
}

function move(
  stores: PositionStores,
  request: SetsRequest,
  state: SetsState,
  detail: string,
): void {
  stores.sets.move(request, state, detail);
  report(stores, request);
}

export function report(stores: PositionStores, request: SetsRequest): void {
  stores.outbox.record({ kind: 'sets', requests: stores.sets.stored() });
  stores.outbox.report({ event: 'sets.changed', ...setsView(request) });
}
