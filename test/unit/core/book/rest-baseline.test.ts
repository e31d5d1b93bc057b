import { describe, expect, it } from 'vitest';
import type { Level } from '../../../../src/domain/message.ts';
import { TRUST_DEFAULTS } from '../../../../src/domain/trust.ts';
import { balances, EngineDriver, level, settings, YES } from '../../../support/engine-driver.ts';

/** REST may be this much older than the question. */
const AGE_MS = 1_000;

/** A venue whose deltas flow and whose snapshots do not come, with a REST that lags behind. */
class LaggingVenue {
  readonly driver = new EngineDriver();
  readonly #past: { readonly atMs: number; readonly bids: readonly Level[] }[] = [];
  #bestBid = 48;
  #isAsked = false;

  constructor() {
    const trust = { ...TRUST_DEFAULTS, ownOrderAuditMs: 0, auditsPerSec: 0, auditAgeMs: AGE_MS };
    this.driver.start(settings({ trust }));
    this.driver.healthyBook();
    this.driver.tick();
    this.driver.acceptPlacements();
    this.driver.reports.length = 0;
    this.driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'half a frame' });
  }

  /** The best bid moves until the question is asked; from then on only a level far below does. */
  pass(durationMs: number): void {
    this.driver.run(durationMs, () => {
      const { nowMs } = this.driver;
      if (this.driver.sent.some(({ kind }) => kind === 'readBook')) this.#isAsked = true;
      if (!this.#isAsked) this.#move(30 + (Math.floor(nowMs / 50) % 19));
      this.#tell(20, 1 + (nowMs % 997));
      this.#past.push({ atMs: nowMs, bids: [level(this.#bestBid, 500)] });
      this.#answer();
    });
  }

  get bestBid(): string {
    return `0.${this.#bestBid}`;
  }

  #move(price: number): void {
    this.#tell(this.#bestBid, 0);
    this.#bestBid = price;
    this.#tell(price, 500);
  }

  #tell(price: number, size: number): void {
    this.driver.bid(YES, level(price, size));
  }

  #answer(): void {
    const { driver } = this;
    driver.answerReads(driver.openReports(), balances());
    driver.answerBooks(() => {
      const old = this.#past.findLast(({ atMs }) => atMs <= driver.nowMs - AGE_MS + 50);
      return { bids: old?.bids ?? [], asks: [level(52, 500)] };
    });
  }
}

describe('a book over REST that is older than the question', () => {
  it('misses no change when it becomes the baseline', () => {
    const venue = new LaggingVenue();
    const yes = () => venue.driver.engine.view().markets[0];
    for (let left = 60; left > 0 && yes()?.bookStates.yes !== 'trusted'; left -= 1) venue.pass(500);
    expect(yes()?.bookStates.yes).toBe('trusted');
    expect(venue.driver.reported('book.resynced')).toMatchObject([{ by: 'rest' }]);
    expect(yes()?.bestBid).toBe(venue.bestBid);
  });
});
