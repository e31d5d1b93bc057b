// The ladder of levels as an order: what a harder level forbids, a milder one may allow.

import { RISK_LEVELS, type RiskLevel } from '../../domain/risk.ts';

/** Height on the ladder; `normal` is 0. */
export function rankOf(level: RiskLevel): number {
  return RISK_LEVELS.indexOf(level);
}

export function isAtLeast(level: RiskLevel, floor: RiskLevel): boolean {
  return rankOf(level) >= rankOf(floor);
}

export function harder(one: RiskLevel, other: RiskLevel): RiskLevel {
  return rankOf(one) >= rankOf(other) ? one : other;
}
