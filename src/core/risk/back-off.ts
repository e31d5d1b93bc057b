// A side that is not placed on for a while, and why.

import { addMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';
import type { RiskMarket } from './market.ts';
import type { RiskStores } from './stores.ts';

/** Keeps a side away for a while and remembers why; a shorter pause never ends a longer one. */
export function backOff(
  stores: Pick<RiskStores, 'nowMs'>,
  market: Pick<RiskMarket, 'backoff' | 'isDirty'>,
  side: AxisSide,
  why: { readonly code: string; readonly detail: string; readonly forMs: number },
): void {
  const untilMs = addMs(stores.nowMs, why.forMs);
  if ((market.backoff[side]?.untilMs ?? 0) > untilMs) return;
  market.backoff[side] = {
    untilMs,
    code: why.code,
    detail: why.detail,
  };
  market.isDirty = true;
}
