import { describe, expect, it } from 'vitest';
import type { TokenId } from '../../../../src/domain/ids.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { TRUST_DEFAULTS, type TrustSettings } from '../../../../src/domain/trust.ts';
import {
  balances,
  EngineDriver,
  GRID,
  level,
  NO,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

/** Only the signal that a test is about speaks. */
const QUIET: TrustSettings = {
  ...TRUST_DEFAULTS,
  silenceFactor: 0,
  parityEdge: 0,
  canaryMs: 0,
  refusals: 0,
  auditsPerSec: 0,
  frameAgeMs: 0,
};

function quoting(trust: Partial<TrustSettings>): EngineDriver {
  const driver = new EngineDriver();
  driver.start(settings({ trust: { ...QUIET, ...trust } }));
  driver.healthyBook();
  driver.tick();
  driver.acceptPlacements();
  driver.reports.length = 0;
  return driver;
}

function pass(driver: EngineDriver, durationMs: number, each: () => void = () => {}): void {
  driver.run(durationMs, () => {
    each();
    driver.answerReads(driver.openReports(), balances());
  });
}

function bid(driver: EngineDriver, tokenId: TokenId, price: number, size: number): void {
  driver.tell({
    kind: 'bookDelta',
    tokenId,
    side: 'bid',
    price: ticks(GRID, price),
    size: shares(size),
    venueTs: unixMs(driver.nowMs),
  });
}

/** A doubt of another origin, and the snapshot that ends it some time later. */
function illness(driver: EngineDriver, durationMs: number, heal: () => void): void {
  for (const tokenId of [YES, NO]) {
    driver.tell({ kind: 'bookUnreadable', tokenId, detail: 'half a frame' });
  }
  pass(driver, durationMs);
  heal();
  driver.reports.length = 0;
}

function signals(driver: EngineDriver): readonly string[] {
  return driver.reported('book.doubt').map((each) => each.signal);
}

/** Answers audits of YES; how many there were. */
function answerAudits(driver: EngineDriver, bidShares: number): number {
  let answered = 0;
  for (const { requestId, tokenId } of driver.take('readBook')) {
    const isYes = tokenId === YES;
    if (isYes) answered += 1;
    const value = {
      bids: isYes ? [level(48, bidShares)] : [],
      asks: isYes ? [level(52, 500)] : [],
    };
    const askedAtMs = unixMs(driver.nowMs);
    const outcome = { kind: 'ok', value } as const;
    driver.tell({ kind: 'bookRead', requestId, tokenId, askedAtMs, outcome });
  }
  return answered;
}

describe('what was noticed before a fresh baseline', () => {
  it('parity: counts no time from before it', () => {
    const driver = quoting({ parityEdge: 0.03, parityMs: 2_000 });
    bid(driver, NO, 57, 100);
    pass(driver, 1_000);
    expect(signals(driver)).toEqual([]);
    illness(driver, 2_000, () => driver.healthyBook());
    bid(driver, NO, 57, 100);
    pass(driver, 1_000);
    expect(signals(driver)).toEqual([]);
    pass(driver, 2_000);
    expect(signals(driver)).toEqual(['parity', 'parity']);
  });

  it('audit: a difference found then is not the first of two', () => {
    const driver = quoting({ auditsPerSec: 1, auditAgeMs: 500 });
    let dissents = 0;
    while (dissents === 0) {
      pass(driver, 50, () => {
        dissents += answerAudits(driver, 499);
      });
    }
    pass(driver, 600);
    expect(signals(driver)).toEqual([]);
    illness(driver, 200, () => driver.healthyBook());
    dissents = 0;
    while (dissents === 0) {
      pass(driver, 50, () => {
        dissents += answerAudits(driver, 499);
      });
    }
    pass(driver, 600);
    expect(signals(driver)).toEqual([]);
  });
});
