// How long a placement of unknown outcome may still arrive, and how long it keeps its slot.

import type { UnixMs } from '../../domain/time.ts';
import type { Sent } from './in-flight-tracker.ts';
import type { OrderStores } from './stores.ts';

/** Where the settings do not say how long a placement of unknown outcome keeps its slot. */
const SLOT_MS = 8_000;

type Needs = Pick<OrderStores, 'settings' | 'inFlightTracker'>;

/** After this moment a placement that nobody has seen never arrives. */
export function mayArriveUntilMs({ settings, inFlightTracker }: Needs, order: Sent): UnixMs {
  if (order.refusedAtMs !== undefined) return order.refusedAtMs;
  const horizonMs = settings?.timing.unknownHorizonMs ?? Number.MAX_SAFE_INTEGER;
  return inFlightTracker.untilMs(order, horizonMs);
}

/** Until then a placement of unknown outcome keeps its slot; what arrives later is looked for all the same. */
export function slotUntilMs(stores: Needs, order: Sent): UnixMs {
  const slotMs = stores.settings?.timing.unknownSlotMs ?? SLOT_MS;
  const slot = stores.inFlightTracker.slotUntilMs(order, slotMs);
  const horizon = mayArriveUntilMs(stores, order);
  return slot < horizon ? slot : horizon;
}
