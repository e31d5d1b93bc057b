// A clock that was behind in one run and is put right before the next: what the first did a moment ago
// is dated as if it were minutes ago.

import { describe, expect, it } from 'vitest';
import type { PersistedState, StoredClock } from '../../../src/domain/record.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { balances, EngineDriver, NOTHING_STORED, settings } from '../../support/engine-driver.ts';
import { unanswered } from '../../support/unanswered.ts';

const BEHIND_MS = 600_000;

/** It ended a second ago, by a clock that was ten minutes behind, and one placement had no answer. */
function left(nowMs: number, clock: Pick<StoredClock, 'offsetMs'> | undefined): PersistedState {
  const atMs = unixMs(nowMs - BEHIND_MS - 1_000);
  return {
    ...NOTHING_STORED,
    orders: [unanswered(atMs)],
    ...(clock && { clock: { ...clock, atMs } }),
  };
}

/** A placement of unknown outcome keeps its slot for as long as it may arrive. */
const SLOT_KEPT = settings({ timing: { ...settings().timing, unknownSlotMs: 45_000 } });

/** The next run; its clock is right, as the venue says. */
function nextRun(clock: Pick<StoredClock, 'offsetMs'> | undefined, offsetMs = 0): EngineDriver {
  const driver = new EngineDriver();
  driver.settings(SLOT_KEPT);
  driver.restore(left(driver.nowMs, clock));
  driver.tell({ kind: 'clockOffset', offsetMs, roundTripMs: 20 });
  driver.start(SLOT_KEPT, balances());
  return driver;
}

const unknown = (driver: EngineDriver) => driver.engine.view().ordersByState.unknown;

describe('a run whose clock was ten minutes behind', () => {
  it('leaves a placement that may arrive for as long as if it had been right', () => {
    const driver = nextRun({ offsetMs: BEHIND_MS });
    driver.run(25_000, () => driver.answerReads([], balances()));
    expect(unknown(driver)).toBe(1);
    driver.run(20_000, () => driver.answerReads([], balances()));
    expect(unknown(driver)).toBe(0);
  });

  it('is known by the offset that it left, and by nothing else', () => {
    const driver = nextRun(undefined);
    driver.run(5_000, () => driver.answerReads([], balances()));
    expect(unknown(driver)).toBe(0);
  });

  it('has nothing wait anew where the clock is behind as before', () => {
    const driver = nextRun({ offsetMs: BEHIND_MS }, BEHIND_MS);
    driver.run(5_000, () => driver.answerReads([], balances()));
    expect(unknown(driver)).toBe(0);
  });
});
