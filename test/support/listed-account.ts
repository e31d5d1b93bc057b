// A venue around an engine that lists what rests, and takes away what a cancel names.

import { OwnTeller } from '../../src/app/own-orders.ts';
import type { Balances } from '../../src/domain/message.ts';
import type { OrderReport } from '../../src/domain/order.ts';
import { subtractShares } from '../../src/domain/shares.ts';
import { notional, ZERO_USDC } from '../../src/domain/usdc.ts';
import { OwnBook } from '../../src/guard/own-book.ts';
import { balances, type EngineDriver, GRID, reportOf } from './engine-driver.ts';

export class ListedAccount {
  readonly driver: EngineDriver;
  readonly cancelled: string[] = [];
  open: OrderReport[] = [];
  /** Whether balances show the cost of the bids that rest as on hold. */
  isLocking = false;
  readonly #placing: 'accepts' | 'silent';

  /** @param placing - What becomes of placements: they rest, or nobody answers them. */
  constructor(driver: EngineDriver, placing: 'accepts' | 'silent') {
    this.driver = driver;
    this.#placing = placing;
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.#serve());
  }

  #serve(): void {
    const { driver } = this;
    const named = driver.answerCancels();
    this.cancelled.push(...named);
    this.open = this.open.filter((each) => !named.includes(each.orderHash));
    if (this.#placing === 'accepts') this.#accept();
    driver.answerReads(this.open, this.#account());
  }

  #account(): Balances {
    if (!this.isLocking) return balances();
    const held = this.open
      .filter(({ side }) => side === 'BUY')
      .map((each) => notional(GRID, each.price, subtractShares(each.quantity, each.executed)))
      .reduce((sum, each) => sum.plus(each), ZERO_USDC);
    const { cashBalance } = balances();
    return balances({ usdcOnHold: held, availableBalance: cashBalance.minus(held) });
  }

  /** A fresh book: what is wanted stays where it is. */
  #accept(): void {
    const { driver } = this;
    if (driver.nowMs % 1_000 === 0) driver.healthyBook();
    for (const { order, hash } of driver.acceptPlacements()) this.open.push(reportOf(hash, order));
  }
}

/** What a guard was told by now. */
export function toldBook({ records }: EngineDriver): OwnBook {
  const book = new OwnBook();
  const teller = new OwnTeller('own', (words) => {
    book.apply(words().update);
    return true;
  });
  teller.flush();
  for (const record of records) teller.onRecord(record);
  teller.flush();
  return book;
}
