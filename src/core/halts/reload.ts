// New settings lift nothing whose cause is still there: what holds by a condition is asked again of what
// was last measured, and only what nobody asks for any more lets go at once.

import type { RiskLimits } from '../../domain/input.ts';
import type { ControlName, StoredLatch } from '../../domain/risk.ts';
import type { World } from '../world.ts';
import { watchOffset } from './clock.ts';
import { ease } from './trip.ts';

/**
 * Settings changed. Losses, blindness, strangers, positions and prices are looked at anew within a second,
 * cash with its next reads; a clock is measured seldom, and its last offset is at hand.
 */
export function askConditionsAgain(world: World): void {
  for (const latch of world.controls.latches.all()) {
    const { control, marketId, resumes } = latch;
    if (resumes.kind !== 'condition') continue;
    if (isSwitchedOff(world.settings?.risk, control) || isOfNoMarket(world, latch))
      ease(world, control, marketId);
  }
  watchOffset(world);
}

/** Nobody looks at a market that is quoted no more. */
function isOfNoMarket({ catalogue, markets }: World, { marketId }: StoredLatch): boolean {
  return marketId !== undefined && catalogue !== undefined && !markets.has(marketId);
}

/** Of those that a condition lifts; the others end by their time, or by an operator. */
function isSwitchedOff(risk: RiskLimits | undefined, control: ControlName): boolean {
  switch (control) {
    case 'session_loss':
      return isZero(risk?.loss?.sessionUsdc);
    case 'day_loss':
      return isZero(risk?.loss?.dayUsdc);
    case 'drawdown':
      return isZero(risk?.loss?.drawdownUsdc);
    case 'unmarked_position':
      return isZero(risk?.loss?.unmarkedMs);
    case 'blind_account':
      return isZero(risk?.blind?.forMs);
    case 'cash_divergence':
      return isZero(risk?.divergence?.forMs) || isZero(risk?.divergence?.cashUsdc);
    case 'position_divergence':
    case 'order_divergence':
      return isZero(risk?.divergence?.forMs);
    case 'clock_offset':
      return isZero(risk?.clock?.offsetMsMax);
    default:
      return false;
  }
}

function isZero(threshold: number | undefined): boolean {
  return (threshold ?? 0) === 0;
}
