// Trusts a split, merge or redeem when cash or balances show it, and not before.
// @spec Endpoints › Conditional tokens (all Auth)

import { intentId, type TokenId } from '../../domain/ids.ts';
import { LEGS, type Leg } from '../../domain/market.ts';
import { type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { payoutNano } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { EPSILON_NANO } from '../positions/cash.ts';
import { doubt } from '../positions/doubt.ts';
import type { SetsRequest } from '../positions/sets-book.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { QuotedMarket } from '../quoting/market.ts';
import { holdToLimits } from '../risk/beyond-limits.ts';
import { move, report } from './sets.ts';
import type { SetsStores } from './stores.ts';

const ABSENT = 'balances have not shown it; a transaction may have reverted';

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
      doubtSets(stores, market, request);
      move(stores, request, 'absent', ABSENT);
    }
  }
}

/** Its shares may be there all the same, among changes of which nobody has told. */
function doubtSets(
  stores: PositionStores,
  market: QuotedMarket | undefined,
  request: SetsRequest,
): void {
  const { order, amount: quantity } = request;
  if (market === undefined || order.action === 'redeem') return;
  const side = order.action === 'split' ? 'BUY' : 'SELL';
  const cashNano = (signOf(request) * payoutNano(quantity)) / LEGS.length;
  for (const leg of LEGS) {
    const id = intentId(`${order.id}-${leg}`);
    const item = { intentId: id, side, quantity, cashNano, sinceMs: stores.nowMs } as const;
    doubt(stores, market.tokenOf(leg), { cause: 'order_end', ...item });
  }
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
  if (!isOver || request.state !== 'accepted') return undefined;
  // Its shares are there among other changes: trades that nobody reported keep cash and shares from showing it exactly.
  const moved = movedShares(stores, market, amounts);
  return LEGS.every((leg) => sign * moved[leg] >= request.amount) ? effect : undefined;
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

// The network may deliver a split or merge twice, and then it takes effect twice. Positions show it minutes later, and
// cash at once: it lacks once more just what the request cost, and nothing else that is known explains that.

/** A settlement may come moments before its report: what cash lacks for longer is nothing of that. */
const STANDS_MS = 5_000;

/** After a read of the balances, in which what was asked for has been confirmed. */
export function confirmTwice(stores: SetsStores, askedAtMs: UnixMs): void {
  const { sets, cash } = stores;
  const alike = sets.paid().filter((request) => mayBeTwice(stores, request, askedAtMs));
  const [only] = alike;
  const market = only && stores.markets.get(only.order.marketId);
  if (only === undefined || market === undefined || alike.length > 1) {
    sets.suspect = undefined;
    return;
  }
  const { id } = only.order;
  if (sets.suspect?.id !== id) sets.suspect = { id, sinceMs: askedAtMs };
  if (askedAtMs - sets.suspect.sinceMs < STANDS_MS) return;
  const order = { ...only.order, id: twice(id) };
  const again = { ...only, order, state: 'confirmed', detail: 'delivered twice' } as const;
  const change = signOf(only) * -only.amount;
  const cashNano = signOf(only) * payoutNano(only.amount);
  sets.add(again);
  cash.explain(cashNano, sets.suspect.sinceMs);
  apply(stores, market, { effect: { yes: change, no: change, cashNano }, request: again });
  // What rests was admitted beside the first one alone.
  holdToLimits(stores, market.tokenOf('yes'));
  report(stores, again);
}

function mayBeTwice(stores: SetsStores, request: SetsRequest, askedAtMs: UnixMs): boolean {
  const { order, amount } = request;
  if (order.id.endsWith(twice('')) || stores.sets.has(twice(order.id))) return false;
  const nano = signOf(request) * payoutNano(amount);
  // What lacked before it left is nothing of it.
  const isNew = isNear(stores.cash.breakNano, nano) && !isNear(request.breakNano, nano);
  if (!isNew || isPastDeadline(stores, request, askedAtMs)) return false;
  // A trade of that cost may have settled unreported: two explanations are none.
  const { positions } = stores;
  const isOfOrder = [...positions.allUncertain()].some(({ item }) => isNear(item.cashNano, nano));
  return !isOfOrder && !positions.isCostOfPending(nano);
}

function twice(id: string): string {
  return `${id}-twice`;
}
