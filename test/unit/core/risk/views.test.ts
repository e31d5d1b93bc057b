import { describe, expect, it } from 'vitest';
import type { RiskView } from '../../../../src/domain/risk.ts';
import { EngineDriver } from '../../../support/engine-driver.ts';
import { ask, bid, controlled, wishing } from '../../../support/wanted.ts';

function quoting(): EngineDriver {
  const driver = new EngineDriver([wishing(() => [bid(48, 50), ask(52, 50)])]);
  driver.start(
    controlled({
      clock: { offsetMsMax: 3_000, driftMsMax: 0, action: 'cancel', coolOffMs: 1_000 },
    }),
  );
  driver.healthyBook();
  driver.run(100);
  driver.acceptPlacements();
  driver.run(100);
  return driver;
}

function riskOf(driver: EngineDriver): RiskView {
  const { risk } = driver.engine.view();
  if (risk === undefined) throw new Error('the core tells of its risk');
  return risk;
}

const rowOf = (driver: EngineDriver, control: string) =>
  riskOf(driver).controls.find((each) => each.control === control);

describe('what operators see of limits and controls', () => {
  it('is where each stands and where it ends', () => {
    const driver = quoting();
    expect(rowOf(driver, 'max_open_orders')).toMatchObject({ value: '2', limit: '200' });
    // A bid of 50 at 0.48, and a bid of 50 NO at 0.48.
    expect(rowOf(driver, 'max_position_shares')).toMatchObject({ value: '0', limit: '500' });
    expect(rowOf(driver, 'worst_case_loss')).toMatchObject({ value: '24.000000', unit: 'usdc' });
    expect(rowOf(driver, 'order_rate')).toMatchObject({ value: '2', limit: '3000' });
    expect(rowOf(driver, 'day_loss')).toMatchObject({ value: '0.000000', level: 'normal' });
    expect(riskOf(driver)).toMatchObject({ level: 'normal', latches: [] });
  });

  it('leaves out what is switched off, and shows what cannot be known as unknown', () => {
    const driver = quoting();
    expect(rowOf(driver, 'session_loss')).toBeUndefined();
    expect(rowOf(driver, 'clock_offset')).toMatchObject({ value: undefined, limit: '3' });
  });

  it('names owner, level and way back of what holds trading back, the operator first', () => {
    const driver = quoting();
    driver.tell({ kind: 'clockOffset', offsetMs: 4_000, roundTripMs: 20 });
    driver.operator('pause');
    driver.run(100);
    expect(riskOf(driver).level).toBe('cancel');
    expect(riskOf(driver).latches).toMatchObject([
      { owner: 'operator', scope: 'account', level: 'cancel', detail: 'paused by test' },
      { owner: 'automatic:clock_offset', scope: 'account', level: 'cancel' },
    ]);
    expect(rowOf(driver, 'clock_offset')).toMatchObject({ value: '4', level: 'cancel' });
  });

  it('changes nothing by being looked at', () => {
    const looked = quoting();
    const left = quoting();
    for (let each = 0; each < 10; each += 1) looked.engine.view();
    looked.run(3_000, () => looked.engine.view());
    left.run(3_000);
    expect(JSON.stringify(looked.sent)).toBe(JSON.stringify(left.sent));
    expect(JSON.stringify(looked.engine.view())).toBe(JSON.stringify(left.engine.view()));
  });
});
