// A control trips, and comes back: the one place where latches move, are reported and are kept.

import type { MarketId } from '../../domain/ids.ts';
import type { ControlName, ResumeRule, RiskAction, StoredLatch } from '../../domain/risk.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { World } from '../world.ts';
import { countAnew } from './counted-anew.ts';
import { heldOn } from './latches.ts';

export type Trip = {
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
export function trip(world: World, of: Trip): void {
  const { control, marketId, level } = of;
  const { latches } = world.controls;
  const resumes: ResumeRule = level === 'killed' ? { kind: 'operator' } : of.resumes;
  if (!latches.moves({ control, marketId, level, resumes })) return;
  const detail = of.detail();
  const asked = { control, marketId, level, detail, resumes, sinceMs: world.nowMs };
  const latch = heldOn(latches.get(control, marketId), asked);
  latches.set(latch);
  world.outbox.report({
    event: 'control.tripped',
    control,
    marketId,
    raisedTo: latch.level,
    detail,
    clears: clearsText(latch.resumes, world.nowMs),
  });
  onMoved(world, marketId);
}

/** What tripped it is over: that lifts what waits for just this, and neither a time nor an operator's. */
export function ease(world: World, control: ControlName, marketId?: MarketId): void {
  const { latches } = world.controls;
  // Called at every look at a market, and nearly always in vain.
  if (latches.size === 0) return;
  const latch = latches.get(control, marketId);
  if (latch?.resumes.kind !== 'condition') return;
  latches.lift(control, marketId);
  onLifted(world, latch, 'itself');
}

/** Lifts what ends by itself at its time. */
export function endTimed(world: World): void {
  for (const latch of world.controls.latches.takeEnded(world.nowMs)) {
    onLifted(world, latch, 'itself');
  }
}

/**
 * An operator's resume lifts everything automatic; losses that took quotes away are measured from here, and
 * breakers count from here.
 * @returns What it lifted.
 */
export function liftAll(world: World, by: string): readonly StoredLatch[] {
  const { latches, baselines } = world.controls;
  const lifted = latches.takeAll();
  for (const latch of lifted) onLifted(world, latch, by);
  countAnew(world, lifted);
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
export function liftMarket(world: World, marketId: MarketId, by: string): readonly StoredLatch[] {
  const lifted = world.controls.latches.takeOf(marketId);
  for (const latch of lifted) onLifted(world, latch, by);
  if (lifted.length > 0) countAnew(world, lifted);
  return lifted;
}

/** By itself, after a while. */
export function afterMs(world: World, coolOffMs: number): ResumeRule {
  return { kind: 'time', atMs: addMs(world.nowMs, coolOffMs) };
}

/** What lifts a latch, for people. */
export function clearsText(resumes: ResumeRule, nowMs: UnixMs): string {
  switch (resumes.kind) {
    case 'operator':
      return 'bookend resume, after the cause is understood';
    case 'time':
      return `ends by itself in ${Math.max(0, Math.ceil((resumes.atMs - nowMs) / 1_000))} s`;
    case 'condition':
      return `by itself: ${resumes.text}`;
  }
}

function onLifted(world: World, { control, marketId }: StoredLatch, by: string): void {
  world.outbox.report({ event: 'control.eased', control, marketId, by });
  onMoved(world, marketId);
}

function onMoved(world: World, marketId: MarketId | undefined): void {
  world.outbox.record({ kind: 'latches', latches: world.controls.latches.all() });
  if (marketId === undefined) {
    for (const market of world.markets.values()) market.isDirty = true;
    return;
  }
  const market = world.markets.get(marketId);
  if (market) market.isDirty = true;
}
