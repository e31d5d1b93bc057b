// A window of a deep book is filled again before it is empty: once its last level is gone the best price is not
// known, and quotes wait for a snapshot.

import type { Place } from '../market.ts';
import type { World } from '../world.ts';
import { doubt } from './resync.ts';

/** A book whose levels come and go is asked for a fuller window this often at most. */
const REFILL_MS_MIN = 5_000;

/** One look at a trusted book, which stays trusted while the fuller window is in flight. */
export function watchWindow(world: World, place: Place): void {
  const { mirror, trust } = place;
  const { nowMs } = world;
  if (place.market.isRegridding) return;
  if (trust.refillAskedAtMs !== undefined) {
    const waitedMs = nowMs - trust.refillAskedAtMs;
    if (waitedMs < world.trustLimits.snapshotMs) return;
    trust.refillAskedAtMs = undefined;
    doubt(
      world,
      place,
      'snapshot',
      `no snapshot ${waitedMs} ms after a fuller window was asked for`,
    );
    return;
  }
  const { turn } = world.trust;
  if (!mirror.isRunningLow || nowMs < trust.refillFromMs || turn.renewalsLeft === 0) return;
  turn.renewalsLeft -= 1;
  trust.refillAskedAtMs = nowMs;
  trust.refillFromMs = nowMs + REFILL_MS_MIN;
  world.outbox.send({ kind: 'resubscribe', tokenId: place.market.tokenOf(place.leg) });
}
