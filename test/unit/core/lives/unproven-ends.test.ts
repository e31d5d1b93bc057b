// Orders that ended unheard, in a market that waits to be proven: what they may have traded counts in the next
// life, and in the one after it, until somebody says how much it was.

import { describe, expect } from 'vitest';
import type { TokenId } from '../../../../src/domain/ids.ts';
import type { Balances } from '../../../../src/domain/message.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  listing,
  MARKET,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { it, type Lives } from '../../../support/lives.ts';

/** The venue holds something that nobody explains: a match of either order, for all that is known. */
const ODD = balances({ usdcOnHold: usdc(24) });

const account = (driver: EngineDriver) => driver.engine.view().account.worstCaseLossUsdc;
const market = (driver: EngineDriver) => driver.engine.view().markets[0];
const whyNot = (driver: EngineDriver) => market(driver)?.bidReason?.code;
const fills = (driver: EngineDriver) => driver.records.filter(({ kind }) => kind === 'fill').length;

type Quote = { readonly order: LimitOrder; readonly hash: Parameters<EngineDriver['update']>[0] };
type Ended = { readonly driver: EngineDriver; readonly quotes: readonly Quote[] };

/** A life whose bid and ask, both bought with 24 USDC, are on no list any more. */
function ended(): Ended {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const quotes = driver.acceptPlacements();
  expect(quotes).toHaveLength(2);
  wait(driver, 20_000, ODD);
  expect(whyNot(driver)).toBe('position_unproven');
  expect(account(driver)).toBe('24.000000');
  return { driver, quotes };
}

function wait(driver: EngineDriver, durationMs: number, shown: Balances): void {
  driver.run(durationMs, () => {
    driver.healthyBook();
    driver.answerReads([], shown);
    driver.answerCancels();
  });
}

/** The next life, which has heard of everything. */
function next(lives: Lives, before: EngineDriver, shown: Balances = ODD): EngineDriver {
  const driver = lives.restored(before);
  driver.start(undefined, shown);
  wait(driver, 2_000, shown);
  return driver;
}

/** The order that was to buy YES. */
function bidOf({ quotes }: Ended): Quote {
  const bid = quotes.find(({ order }) => order.tokenId === YES);
  if (bid === undefined) throw new Error('there is a bid');
  return bid;
}

describe('what an order that ended unheard may have traded', () => {
  it('counts in the next life and in the one after it', ({ lives }) => {
    const second = next(lives, ended().driver);
    expect(whyNot(second)).toBe('position_unproven');
    expect(account(second)).toBe('24.000000');
    const third = next(lives, second);
    expect(account(third)).toBe('24.000000');
  });

  it('counts after a life that never heard of its market', ({ lives }) => {
    const silent = lives.restored(ended().driver);
    silent.run(5_000);
    expect(account(next(lives, silent))).toBe('24.000000');
  });

  it('counts after a life that did not quote its market', ({ lives }) => {
    const away = lives.restored(ended().driver, settings({ markets: [] }));
    away.start(settings({ markets: [] }), ODD);
    wait(away, 5_000, ODD);
    expect(account(next(lives, away))).toBe('24.000000');
  });

  it('counts when the process ends in the very step in which it ended', ({ lives }) => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    driver.acceptPlacements();
    for (let turn = 0; turn < 400 && whyNot(driver) !== 'position_unproven'; turn += 1)
      wait(driver, 50, ODD);
    const step = driver.records.findIndex(
      (each) => each.kind === 'order' && each.order.isUnproven === true,
    );
    const flows = driver.records.findIndex(
      (each) => each.kind === 'flows' && each.flows.isUnproven === true,
    );
    expect(step).toBeGreaterThan(0);
    expect(flows).toBeGreaterThan(step);
    expect(account(next(lives, driver))).toBe('24.000000');
  });

  it('counts no more once the next life has proven its market', ({ lives }) => {
    const second = next(lives, ended().driver);
    wait(second, 10_000, balances());
    expect(whyNot(second)).not.toBe('position_unproven');
    second.answerPlacements({ kind: 'notSent', detail: 'nothing leaves here' });
    expect(account(second)).toBe('0.000000');
    const third = lives.restored(second);
    expect(lives.ledger.load().unprovenEnds).toEqual([]);
    third.start();
    expect(account(third)).toBe('0.000000');
  });

  it('counts no more once the next life is told that it was nothing', ({ lives }) => {
    const first = ended();
    const second = next(lives, first.driver);
    for (const { hash, order } of first.quotes)
      second.update(hash, order, { status: 'CANCELLED', filled: 0, remaining: 50 });
    second.tick();
    expect(account(second)).toBe('0.000000');
    expect(second.reported('order.anomaly')).toEqual([]);
    expect(account(next(lives, second))).toBe('0.000000');
  });

  it('is counted as a fill once, whichever life is told and however often', ({ lives }) => {
    const first = ended();
    const { hash, order } = bidOf(first);
    const second = next(lives, first.driver);
    const told = { status: 'CANCELLED', filled: 30, remaining: 20 } as const;
    second.update(hash, order, told);
    second.update(hash, order, told);
    second.tick();
    expect(fills(second)).toBe(1);
    expect(market(second)?.positionYes).toBe('30');
    // That was paid for it: what the ask may have bought is worth something just where this is not.
    expect(account(second)).toBe('14.400000');
    const third = next(lives, second);
    third.update(hash, order, told);
    third.tick();
    expect(fills(third)).toBe(0);
    expect(market(third)?.positionYes).toBe('30');
    expect(account(third)).toBe('14.400000');
  });

  it('is no more than what is left of it, where a life was told of a part', ({ lives }) => {
    const first = ended();
    const { hash, order } = bidOf(first);
    first.driver.update(hash, order, { status: 'PARTIALLY_FILLED', filled: 30, remaining: 20 });
    first.driver.tick();
    const before = account(first.driver);
    const second = next(lives, first.driver);
    expect(market(second)?.positionYes).toBe('30');
    expect(account(second)).toBe(before);
    second.update(hash, order, { status: 'FILLED', filled: 50, remaining: 0 });
    expect(fills(second)).toBe(1);
    expect(market(second)?.positionYes).toBe('50');
  });

  it('is what balances show in the end, where nobody ever tells of it', ({ lives }) => {
    const bought = holding(9_976, 50, 0);
    const second = next(lives, ended().driver, bought);
    expect(account(second)).toBe('24.000000');
    expect(lives.ledger.load().unprovenEnds).toHaveLength(2);
    for (let turn = 0; turn < 200 && whyNot(second) === 'position_unproven'; turn += 1)
      wait(second, 1_000, bought);
    expect(market(second)?.positionYes).toBe('50');
    lives.next(second);
    expect(lives.ledger.load().unprovenEnds).toEqual([]);
  });

  it.for(['0.01', '0.001'] as const)(
    'counts when its market comes back into the settings with ticks of %s',
    (tickSize, { lives }) => {
      const { driver } = ended();
      driver.settings(settings({ markets: [] }));
      driver.run(2_000);
      expect(driver.engine.view().markets).toEqual([]);
      driver.settings(settings());
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing(tickSize)] } });
      driver.tick();
      expect(account(driver)).toBe('24.000000');
      const second = lives.restored(driver);
      second.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing(tickSize)] } });
      second.tick();
      expect(account(second)).toBe('24.000000');
    },
  );

  it('counts in a life that finds its market with another tick size', ({ lives }) => {
    const first = ended();
    const second = lives.restored(first.driver);
    second.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing('0.001')] } });
    second.tick();
    expect(account(second)).toBe('24.000000');
    // At what price it traded is not said there: the order says more than its frame, and balances the rest.
    const { hash, order } = bidOf(first);
    second.update(hash, order, { status: 'CANCELLED', filled: 30, remaining: 20 });
    second.tick();
    expect(fills(second)).toBe(0);
  });
});

/** What the venue may still say of the bid, by order updates and by the chain. */
const TOLD_LATER: readonly {
  readonly name: string;
  readonly tell: (driver: EngineDriver, bid: Quote) => void;
}[] = [
  { name: 'nothing', tell: () => undefined },
  { name: 'a settlement that names its token', tell: (driver) => settled(driver, YES) },
  { name: 'a settlement that names none', tell: (driver) => settled(driver, undefined) },
  {
    name: 'a match, and its settlement',
    tell: (driver, { hash, order }) => {
      driver.update(hash, order, { status: 'MATCHED', filled: 50, remaining: 0 });
      settled(driver, YES);
    },
  },
  {
    name: 'a settlement, and the match behind it',
    tell: (driver, { hash, order }) => {
      settled(driver, YES);
      driver.update(hash, order, { status: 'FILLED', filled: 50, remaining: 0 });
    },
  },
  {
    name: 'a match that fails',
    tell: (driver, { hash, order }) => {
      driver.update(hash, order, { status: 'MATCHED', filled: 50, remaining: 0 });
      const failed = {
        marketId: MARKET,
        side: 'BUY',
        quantity: shares(50),
        reason: 'gas',
      } as const;
      driver.tell({ kind: 'tradeFailed', ...failed });
    },
  },
  {
    name: 'a list that shows a part of it traded and the rest there',
    tell: (driver, { hash, order }) => {
      let open = [reportOf(hash, order, 10)];
      driver.run(6_000, () => {
        driver.healthyBook();
        driver.answerReads(open, ODD);
        if (driver.answerCancels().includes(hash)) open = [];
      });
    },
  },
];

function settled(driver: EngineDriver, tokenId: TokenId | undefined): void {
  const trade = { tradeId: 't-1', marketId: undefined, tokenId, side: 'BUY' } as const;
  driver.tell({ kind: 'tradeSettled', ...trade, price: usdc('0.48'), quantity: shares(50) });
}

/** All that it is worth, and what was told of it. */
function outcome(driver: EngineDriver) {
  driver.tick(0);
  const { positionYes, settledYes, pnlUsdc } = market(driver) ?? {};
  const held = { positionYes, settledYes, pnlUsdc, reason: whyNot(driver) };
  const told = ['order.anomaly', 'order.orphan'] as const;
  return {
    ...held,
    worst: account(driver),
    told: told.map((name) => driver.reported(name).length),
  };
}

describe('what is told later of an order that ended unheard', () => {
  it.for(TOLD_LATER)('is the same to the next life: $name', ({ tell }, { lives }) => {
    const one = ended();
    tell(one.driver, bidOf(one));
    const before = ended();
    const two = next(lives, before.driver);
    tell(two, bidOf(before));
    expect(outcome(two)).toEqual(outcome(one.driver));
    for (const driver of [one.driver, two]) wait(driver, 160_000, balances());
    expect(outcome(two)).toEqual(outcome(one.driver));
  });
});
