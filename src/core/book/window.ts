// A window of a deep book is filled again before it is empty: once its last level is gone the best price is not
// known, and quotes wait for a snapshot.

import type { Place } from './market.ts';
import { doubt } from './resync.ts';
import type { BookStores } from './stores.ts';

/** A book whose levels come and go is asked for a fuller window this often at most. */
const REFILL_MS_MIN = 5_000;

/** One look at a trusted book, which stays trusted while the fuller window is in flight. */
export function watchWindow(stores: BookStores, place: Place): void {
  const { mirror, trust } = place;
  const { nowMs } = stores;
  if (place.market.isRegridding) return;
  if (trust.refillAskedAtMs !== undefined) {
    const waitedMs = nowMs - trust.refillAskedAtMs;
    if (waitedMs < stores.trustLimits.snapshotMs) return;
    trust.refillAskedAtMs = undefined;
    doubt(
      stores,
      place,
      'snapshot',
      `no snapshot ${waitedMs} ms after a fuller window was asked for`,
    );
    return;
  }
  const { turn } = stores.trust;
  if (!mirror.isRunningLow || nowMs < trust.refillFromMs || turn.renewalsLeft === 0) return;
  turn.renewalsLeft -= 1;
  trust.refillAskedAtMs = nowMs;
  trust.refillFromMs = nowMs + REFILL_MS_MIN;
  stores.outbox.send({ kind: 'resubscribe', tokenId: place.market.tokenOf(place.leg) });
}
