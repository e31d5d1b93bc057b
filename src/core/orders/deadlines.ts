// When a state has lasted too long, by the table of `domain/order.ts`. Pure: the caller acts.

import {
  isTerminal,
  ORDER_MOVES,
  type OrderPatience,
  type OrderRemedy,
} from '../../domain/order.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { Sent } from './in-flight-tracker.ts';
import type { OwnOrder } from './own-order.ts';
import type { OrderStores } from './stores.ts';

/** Lists that may fail before the venue has to be asked about an order on its own account. */
const LISTS_MISSED_MAX = 3;
/** Reading a long list takes its time. */
const LIST_MARGIN_MS = 5_000;
/** Matches settle in 15 to 20 s; three times that is late. @spec States and transitions */
export const SETTLEMENT_MS = 60_000;
/** The user channel tells of an expiry within moments. */
const EXPIRY_SEEN_BY_MS = 3_000;
/** What only evidence can end is asked for again this often. */
const REMIND_MS = 5_000;

export type DeadlineTiming = {
  /** By then a request was answered or given up, whatever became of it. */
  readonly answerMs: number;
  /** When our clock jumped: no time has passed then for whoever is to answer. */
  readonly jumpedAtMs?: UnixMs | undefined;
  readonly reconcileMs: number;
  slotUntilMs(order: OwnOrder): UnixMs;
};

/** What an order asks for now, `undefined` while it is in time. */
export function pastDeadline(
  order: OwnOrder,
  nowMs: UnixMs,
  timing: DeadlineTiming,
): OrderRemedy | undefined {
  if (isTerminal(order.state)) return undefined;
  const { within, remedy } = ORDER_MOVES[order.state].deadline;
  if (nowMs < deadlineMs(order, within, timing)) return undefined;
  const remindedAtMs = order.remindedAtMs;
  const isReminded = remindedAtMs !== undefined && nowMs - remindedAtMs < REMIND_MS;
  return isReminded ? undefined : remedy;
}

/** What has a date is gone soon after it, and the list says so if nobody else does. */
function sightMs(order: OwnOrder, patienceMs: number): UnixMs {
  const byMs = addMs(seenAtMs(order), patienceMs);
  const { expiresAtMs } = order;
  if (expiresAtMs === undefined) return byMs;
  const gone = addMs(expiresAtMs, EXPIRY_SEEN_BY_MS);
  return gone < byMs ? gone : byMs;
}

/** Its state began with reports of it, too. */
function seenAtMs({ seenAtMs, stateSinceMs }: OwnOrder): UnixMs {
  return later(stateSinceMs, seenAtMs);
}

function later(one: UnixMs, other: UnixMs | undefined): UnixMs {
  return other !== undefined && other > one ? other : one;
}

function deadlineMs(order: OwnOrder, within: OrderPatience, timing: DeadlineTiming): UnixMs {
  switch (within) {
    case 'answer':
      return addMs(later(order.stateSinceMs, timing.jumpedAtMs), timing.answerMs);
    case 'arrival':
      return timing.slotUntilMs(order);
    case 'sight':
      return sightMs(order, LISTS_MISSED_MAX * timing.reconcileMs + LIST_MARGIN_MS);
    case 'settlement':
      return addMs(order.executedAtMs ?? order.stateSinceMs, SETTLEMENT_MS);
  }
}

// How long a placement of unknown outcome may still arrive, and how long it keeps its slot.

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
