// A day as figures and as a page: what it adds up, and that no text of others gets onto the page as anything else.

import { describe, expect, it } from 'vitest';
import { dayReport, uptimeOf } from '../../../src/app/look-back/day.ts';
import { dayPage } from '../../../src/cli/report-page.ts';
import { DAY_MS, FROM_MS, HOSTILE, hostileDay, sampleAt } from '../../support/past-day.ts';

const HOUR_MS = 3_600_000;

describe('the report of a day', () => {
  it('counts the uptime of the day alone, over runs that began before it and in it', () => {
    const { past } = hostileDay();
    const course = [
      sampleAt(FROM_MS + 20, { countedMs: 5 * HOUR_MS, quotedMs: HOUR_MS, ordersPlaced: 100 }),
      sampleAt(FROM_MS + HOUR_MS, {
        countedMs: 6 * HOUR_MS,
        quotedMs: 2 * HOUR_MS,
        ordersPlaced: 150,
      }),
      { kind: 'run', atMs: FROM_MS + 2 * HOUR_MS, version: '1' } as const,
      sampleAt(FROM_MS + 5 * HOUR_MS, {
        countedMs: 3 * HOUR_MS,
        quotedMs: HOUR_MS,
        ordersPlaced: 7,
      }),
      { kind: 'end', atMs: FROM_MS + 5 * HOUR_MS + 9 } as const,
      // The next day's is not of this one.
      sampleAt(FROM_MS + DAY_MS + 60_000, {
        countedMs: 9 * HOUR_MS,
        quotedMs: 0,
        ordersPlaced: 900,
      }),
    ];
    const of = { fromMs: FROM_MS, toMs: FROM_MS + DAY_MS, fills: [], isRunning: false };
    const report = dayReport({ ...of, past: { ...past, course } });
    const [market] = report.presence;
    expect(uptimeOf(market ? [market.bid] : [])).toBe(0.5);
    expect(market?.ask.reasons).toEqual({ position_limit: 2 });
    expect(report.ordersPlaced).toBe(57);
    expect(report.runs).toEqual([
      { fromMs: undefined, toMs: FROM_MS + HOUR_MS, isCut: true },
      { fromMs: FROM_MS + 2 * HOUR_MS, toMs: FROM_MS + 5 * HOUR_MS + 9, isCut: false },
    ]);
  });

  it('lists what stopped quotes, and counts what only warned', () => {
    const report = dayReport({ ...hostileDay(), isRunning: true });
    expect(report.incidents.map(({ event }) => event)).toEqual(['risk.halted', 'operator.order']);
    expect(report.warnings).toEqual({
      'venue.read_failed': 2,
      'risk.halted': 1,
      'operator.order': 1,
    });
    expect(report.runs).toEqual([{ fromMs: FROM_MS, toMs: undefined, isCut: false }]);
  });
});

describe('its page', () => {
  it('shows every text of others as text, and asks no other host', async () => {
    const { past, fills, ...of } = hostileDay();
    const report = dayReport({ ...of, fills, past, isRunning: false });
    const texts = { journal: HOSTILE, version: HOSTILE, uncertain: [HOSTILE] };
    const html = await dayPage({ report, fills, past, ...texts });
    expect(html.split('&lt;img src=x').length).toBeGreaterThan(8);
    expect(html).not.toContain('<img');
    expect(html).not.toContain('\u202e');
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html).not.toMatch(/(?:src|href)="?https?:/);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toContain('unsafe');
  });
});
