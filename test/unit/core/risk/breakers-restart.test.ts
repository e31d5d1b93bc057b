// Breakers of a daemon that dies again and again: each run counts on from what those before it did.

import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { setBack } from '../../../../src/core/account/restore.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { Balances, PlaceOutcome } from '../../../../src/domain/message.ts';
import { RISK_CONTROL_DEFAULTS, type RiskControls } from '../../../../src/domain/risk.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { type UnixMs, unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  listing,
  MARKET,
  NOTHING_STORED,
  settings,
} from '../../../support/engine-driver.ts';
import { it, type Runs } from '../../../support/runs.ts';
import { controlled } from '../../../support/wanted.ts';

const RATE = { orders: 4, intervalMs: 60_000, action: 'cancel', coolOffMs: 30_000 } as const;
const BURST: RiskControls['fillBurst'] = {
  ...RISK_CONTROL_DEFAULTS.fillBurst,
  ...{ marketFills: 3, marketShares: 0, accountFills: 0, accountShares: 0 },
  ...{ intervalMs: 60_000, action: 'cancel', coolOffMs: 30_000 },
};
const SETTINGS = controlled({ orderRate: RATE, fillBurst: BURST });

const WITHOUT_RATE = controlled({ orderRate: { ...RATE, orders: 0 }, fillBurst: BURST });

const tripped = ({ driver }: Run) =>
  driver.reported('control.tripped').map(({ control, marketId }) => [control, marketId]);

type Placed = ReturnType<EngineDriver['acceptPlacements']>;
type Run = { readonly driver: EngineDriver; readonly placed: Placed };

/** Twelve seconds of a run: what an earlier one left is cleared up, and a bid and an ask are placed. */
function lived(driver: EngineDriver, settings = SETTINGS, account = balances()): Run {
  const placed: Placed[number][] = [];
  driver.start(settings);
  driver.healthyBook();
  driver.run(12_000, () => {
    placed.push(...driver.acceptPlacements());
    driver.answerReads(driver.openReports(), account);
  });
  return { driver, placed };
}

function next(runs: Runs, run: Run, settings = SETTINGS): Run {
  return lived(runs.restored(run.driver, settings), settings, heldFor(run));
}

/** What the bid has traded is held until it settles. */
function heldFor({ driver, placed }: Run): Balances {
  const bid = placed.find(({ order }) => order.side === 'BUY');
  const traded = Number(driver.engine.view().markets[0]?.positionYes ?? 0);
  const heldUsdc = (traded * (bid?.order.price ?? 0)) / 100;
  return balances({ usdcOnHold: usdc(heldUsdc.toFixed(2)) });
}

/** The bid trades so many times. */
function fill({ driver, placed }: Run, times: number): void {
  const bid = placed.find(({ order }) => order.side === 'BUY');
  if (bid === undefined) throw new Error('a bid was placed');
  for (let filled = 1; filled <= times; filled += 1) {
    const change = { filled, remaining: 50 - filled };
    driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', ...change });
  }
  driver.tick();
}

describe('a process that dies again and again', () => {
  it('is stopped by the rate of orders that all its runs have sent', ({ runs }) => {
    const first = lived(new EngineDriver());
    expect(first.placed).toHaveLength(2);
    expect(tripped(first)).toEqual([]);
    expect(tripped(next(runs, first))).toEqual([['order_rate', undefined]]);
  });

  it('is not held to what was longer ago than the interval', ({ runs }) => {
    const first = lived(new EngineDriver());
    first.driver.nowMs += 60_000;
    const second = next(runs, first);
    expect(second.placed).toHaveLength(2);
    expect(tripped(second)).toEqual([]);
  });

  it('counts no second time what a breaker that still holds has counted', ({ runs }) => {
    const second = next(runs, lived(new EngineDriver()));
    expect(tripped(second)).toHaveLength(1);
    const third = next(runs, second);
    third.driver.run(35_000, () => {
      third.driver.acceptPlacements();
      third.driver.answerReads(third.driver.openReports());
    });
    expect(third.driver.reported('control.eased')).toMatchObject([{ by: 'itself' }]);
    expect(tripped(third)).toEqual([]);
  });

  it('counts once what was rejected without a code where others trade, and is looked for', ({
    runs,
  }) => {
    const driver = new EngineDriver();
    driver.start({ ...settings(), orders: { ...settings().orders, scope: 'own' } });
    driver.healthyBook();
    driver.tick();
    const refusal = { code: undefined, httpStatus: undefined, retryAfterMs: undefined };
    const sent = driver.answerPlacements({
      kind: 'refused',
      refusal: { ...refusal, message: 'no' },
    });
    driver.tick();
    runs.ledger.commit(driver.records);
    expect(runs.ledger.load().recent?.ordersAtMs).toHaveLength(sent.length);
    driver.operator('pause');
    driver.run(3_000, () => driver.answerReads([]));
    runs.ledger.commit(driver.records);
    expect(runs.ledger.load().recent?.ordersAtMs).toHaveLength(sent.length);
  });

  it('is stopped by the fills of all its lives in one market', ({ runs }) => {
    const first = lived(new EngineDriver(), WITHOUT_RATE);
    fill(first, 2);
    expect(tripped(first)).toEqual([]);
    const second = next(runs, first, WITHOUT_RATE);
    fill(second, 1);
    expect(tripped(second)).toEqual([['fill_burst', MARKET]]);
  });
});

describe('a breaker that has tripped and holds no more', () => {
  /** Two runs have tripped the rate of orders, and an operator has lifted it in the second one. */
  function liftedRate(runs: Runs): Run {
    const second = next(runs, lived(new EngineDriver()));
    expect(tripped(second)).toEqual([['order_rate', undefined]]);
    second.driver.operator('resume');
    expect(second.driver.reported('control.eased')).toMatchObject([{ by: 'test' }]);
    return second;
  }

  it('counts orders from where an operator lifted it, over a restart as well', ({ runs }) => {
    const third = next(runs, liftedRate(runs));
    expect(third.placed).toHaveLength(2);
    expect(tripped(third)).toEqual([]);
    // Those since then count over all runs.
    expect(tripped(next(runs, third))).toEqual([['order_rate', undefined]]);
  });

  it('counts from before where nobody can read when that was', ({ runs }) => {
    const second = liftedRate(runs);
    runs.ledger.commit(second.driver.records);
    runs.ledger.setFact('cleared', '[{"control":"order_rate","atMs":"lately"}]');
    const third = new EngineDriver();
    third.nowMs = second.driver.nowMs + 1_000;
    third.settings(SETTINGS);
    third.restore(runs.ledger.load());
    expect(tripped(lived(third))).toEqual([['order_rate', undefined]]);
  });

  it('counts fills of a market from there, and in the same run, too', ({ runs }) => {
    const first = lived(new EngineDriver(), WITHOUT_RATE);
    fill(first, 3);
    fill(first, 5);
    expect(tripped(first)).toEqual([['fill_burst', MARKET]]);
    first.driver.operator('resume');
    fill(first, 6);
    expect(tripped(first)).toHaveLength(1);
    const second = next(runs, first, WITHOUT_RATE);
    fill(second, 1);
    expect(tripped(second)).toEqual([]);
    fill(second, 2);
    expect(tripped(second)).toEqual([['fill_burst', MARKET]]);
  });
});

describe('what the venue refuses in one run after the other', () => {
  const usual = { ...RISK_CONTROL_DEFAULTS.refusals, side: 0, coolOffMs: 10_000 };
  const limited = (change: Partial<typeof usual>) =>
    controlled({ refusals: { ...usual, market: 0, account: 0, ...change } });
  const outcome = (code: string | undefined): PlaceOutcome => ({
    kind: 'refused',
    refusal: {
      code,
      message: 'no',
      httpStatus: code === undefined ? undefined : 422,
      retryAfterMs: undefined,
    },
  });

  /** A run in which everything is refused in one word; how many orders there were. */
  function refused(driver: EngineDriver, value: CoreSettings, code?: string): number {
    let count = 0;
    driver.start(value);
    driver.healthyBook();
    driver.run(1_000, () => {
      count += driver.answerPlacements(outcome(code)).length;
      driver.answerReads([]);
    });
    return count;
  }

  it.for([
    ['market', MARKET, 'invalid_price'],
    ['account', undefined, 'invalid_price'],
  ] as const)('trips the %s once there was enough of it', ([scope, where, code], { runs }) => {
    const value = limited({ [scope]: 4 });
    const first = new EngineDriver();
    // Two together, and then each alone: only those that went alone count.
    expect(refused(first, value, code)).toBe(4);
    const second = runs.restored(first, value);
    refused(second, value, code);
    const latched = second.reported('control.tripped');
    expect(latched.map(({ control, marketId }) => [control, marketId])).toEqual([
      ['repeated_refusals', where],
    ]);
    // What has tripped it is counted no second time, once it has cooled off.
    second.nowMs += usual.coolOffMs;
    const third = runs.restored(second, value);
    expect(refused(third, value, code)).toBe(4);
    expect(third.reported('control.tripped')).toEqual([]);
  });

  it('counts from the lift of an operator, whatever the word', ({ runs }) => {
    const value = limited({ market: 2 });
    const first = new EngineDriver();
    refused(first, value, 'invalid_price');
    expect(first.reported('control.tripped')).toHaveLength(1);
    first.operator('resume');
    const wide = limited({ market: 3 });
    const second = runs.restored(first, wide);
    expect(refused(second, wide, 'invalid_price')).toBe(4);
    expect(second.reported('control.tripped')).toEqual([]);
  });

  it.for(['market_paused', 'rate_limited', 'expired_timestamp'])(
    'does not count %s, which has a cure of its own',
    (code, { runs }) => {
      const value = limited({ market: 2, account: 2 });
      const first = new EngineDriver();
      refused(first, value, code);
      const second = runs.restored(first, value);
      refused(second, value, code);
      runs.ledger.commit(second.records);
      expect(runs.ledger.load().recent?.refusals).toEqual([]);
      expect(second.reported('control.tripped')).toEqual([]);
    },
  );
});

type Step = { readonly what: 'fails' | 'resumes' | 'dies'; readonly afterMs: number };

const STEPS = fc.array(
  fc.record<Step>({
    what: fc.constantFrom('fails', 'fails', 'fails', 'resumes', 'dies'),
    afterMs: fc.integer({ min: 1, max: 900_000 }),
  }),
  { minLength: 10, maxLength: 40 },
);

const changesOf = (driver: EngineDriver) =>
  [...driver.reported('control.tripped'), ...driver.reported('control.eased')].map(
    ({ event }) => event,
  );

describe('settlements that fail in one run after the other', () => {
  const settlements = { ...RISK_CONTROL_DEFAULTS.settlements, failures: 3 };
  const value = controlled({ settlements });

  function fail({ driver }: Run, times: number): void {
    for (let each = 1; each <= times; each += 1) {
      const failed = { kind: 'tradeFailed', reason: 'x', marketId: undefined } as const;
      driver.tell({ ...failed, side: 'BUY', quantity: shares(each) });
      driver.tick();
    }
  }

  it('stop adding once there were too many, and count on from there', ({ runs }) => {
    const first = lived(new EngineDriver(), value);
    fail(first, 2);
    const second = next(runs, first, value);
    expect(tripped(second)).toEqual([]);
    fail(second, 1);
    expect(tripped(second)).toEqual([['settlement_failures', undefined]]);
    // It lets go of itself long before the hour in which they are counted is over.
    second.driver.nowMs += settlements.coolOffMs;
    const third = next(runs, second, value);
    expect(third.driver.reported('control.eased')).toMatchObject([{ by: 'itself' }]);
    fail(third, 2);
    expect(tripped(third)).toEqual([]);
    const fourth = next(runs, third, value);
    fail(fourth, 1);
    expect(tripped(fourth)).toEqual([['settlement_failures', undefined]]);
  });

  it('trip just when they would have without any death, whatever lets go in between', ({
    runs,
  }) => {
    const seen = { trips: 0, afterDeath: 0 };
    fc.assert(
      fc.property(STEPS, (steps) => {
        runs.ledger.forget();
        const one = told(steps, (driver) => driver);
        const many = told(steps, (driver) => {
          runs.ledger.commit(driver.records);
          const after = new EngineDriver();
          after.nowMs = driver.nowMs;
          after.settings(value);
          after.restore(runs.ledger.load());
          return after;
        });
        seen.trips += one.length;
        seen.afterDeath += one.length > 0 && steps.some(({ what }) => what === 'dies') ? 1 : 0;
        expect(many).toEqual(one);
      }),
      { numRuns: 100 },
    );
    expect(seen.trips).toBeGreaterThan(100);
    expect(seen.afterDeath).toBeGreaterThan(30);
  });

  /** When the breaker tripped and let go in the runs that a script makes of it. */
  function told(
    steps: readonly Step[],
    die: (driver: EngineDriver) => EngineDriver,
  ): readonly string[] {
    const moved: string[] = [];
    let driver = new EngineDriver();
    driver.settings(value);
    const listed = () =>
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    listed();
    for (const { what, afterMs } of steps) {
      driver.tick(afterMs);
      const at = driver.nowMs;
      if (what === 'fails') fail({ driver, placed: [] }, 1);
      else if (what === 'resumes') driver.operator('resume');
      moved.push(...changesOf(driver).map((event) => `${event} ${at}`));
      driver.reports.length = 0;
      if (what !== 'dies') continue;
      const next = die(driver);
      if (next === driver) continue;
      driver = next;
      driver.reports.length = 0;
      listed();
    }
    return moved;
  }

  it('are forgotten after the interval', ({ runs }) => {
    const first = lived(new EngineDriver(), value);
    fail(first, 2);
    first.driver.nowMs += settlements.intervalMs + 200_000;
    const second = next(runs, first, value);
    fail(second, 2);
    expect(tripped(second)).toEqual([]);
  });
});

it('what a clock that was ahead has dated one after the other did not happen at once', () => {
  const nowMs = unixMs(1_700_000_000_000);
  const later = (afterMs: number) => unixMs(nowMs + afterMs);
  const fill = { marketId: MARKET, quantity: shares(1), atMs: later(3_600_000) };
  const refusal = { marketId: MARKET, code: 'invalid_price', atMs: later(3_000_000) };
  const clearedAt = (atMs: UnixMs) => ({ control: 'order_rate', atMs }) as const;
  const recent = {
    ordersAtMs: [later(3_540_000), later(-1)],
    fills: [fill],
    refusals: [refusal],
    failuresAtMs: [later(3_599_000)],
    // What would clear something that is still to come clears nothing.
    cleared: [clearedAt(later(3_600_000)), clearedAt(later(3_600_001))],
  };
  expect(setBack({ ...NOTHING_STORED, recent }, nowMs).recent).toEqual({
    ordersAtMs: [later(-60_000), later(-3_600_001)],
    fills: [{ ...fill, atMs: nowMs }],
    refusals: [{ ...refusal, atMs: later(-600_000) }],
    failuresAtMs: [later(-1_000)],
    cleared: [clearedAt(nowMs)],
  });
});
