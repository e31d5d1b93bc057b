// When a state has lasted too long, by the table of `domain/order.ts`. Pure: the caller acts.

import {
  isTerminal,
  ORDER_MOVES,
  type OrderPatience,
  type OrderRemedy,
} from '../../domain/order.ts';
import type { StoredAhead } from '../../domain/record.ts';
import { addMs, type UnixMs, unixMs } from '../../domain/time.ts';
import { SIGNED_WITHIN_MS } from '../kernel/bounds.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from './own-order.ts';

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

type Needs = Pick<KernelStores, 'settings'> & { readonly inFlightTracker: InFlightTracker };

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

// Until when a placement without an answer may still be accepted. The venue takes a signed request
// for 30 s by its own clock, so a clock of ours that ran ahead makes it longer, and so does a venue
// that was once seen to be slower than the settings trust.
// @spec Authentication › Signature, rule 3

/** Readings of the venue's clock remembered: one in 30 s, for far longer than any horizon. */
const READINGS_MAX = 64;
/** An acceptance slower than this is not learned from: something else was wrong. */
const SLOWEST_MS_MAX = 600_000;
/** What takes less is within any horizon that the settings allow, and worth no record. */
const SLOW_MS = 25_000;
/** What was sent longer ago is taken no more, whatever its date. */
const AHEAD_KEPT_MS = 120_000;
/** What is less is within the horizon that the settings allow. */
const AHEAD_MS_MIN = 1_000;
const AHEAD_SAID_MS = 60_000;
/** The next one may be slower than the slowest by this much. */
export const LEARNED_MARGIN_MS = 5_000;

type Reading = { readonly atMs: UnixMs; readonly offsetMs: number };

/** What an order brings along. */
export type Sent = {
  readonly sentAtMs: UnixMs;
  /** Offset by which its request was dated, where that is known. */
  readonly datedByMs?: number | undefined;
  /** It was rejected without a code: a list asked for later shows it, or it is not there. */
  readonly refusedAtMs?: UnixMs | undefined;
};

export class InFlightTracker {
  readonly #readings: Reading[] = [];
  /** The slowest acceptance ever seen, zero before the first. */
  #slowestMs = 0;
  /** What our clock would be off if it was set, and not held up, when it last jumped. */
  #jumped: Reading | undefined;
  #jumpedAtMs: UnixMs | undefined;
  /** What a previous run may have dated ahead. */
  #before: StoredAhead | undefined;
  #saidAhead: Reading = { atMs: unixMs(0), offsetMs: 0 };
  /** The venue's clock minus ours in a previous run. */
  #offsetBeforeMs = 0;

  /** When our clock last jumped: what took until after it took nobody knows how long. */
  get jumpedAtMs(): UnixMs | undefined {
    return this.#jumpedAtMs;
  }

  /**
   * The venue's clock minus ours was measured, by a request that took so long.
   * @returns How far ahead of that clock what was sent lately may be dated, where another process
   *   should know: it is seconds, and more than was said, or was said a while ago.
   */
  onClock(offsetMs: number, atMs: UnixMs, tookMs = 0): number | undefined {
    // One that was in flight when our clock jumped says nothing of the time since.
    if (this.#jumped !== undefined && atMs - tookMs > this.#jumped.atMs) this.#jumped = undefined;
    this.#readings.push({ atMs, offsetMs });
    if (this.#readings.length > READINGS_MAX) this.#readings.shift();
    const aheadMs = this.#latestAheadMs(offsetMs, atMs);
    const { atMs: saidAtMs, offsetMs: saidMs } = this.#saidAhead;
    const isNew = aheadMs > saidMs || atMs - saidAtMs >= AHEAD_SAID_MS;
    if (aheadMs < AHEAD_MS_MIN || !isNew) return undefined;
    this.#saidAhead = { atMs, offsetMs: aheadMs };
    return aheadMs;
  }

  /**
   * Our clock is at once ahead of where it was. The host may have slept, or this process; or somebody set the
   * clock, and no time has passed in which what is in flight could have arrived. Until the venue's clock is
   * read that is what has to be trusted.
   */
  onJump(byMs: number, atMs: UnixMs): void {
    const before = this.#jumped ?? this.#readings.at(-1);
    this.#jumpedAtMs = atMs;
    this.#jumped = { atMs, offsetMs: (before?.offsetMs ?? 0) - byMs };
  }

  /** A previous run said so of what it sent: by which clock it had dated each request nobody knows. */
  restoreAhead(ahead: StoredAhead): void {
    this.#before = ahead;
  }

  /**
   * By this a previous run dated what it sent. A clock that was behind then and has been put right lets all of
   * it look older than it is.
   */
  restoreOffset(offsetMs: number): void {
    this.#offsetBeforeMs = offsetMs;
  }

  #latestAheadMs(offsetMs: number, atMs: UnixMs): number {
    let mostMs = 0;
    for (const reading of this.#readings) {
      if (atMs - reading.atMs <= AHEAD_KEPT_MS) mostMs = Math.max(mostMs, reading.offsetMs);
    }
    return Math.max(0, mostMs - offsetMs);
  }

  /**
   * A placement turned out to have been accepted this long after it was decided.
   * @returns Whether none took longer, and so long that another run should know.
   */
  onAccepted(tookMs: number): boolean {
    if (tookMs > SLOWEST_MS_MAX || tookMs <= this.#slowestMs) return false;
    this.#slowestMs = tookMs;
    return tookMs > SLOW_MS;
  }

  /** After this moment a placement that nobody has seen never arrives. */
  untilMs(order: Sent, horizonMs: number): UnixMs {
    const patienceMs = Math.max(
      SIGNED_WITHIN_MS + horizonMs + this.#aheadMs(order),
      this.#slowestMs === 0 ? 0 : this.#slowestMs + LEARNED_MARGIN_MS,
    );
    return addMs(order.sentAtMs, patienceMs);
  }

  /**
   * Until this moment a placement that nobody has seen keeps its slot: what is later than twice the slowest
   * acceptance ever seen is met as an order of ours that comes late, and is cancelled. A clock that was set
   * ahead makes no time pass in which it could have come.
   */
  slotUntilMs(order: Sent, slotMs: number): UnixMs {
    const patienceMs = Math.max(SIGNED_WITHIN_MS + slotMs, 2 * this.#slowestMs);
    return addMs(order.sentAtMs, patienceMs + this.#aheadMs(order));
  }

  /** How far ahead of the venue's clock the request may have been dated. */
  #aheadMs({ sentAtMs, datedByMs }: Sent): number {
    const leastMs = this.#leastOffsetMs({ sentAtMs, datedByMs });
    const aheadMs = Math.max(0, Math.max(0, datedByMs ?? this.#offsetBeforeMs) - leastMs);
    return datedByMs === undefined ? Math.max(aheadMs, this.#aheadBeforeMs(sentAtMs)) : aheadMs;
  }

  /** The lowest since it was sent; until the venue's clock is read ours passes for right. */
  #leastOffsetMs({ sentAtMs, datedByMs }: Sent): number {
    let leastMs = datedByMs;
    for (const { atMs, offsetMs } of this.#readings) {
      if (atMs >= sentAtMs) leastMs = Math.min(leastMs ?? offsetMs, offsetMs);
    }
    const jumped = this.#jumped;
    if (jumped !== undefined && jumped.atMs > sentAtMs)
      leastMs = Math.min(leastMs ?? jumped.offsetMs, jumped.offsetMs);
    return leastMs ?? 0;
  }

  #aheadBeforeMs(sentAtMs: UnixMs): number {
    if (this.#before === undefined) return 0;
    const { aheadMs, atMs } = this.#before;
    return sentAtMs - atMs <= AHEAD_KEPT_MS ? aheadMs : 0;
  }
}
