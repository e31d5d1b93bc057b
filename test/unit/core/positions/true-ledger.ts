// A small true account of one token: orders that trade, a chain that settles or busts, an index that lags,
// and reports that get lost. `Positions` is given what a venue would report of it, and no more.

import { Positions } from '../../../../src/core/positions/positions.ts';
import { signed } from '../../../../src/core/positions/unsettled.ts';
import { intentId, tokenId } from '../../../../src/domain/ids.ts';
import type { Side } from '../../../../src/domain/order.ts';
import { type MicroShares, microShares } from '../../../../src/domain/shares.ts';
import { type UnixMs, unixMs } from '../../../../src/domain/time.ts';

export const TOKEN = tokenId('0x01');
/** The index lags by less than this; a match settles within 20 s; a live order is listed within 40 s. */
export const LAG_MS = 150_000;
const INDEX_LAG_MS = 120_000;
const SETTLES_MS = 20_000;
const LISTED_MS = 40_000;
const PRICE_NANO = 0.4;

export type Step =
  | { readonly kind: 'place'; readonly side: Side; readonly quantity: number }
  | { readonly kind: 'match'; readonly pick: number; readonly part: number }
  | { readonly kind: 'report'; readonly pick: number }
  | { readonly kind: 'settle'; readonly pick: number; readonly isLost: boolean }
  | { readonly kind: 'bust'; readonly pick: number }
  | { readonly kind: 'vanish'; readonly pick: number }
  | { readonly kind: 'read'; readonly lagMs: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'restart' };

type Order = {
  readonly id: ReturnType<typeof intentId>;
  readonly side: Side;
  readonly quantity: number;
  readonly sentAtMs: UnixMs;
  executed: number;
  /** What has settled of it before it was reported. */
  settledEarly: number;
  reported: number;
  /** When the first of what is not reported traded. */
  unreportedSinceMs: number;
  isGone: boolean;
};

type Match = {
  readonly order: Order;
  readonly side: Side;
  readonly quantity: MicroShares;
  readonly atMs: number;
  isReported: boolean;
};

const OPENING = 1_000;

export class TrueLedger {
  positions = new Positions();
  nowMs = 1_700_000_000_000;
  #settled = OPENING;
  readonly #history = [{ atMs: 0, amount: OPENING }];
  readonly #orders: Order[] = [];
  readonly #matches: Match[] = [];
  #ids = 0;

  constructor() {
    this.positions.baseline(new Map([[TOKEN, microShares(OPENING)]]), this.#now);
  }

  get settled(): number {
    return this.#settled;
  }

  /** What has settled, and what has matched and will settle. */
  get truth(): number {
    return this.#matches.reduce(
      (sum, each) => sum + signed(each.side, each.quantity),
      this.#settled,
    );
  }

  get low(): number {
    return this.positions.low(TOKEN) - this.resting('SELL');
  }

  get high(): number {
    return this.positions.high(TOKEN) + this.resting('BUY');
  }

  /** What own live orders of a side may trade yet, by the reports of them. */
  resting(side: Side): number {
    const live = this.#orders.filter((each) => !each.isGone && each.side === side);
    return live.reduce((sum, each) => sum + each.quantity - each.reported, 0);
  }

  take(step: Step): void {
    switch (step.kind) {
      case 'place':
        this.#place(step.side, step.quantity);
        return;
      case 'match':
        this.#match(pickOf(this.#open(), step.pick), step.part);
        return;
      case 'report':
        this.#report(pickOf(this.#orders, step.pick));
        return;
      case 'settle':
        this.#settle(pickOf(this.#matches, step.pick), step.isLost);
        return;
      case 'bust':
        this.#bust(pickOf(this.#matches, step.pick));
        return;
      case 'vanish':
        this.#vanish(pickOf(this.#open(), step.pick));
        return;
      case 'read':
        this.read(step.lagMs % INDEX_LAG_MS);
        return;
      case 'wait':
        this.wait(step.ms);
        return;
      case 'restart':
        this.#restart();
        return;
    }
  }

  /** Everything settles, ends and is looked at until the whole lag has passed without an own event. */
  rest(): void {
    for (const order of this.#open()) this.#vanish(order);
    this.wait(SETTLES_MS + 1_000);
    this.wait(LAG_MS + 1_000);
    for (let reads = 0; reads < 4; reads += 1) {
      this.read(INDEX_LAG_MS);
      this.wait(6_000);
    }
  }

  read(lagMs: number): void {
    const shown = this.#history.findLast(({ atMs }) => atMs <= this.nowMs - lagMs);
    this.positions.onRead(TOKEN, microShares(shown?.amount ?? OPENING), {
      askedAtMs: this.#now,
      nowMs: this.#now,
      positionLagMs: LAG_MS,
      nanoPerShare: 400_000_000,
    });
  }

  wait(ms: number): void {
    for (let passed = 0; passed < ms; passed += 1_000) {
      this.nowMs += 1_000;
      for (const match of [...this.#matches]) {
        if (this.nowMs - match.atMs >= SETTLES_MS) this.#settle(match, true);
      }
      for (const order of this.#open()) {
        if (this.nowMs - order.unreportedSinceMs >= LISTED_MS) this.#report(order);
      }
    }
  }

  get #now(): UnixMs {
    return unixMs(this.nowMs);
  }

  #open(): readonly Order[] {
    return this.#orders.filter(({ isGone }) => !isGone);
  }

  #place(side: Side, quantity: number): void {
    this.#ids += 1;
    const id = intentId(`i-${this.#ids}`);
    const unreportedSinceMs = this.nowMs;
    const order = {
      id,
      side,
      quantity,
      executed: 0,
      settledEarly: 0,
      reported: 0,
      unreportedSinceMs,
    };
    this.#orders.push({ ...order, sentAtMs: this.#now, isGone: false });
  }

  #match(order: Order | undefined, part: number): void {
    if (order === undefined || order.executed === order.quantity) return;
    const quantity = microShares(Math.min(part, order.quantity - order.executed));
    if (order.executed === order.reported) order.unreportedSinceMs = this.nowMs;
    order.executed += quantity;
    const { side } = order;
    this.#matches.push({ order, side, quantity, atMs: this.nowMs, isReported: false });
  }

  /** An order report says all that has traded; of an order that is gone, within a while or never. */
  #report(order: Order | undefined): void {
    if (order === undefined || order.executed === order.reported) return;
    if (order.isGone && this.nowMs - order.unreportedSinceMs >= LISTED_MS) return;
    const { id, side, sentAtMs } = order;
    const quantity = microShares(order.executed - order.reported);
    order.reported = order.executed;
    order.settledEarly = 0;
    for (const each of this.#matches) if (each.order === order) each.isReported = true;
    const cashNano = -signed(side, quantity) * PRICE_NANO;
    const whole = { intentId: id, side, cashNano, quantity, original: quantity };
    const fill = { ...whole, sentAtMs, atMs: this.#now };
    this.positions.onFill(TOKEN, fill, this.#now);
    if (order.isGone) this.positions.closeOrder(TOKEN, id);
  }

  #settle(match: Match | undefined, isLost: boolean): void {
    if (match === undefined) return;
    const { side, quantity } = match;
    this.#matches.splice(this.#matches.indexOf(match), 1);
    if (!match.isReported && !isLost) match.order.settledEarly += quantity;
    this.#settled += signed(side, quantity);
    this.#history.push({ atMs: this.nowMs, amount: this.#settled });
    if (isLost) return;
    const cashNano = -signed(side, quantity) * PRICE_NANO;
    this.positions.onSettled(TOKEN, { side, quantity, cashNano }, this.#now);
  }

  /** Its frame names no order; where no position has so much pending nobody knows what to do with it. */
  #bust(match: Match | undefined): void {
    if (match === undefined) return;
    const { side, quantity, isReported } = match;
    // A chain takes its 15 s: by then the fill is listed, and no settlement waits for its report.
    if (!isReported || this.#isAnySettledEarly()) return;
    this.#matches.splice(this.#matches.indexOf(match), 1);
    if (this.positions.pendingOf(TOKEN, side) < quantity) return;
    this.positions.onBust(TOKEN, side, quantity, this.#now);
  }

  #isAnySettledEarly(): boolean {
    return this.#orders.some(({ settledEarly }) => settledEarly > 0);
  }

  #vanish(order: Order | undefined): void {
    if (order === undefined) return;
    order.isGone = true;
    const { id, side } = order;
    const quantity = microShares(order.quantity - order.reported);
    const cashNano = -signed(side, quantity) * PRICE_NANO;
    const item = { cause: 'order_end', side, quantity, cashNano, sinceMs: this.#now } as const;
    this.positions.doubt(TOKEN, { ...item, intentId: id });
  }

  #restart(): void {
    const stored = structuredClone(this.positions.stored(TOKEN));
    this.positions = new Positions();
    this.positions.restore([stored]);
    this.positions.baseline(new Map([[TOKEN, microShares(this.#settled)]]), this.#now);
  }
}

function pickOf<Value>(values: readonly Value[], pick: number): Value | undefined {
  return values[pick % Math.max(1, values.length)];
}
