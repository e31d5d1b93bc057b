// A day as it was written down, with texts that want to be more than text.

import type { DayOf } from '../../src/app/look-back/day.ts';
import { fillKey } from '../../src/app/look-back/past-days.ts';
import { intentId, marketId, tokenId } from '../../src/domain/ids.ts';
import type { StoredFill } from '../../src/domain/record.ts';
import { shares } from '../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import type { DayLineOf } from '../../src/journal/days/day-line.ts';

export const FROM_MS = Date.parse('2026-11-23T00:00:00Z');
export const DAY_MS = 86_400_000;
export const HOSTILE = '</script><img src=x onerror="document.title=\'owned\'">\u202e&amp;';

export function sampleAt(
  atMs: number,
  of: { readonly countedMs: number; readonly quotedMs: number; readonly ordersPlaced: number },
): DayLineOf<'sample'> {
  const { countedMs, quotedMs, ordersPlaced } = of;
  const side = { countedMs, quotedMs, excludedMs: { venue: 60_000 } };
  const middle = 0.5 + 0.1 * Math.sin(atMs / 4e6);
  const ask = { ...side, reason: 'position_limit' };
  return {
    ...{ kind: 'sample', atMs, phase: 'quoting', pnlUsdc: 1.5, ordersPlaced },
    ...{ writesUsed: 12, writesMax: 60 },
    markets: [{ marketId: 'm-1', middle, net: 20, pnlUsdc: 1.5, bid: side, ask }],
  };
}

function event(atMs: number, name: string, severity: string): DayLineOf<'event'> {
  return { kind: 'event', atMs, event: name, severity, fields: { detail: HOSTILE, count: 3 } };
}

/** Its samples, three fills, a halt, an operator, and two reads that failed. */
export function hostileDay(): Omit<DayOf, 'isRunning'> {
  const fills = [1, 2, 3].map(
    (count): StoredFill => ({
      ...{ intentId: intentId(`i-${count}`), marketId: marketId('m-1'), tokenId: tokenId('0x01') },
      ...{ side: count === 2 ? 'SELL' : 'BUY', price: ticks(tickGrid('0.01'), 47 + count) },
      ...{ ticksPerUnit: 100, quantity: shares(10), executedAfter: shares(10) },
      ...{ cashNano: -4_800_000_000, atMs: unixMs(FROM_MS + count * 3_600_000) },
    }),
  );
  const noted = fills.map((fill) => {
    const { intentId: id, executedAfter, atMs } = fill;
    const line = { kind: 'fill', atMs, intentId: id, executedAfter, marketId: 'm-1' } as const;
    return [fillKey(fill), { line: { ...line, isYes: true, middle: 0.5 }, later: [0.49] }] as const;
  });
  const samples = Array.from({ length: 60 }, (_, index) => {
    const atMs = FROM_MS + (index + 1) * 600_000;
    const figures = { countedMs: index * 600_000, quotedMs: index * 500_000 };
    return sampleAt(atMs, { ...figures, ordersPlaced: index * 10 });
  });
  const facts = { marketId: 'm-1', title: HOSTILE, strategy: HOSTILE };
  const tokens = { yesTokenId: '0x01', noTokenId: '0x02' };
  return {
    ...{ fromMs: FROM_MS, toMs: FROM_MS + DAY_MS, fills },
    past: {
      fills: new Map(noted),
      ...{ busts: new Map(), legs: new Map([['0x01', true]]), middles: new Map([['m-1', 0.52]]) },
      markets: new Map([['m-1', { kind: 'market', atMs: FROM_MS, ...facts, ...tokens }]]),
      course: [
        { kind: 'run', atMs: FROM_MS, version: HOSTILE },
        event(FROM_MS + 1_000, 'venue.read_failed', 'warn'),
        event(FROM_MS + 2_000, 'venue.read_failed', 'warn'),
        event(FROM_MS + 3_000, 'risk.halted', 'error'),
        event(FROM_MS + 4_000, 'operator.order', 'warn'),
        ...samples,
      ],
    },
  };
}
