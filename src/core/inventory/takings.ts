// Settlements that were given whole to one match, for as long as news may show that they were another's.
// Their frames name no order: side, size and price find the match, and find a wrong one while the right one
// is not told of, or where they pass for a part of one at just their price.

import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import {
  allows,
  cashOf,
  feeAt,
  isAlike,
  isWhole,
  nearest,
  type PendingFill,
  sumOf,
  type Taken,
} from './pending.ts';

type Taking = { readonly fill: PendingFill; readonly trade: Taken; readonly atMs: UnixMs };

/** A settlement that is of another match than it was taken for. */
export type Move = {
  readonly from: PendingFill;
  readonly to: PendingFill;
  readonly trade: Taken;
  readonly atMs: UnixMs;
};

/** A settlement whose match is not told of for this long was somebody else's trade. */
const KEPT_MS = 60_000;
/** An answer that times out (10 s) and the list after it tell of a match this much later than its settlement. */
const TOLD_WITHIN_MS = 20_000;
/** A match that was told of this long ago, and would have settled (15 to 20 s), waits for nothing new. */
const LATE_MS = 30_000;
/** Reads of the balances, which find what is late, may fail for a while. */
const FORGOTTEN_MS = 180_000;
/** Settlements of one token within that time; beyond it the oldest have had their time. */
const TAKINGS_MAX = 2_000;

export class Takings {
  #takings: Taking[] = [];

  /** A match was settled by a trade, which may be another one's. */
  add(fill: PendingFill, taken: MicroShares, of: { trade: Taken; atMs: UnixMs }): void {
    if (taken !== of.trade.quantity || of.trade.cashNano === undefined) return;
    this.#expire(of.atMs);
    this.#takings.push({ fill, ...of });
    if (this.#takings.length > TAKINGS_MAX) this.#takings.shift();
  }

  /**
   * A match waits in vain that is just what settled before it was told of, in size and price, in the name
   * of one that had asked for less: it was of this one.
   */
  moveLate(pending: readonly PendingFill[], nowMs: UnixMs): Move | undefined {
    // They are few, and matches that are late are many after an outage.
    const gained = this.#takings.filter(isGained);
    if (gained.length === 0) return undefined;
    for (const to of pending) {
      if (nowMs - to.atMs < LATE_MS) continue;
      const found = gained.find((each) => isJust(each, to));
      if (found) return this.#move(found, to);
    }
    return undefined;
  }

  /**
   * A settlement would be the whole of a match at just its price, had not another one been taken for a part
   * of that. The other one was of a match that asked for less: of one of its size, or of a larger one
   * where this settlement fits none either. Or it had been taken for the whole, and was just what another
   * match is that was told of since. Where it may be several of just its price together, the other one only
   * goes to another one of these, which costs the same.
   */
  moveAside(pending: readonly PendingFill[], trade: Taken): readonly Move[] {
    const ofSide = pending.filter((fill) => fill.side === trade.side);
    const alike = ofSide.filter((fill) => isAlike(fill, trade));
    if (alike.some(({ quantity }) => quantity >= trade.quantity)) return [];
    const mayBeSeveral = sumOf(alike) >= trade.quantity;
    const isFitting = ofSide.some((fill) => isWhole(fill, trade) && allows(fill, trade));
    for (const each of this.#takings) {
      const { fill } = each;
      if (fill.side !== trade.side || !isAlike(fill, trade)) continue;
      if (fill.quantity + each.trade.quantity !== trade.quantity) continue;
      const to = mayBeSeveral
        ? roomBeside(each, alike)
        : asideOf(each, { ofSide, alike, isFitting });
      if (to) return [this.#move(each, to)];
    }
    if (mayBeSeveral || isFitting) return [];
    const exchanged = this.#exchanged(ofSide, trade);
    return exchanged ? [exchanged] : this.#severalAside(ofSide, trade);
  }

  /**
   * Several that were taken for parts of a match which had asked for less are each just what another match
   * is that was told of since: what comes now is the whole of the first one.
   */
  #severalAside(ofSide: readonly PendingFill[], trade: Taken): readonly Move[] {
    const fills = new Set(this.#takings.filter(isGained).map(({ fill }) => fill));
    for (const fill of fills) {
      if (fill.side !== trade.side || !isAlike(fill, trade)) continue;
      const others = this.#othersOf(fill, ofSide);
      const quantity = [...others.keys()].reduce((sum, each) => sum + each.trade.quantity, 0);
      if (others.size === 0 || fill.quantity + quantity !== trade.quantity) continue;
      return [...others].map(([taking, to]) => this.#move(taking, to));
    }
    return [];
  }

  /** What was taken for a match, each with one of its own that is just that. */
  #othersOf(fill: PendingFill, ofSide: readonly PendingFill[]): ReadonlyMap<Taking, PendingFill> {
    const others = new Map<Taking, PendingFill>();
    const given = new Set<PendingFill>([fill]);
    for (const each of this.#takings) {
      if (each.fill !== fill || !isGained(each)) continue;
      const to = ofSide.find((other) => !given.has(other) && isJust(each, other));
      if (to === undefined) continue;
      others.set(each, to);
      given.add(to);
    }
    return others;
  }

  /**
   * Two matches settled at better prices and a part of the one was taken for a part of the other: what comes
   * now is the whole of the other but for that part, which is just what waits of the one. So it is read only
   * where it would else be a part of one that asked for less, and earn more than it may have.
   */
  #exchanged(ofSide: readonly PendingFill[], trade: Taken): Move | undefined {
    const isLarger = (fill: PendingFill) => fill.quantity > trade.quantity && allows(fill, trade);
    const larger = nearest(ofSide.filter(isLarger), trade);
    for (const each of this.#takings) {
      const { fill } = each;
      if (fill.side !== trade.side || !allows(fill, trade)) continue;
      if (fill.quantity + each.trade.quantity !== trade.quantity) continue;
      if (larger !== undefined && nearest([fill, larger], trade) === larger) continue;
      const to = ofSide.find(
        (other) => other !== fill && isWhole(other, each.trade) && allows(other, each.trade),
      );
      if (to) return this.#move(each, to);
    }
    return undefined;
  }

  /** One of just as much that a match of just this price was settled by, at a better one. */
  takenInstead(trade: Taken, left: MicroShares, nowMs: UnixMs): Taken | undefined {
    const found = this.#takings.find(
      (each) =>
        isGained(each) &&
        nowMs - each.atMs < KEPT_MS &&
        each.fill.side === trade.side &&
        each.trade.quantity === left &&
        isAlike(each.fill, trade),
    );
    this.#takings = this.#takings.filter((each) => each !== found);
    return found?.trade;
  }

  clear(): void {
    this.#takings = [];
  }

  #move(taking: Taking, to: PendingFill): Move {
    this.#takings = this.#takings.map((each) => (each === taking ? { ...each, fill: to } : each));
    return { from: taking.fill, to, trade: taking.trade, atMs: taking.atMs };
  }

  #expire(nowMs: UnixMs): void {
    this.#takings = this.#takings.filter(({ atMs }) => nowMs - atMs < FORGOTTEN_MS);
  }
}

type Aside = {
  readonly ofSide: readonly PendingFill[];
  readonly alike: readonly PendingFill[];
  readonly isFitting: boolean;
};

function asideOf(taking: Taking, { ofSide, alike, isFitting }: Aside): PendingFill | undefined {
  if (alike.includes(taking.fill)) return otherOf(taking, ofSide, isFitting);
  return isGained(taking) ? ofSide.find((other) => isJust(taking, other)) : undefined;
}

/** Another match of the same price that it may be a part of as well. */
function roomBeside(
  { fill, trade }: Taking,
  alike: readonly PendingFill[],
): PendingFill | undefined {
  if (!alike.includes(fill)) return undefined;
  return alike.find((other) => other !== fill && other.quantity >= trade.quantity);
}

/**
 * Takes a settlement off the match that it turns out to be of, and gives it back to the other one.
 * @returns By how much more it was counted with, in nano-USDC.
 */
export function carryOut(pending: PendingFill[], { from, to, trade }: Move): number {
  const { quantity } = trade;
  to.quantity = clampShares(to.quantity - quantity);
  if (to.quantity === 0) pending.splice(pending.indexOf(to), 1);
  giveBack(pending, from, quantity);
  return cashOf(to, quantity) - cashOf(from, quantity);
}

/** By how much more fee a settlement costs as another's than it was taken for, in nano-USDC. */
export function feeMoved({ from, to, trade }: Move): number {
  return feeAt(to, trade, trade.quantity) - feeAt(from, trade, trade.quantity);
}

/** To its place among those that wait, oldest first. What settled of it otherwise meanwhile stays so. */
function giveBack(pending: PendingFill[], fill: PendingFill, quantity: MicroShares): void {
  const isWaiting = pending.includes(fill);
  const waits = isWaiting || fill.quantity === 0 ? fill : { ...fill, quantity: clampShares(0) };
  waits.quantity = clampShares(waits.quantity + quantity);
  if (isWaiting) return;
  const later = pending.findIndex(({ atMs }) => atMs > fill.atMs);
  pending.splice(later === -1 ? pending.length : later, 0, waits);
}

/** It brought more than its match had asked for. */
function isGained({ fill, trade }: Taking): boolean {
  return !isAlike(fill, trade);
}

function isJust({ fill, trade, atMs }: Taking, to: PendingFill): boolean {
  return fill.side === to.side && isWhole(to, trade) && isAlike(to, trade) && isToldAfter(to, atMs);
}

/** Told of soon after it had settled: later ones are new as a rule. Its order had left by then. */
function isToldAfter({ atMs, sentAtMs }: PendingFill, settledAtMs: UnixMs): boolean {
  const isInTime = atMs >= settledAtMs && atMs - settledAtMs <= TOLD_WITHIN_MS;
  return isInTime && (sentAtMs === undefined || sentAtMs <= settledAtMs || sentAtMs > atMs);
}

function otherOf(
  { fill, trade }: Taking,
  ofSide: readonly PendingFill[],
  isFitting: boolean,
): PendingFill | undefined {
  const others = ofSide.filter((each) => each !== fill && allows(each, trade));
  const whole = nearest(
    others.filter((each) => isWhole(each, trade)),
    trade,
  );
  if (whole !== undefined || isFitting) return whole;
  return nearest(
    others.filter((each) => each.quantity > trade.quantity),
    trade,
  );
}
