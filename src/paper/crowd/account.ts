// One account of the crowd: it trades what it has and is refilled when that runs low.

import type { MarketId, OrderHash } from '../../domain/ids.ts';
import { shares } from '../../domain/shares.ts';
import { addMs, type UnixMs, unixMs } from '../../domain/time.ts';
import { usdc } from '../../domain/usdc.ts';
import type { Desk, DeskOrder, TraderName } from '../exchange/desk.ts';

/** Cash of one refill: some minutes of the busiest account's trading. */
const REFILL_USDC = 20_000;
/** Complete sets of one refill, minted for a part of that cash. */
const REFILL_SETS = 5_000;
/** An account is refilled this often at most, so that what the crowd spends has a bound. */
const REFILL_EVERY_MS = 10_000;
/** After a refusal that waiting may cure, a market is left alone this long. */
const REST_MS = 2_000;

export class CrowdAccount {
  readonly name: TraderName;
  readonly #desk: Desk;
  readonly #marketId: MarketId;
  #cashSinceMs: UnixMs = unixMs(Number.NEGATIVE_INFINITY);
  #setsSinceMs: UnixMs = unixMs(Number.NEGATIVE_INFINITY);
  #restsUntilMs: UnixMs = unixMs(Number.NEGATIVE_INFINITY);

  /** Opens the account with cash and complete sets of one market. */
  constructor(desk: Desk, marketId: MarketId, name: TraderName) {
    this.name = name;
    this.#desk = desk;
    this.#marketId = marketId;
    this.#addCash();
    this.#addSets();
  }

  /** The market refused orders a moment ago; whoever asks now would hear the same again. */
  get isResting(): boolean {
    return this.#desk.nowMs() < this.#restsUntilMs;
  }

  /** Places an order; `undefined` when it was refused, with what was lacking refilled for the next. */
  place(order: DeskOrder): OrderHash | undefined {
    if (this.isResting) return undefined;
    const answer = this.#desk.place(this.name, order);
    if (answer.kind === 'accepted') return answer.orderHash;
    this.#cure(answer.code);
    return undefined;
  }

  /** True when the order is gone by this cancel; false when it was filled, or may not be cancelled. */
  cancel(orderHash: OrderHash): boolean {
    return this.#desk.cancel(this.name, orderHash);
  }

  cancelAll(): void {
    this.#desk.cancelAll(this.name);
  }

  #cure(code: string): void {
    if (code === 'insufficient_balance') this.#addCash();
    else if (code === 'insufficient_shares') this.#addSets();
    // Paused, closed, resolved, or too many orders: asking again at once would not help.
    else this.#restsUntilMs = addMs(this.#desk.nowMs(), REST_MS);
  }

  #addCash(): void {
    if (this.#desk.nowMs() - this.#cashSinceMs < REFILL_EVERY_MS) return;
    this.#cashSinceMs = this.#desk.nowMs();
    this.#desk.fund(this.name, usdc(REFILL_USDC));
  }

  #addSets(): void {
    if (this.#desk.nowMs() - this.#setsSinceMs < REFILL_EVERY_MS) return;
    this.#setsSinceMs = this.#desk.nowMs();
    const answer = this.#desk.mintSets(this.name, this.#marketId, shares(REFILL_SETS));
    if (answer?.kind === 'refused') this.#addCash();
  }
}
