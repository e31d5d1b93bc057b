// Debian's Chromium for tests of the console. Where there is none, those tests say loudly that they skip.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
export const HAS_CHROMIUM = existsSync(CHROMIUM);
if (!HAS_CHROMIUM) {
  console.warn(
    `SKIPPED: there is no ${CHROMIUM}, so nobody looks at the console (apt-get install chromium)`,
  );
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export type Looked = {
  readonly page: Page;
  /** Errors of scripts and of the policy, and requests to any other host. */
  readonly complaints: readonly string[];
};

export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A page of a window of its own, which keeps no session of another. */
export async function openPage(
  browser: Browser,
  address: string,
  look: {
    readonly width?: number;
    readonly height?: number;
    readonly scheme?: 'dark' | 'light';
  } = {},
): Promise<Looked> {
  const { width = 1440, height = 900, scheme = 'dark' } = look;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    // Of answers that say no the tests speak themselves.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) complaints.push(`asks ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    complaints.push(`opens a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.setDefaultTimeout(30_000);
  await page.goto(address);
  return { page, complaints };
}

export async function logIn({ page }: Looked, token: string): Promise<void> {
  await page.fill('#token', token);
  await page.click('#login-form button');
  await page.waitForSelector('#desk:not([hidden])');
}

/** A key, or what else is done, and the confirmation that it asks for. */
export async function order(
  { page }: Looked,
  asking: string | (() => Promise<void>),
): Promise<void> {
  if (typeof asking === 'string') await page.keyboard.press(asking);
  else await asking();
  await page.waitForSelector('#confirm[open]');
  await page.keyboard.press('Enter');
}

export async function untilText(
  { page }: Looked,
  selector: string,
  text: string | RegExp,
): Promise<void> {
  await page.locator(selector, { hasText: text }).waitFor();
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, of any weight. */
export async function findings({ page }: Looked): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return await page.evaluate(async () => {
    const { violations } = await Reflect.get(globalThis, 'axe').run();
    return violations.map(
      (each: { id: string; nodes: { html: string; failureSummary: string }[] }) => {
        const [node] = each.nodes;
        return `${each.id}: ${node?.html} ${node?.failureSummary}`;
      },
    );
  });
}
