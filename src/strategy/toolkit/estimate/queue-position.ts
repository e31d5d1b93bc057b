// Where an order stands in the queue of its level when only the level's total is shown.
// Source: the queue models of nkaz001/hftbacktest (power, logarithmic and risk-averse), restated.

import { unreachable } from '../../../domain/assert.ts';
import { assertNotNegative, assertPositive, needNotNegative } from '../numeric/domain.ts';

/**
 * How likely a cancel at our level was behind us, given what is ahead (`a`) and behind (`b`).
 * `risk_averse`: only trades bring us forward, the cautious choice; the others give `P` as
 * `power` `b^n/(b^n+a^n)`, `power_total` `1-(a/(a+b))^n`, `log` `ln(1+b)/(ln(1+b)+ln(1+a))`,
 * `log_total` `ln(1+b)/ln(1+b+a)`.
 */
export type QueueModel =
  | { readonly kind: 'risk_averse' }
  | { readonly kind: 'power'; readonly exponent: number }
  | { readonly kind: 'power_total'; readonly exponent: number }
  | { readonly kind: 'log' }
  | { readonly kind: 'log_total' };

/** Sizes are in one unit throughout (shares, or micro-shares), and without our own. */
export type QueuePlace = {
  readonly ahead: number;
  /** Traded at the level since its size was last shown: the next change of size includes it. */
  readonly tradedSince: number;
};

/** A new order stands behind all that rests at its price. */
export function newPlace(levelSize: number): QueuePlace {
  assertNotNegative({ levelSize });
  return { ahead: levelSize, tradedSince: 0 };
}

/** A trade at our price brings us forward; what it takes beyond those ahead of us fills us. */
export function afterTrade(
  place: QueuePlace,
  tradedSize: number,
): { readonly place: QueuePlace; readonly filledSize: number } {
  assertNotNegative({ tradedSize });
  const ahead = place.ahead - tradedSize;
  return {
    place: { ahead: Math.max(0, ahead), tradedSince: place.tradedSince + tradedSize },
    filledSize: Math.max(0, -ahead),
  };
}

/** Our own fill confirms that nobody was left ahead. */
export function afterOwnFill(place: QueuePlace): QueuePlace {
  return { ...place, ahead: 0 };
}

/**
 * The level now shows another size. What trades since the last one do not explain was cancelled:
 * with `c` of it and the probability `P` that a cancel was behind us, `a <- min(a - (1-P) c +
 * min(b - P c, 0), size)`; a level that grew did so behind us.
 */
export function afterLevel(
  place: QueuePlace,
  change: { readonly previousSize: number; readonly size: number },
  model: QueueModel,
): QueuePlace {
  const { previousSize, size } = change;
  needNotNegative('previousSize', previousSize);
  needNotNegative('size', size);
  const cancelled = previousSize - size - place.tradedSince;
  const behind = Math.max(0, previousSize - place.ahead);
  const moved =
    cancelled <= 0 || model.kind === 'risk_averse'
      ? place.ahead
      : place.ahead - takenAhead(place.ahead, behind, { cancelled, model });
  return { ahead: Math.max(0, Math.min(moved, size)), tradedSince: 0 };
}

/** What of the cancelled size stood ahead; more than there is behind must have. */
function takenAhead(
  ahead: number,
  behind: number,
  by: { readonly cancelled: number; readonly model: QueueModel },
): number {
  const fromBehind = behindProbability(ahead, behind, by.model) * by.cancelled;
  return by.cancelled - fromBehind - Math.min(behind - fromBehind, 0);
}

/** `P`: the probability that a cancel at the level was behind us. */
export function behindProbability(ahead: number, behind: number, model: QueueModel): number {
  assertNotNegative({ ahead, behind });
  if (behind === 0) return 0;
  switch (model.kind) {
    case 'risk_averse':
      return 1;
    case 'power':
      assertPositive({ exponent: model.exponent });
      return 1 / (1 + (ahead / behind) ** model.exponent);
    case 'power_total':
      assertPositive({ exponent: model.exponent });
      return 1 - (ahead / (ahead + behind)) ** model.exponent;
    case 'log':
      return Math.log1p(behind) / (Math.log1p(behind) + Math.log1p(ahead));
    case 'log_total':
      return Math.log1p(behind) / Math.log1p(behind + ahead);
    default:
      return unreachable(model);
  }
}
