// A clock that is set ahead while a placement has no answer: no time has passed in which it could have arrived.

import { describe, expect, it } from 'vitest';
import { balances, EngineDriver } from '../../support/engine-driver.ts';

const SET_AHEAD_MS = 120_000;
/** What is sent is taken for 37 s by these settings. */
const HORIZON_MS = 37_000;

/** Two placements have no answer, and the clock is an odd one from here on. */
function unanswered(): EngineDriver {
  const driver = new EngineDriver();
  driver.start();
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
    expect(absentAfterMs(driver)).toBeGreaterThan(HORIZON_MS);
  });

  it('is absent soon where the venue says that the time has passed: the host had slept', () => {
    const driver = unanswered();
    // One that was on its way when the clock jumped says nothing of the time since.
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: SET_AHEAD_MS + 40 });
    look(driver, 16_000);
    expect(driver.records.some(isAbsentOrder)).toBe(false);
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 40 });
    expect(absentAfterMs(driver)).toBeLessThan(10_000);
  });

  it('keeps a kill from being called proven', () => {
    const driver = unanswered();
    driver.operator('kill');
    look(driver, HORIZON_MS - 2_000);
    expect(driver.reported('kill.proven')).toEqual([]);
    look(driver, 2 * SET_AHEAD_MS);
    expect(driver.reported('kill.proven')).toHaveLength(1);
  });
});

describe('a placement that is on its way when the clock is set two minutes ahead', () => {
  function onItsWay(): EngineDriver {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    driver.tick(SET_AHEAD_MS);
    return driver;
  }

  it('is not given up before its answer had its time', () => {
    const driver = onItsWay();
    look(driver, 1_000);
    expect(driver.engine.view().ordersByState).toMatchObject({ sending: 2, unknown: 0 });
    look(driver, 30_000);
    expect(driver.engine.view().ordersByState).toMatchObject({ sending: 0, unknown: 2 });
  });

  it('teaches nobody that this venue takes two minutes to accept one', () => {
    const driver = onItsWay();
    driver.acceptPlacements();
    expect(driver.records.filter(({ kind }) => kind === 'slowest')).toEqual([]);
  });
});
