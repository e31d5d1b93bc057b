// Ends that are no proof, though no order is open.

import type { KillResult } from '../guard/kill.ts';

export const MAY_ARRIVE = 'nothing is open, yet what was sent before may still be accepted';
export const REST_AGAIN = 'an order whose settlement fails may rest again';
const NOT_SETTLED =
  'matched orders have not settled as far as anybody has said, and one that fails may rest again';

/** Nothing is open, and something may still come: that is no proof. */
export function doubted(result: KillResult, detail: string): KillResult {
  if (result.kind === 'unproven') return result;
  return { ...result, kind: 'unproven', left: [], detail };
}

/**
 * Whoever ends is not there to cancel what rests again when its settlement fails: beside it nothing is proven.
 *
 * @param known - What the core named before somebody else went on, who may see nothing of it on any list.
 */
export function withUnsettled(
  result: KillResult,
  { unsettled: known = [] }: Pick<KillResult, 'unsettled'> = result,
): KillResult {
  const { unsettled = known, settling = 0 } = result;
  const orders = Math.max(unsettled.length, settling);
  return orders === 0 ? result : doubted({ ...result, unsettled }, `${orders} ${NOT_SETTLED}`);
}
