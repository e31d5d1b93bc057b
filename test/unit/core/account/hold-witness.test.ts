// What the venue holds back speaks for a placement that nobody answered and that no list shows.

import { describe, expect, it } from 'vitest';
import { orderHash, tokenId } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { Balances, PlaceOutcome } from '../../../../src/domain/message.ts';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import { NO_SHARES, shares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import type { Quote } from '../../../../src/strategy/index.ts';
import {
  balances,
  EngineDriver,
  MARKET,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { ask, bid, placed, wishing } from '../../../support/wished.ts';

const UNKNOWN: PlaceOutcome = { kind: 'unknown', cause: 'timeout', detail: 'no answer' };
/** A request leaves within 2 s and can arrive for 35 s more. */
const HORIZON_MS = 37_000;
const HASH = orderHash('0xfe');

type Shown = { readonly account: Balances; readonly list?: readonly OrderReport[] };

const onHold = (usdcOnHold: number) => balances({ usdcOnHold: usdc(usdcOnHold) });

class Scene {
  readonly driver: EngineDriver;
  readonly sent: readonly LimitOrder[];

  /** One quote is wished for and placed, and its placement is never answered. */
  constructor(quote: Quote, of: { account?: Balances; value?: CoreSettings } = {}) {
    const { account = balances(), value = settings() } = of;
    this.driver = new EngineDriver([wishing(() => [quote])]);
    this.driver.start(value, account);
    this.run(1_000, { account });
    this.sent = this.driver.answerPlacements(UNKNOWN);
  }

  run(durationMs: number, { account, list = [] }: Shown): void {
    this.driver.run(durationMs, () => {
      this.driver.healthyBook();
      this.driver.answerReads(list, account);
      this.driver.answerCancels();
    });
  }

  get view() {
    const [market] = this.driver.engine.view().markets;
    if (market === undefined) throw new Error('the market is known');
    return market;
  }
}

describe('a placement without an answer that no list shows', () => {
  it('is absent soon after its last moment to arrive, and is sent again, where nothing is held', () => {
    const scene = new Scene(bid(48, 50));
    scene.run(HORIZON_MS, { account: onHold(0) });
    expect(placed(scene.driver)).toEqual([]);
    scene.run(7_000, { account: onHold(0) });
    expect(placed(scene.driver)).toEqual([['BUY YES', 48, 50]]);
    expect(scene.driver.reported('order.held_unlisted')).toEqual([]);
  });

  it('is not absent while just its cash is held: it counts, nothing is sent beside it, and its side says why', () => {
    const scene = new Scene(bid(48, 50));
    scene.run(HORIZON_MS + 30_000, { account: onHold(24) });
    expect(placed(scene.driver)).toEqual([]);
    expect(scene.view.bidReason).toMatchObject({ code: 'held_unlisted' });
    expect(scene.driver.reported('order.held_unlisted')).toMatchObject([
      { side: 'BUY', price: '0.48', quantity: '50', isExact: true, isGivenUp: false },
    ]);
  });

  it('is found when a later list has it', () => {
    const scene = new Scene(bid(48, 50));
    scene.run(HORIZON_MS + 30_000, { account: onHold(24) });
    const list = scene.sent.map((order) => reportOf(HASH, order));
    scene.run(6_000, { account: onHold(24), list });
    expect(placed(scene.driver)).toEqual([]);
    expect(scene.driver.reported('order.moved').at(-1)).toMatchObject({ to: 'resting' });
  });

  it('is absent when its cash is held no more', () => {
    const scene = new Scene(bid(48, 50));
    scene.run(HORIZON_MS + 30_000, { account: onHold(24) });
    scene.run(12_000, { account: onHold(0) });
    expect(placed(scene.driver)).toEqual([['BUY YES', 48, 50]]);
  });

  it('is in doubt where more is held than its own, too', () => {
    const scene = new Scene(bid(48, 50));
    scene.run(HORIZON_MS + 30_000, { account: onHold(31) });
    expect(scene.driver.reported('order.held_unlisted')).toMatchObject([{ isExact: false }]);
    expect(scene.view.bidReason).toMatchObject({ code: 'held_unlisted' });
  });

  it("is given up after a minute of lists, with a word, since a stranger's hold may stay for ever", () => {
    const scene = new Scene(bid(48, 50));
    scene.run(HORIZON_MS + 58_000, { account: onHold(24) });
    expect(scene.view.bidReason).toMatchObject({ code: 'held_unlisted' });
    scene.run(8_000, { account: onHold(24) });
    expect(scene.driver.reported('order.held_unlisted').map(({ isGivenUp }) => isGivenUp)).toEqual([
      false,
      true,
    ]);
    // Its market goes on to wait for what is held, or for positions that have had their time.
    expect(scene.view.bidReason).toMatchObject({ code: 'position_unproven' });
    expect(placed(scene.driver)).toEqual([]);
  });

  it('waits ten seconds where less is held than it would hold: what else is gone may hide it', () => {
    const scene = new Scene(bid(48, 50));
    scene.run(HORIZON_MS + 9_000, { account: onHold(23) });
    expect(scene.view.bidReason).toMatchObject({ code: 'on_its_way' });
    scene.run(7_000, { account: onHold(23) });
    expect(scene.view.bidReason).toMatchObject({ code: 'position_unproven' });
    expect(scene.driver.reported('order.held_unlisted')).toEqual([]);
  });

  it('is not held up by what others have on the list', () => {
    const value = settings({ orders: { ...settings().orders, scope: 'own' } });
    const others = new Scene(bid(48, 50), { value });
    others.run(HORIZON_MS + 7_000, { account: onHold(40), list: [elsewhere()] });
    expect(others.driver.reported('order.held_unlisted')).toEqual([]);
    expect(others.view.bidReason).toMatchObject({ code: 'position_unproven' });
  });

  it('waits for balances that can speak, though no longer than ten seconds', () => {
    const scene = new Scene(bid(48, 50));
    const run = (durationMs: number) =>
      scene.driver.run(durationMs, () => {
        scene.driver.healthyBook();
        scene.driver.take('readBalances');
        scene.driver.answerReads([]);
      });
    run(HORIZON_MS + 9_000);
    expect(scene.view.bidReason).toMatchObject({ code: 'on_its_way' });
    run(7_000);
    expect(scene.view.bidReason).toMatchObject({ code: 'position_unproven' });
  });

  it('is looked for in a list as soon as what is held fits it, and its name is never guessed', () => {
    const timing = { ...settings().timing, reconcileMs: 60_000 };
    const listsAsked = (held: number) => {
      const scene = new Scene(bid(48, 50), { value: settings({ timing }) });
      scene.run(2_000, { account: onHold(0) });
      let lists = 0;
      scene.driver.run(8_000, () => {
        lists += scene.driver.sent.filter(({ kind }) => kind === 'readOpenOrders').length;
        scene.driver.healthyBook();
        scene.driver.answerReads([], onHold(held));
      });
      expect(placed(scene.driver)).toEqual([]);
      return lists;
    };
    expect(listsAsked(0)).toBe(0);
    expect(listsAsked(24)).toBeGreaterThan(0);
  });
});

describe('a sell without an answer that no list shows', () => {
  const held = (onHoldShares: number): Balances => {
    const position = { tokenId: YES, marketId: MARKET, shareAmount: shares(100) };
    return balances({ positions: [{ ...position, onHoldShareAmount: shares(onHoldShares) }] });
  };

  it('is in doubt while its shares are held, and absent when they are not', () => {
    const scene = new Scene(ask(52, 50), { account: held(0) });
    scene.run(HORIZON_MS + 30_000, { account: held(50) });
    expect(placed(scene.driver)).toEqual([]);
    expect(scene.view.askReason).toMatchObject({ code: 'held_unlisted' });
    scene.run(12_000, { account: held(0) });
    expect(placed(scene.driver)).toEqual([['SELL YES', 52, 50]]);
  });
});

/** Somebody else's bid of 40 USDC on a market that is not quoted here. */
function elsewhere(): OrderReport {
  return {
    orderHash: orderHash('0xee'),
    tokenId: tokenId('0x99'),
    side: 'BUY',
    price: ticks(tickGrid('0.001'), 400),
    ticksPerUnit: 1_000,
    quantity: shares(100),
    executed: NO_SHARES,
    status: 'OPEN',
    createdAtMs: undefined,
  };
}

it('reads at its usual pace while a placement stays in doubt for what is held', () => {
  const driver = new EngineDriver([wishing(() => [bid(48, 50)])]);
  driver.start(settings());
  const held = balances({ usdcOnHold: usdc(24) });
  let reads = 0;
  const pass = (durationMs: number): void =>
    driver.run(durationMs, () => {
      driver.healthyBook();
      reads += driver.sent.filter(
        ({ kind }) => kind === 'readOpenOrders' || kind === 'readBalances',
      ).length;
      driver.answerReads([], held);
      driver.answerCancels();
    });
  pass(1_000);
  driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
  pass(70_000);
  expect(driver.engine.view().ordersByState.unknown).toBe(1);
  expect(driver.reported('order.held_unlisted')).toHaveLength(1);
  reads = 0;
  pass(15_000);
  expect(driver.engine.view().ordersByState.unknown).toBe(1);
  // Lists and balances every five seconds, and what is asked for a look sooner.
  expect(reads).toBeLessThanOrEqual(9);
});
