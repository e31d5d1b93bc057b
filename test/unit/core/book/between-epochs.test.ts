import { describe, expect, it } from 'vitest';
import { type EngineDriver, level, NO, YES } from '../../../support/engine-driver.ts';
import { pass, quoting, signals, withBid } from './trusted-books.ts';

/** A doubt of another origin, and the snapshot that ends it some time later. */
function illness(driver: EngineDriver, durationMs: number, resync: () => void): void {
  for (const tokenId of [YES, NO]) {
    driver.tell({ kind: 'bookUnreadable', tokenId, detail: 'half a frame' });
  }
  pass(driver, durationMs);
  resync();
  driver.reports.length = 0;
}

/** Answers audits of YES; how many there were. */
function answerAudits(driver: EngineDriver, bidShares: number): number {
  return driver.answerBooks(withBid(bidShares)).filter((tokenId) => tokenId === YES).length;
}

describe('what was noticed before a fresh baseline', () => {
  it('parity: counts no time from before it', () => {
    const driver = quoting({ parityEdge: 0.03, parityMs: 2_000 });
    driver.bid(NO, level(57, 100));
    pass(driver, 1_000);
    expect(signals(driver)).toEqual([]);
    illness(driver, 2_000, () => driver.healthyBook());
    driver.bid(NO, level(57, 100));
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
