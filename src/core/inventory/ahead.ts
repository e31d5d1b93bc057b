// Settlements that came before we knew of their match. What is told of it later has settled already.

import type { IntentId } from '../../domain/ids.ts';
import { clampShares, type MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { allows, isAlike, isRest, type PendingFill, type Taken } from './pending.ts';

type Waiting = {
  readonly trade: Taken;
  /** A settlement that may have been taken in its stead: then the match of that one is looked for. */
  readonly instead: Taken | undefined;
  readonly atMs: UnixMs;
  left: MicroShares;
  /** The order that ended unheard and is taken to have traded it: no other match is of it. */
  of?: IntentId | undefined;
};

/** A part of a match, and the settlement that it is. */
export type SettledPart = { readonly trade: Taken; readonly part: MicroShares };

/** A match that waits for nothing any more, and what settled it. */
export type SettledFill = {
  readonly fill: PendingFill;
  readonly parts: readonly SettledPart[];
};

/** A settlement whose match is not known after this long was somebody else's trade. */
const KEPT_MS = 60_000;
/** A match that was told of this long ago, and would have settled (15 to 20 s), waits for nothing new. */
const LATE_MS = 30_000;
/** A match of the last moment above is late, and balances are read, before it is forgotten. */
const FORGOTTEN_MS = 120_000;
/** Matches nobody told us of within that time: a lost user channel at the full write budget. */
const WAITING_MAX = 2_000;

export class Ahead {
  #waiting: Waiting[] = [];

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift();
  }

  /** Takes what has settled of a fill that we hear of now, by its side and price. */
  take(fill: PendingFill): readonly SettledPart[] {
    const parts: SettledPart[] = [];
    let taken = 0;
    for (const each of this.#waiting) {
      if (each.of !== undefined && each.of !== fill.intentId) continue;
      if (!isInTime(each, fill) || each.trade.side !== fill.side || !isOf(fill, each)) continue;
      const part = clampShares(Math.min(each.left, fill.quantity - taken));
      if (part === 0) break;
      each.left = clampShares(each.left - part);
      taken += part;
      parts.push({ trade: each.trade, part });
    }
    this.#waiting = this.#waiting.filter(({ left }) => left > 0);
    return parts;
  }

  /** Matches that wait for nothing any more, since what waited for a match was of them. */
  settledOf(pending: readonly PendingFill[], nowMs: UnixMs): readonly SettledFill[] {
    this.expire(nowMs);
    if (!this.hasAny) return [];
    const settled = new Map<PendingFill, readonly SettledPart[]>();
    for (const fill of pending) {
      const parts = this.#takeLeft(fill, nowMs);
      if (parts.length > 0) settled.set(fill, parts);
    }
    for (const side of ['BUY', 'SELL'] as const) {
      const late = pending.filter(
        (each) => each.side === side && nowMs - each.atMs >= LATE_MS && !settled.has(each),
      );
      const trade = this.#takeSum(late);
      if (trade === undefined) continue;
      for (const fill of late) settled.set(fill, [{ trade, part: fill.quantity }]);
    }
    return [...settled].map(([fill, parts]) => ({ fill, parts }));
  }

  /**
   * Gives what waits for its match to an order that ended, and of which nobody will tell what it had traded:
   * as much as it can have traded at its price or a better one, since it left.
   * @returns Whether there was any.
   */
  giveTo(order: PendingFill): boolean {
    let left: number = order.quantity;
    for (const each of this.#free()) {
      const isOurs = each.trade.side === order.side && allows(order, each.trade);
      if (!isOurs || isSentLater(each, order) || each.left > left) continue;
      each.of = order.intentId;
      left -= each.left;
    }
    return left < order.quantity;
  }

  /** Whether a settlement waits for a match that nobody has told of. */
  get hasAny(): boolean {
    return this.#free().length > 0;
  }

  /** Those that nobody is taken to have traded. */
  #free(): readonly Waiting[] {
    return this.#waiting.filter(({ of }) => of === undefined);
  }

  /** Forgets what was somebody else's trade. @returns Whether there was any. */
  expire(nowMs: UnixMs): boolean {
    const before = this.#free().length;
    this.#waiting = this.#waiting.filter(({ atMs }) => nowMs - atMs < FORGOTTEN_MS);
    return this.#free().length < before;
  }

  /**
   * Whether a match waits in vain for its settlement while a settlement of its side waits in vain for
   * its match: they may be the same shares, or as many were lost of each. Only the venue's number tells.
   */
  isContradicted(pending: readonly PendingFill[], nowMs: UnixMs): boolean {
    return this.#free().some(
      (each) =>
        nowMs - each.atMs >= LATE_MS &&
        pending.some((fill) => fill.side === each.trade.side && nowMs - fill.atMs >= LATE_MS),
    );
  }

  /**
   * Whether a settlement that waits for its match may be of one that waits for its settlement, which had
   * asked for less: until time tells, the same shares are counted as both.
   */
  isUnclear(pending: readonly PendingFill[]): boolean {
    if (this.#waiting.length === 0 || pending.length === 0) return false;
    return this.#free().some((each) =>
      pending.some(
        (fill) => fill.side === each.trade.side && allows(fill, each.trade) && isInTime(each, fill),
      ),
    );
  }

  clear(): void {
    this.#waiting = [];
  }

  /**
   * Takes just as much as is left of a match, where that is no accident: of a settlement that another
   * match left, since that one took in its name what the other had settled, or when the match is so
   * old that nothing else is on its way. Prices say no more of what is left of a match that was
   * settled in another's name itself.
   */
  #takeLeft(fill: PendingFill, nowMs: UnixMs): readonly SettledPart[] {
    const isLate = nowMs - fill.atMs >= LATE_MS;
    const ofSide = this.#free().filter(
      (each) => isInTime(each, fill) && each.trade.side === fill.side,
    );
    const allowed = ofSide.filter(
      ({ trade, instead }) =>
        allows(fill, trade) || (instead !== undefined && allows(fill, instead)),
    );
    const found =
      justAsMuch(fill, allowed, isLate) ??
      (isLate && isRest(fill)
        ? ofSide.filter((each) => each.left === fill.quantity).slice(0, 1)
        : []);
    if (found.length === 0 && isLate && isRest(fill)) return this.#takePart(fill, allowed);
    this.#waiting = this.#waiting.filter((each) => !found.includes(each));
    return found.map(({ trade, left }) => ({ trade, part: left }));
  }

  /** More may have settled in one than a late rest is: what it leaves is of a match not told of yet. */
  #takePart({ quantity }: PendingFill, allowed: readonly Waiting[]): readonly SettledPart[] {
    const larger = allowed.find(({ left }) => left > quantity);
    if (larger === undefined) return [];
    larger.left = clampShares(larger.left - quantity);
    return [{ trade: larger.trade, part: quantity }];
  }

  /**
   * The same for several late matches together: one of them was settled in part in another's name, or a
   * venue sums up those of one price, and settled them at a better one.
   */
  #takeSum(late: readonly PendingFill[]): Taken | undefined {
    const [first] = late;
    const isMixed = late.some(isRest);
    if (first === undefined || !(isMixed || late.every((fill) => isAlike(fill, pricedAs(first))))) {
      return undefined;
    }
    const sum = late.reduce((total, { quantity }) => total + quantity, 0);
    const found = this.#free().find(
      (each) =>
        each.left === sum &&
        (isMixed || allows(first, each.trade)) &&
        late.every((fill) => fill.side === each.trade.side && isInTime(each, fill)),
    );
    this.#waiting = this.#waiting.filter((each) => each !== found);
    return found?.trade;
  }
}

/** A trade at just the price of a fill. */
function pricedAs({ side, original, cashNano }: PendingFill): Taken {
  return { side, quantity: original, cashNano };
}

function isInTime(each: Waiting, fill: PendingFill): boolean {
  return fill.atMs - each.atMs <= KEPT_MS && !isSentLater(each, fill);
}

/** An order that had not left yet had matched nothing. A clock that was put back tells no order of events. */
function isSentLater({ atMs }: Waiting, fill: PendingFill): boolean {
  const { sentAtMs } = fill;
  return sentAtMs !== undefined && sentAtMs > atMs && sentAtMs <= fill.atMs;
}

/** Whether a settlement was at the price of a fill, or the one that was taken in its stead. */
function isOf(fill: PendingFill, { trade, instead }: Waiting): boolean {
  return isAlike(fill, trade) || isStead(fill, instead);
}

function isStead(fill: PendingFill, instead: Taken | undefined): boolean {
  return instead !== undefined && isAlike(fill, instead);
}

function justAsMuch(
  fill: PendingFill,
  allowed: readonly Waiting[],
  isLate: boolean,
): readonly Waiting[] | undefined {
  const { quantity } = fill;
  const single = allowed.find(
    (each) => each.left === quantity && (isLate || isPart(each) || isStead(fill, each.instead)),
  );
  if (single) return [single];
  const sum = allowed.reduce((total, { left }) => total + left, 0);
  // One match is settled by several only where frames of it were gathered; all that wait are just as much.
  return sum === quantity && (isLate || allowed.some(isPart)) ? allowed : undefined;
}

/** Another match took a part of it. */
function isPart({ left, trade }: Waiting): boolean {
  return left < trade.quantity;
}
