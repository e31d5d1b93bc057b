// A run ends between a settlement that names no token and the read of the balances that shows whose it was.

import { describe, expect } from 'vitest';
import type { OrderHash } from '../../../../src/domain/ids.ts';
import type { Balances } from '../../../../src/domain/message.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  level,
  listing,
  MARKET,
  NO,
  reportOf,
  YES,
} from '../../../support/engine-driver.ts';
import { it, type Runs } from '../../../support/runs.ts';
import { controlled } from '../../../support/wanted.ts';

const SIZE = 50;
const PRICE = 0.48;
const COST = SIZE * PRICE;
/** An index is late by so much; a wrong number of the cash is minded and booked long before the end. */
const INDEXED_MS = 90_000;
const WATCHED_MS = 480_000;

const params = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: SIZE };
const rain = { event: 'rain', market: undefined, strategy: 'ladder', params };
const value = { ...controlled(), markets: [rain] };

/** An account, its cash in USDC, and whether what has matched stays locked until it settles. */
class Account {
  driver = new EngineDriver();
  cash = 10_000;
  matched = 0;
  held = 0;
  readonly #open = new Map<OrderHash, LimitOrder>();
  readonly #keepsMatched: boolean;

  constructor(keepsMatched: boolean) {
    this.#keepsMatched = keepsMatched;
  }

  books(): void {
    for (const token of [YES, NO]) this.driver.book(token, [level(46, 500)], [level(54, 500)]);
  }

  pass(forMs: number): void {
    this.driver.run(forMs, () => {
      for (const hash of this.driver.answerCancels()) this.#open.delete(hash as OrderHash);
      for (const { order, hash } of this.driver.acceptPlacements()) this.#open.set(hash, order);
      const reports = [...this.#open].map(([hash, order]) => reportOf(hash, order));
      this.driver.answerReads(reports, this.#shown());
    });
  }

  /** All that rests trades. */
  match(): void {
    for (const [hash, order] of this.#open) {
      this.matched += COST;
      this.driver.update(hash, order, { status: 'MATCHED', remaining: 0 });
    }
    this.#open.clear();
  }

  settle(tradeId: string): void {
    this.matched -= COST;
    this.cash -= COST;
    const unnamed = { tradeId, tokenId: undefined, marketId: undefined, side: 'BUY' } as const;
    const price = usdc(PRICE);
    this.driver.tell({ kind: 'tradeSettled', ...unnamed, price, quantity: shares(SIZE) });
  }

  #shown(): Balances {
    let hold = this.#keepsMatched ? this.matched : 0;
    for (const { side, price, quantity } of this.#open.values())
      if (side === 'BUY') hold += (price * quantity) / 1e8;
    const position = { marketId: MARKET, onHoldShareAmount: shares(0) };
    const shareAmount = shares(this.held);
    return balances({
      cashBalance: usdc(this.cash),
      usdcOnHold: usdc(hold),
      availableBalance: usdc(this.cash - hold),
      positions: [YES, NO].map((tokenId) => ({ ...position, tokenId, shareAmount })),
    });
  }
}

/** Bids of both outcomes at one price have settled, and no frame has told which is which. */
function settled(keepsMatched: boolean, settleAfterMs = 0): Account {
  const account = new Account(keepsMatched);
  account.driver.start(value);
  account.books();
  account.pass(2_000);
  account.match();
  account.pass(15_000 + settleAfterMs);
  for (const tradeId of ['t-1', 't-2']) account.settle(tradeId);
  return account;
}

/** The next run until the shares show, and long behind it: how many it ever knew of. */
function restarted(runs: Runs, account: Account): ReadonlySet<string | undefined> {
  const { driver } = account;
  account.driver = runs.restored(driver, value);
  account.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
  account.driver.tell({ kind: 'socketOpened' });
  account.driver.tell({ kind: 'authenticated' });
  account.books();
  const known = new Set<string | undefined>();
  for (let passedMs = 0; passedMs < WATCHED_MS; passedMs += 1_000) {
    if (passedMs >= INDEXED_MS) account.held = SIZE;
    account.pass(1_000);
    known.add(account.driver.engine.view().markets[0]?.positionYes);
  }
  return known;
}

describe('a settlement without a token that the run before had counted', () => {
  it.for([true, false])(
    'is of the fill that waits, where matches keep their locks: %s',
    (keepsMatched, { runs }) => {
      const account = settled(keepsMatched);
      account.pass(2_000);
      expect([...restarted(runs, account)]).toEqual([`${SIZE}`]);
      expect(account.driver.reported('control.tripped')).toEqual([]);
      expect(account.driver.engine.view().markets[0]).toMatchObject({ settledYes: `${SIZE}` });
    },
  );

  // Now and then all that has drifted is kept in any case, and hides it.
  it.for([200, 500, 800])(
    'is kept with its cash in the step that tells it, at %i ms',
    (settleAfterMs, { runs }) => {
      const account = settled(false, settleAfterMs);
      restarted(runs, account);
      expect(account.driver.reported('control.tripped')).toEqual([]);
    },
  );
});
