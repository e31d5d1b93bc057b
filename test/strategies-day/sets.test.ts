// Complete sets from the split to the payout: the whole daemon against the embedded venue, over its
// REST and WebSocket, until the market is resolved and nothing but cash is left.

import { describe, expect, it } from 'vitest';
import { strategy as ladder } from '../../strategies/ladder.ts';
import { runDay } from './day.ts';
import { LINEUP, type Runner } from './lineup.ts';

const PATIENCE_MS = 60_000;

const runner: Runner = {
  strategy: ladder as unknown as Runner['strategy'],
  params: { size: 20, levels: 2, halfSpreadTicks: 1 },
  tickSize: '0.01',
  markets: 1,
  sets: { mode: 'on', workingMin: 60, workingMax: 80, changeMin: 10, pauseMs: 60_000 },
};

describe('a market from its first set to its resolution', () => {
  it.each([1, 3])(
    'leaves nothing but cash, and as much as the daemon says it earned (seed %i)',
    async (seed) => {
      const result = await runDay({
        runner,
        crowd: 'calm',
        seed,
        hours: 0.2,
        resolvesAfterMs: 6 * 60_000,
      });
      expect(result.violations).toEqual([]);
      expect(result.failures).toEqual([]);
      expect(result.chain[0]).toBe('split');
      // Once after the end, and never again: the payout is confirmed.
      expect(result.chain.filter((action) => action === 'redeem')).toHaveLength(1);
      expect(result.fills).toBeGreaterThan(0);
      const { cashChangeUsdc, feesUsdc, pnlUsdc, shares } = result.end;
      expect(shares).toEqual([0, 0]);
      // The daemon counts what it took at its own prices, and a taker may get a better one.
      const better = cashChangeUsdc - (pnlUsdc - feesUsdc);
      expect(better).toBeGreaterThanOrEqual(-1e-6);
      expect(better).toBeLessThanOrEqual(0.03 * result.takenShares + 1e-6);
    },
    PATIENCE_MS,
  );

  it(
    'merges what set-arb collects, so that its limit never fills',
    async () => {
      const arb = LINEUP.find(({ strategy }) => strategy.takes === true);
      if (arb === undefined) throw new Error('nobody takes');
      const result = await runDay({ runner: arb, crowd: 'calm', seed: 3, hours: 0.4 });
      expect(result.violations).toEqual([]);
      expect(new Set(result.chain)).toEqual(new Set(['merge']));
      expect(result.chain.length).toBeGreaterThan(2);
      expect(Math.max(...result.end.shares)).toBeLessThan(100);
      expect(result.end.pnlUsdc - result.end.feesUsdc).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});
