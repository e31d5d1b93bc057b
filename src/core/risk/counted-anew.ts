// A breaker counts anew: it has tripped, or an operator has lifted it. Each is kept for the runs to come.

import type { MarketId } from '../../domain/ids.ts';
import type { StoredLatch } from '../../domain/risk.ts';
import { addMs } from '../../domain/time.ts';
import type { Counted } from './cleared.ts';
import type { RiskStores } from './stores.ts';

/** A breaker has tripped, and counts anew from here, over runs. */
export function onCountedAnew(stores: RiskStores, counted: Counted): void {
  const { cleared } = stores.controls.counts;
  cleared.add({ ...counted, atMs: stores.nowMs });
  stores.outbox.record({ kind: 'cleared', cleared: cleared.current(stores.nowMs) });
}

/** An operator has seen what tripped these: it trips them no second time, in this run or another. */
export function countAnew(stores: RiskStores, lifted: readonly StoredLatch[]): void {
  const { cleared } = stores.controls.counts;
  const breakers = lifted.filter((latch) => clearCount(stores, latch));
  if (breakers.length === 0) return;
  // What happens in this very moment may come after the lift.
  const atMs = addMs(stores.nowMs, -1);
  for (const { control, marketId } of breakers) cleared.add({ control, marketId, atMs });
  stores.outbox.record({ kind: 'cleared', cleared: cleared.current(stores.nowMs) });
}

/** @returns Whether it counts at all. */
function clearCount(stores: RiskStores, { control, marketId }: StoredLatch): boolean {
  const { counts } = stores.controls;
  switch (control) {
    case 'order_rate':
      counts.orders.clear();
      return true;
    case 'settlement_failures':
      counts.failures.clear();
      return true;
    case 'fill_burst':
      countsOf(stores, marketId)?.fills.clear();
      return true;
    case 'repeated_refusals':
      countsOf(stores, marketId)?.refusals.forget();
      return true;
    default:
      return false;
  }
}

/** Those of a market that is not known are counted from the ledger when it is, and from the lift. */
function countsOf({ controls, markets }: RiskStores, marketId: MarketId | undefined) {
  return marketId === undefined ? controls.counts : markets.get(marketId)?.counts;
}
