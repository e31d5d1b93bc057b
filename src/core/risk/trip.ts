// A control trips, and comes back: the one place where latches move, are reported and are kept.

import type { MarketId } from '../../domain/ids.ts';
import type { ControlName, ResumeRule, RiskAction, StoredLatch } from '../../domain/risk.ts';
import { addMs } from '../../domain/time.ts';
import { touchMarket } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { Counted } from './counts.ts';
import { clearsText } from './latches.ts';
import type { RiskStores } from './stores.ts';

type Trip = {
  readonly control: ControlName;
  /** `undefined` for the whole account. */
  readonly marketId?: MarketId | undefined;
  readonly level: RiskAction;
  /** Asked for when it trips, since most calls find it tripped already. */
  readonly detail: () => string;
  readonly resumes: ResumeRule;
};

/**
 * What moved, and what an operator reads about it. A control that holds already moves when this is harder,
 * or holds longer: a near loss that has become the loss is an operator's, and a burst that goes on cools
 * off from its end.
 */
export function trip(stores: RiskStores, of: Trip): void {
  const { control, marketId, level } = of;
  const { latches } = stores.controls;
  const resumes: ResumeRule = level === 'killed' ? { kind: 'operator' } : of.resumes;
  if (!latches.moves({ control, marketId, level, resumes })) return;
  const detail = of.detail();
  const sinceMs = stores.nowMs;
  const latch = latches.set({ control, marketId, level, detail, resumes, sinceMs });
  stores.outbox.report({
    event: 'control.tripped',
    control,
    marketId,
    raisedTo: latch.level,
    detail,
    clears: clearsText(latch.resumes, stores.nowMs),
  });
  onMoved(stores, marketId);
}

/** What tripped it is over: that lifts what waits for just this, and neither a time nor an operator's. */
export function ease(stores: RiskStores, control: ControlName, marketId?: MarketId): void {
  const { latches } = stores.controls;
  // Called at every look at a market, and nearly always in vain.
  if (latches.size === 0) return;
  const latch = latches.get(control, marketId);
  if (latch?.resumes.kind !== 'condition') return;
  latches.lift(control, marketId);
  onLifted(stores, latch, 'itself');
}

/** Lifts what ends by itself at its time. */
export function endTimed(stores: RiskStores): void {
  for (const latch of stores.controls.latches.takeEnded(stores.nowMs)) {
    onLifted(stores, latch, 'itself');
  }
}

/**
 * An operator's resume lifts everything automatic but the doubt behind a power cut; losses that took quotes away are measured from here, and
 * breakers count from here.
 * @returns What it lifted.
 */
export function liftAll(stores: RiskStores, by: string): readonly StoredLatch[] {
  const { latches, baselines } = stores.controls;
  const lifted = lift(stores, latches.takeAll(), by);
  // A warning is no loss yet: whoever resumes from a pause beside it has given nothing more to lose. One
  // that takes quotes away would do so again at once, and no resume could end it.
  const tripped = lifted.filter(
    ({ resumes, level }) => resumes.kind !== 'condition' || level !== 'widen',
  );
  baselines.acknowledge(tripped.map(({ control }) => control));
  return lifted;
}

/**
 * An operator's resume of one market lifts what holds that market alone; its breakers count from here.
 * @returns What it lifted.
 */
export function liftMarket(
  stores: RiskStores,
  marketId: MarketId,
  by: string,
): readonly StoredLatch[] {
  return lift(stores, stores.controls.latches.takeOf(marketId), by);
}

function lift(
  stores: RiskStores,
  lifted: readonly StoredLatch[],
  by: string,
): readonly StoredLatch[] {
  for (const latch of lifted) onLifted(stores, latch, by);
  countAnew(stores, lifted);
  return lifted;
}

/** By itself, after a while. */
export function afterMs(stores: KernelStores, coolOffMs: number): ResumeRule {
  return { kind: 'time', atMs: addMs(stores.nowMs, coolOffMs) };
}

function onLifted(stores: RiskStores, { control, marketId }: StoredLatch, by: string): void {
  stores.outbox.report({ event: 'control.eased', control, marketId, by });
  onMoved(stores, marketId);
}

function onMoved(stores: RiskStores, marketId: MarketId | undefined): void {
  stores.outbox.record({ kind: 'latches', latches: stores.controls.latches.all() });
  if (marketId !== undefined) touchMarket(stores, marketId);
  else for (const market of stores.markets.values()) market.isDirty = true;
}

// A breaker counts anew: it has tripped, or an operator has lifted it. Each is kept for the runs to come.

/** A breaker has tripped, and counts anew from here, over runs. */
export function onCountedAnew(stores: RiskStores, counted: Counted): void {
  const { cleared } = stores.controls.counts;
  cleared.add({ ...counted, atMs: stores.nowMs });
  stores.outbox.record({ kind: 'cleared', cleared: cleared.current(stores.nowMs) });
}

/** An operator has seen what tripped these: it trips them no second time, in this run or another. */
function countAnew(stores: RiskStores, lifted: readonly StoredLatch[]): void {
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
