// A breaker counts anew: it has tripped, or an operator has lifted it. Each is kept for the runs to come.

import type { MarketId } from '../../domain/ids.ts';
import type { StoredLatch } from '../../domain/risk.ts';
import { addMs } from '../../domain/time.ts';
import type { World } from '../world.ts';
import type { Counted } from './cleared.ts';

/** A breaker has tripped, and counts anew from here, over runs. */
export function onCountedAnew(world: World, counted: Counted): void {
  const { cleared } = world.controls.counts;
  cleared.add({ ...counted, atMs: world.nowMs });
  world.outbox.record({ kind: 'cleared', cleared: cleared.current(world.nowMs) });
}

/** An operator has seen what tripped these: it trips them no second time, in this run or another. */
export function countAnew(world: World, lifted: readonly StoredLatch[]): void {
  const { cleared } = world.controls.counts;
  const breakers = lifted.filter((latch) => clearCount(world, latch));
  if (breakers.length === 0) return;
  // What happens in this very moment may come after the lift.
  const atMs = addMs(world.nowMs, -1);
  for (const { control, marketId } of breakers) cleared.add({ control, marketId, atMs });
  world.outbox.record({ kind: 'cleared', cleared: cleared.current(world.nowMs) });
}

/** @returns Whether it counts at all. */
function clearCount(world: World, { control, marketId }: StoredLatch): boolean {
  const { counts } = world.controls;
  switch (control) {
    case 'order_rate':
      counts.orders.clear();
      return true;
    case 'settlement_failures':
      counts.failures.clear();
      return true;
    case 'fill_burst':
      countsOf(world, marketId)?.fills.clear();
      return true;
    case 'repeated_refusals':
      countsOf(world, marketId)?.refusals.forget();
      return true;
    default:
      return false;
  }
}

/** Those of a market that is not known are counted from the ledger when it is, and from the lift. */
function countsOf({ controls, markets }: World, marketId: MarketId | undefined) {
  return marketId === undefined ? controls.counts : markets.get(marketId)?.counts;
}
