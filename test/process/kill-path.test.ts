// The kill path where several things happen at once: real processes, judged by what the venue says.

import { execFile } from 'node:child_process';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StateView } from '../../src/domain/view.ts';
import { ensureBuilt } from '../support/build.ts';
import {
  CONTROL_TOKEN,
  type DaemonConfig,
  LADDER,
  LiveDaemon,
  writeConfig,
} from '../support/live-daemon.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { endAll, eventually, startBookend } from '../support/processes.ts';

const folders: string[] = [];

beforeAll(ensureBuilt, 60_000);

afterAll(async () => {
  await endAll();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Load on the machine is no failure. */
const PATIENT = { withinMs: 30_000 } as const;

type Scene = { readonly folder: string; readonly venue: LiveVenue; readonly daemon: LiveDaemon };

/** A guarded daemon with its four quotes, on a venue of its own. */
async function scene(config: Partial<DaemonConfig> = {}): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'bookend-kill-path-'));
  folders.push(folder);
  const venue = await LiveVenue.start(folder);
  await venue.quoteBook(venue.market('rain'), { bid: 0.4, ask: 0.6 });
  const markets = [{ event: 'rain', strategy: 'ladder', params: LADDER }];
  await writeConfig(folder, venue, { markets, ...config });
  const daemon = await LiveDaemon.start(folder, venue);
  await untilQuoting(daemon);
  return { folder, venue, daemon };
}

/** Between two lives nobody answers. */
async function untilState(
  { daemon }: Pick<Scene, 'daemon'>,
  what: string,
  isSo: (state: StateView) => boolean,
): Promise<void> {
  const said = daemon.process.stderr;
  const look = async () => {
    const state = await daemon.state().catch(() => undefined);
    return state !== undefined && isSo(state) ? true : undefined;
  };
  await eventually(what, look, { ...PATIENT, said });
}

async function untilQuoting(daemon: LiveDaemon): Promise<void> {
  await untilState({ daemon }, 'all quotes', ({ ordersByState }) => ordersByState.resting === 4);
}

async function untilOpen({ venue, daemon }: Scene, count: number): Promise<void> {
  await eventually(
    `${count} open orders`,
    async () => ((await venue.openOrders()).length === count ? true : undefined),
    { ...PATIENT, said: daemon.process.stderr },
  );
}

async function untilSaid({ daemon }: Scene, text: string): Promise<void> {
  const said = daemon.process.stderr;
  await eventually(text, () => (said().includes(text) ? true : undefined), { ...PATIENT, said });
}

function traderPids({ daemon }: Scene): readonly number[] {
  const started = /guard\.trader_started","life":\d+,"pid":(\d+)/g;
  return [...daemon.process.stderr().matchAll(started)].map(([, pid]) => Number(pid));
}

function traderPid(of: Scene): number {
  return traderPids(of).at(-1) ?? 0;
}

function bookend({ folder, venue }: Scene, ...args: readonly string[]) {
  return startBookend([...args, '--config', 'config.yaml', '--json'], {
    cwd: folder,
    env: { ...venue.credentials(), BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN },
  });
}

async function keysOf({ venue }: Scene): Promise<readonly string[]> {
  return (await venue.openOrders()).map(
    ({ tokenId, side, price }) => `${tokenId} ${side} ${price}`,
  );
}

async function limitFiles(pid: number, bytes: string): Promise<void> {
  await promisify(execFile)('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

const mayLimit = await promisify(execFile)('prlimit', ['--version']).then(
  () => process.platform === 'linux',
  () => false,
);

describe.concurrent('a kill', () => {
  it('beside a guard whose trader dies before it has heard of it holds over the next life', async () => {
    // Stopped, so that it cannot place anew what the kill has cancelled: that would have to be waited for.
    const at = await scene({ guard: { silenceMs: 30_000 } });
    process.kill(traderPid(at), 'SIGSTOP');
    const killing = bookend(at, 'kill');
    await eventually('the latch', async () => {
      const file = join(at.folder, 'data/test.db.killed');
      return await access(file).then(
        () => true,
        () => undefined,
      );
    });
    process.kill(traderPid(at), 'SIGKILL');
    await untilSaid(at, 'guard.restarting');
    await untilState(at, 'the latched life', ({ phase }) => phase === 'killed');
    expect((await killing.ended).code).toBe(0);
    expect(JSON.parse(killing.stdout())).toMatchObject({ kind: 'proven' });
    expect(await at.venue.openOrders()).toEqual([]);
    expect(at.daemon.process.stderr().match(/"event":"kill\.proven"/g)).toHaveLength(1);
    expect(traderPids(at)).toHaveLength(2);
    expect(await at.daemon.control('resume')).toBe(200);
    await untilOpen(at, 4);
    expect(new Set(await keysOf(at)).size).toBe(4);
  }, 90_000);

  it('while a split is under way leaves no order, and the split is made once', async () => {
    const at = await scene();
    const { id } = at.venue.market('rain');
    await at.venue.control('fault', {
      method: 'POST',
      path: '/positions/split',
      times: 1,
      action: { kind: 'delayReply', ms: 1_500 },
    });
    const headers = {
      authorization: `Bearer ${CONTROL_TOKEN}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ id: 'one', action: 'split', market: id, amount: '20' });
    await fetch(`${at.daemon.address}/control/sets`, { method: 'POST', headers, body });
    expect(await at.daemon.control('kill')).toBe(200);
    expect(await at.venue.openOrders()).toEqual([]);
    await untilState(at, 'the proof of the split', ({ sets }) => sets?.[0]?.state === 'proven');
    const { markets, sets, phase } = await at.daemon.state();
    expect({ phase, sets: sets?.length }).toEqual({ phase: 'killed', sets: 1 });
    expect(markets[0]).toMatchObject({ positionYes: '20', positionNo: '20' });
  }, 90_000);

  it('at a shutdown names the placement that nobody answered', async () => {
    const at = await scene({
      timing: { proofDeadlineMs: 1_500 },
      venue: { requestTimeoutMs: 600 },
    });
    const fault = { method: 'POST', times: 50, action: { kind: 'dropRequest' } };
    await at.venue.control('fault', { ...fault, path: '/orders' });
    await at.venue.control('fault', { ...fault, path: '/orders/batch' });
    await at.venue.clearBook();
    await at.venue.quoteBook(at.venue.market('rain'), { bid: 0.42, ask: 0.62 });
    await at.daemon.until('an unanswered placement', ({ ordersByState }) =>
      ordersByState.unknown > 0 ? true : undefined,
    );
    at.daemon.process.signal('SIGTERM');
    expect(await at.daemon.process.ended).toEqual({ code: 4, signal: null });
    expect(at.daemon.process.stdout()).toContain('STOPPED WITHOUT PROOF');
    const last = /"event":"daemon\.stop_unproven".*/.exec(at.daemon.process.stderr())?.[0];
    expect(last).toMatch(/BUY 50 of 0x[0-9a-f]+ at 0\.\d+, for \d+ s more/);
    expect(await at.venue.openOrders()).toEqual([]);
  }, 90_000);
});

describe.concurrent('processes that are stopped', () => {
  it('together and continued double nothing, whoever of them goes on', async () => {
    const at = await scene({ timing: { unknownHorizonMs: 30_000 } });
    const group = -(at.daemon.process.child.pid ?? 0);
    process.kill(group, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await at.venue.openOrders()).toHaveLength(4);
    process.kill(group, 'SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await untilQuoting(at.daemon);
    await untilOpen(at, 4);
    expect(new Set(await keysOf(at)).size).toBe(4);
    expect(traderPids(at).length).toBeLessThanOrEqual(2);
  }, 90_000);

  it('leave no order when the guard is killed over a stopped trader, once it goes on', async () => {
    const at = await scene({ guard: { silenceMs: 20_000, reserve: false } });
    const trader = traderPid(at);
    process.kill(trader, 'SIGSTOP');
    process.kill(at.daemon.process.child.pid ?? 0, 'SIGKILL');
    process.kill(trader, 'SIGCONT');
    await untilOpen(at, 0);
    await eventually('the end of the trader', () => (isAlive(trader) ? undefined : true), PATIENT);
    expect(at.daemon.process.stderr()).toContain('the guard is gone');
  }, 90_000);
});

describe.runIf(mayLimit).concurrent('a ledger without room under a guard', () => {
  it('takes the quotes back without a restart, and quotes again when there is room', async () => {
    const at = await scene();
    await limitFiles(traderPid(at), '1');
    await at.venue.clearBook();
    await at.venue.quoteBook(at.venue.market('rain'), { bid: 0.42, ask: 0.62 });
    await untilSaid(at, '"event":"ledger.failed"');
    await untilOpen(at, 0);
    await limitFiles(traderPid(at), 'unlimited');
    await untilOpen(at, 4);
    expect(traderPids(at)).toHaveLength(1);
  }, 90_000);

  it('lets no next life start, is tried again ever later, and stays down', async () => {
    const at = await scene({
      guard: { reserve: false, restartsMax: 2, backoffMsMin: 200, handoverQuietMs: 0 },
    });
    await limitFiles(at.daemon.process.child.pid ?? 0, '1');
    process.kill(traderPid(at), 'SIGKILL');
    await untilSaid(at, 'guard.staying_down');
    expect(await at.venue.openOrders()).toEqual([]);
    expect(traderPids(at)).toHaveLength(3);
    const pauses = [...at.daemon.process.stderr().matchAll(/"inMs":(\d+)/g)].map(([, ms]) => ms);
    expect(pauses).toEqual(['200', '400']);
    await untilSaid(at, 'guard.latch_failed');
  }, 90_000);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
