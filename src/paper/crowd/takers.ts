// Takers of the crowd: those who know nothing and those who know what the market is worth. Both
// trade against whatever rests in the book, ours included.

import type { OrderHash, TokenId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import { shares } from '../../domain/shares.ts';
import { type TickGrid, ticksWithin } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { Desk } from '../exchange/desk.ts';
import type { CrowdAccount } from './account.ts';
import type { MarketProfile } from './profile.ts';
import type { Random } from './random.ts';

export type TakerOptions = {
  readonly desk: Desk;
  readonly grid: TickGrid;
  readonly market: Market;
  readonly account: CrowdAccount;
  readonly random: Random;
  readonly profile: MarketProfile;
};

/** Spread of order sizes, as the standard deviation of their logarithm. */
const SIZE_SIGMA = 0.9;
/** No order is larger than this many median ones. */
const SIZE_MEDIANS_MAX = 12;
/** One taker in so many leaves its remainder in the book for a while. */
const PATIENT_CHANCE = 0.1;
/** Remainders one taker account may have resting. */
const REMAINDERS_MAX = 5;

/** Buys and sells at random, mostly by FAK, a few ticks beyond the best price. */
export class NoiseTaker {
  readonly #options: TakerOptions;
  #remainders: readonly { readonly orderHash: OrderHash; readonly untilMs: UnixMs }[] = [];

  constructor(options: TakerOptions) {
    this.#options = options;
  }

  arrive(): void {
    const { desk, grid, market, account, random, profile } = this.#options;
    const tokenId = random.chance(0.5) ? market.yes.tokenId : market.no.tokenId;
    const side = random.chance(0.5) ? 'BUY' : 'SELL';
    const isPatient = random.chance(PATIENT_CHANCE) && this.#remainders.length < REMAINDERS_MAX;
    const reach = isPatient
      ? 0
      : random.whole(0, (profile.noiseReachTicks * grid.ticksPerUnit) / 100);
    const touch = touchFor(desk, tokenId, side);
    const quantity = quantityOf(this.#options);
    const waitMs = random.whole(5_000, 15_000);
    if (touch === undefined || account.isResting) return;
    const price = ticksWithin(grid, side === 'BUY' ? touch + reach : touch - reach);
    if (price === undefined) return;
    const orderHash = account.place({
      tokenId,
      side,
      price,
      quantity: quantity(price),
      timeInForce: isPatient ? 'GTC' : 'FAK',
    });
    if (!isPatient || orderHash === undefined) return;
    this.#remainders = [...this.#remainders, { orderHash, untilMs: addMs(desk.nowMs(), waitMs) }];
  }

  /** Takes back remainders whose time is up. */
  tidy(): void {
    const nowMs = this.#options.desk.nowMs();
    const isOver = this.#remainders.some((each) => each.untilMs <= nowMs);
    if (!isOver) return;
    for (const each of this.#remainders) {
      if (each.untilMs <= nowMs) this.#options.account.cancel(each.orderHash);
    }
    this.#remainders = this.#remainders.filter((each) => each.untilMs > nowMs);
  }

  stop(): void {
    this.#options.account.cancelAll();
    this.#remainders = [];
  }
}

/** Trades towards the fair value wherever the book is off by more than its edge. */
export class InformedTaker {
  readonly #options: TakerOptions;

  constructor(options: TakerOptions) {
    this.#options = options;
  }

  /** `fairValue` is the probability of YES. */
  arrive(fairValue: number): void {
    const { grid, market, account } = this.#options;
    const quantity = quantityOf(this.#options);
    if (account.isResting) return;
    const best = [
      ...this.#chances(market.yes.tokenId, fairValue * grid.ticksPerUnit),
      ...this.#chances(market.no.tokenId, (1 - fairValue) * grid.ticksPerUnit),
    ].reduce<Chance | undefined>((a, b) => (a && a.edgeTicks >= b.edgeTicks ? a : b), undefined);
    if (!best || best.edgeTicks < this.#edgeTicks()) return;
    const { tokenId, side } = best;
    const price = ticksWithin(grid, best.limitTicks);
    if (price === undefined) return;
    account.place({ tokenId, side, price, quantity: quantity(price), timeInForce: 'FAK' });
  }

  stop(): void {
    this.#options.account.cancelAll();
  }

  #chances(tokenId: TokenId, fairTicks: number): readonly Chance[] {
    const { desk } = this.#options;
    const keep = this.#edgeTicks() / 2;
    const ask = touchFor(desk, tokenId, 'BUY');
    const bid = touchFor(desk, tokenId, 'SELL');
    const buy = { tokenId, side: 'BUY', limitTicks: Math.floor(fairTicks - keep) } as const;
    const sell = { tokenId, side: 'SELL', limitTicks: Math.ceil(fairTicks + keep) } as const;
    return [
      ...(ask === undefined ? [] : [{ ...buy, edgeTicks: fairTicks - ask }]),
      ...(bid === undefined ? [] : [{ ...sell, edgeTicks: bid - fairTicks }]),
    ];
  }

  #edgeTicks(): number {
    return this.#options.profile.informedEdge * this.#options.grid.ticksPerUnit;
  }
}

type Chance = {
  readonly tokenId: TokenId;
  readonly side: Side;
  /** The worst price that still leaves half of the edge. */
  readonly limitTicks: number;
  readonly edgeTicks: number;
};

/** The best price a taker of this side meets on the token's own book. */
function touchFor(desk: Desk, tokenId: TokenId, side: Side): number | undefined {
  return desk.best(tokenId, side === 'BUY' ? 'ask' : 'bid');
}

/** Draws a size now; at a price it becomes whole shares worth the smallest order value at least. */
function quantityOf({ profile, random, grid }: TakerOptions) {
  const drawn = Math.round(random.lognormal(profile.takerShares, SIZE_SIGMA));
  const wanted = Math.min(Math.max(1, drawn), SIZE_MEDIANS_MAX * profile.takerShares);
  return (price: number) => shares(Math.max(wanted, Math.ceil(grid.ticksPerUnit / price)));
}
