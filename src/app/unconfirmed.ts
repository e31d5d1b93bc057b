// Ends that are no proof, though no order is open.

import type { KillResult } from '../guard/kill.ts';
import type { Rest } from '../guard/rest.ts';

export const MAY_ARRIVE = 'nothing is open, yet what was sent before may still be accepted';
export const REST_AGAIN = 'an order whose settlement fails may rest again';
const NOT_SETTLED =
  'it has not settled as far as anybody has said, and rests again where that fails';

/** Nothing is open, and something may still come: that is no proof. */
export function unconfirmed(
  result: KillResult,
  detail: string,
  inFlight: readonly string[] = [],
): KillResult {
  if (result.kind === 'unconfirmed') return { inFlight, ...result };
  return { ...result, kind: 'unconfirmed', left: [], inFlight, detail };
}

/** What may rest after it, each with its reason; nothing after a proof. */
export function restsOfResult(result: KillResult): readonly Rest[] {
  if (result.kind === 'confirmed') return [];
  const { left, inFlight = [], detail, unsettled = [] } = result;
  const rests = [
    ...(left ?? ['any order of the account']).map((what) => ({ what, why: detail })),
    ...inFlight.map((what) => ({ what, why: 'nobody has answered its placement' })),
    ...unsettled.map((what) => ({ what, why: NOT_SETTLED })),
  ];
  return rests.length > 0 ? rests : [{ what: 'what was sent last', why: detail }];
}
