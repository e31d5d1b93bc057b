// Books read over REST and compared with the mirrors, in rotation over all tokens.
//
// REST may be older or newer than the socket, or wrong: it is a witness, not the truth. So the mirror
// is watched for a while before the question and after the answer, and a level that moved in that time
// is not judged. A difference must be found twice in a row before it counts.

import type { RequestId } from '../../domain/ids.ts';
import type { BookSide, Level, MessageOf } from '../../domain/message.ts';
import { isOnBook } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { TrustSettings } from '../../domain/trust.ts';
import { bookSideOf, type OwnOrder, remaining } from '../orders/own-order.ts';
import { rankOf } from './ladder.ts';
import type { BookMirror, LevelMarks } from './mirror.ts';

/** Audits that may be under way at once, whatever the rate. */
const UNDER_WAY_MIN = 64;
/** ... and at most: the venue's reads of two seconds. @spec Limits */
const UNDER_WAY_MAX = 1_000;
/** Beside twice `auditAgeMs` an audit takes as long as its answer, mostly less than this. */
const USUAL_ANSWER_MS = 1_000;
/** An answer that never came frees its place. */
const ANSWER_MS_MAX = 30_000;
/** A side as long as the venue's longest answer may go on beyond it. @spec Limits */
const REST_LEVELS_MAX = 200;

type Answer = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

type Audited = { readonly mirror: BookMirror };

type Audit<Place extends Audited> = {
  readonly place: Place;
  readonly epoch: number;
  readonly marks: LevelMarks;
  step: 'watching' | 'asked' | 'answered';
  /** When this step began. */
  atMs: UnixMs;
  requestId: RequestId | undefined;
  answer: Answer | undefined;
};

/** What one audit found. */
type AuditVerdict<Place extends Audited> = {
  readonly place: Place;
  /** The first level that differs, for people; `undefined` when all that could be judged agree. */
  readonly difference: string | undefined;
};

export class Auditor<Place extends Audited> {
  #underWay: Audit<Place>[] = [];
  #credit = 0;
  #countedAtMs: UnixMs | undefined;

  get underWay(): number {
    return this.#underWay.length;
  }

  /** Audits that the rate allows to begin now. @param tokens - How many books there are. */
  allowed(limits: TrustSettings, tokens: number, nowMs: UnixMs): number {
    const elapsedMs = nowMs - (this.#countedAtMs ?? nowMs);
    this.#countedAtMs = nowMs;
    const perSec = auditsPerSec(limits, tokens);
    // At most a second's worth is saved up, so that a pause is not made up for in a burst.
    const creditMax = Math.max(1, perSec);
    this.#credit = Math.min(creditMax, this.#credit + (elapsedMs * perSec) / 1_000);
    return Math.min(Math.floor(this.#credit), underWayMax(limits, perSec) - this.#underWay.length);
  }

  /** Begins to watch a mirror; `false` when it is being watched already. */
  begin(place: Place, nowMs: UnixMs): boolean {
    const { mirror } = place;
    if (mirror.marks !== undefined) return false;
    this.#credit -= 1;
    const end = mirror.grid.ticksPerUnit;
    const marks = { bid: new Uint8Array(end), ask: new Uint8Array(end) };
    mirror.marks = marks;
    const { epoch } = mirror;
    const unasked = { step: 'watching', requestId: undefined, answer: undefined } as const;
    this.#underWay.push({ place, epoch, marks, atMs: nowMs, ...unasked });
    return true;
  }

  /** Moves every audit on; `ask` sends the question and names it. */
  advance(
    limits: TrustSettings,
    nowMs: UnixMs,
    ask: (place: Place) => RequestId,
  ): readonly AuditVerdict<Place>[] {
    if (this.#underWay.length === 0) return NONE;
    const verdicts: AuditVerdict<Place>[] = [];
    const left: Audit<Place>[] = [];
    for (const audit of this.#underWay) {
      const { mirror } = audit.place;
      if (mirror.epoch !== audit.epoch || mirror.state.kind !== 'live') end(audit);
      else if (this.#isOver(audit, limits, nowMs, ask)) {
        const verdict = judged(audit);
        end(audit);
        if (verdict) verdicts.push(verdict);
      } else left.push(audit);
    }
    this.#underWay = left;
    return verdicts;
  }

  /** Ends audits of these places without a verdict. */
  forget(isGone: (place: Place) => boolean): void {
    for (const audit of this.#underWay) if (isGone(audit.place)) end(audit);
    this.#underWay = this.#underWay.filter(({ place }) => !isGone(place));
  }

  /** @returns Whether the answer belongs to an audit. */
  onBookRead(message: MessageOf<'bookRead'>, nowMs: UnixMs): boolean {
    const audit = this.#underWay.find((each) => each.requestId === message.requestId);
    if (audit === undefined) return false;
    audit.step = 'answered';
    audit.atMs = nowMs;
    // A failed read is no answer: the audit ends without a verdict.
    audit.answer = message.outcome.kind === 'ok' ? message.outcome.value : undefined;
    return true;
  }

  #isOver(
    audit: Audit<Place>,
    limits: TrustSettings,
    nowMs: UnixMs,
    ask: (place: Place) => RequestId,
  ): boolean {
    const passedMs = nowMs - audit.atMs;
    switch (audit.step) {
      case 'watching':
        if (passedMs < limits.auditAgeMs) return false;
        audit.requestId = ask(audit.place);
        audit.step = 'asked';
        audit.atMs = nowMs;
        return false;
      case 'asked':
        return passedMs >= ANSWER_MS_MAX;
      case 'answered':
        return audit.answer === undefined || passedMs >= limits.auditAgeMs;
    }
  }
}

const NONE: readonly never[] = [];

/** The rate of the settings, or the one that a round in time takes when that is higher. */
function auditsPerSec(limits: TrustSettings, tokens: number): number {
  if (limits.auditsPerSec === 0 || limits.auditRoundMs === 0) return limits.auditsPerSec;
  return Math.max(limits.auditsPerSec, (tokens * 1_000) / limits.auditRoundMs);
}

/** As many as the rate keeps under way: fewer would hold it up, however it is set. */
function underWayMax({ auditAgeMs }: TrustSettings, perSec: number): number {
  const usual = (perSec * (2 * auditAgeMs + USUAL_ANSWER_MS)) / 1_000;
  return Math.min(Math.max(UNDER_WAY_MIN, Math.ceil(usual)), UNDER_WAY_MAX);
}

function end({ place: { mirror }, marks }: Audit<Audited>): void {
  if (mirror.marks === marks) mirror.marks = undefined;
}

function judged<Place extends Audited>(audit: Audit<Place>): AuditVerdict<Place> | undefined {
  const { answer, marks, place } = audit;
  const { mirror } = place;
  if (answer === undefined || !mirror.isPriceable) return undefined;
  const difference =
    differenceOf(mirror, marks, 'bid', answer.bids) ??
    differenceOf(mirror, marks, 'ask', answer.asks);
  return { place, difference };
}

/** The first level from the middle outwards that stood still and is not what REST says. */
function differenceOf(
  mirror: BookMirror,
  marks: LevelMarks,
  side: BookSide,
  rest: readonly Level[],
): string | undefined {
  const { grid } = mirror;
  const said = new Float64Array(grid.ticksPerUnit);
  let restEdge = 1;
  for (const { price, size } of rest) {
    if (price >= grid.ticksPerUnit) return 'REST states a price of a finer grid';
    said[rankOf(grid, side, price)] = size;
  }
  const last = rest.at(-1);
  if (rest.length >= REST_LEVELS_MAX && last) restEdge = rankOf(grid, side, last.price);
  const edge = mirror.edge(side);
  const floor = Math.max(restEdge, edge === undefined ? 1 : rankOf(grid, side, edge));
  const levels = mirror.levels(side);
  for (let rank = grid.ticksPerUnit - 1; rank >= floor; rank -= 1) {
    if (marks[side][rank] === 1 || said[rank] === levels.at(rank)) continue;
    const price = side === 'bid' ? rank : grid.ticksPerUnit - rank;
    return `${side} at ${price} ticks is ${levels.at(rank)} here and ${said[rank]} over REST`;
  }
  return undefined;
}

// Own resting orders as audits of the book: where the venue says they rest, the book must show all of them.

/** What the own-order audits of one book are asked with. */
type OwnOrderLook = {
  readonly leg: OwnOrder['leg'];
  readonly nowMs: UnixMs;
  /** An order that stands as it is for so long must show. */
  readonly settledMs: number;
  /** Those sent by then need not. */
  readonly afterMs: UnixMs;
};

/**
 * An own order whose level shows less than all own orders that must be there; `undefined` when each
 * level shows enough.
 */
export function missingOwnOrder(
  mirror: BookMirror,
  orders: Iterable<OwnOrder>,
  at: OwnOrderLook,
): OwnOrder | undefined {
  for (const order of orders) {
    if (!isDue(mirror, order, at)) continue;
    if (mirror.sizeAt(bookSideOf(order), order.price) < ownAt(mirror, orders, order, at))
      return order;
  }
  return undefined;
}

/** What all own orders at the level of one add up to, as far as they must show by now. */
function ownAt(
  mirror: BookMirror,
  orders: Iterable<OwnOrder>,
  one: OwnOrder,
  at: OwnOrderLook,
): number {
  let sum = 0;
  for (const order of orders) {
    if (isOfOneLevel(order, one) && isDue(mirror, order, at)) sum += remaining(order);
  }
  return sum;
}

function isOfOneLevel(one: OwnOrder, other: OwnOrder): boolean {
  return one.price === other.price && one.side === other.side;
}

/** A level beyond the known window is unknown, not absent. */
function isDue(mirror: BookMirror, order: OwnOrder, at: OwnOrderLook): boolean {
  if (order.leg !== at.leg || order.sentAtMs <= at.afterMs || !isSettledIn(order, at)) return false;
  return !isBeyondEdge(mirror, order);
}

/** The order stands as it is for so long that the book must have caught up with it. */
function isSettledIn(order: OwnOrder, { nowMs, settledMs }: OwnOrderLook): boolean {
  if (!isOnBook(order.state) || order.confirmedAtMs === undefined) return false;
  if (order.executed >= order.quantity) return false;
  const changedAtMs = Math.max(order.confirmedAtMs, order.stateSinceMs, order.executedAtMs ?? 0);
  return nowMs - changedAtMs >= settledMs;
}

function isBeyondEdge(mirror: BookMirror, order: OwnOrder): boolean {
  const side = bookSideOf(order);
  const edge = mirror.edge(side);
  if (edge === undefined) return false;
  return rankOf(mirror.grid, side, order.price) < rankOf(mirror.grid, side, edge);
}
