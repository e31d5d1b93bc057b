// Above a limit an order may go that does not worsen the worst case; what may not be there is no room.

import { describe, expect, it } from 'vitest';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { PlaceOutcome } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { EngineDriver, reportOf, settings, YES } from '../../support/engine-driver.ts';

const within = (maxLossUsdc: number): CoreSettings =>
  settings({ risk: { ...settings().risk, maxLossUsdc } });

const REFUSED: PlaceOutcome = {
  kind: 'refused',
  refusal: { code: 'invalid_price', message: 'x', httpStatus: 422, retryAfterMs: undefined },
};
const UNKNOWN: PlaceOutcome = { kind: 'unknown', cause: 'timeout', detail: 'no answer' };

/**
 * The bid is refused; of the ask, which may lose 24 USDC, this is said. Then less is allowed, and the venue
 * does not cancel what rests.
 */
function asking(ask: PlaceOutcome): EngineDriver {
  const driver = new EngineDriver();
  const resting: OrderReport[] = [];
  driver.start(within(60));
  driver.healthyBook();
  driver.tick();
  for (const { requestId, orders } of driver.placements()) {
    const asked = orders.find(({ tokenId }) => tokenId !== YES);
    if (asked && ask.kind === 'accepted') resting.push(reportOf(ask.orderHash, asked));
    const outcomes = orders.map(({ intentId, tokenId }) => ({
      intentId,
      outcome: tokenId === YES ? REFUSED : ask,
    }));
    driver.tell({ kind: 'placed', requestId, outcomes });
  }
  driver.settings(within(20));
  for (let second = 0; second < 10; second += 1) {
    driver.healthyBook();
    driver.run(1_000, () => {
      if (resting.length === 0) return;
      driver.answerCancels(resting.map(({ orderHash }) => orderHash));
      driver.answerReads(resting);
    });
  }
  return driver;
}

const placed = (driver: EngineDriver) =>
  driver.placements().flatMap(({ orders }) => orders.map(({ tokenId }) => tokenId));

describe('a bid that may lose as much as an ask, above the limit', () => {
  it('goes beside an ask that rests', () => {
    const driver = asking({ kind: 'accepted', orderHash: '0xaa' as never });
    expect(placed(driver)).toContain(YES);
  });

  it('does not go beside one that may never have arrived', () => {
    const driver = asking(UNKNOWN);
    expect(placed(driver)).toEqual([]);
    expect(driver.reported('risk.refused').map(({ limit }) => limit)).toContain('max_loss_usdc');
  });
});
