// Settlements that name no token, until a read of the balances shows whose they were: in parts or of several fills, and
// over the end of a run in between.

import { describe, expect } from 'vitest';
import type { OrderHash, TokenId } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
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
/** An index is late by so much; a wrong number of the cash is minded and booked long before the end. */
const INDEXED_MS = 90_000;
const WATCHED_MS = 480_000;

function quoting(levels: number): CoreSettings {
  const params = { halfSpreadTicks: 2, levels, levelSpacingTicks: 1, size: SIZE };
  const rain = { event: 'rain', market: undefined, strategy: 'ladder', params };
  return { ...controlled(), markets: [rain] };
}

/** An account, its cash in USDC, and whether what has matched stays locked until it settles. */
class Account {
  driver = new EngineDriver();
  cash = 10_000;
  matched = 0;
  readonly held: Record<TokenId, number> = {};
  readonly #open = new Map<OrderHash, { readonly order: LimitOrder; traded: number }>();
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
      for (const { order, hash } of this.driver.acceptPlacements())
        this.#open.set(hash, { order, traded: 0 });
      const reports = [...this.#open].map(([hash, { order, traded }]) =>
        reportOf(hash, order, traded),
      );
      this.driver.answerReads(reports, this.#shown());
    });
  }

  /** Bids of these outcomes trade, and that is reported in so many parts. */
  match(parts: readonly number[], tokens: readonly TokenId[] = [YES, NO]): void {
    for (const [hash, open] of this.#open) {
      const { order } = open;
      if (!tokens.includes(order.tokenId)) continue;
      for (const part of parts) {
        open.traded += part;
        this.matched += (part * order.price) / 100;
        const remaining = SIZE - open.traded;
        const status = remaining > 0 ? 'PARTIALLY_FILLED' : 'MATCHED';
        this.driver.update(hash, order, { status, filled: open.traded, remaining });
      }
      if (open.traded === SIZE) this.#open.delete(hash);
    }
  }

  /** Nobody says so. */
  pay(size: number, at = PRICE): void {
    this.matched -= size * at;
    this.cash -= size * at;
  }

  settle(tradeId: string, size: number, at = PRICE): void {
    this.pay(size, at);
    const unnamed = { tradeId, tokenId: undefined, marketId: undefined, side: 'BUY' } as const;
    const price = usdc(at);
    this.driver.tell({ kind: 'tradeSettled', ...unnamed, price, quantity: shares(size) });
  }

  #shown(): Balances {
    let hold = this.#keepsMatched ? this.matched : 0;
    for (const { order, traded } of this.#open.values())
      if (order.side === 'BUY') hold += (order.price * (SIZE - traded)) / 100;
    const position = { marketId: MARKET, onHoldShareAmount: shares(0) };
    return balances({
      cashBalance: usdc(this.cash),
      usdcOnHold: usdc(hold),
      availableBalance: usdc(this.cash - hold),
      positions: [YES, NO].map((tokenId) => {
        return { ...position, tokenId, shareAmount: shares(this.held[tokenId] ?? 0) };
      }),
    });
  }
}

type Parts = {
  readonly reported: readonly number[];
  readonly settled: readonly number[];
  /** Bids of each outcome, and the price at which all of them settle. */
  readonly levels?: number;
  readonly price?: number;
};

const WHOLE: Parts = { reported: [SIZE], settled: [SIZE] };

/** Bids of both outcomes at one price have settled, and no frame has told which is which. */
function settled(keepsMatched: boolean, parts: Parts, afterMs = 0): Account {
  const { reported, settled: sizes, levels = 1, price } = parts;
  const account = new Account(keepsMatched);
  account.driver.start(quoting(levels));
  account.books();
  account.pass(2_000);
  account.match(reported);
  account.pass(15_000 + afterMs);
  for (const name of ['a', 'b'])
    for (const [index, size] of sizes.entries()) account.settle(`${name}-${index}`, size, price);
  return account;
}

function restart(runs: Runs, account: Account): void {
  const { driver } = account;
  account.driver = runs.restored(driver, quoting(1));
  account.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
  account.driver.tell({ kind: 'socketOpened' });
  account.driver.tell({ kind: 'authenticated' });
  account.books();
}

/** Until so many shares show, and long behind it: all positions that were ever known, and controls that tripped. */
function watch(account: Account, held = SIZE) {
  const { driver } = account;
  const positions = new Set<string | undefined>();
  for (let passedMs = 0; passedMs < WATCHED_MS; passedMs += 1_000) {
    if (passedMs >= INDEXED_MS) Object.assign(account.held, { [YES]: held, [NO]: held });
    account.pass(1_000);
    positions.add(driver.engine.view().markets[0]?.positionYes);
  }
  const { settledYes, settledNo } = driver.engine.view().markets[0] ?? {};
  const tripped = driver.reported('control.tripped').map(({ control }) => control);
  return { positions: [...positions], settledYes, settledNo, tripped };
}

function asHeld(held = SIZE) {
  return { positions: [`${held}`], settledYes: `${held}`, settledNo: `${held}`, tripped: [] };
}

describe.each([true, false])('where matches keep their locks: %s', (keepsMatched) => {
  it.for<Parts>([
    WHOLE,
    { reported: [50], settled: [20, 30] },
    { reported: [20, 30], settled: [50] },
    { reported: [20, 30], settled: [10, 40] },
    { reported: [50], settled: [0, 50] },
  ])('fills of $reported are settled by $settled without a token', (parts) => {
    expect(watch(settled(keepsMatched, parts))).toEqual(asHeld());
  });

  it('fills of two prices are settled at their average without a token', () => {
    const parts = { reported: [SIZE], settled: [2 * SIZE], levels: 2, price: 0.475 };
    expect(watch(settled(keepsMatched, parts), 2 * SIZE)).toEqual(asHeld(2 * SIZE));
  });

  it('what the run before had counted is of the fills that wait', ({ runs }) => {
    const account = settled(keepsMatched, WHOLE);
    account.pass(2_000);
    restart(runs, account);
    expect(watch(account)).toEqual(asHeld());
  });
});

it('settlements whose shares balances had shown are of no fill behind a restart', ({ runs }) => {
  const account = settled(false, WHOLE);
  Object.assign(account.held, { [YES]: SIZE, [NO]: SIZE });
  account.pass(45_000);
  account.match([SIZE], [YES]);
  account.pass(1_000);
  restart(runs, account);
  account.pass(15_000);
  account.pay(SIZE);
  account.pass(40_000);
  // Its own settlement nobody has told: only its cash.
  const { settledYes } = account.driver.engine.view().markets[0] ?? {};
  expect(settledYes).toBe(`${2 * SIZE}`);
});

// Now and then all that has drifted is kept in any case, and hides it.
it.for([200, 500, 800])(
  'a settlement without a token is kept with its cash in the step that tells it, at %i ms',
  (afterMs, { runs }) => {
    const account = settled(false, WHOLE, afterMs);
    restart(runs, account);
    expect(watch(account)).toEqual(asHeld());
  },
);

describe('a younger fill of a bid', () => {
  /** Twenty of it had settled when it was one of two bids that this could be of; now it trades whole. */
  function traded(): Account {
    const account = new Account(false);
    account.driver.start(quoting(1));
    account.books();
    account.pass(2_000);
    account.match([20], [YES]);
    account.match([SIZE], [NO]);
    account.pass(15_000);
    account.settle('yes-1', 20);
    account.settle('no', SIZE);
    account.pass(45_000);
    account.match([30], [YES]);
    return account;
  }
  const settledYes = ({ driver }: Account) => driver.engine.view().markets[0]?.settledYes;

  it('is of the settlement without a token where its own went to the older one', () => {
    const account = traded();
    account.pass(15_000);
    account.settle('yes-2', 30);
    account.pass(60_000);
    Object.assign(account.held, { [YES]: SIZE, [NO]: SIZE });
    account.pass(6_000);
    expect(settledYes(account)).toBe(`${SIZE}`);
  });

  it('that settled unreported is found by its cash alone, whatever the older one has paid', () => {
    const account = traded();
    account.pass(15_000);
    account.pay(30);
    account.pass(40_000);
    expect(settledYes(account)).toBe(`${SIZE}`);
  });

  it('is not settled by a late index that shows it by chance, as cash has not moved for it', () => {
    const account = traded();
    account.held[YES] = SIZE;
    account.pass(6_000);
    expect(settledYes(account)).toBe('0');
  });
});
