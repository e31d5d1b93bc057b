// A snapshot is held to its stamp as a delta is. What the stamp means is not said: when the snapshot was sent, or when a
// quiet market last changed. REST tells one from the other.

import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../src/domain/time.ts';
import {
  balances,
  EngineDriver,
  level,
  NO,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { pass, QUIET, quoting, signals, withBid } from './trusted-books.ts';

const AGE_MS_MAX = 5_000;
const MINUTE_MS = 60_000;

/** A daemon that knows the venue's clock and has no book yet. */
function beforeFirstBook(): EngineDriver {
  const driver = new EngineDriver();
  driver.start(settings({ trust: { ...QUIET, frameAgeMs: AGE_MS_MAX } }));
  driver.tell({ kind: 'clockOffset', offsetMs: 2_000, roundTripMs: 1 });
  driver.book(NO, [], []);
  return driver;
}

function yesState(driver: EngineDriver): string | undefined {
  const states = driver.reported('book.state').filter(({ tokenId }) => tokenId === YES);
  return states.at(-1)?.state;
}

describe('a snapshot that is older than a delta may be', () => {
  it('is not quoted from', () => {
    const driver = beforeFirstBook();
    driver.book(YES, [level(48, 500)], [level(52, 500)], MINUTE_MS);
    pass(driver, 2_000);
    expect(yesState(driver)).toBe('resyncing');
    expect(driver.placements()).toEqual([]);
  });

  it.each([
    { agoMs: AGE_MS_MAX - 2_000, state: 'trusted' },
    { agoMs: AGE_MS_MAX - 1_999, state: 'resyncing' },
  ])('is judged by the clock of the venue: $agoMs ms ago by ours is $state', ({ agoMs, state }) => {
    const driver = beforeFirstBook();
    driver.book(YES, [level(48, 500)], [level(52, 500)], agoMs);
    expect(yesState(driver)).toBe(state);
  });

  it('is quoted from at once where REST shows the same: the market was only quiet', () => {
    const driver = beforeFirstBook();
    driver.book(YES, [level(48, 500)], [level(52, 500)], MINUTE_MS);
    driver.tick();
    expect(driver.answerBooks(withBid(500))).toEqual([YES]);
    expect(yesState(driver)).toBe('trusted');
    driver.tick();
    expect(driver.placements().length).toBeGreaterThan(0);
  });

  it('is not quoted from where REST shows another book, and the next one is asked for', () => {
    const driver = beforeFirstBook();
    driver.book(YES, [level(48, 500)], [level(52, 500)], MINUTE_MS);
    driver.tick();
    driver.answerBooks(withBid(400));
    driver.tick();
    expect(driver.take('readBook')).toEqual([]);
    pass(driver, 8_000);
    expect(yesState(driver)).toBe('resyncing');
    expect(driver.placements()).toEqual([]);
    expect(driver.take('resubscribe').length).toBeGreaterThan(0);
    driver.book(YES, [level(48, 400)], [level(52, 500)]);
    expect(yesState(driver)).toBe('trusted');
  });

  it('is asked about again with the next one, where REST did not answer', () => {
    const driver = beforeFirstBook();
    driver.book(YES, [level(48, 500)], [level(52, 500)], MINUTE_MS);
    driver.tick();
    for (const { requestId, tokenId } of driver.take('readBook')) {
      const outcome = { kind: 'unknown', cause: 'timeout', detail: '' } as const;
      const askedAtMs = unixMs(driver.nowMs);
      driver.tell({ kind: 'bookRead', requestId, tokenId, askedAtMs, outcome });
    }
    pass(driver, 4_000);
    driver.book(YES, [level(48, 500)], [level(52, 500)], MINUTE_MS + 4_000);
    driver.tick();
    expect(driver.answerBooks(withBid(500))).toEqual([YES]);
    expect(yesState(driver)).toBe('trusted');
  });

  it('takes the quotes of a book that was trusted, and gives it back with the next one', () => {
    const driver = quoting({ frameAgeMs: AGE_MS_MAX, clockBackMs: MINUTE_MS });
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 1 });
    driver.book(YES, [level(40, 500)], [level(44, 500)], AGE_MS_MAX + 1);
    expect(signals(driver)).toEqual(['age']);
    driver.tick();
    expect(driver.answerCancels()).toHaveLength(2);
    expect(driver.take('resubscribe')).toHaveLength(1);
    driver.healthyBook();
    expect(yesState(driver)).toBe('trusted');
  });

  it.each([
    { offsetMs: -45_000, asked: 1, clock: 'another one' },
    { offsetMs: 500, asked: 0, clock: 'the same' },
  ])('is asked for anew once the clock is measured anew, and is $clock', ({ offsetMs, asked }) => {
    const driver = quoting({ frameAgeMs: AGE_MS_MAX, clockBackMs: MINUTE_MS });
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 1 });
    driver.bid(YES, level(47, 5), 45_000);
    expect(signals(driver)).toEqual(['age']);
    driver.tick();
    expect(driver.take('resubscribe')).toHaveLength(1);
    driver.book(YES, [level(40, 500)], [level(44, 500)], 45_000);
    driver.tick();
    driver.answerBooks(withBid(400));
    pass(driver, 1_000);
    expect(driver.take('resubscribe')).toEqual([]);
    driver.tell({ kind: 'clockOffset', offsetMs, roundTripMs: 1 });
    driver.tick();
    expect(driver.take('resubscribe')).toHaveLength(asked);
  });

  it('is no doubt where the clock of the venue was set back: its stamps went back with it', () => {
    const driver = quoting({ frameAgeMs: AGE_MS_MAX });
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 1 });
    driver.bid(YES, level(47, 5));
    driver.tell({ kind: 'clockOffset', offsetMs: -45_000, roundTripMs: 1 });
    driver.bid(YES, level(47, 7), 45_000);
    driver.book(YES, [level(40, 500)], [level(44, 500)], 44_900);
    expect(signals(driver)).toEqual([]);
    driver.bid(YES, level(39, 7), 60_000);
    expect(signals(driver)).not.toEqual([]);
  });

  it('is nothing where it says what a trusted book says: a venue may repeat what did not change', () => {
    const driver = quoting({ frameAgeMs: AGE_MS_MAX });
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 1 });
    pass(driver, 8_000);
    driver.book(YES, [level(48, 500)], [level(52, 500)], 8_000);
    driver.tick();
    expect(signals(driver)).toEqual([]);
    expect(driver.answerCancels()).toEqual([]);
  });
});

describe('a snapshot that is stamped before the last frame of its book', () => {
  it('is in doubt where no clock is known', () => {
    const driver = quoting();
    pass(driver, 3_000);
    driver.bid(YES, level(47, 5));
    driver.book(YES, [level(40, 500)], [level(44, 500)], 3_000);
    expect(signals(driver)).toEqual(['clock']);
    driver.tick();
    expect(driver.answerCancels()).toHaveLength(2);
    driver.answerReads(driver.openReports(), balances());
    const shown = { bids: [level(40, 500)], asks: [level(44, 500)] };
    expect(driver.answerBooks(() => shown)).toEqual([YES]);
    expect(yesState(driver)).toBe('trusted');
  });
});
