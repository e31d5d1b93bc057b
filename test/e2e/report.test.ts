// The page of a day in a browser, opened from a file: its charts are drawn, and nothing of others runs.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dayReport } from '../../src/app/look-back/day.ts';
import { backtestPage } from '../../src/backtest/page.ts';
import type { Point } from '../../src/backtest/result.ts';
import { Series } from '../../src/backtest/series.ts';
import { dayPage } from '../../src/cli/report-page.ts';
import { findings, HAS_CHROMIUM, launchBrowser, openPage } from '../support/browser.ts';
import { HOSTILE, hostileDay } from '../support/past-day.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { runIn, synthetic } from '../unit/backtest/support.ts';

describe.skipIf(!HAS_CHROMIUM)('the report of a day in a browser', () => {
  it('draws its charts under a policy that lets nothing else run', async () => {
    const { past, fills, ...of } = hostileDay();
    const report = dayReport({ ...of, fills, past, isRunning: false });
    const texts = { journal: HOSTILE, version: HOSTILE, uncertain: [HOSTILE] };
    const file = join(tempFolder('report'), 'day.html');
    writeFileSync(file, await dayPage({ report, fills, past, ...texts }));
    const browser = await launchBrowser();
    try {
      const looked = await openPage(browser, `file://${file}`);
      await looked.page.waitForSelector('canvas');
      expect(await looked.page.locator('.uplot').count()).toBe(4);
      expect(await looked.page.title()).toBe('bookend 2026-11-23');
      expect(looked.complaints).toEqual([]);
      expect(await findings(looked)).toEqual([]);
      const picture = process.env['REPORT_PICTURE'];
      if (picture !== undefined) await looked.page.screenshot({ path: picture, fullPage: true });
    } finally {
      await browser.close();
    }
  });
});

describe.skipIf(!HAS_CHROMIUM)('the page of a backtest in a browser', () => {
  it('draws prices, inventory and profit of every run, and asks nobody for anything', async () => {
    const results = [await runIn(synthetic('calm', 0.05)), await runIn(synthetic('jumpy', 0.05))];
    const file = join(tempFolder('backtest'), 'report.html');
    const runs = results.map((result, at) => {
      const of = { world: 'both', strategy: `rule ${at + 1}` };
      return { name: `run ${at + 1}`, result, of };
    });
    writeFileSync(file, await backtestPage(runs));
    const browser = await launchBrowser();
    try {
      const looked = await openPage(browser, `file://${file}`);
      await looked.page.waitForSelector('canvas');
      expect(await looked.page.locator('h2').allTextContents()).toEqual([
        ...['Compared', 'run 1', 'run 2'],
      ]);
      // A line and a band of each rule, drawn where they can be seen.
      for (const each of ['polyline', 'polygon']) {
        expect(await looked.page.locator(`svg ${each}`).count()).toBe(2);
      }
      const box = await looked.page.locator('svg polyline').first().boundingBox();
      expect(box?.width).toBeGreaterThan(300);
      // Prices, net shares, profit and the way of the market after fills, of every market that was filled.
      const filled = results.flatMap(({ markets }) => markets).filter(({ fills }) => fills > 0);
      expect(filled.length).toBeGreaterThan(0);
      expect(await looked.page.locator('.uplot').count()).toBe(4 * filled.length);
      // The last one of a market begins at the fill, and has lines of sides and places in the queue.
      const legend = looked.page.locator('.charts').first().locator('.uplot').last();
      const names = await legend.locator('.u-legend th').allTextContents();
      const [side, place] = [/^(?:bids|asks)$/, /^ahead: /].map((name) =>
        expect.stringMatching(name),
      );
      expect(names).toEqual(expect.arrayContaining(['after', side, place]));
      expect(looked.complaints).toEqual([]);
      const picture = process.env['BACKTEST_PICTURE'];
      if (picture !== undefined) await looked.page.screenshot({ path: picture, fullPage: true });
    } finally {
      await browser.close();
    }
  });

  it('draws a run of a million points, thinned from its first to its last', async () => {
    const result = await runIn(synthetic('calm', 0.05));
    const count = 1_000_000;
    const series = new Series<Point>();
    for (let at = 0; at < count; at += 1) {
      const wave = Math.sin(at / 50_000);
      series.add(() => ({
        ...{ atMs: result.fromMs + at * 100, netShares: 100 * wave, pnlUsdc: at / 1_000 },
        ...{ middle: 0.5 + 0.1 * wave, bid: 0.49 + 0.1 * wave, ask: 0.51 + 0.1 * wave },
      }));
    }
    const points = series.all();
    expect(points.length).toBeLessThan(5_000);
    expect(points.at(-1)?.atMs).toBeGreaterThan(result.fromMs + 0.999 * count * 100);
    const markets = result.markets.map((market) => ({ ...market, fills: 1, points }));
    const file = join(tempFolder('million'), 'report.html');
    writeFileSync(file, await backtestPage([{ name: 'long', result: { ...result, markets } }]));
    const browser = await launchBrowser();
    try {
      const looked = await openPage(browser, `file://${file}`);
      await looked.page.waitForSelector('canvas');
      expect(await looked.page.locator('.uplot').count()).toBe(4);
      expect(looked.complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
