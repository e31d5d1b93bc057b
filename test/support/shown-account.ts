// An account around an engine, as a venue shows it: placements rest and lock what they cost, cancels are done,
// and cash and shares are what a test says.

import type { OrderHash, TokenId } from '../../src/domain/ids.ts';
import type { CoreSettings } from '../../src/domain/input.ts';
import type { Balances } from '../../src/domain/message.ts';
import type { LimitOrder, Side } from '../../src/domain/order.ts';
import { shares } from '../../src/domain/shares.ts';
import { notional, usdc } from '../../src/domain/usdc.ts';
import type { PositionView } from '../../src/domain/view.ts';
import {
  balances,
  EngineDriver,
  GRID,
  listing,
  MARKET,
  NO,
  reportOf,
  settings,
  YES,
} from './engine-driver.ts';

export type Resting = { readonly hash: OrderHash; readonly order: LimitOrder };

export class ShownAccount {
  readonly driver = new EngineDriver();
  cash = 10_000;
  readonly held = new Map<TokenId, number>();
  open: Resting[] = [];
  /** Cash that is locked beyond what rests, as a venue does that keeps the lock of a match until it settles. */
  matchedUsdc = 0;
  /** Nobody answers placements while it is not. */
  isAnswering = true;
  #trades = 0;

  /** The process starts, and whatever it asks for is answered: nothing was known of the account before. */
  start(value: CoreSettings = settings()): this {
    const { driver } = this;
    driver.settings(value);
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    this.run(3_000);
    return this;
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.#serve());
  }

  /** The bid of a token that rests; every scene here has one. */
  bid(token: TokenId = YES): Resting {
    const found = this.bids(token)[0];
    if (found === undefined) throw new Error(`a bid of ${token} rests`);
    return found;
  }

  bids(token: TokenId = YES): readonly Resting[] {
    return this.open.filter(({ order }) => order.tokenId === token && order.side === 'BUY');
  }

  /** Off the book, and nobody reports why. */
  vanish({ hash }: Resting): void {
    this.open = this.open.filter((each) => each.hash !== hash);
  }

  /** All of an order matched, and the user channel says so. */
  match(resting: Resting): void {
    this.vanish(resting);
    this.driver.update(resting.hash, resting.order, { status: 'MATCHED', remaining: 0 });
  }

  /** The chain took so many shares for so much cash; balances show the shares once `held` does. */
  pay(quantity: number, price: number): void {
    this.cash -= quantity * price;
  }

  settled(token: TokenId | undefined, quantity: number, price: number, side: Side = 'BUY'): void {
    this.#trades += 1;
    this.driver.tell({
      kind: 'tradeSettled',
      tradeId: `t-${this.#trades}`,
      side,
      tokenId: token,
      marketId: MARKET,
      price: usdc(price),
      quantity: shares(quantity),
    });
  }

  failed(quantity: number, side: Side = 'BUY', named = MARKET): void {
    const reason = 'execution reverted';
    this.driver.tell({
      kind: 'tradeFailed',
      reason,
      marketId: named,
      side,
      quantity: shares(quantity),
    });
  }

  position(token: TokenId = YES): PositionView {
    const positions = this.driver.engine.view().markets[0]?.positions;
    const found = token === YES ? positions?.yes : positions?.no;
    if (found === undefined) throw new Error('the market is known');
    return found;
  }

  /** Causes of what is uncertain of a token. */
  causes(token: TokenId = YES): readonly string[] {
    return this.position(token).uncertain.map(({ cause }) => cause);
  }

  #serve(): void {
    const { driver } = this;
    if (driver.nowMs % 1_000 === 0) driver.healthyBook();
    const named = driver.answerCancels();
    this.open = this.open.filter(({ hash }) => !named.includes(hash));
    if (this.isAnswering) this.open.push(...driver.acceptPlacements());
    driver.answerReads(
      this.open.map(({ hash, order }) => reportOf(hash, order)),
      this.#shown(),
    );
  }

  #shown(): Balances {
    const locked = this.open
      .filter(({ order }) => order.side === 'BUY')
      .reduce(
        (sum, { order }) => sum.plus(notional(GRID, order.price, order.quantity)),
        usdc(this.matchedUsdc),
      );
    const positions = [YES, NO].map((tokenId) => ({
      tokenId,
      marketId: MARKET,
      shareAmount: shares(this.held.get(tokenId) ?? 0),
      onHoldShareAmount: shares(this.#lockedShares(tokenId)),
    }));
    const cashBalance = usdc(this.cash.toFixed(6));
    const availableBalance = cashBalance.minus(locked);
    return balances({ cashBalance, availableBalance, usdcOnHold: locked, positions });
  }

  #lockedShares(tokenId: TokenId): number {
    const sells = this.open.filter(
      ({ order }) => order.tokenId === tokenId && order.side === 'SELL',
    );
    return sells.reduce((sum, { order }) => sum + order.quantity / 1_000_000, 0);
  }
}
