// The account's channel is up and tells of everything, and a list that would show the rest cannot be read.

import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../src/domain/time.ts';
import { EngineDriver } from '../../../support/engine-driver.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wanted.ts';

type Failing = 'openOrders' | 'balances';

const READS = { openOrders: 'readOpenOrders', balances: 'readBalances' } as const;

function quoting(): EngineDriver {
  const driver = new EngineDriver([wishing(() => [bid(48, 50), ask(52, 50)])]);
  driver.start(controlled());
  driver.healthyBook();
  driver.run(100);
  driver.acceptPlacements();
  return driver;
}

/** Whoever reads the one is told nothing of use, and whoever reads the other what there is. */
function failRead(driver: EngineDriver, kind: Failing): void {
  const outcome = { kind: 'unknown', cause: 'unreadable', detail: 'x' } as const;
  const askedAtMs = unixMs(driver.nowMs);
  for (const { requestId } of driver.take(READS[kind])) {
    driver.tell({ kind, requestId, askedAtMs, outcome });
  }
  driver.answerReads(tripped(driver).length > 0 ? [] : driver.openReports());
}

const tripped = (driver: EngineDriver) =>
  driver.reported('control.tripped').map(({ control, detail }) => `${control}: ${detail}`);
const isSweeping = (driver: EngineDriver) => driver.sent.some(({ kind }) => kind === 'cancelAll');

describe('an account of which a list cannot be read', () => {
  it.each([
    ['openOrders', 'open orders'],
    ['balances', 'balances'],
  ] as const)(
    'is swept after a minute without %s, and quoted when they are read again',
    (kind, what) => {
      const driver = quoting();
      driver.run(55_000, () => failRead(driver, kind));
      expect(tripped(driver)).toEqual([]);
      driver.run(10_000, () => {
        if (!isSweeping(driver)) failRead(driver, kind);
      });
      expect(isSweeping(driver)).toBe(true);
      expect(tripped(driver)).toEqual([
        `blind_account: ${what} could not be read for 60 s, and orders may rest`,
      ]);
      driver.run(100_000, () => {
        failRead(driver, kind);
        driver.answerCancels();
      });
      expect(placed(driver)).toEqual([]);
      expect(driver.reported('control.eased')).toEqual([]);
      driver.healthyBook();
      driver.run(10_000, () => {
        driver.answerReads([]);
        driver.answerCancels();
      });
      expect(driver.reported('control.eased')).toMatchObject([{ control: 'blind_account' }]);
      expect(placed(driver)).toHaveLength(2);
    },
  );

  it('is left alone as long as nothing of ours may rest', () => {
    const driver = new EngineDriver([wishing(() => [])]);
    driver.start(controlled());
    driver.healthyBook();
    driver.run(200_000, () => failRead(driver, 'openOrders'));
    expect(tripped(driver)).toEqual([]);
  });

  it('is none whose clock was set ahead', () => {
    const driver = quoting();
    driver.run(2_000, () => driver.answerReads(driver.openReports()));
    driver.tick(240_000);
    driver.run(2_000, () => driver.answerReads(driver.openReports()));
    expect(tripped(driver)).toEqual([]);
  });
});
