// When a market ends is said by its venue, and so is what time it is: there, and for what people have dated.

import { describe, expect, it } from 'vitest';
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

describe('a clock of ours that was set back while the daemon ran, and goes on an hour ahead', () => {
  const aheadMs = HOUR_MS;

  function quotedAt(change: (nowMs: number) => Partial<typeof OVERLAY_DEFAULTS>) {
    const driver = new EngineDriver();
    const trueMs = driver.nowMs - aheadMs;
    const overlays = { ...OVERLAY_DEFAULTS, ...change(trueMs) };
    driver.start(settings({ markets: settings().markets.map((each) => ({ ...each, overlays })) }));
    driver.tell({ kind: 'clockOffset', offsetMs: -aheadMs, roundTripMs: 20 });
    driver.book(YES, [level(48, 500)], [level(52, 500)], aheadMs);
    driver.book(NO, [], [], aheadMs);
    driver.tick();
    return driver.engine.view().markets[0]?.bidReason?.code;
  }

  it.each([
    ['of now', 0, 'news_window'],
    ['of an hour from now, which is now by our clock', HOUR_MS, 'in_flight'],
  ])('quotes by no window of the calendar but one %s', (_, fromNowMs, code) => {
    const window = (nowMs: number) => ({
      name: 'vote',
      fromMs: unixMs(nowMs + fromNowMs - 600_000),
      toMs: unixMs(nowMs + fromNowMs + 600_000),
    });
    const reason = quotedAt((nowMs) => ({
      news: { ...OVERLAY_DEFAULTS.news, windows: [window(nowMs)] },
    }));
    expect(reason).toBe(code);
  });

  it('keeps the quiet hours of now', () => {
    const reason = quotedAt((nowMs) => {
      const fromMinute = Math.floor(nowMs / 60_000) % 1_440;
      const hours = [{ fromMinute, toMinute: (fromMinute + 10) % 1_440 }];
      return { quiet: { ...OVERLAY_DEFAULTS.quiet, hours } };
    });
    expect(reason).toBe('quiet_hours');
  });
});
