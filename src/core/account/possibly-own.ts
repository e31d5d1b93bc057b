// In the own scope a placement whose answer was lost is found by what it asked for. One that the venue has
// restated is like nothing that was sent, and passes for somebody else's: nothing that a list shows confirms
// whose it is. Whoever runs this is told which orders came just then, and looks.

import type { OrderReport } from '../../domain/order.ts';
import { formatShares } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import { mayArriveUntilMs } from '../orders/horizon.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { cameThen, type Verdict } from '../orders/reconcile.ts';
import { cancelScopeOf } from '../risk/cancel-scope.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { AccountStores } from './stores.ts';

/** Orders named in one report; it says how many there are. */
const NAMED_MAX = 5;

/** Placements of which nobody reported anything until they could arrive no more. */
export function givenUp(stores: RiskStores, verdicts: readonly Verdict[]): readonly OwnOrder[] {
  if (cancelScopeOf(stores) === 'account') return [];
  return verdicts.flatMap((verdict) =>
    verdict.kind === 'absent' && isUnreported(verdict.order) ? [verdict.order] : [],
  );
}

function isUnreported({ state, answeredHash }: OwnOrder): boolean {
  return state === 'unknown' && answeredHash === undefined;
}

/** After a list that showed none of them: tells of somebody else's orders that came when one was sent. */
export function tellPossiblyOwn(
  stores: AccountStores,
  placements: readonly OwnOrder[],
  reports: readonly OrderReport[],
): void {
  for (const order of placements) {
    const grid = stores.markets.get(order.marketId)?.grid;
    const found = reports.filter((report) => mayBe(stores, order, report));
    if (grid === undefined || found.length === 0) continue;
    stores.outbox.report({
      event: 'order.possibly_own',
      tokenId: order.tokenId,
      side: order.side,
      price: formatPrice(grid, order.price),
      quantity: formatShares(order.quantity),
      orderHashes: found.slice(0, NAMED_MAX).map(({ orderHash }) => orderHash),
      count: found.length,
    });
  }
}

function mayBe(stores: AccountStores, order: OwnOrder, report: OrderReport): boolean {
  const { orderHash, tokenId, side, createdAtMs } = report;
  if (tokenId !== order.tokenId || side !== order.side) return false;
  if (stores.ledger.isOwnHash(orderHash)) return false;
  const isThen = cameThen(order, report, {
    clockOffsetMs: stores.clock.lowestOffsetMs,
    mayArriveUntilMs: (sent) => mayArriveUntilMs(stores, sent),
  });
  if (!isThen) return false;
  if (createdAtMs !== undefined) return true;
  const metAtMs = stores.ledger.byHash(orderHash)?.sentAtMs ?? stores.unnamed.get(orderHash);
  return metAtMs === undefined || metAtMs >= order.sentAtMs;
}
