// The console over what happens around it: sessions that begin anew in another window, controls that hold quotes back,
// markets that are gone, and figures of one market that nobody has.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  HAS_CHROMIUM,
  launchBrowser,
  logIn,
  openPage,
  order,
  untilText,
} from '../support/browser.ts';
import { shownDesk, TOKEN } from '../support/hostile-desk.ts';
import { marketView, stateView } from '../unit/telemetry/views.ts';

vi.setConfig({ testTimeout: 90_000 });

let browser: Browser;
beforeAll(async () => {
  if (HAS_CHROMIUM) browser = await launchBrowser();
});
afterAll(async () => await browser?.close());

function head(over: object) {
  const { markets: _, ...rest } = stateView();
  const json = JSON.stringify({ ...rest, atMs: Date.now(), ...over });
  return { kind: 'head', json } as const;
}

function market(id: string) {
  const json = JSON.stringify({ ...marketView('rain'), marketId: id, title: `Title of ${id}` });
  return { kind: 'market', marketId: id, json } as const;
}

const ORDER = { kind: 'order', marketIds: ['m0', 'm1'] } as const;

async function opened(count: number) {
  const desk = await shownDesk(count);
  const look = await openPage(browser, desk.address);
  await logIn(look, TOKEN);
  await untilText(look, '#link', 'live');
  return { desk, look, page: look.page };
}

describe.skipIf(!HAS_CHROMIUM)('a console that stays open', () => {
  it('kills by the session that another window has begun since', async () => {
    const { desk, look, page } = await opened(1);
    const other = { page: await page.context().newPage(), complaints: [] };
    await other.page.goto(desk.address);
    await untilText(other, '#link', 'live');
    await page.click('#logout');
    await logIn(look, TOKEN);
    await order(other, 'Shift+K');
    await untilText(other, '#said', 'kill: done');
    expect(await other.page.textContent('#link')).toBe('live');
    await desk.end();
  });

  it('offers a resume while a control holds quotes back, and says that a file is not in force', async () => {
    const { desk, look, page } = await opened(1);
    const latch = {
      ...{ owner: 'automatic:session_loss', scope: 'account', level: 'reduce-only' },
      ...{ detail: '10 USDC lost', sinceMs: Date.now(), clears: 'bookend resume' },
    };
    const risk = (latches: readonly object[]) => ({ level: 'reduce-only', latches, controls: [] });
    desk.only(head({ phase: 'quoting', risk: risk([latch]) }));
    await page.waitForSelector('#resume:not([disabled])');
    const at = new Date().toISOString();
    const refusedEdit = { file: 'my.yaml', at, problems: ['risk: must be a map'] };
    desk.only(head({ phase: 'quoting', risk: risk([]), refusedEdit }));
    await page.waitForSelector('#resume[disabled]');
    await untilText(look, '#alarms', 'not in force');
    expect(await page.textContent('#alarms')).toContain('risk: must be a map');
    await desk.end();
  });

  it('shows no market that is gone, and the chosen one again once a daemon names it', async () => {
    const { desk, look, page } = await opened(1);
    desk.only(head({}), ORDER, market('m0'), market('m1'));
    await untilText(look, '#markets-count', '2');
    await page.keyboard.press('j');
    await untilText(look, '#market-title', 'Title of m1');
    desk.only({ kind: 'order', marketIds: [] });
    await untilText(look, '#markets-count', '0');
    await page.locator('#ladder').waitFor({ state: 'hidden' });
    await page.locator('#market-title').waitFor({ state: 'hidden' });
    desk.only(ORDER, market('m0'), market('m1'));
    await page.locator('#ladder').waitFor({ state: 'visible' });
    expect(await page.textContent('#market-title')).toBe('Title of m1');
    await desk.end();
  });

  it('draws no chart of another market where nothing is kept of the one that is shown', async () => {
    const { desk, look, page } = await opened(2);
    const drawn = async () =>
      await page.evaluate<string>(`document.querySelector('#chart-net canvas').toDataURL()`);
    await page.waitForSelector('#chart-net canvas');
    // Two points make a line.
    await page.waitForTimeout(11_000);
    const first = await drawn();
    await page.route('**/api/history?market=m1', async (route) => {
      await route.fulfill({ status: 404, body: '{"error":"no history of such a market"}' });
    });
    await page.keyboard.press('j');
    await untilText(look, '#market-title', 'No 1 ');
    await vi.waitFor(async () => expect(await drawn()).not.toBe(first), { timeout: 10_000 });
    expect(look.complaints).toEqual([]);
    await desk.end();
  });
});
