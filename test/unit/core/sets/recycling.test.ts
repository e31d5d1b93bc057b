// The recycler inside the engine: when it may act, that it acts once, and what it says.

import { describe, expect, it } from 'vitest';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { Balances } from '../../../../src/domain/message.ts';
import { RECYCLER_DEFAULTS, type RecyclerSettings } from '../../../../src/domain/sets.ts';
import { shares } from '../../../../src/domain/shares.ts';
import {
  EngineDriver,
  holding,
  MARKET,
  NOTHING_STORED,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { previewed } from '../../../support/previewed.ts';

const ON: RecyclerSettings = { ...RECYCLER_DEFAULTS, mode: 'on', pauseMs: 30_000 };

/** A market without quotes of its own, so that nothing but sets is in play. */
function recycling(change: Partial<RecyclerSettings> = {}, more: Partial<CoreSettings> = {}) {
  const base = settings(more);
  return settings({
    ...more,
    markets: base.markets.map((each) => ({ ...each, sets: { ...ON, ...change } })),
  });
}

function started(account: Balances, value: CoreSettings = recycling()): EngineDriver {
  const driver = new EngineDriver();
  driver.start(value, account);
  return driver;
}

const states = (driver: EngineDriver) => driver.reported('sets.changed').map((each) => each.state);
const sets = (driver: EngineDriver) => driver.engine.view().markets[0]?.sets;

function accept(driver: EngineDriver): number {
  const asked = driver.take('changeSets');
  for (const { requestId } of asked) {
    const outcome = { kind: 'accepted', txHash: '0xabc' } as const;
    driver.tell({ kind: 'setsChanged', requestId, outcome });
  }
  return asked.length;
}

/** Runs on while the venue shows this account; chain actions that were asked for, all accepted. */
function run(driver: EngineDriver, durationMs: number, account: Balances): number {
  let asked = 0;
  driver.run(durationMs, () => {
    asked += accept(driver);
    driver.answerReads([], account);
  });
  return asked;
}

/** What was asked for while the driver was started. */
function requests(driver: EngineDriver) {
  return driver.engine
    .view()
    .sets?.map(({ by, action, amount, state }) => [by, action, amount, state].join(' '));
}

describe('a merge by itself', () => {
  it('takes what is beyond the working size, once, and is confirmed by balances', () => {
    const driver = started(holding(1_000, 250, 180));
    run(driver, 5_000, holding(1_000, 250, 180));
    expect(requests(driver)).toEqual(['recycler merge 80 sent']);
    expect(sets(driver)).toMatchObject({ mode: 'on', reason: { code: 'under_way' } });
    run(driver, 60_000, holding(1_080, 170, 100));
    expect(requests(driver)).toEqual(['recycler merge 80 confirmed']);
    expect(sets(driver)).toMatchObject({ free: '100', reason: { code: 'working_size' } });
    expect(driver.reported('position.adopted')).toEqual([]);
  });

  it('is no profit and no loss', () => {
    const driver = new EngineDriver();
    driver.start(recycling({ mode: 'off' }), holding(1_000, 250, 180));
    driver.healthyBook();
    driver.tick();
    driver.settings(recycling());
    // Sells of 50 of each token rest or are about to: 130 sets are free.
    run(driver, 60_000, holding(1_030, 220, 150));
    expect(states(driver)).toEqual(['sent', 'accepted', 'confirmed']);
    expect(driver.engine.view().markets[0]?.pnlUsdc).toBe('0.000000');
  });

  it('waits for its pause before the next, and doubles it after each refusal', () => {
    const driver = started(holding(1_000, 250, 250), recycling({ mode: 'off' }));
    driver.settings(recycling());
    const sentAt: number[] = [];
    driver.run(400_000, () => {
      for (const { requestId } of driver.take('changeSets')) {
        sentAt.push(driver.nowMs);
        const why = { code: 'insufficient_shares', message: 'no' } as const;
        const refusal = { ...why, httpStatus: 422, retryAfterMs: undefined };
        driver.tell({ kind: 'setsChanged', requestId, outcome: { kind: 'refused', refusal } });
      }
      driver.answerReads([], holding(1_000, 250, 250));
    });
    const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(2);
    gaps.forEach((gap, index) => {
      expect(gap).toBeGreaterThanOrEqual(30_000 * 2 ** (index + 1) - 3_000);
    });
    expect(sets(driver)?.reason?.code).toBe('pausing_after_failure');
  });

  it('takes no shares that a sell holds', () => {
    const driver = new EngineDriver();
    driver.start(recycling({ mode: 'off' }), holding(1_000, 150, 150));
    driver.healthyBook();
    driver.tick();
    const sold = driver.acceptPlacements().filter(({ order }) => order.side === 'SELL');
    expect(sold.map(({ order }) => order.quantity)).toEqual([shares(50), shares(50)]);
    driver.settings(recycling());
    const open = sold.map(({ hash, order }) => reportOf(hash, order));
    driver.run(10_000, () => {
      accept(driver);
      driver.answerReads(open, holding(1_000, 150, 150));
    });
    expect(requests(driver)).toEqual([]);
    expect(sets(driver)).toMatchObject({ free: '100', reason: { code: 'working_size' } });
  });
});

describe('the gates', () => {
  it('nothing is asked for while killed or paused, and it goes on after a resume', () => {
    for (const kind of ['kill', 'pause'] as const) {
      const driver = new EngineDriver();
      driver.start(recycling({ mode: 'off' }), holding(1_000, 250, 250));
      driver.operator(kind);
      driver.settings(recycling());
      expect(run(driver, 30_000, holding(1_000, 250, 250))).toBe(0);
      expect(sets(driver)?.reason?.code).toBe('not_quoting');
    }
  });

  it('nothing is asked for while the ledger cannot be written', () => {
    const driver = new EngineDriver();
    driver.start(recycling({ mode: 'off' }), holding(1_000, 250, 250));
    driver.ledgerFault('disk full');
    driver.settings(recycling());
    expect(run(driver, 30_000, holding(1_000, 250, 250))).toBe(0);
    driver.ledgerFault(undefined);
    expect(run(driver, 5_000, holding(1_000, 250, 250))).toBe(1);
  });

  it('off, sets are left alone; a dry run says what it would do and does nothing', () => {
    const account = holding(1_000, 250, 250);
    expect(run(started(account, recycling({ mode: 'off' })), 30_000, account)).toBe(0);
    const driver = started(account, recycling({ mode: 'dry-run' }));
    expect(run(driver, 25_000, account)).toBe(0);
    expect(driver.reported('sets.advised')).toEqual([
      expect.objectContaining({ action: 'merge', amount: '150', marketId: MARKET }),
    ]);
    expect(sets(driver)).toMatchObject({
      mode: 'dry-run',
      free: '250',
      request: { action: 'merge', amount: '150' },
      reason: { code: 'dry_run' },
    });
    expect(requests(driver)).toEqual([]);
  });

  it('a request of an operator under way is waited for', () => {
    const driver = new EngineDriver();
    driver.start(recycling({ mode: 'off' }), holding(1_000, 250, 250));
    driver.sets({ id: 'w', by: 'me', action: 'merge', marketId: MARKET, amount: shares(10) });
    driver.settings(recycling());
    run(driver, 20_000, holding(1_000, 250, 250));
    expect(requests(driver)).toEqual(['me merge 10 accepted']);
    run(driver, 10_000, holding(1_010, 240, 240));
    expect(requests(driver)).toEqual(['me merge 10 confirmed', 'recycler merge 140 accepted']);
  });
});

describe('a split by itself', () => {
  const wanted = { workingMin: 60, workingMax: 100 };

  it('makes sets that rest as real sells, once the market is quoted', () => {
    const driver = started(holding(1_000, 0, 0), recycling(wanted));
    expect(run(driver, 5_000, holding(1_000, 0, 0))).toBe(0);
    expect(sets(driver)?.reason).toMatchObject({ code: 'not_quoted' });
    driver.healthyBook();
    run(driver, 5_000, holding(1_000, 0, 0));
    expect(requests(driver)).toEqual(['recycler split 60 accepted']);
    driver.answerCancels();
    run(driver, 10_000, holding(940, 60, 60));
    expect(requests(driver)).toEqual(['recycler split 60 confirmed']);
    expect(driver.engine.view().markets[0]).toMatchObject({ settledYes: '60', settledNo: '60' });
  });

  it('spends no cash that orders hold', () => {
    // A bid of 50 at 0.48 and a bid for NO of 50 at 0.48 hold 48 of 100.
    const driver = new EngineDriver();
    driver.start(recycling({ mode: 'off' }), holding(100, 0, 0));
    driver.healthyBook();
    driver.tick();
    driver.acceptPlacements();
    driver.settings(recycling({ ...wanted, changeMin: 1 }));
    run(driver, 5_000, holding(100, 0, 0));
    const [split] = driver.engine.view().sets ?? [];
    expect(split).toMatchObject({ action: 'split' });
    expect(Number(split?.amount)).toBeLessThanOrEqual(52);
  });

  it('never makes more of a token than its limit allows', () => {
    const risk = { ...settings().risk, maxPositionShares: 90 };
    const account = holding(1_000, 70, 0);
    const driver = started(account, recycling({ ...wanted, changeMin: 1 }, { risk }));
    driver.healthyBook();
    driver.tick();
    run(driver, 5_000, account);
    const [split] = driver.engine.view().sets ?? [];
    expect(Number(split?.amount ?? 0)).toBeLessThanOrEqual(20);
  });
});

describe('what rests for an ask', () => {
  const asks = (policy: { readonly account: boolean; readonly market?: boolean }) => {
    const base = settings();
    const driver = new EngineDriver();
    const orders = { ...base.orders, preferSell: policy.account };
    const markets = base.markets.map((each) => ({ ...each, preferSell: policy.market }));
    driver.start({ ...base, orders, markets }, holding(1_000, 80, 80));
    driver.healthyBook();
    driver.tick();
    const placed = driver.placements().flatMap((each) => each.orders);
    return placed.map(({ tokenId, side }) => `${side} ${tokenId === YES ? 'YES' : 'NO'}`).sort();
  };

  it('is a real sell of settled shares, or a bid of the complement where that is the policy', () => {
    expect(asks({ account: true })).toEqual(['SELL NO', 'SELL YES']);
    expect(asks({ account: false })).toEqual(['BUY NO', 'BUY YES']);
  });

  it('is what the market says, whatever the account does', () => {
    expect(asks({ account: true, market: false })).toEqual(['BUY NO', 'BUY YES']);
    expect(asks({ account: false, market: true })).toEqual(['SELL NO', 'SELL YES']);
  });
});

describe('complete sets that bids of the complement would only make more of', () => {
  const bids: Partial<CoreSettings> = { orders: { ...settings().orders, preferSell: false } };
  const placed = (yes: number, no: number) => {
    const driver = new EngineDriver();
    driver.start(settings(bids), holding(1_000, yes, no));
    driver.healthyBook();
    driver.tick();
    const orders = driver.placements().flatMap((each) => each.orders);
    return orders.map(({ tokenId, side }) => `${side} ${tokenId === YES ? 'YES' : 'NO'}`).sort();
  };

  it('are sold from half of the position limit on, so that no limit keeps both sides away', () => {
    expect(placed(500, 500)).toEqual(['SELL NO', 'SELL YES']);
    expect(placed(400, 250)).toEqual(['SELL NO', 'SELL YES']);
    expect(placed(400, 249)).toEqual(['BUY NO', 'BUY YES']);
  });

  it('are shown as what would rest, by settings that are asked about', () => {
    const driver = started(holding(1_000, 500, 500), settings(bids));
    driver.healthyBook();
    const { markets } = previewed(driver.engine, settings(bids));
    expect(markets[0]?.bid.held).toEqual([]);
    expect(markets[0]?.ask.held).toEqual([]);
    expect(markets[0]?.ask.changed).toHaveLength(1);
  });

  it('are no reason to split more of them', () => {
    const wanted = recycling({ workingMin: 450, workingMax: 500 }, bids);
    const driver = started(holding(1_000, 300, 300), wanted);
    driver.healthyBook();
    expect(run(driver, 5_000, holding(1_000, 300, 300))).toBe(0);
    expect(sets(driver)?.reason?.code).toBe('no_sells');
  });
});

describe('a redeem by itself', () => {
  const resolve = (driver: EngineDriver) =>
    driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'resolved', word: 'RESOLVED' });

  it('follows the resolution, is confirmed by the payout, and is asked for once', () => {
    const driver = started(holding(1_000, 80, 30), recycling({ workingMax: 500 }));
    run(driver, 5_000, holding(1_000, 80, 30));
    resolve(driver);
    expect(sets(driver)).toMatchObject({ free: '0', claim: { yes: '80', no: '30' } });
    run(driver, 5_000, holding(1_000, 80, 30));
    expect(requests(driver)).toEqual(['recycler redeem 0 accepted']);
    run(driver, 200_000, holding(1_080, 0, 0));
    expect(requests(driver)).toEqual(['recycler redeem 0 confirmed']);
    expect(sets(driver)).toMatchObject({ claim: undefined, reason: { code: 'nothing_held' } });
  });

  it('of losing shares only, burnt without a payout, is confirmed when one would have shown', () => {
    const driver = started(holding(1_000, 0, 30), recycling());
    resolve(driver);
    run(driver, 150_000, holding(1_000, 0, 0));
    expect(requests(driver)).toEqual(['recycler redeem 0 accepted']);
    run(driver, 60_000, holding(1_000, 0, 0));
    expect(requests(driver)).toEqual(['recycler redeem 0 confirmed']);
    expect(driver.reported('position.adopted')).toEqual([]);
  });

  it('beside other cash that came meanwhile, ends with the payout that it covers', () => {
    const driver = started(holding(1_000, 80, 0), recycling());
    resolve(driver);
    run(driver, 250_000, holding(1_105, 0, 0));
    expect(requests(driver)).toEqual(['recycler redeem 0 confirmed']);
    expect(driver.engine.view().markets[0]?.settledYes).toBe('0');
  });
});

describe('a restart', () => {
  it('while a merge is under way sends no second one before the first is settled', () => {
    const driver = started(holding(1_000, 250, 250));
    run(driver, 3_000, holding(1_000, 250, 250));
    const stored = driver.records.flatMap((each) => (each.kind === 'sets' ? [each.requests] : []));
    const later = new EngineDriver();
    later.restore({ ...NOTHING_STORED, sets: stored.at(-1) ?? [] });
    later.start(recycling(), holding(1_000, 250, 250));
    expect(run(later, 60_000, holding(1_000, 250, 250))).toBe(0);
    expect(sets(later)?.reason?.code).toBe('under_way');
  });
});

describe('the end of a run', () => {
  it('says what could still be turned into cash', () => {
    const driver = started(holding(1_000, 70, 60));
    driver.operator('shutdown');
    driver.run(10_000, () => {
      driver.answerReads([], holding(1_000, 70, 60));
      driver.answerCancels();
    });
    expect(driver.engine.view().phase).toBe('stopped');
    expect(driver.reported('sets.left')).toEqual([
      expect.objectContaining({ marketId: MARKET, mergeable: '60', claimableYes: '0' }),
    ]);
  });
});
