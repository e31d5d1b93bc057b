// The venue says that this account may not trade, or not open positions from here: only orders that reduce go
// out for as long as that lasts, and one order that adds asks now and then whether it still does.
// @spec Errors

import { consequenceOf } from '../../domain/codes.ts';
import type { RequestId } from '../../domain/ids.ts';
import type { Refusal } from '../../domain/message.ts';
import { askAgainInMs } from '../kernel/bounds.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { RiskStores } from '../risk/stores.ts';
import { afterMs, trip } from '../risk/trip.ts';

/** A short one costs a tenth more than it lasted, one for good a write a minute. */
const PACE = { leastMs: 2_000, mostMs: 60_000 };

/** Of what opens nothing but one order leaves: it asks whether the restriction is over. */
export function isAsking({ controls }: RiskStores): boolean {
  if (controls.restriction.sinceMs === undefined) return false;
  return controls.latches.get('account_refused', undefined) === undefined;
}

/** The one that asks has left, and has no answer yet. */
export function isAsked(stores: RiskStores): boolean {
  return stores.controls.restriction.askedIn !== undefined && isAsking(stores);
}

/** A sell asks nothing: who may only reduce can still sell, as many at once as ever. */
export function asks(stores: RiskStores, { side }: Pick<OwnOrder, 'side'>): boolean {
  return side === 'BUY' && isAsking(stores);
}

/** @param requestId - Of a placement that was answered, whatever the answer. */
export function onAskedAnswered(
  { controls: { restriction } }: RiskStores,
  requestId: RequestId,
): void {
  if (restriction.askedIn === requestId) restriction.askedIn = undefined;
}

/**
 * What was sent while the restriction held tells nothing new; what asks makes the next wait longer.
 * @returns Whether it is known of this order: all of them wait for the next one that asks.
 */
export function onRestricted(stores: RiskStores, refusal: Refusal): boolean {
  const { controls, nowMs } = stores;
  const { restriction } = controls;
  if (controls.latches.get('account_refused', undefined) !== undefined) return false;
  restriction.sinceMs ??= nowMs;
  const forMs = askAgainInMs(nowMs - restriction.sinceMs, PACE);
  trip(stores, {
    control: 'account_refused',
    level: 'reduce-only',
    detail: () => `${refusal.code}: ${refusal.message}; one order asks again after this`,
    resumes: afterMs(stores, forMs),
  });
  return true;
}

/** A position may be opened: a buy was accepted. */
export function onBuyAccepted(stores: RiskStores, order: OwnOrder): void {
  if (!asks(stores, order)) return;
  stores.controls.restriction.sinceMs = undefined;
  for (const market of stores.markets.values()) {
    for (const axisSide of ['bid', 'ask'] as const) {
      const code = market.backoff[axisSide]?.code;
      if (code === undefined || consequenceOf(code) !== 'reduceOnly') continue;
      market.backoff[axisSide] = undefined;
      market.isDirty = true;
    }
  }
}
