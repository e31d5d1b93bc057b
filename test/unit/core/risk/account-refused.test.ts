// A venue that refuses the whole account, against a strategy that goes on wishing: nothing gets past the
// halt but an operator, who is told again when the cause is still there.

import { describe, expect, it } from 'vitest';
import { EngineDriver, NOTHING_STORED } from '../../../support/engine-driver.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wished.ts';

const CODES = ['account_restricted', 'geo_restricted'] as const;

const refusal = (code: string) =>
  ({
    kind: 'refused',
    refusal: { code, message: 'not this account', httpStatus: 403, retryAfterMs: undefined },
  }) as const;

/** Both sides are wished for, and one of them elsewhere every second. */
function wishful(): EngineDriver {
  let moves = 0;
  const quotes = () => {
    moves += 1;
    return [bid(45 + (Math.floor(moves / 20) % 3), 50), ask(52, 50)];
  };
  const driver = new EngineDriver([wishing(quotes)]);
  driver.settings(controlled());
  return driver;
}

function refused(code: string): EngineDriver {
  const driver = wishful();
  driver.start(controlled());
  driver.healthyBook();
  driver.run(100);
  driver.answerPlacements(refusal(code));
  driver.run(50);
  return driver;
}

/** The venue answers whatever it is asked; nothing rests. */
function answered(driver: EngineDriver, durationMs: number): void {
  driver.run(durationMs, () => {
    driver.answerReads([]);
    driver.answerCancels();
    driver.answerTrades({ kind: 'ok', value: [] });
  });
}

describe.each(CODES)('an account that is refused as %s', (code) => {
  it('is halted with the first refusal, and everything is cancelled', () => {
    const driver = refused(code);
    expect(driver.reported('risk.halted')).toMatchObject([{ limit: 'account_refused' }]);
    expect(driver.take('cancelAll')).toHaveLength(1);
    expect(driver.engine.view()).toMatchObject({ phase: 'halted' });
    expect(driver.engine.view().risk?.latches).toMatchObject([
      { owner: 'automatic:account_refused', scope: 'account', level: 'killed' },
    ]);
    expect(driver.engine.view().risk?.level).toBe('killed');
  });

  it('is sent nothing more, whatever moves, comes back or is taken anew', () => {
    const driver = refused(code);
    answered(driver, 20_000);
    expect(driver.engine.view().phase).toBe('halted');
    driver.healthyBook();
    driver.tell({ kind: 'socketLost', reason: 'x' });
    answered(driver, 1_000);
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    driver.healthyBook();
    driver.settings(controlled({ maxOrderNotionalUsdc: 90 }));
    answered(driver, 60_000);
    expect(placed(driver)).toEqual([]);
  });

  it('is sent nothing in the next life either', () => {
    const kept = refused(code).records.find((record) => record.kind === 'halt');
    if (kept?.kind !== 'halt') throw new Error('the halt was kept');
    const driver = wishful();
    driver.restore({ ...NOTHING_STORED, halt: kept.halt });
    driver.start(controlled());
    driver.healthyBook();
    answered(driver, 20_000);
    expect(driver.engine.view().phase).toBe('halted');
    expect(placed(driver)).toEqual([]);
  });

  it("is asked again after an operator's resume, and halted again with the first refusal", () => {
    const driver = refused(code);
    answered(driver, 3_000);
    driver.operator('resume');
    answered(driver, 3_000);
    expect(driver.answerPlacements(refusal(code)).length).toBeGreaterThan(0);
    answered(driver, 10_000);
    expect(driver.reported('risk.halted')).toHaveLength(2);
    expect(placed(driver)).toEqual([]);
  });
});
