// What may rest on the venue when nobody waits any longer: each order by its name, and why it is there.

import type { OrderReport } from '../domain/order.ts';
import { formatShares } from '../domain/shares.ts';

export type Rest = { readonly what: string; readonly why: string };

/** As the last list and the trader's last words have it. */
export type LastLook = {
  /** Absent where no list could be read. */
  readonly orders: readonly OrderReport[] | undefined;
  /** Why they could not be cancelled, or listed. */
  readonly trouble: string;
  /** What had left before may be accepted for so much longer. */
  readonly arrivesForMs: number;
  /** Placements without an answer, as far as somebody could name them. */
  readonly inFlight: readonly string[];
  /** Orders that have matched, and rest again where their settlement fails. */
  readonly settling: number;
};

/** Lines of an account that nobody reads to the end. */
const RESTS_MAX = 2_000;

export function restsOf(look: LastLook): readonly Rest[] {
  const { orders, trouble, arrivesForMs, inFlight, settling } = look;
  const rests: Rest[] = (orders ?? []).map((order) => ({ what: orderText(order), why: trouble }));
  if (orders === undefined) rests.push({ what: 'any order of the account', why: trouble });
  rests.push(...inFlight.map((what) => ({ what, why: 'nobody has answered its placement' })));
  if (arrivesForMs > 0 && inFlight.length === 0) {
    const seconds = Math.ceil(arrivesForMs / 1_000);
    rests.push({ what: 'what was sent last', why: `it may be accepted for ${seconds} s more` });
  }
  if (settling > 0) {
    const what = `${settling} matched ${settling === 1 ? 'order' : 'orders'}`;
    rests.push({ what, why: 'not settled, and one whose settlement fails may rest again' });
  }
  return rests.slice(0, RESTS_MAX);
}

function orderText(order: OrderReport): string {
  const { orderHash, side, tokenId, quantity, executed, price } = order;
  const size = `${formatShares(quantity)}${executed === 0 ? '' : `, ${formatShares(executed)} of it traded`}`;
  return `${orderHash} (${side} ${size} of ${tokenId} at ${(price / 1_000).toFixed(3)})`;
}
