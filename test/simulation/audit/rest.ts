// When the troubles are over and the crowd stands still: what the daemon trusts is what is true.
// `not_live`, `ledger_differs`, and what is compared of money, orders and books.

import type { MarketId } from '../../../src/domain/ids.ts';
import type { MarketView, Reason } from '../../../src/domain/view.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { OrderFact } from './facts.ts';
import { isUncancellable } from './proofs.ts';
import { bookFaults, orderFaults } from './rest-books.ts';
import { cashFaults, holdFaults, positionFaults, profitFaults } from './rest-money.ts';
import type { RestParts } from './rest-parts.ts';
import type { Fault } from './room.ts';

/** A market whose positions are in doubt is quoted again within this time, once it is quiet. */
const DOUBT_MS_MAX = 400_000;
/** A cancel is refused, a list shows it, and so once more after a pause of seconds. */
const OLD_GRID_MS_MAX = 120_000;
/** States of a book that is priced from. */
const COUNTED = new Set(['live', 'trusted']);
/** All of it traded: what is missing is the word of the chain. */
const SETTLED_ELSEWHERE = new Set(['matched', 'settling']);
/** Somebody else's order may have passed for a placement: until this is over, it may still arrive beside it. */
const DUPLICATE_MS_MAX = 120_000;
/** An end that no frame reported is told on the disk by then: balances answer for it, or its market is in doubt. */
const END_MS_MAX = 15_000;
/** Codes of what passes when the troubles are over: none of them holds an open market at rest. */
const PASSING = new Set([
  'in_flight',
  'held_unlisted',
  'partial_update',
  'suspect_book',
  'no_book',
  'dead_book',
  'socket_lost',
  'user_channel_down',
  'credentials_refused',
  'balances_unknown',
  'unknown_api_key',
  'invalid_signature',
  'expired_timestamp',
  'rate_limited',
  'market_paused',
  'market_closed',
  'market_resolved',
]);

export function restFaults(parts: RestParts): readonly Fault[] {
  const view = parts.engine.view();
  const faults: Fault[] = [];
  if (view.phase !== 'quoting' && view.phase !== 'halted') {
    faults.push({ rule: 'not_live', detail: `${view.phase}: ${view.phaseReason}` });
    return faults;
  }
  faults.push(...cashFaults(parts, view.account.cashUsdc));
  const { phase, atMs } = view;
  const known = new Set(view.markets.map(({ marketId }) => marketId));
  for (const market of view.markets)
    faults.push(...marketFaults(parts, market, { phase, atMs, known }));
  faults.push(...profitFaults(parts, view), ...leftBehind(parts, known));
  return [...faults, ...keptFaults(parts, atMs)];
}

/** What the disk has as live is live: whatever is forgotten stays there for ever. */
function keptFaults({ kept, facts }: RestParts, nowMs: number): readonly Fault[] {
  return kept.flatMap(({ state, orderHash, intentId, sentAtMs, stateSinceMs }) => {
    if (SETTLED_ELSEWHERE.has(state)) return [];
    if (state === 'cancelUnresolved' && nowMs - stateSinceMs < END_MS_MAX) return [];
    if (intentId.endsWith('-duplicate') && nowMs - sentAtMs < DUPLICATE_MS_MAX) return [];
    const fact = orderHash && facts.find(orderHash);
    if (fact && fact.order.restingMicro() > 0) return [];
    return [
      { rule: 'ledger_differs', detail: `${intentId} is ${state} on the disk, and is not live` },
    ];
  });
}

/** Own orders on markets that the daemon does not quote any more. */
function leftBehind(parts: RestParts, known: ReadonlySet<MarketId>): readonly Fault[] {
  const faults: Fault[] = [];
  for (const { order, owner, era } of parts.facts.live()) {
    const { market, orderHash } = order.terms;
    if (owner !== 'intent' || known.has(market.market.id)) continue;
    if (parts.isOwnScope && era !== parts.era) continue;
    const detail = `${market.market.title} is left, and ${orderHash} rests there`;
    faults.push({ rule: 'orders_differ', detail });
  }
  return faults;
}

function marketFaults(
  parts: RestParts,
  view: MarketView,
  at: { readonly phase: string; readonly atMs: number; readonly known: ReadonlySet<MarketId> },
): readonly Fault[] {
  const { phase, atMs: nowMs } = at;
  const market = parts.exchange.catalogue.market(view.marketId);
  const isHeld = isHeldByOld(parts, view, { market, nowMs });
  const faults = isHeld ? [] : [...orderFaults(parts, view, market)];
  // A split or merge is trusted when positions show it, which takes them minutes.
  const isSettled = !parts.isRecycling(view.marketId);
  if (isSettled) faults.push(...positionFaults(parts, view, market));
  if (isHeld || phase !== 'quoting' || market.trading !== 'open') return faults;
  if (isSettled) faults.push(...holdFaults(parts, market, at));
  const { yes, no } = view.bookStates;
  // No strategy is shown the book of a market on its way out, and its last one is of before.
  const isLeaving = view.bidReason?.code === 'not_configured';
  if (!COUNTED.has(yes) || !COUNTED.has(no))
    faults.push({ rule: 'not_live', detail: `books ${yes}, ${no}` });
  else if (!isLeaving) faults.push(...bookFaults(parts, market));
  for (const side of ['bid', 'ask'] as const) {
    const isQuoted = (side === 'bid' ? view.ownBids : view.ownAsks).length > 0;
    const reason = side === 'bid' ? view.bidReason : view.askReason;
    if (isQuoted || (reason && mayHold(reason, nowMs))) continue;
    const why = reason ? `${reason.code}: ${reason.detail}` : 'no reason';
    faults.push({ rule: 'not_live', detail: `${view.title} ${side} is not quoted, ${why}` });
  }
  return faults;
}

/**
 * A market waits on its old tick size until its last order of that is gone, or until the venue has refused to cancel
 * it twice, and says so.
 */
function isHeldByOld(
  { facts, exchange }: RestParts,
  { bidReason }: MarketView,
  { market, nowMs }: { readonly market: ListedMarket; readonly nowMs: number },
): boolean {
  if (bidReason?.code !== 'tick_size_changes') return false;
  if (nowMs - bidReason.sinceMs >= OLD_GRID_MS_MAX) return false;
  const cancelsParts = exchange.context.rules.partiallyFilledCancellable;
  const isOld = ({ ticksPerUnit }: OrderFact): boolean => ticksPerUnit !== market.grid.ticksPerUnit;
  return [...facts.live()].some(
    (fact) =>
      fact.order.terms.market === market && isOld(fact) && isUncancellable(fact, cancelsParts),
  );
}

/** A doubt about positions lasts as long as positions lag, and not much longer. */
function mayHold({ code, sinceMs }: Reason, nowMs: number): boolean {
  if (code === 'position_unconfirmed') return nowMs - sinceMs < DOUBT_MS_MAX;
  return !PASSING.has(code);
}
