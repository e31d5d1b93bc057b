// An order that is meant to take, as lists show it while the venue matches it.

import { expect, it } from 'vitest';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { defineStrategy } from '../../../src/strategy/index.ts';
import { EngineDriver, GRID, reportOf, settings, YES } from '../../support/engine-driver.ts';

/** Both legs of a set are wanted, at each look. */
function wanting(): EngineDriver {
  const leg = { side: 'BUY', quantity: shares(20) } as const;
  const taker = defineStrategy<object>({
    name: 'taker',
    summary: 'Buys both sides of a set.',
    params: {},
    takes: true,
    quote: () => ({
      quotes: [],
      reasons: [],
      takes: [
        { ...leg, leg: 'yes', price: ticks(GRID, 40) },
        { ...leg, leg: 'no', price: ticks(GRID, 55) },
      ],
    }),
  });
  const driver = new EngineDriver([taker]);
  const choice = { event: 'rain', market: undefined, strategy: 'taker', params: {} };
  const timing = { ...settings().timing, reconcileMs: 1_000 };
  driver.start(settings({ markets: [{ ...choice, takerFeeRate: 0.03 }], timing }));
  driver.healthyBook();
  return driver;
}

/** Two legs were accepted, and each second a list shows the first one open. */
function taken() {
  const driver = wanting();
  driver.tick();
  const [first] = driver.acceptPlacements();
  if (first === undefined) throw new Error('two legs were placed');
  const listed = (durationMs: number): readonly string[] => {
    const named: string[] = [];
    driver.run(durationMs, () => {
      driver.answerReads([reportOf(first.hash, first.order)]);
      named.push(...driver.answerCancels());
    });
    return named;
  };
  return { driver, first, listed };
}

it('is left alone while it may just be matched, and trades', () => {
  const { driver, first, listed } = taken();
  expect(listed(4_500)).toEqual([]);
  driver.update(first.hash, first.order, { status: 'FILLED', filled: 20, remaining: 0 });
  expect(driver.engine.view().markets[0]?.positionYes).toBe('20');
  expect(listed(3_000)).toEqual([]);
});

it('is cancelled where a list shows it five seconds after it was accepted', () => {
  const { first, listed } = taken();
  expect(listed(7_000)).toContain(first.hash);
});

it('asks whether a paused market trades again, where nothing else would', () => {
  const driver = wanting();
  driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'paused', word: 'PAUSE' });
  driver.run(1_900);
  expect(driver.placements()).toEqual([]);
  driver.run(200);
  expect(driver.acceptPlacements()).toHaveLength(2);
  expect(driver.reported('market.status').at(-1)).toMatchObject({ status: 'open' });
});
