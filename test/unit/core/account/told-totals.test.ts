// What the account channel tells of positions and totals hastens the next read of the balances, at a pace.

import { describe, expect, it } from 'vitest';
import { outcomeId } from '../../../../src/domain/ids.ts';
import type { VenueMessage } from '../../../../src/domain/message.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances, EngineDriver, MARKET, settings } from '../../../support/engine-driver.ts';

const MOVED: VenueMessage = {
  ...{ kind: 'positionUpdate', marketId: MARKET },
  ...{ outcomeId: outcomeId('o'), sharesDelta: shares(5) },
};
const TOTALS: VenueMessage = { kind: 'summaryUpdate', availableBalance: usdc(990) };
/** Far beyond all that these tests take. */
const SELDOM_MS = 300_000;

function started(): EngineDriver {
  const driver = new EngineDriver();
  const base = settings();
  driver.start({ ...base, timing: { ...base.timing, balancesMs: SELDOM_MS } });
  driver.run(5_000, () => driver.answerReads([], balances()));
  return driver;
}

/** Runs on, told this every 100 ms; how often balances were read. */
function reads(driver: EngineDriver, durationMs: number, message?: VenueMessage): number {
  let count = 0;
  driver.run(durationMs, () => {
    if (message && driver.nowMs % 100 === 0) driver.tell(message);
    count += driver.sent.filter(({ kind }) => kind === 'readBalances').length;
    driver.answerReads([], balances());
  });
  return count;
}

describe('balances', () => {
  it('are read on their period where nothing is told', () => {
    expect(reads(started(), 20_000)).toBe(0);
  });

  it.each([MOVED, TOTALS])('are read soon after $kind', (message) => {
    const driver = started();
    driver.tell(message);
    expect(reads(driver, 500)).toBe(1);
  });

  it.each([MOVED, TOTALS])(
    'are read every two seconds at most, however often $kind comes',
    (message) => {
      const driver = started();
      const count = reads(driver, 20_000, message);
      expect(count).toBeGreaterThanOrEqual(9);
      expect(count).toBeLessThanOrEqual(11);
    },
  );
});
