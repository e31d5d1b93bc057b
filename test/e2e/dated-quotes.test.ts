// Quotes that die by themselves: a daemon with hundreds of them on the embedded venue, on virtual time.

import { afterEach, describe, expect, it } from 'vitest';
import { type CoreSettings, GTD_DEFAULTS } from '../../src/domain/input.ts';
import { USUAL_TIMING } from '../support/usual-timing.ts';
import { VirtualDaemon } from '../support/virtual-daemon.ts';

/** Some seconds of a processor that is ours; where many wait for each, several times as long. */
const BUSY_MS = 180_000;
const MARKETS = 20;
const LEVELS = 5;
/** Two sides of each market. */
const QUOTES = MARKETS * LEVELS * 2;

function settings(maxOpenOrders = 2 * QUOTES): CoreSettings {
  const params = { halfSpreadTicks: 3, levels: LEVELS, levelSpacingTicks: 1, size: 20 };
  return {
    markets: [{ event: 'rain', market: undefined, strategy: 'ladder', params }],
    risk: {
      maxPositionShares: 1_000,
      maxOrderNotionalUsdc: 100,
      maxOpenOrders,
      maxLossUsdc: 1_000_000,
    },
    orders: {
      timeInForce: 'GTD',
      gtd: GTD_DEFAULTS,
      priceToleranceTicks: 0,
      sizeTolerance: 0.2,
      writesPer10s: 240,
      gatherMs: 20,
      preferSell: true,
    },
    book: { depth: 50 },
    timing: USUAL_TIMING,
  };
}

let daemon: VirtualDaemon | undefined;

afterEach(() => daemon?.stop());

async function quoting(given: CoreSettings): Promise<VirtualDaemon> {
  daemon = new VirtualDaemon({ markets: MARKETS, settings: given });
  await daemon.run(15_000);
  expect(daemon.openOrders()).toBe(QUOTES);
  return daemon;
}

describe('hundreds of quotes with dates', () => {
  it(
    'are renewed within the budget, and none of them is ever missing',
    async () => {
      const running = await quoting(settings());
      const fromMs = running.clock.nowMs();
      let fewest = Number.POSITIVE_INFINITY;
      await running.run(400_000, () => {
        fewest = Math.min(fewest, running.openOrders());
      });
      const { writes, markets } = running.trader.engine.view();
      // Each runs a minute and a half to two and a quarter before it is renewed.
      expect(writes.placed?.['renew']).toBeGreaterThan(2.5 * QUOTES);
      // Nothing else was ever missing but the first quotes.
      expect((writes.placed?.['repair'] ?? 0) + (writes.placed?.['improve'] ?? 0)).toBe(QUOTES);
      expect(fewest).toBeGreaterThanOrEqual(QUOTES);
      expect(running.mostWritesIn10s(fromMs)).toBeLessThan(60);
      for (const { uptime } of markets) {
        expect(Math.min(uptime.bid.lastHour ?? 0, uptime.ask.lastHour ?? 0)).toBeGreaterThan(0.98);
      }
      // Renewals share their writes.
      const renewals = writes.placed?.['renew'] ?? 0;
      expect(renewals / running.writesAtMs.filter((at) => at >= fromMs).length).toBeGreaterThan(4);
      expect(running.broken).toEqual([]);
      expect(running.reports.filter(({ event }) => event === 'order.anomaly')).toEqual([]);
    },
    BUSY_MS,
  );

  it(
    'are gone within their lifetime when the host is',
    async () => {
      const running = await quoting(settings());
      await running.run(120_000);
      expect(running.openOrders()).toBeGreaterThanOrEqual(QUOTES);
      running.trader.end();
      await running.run(GTD_DEFAULTS.lifetimeMs / 3);
      expect(running.openOrders()).toBeGreaterThan(0);
      await running.run((GTD_DEFAULTS.lifetimeMs * 2) / 3);
      expect(running.openOrders()).toBe(0);
    },
    BUSY_MS,
  );

  it(
    'make room for one another where the limit on open orders is just their number',
    async () => {
      const running = await quoting(settings(QUOTES));
      let most = 0;
      await running.run(200_000, () => {
        most = Math.max(most, running.openOrders());
      });
      expect(most).toBeLessThanOrEqual(QUOTES);
      for (const { uptime } of running.trader.engine.view().markets) {
        expect(Math.min(uptime.bid.lastHour ?? 0, uptime.ask.lastHour ?? 0)).toBeGreaterThan(0.95);
      }
    },
    BUSY_MS,
  );
});
