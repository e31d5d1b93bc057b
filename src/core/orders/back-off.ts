// A side that is not placed on for a while, and why.

import { addMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';
import type { MarketState } from '../market.ts';
import type { World } from '../world.ts';

/** Keeps a side away for a while and remembers why; a shorter pause never ends a longer one. */
export function backOff(
  world: Pick<World, 'nowMs'>,
  market: Pick<MarketState, 'backoff' | 'isDirty'>,
  side: AxisSide,
  why: { readonly code: string; readonly detail: string; readonly forMs: number },
): void {
  const untilMs = addMs(world.nowMs, why.forMs);
  if ((market.backoff[side]?.untilMs ?? 0) > untilMs) return;
  market.backoff[side] = {
    untilMs,
    code: why.code,
    detail: why.detail,
  };
  market.isDirty = true;
}
