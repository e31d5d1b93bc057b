// A clock that is set ahead while something is waited for: no time has passed in which it could have come.

import { describe, expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { balances, EngineDriver, MARKET, settings, YES } from '../../support/engine-driver.ts';
import { it as lived, type Runs } from '../../support/runs.ts';

const SET_AHEAD_MS = 120_000;
/** What is sent is taken for 37 s by these settings. */
const HORIZON_MS = 37_000;

/** A placement of unknown outcome keeps its slot for as long as it may arrive. */
const SLOT_KEPT = settings({ timing: { ...settings().timing, unknownSlotMs: 45_000 } });

/** Two placements have no answer, and the clock is an odd one from here on. */
function unanswered(): EngineDriver {
  const driver = new EngineDriver();
  driver.start(SLOT_KEPT);
  driver.healthyBook();
  driver.tick();
  driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: '' });
  driver.tick(SET_AHEAD_MS);
  return driver;
}

/** The venue shows nothing at all. */
function look(driver: EngineDriver, durationMs: number): void {
  driver.run(durationMs, () => {
    driver.answerReads([], balances());
    driver.answerCancels();
  });
}

/** How long it took from the jump on until both were called absent. */
const absentAfterMs = (driver: EngineDriver, stepMs = 1_000): number => {
  const isAbsent = () => driver.records.some((each) => isAbsentOrder(each));
  let passedMs = 0;
  while (!isAbsent() && passedMs < 300_000) {
    look(driver, stepMs);
    passedMs += stepMs;
  }
  return passedMs;
};

function isAbsentOrder(record: EngineDriver['records'][number]): boolean {
  return record.kind === 'order' && record.order.state === 'absent';
}

describe('a placement without an answer, when the clock is set two minutes ahead', () => {
  it('is not called absent before it can arrive no more, by the time that has passed', () => {
    expect(absentAfterMs(unanswered())).toBeGreaterThan(HORIZON_MS);
  });

  it('is not when the venue is asked for its time, which is what it was', () => {
    const driver = unanswered();
    look(driver, 1_000);
    driver.tell({ kind: 'clockOffset', offsetMs: -SET_AHEAD_MS, roundTripMs: 40 });
    expect(1_000 + absentAfterMs(driver)).toBeGreaterThan(HORIZON_MS);
  });

  it('is absent soon where the venue says that the time has passed: the host had slept', () => {
    const driver = unanswered();
    // One that was in flight when the clock jumped says nothing of the time since.
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: SET_AHEAD_MS + 40 });
    look(driver, 16_000);
    expect(driver.records.some(isAbsentOrder)).toBe(false);
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 40 });
    expect(absentAfterMs(driver)).toBeLessThan(10_000);
  });

  it('keeps a kill from being called confirmed', () => {
    const driver = unanswered();
    driver.operator('kill');
    look(driver, HORIZON_MS - 2_000);
    expect(driver.reported('kill.confirmed')).toEqual([]);
    look(driver, 2 * SET_AHEAD_MS);
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });
});

describe('a placement that gave its slot back and may arrive', () => {
  it('is uncertain for as long as it may, in spite of a clock that is set ahead', () => {
    const driver = new EngineDriver();
    driver.start(settings({ timing: { ...settings().timing, unknownSlotMs: 0 } }));
    driver.healthyBook();
    driver.tick();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: '' });
    // Nothing is placed in its stead, so that nothing is in flight.
    driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'resolved', word: 'x' });
    look(driver, 10_000);
    const causes = () =>
      driver.engine.view().markets[0]?.positions?.yes.uncertain.map(({ cause }) => cause);
    expect(causes()).toEqual(['may_arrive']);
    driver.tick(SET_AHEAD_MS);
    look(driver, 20_000);
    expect(causes()).toEqual(['may_arrive']);
    look(driver, 60_000);
    expect(causes()).toEqual([]);
  });
});

describe('a placement that is in flight when the clock is set two minutes ahead', () => {
  function inFlight(): EngineDriver {
    const driver = new EngineDriver();
    driver.start(SLOT_KEPT);
    driver.healthyBook();
    driver.tick();
    driver.tick(SET_AHEAD_MS);
    return driver;
  }

  it('is not given up before its answer had its time', () => {
    const driver = inFlight();
    look(driver, 1_000);
    expect(driver.engine.view().ordersByState).toMatchObject({ sending: 2, unknown: 0 });
    look(driver, 30_000);
    expect(driver.engine.view().ordersByState).toMatchObject({ sending: 0, unknown: 2 });
  });

  it('teaches nobody that this venue takes two minutes to accept one', () => {
    const driver = inFlight();
    driver.acceptPlacements();
    expect(driver.records.filter(({ kind }) => kind === 'slowest')).toEqual([]);
  });
});

describe('positions, when the clock is set ahead by as long as they lag', () => {
  /** Fifty were bought and have settled; the index of the venue shows none of them yet. */
  function bought(): EngineDriver {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const [bid] = driver.acceptPlacements();
    if (bid === undefined) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    const trade = { side: 'BUY', price: usdc('0.48'), quantity: shares(50), tokenId: YES } as const;
    driver.tell({ kind: 'tradeSettled', tradeId: 't-1', marketId: MARKET, ...trade });
    return driver;
  }

  const paid = balances({ cashBalance: usdc(9_976), availableBalance: usdc(9_976) });
  const position = (driver: EngineDriver) => driver.engine.view().markets[0]?.positionYes;
  const wait = (driver: EngineDriver, durationMs: number) =>
    driver.run(durationMs, () => driver.answerReads([], paid));

  it('are not taken from an index that had no time to catch up', () => {
    const driver = bought();
    wait(driver, 2_000);
    driver.tick(200_000);
    wait(driver, 60_000);
    expect(position(driver)).toBe('50');
  });

  /** The process ends, and the next one begins with a clock that is ahead, or was put right by as much. */
  function reborn(runs: Runs, before: EngineDriver, offsetMs: number): EngineDriver {
    wait(before, 2_000);
    before.nowMs += 200_000;
    const driver = runs.restored(before);
    driver.tell({ kind: 'clockOffset', offsetMs, roundTripMs: 40 });
    driver.start();
    return driver;
  }

  lived('are not by a run that begins after it was set', ({ runs }) => {
    const driver = reborn(runs, bought(), -200_000);
    wait(driver, 60_000);
    expect(position(driver)).toBe('50');
  });

  lived(
    'nor by one whose clock is right, where that of the run before it was behind',
    ({ runs }) => {
      const before = bought();
      before.tell({ kind: 'clockOffset', offsetMs: 200_000, roundTripMs: 40 });
      const driver = reborn(runs, before, 0);
      wait(driver, 60_000);
      expect(position(driver)).toBe('50');
    },
  );

  lived('are by a run that begins later, once its own quiet has passed', ({ runs }) => {
    const driver = reborn(runs, bought(), 0);
    wait(driver, 240_000);
    expect(position(driver)).toBe('0');
  });

  lived('nor by one that begins soon after a jump that the run before it saw', ({ runs }) => {
    const before = bought();
    before.tick(200_000);
    before.tell({ kind: 'clockOffset', offsetMs: -200_000, roundTripMs: 40 });
    const driver = runs.restored(before);
    driver.tell({ kind: 'clockOffset', offsetMs: -200_000, roundTripMs: 40 });
    driver.start();
    wait(driver, 60_000);
    expect(position(driver)).toBe('50');
  });

  it('are taken from it when it has had its time since', () => {
    const driver = bought();
    wait(driver, 2_000);
    driver.tick(200_000);
    wait(driver, 400_000);
    expect(position(driver)).toBe('0');
  });
});

it('a split that nobody answered is not called absent before positions can have shown it', () => {
  const driver = new EngineDriver();
  driver.start();
  const order = {
    id: 's-1',
    by: 'ann',
    action: 'split',
    marketId: MARKET,
    amount: shares(10),
  } as const;
  driver.sets(order);
  const [sent] = driver.take('changeSets');
  if (sent === undefined) throw new Error('it was sent');
  const unknown = { kind: 'unknown', cause: 'timeout', detail: '' } as const;
  driver.tell({ kind: 'setsChanged', requestId: sent.requestId, outcome: unknown });
  driver.tick(1_000_000);
  look(driver, 100_000);
  expect(driver.engine.view().sets).toMatchObject([{ id: 's-1', state: 'unknown' }]);
  look(driver, 100_000);
  expect(driver.engine.view().sets).toMatchObject([{ id: 's-1', state: 'absent' }]);
});
