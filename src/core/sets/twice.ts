// The network may deliver a split or merge twice, and then it takes effect twice. Positions show it minutes later, and
// cash at once: it lacks once more just what the request cost, and nothing else that is known explains that.

import type { UnixMs } from '../../domain/time.ts';
import { payoutNano } from '../kernel/nano.ts';
import type { SetsRequest } from '../positions/sets-book.ts';
import { holdToLimits } from '../risk/beyond-limits.ts';
import { apply, isNear, isPastDeadline, report, signOf } from './sets.ts';
import type { SetsStores } from './stores.ts';

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
  if (!isNear(stores.cash.breakNano, nano) || isPastDeadline(stores, request, askedAtMs))
    return false;
  // A trade of that cost may have settled unreported: two explanations are none.
  const { positions } = stores;
  const isOfOrder = [...positions.allUncertain()].some(({ item }) => isNear(item.cashNano, nano));
  return !isOfOrder && !positions.isCostOfPending(nano);
}

function twice(id: string): string {
  return `${id}-twice`;
}
