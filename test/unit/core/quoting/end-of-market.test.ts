// When a market ends is said by its venue, and so is what time it is there.

import { expect, it } from 'vitest';
import { OVERLAY_DEFAULTS } from '../../../../src/domain/overlays.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { EngineDriver, level, listing, NO, settings, YES } from '../../../support/engine-driver.ts';

const HOUR_MS = 3_600_000;

/** A market that ends in an hour by our clock, at a venue whose clock is ahead of it by so much. */
function endingIn(offsetMs: number): EngineDriver {
  const driver = new EngineDriver();
  const markets = settings().markets.map((each) => ({ ...each, overlays: OVERLAY_DEFAULTS }));
  driver.start(settings({ markets }));
  const expiryAtMs = unixMs(driver.nowMs + HOUR_MS);
  const outcome = { kind: 'ok', value: [{ ...listing(), expiryAtMs }] } as const;
  driver.tell({ kind: 'catalogue', outcome });
  driver.tell({ kind: 'clockOffset', offsetMs, roundTripMs: 20 });
  driver.book(YES, [level(48, 500)], [level(52, 500)], -offsetMs);
  driver.book(NO, [], [], -offsetMs);
  driver.tick();
  return driver;
}

it.each([
  ['by both clocks in an hour, is quoted', 0, undefined],
  ['by the venue in a minute, is not', HOUR_MS - 60_000, 'near_expiry'],
  ['by the venue in a day, is quoted in full', -24 * HOUR_MS, undefined],
] as const)('a market that ends %s', (_, offsetMs, code) => {
  const driver = endingIn(offsetMs);
  const quantities = driver
    .placements()
    .flatMap(({ orders }) => orders.map((each) => each.quantity));
  if (code === undefined) expect(quantities).toHaveLength(2);
  else expect(driver.engine.view().markets[0]?.bidReason?.code).toBe(code);
  if (offsetMs < 0) expect(quantities).toEqual([50e6, 50e6]);
});
