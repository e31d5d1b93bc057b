// The price of slowness: public news reaches faster takers before it reaches our cancel.
// Source: Budish, Cramton, Shim, The high-frequency trading arms race, Quarterly Journal of Economics
// 130, 2015; break-even distances derived here.

import { assertNotNegative } from '../numeric/domain.ts';
import { lambertW } from '../numeric/special.ts';

export type StaleRisk = {
  /** l_n: fills per second by takers without news; each earns the half spread. */
  readonly noiseFillsPerSec: number;
  /** l_j: jumps of the fair price per second that find our quote still there. */
  readonly jumpsPerSec: number;
  /** J, or the mean m: absolute price moved by a jump. */
  readonly jumpPrice: number;
};

/** Break-even half spread when every jump has the same size: `h = l_j J/(l_n + l_j)`. */
export function staleFloorFixedJump(risk: StaleRisk): number {
  assertNotNegative(risk);
  const { noiseFillsPerSec, jumpsPerSec, jumpPrice } = risk;
  if (jumpsPerSec === 0) return 0;
  return (jumpsPerSec * jumpPrice) / (noiseFillsPerSec + jumpsPerSec);
}

/**
 * The same for jumps of exponential size: `h = m W(l_j/l_n)`, W being Lambert's; infinite where
 * jumps come and nobody pays for them, so that no price of the range is far enough.
 */
export function staleFloorExponentialJump(risk: StaleRisk): number {
  assertNotNegative(risk);
  if (risk.jumpsPerSec === 0 || risk.jumpPrice === 0) return 0;
  if (risk.noiseFillsPerSec === 0) return Number.POSITIVE_INFINITY;
  return risk.jumpPrice * lambertW(risk.jumpsPerSec / risk.noiseFillsPerSec);
}
