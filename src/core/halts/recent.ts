// What earlier lives did within the intervals of the breakers, by the ledger. A process that dies again
// and again would begin to count anew each time, and be held to nothing.

import type { MarketId } from '../../domain/ids.ts';
import type { StoredRecent } from '../../domain/record.ts';
import type { ControlName } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { MarketState } from '../market.ts';
import type { World } from '../world.ts';

/** Counts on for the account. What a breaker that still holds has counted, it counts no second time. */
export function restoreCounts(world: World, { ordersAtMs, fills }: StoredRecent): void {
  const { counts } = world.controls;
  const { orderRate, fillBurst } = world.settings?.risk ?? {};
  const orders = ordersAtMs.filter(isSince(world, 'order_rate', undefined));
  for (const atMs of orders.toSorted(byTime)) {
    if (orderRate) counts.orders.add(atMs, orderRate.intervalMs, { count: 1, amount: 0 });
  }
  const isCounted = isSince(world, 'fill_burst', undefined);
  for (const fill of fills.toSorted((a, b) => byTime(a.atMs, b.atMs))) {
    counts.recentFills.add(fill);
    const what = { count: 1, amount: fill.quantity };
    if (fillBurst && isCounted(fill.atMs)) counts.fills.add(fill.atMs, fillBurst.intervalMs, what);
  }
}

/** The same for a market, when it is met. */
export function restoreMarketCounts(world: World, market: MarketState): void {
  const fillBurst = world.settings?.risk.fillBurst;
  const { id } = market.market;
  const isCounted = isSince(world, 'fill_burst', id);
  for (const { atMs, quantity } of world.controls.counts.recentFills.take(id)) {
    const what = { count: 1, amount: quantity };
    if (fillBurst && isCounted(atMs)) market.counts.fills.add(atMs, fillBurst.intervalMs, what);
  }
}

function isSince(
  { controls }: World,
  control: ControlName,
  marketId: MarketId | undefined,
): (atMs: UnixMs) => boolean {
  const sinceMs = controls.latches.get(control, marketId)?.sinceMs;
  return (atMs) => sinceMs === undefined || atMs > sinceMs;
}

function byTime(one: UnixMs, other: UnixMs): number {
  return one - other;
}
