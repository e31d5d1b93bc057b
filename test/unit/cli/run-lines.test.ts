// What the end of a run says.

import { describe, expect, it } from 'vitest';
import { EarnedTally } from '../../../src/app/look-back/earned.ts';
import { fillKey } from '../../../src/app/look-back/past-days.ts';
import { pnlLines } from '../../../src/cli/pnl.ts';
import { runLines } from '../../../src/cli/run-lines.ts';
import type { UptimeView } from '../../../src/domain/view.ts';
import { hostileDay } from '../../support/past-day.ts';
import { marketView } from '../telemetry/views.ts';

const NONE = { strategy: 0, limit: 0, operator: 0, venue: 0, market: 0 };

function uptime(countedMs: number, sinceStart: number | undefined): UptimeView {
  return { countedMs, sinceStart, lastHour: undefined, excludedMs: NONE };
}

function earned() {
  const { fills, past } = hostileDay();
  const tally = new EarnedTally();
  for (const fill of fills) {
    tally.add(fill, { micro: fill.quantity, isYes: true, noted: past.fills.get(fillKey(fill)) });
  }
  return tally.earned(past);
}

function ended(bid: UptimeView, ask: UptimeView) {
  const markets = [{ ...marketView('rain'), uptime: { bid, ask } }];
  return { earned, daemon: { view: () => ({ markets }) } };
}

describe('the end of a run', () => {
  it('says how much of the time was quoted, by side, and what was earned in parts', () => {
    const lines = runLines(ended(uptime(3_600_000, 0.9), uptime(1_800_000, 0.6)), {
      withEarned: true,
    });
    expect(lines[0]).toBe('quoted 80.0 % of 1 h 0 min: bids 90.0 %, asks 60.0 %');
    expect(lines[1]).toMatch(/^MARKET +FILLS +USDC +SPREAD/);
    expect(lines[2]).toMatch(/ 3 +0\.30 +0\.10 +-0\.10/);
  });

  it('says that nothing was to be quoted, and leaves the money to whoever knows better', () => {
    const none = uptime(0, undefined);
    expect(runLines(ended(none, none), { withEarned: false })).toEqual([
      'nothing was to be quoted',
    ]);
  });
});

describe('what was taken', () => {
  it('is said to count at the price of its order, which the venue may have bettered', () => {
    const { fills, past } = hostileDay();
    const [fill] = fills;
    if (fill === undefined) throw new Error('the day has fills');
    const said = 'took, or may have: they count at the prices of their orders';
    const textOf = (aheadMicro: number | undefined): string => {
      const noted = past.fills.get(fillKey(fill));
      if (noted === undefined) throw new Error('the day has noted its fills');
      const line = { ...noted.line, aheadMicro };
      const tally = new EarnedTally();
      tally.add(fill, { micro: fill.quantity, isYes: true, noted: { ...noted, line } });
      return pnlLines(tally.earned(past)).join('\n');
    };
    expect(textOf(undefined)).toContain(`10.00 shares ${said}`);
    expect(textOf(0)).not.toContain(said);
  });
});

describe('what failed on the chain after it was counted', () => {
  it('is taken back at its price', () => {
    const { fills, past } = hostileDay();
    const [fill] = fills;
    if (fill === undefined) throw new Error('the day has fills');
    const tally = new EarnedTally();
    tally.add(fill, { micro: fill.quantity, isYes: true, noted: past.fills.get(fillKey(fill)) });
    tally.takeBack({ ...fill, leg: 'yes' }, fill.quantity);
    const { markets, total } = tally.earned(past);
    expect(total.pnlUsdc).toBeCloseTo(0);
    expect(markets).toMatchObject([{ netShares: 0, bustShares: 10 }]);
  });
});
