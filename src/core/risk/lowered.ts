// Whether limits came down, or what is held to them counts for more, and what is remembered of it until
// nothing is beyond them any more.

import type { RiskLimits } from '../../domain/input.ts';
import type { UnixMs } from '../../domain/time.ts';

const LIMITS = [
  'maxPositionShares',
  'maxNetShares',
  'maxOrderNotionalUsdc',
  'maxOrderShares',
  'maxOpenOrders',
  'maxMarketOpenOrders',
  'maxOpenNotionalUsdc',
  'maxLossUsdc',
  'maxEventLossUsdc',
] as const satisfies readonly (keyof RiskLimits)[];

/** Limits that were lowered, until nothing from before is beyond them. */
export type Lowered = {
  /** Orders sent later were held to them. */
  readonly atMs: UnixMs;
  lookedAtMs: number;
};

export function loweredAt(atMs: UnixMs): Lowered {
  return { atMs, lookedAtMs: 0 };
}

/** Whether any limit is lower than it was. */
export function areLowered(before: RiskLimits | undefined, after: RiskLimits): boolean {
  if (before === undefined) return false;
  return LIMITS.some((name) => limitOf(after, name) < limitOf(before, name));
}

function limitOf(limits: RiskLimits, name: (typeof LIMITS)[number]): number {
  const limit = limits[name] ?? Number.POSITIVE_INFINITY;
  return name === 'maxEventLossUsdc' && limit === 0 ? Number.POSITIVE_INFINITY : limit;
}
