// Own-order audits where others rest too: the level must show all that is ours.

import { describe, expect, it } from 'vitest';
import { orderHash, type TokenId } from '../../../../src/domain/ids.ts';
import type { Level } from '../../../../src/domain/message.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { TRUST_DEFAULTS, type TrustSettings } from '../../../../src/domain/trust.ts';
import type { Quote } from '../../../../src/strategy/index.ts';
import {
  balances,
  EngineDriver,
  GRID,
  level,
  NO,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { Scripted } from '../../../support/wanted.ts';

/** Shares of others at each bid of the book. */
const OTHERS = 500;
const BIDS = [48, 47, 46, 45];

const script = new Scripted();

function bid(price: number, quantity: number): Quote {
  return { side: 'bid', price: ticks(GRID, price), quantity: shares(quantity), purpose: 'add' };
}

/** Bids of ours that were acknowledged beside those of others, of which the feed has said nothing. */
function resting(quotes: readonly Quote[], trust: Partial<TrustSettings> = {}): EngineDriver {
  const driver = new EngineDriver([script.strategy]);
  const limits = { ...TRUST_DEFAULTS, silenceFactor: 0, parityEdge: 0, frameAgeMs: 0, ...trust };
  script.wanted = [];
  driver.start({
    ...settings({ trust: { ...limits, auditsPerSec: trust.auditsPerSec ?? 0, auditRoundMs: 0 } }),
    markets: script.markets,
  });
  driver.book(YES, bids({}), [level(52, OTHERS)]);
  driver.book(NO, [level(40, OTHERS)], []);
  script.wanted = quotes;
  driver.run(1_100, () => driver.answerReads(driver.openReports(), balances()));
  expect(driver.acceptPlacements().length).toBeGreaterThan(0);
  driver.reports.length = 0;
  return driver;
}

function bids(own: Readonly<Record<number, number>>): readonly Level[] {
  return BIDS.map((price) => level(price, OTHERS + (own[price] ?? 0)));
}

function show(driver: EngineDriver, price: number, size: number): void {
  driver.bid(YES, level(price, size));
}

/** Time passes; asked over REST, the venue says that so much of ours is there. */
function pass(
  driver: EngineDriver,
  durationMs: number,
  own: Readonly<Record<number, number>> = {},
): readonly TokenId[] {
  const asked: TokenId[] = [];
  driver.run(durationMs, () => {
    driver.answerReads(driver.openReports(), balances());
    const yes = { bids: bids(own), asks: [level(52, OTHERS)] };
    const no = { bids: [level(40, OTHERS)], asks: [] };
    asked.push(...driver.answerBooks((tokenId) => (tokenId === YES ? yes : no)));
  });
  return asked;
}

function doubts(driver: EngineDriver): readonly string[] {
  return driver.reported('book.doubt').map(({ signal, detail }) => `${signal}: ${detail}`);
}

describe('own orders at one level', () => {
  /** Fifty rest at 47 and show; forty more are placed beside them. */
  function toppedUp() {
    const driver = resting([bid(47, 50)]);
    show(driver, 47, OTHERS + 50);
    script.wanted = [bid(47, 90)];
    pass(driver, 1_100);
    const [second] = driver.acceptPlacements();
    if (second === undefined) throw new Error('it is topped up');
    return { driver, second };
  }

  it('must show together: a level that holds either of them, and not both, is in doubt', () => {
    const { driver } = toppedUp();
    show(driver, 47, 60);
    pass(driver, 4_700);
    expect(doubts(driver)).toEqual(['ownOrder: an own BUY at 47 ticks does not show']);
  });

  it('are there when the level shows their sum and nothing of others', () => {
    const { driver } = toppedUp();
    show(driver, 47, 90);
    pass(driver, 10_000);
    expect(doubts(driver)).toEqual([]);
  });

  it('count with what is left of them when a part has traded', () => {
    const { driver, second } = toppedUp();
    show(driver, 47, 60);
    pass(driver, 1_500);
    const traded = { filled: 30, remaining: 10 } as const;
    driver.update(second.hash, second.order, { status: 'PARTIALLY_FILLED', ...traded });
    script.wanted = [bid(47, 60)];
    pass(driver, 10_000);
    expect(doubts(driver)).toEqual([]);
  });
});

describe('an order on the account that fresh books lack, too', () => {
  it('is no witness any more, whatever is placed beside it', () => {
    const driver = new EngineDriver([script.strategy]);
    const { orders, ...rest } = settings({ trust: { ...TRUST_DEFAULTS, silenceFactor: 0 } });
    driver.start({ ...rest, orders: { ...orders, scope: 'own' }, markets: script.markets });
    const snapshot = () => {
      driver.book(YES, [level(48, OTHERS)], [level(52, OTHERS)]);
      driver.book(NO, [level(40, OTHERS)], []);
    };
    const terms = { tokenId: YES, side: 'SELL', price: ticks(GRID, 51), quantity: shares(50) };
    const byHand = reportOf(orderHash('0xe1'), terms as LimitOrder);
    snapshot();
    for (let turn = 0; turn < 30; turn += 1) {
      script.wanted = [bid(turn % 2 === 0 ? 46 : 45, 10)];
      for (let step = 0; step < 20; step += 1) {
        driver.run(100, () => driver.answerReads([...driver.openReports(), byHand], balances()));
        driver.answerCancels();
        driver.acceptPlacements();
        if (driver.take('resubscribe').length > 0) snapshot();
      }
    }
    const ofOwn = doubts(driver).filter((text) => text.startsWith('ownOrder'));
    expect(ofOwn).toEqual(['ownOrder: an own SELL at 51 ticks does not show']);
  });
});

describe('a level that others share', () => {
  it('is quiet when it moved as the own order came, whatever others did since', () => {
    const driver = resting([bid(47, 50), bid(46, 50)]);
    show(driver, 47, OTHERS + 50);
    show(driver, 46, OTHERS - 20);
    show(driver, 47, OTHERS);
    pass(driver, 10_000);
    expect(doubts(driver)).toEqual([]);
  });

  it('is trusted when REST shows the same: as much of others left with the same flush', () => {
    const driver = resting([bid(47, 50)], { auditsPerSec: 0.4 });
    pass(driver, 60_000, {});
    expect(doubts(driver)).toEqual([]);
  });

  it('is right when the frame comes late, but within the time', () => {
    const driver = resting([bid(47, 50), bid(46, 50)]);
    pass(driver, 3_500);
    show(driver, 47, OTHERS + 50);
    show(driver, 46, OTHERS + 50);
    pass(driver, 10_000);
    expect(doubts(driver)).toEqual([]);
  });
});
