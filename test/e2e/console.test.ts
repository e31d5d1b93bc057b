// The console in a browser, as an operator has it: against a running daemon, and with a thousand markets whose
// every text is hostile.

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { stringify } from 'yaml';
import {
  findings,
  HAS_CHROMIUM,
  launchBrowser,
  logIn,
  openPage,
  order,
  untilText,
} from '../support/browser.ts';
import { ensureBuilt } from '../support/build.ts';
import { HOSTILE_SHOWN, shownDesk, TOKEN, VIEW_TOKEN } from '../support/hostile-desk.ts';
import { CONTROL_TOKEN, LADDER, LiveDaemon, startDaemonProcess } from '../support/live-daemon.ts';
import { eventually, ROOT, startBookend } from '../support/processes.ts';
import { it, sceneTest } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

let browser: Browser;

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await ensureBuilt();
  browser = await launchBrowser();
});

afterAll(async () => await browser?.close());

/** The daemon previews once a second. */
const PREVIEW_GAP_MS = 1_100;

describe.skipIf(!HAS_CHROMIUM)('the console of a running daemon', () => {
  it('edits the parameters of a market that a filter has chosen, where the filter stands', async ({
    scene,
    expect,
  }) => {
    await scene.venue.quoteBook(scene.venue.market('rain'), { bid: 0.4, ask: 0.6 });
    await scene.configure({
      markets: [{ select: { search: 'rain' }, strategy: 'ladder', params: LADDER }],
    });
    const daemon = await LiveDaemon.of(startDaemonProcess(scene.folder, scene.venue));
    await daemon.untilResting(4);
    const look = await openPage(browser, daemon.address);
    await logIn(look, CONTROL_TOKEN);
    await untilText(look, '#link', 'live');
    await look.page.click('#edit-params');
    await untilText(look, '#edit-title', 'Parameters of ladder');
    await untilText(look, '#edit-text', 'all markets of select search=rain');
    await look.page.getByLabel('size', { exact: true }).fill('40');
    await look.page.keyboard.press('Enter');
    await untilText(look, '#edit-said', 'rain size: 50 → 40');
    expect(look.complaints).toEqual([]);
  });

  it('shows the quotes; pauses, resumes and kills, also while its stream is dead', async ({
    scene,
    expect,
  }) => {
    const daemon = await scene.quoting();
    const look = await openPage(browser, daemon.address);
    const { page, complaints } = look;
    await page.fill('#token', 'not-the-token');
    await page.click('#login-form button');
    await untilText(look, '#login-error', 'This is not the control token');
    await logIn(look, CONTROL_TOKEN);

    await untilText(look, '#link', 'live');
    await untilText(look, '#phase', 'quoting');
    const [market] = (await daemon.state()).markets;
    await untilText(look, '#market-title', market?.title ?? 'a market');
    const own = page.locator('#ladder .own-bid td.own.bid, #ladder .own-ask td.own.ask');
    await eventually('four own quotes', async () => ((await own.count()) === 4 ? true : undefined));
    expect(new Set(await own.allTextContents())).toEqual(new Set(['50']));
    const [ladderRoom = 0, ladderWide] = await page.evaluate<readonly number[]>(LADDER_WIDTHS);
    expect(ladderWide).toBeLessThanOrEqual(ladderRoom);
    for (const text of ['Trading state', 'active', 'Kill horizon', 'Writes, 10 s']) {
      await untilText(look, '#figures', text);
    }
    await untilText(look, '#detail', /side\s*price\s*shares\s*ahead\s*rests for/);
    await order(look, 'p');
    await untilText(look, '#said', 'pause: done');
    await untilText(look, '#phase', 'paused');
    await scene.untilOpen(0);
    await eventually('an empty ladder', async () => ((await own.count()) === 0 ? true : undefined));
    await untilText(look, '#detail', 'paused');
    await untilText(look, '#events', 'order=pause by=console 127.0.0.1');
    await order(look, 'r');
    await untilText(look, '#phase', 'quoting');
    await scene.untilOpen(4);

    await order(look, async () => await page.click('#market-pause'));
    await untilText(look, '#said', `pause of ${market?.title}: done`);
    await untilText(look, '#detail', 'operator_paused');
    await scene.untilOpen(0);
    expect((await daemon.state()).phase).toBe('quoting');
    await order(look, async () => await page.click('#market-kill'));
    await untilText(look, '#said', 'confirmed, no order of ours is left there');
    await untilText(look, '#latches', 'killed by console 127.0.0.1');
    await order(look, async () => await page.click('#market-resume'));
    await untilText(look, '#said', `resume of ${market?.title}: done`);
    await scene.untilOpen(4);

    // A changed parameter: seen first, then written where it stands, on record, and quoted with.
    const file = join(scene.folder, 'config.yaml');
    const known = stringify(JSON.parse(await readFile(file, 'utf8')));
    const mine = `# mine\n${known}`.replace('size: 50', 'size: 50      # shares');
    await writeFile(file, mine);
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await page.click('#edit-params');
    await untilText(look, '#edit-title', 'Parameters of ladder');
    await field('size').fill('40');
    expect(await page.locator('#edit-yes').isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await untilText(look, '#edit-said', 'rain size: 50 → 40');
    await untilText(look, '#edit-said', /asks: 0\.\d+×50 0\.\d+×50 → 0\.\d+×40 0\.\d+×40/);
    expect(await readFile(file, 'utf8')).toBe(mine);
    await page.click('#edit-yes');
    await untilText(look, '#edit-said', 'Written: markets[0].params.size: 50 → 40');
    expect(await readFile(file, 'utf8')).toBe(mine.replace('size: 50 ', 'size: 40 '));
    expect(await readFile(`${file}.bak`, 'utf8')).toBe(mine);
    await untilText(look, '#events', 'action=edit');
    await untilText(look, '#events', 'markets[0].params.size: 50 → 40');
    await eventually('quotes of 40', async () =>
      (await own.allTextContents()).join() === '40,40,40,40' ? true : undefined,
    );
    // What somebody saves meanwhile is shown, and not written over; what is wrong is refused with what is right.
    const theirs = (await readFile(file, 'utf8')).replace('levels: 2', 'levels: 1');
    await writeFile(file, theirs);
    await page.waitForTimeout(PREVIEW_GAP_MS);
    await field('size').fill('45');
    await page.keyboard.press('Enter');
    await untilText(look, '#edit-said', 'levels was 2, is 1 now');
    await page.waitForTimeout(PREVIEW_GAP_MS);
    await field('levels').fill('99');
    await page.keyboard.press('Enter');
    await untilText(look, '#edit-said', 'markets[0].params.levels: must be a whole number');
    expect(await page.locator('#edit-yes').isDisabled()).toBe(true);
    expect(await readFile(file, 'utf8')).toBe(theirs);
    await page.keyboard.press('Escape');
    await scene.untilOpen(2);

    await page.route('**/api/stream', async (route) => await route.abort());
    await page.reload();
    await untilText(look, '#link', 'stream dead');
    await untilText(look, '#alarms', 'Stream dead');
    await order(look, 'Shift+K');
    await untilText(look, '#said', 'kill: confirmed, no order is left');
    // The account is asked for by itself then.
    await untilText(look, '#phase', 'killed');
    expect(await scene.venue.openOrders()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** A settlement takes 15 to 20 s, as it does on the real venue. */
const settlingIt = sceneTest({ timeScale: 1 });

describe.skipIf(!HAS_CHROMIUM)('a fill on the console of a running daemon', () => {
  settlingIt(
    'waits for the chain with its age, earns its parts of the profit, and is judged after 10 s',
    async ({ scene, expect }) => {
      const daemon = await scene.quoting();
      const look = await openPage(browser, daemon.address);
      await logIn(look, CONTROL_TOKEN);
      await untilText(look, '#link', 'live');
      const [bid] = (await daemon.state()).markets[0]?.ownBids ?? [];
      const { no } = scene.venue.market('rain');
      const price = Number((1 - Number(bid?.price)).toFixed(2));
      await scene.venue.place({ tokenId: no, side: 'BUY', price, shares: 50 });
      await untilText(look, '#detail', /matched, not settled\s*shares\s*for\s*YES\s*\+50\s*\d+/);
      await untilText(look, '#detail', /fair ± 1 dev\.\s*0\.\d+ – 0\.\d+/);
      await untilText(look, '#detail', /spread earned\s*[+−]?\d+\.\d\d/);
      await untilText(look, '#detail', /prices since\s*[+−]?\d+\.\d\d/);
      await untilText(look, '#detail', /BUY YES\s*0\.\d\d\s*50\s*—/);
      await untilText(look, '#detail', /BUY YES\s*0\.\d\d\s*50\s*[+−-]?0\.\d\d\d/);
      const [room = 0, wide] = await look.page.evaluate<readonly number[]>(DETAIL_WIDTHS);
      expect(wide).toBeLessThanOrEqual(room);
      const { markets } = await daemon.state();
      const { pnlUsdc, pnlParts } = markets[0] ?? {};
      const parts = Object.values(pnlParts ?? {}).map(Number);
      expect(parts).toHaveLength(3);
      expect(parts.reduce((sum, each) => sum + each, 0)).toBeCloseTo(Number(pnlUsdc), 5);
      expect(await findings(look)).toEqual([]);
      expect(look.complaints).toEqual([]);
    },
  );
});

/** Run in the page, whose words are not those of Node. */
const LONGEST_TASK = `new Promise((resolve) => {
  let longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: 'longtask' });
  setTimeout(() => resolve(longest), 1_500);
})`;
const FORM_WIDTHS = `((form) => [form.clientWidth, form.scrollWidth])(document.querySelector('#edit'))`;
const LADDER_WIDTHS = `((box) => [box.clientWidth, box.scrollWidth])(document.querySelector('.ladder-box'))`;
const DETAIL_WIDTHS = `((detail) => [detail.clientWidth, detail.scrollWidth])(document.querySelector('#detail'))`;
const WIDTHS = `((page) => [page.clientWidth, page.scrollWidth])(document.documentElement)`;

describe.skipIf(!HAS_CHROMIUM)('the console with a thousand hostile markets', () => {
  it('shows every text as text, draws what is in sight, and is usable by key', async ({
    expect,
  }) => {
    const desk = await shownDesk(1_000);
    const look = await openPage(browser, desk.address);
    const { page, complaints } = look;
    await logIn(look, TOKEN);
    await untilText(look, '#markets-count', '1000');
    expect(await page.locator('.row').count()).toBeLessThan(60);
    await untilText(look, '#market-title', HOSTILE_SHOWN);
    await untilText(look, '#phase-reason', HOSTILE_SHOWN);
    await untilText(look, '#events', HOSTILE_SHOWN);
    await untilText(look, '#latches', HOSTILE_SHOWN);
    await untilText(look, '#alarms', HOSTILE_SHOWN);
    await untilText(look, '#detail', HOSTILE_SHOWN);
    expect(await page.locator('#desk img, #desk script, #desk b[onclick]').count()).toBe(0);

    // A page that draws everything anew takes longer than a few frames for it.
    const longestMs = await page.evaluate<number>(LONGEST_TASK);
    expect(longestMs).toBeLessThan(400);

    await page.keyboard.press('j');
    await untilText(look, '#market-title', 'No 1 ');
    await page.keyboard.press('/');
    await page.keyboard.type('no 777');
    await untilText(look, '#markets-count', '1 of 1000');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await untilText(look, '#keys[open]', 'next market');
    await page.keyboard.press('Escape');
    // Titles may be alike: what is asked for names the one that is meant.
    await page.click('#market-kill');
    await untilText(look, '#confirm-text', '(m1): All orders there are cancelled');
    await page.keyboard.press('Escape');
    expect(await findings(look)).toEqual([]);
    desk.say('stuck');
    await untilText(look, '#alarms', 'The trader does not turn');
    expect(await page.evaluate(() => Reflect.get(globalThis, 'wasHit'))).toBeUndefined();
    expect(complaints).toEqual([]);
    await desk.end();
  });

  it('shows whoever may only look nothing that acts, and names the role', async ({ expect }) => {
    const desk = await shownDesk(1);
    const look = await openPage(browser, desk.address);
    const { page, complaints } = look;
    await logIn(look, VIEW_TOKEN);
    await untilText(look, '#market-title', HOSTILE_SHOWN);
    await untilText(look, '#role', 'view only');
    for (const name of [
      'pause',
      'resume',
      'kill',
      'market-pause',
      'market-kill',
      'edit-params',
      'edit-limits',
    ]) {
      expect(await page.locator(`#${name}`).isVisible()).toBe(false);
    }
    await page.keyboard.press('Shift+K');
    await page.keyboard.press('Shift+E');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    expect(await findings(look)).toEqual([]);
    expect(complaints).toEqual([]);
    await desk.end();
  });

  it('says why a change is not written, and keeps what was typed', async ({ expect }) => {
    const desk = await shownDesk(1);
    const look = await openPage(browser, desk.address);
    await logIn(look, TOKEN);
    await untilText(look, '#market-title', HOSTILE_SHOWN);
    await look.page.click('#edit-params');
    await look.page.locator('#edit-field-1').fill('4');
    await look.page.keyboard.press('Enter');
    await untilText(look, '#edit-said', 'would be held by');
    const refused = look.page.waitForResponse((response) => response.status() === 409);
    await look.page.click('#edit-yes');
    await refused;
    await look.page.waitForTimeout(500);
    expect(await look.page.locator('#edit-said').textContent()).toBe(HOSTILE_SHOWN);
    expect(await look.page.locator('#edit-field-1').inputValue()).toBe('4');
    expect(look.complaints).toEqual([]);
    await desk.end();
  });

  it.for(['dark', 'light'] as const)(
    'fits a telephone, %s, and axe finds nothing',
    async (scheme, { expect }) => {
      const desk = await shownDesk(3);
      const look = await openPage(browser, desk.address, { width: 360, height: 740, scheme });
      expect(await findings(look)).toEqual([]);
      await logIn(look, TOKEN);
      await untilText(look, '#link', 'live');
      await untilText(look, '#market-title', HOSTILE_SHOWN);
      const [inner, scrolled] = await look.page.evaluate<readonly number[]>(WIDTHS);
      expect(scrolled).toBe(inner);
      expect(await findings(look)).toEqual([]);
      await look.page.keyboard.press('Shift+E');
      await untilText(look, '#edit-text', HOSTILE_SHOWN);
      await look.page.locator('#edit-field-1').fill('4');
      await look.page.keyboard.press('Enter');
      await untilText(look, '#edit-said', `would be held by ${HOSTILE_SHOWN}`);
      expect(await look.page.locator('#edit img, #edit script, #edit b').count()).toBe(0);
      const [formInner, formScrolled] = await look.page.evaluate<readonly number[]>(FORM_WIDTHS);
      expect(formScrolled).toBe(formInner);
      expect(await findings(look)).toEqual([]);
      expect(look.complaints).toEqual([]);
      await desk.end();
    },
  );
});

const SHOTS = process.env['CONSOLE_SHOTS'] === '1';
const SHOT_BYTES_MAX = 150_000;
const SHOT = { width: 1320, height: 800 };
const SHOT_QUALITY = 68;

describe.skipIf(!HAS_CHROMIUM || !SHOTS)('the pictures of the README', () => {
  it('are of a daemon on paper that has quoted for two minutes', async ({ scene, expect }) => {
    const config = await readFile(join(ROOT, 'config/paper.yaml'), 'utf8');
    const own = config.replace('port: 9464', 'port: 0').replace('port: 8787', 'port: 0');
    await writeFile(join(scene.folder, 'paper.yaml'), own);
    const paper = startBookend(['paper', '--config', 'paper.yaml'], { cwd: scene.folder });
    const address = await eventually(
      'the daemon',
      () => /\bhttp=(http:\S+)/.exec(paper.stderr())?.[1],
    );
    const token = (await readFile(join(scene.folder, 'data/paper.db.token'), 'utf8')).trim();
    await new Promise((resolve) => setTimeout(resolve, 120_000));
    for (const scheme of ['dark', 'light'] as const) {
      const look = await openPage(browser, address, { ...SHOT, scheme });
      await logIn(look, token);
      await untilText(look, '#link', 'live');
      await look.page.waitForSelector('#chart-pnl canvas');
      await look.page.waitForTimeout(1_500);
      const path = join(ROOT, `ops/console-${scheme}.jpg`);
      await look.page.screenshot({ path, type: 'jpeg', quality: SHOT_QUALITY });
      expect((await stat(path)).size).toBeLessThan(SHOT_BYTES_MAX);
    }
  });
});
