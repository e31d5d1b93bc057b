// What a take costs beyond its price is in the worst case before it goes, while it is under way, and after.

import { describe, expect, it } from 'vitest';
import { orderHash } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { defineStrategy, type Take } from '../../../../src/strategy/index.ts';
import { balances, EngineDriver, GRID, settings } from '../../../support/engine-driver.ts';

const HASH = orderHash('0xf1');

/** 20 YES are bought at 0.50: 10.00 for them, and 1.50 for taking. */
function taking(maxLossUsdc: number): EngineDriver {
  let takes: readonly Take[] = [
    { leg: 'yes', side: 'BUY', price: ticks(GRID, 50), quantity: shares(20) },
  ];
  const taker = defineStrategy({
    name: 'taker',
    summary: 'Takes once.',
    takes: true,
    params: {},
    quote: () => {
      const now = takes;
      takes = [];
      return {
        quotes: [],
        reasons: [{ side: 'both', code: 'x', detail: 'x', clears: 'x' }],
        takes: now,
      };
    },
  });
  const choice = { event: 'rain', market: undefined, strategy: 'taker', params: {} };
  const own = settings({ markets: [{ ...choice, takerFeeRate: 0.3 }] });
  const value = { ...own, risk: { ...own.risk, maxLossUsdc } };
  const driver = new EngineDriver([taker]);
  driver.settings(value);
  driver.start(value, balances());
  driver.healthyBook();
  driver.run(200);
  return driver;
}

function worstCase(driver: EngineDriver): number {
  const controls = driver.engine.view().risk?.controls ?? [];
  return Number(controls.find(({ control }) => control === 'worst_case_loss')?.value);
}

describe('a take of 10.00 with a fee of 1.50', () => {
  it.each([10, 11.49])('does not go where %d may be lost', (maxLossUsdc) => {
    const driver = taking(maxLossUsdc);
    expect(driver.placements()).toEqual([]);
    expect(driver.reported('risk.refused').map(({ limit }) => limit)).toContain('max_loss_usdc');
  });

  it('goes where both may be lost, which is the worst case from then on', () => {
    const driver = taking(11.5);
    const [sent] = driver.placements();
    if (sent === undefined) throw new Error('it goes');
    expect(worstCase(driver)).toBe(11.5);
    const outcome = { kind: 'accepted', orderHash: HASH } as const;
    const outcomes = sent.orders.map(({ intentId }) => ({ intentId, outcome }));
    driver.tell({ kind: 'placed', requestId: sent.requestId, outcomes });
    for (const order of sent.orders)
      driver.update(HASH, order, { status: 'MATCHED', remaining: 0 });
    driver.run(200);
    expect(worstCase(driver)).toBe(11.5);
  });
});
