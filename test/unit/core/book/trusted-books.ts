// What tests of trust in books share: a quoted market, and nothing but the doubts that a test asks for.

import type { TokenId } from '../../../../src/domain/ids.ts';
import {
  TRUST_DEFAULTS,
  type TrustSettings,
  type TrustSignal,
} from '../../../../src/domain/trust.ts';
import {
  type BookLevels,
  balances,
  EngineDriver,
  level,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

/** Every signal that nobody sends is off; a test turns on the one it is about. */
export const QUIET: TrustSettings = {
  ...TRUST_DEFAULTS,
  parityEdge: 0,
  ownOrderAuditMs: 0,
  auditsPerSec: 0,
  frameAgeMs: 0,
};

/** A market quoted around a healthy book, of which nothing has been reported yet. */
export function quoting(trust: Partial<TrustSettings> = {}, depth = 50): EngineDriver {
  const driver = new EngineDriver();
  driver.start(settings({ trust: { ...QUIET, ...trust }, book: { depth } }));
  driver.healthyBook();
  driver.tick();
  driver.acceptPlacements();
  driver.reports.length = 0;
  return driver;
}

/** Keeps everything else of the venue going while time passes. */
export function pass(driver: EngineDriver, durationMs: number, each: () => void = () => {}): void {
  driver.run(durationMs, () => {
    each();
    driver.answerReads(driver.openReports(), balances());
  });
}

/** The healthy book with so many shares at its bid. */
export function withBid(bidShares: number): (tokenId: TokenId) => BookLevels {
  const yes = { bids: [level(48, bidShares)], asks: [level(52, 500)] };
  return (tokenId) => (tokenId === YES ? yes : { bids: [], asks: [] });
}

/** The signals of all doubts so far, in order. */
export function signals(driver: EngineDriver): readonly TrustSignal[] {
  return driver.reported('book.doubt').map(({ signal }) => signal);
}
