// Ways to end and ways to refuse, with real processes: kill, latch, crash, second signal, preflight.

import { access, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import {
  CONTROL_TOKEN,
  LADDER,
  LiveDaemon,
  startDaemonProcess,
  writeConfig,
} from '../support/live-daemon.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { endAll, eventually, startBookend } from '../support/processes.ts';

let folder: string;
let venue: LiveVenue;

const markets = [{ event: 'rain', strategy: 'ladder', params: LADDER }];
const latchFile = () => join(folder, 'data/test.db.killed');

beforeAll(ensureBuilt, 60_000);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-e2e-'));
  venue = await LiveVenue.start(folder);
  await venue.quoteBook(venue.market('rain'), { bid: 0.4, ask: 0.6 });
  await writeConfig(folder, venue, { markets });
});

afterEach(async () => {
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

afterAll(endAll);

async function quotingDaemon(): Promise<LiveDaemon> {
  const daemon = await LiveDaemon.start(folder, venue);
  await untilOrders(4);
  return daemon;
}

async function untilOrders(count: number): Promise<void> {
  await eventually(`${count} orders on the venue`, async () =>
    (await venue.openOrders()).length === count ? true : undefined,
  );
}

async function bookend(...args: readonly string[]) {
  const run = startBookend(args, {
    cwd: folder,
    env: { ...venue.credentials(), BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN },
  });
  const { code } = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

describe('`kill` from a second process', () => {
  it('leaves no order, and a running daemon quotes nothing until it is resumed', async () => {
    const daemon = await quotingDaemon();
    const killed = await bookend('kill', '--config', 'config.yaml', '--json');
    expect(killed.code).toBe(0);
    expect(JSON.parse(killed.stdout)).toMatchObject({ kind: 'proven' });
    expect(await venue.openOrders()).toEqual([]);
    await daemon.untilPhase('killed');
    await access(latchFile());

    expect(await daemon.control('resume')).toBe(200);
    await untilOrders(4);
    await expect(access(latchFile())).rejects.toThrow('ENOENT');
  });

  it('keeps a daemon killed over a restart', async () => {
    const killed = await bookend('kill', '--config', 'config.yaml');
    expect(killed.code).toBe(0);
    const daemon = await LiveDaemon.start(folder, venue);
    await daemon.untilPhase('killed');
    // The kill of the latch may be proven before socket and balances are there.
    await expect
      .poll(async () => (await daemon.state()).notReady, { timeout: 5_000 })
      .toEqual([expect.stringContaining('killed')]);
    expect(await venue.openOrders()).toEqual([]);
    await daemon.control('resume');
    await untilOrders(4);
  });

  it('needs no daemon, and says so when a list of orders cannot be read', async () => {
    await writeConfig(folder, venue, { markets, timing: { proofDeadlineMs: 1_000 } });
    await venue.control('fault', {
      method: 'GET',
      path: '/orders',
      times: 1_000,
      action: { kind: 'failBefore', status: 503 },
    });
    const killed = await bookend('kill', '--config', 'config.yaml');
    expect(killed.code).toBe(4);
    expect(killed.stdout).toContain('NOT PROVEN');
    expect(killed.stdout).toContain('no list of open orders could be read');
  });

  it('of one market cancels that market only, without a latch', async () => {
    await writeConfig(folder, venue, { markets: [] });
    await venue.placeForDaemon(venue.market('rain').yes, 0.3);
    await venue.placeForDaemon(venue.market('race').yes, 0.2);
    const { code } = await bookend(
      'kill',
      '--config',
      'config.yaml',
      '--market',
      venue.market('rain').id,
    );
    expect(code).toBe(0);
    const left = (await venue.openOrders()).map(({ tokenId }) => tokenId);
    expect(left).toEqual([venue.market('race').yes]);
    await expect(access(latchFile())).rejects.toThrow('ENOENT');
  });
});

describe('the control route', () => {
  it('kills, proves it, and latches', async () => {
    const daemon = await quotingDaemon();
    expect(await daemon.control('kill')).toBe(200);
    expect(await venue.openOrders()).toEqual([]);
    await access(latchFile());
  });

  it('pauses and resumes', async () => {
    const daemon = await quotingDaemon();
    await daemon.control('pause');
    await untilOrders(0);
    await daemon.control('resume');
    await untilOrders(4);
    expect((await daemon.state()).phase).toBe('quoting');
  });

  it('refuses what the state of the daemon does not allow', async () => {
    const daemon = await quotingDaemon();
    await daemon.control('kill');
    expect(await daemon.control('pause')).toBe(409);
    expect((await daemon.state()).phase).toBe('killed');
  });
});

describe('the end of a daemon', () => {
  it('is clean on SIGINT too', async () => {
    const daemon = await quotingDaemon();
    daemon.process.signal('SIGINT');
    expect(await daemon.process.ended).toEqual({ code: 0, signal: null });
    expect(await venue.openOrders()).toEqual([]);
  });

  it('falls to the independent kill path on a second signal', async () => {
    const daemon = await quotingDaemon();
    // The core sees no list of orders for a while, so that its own proof is late.
    await venue.control('fault', {
      method: 'GET',
      path: '/orders',
      times: 4,
      action: { kind: 'failBefore', status: 503 },
    });
    daemon.process.signal('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    daemon.process.signal('SIGTERM');
    expect(await daemon.process.ended).toEqual({ code: 0, signal: null });
    expect(daemon.process.stderr()).toContain('SIGTERM came twice');
    expect(await venue.openOrders()).toEqual([]);
  });

  it('is reported as unproven when the venue never shows a list', async () => {
    await writeConfig(folder, venue, { markets, timing: { proofDeadlineMs: 1_000 } });
    const daemon = await quotingDaemon();
    await venue.control('fault', {
      method: 'GET',
      path: '/orders',
      times: 1_000,
      action: { kind: 'failBefore', status: 503 },
    });
    daemon.process.signal('SIGTERM');
    expect(await daemon.process.ended).toEqual({ code: 4, signal: null });
    expect(daemon.process.stdout()).toContain('STOPPED WITHOUT PROOF');
  });

  it('by force and without a guard leaves orders, which the next life removes before it quotes', async () => {
    await writeConfig(folder, venue, { markets, guard: { enabled: false } });
    const daemon = await quotingDaemon();
    const orphans = new Set((await venue.openOrders()).map(({ orderHash }) => orderHash));
    daemon.process.signal('SIGKILL');
    await daemon.process.ended;
    expect(await venue.openOrders()).toHaveLength(orphans.size);
    const next = await LiveDaemon.start(folder, venue);
    await next.untilPhase('quoting');
    await untilOrders(4);
    const hashes = (await venue.openOrders()).map(({ orderHash }) => orderHash);
    expect(hashes.filter((hash) => orphans.has(hash))).toEqual([]);
  });
});

describe('a start', () => {
  it('is refused beside a living instance on the same journal', async () => {
    const daemon = await quotingDaemon();
    const second = startDaemonProcess(folder, venue);
    expect(await second.ended).toEqual({ code: 3, signal: null });
    expect(second.stderr()).toContain('another instance holds this journal');
    expect((await daemon.state()).phase).toBe('quoting');
    expect(await venue.openOrders()).toHaveLength(4);
  });

  it('is refused with every reason when the venue is not as configured', async () => {
    await writeConfig(folder, venue, {
      markets: [
        { event: 'snow', strategy: 'ladder' },
        { event: 'race', market: 'no-such-market', strategy: 'ladder' },
      ],
    });
    const start = startDaemonProcess(folder, venue, { VENUE_API_PASSPHRASE: 'wrong' });
    expect((await start.ended).code).toBe(3);
    expect(start.stderr()).toContain('invalid_passphrase');
    expect(start.stderr()).toContain('no event snow');
    expect(start.stderr()).toContain('no market no-such-market');
    expect(await venue.openOrders()).toEqual([]);
  });

  it('is refused when the venue cannot be reached', async () => {
    await writeConfig(folder, venue, { markets, venue: { baseUrl: 'http://127.0.0.1:9/api' } });
    const start = startDaemonProcess(folder, venue);
    expect((await start.ended).code).toBe(3);
    expect(start.stderr()).toContain('cannot reach the venue');
  });

  it('is called off at once by a signal, even while the venue does not answer', async () => {
    const action = { kind: 'delayReply', ms: 8_000 };
    await venue.control('fault', { path: '/time', times: 10, action });
    const start = startDaemonProcess(folder, venue);
    await eventually(
      'the lock',
      async () => await readdir(join(folder, 'data')).catch(() => undefined),
    );
    const signalledAtMs = performance.now();
    start.signal('SIGTERM');
    expect(await start.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAtMs).toBeLessThan(4_000);
    expect(start.stdout()).toContain('nothing was placed');
    const left = await readdir(join(folder, 'data'));
    expect(left.filter((name) => name.includes('lock'))).toEqual([]);
  });

  it('is refused when the clocks are too far apart', async () => {
    await venue.control('shiftClock', { ms: 60_000 });
    const start = startDaemonProcess(folder, venue);
    expect((await start.ended).code).toBe(3);
    expect(start.stderr()).toContain('behind the venue');
  });
});
