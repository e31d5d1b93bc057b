// A venue on which all trades are alike: three markets, two prices, one or two sizes. Whatever is counted by
// what it comes to may be another one's here. It loses no frame but those of the time in which nobody listens.

import type { VenueCommand } from '../../src/domain/command.ts';
import { type OrderHash, orderHash, type TokenId } from '../../src/domain/ids.ts';
import type { Balances, Level, VenueMessage } from '../../src/domain/message.ts';
import type { LimitOrder, OrderReport, OrderStatus } from '../../src/domain/order.ts';
import { microShares, shares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import { usdc } from '../../src/domain/usdc.ts';
import { between, type Dice, seededDice } from '../../src/paper/exchange/random.ts';
import { EXCLUSIVE, GRID } from './exclusive-event.ts';

export const MARKETS = EXCLUSIVE.markets;
export const TOKENS: readonly TokenId[] = MARKETS.flatMap(({ yes, no }) => [
  yes.tokenId,
  no.tokenId,
]);
/** Half of an order trades at once, or all of it. */
const PART = shares(25);
/** One order trades about so often. */
const FILL_MS = 10_000;
const FRAME_MS = 100;
const START_CENTS = 1_000_000;

type Resting = { readonly order: LimitOrder; readonly orderHash: OrderHash; executed: number };
type Match = {
  readonly tradeId: string;
  readonly of: LimitOrder;
  readonly quantity: number;
  readonly settlesAtMs: number;
};
type Answer = { readonly atMs: number; readonly message: VenueMessage };

export class AlikeVenue {
  readonly #dice: Dice;
  nowMs: number;
  /** Only who has authenticated hears of what is his. */
  isHeard = false;
  #cashCents = START_CENTS;
  readonly #settled = new Map<TokenId, number>(TOKENS.map((tokenId) => [tokenId, 0]));
  /** What the index shows of a token, and from when on. */
  readonly #index = new Map<TokenId, readonly { readonly atMs: number; readonly size: number }[]>(
    TOKENS.map((tokenId) => [tokenId, [{ atMs: 0, size: 0 }]]),
  );
  readonly #resting = new Map<OrderHash, Resting>();
  #matches: readonly Match[] = [];
  #requests: readonly { readonly atMs: number; readonly run: () => void }[] = [];
  #answers: readonly Answer[] = [];
  #count = 0;

  constructor(seed: number, nowMs: number) {
    this.#dice = seededDice(seed);
    this.nowMs = nowMs;
  }

  chance(probability: number): boolean {
    return this.#dice.next() < probability;
  }

  between(leastMs: number, mostMs: number): number {
    return between(this.#dice, leastMs, mostMs);
  }

  /** Settled and matched together. */
  truth(tokenId: TokenId): number {
    let size = this.#settled.get(tokenId) ?? 0;
    for (const { of, quantity } of this.#matches) {
      if (of.tokenId === tokenId) size += of.side === 'BUY' ? quantity : -quantity;
    }
    return size;
  }

  /** What it does of itself until then. */
  passTo(nowMs: number): void {
    const passedMs = nowMs - this.nowMs;
    this.nowMs = nowMs;
    for (const match of this.#matches) if (match.settlesAtMs <= nowMs) this.#settle(match);
    for (const resting of [...this.#resting.values()]) {
      if (this.chance(passedMs / FILL_MS / 2)) this.#trade(resting);
    }
    const due = this.#requests.filter(({ atMs }) => atMs <= nowMs);
    this.#requests = this.#requests.filter(({ atMs }) => atMs > nowMs);
    for (const { run } of due) run();
  }

  /** What has come to whoever listens by now. */
  heard(): readonly VenueMessage[] {
    const due = this.#answers.filter(({ atMs }) => atMs <= this.nowMs);
    this.#answers = this.#answers.filter(({ atMs }) => atMs > this.nowMs);
    return due.toSorted((a, b) => a.atMs - b.atMs).map(({ message }) => message);
  }

  /** Nobody is there any more; what has left still arrives. */
  hangUp(): void {
    this.isHeard = false;
    this.#answers = [];
  }

  take(command: VenueCommand): void {
    const askedAtMs = unixMs(this.nowMs);
    switch (command.kind) {
      case 'placeOrders':
        this.#later(() => this.#place(command));
        return;
      case 'cancelOrders':
        this.#later(() => this.#cancel(command.requestId, command.orderHashes));
        return;
      case 'cancelAll':
        this.#later(() => this.#cancel(command.requestId, [...this.#resting.keys()]));
        return;
      case 'readOpenOrders':
        this.#later(() => {
          const outcome = { kind: 'ok', value: this.#list() } as const;
          const { requestId } = command;
          this.#answer({ kind: 'openOrders', requestId, askedAtMs, outcome });
        });
        return;
      case 'readBalances':
        this.#later(() => {
          const outcome = { kind: 'ok', value: this.#balances() } as const;
          const { requestId } = command;
          this.#answer({ kind: 'balances', requestId, askedAtMs, outcome });
        });
        return;
      case 'readCatalogue':
        this.#answer({ kind: 'catalogue', outcome: { kind: 'ok', value: [EXCLUSIVE] } });
        return;
      default:
        return;
    }
  }

  #later(run: () => void): void {
    this.#requests = [...this.#requests, { atMs: this.nowMs + this.between(20, 200), run }];
  }

  #answer(message: VenueMessage, afterMs = this.between(20, 200)): void {
    this.#answers = [...this.#answers, { atMs: this.nowMs + afterMs, message }];
  }

  #frame(message: VenueMessage): void {
    if (this.isHeard) this.#answer(message, FRAME_MS);
  }

  #update({ order, orderHash: hash, executed }: Resting, status: OrderStatus): void {
    const { tokenId, side, price, quantity } = order;
    this.#frame({
      kind: 'orderUpdate',
      update: {
        ...{ orderHash: hash, tokenId, marketId: undefined, side, price, status },
        filledQuantity: microShares(executed),
        remaining: microShares(quantity - executed),
      },
    });
  }

  #place({ requestId, orders }: Extract<VenueCommand, { kind: 'placeOrders' }>): void {
    const outcomes = orders.map((order) => {
      this.#count += 1;
      const hash = orderHash(`0xaa${this.#count.toString(16)}`);
      this.#resting.set(hash, { order, orderHash: hash, executed: 0 });
      const outcome = { kind: 'accepted', orderHash: hash } as const;
      return { intentId: order.intentId, outcome };
    });
    this.#answer({ kind: 'placed', requestId, outcomes });
  }

  #cancel(
    requestId: Extract<VenueCommand, { kind: 'cancelAll' }>['requestId'],
    hashes: readonly OrderHash[],
  ): void {
    const found = hashes.flatMap((hash) => this.#resting.get(hash) ?? []);
    for (const resting of found) {
      this.#resting.delete(resting.orderHash);
      this.#update(resting, 'CANCELLED');
    }
    const cancelled = found.length;
    const failed = hashes.length - cancelled;
    this.#answer({
      kind: 'cancelled',
      requestId,
      outcome: { kind: 'accepted', cancelled, failed },
    });
  }

  #trade(resting: Resting): void {
    const { order } = resting;
    const left = order.quantity - resting.executed;
    const quantity = left > PART && this.chance(0.5) ? PART : left;
    resting.executed += quantity;
    this.#count += 1;
    const settlesAtMs = this.nowMs + this.between(13_000, 20_000);
    const match = { tradeId: `t-${this.#count}`, of: order, quantity, settlesAtMs };
    this.#matches = [...this.#matches, match];
    if (resting.executed >= order.quantity) this.#resting.delete(resting.orderHash);
    this.#update(resting, resting.executed < order.quantity ? 'PARTIALLY_FILLED' : 'MATCHED');
  }

  #settle(match: Match): void {
    this.#matches = this.#matches.filter((each) => each !== match);
    const { of, quantity, tradeId } = match;
    const { tokenId, side, price } = of;
    const sign = side === 'BUY' ? 1 : -1;
    this.#cashCents -= (sign * price * quantity) / 1e6;
    const size = (this.#settled.get(tokenId) ?? 0) + sign * quantity;
    this.#settled.set(tokenId, size);
    const shown = this.#index.get(tokenId) ?? [];
    const atMs = Math.max(this.nowMs + this.between(20_000, 100_000), shown.at(-1)?.atMs ?? 0);
    this.#index.set(tokenId, [...shown, { atMs, size }]);
    this.#frame({
      ...{ kind: 'tradeSettled', tradeId, tokenId, marketId: undefined, side },
      ...{ price: usdc((price / 100).toFixed(2)), quantity: microShares(quantity) },
    });
  }

  #list(): readonly OrderReport[] {
    return [...this.#resting.values()].map(({ order, orderHash: hash, executed }) => ({
      ...{ orderHash: hash, tokenId: order.tokenId, side: order.side, price: order.price },
      ...{ quantity: order.quantity, executed: microShares(executed), createdAtMs: undefined },
      status: executed > 0 ? 'PARTIALLY_FILLED' : 'OPEN',
    }));
  }

  /** All that rests and has matched, and has not settled. */
  #held(side: LimitOrder['side']): readonly { readonly of: LimitOrder; readonly size: number }[] {
    const resting = [...this.#resting.values()].map(({ order, executed }) => ({
      of: order,
      size: order.quantity - executed,
    }));
    const matched = this.#matches.map(({ of, quantity }) => ({ of, size: quantity }));
    return [...resting, ...matched].filter(({ of }) => of.side === side);
  }

  #balances(): Balances {
    const heldCents = this.#held('BUY').reduce((sum, { of, size }) => sum + of.price * size, 0);
    const sells = this.#held('SELL');
    const dollars = (cents: number) => usdc((cents / 100).toFixed(6));
    return {
      cashBalance: dollars(this.#cashCents),
      availableBalance: dollars(this.#cashCents - heldCents / 1e6),
      usdcOnHold: dollars(heldCents / 1e6),
      positions: TOKENS.map((tokenId) => ({
        tokenId,
        marketId: MARKETS[Math.floor(TOKENS.indexOf(tokenId) / 2)]?.id ?? ('' as never),
        shareAmount: microShares(this.#shown(tokenId)),
        onHoldShareAmount: microShares(
          sells.reduce((sum, { of, size }) => sum + (of.tokenId === tokenId ? size : 0), 0),
        ),
      })),
    };
  }

  #shown(tokenId: TokenId): number {
    const shown = this.#index.get(tokenId) ?? [];
    const at = shown.findLastIndex(({ atMs }) => atMs <= this.nowMs);
    this.#index.set(tokenId, shown.slice(at));
    return shown[at]?.size ?? 0;
  }
}

/** Others bid and offer for YES, and nobody for NO. */
export function bookOf(tokenId: TokenId): {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
} {
  const isYes = MARKETS.some(({ yes }) => yes.tokenId === tokenId);
  const level = (price: number): Level => ({ price: ticks(GRID, price), size: shares(500) });
  return { bids: isYes ? [level(48)] : [], asks: isYes ? [level(52)] : [] };
}
