// A daemon that runs and its file, edited: `check --against-running` says what an edit would do, and that it does not;
// one that is broken keeps nobody from looking.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { ensureBuilt } from '../support/build.ts';
import { CONTROL_TOKEN, LADDER, LiveDaemon, writeConfig } from '../support/live-daemon.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { endAll, startBookend } from '../support/processes.ts';

// Each command is a program that starts, where others do too.
vi.setConfig({ testTimeout: 90_000 });

let folder: string;
let venue: LiveVenue;
let daemon: LiveDaemon;

beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'bookend-e2e-preview-'));
  venue = await LiveVenue.start();
  await venue.quoteBook(venue.market('rain'), { bid: 0.4, ask: 0.6 });
  await writeConfig(folder, venue, { markets: [rain()] });
  daemon = await LiveDaemon.start(folder, venue);
  await daemon.until('quotes', ({ markets }) =>
    markets[0]?.ownBids.length === 2 && markets[0].ownAsks.length === 2 ? true : undefined,
  );
});

afterAll(async () => {
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

const rain = (params: object = {}) => ({
  event: 'rain',
  strategy: 'ladder',
  params: { ...LADDER, ...params },
});

/** Changes the text of the configuration, in a file of its own. */
async function changed(change: (config: Record<string, unknown>) => object): Promise<void> {
  const config = JSON.parse(await readFile(join(folder, 'config.yaml'), 'utf8'));
  await writeFile(join(folder, 'next.yaml'), JSON.stringify({ ...config, ...change(config) }));
}

async function check(...more: readonly string[]) {
  // The daemon allows one preview a second.
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  const args = ['check', '--config', 'next.yaml', '--against-running', ...more];
  const env = { BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN };
  const process = startBookend(args, { cwd: folder, env });
  const { code } = await process.ended;
  return { code, stdout: process.stdout(), stderr: process.stderr() };
}

describe('check --against-running', () => {
  it('says which limits, parameters and quotes would change, and changes none', async () => {
    await changed(() => ({
      markets: [rain({ halfSpreadTicks: 3 })],
      risk: { maxPositionShares: 1_000, maxLossUsdc: 900 },
    }));
    const before = await venue.openOrders();
    const { code, stdout } = await check('--at', daemon.address);
    expect(code).toBe(0);
    expect(stdout).toContain('risk.maxLossUsdc: 2000 → 900');
    expect(stdout).toContain('rain ladder.halfSpreadTicks: 2 → 3 (counts at the next requote)');
    expect(stdout).toMatch(/bids: 0\.48×50 0\.47×50 → 0\.47×50 0\.46×50/);
    expect(stdout).toMatch(/asks: 0\.52×50 0\.53×50 → 0\.53×50 0\.54×50/);
    expect(await venue.openOrders()).toEqual(before);
  });

  it('prints the same as JSON, with what needs a restart', async () => {
    await changed(() => ({ logging: { format: 'text' } }));
    const { code, stdout } = await check('--at', daemon.address, '--json');
    expect(code).toBe(0);
    const { valid, preview } = JSON.parse(stdout);
    expect(valid).toBe(true);
    expect(preview).toMatchObject({ kind: 'previewed', params: [], limits: [] });
    expect(preview.needsRestart).toEqual([
      { path: 'logging.format', before: 'json', after: 'text' },
    ]);
    expect(preview.versionAfter).toBe(preview.versionNow);
  });

  it('gives a wrong file the problems that `check` gives it, and exit 2', async () => {
    await changed(() => ({ markets: [rain({ levels: -1 })] }));
    const { code, stderr } = await check('--at', daemon.address);
    expect(code).toBe(2);
    expect(stderr).toContain('markets[0].params.levels');
  });

  it('says that no daemon answers, and exits 1', async () => {
    await changed(() => ({}));
    const { code, stderr } = await check('--at', 'http://127.0.0.1:9');
    expect(code).toBe(1);
    expect(stderr).toContain('no daemon answers at http://127.0.0.1:9');
  });

  it('is answered by the daemon once a second, and not for what is no configuration', async () => {
    const ask = async (body: object) => await daemon.ask('api/preview', body);
    const config = await readFile(join(folder, 'config.yaml'), 'utf8');
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const both = await Promise.all([ask({ config }), ask({ config })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 429]);
    expect((await ask({})).status).toBe(400);
  });
});

describe('a broken edit on disk', () => {
  const file = () => join(folder, 'config.yaml');

  it('keeps nobody from `status`, which names the problem and says what is in force', async () => {
    const whole = JSON.parse(await readFile(file(), 'utf8'));
    const port = Number(new URL(daemon.address).port);
    const text = stringify({ ...whole, http: { ...whole.http, port } });
    // As an editor saves it in the middle of a line.
    await writeFile(file(), text.replace('strategy: ladder', 'strategy ladder'));
    await daemon.until('the refusal', (state) => state.refusedEdit);
    const env = { BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN };
    const status = startBookend(['status', '--config', 'config.yaml'], { cwd: folder, env });
    expect((await status.ended).code).toBe(0);
    expect(status.stdout()).toMatch(
      /THE LAST EDIT OF \S*config\.yaml WAS REFUSED, and the one before/,
    );
    expect(status.stdout()).toContain('0.48×50');
    await writeFile(file(), JSON.stringify(whole));
  });
});

describe('a file .env in the folder of the start', () => {
  it('is read, and what the environment has set stays', async () => {
    await writeFile(join(folder, '.env'), 'VENUE_API_KEY=from-the-file\nVENUE_API_SECRET=s\n');
    const { code, stderr } = await startedCheck({});
    expect(code).toBe(2);
    expect(stderr).toContain('VENUE_API_PASSPHRASE');
    await writeFile(join(folder, '.env'), 'VENUE_BASE_URL=ftp://of.the.file\n');
    expect((await startedCheck({})).stderr).toContain('ftp://of.the.file');
    const own = await startedCheck({ VENUE_BASE_URL: 'http://127.0.0.1:7/of-the-environment/api' });
    expect([own.code, own.stdout]).toEqual([0, expect.stringContaining('of-the-environment')]);
    await rm(join(folder, '.env'));
  });

  async function startedCheck(env: Readonly<Record<string, string>>) {
    const started = startBookend(['check', '--config', 'config.yaml'], { cwd: folder, env });
    const { code } = await started.ended;
    return { code, stdout: started.stdout(), stderr: started.stderr() };
  }
});
