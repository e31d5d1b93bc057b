import { describe, expect, it } from 'vitest';
import { TRUST_DEFAULTS } from '../../../../src/domain/trust.ts';
import { quantile } from '../../../support/feed/account.ts';
import { FAULT_KINDS } from '../../../support/feed/fault-kinds.ts';
import { FeedWorld } from '../../../support/feed/feed-world.ts';

/** Each of eight tokens is audited every four seconds; the benchmark measures other paces too. */
const TRUST = { ...TRUST_DEFAULTS, auditsPerSec: 2, ownOrderAuditMs: 0 };
const HOUR_MS = 3_600_000;
/** Those that notice such faults; a stamp that runs back by so much is too old as well. */
const SIGNALS = ['age', 'audit', 'crossed', 'unreadable'];
/** A longer one by `INJECTION_HOURS=10 npx vitest run test/unit/core/book/injection.test.ts`. */
const HOURS = Number(process.env['INJECTION_HOURS'] ?? 1.5);

describe('a feed that goes wrong', () => {
  it(
    'is noticed each time it matters, is resynced, and nothing else is suspected',
    () => {
      const world = new FeedWorld({ markets: 4, seed: 11, trust: TRUST, faultEveryMs: 5_000 });
      world.run(HOURS * HOUR_MS);
      const { account } = world;
      expect(account.injected).toBeGreaterThan(HOURS * 600);
      expect(account.byKind.size).toBe(FAULT_KINDS.length);
      for (const figures of account.byKind.values()) {
        // A fault is in one of three ends; at most one of each token is still under way.
        const ended = figures.detectedMs.length + figures.passed + figures.harmless;
        expect(figures.injected - ended).toBeLessThanOrEqual(8);
        expect(Math.max(0, ...figures.detectedMs)).toBeLessThan(30_000);
      }
      // An audit finds all of them in the end: what has a signal of its own must not wait for that.
      for (const kind of ['unreadable', 'oldStamp'] as const) {
        expect(Math.max(...account.of(kind).detectedMs)).toBeLessThan(250);
      }
      expect([...account.bySignal.keys()].sort()).toEqual(SIGNALS);
      expect(quantile(account.resyncTookMs, 0.99)).toBeLessThan(1_000);
      expect(account.falseAlarms).toBe(0);
    },
    30_000 + HOURS * 60_000,
  );

  it('comes right in the end: every book is trusted and is what the venue shows', () => {
    const trust = { ...TRUST, auditsPerSec: 8 };
    const world = new FeedWorld({ markets: 4, seed: 3, trust, faultEveryMs: 2_000 });
    world.run(120_000);
    world.stopFaults();
    world.run(60_000);
    expect(world.states().every((state) => state === 'trusted')).toBe(true);
    expect(world.areAllRight).toBe(true);
  });

  it('never raises a doubt while nothing is wrong', () => {
    const world = new FeedWorld({ markets: 4, seed: 8, trust: TRUST });
    world.run(600_000);
    expect([...world.account.falseBySignal]).toEqual([]);
  });
});
