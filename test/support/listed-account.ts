// A venue around an engine that lists what rests, and takes away what a cancel names.

import { OwnTeller } from '../../src/app/own-orders.ts';
import type { OrderReport } from '../../src/domain/order.ts';
import { OwnBook } from '../../src/guard/own-book.ts';
import { type EngineDriver, reportOf } from './engine-driver.ts';

export class ListedAccount {
  readonly driver: EngineDriver;
  readonly cancelled: string[] = [];
  open: OrderReport[] = [];
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
    driver.answerReads(this.open);
  }

  /** A fresh book: what is wished stays where it is. */
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
    book.apply(words().news);
    return true;
  });
  teller.flush();
  for (const record of records) teller.onRecord(record);
  teller.flush();
  return book;
}
