// What a proof says of the venue is so: nothing of ours rests but what the daemon names and the venue
// lets nobody cancel.

import type { OrderHash } from '../../../src/domain/ids.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { OrderFact, OrderFacts } from './facts.ts';

/** The list that names what keeps a kill unconfirmed was asked for this long ago at most. */
const LISTED_SLACK_MS = 15_000;
/** A daemon names so many orders that keep a kill unconfirmed. */
const NAMED_MAX = 50;

export type ProofRoom = {
  readonly facts: OrderFacts;
  readonly nowMs: number;
  /** When the list was asked for that the daemon took in last: what came since is on the next one. */
  readonly listedAtMs: number | undefined;
  readonly process: number;
  readonly era: number;
  /** In the own scope an order of which nobody has a memory is left alone, like an external order. */
  readonly isOwnScope: boolean;
  /** Whether the venue cancels the rest of an order that has traded in part. */
  readonly cancelsParts: boolean;
};

export type Missed = { readonly rule: string; readonly fact: OrderFact; readonly what: string };

/** Only an order that has traded, on a venue that lets nobody cancel the rest of one. */
export function isUncancellable({ order }: OrderFact, cancelsParts: boolean): boolean {
  return !cancelsParts && order.restingMicro() !== order.terms.quantityMicro;
}

/** Orders of ours that rest though a report says otherwise, or that it should have named. */
export function missedBy(report: Report, room: ProofRoom): readonly Missed[] {
  if (report.event === 'kill.confirmed') return confirmed(room, (fact) => fact.era === room.era);
  if (report.event === 'kill.unconfirmed') return unnamed(room, new Set(report.orderHashes));
  if (report.event !== 'start.cleared') return [];
  const refused = new Set(report.refused);
  const mayStay = (fact: OrderFact) =>
    refused.has(fact.order.terms.orderHash) && isUncancellable(fact, room.cancelsParts);
  const own = confirmed(room, (fact) => fact.process === room.process && !mayStay(fact));
  const isMeant = (fact: OrderFact) => !room.isOwnScope || fact.era === room.era;
  const earlier = (fact: OrderFact) =>
    fact.process !== room.process && isMeant(fact) && !mayStay(fact);
  return [...own, ...cleared(room, earlier)];
}

/** What a failed settlement put back while the last list was in flight is new to everybody. */
function confirmed(
  { facts, nowMs, listedAtMs = nowMs }: ProofRoom,
  isMeant: (fact: OrderFact) => boolean,
): readonly Missed[] {
  const what = 'confirmed while there rests';
  return [...facts.live()]
    .filter((fact) => fact.owner === 'intent' && isMeant(fact))
    .filter(({ backAtMs }) => backAtMs === undefined || backAtMs < listedAtMs)
    .map((fact) => ({ rule: 'kill_missed', fact, what }));
}

/** What an earlier process left is gone, but for what came while the last list was in flight. */
function cleared(
  { facts, nowMs, listedAtMs = nowMs }: ProofRoom,
  isMeant: (fact: OrderFact) => boolean,
): readonly Missed[] {
  return [...facts.live()]
    .filter((fact) => fact.owner === 'intent' && isMeant(fact))
    .filter(({ acceptedAtMs, backAtMs = 0 }) => Math.max(acceptedAtMs, backAtMs) < listedAtMs)
    .map((fact) => ({ rule: 'kill_missed', fact, what: 'cleared while there rests' }));
}

/** What keeps a kill unconfirmed is named: none that rests for long is left out where any are named. */
function unnamed(
  { facts, nowMs, era, cancelsParts }: ProofRoom,
  named: ReadonlySet<OrderHash>,
): readonly Missed[] {
  if (named.size === 0 || named.size >= NAMED_MAX) return [];
  const what = 'unconfirmed, and nobody is reported';
  return [...facts.live()]
    .filter((fact) => fact.owner === 'intent' && fact.era === era)
    .filter((fact) => isUncancellable(fact, cancelsParts) && !facts.isJustBack(fact))
    .filter((fact) => fact.acceptedAtMs < nowMs - LISTED_SLACK_MS)
    .filter((fact) => !named.has(fact.order.terms.orderHash))
    .map((fact) => ({ rule: 'survivor_unnamed', fact, what }));
}
