// The kill path where several things happen at once: real processes, judged by what the venue says.

import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, vi } from 'vitest';
import { systemClock } from '../../src/clock/system.ts';
import { openLedger } from '../../src/journal/ledger/ledger.ts';
import { ensureBuilt } from '../support/build.ts';
import { CONTROL_TOKEN, type DaemonConfig, type LiveDaemon } from '../support/live-daemon.ts';
import { eventually, MAIN, ROOT, type RunningProcess } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 4, testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** A guarded daemon that knows of its four quotes. */
async function quoting(scene: Scene, config: Partial<DaemonConfig> = {}): Promise<LiveDaemon> {
  await scene.configure(config);
  const daemon = await scene.start();
  await untilQuoting(daemon);
  return daemon;
}

async function untilQuoting(daemon: LiveDaemon): Promise<void> {
  await daemon.until('all quotes', ({ ordersByState }) =>
    ordersByState.resting === 4 ? true : undefined,
  );
}

/** A host before this one left a ledger that says so. */
async function leaveAhead({ folder }: Scene, aheadMs: number): Promise<void> {
  const clock = systemClock();
  await mkdir(join(folder, 'data'), { recursive: true });
  const ledger = await openLedger({ path: join(folder, 'data', 'test.db'), clock });
  ledger.commit([{ kind: 'ahead', ahead: { aheadMs, atMs: clock.nowMs() } }]);
  ledger.close();
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
  it('beside a guard whose trader dies before it has reported for it holds over the next run', async ({
    scene,
    expect,
  }) => {
    // Stopped, so that it cannot place anew what the kill has cancelled: that would have to be waited for.
    const daemon = await quoting(scene, { guard: { silenceMs: 60_000 } });
    process.kill(daemon.traderPid(), 'SIGSTOP');
    const killing = scene.command('kill', '--json');
    await eventually('the latch', async () => ((await isLatched(scene)) ? true : undefined));
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('guard.restarting');
    await daemon.until('the latched run', ({ phase }) => (phase === 'killed' ? true : undefined));
    expect((await killing.ended).code).toBe(0);
    expect(JSON.parse(killing.stdout())).toMatchObject({ kind: 'confirmed' });
    expect(await scene.venue.openOrders()).toEqual([]);
    expect(daemon.process.stderr().match(/"event":"kill\.confirmed"/g)).toHaveLength(1);
    expect(daemon.traderPids()).toHaveLength(2);
    expect(await daemon.control('resume')).toBe(200);
    await scene.untilOpen(4);
    expect(new Set(await keysOf(scene)).size).toBe(4);
  });

  it('while a split is under way leaves no order, and the split is made once', async ({
    scene,
    expect,
  }) => {
    const daemon = await quoting(scene, { timing: { balancesMs: 1_000 } });
    const { id } = scene.venue.market('rain');
    await scene.venue.control('fault', {
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
    await fetch(`${daemon.address}/control/sets`, { method: 'POST', headers, body });
    expect(await daemon.control('kill')).toBe(200);
    expect(await scene.venue.openOrders()).toEqual([]);
    await daemon.until('the proof of the split', ({ sets }) =>
      sets?.[0]?.state === 'confirmed' ? true : undefined,
    );
    const { markets, sets, phase } = await daemon.state();
    expect({ phase, sets: sets?.length }).toEqual({ phase: 'killed', sets: 1 });
    expect(markets[0]).toMatchObject({ positionYes: '20', positionNo: '20' });
  });

  it('at a shutdown names the placement that nobody answered', async ({ scene, expect }) => {
    const daemon = await quoting(scene, {
      timing: { proofDeadlineMs: 1_500, unknownHorizonMs: 300_000 },
      venue: { requestTimeoutMs: 600 },
    });
    const fault = { method: 'POST', times: 50, action: { kind: 'dropRequest' } };
    await scene.venue.control('fault', { ...fault, path: '/orders' });
    await scene.venue.control('fault', { ...fault, path: '/orders/batch' });
    await scene.venue.clearBook();
    await scene.venue.quoteBook(scene.venue.market('rain'), { bid: 0.42, ask: 0.62 });
    await daemon.until('an unanswered placement', ({ ordersByState }) =>
      ordersByState.unknown > 0 ? true : undefined,
    );
    daemon.process.signal('SIGTERM');
    // The guard watches it out, unless it is told a second time.
    await daemon.untilSaid('guard.took_over');
    daemon.process.signal('SIGTERM');
    expect(await daemon.process.ended).toEqual({ code: 4, signal: null });
    expect(daemon.process.stdout()).toContain('STOPPED WITHOUT PROOF');
    const last = /"event":"daemon\.stop_unconfirmed".*/.exec(daemon.process.stderr())?.[0];
    expect(last).toMatch(/BUY 50 of 0x[0-9a-f]+ at 0\.\d+, for \d+ s more/);
    expect(await scene.venue.openOrders()).toEqual([]);
  });
});

describe.concurrent('processes that are stopped', () => {
  it('together and continued double nothing, whoever of them goes on', async ({
    scene,
    expect,
  }) => {
    const daemon = await quoting(scene, {
      timing: { unknownHorizonMs: 30_000 },
      guard: { silenceMs: 2_500 },
    });
    await scene.untilOpen(4);
    const group = -(daemon.process.child.pid ?? 0);
    process.kill(group, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(await scene.venue.openOrders()).toHaveLength(4);
    process.kill(group, 'SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await untilQuoting(daemon);
    await scene.untilOpen(4);
    expect(new Set(await keysOf(scene)).size).toBe(4);
    expect(daemon.traderPids().length).toBeLessThanOrEqual(2);
  });

  it('leave no order when the guard is killed over a stopped trader, once it goes on', async ({
    scene,
    expect,
  }) => {
    const daemon = await quoting(scene, { guard: { silenceMs: 20_000, reserve: false } });
    const trader = daemon.traderPid();
    process.kill(trader, 'SIGSTOP');
    process.kill(daemon.process.child.pid ?? 0, 'SIGKILL');
    process.kill(trader, 'SIGCONT');
    await scene.untilOpen(0);
    await eventually('the end of the trader', () => (isAlive(trader) ? undefined : true));
    expect(daemon.process.stderr()).toContain('the guard is gone');
  });
});

/** A new guard whose trader is killed before it can tell it anything; an order of before rests. */
async function diesUntold(scene: Scene): Promise<RunningProcess> {
  await scene.configure({ guard: { onDeath: 'stay', reserve: false } });
  await scene.venue.placeForDaemon(scene.venue.market('rain').yes, 0.2);
  const guard = scene.run();
  const said = guard.stderr;
  const started = () => /guard\.trader_started","run":1,"pid":(\d+)/.exec(said())?.[1];
  process.kill(Number(await eventually('the trader', started, { said })), 'SIGKILL');
  await scene.untilOpen(0);
  return guard;
}

describe.concurrent('a guard on a new host, whose trader dies before it has told it anything', () => {
  it('watches for what the host before had dated ahead, by the ledger', async ({
    scene,
    expect,
  }) => {
    await leaveAhead(scene, 20_000);
    const { stderr: said } = await diesUntold(scene);
    const learnt = /guard\.learnt","aheadMs":20000,"proofAfterMs":65000/;
    await eventually('what was learnt', () => learnt.exec(said()) ?? undefined, { said });
    expect(said()).not.toContain('guard.confirmed');
  });

  it('watches the longest where that ledger cannot be read', async ({ scene, expect }) => {
    await mkdir(join(scene.folder, 'data'), { recursive: true });
    await writeFile(join(scene.folder, 'data', 'test.db'), 'no ledger at all'.repeat(512));
    const { stderr: said } = await diesUntold(scene);
    const unread = /guard\.ledger_unread","detail":.*"proofAfterMs":605000/;
    await eventually('the trouble', () => unread.exec(said()) ?? undefined, { said });
    expect(said()).not.toContain('guard.confirmed');
  });
});

describe.runIf(mayLimit).concurrent('a ledger without room under a guard', () => {
  it('takes the quotes back without a restart, and quotes again when there is room', async ({
    scene,
    expect,
  }) => {
    const daemon = await quoting(scene);
    await limitFiles(daemon.traderPid(), '1');
    await scene.venue.clearBook();
    await scene.venue.quoteBook(scene.venue.market('rain'), { bid: 0.42, ask: 0.62 });
    await daemon.untilSaid('"event":"ledger.failed"');
    await scene.untilOpen(0);
    await limitFiles(daemon.traderPid(), 'unlimited');
    await scene.untilOpen(4);
    expect(daemon.traderPids()).toHaveLength(1);
  });

  it('lets no next run start, is tried again ever later, and quotes when there is room', async ({
    scene,
    expect,
  }) => {
    const daemon = await quoting(scene, {
      guard: { reserve: false, restartsMax: 2, backoffMsMin: 200, handoverQuietMs: 0 },
    });
    const guard = daemon.process.child.pid ?? 0;
    await limitFiles(guard, '1');
    process.kill(daemon.traderPid(), 'SIGKILL');
    // More than may crash before it stays down.
    await daemon.untilSaid('"event":"guard.restarting","run":5');
    expect(await scene.venue.openOrders()).toEqual([]);
    const pauses = [...daemon.process.stderr().matchAll(/"inMs":(\d+)/g)].map(([, ms]) => ms);
    expect(pauses.slice(0, 4)).toEqual(['200', '200', '400', '800']);
    await limitFiles(guard, 'unlimited');
    await scene.untilOpen(4);
    expect(await isLatched(scene)).toBe(false);
  });

  it('stays down where it is told to, and the room that was kept takes the latch', async ({
    scene,
    expect,
  }) => {
    const daemon = await quoting(scene, { guard: { onDeath: 'stay' } });
    await limitFiles(daemon.process.child.pid ?? 0, '1');
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('guard.staying_down');
    await scene.untilOpen(0);
    expect(daemon.traderPids()).toHaveLength(1);
    // Not a byte can be written.
    await eventually('the latch', async () => ((await isLatched(scene)) ? true : undefined));
    expect(daemon.process.stderr()).not.toContain('guard.latch_failed');
  });
});

describe.runIf(mayLimit).concurrent('a kill that no disk takes', () => {
  it('is tried again by the guard that stays down until there is room for it', async ({
    scene,
    expect,
  }) => {
    const daemon = await quoting(scene, { guard: { onDeath: 'stay' } });
    await rm(join(scene.folder, RESERVE));
    await limitFiles(daemon.process.child.pid ?? 0, '1');
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('guard.latch_failed');
    await scene.untilOpen(0);
    expect(await isLatched(scene)).toBe(false);
    await limitFiles(daemon.process.child.pid ?? 0, 'unlimited');
    await daemon.untilSaid('"event":"guard.latched"');
    expect(await isLatched(scene)).toBe(true);
    expect(daemon.traderPids()).toHaveLength(1);
  });

  it('holds over the next run, which is told by its guard and latches it', async ({
    scene,
    expect,
  }) => {
    const daemon = await quoting(scene);
    await rm(join(scene.folder, RESERVE));
    await limitFiles(daemon.traderPid(), '1');
    expect(await daemon.control('kill')).toBe(200);
    expect(await isLatched(scene)).toBe(false);
    const { latchFault } = await daemon.state();
    expect(latchFault).toMatchObject({ by: expect.stringContaining('http') });
    const metrics = await daemon.metrics();
    expect(metrics).toMatch(/^bookend_kill_unlatched_bool 1$/m);
    expect(metrics).toMatch(/^bookend_guarded_bool 1$/m);
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('"event":"latch.remembered"');
    await daemon.until('the killed run', ({ phase }) => (phase === 'killed' ? true : undefined));
    await eventually('the latch', async () => ((await isLatched(scene)) ? true : undefined));
    await daemon.untilSaid('guard.kill_released');
    expect(await scene.venue.openOrders()).toEqual([]);
    expect(await daemon.control('resume')).toBe(200);
    await scene.untilOpen(4);
  });

  it('makes a stop fail, since the next start would quote', async ({ scene, expect }) => {
    const daemon = await quoting(scene);
    await rm(join(scene.folder, RESERVE));
    await limitFiles(daemon.traderPid(), '1');
    expect(await daemon.control('kill')).toBe(200);
    daemon.process.signal('SIGTERM');
    expect(await daemon.process.ended).toEqual({ code: 1, signal: null });
    expect(daemon.process.stderr()).toContain('"event":"latch.lost"');
    expect(daemon.process.stderr()).not.toContain('guard.trader_died');
  });
});

describe.runIf(mayLimit).concurrent('a pause that no disk takes', () => {
  it('holds over the next run, which is told by its guard', async ({ scene, expect }) => {
    const daemon = await quoting(scene);
    await limitFiles(daemon.traderPid(), '1');
    expect(await daemon.control('pause')).toBe(200);
    await daemon.untilSaid('guard.holds_stops');
    expect(await daemon.state()).toMatchObject({ phase: 'paused', unwrittenStops: ['pause'] });
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('"event":"stops.remembered"');
    await daemon.until('the paused run', ({ phase }) => (phase === 'paused' ? true : undefined));
    await daemon.untilSaid('guard.stops_released');
    expect(await scene.venue.openOrders()).toEqual([]);
    expect(await daemon.control('resume')).toBe(200);
    await scene.untilOpen(4);
  });
});

/** A small file system that is full to the last block, seen by nobody else. */
const FILLED = `mount -t tmpfs -o size=64k tmpfs data && printf x > data/test.db &&
  touch -d '1 hour ago' data/test.db && $KEEP; cat /dev/zero > data/filler 2> /dev/null;
  "$NODE" "$MAIN" kill --config config.yaml --json > out.json 2> err.txt; code=$?
  cat data/test.db.killed > latch.json 2> /dev/null; exit $code`;

const mayMount = await promisify(execFile)('unshare', [
  '-rm',
  'mount',
  '-t',
  'tmpfs',
  'x',
  '/mnt',
]).then(
  () => process.platform === 'linux',
  () => false,
);

/** `bookend kill` beside a journal whose disk is full, with or without the room that is kept. */
async function killOnFullDisk(scene: Scene, keeps: boolean) {
  await mkdir(join(scene.folder, 'data'), { recursive: true });
  const latch = join(ROOT, 'dist/src/journal/latch.js');
  const keep = `"$NODE" --input-type=module -e "await (await import('${latch}')).reserveLatch('data/test.db')"`;
  const script = FILLED.replace('$KEEP', keeps ? keep : 'true');
  const env = { ...process.env, ...scene.venue.credentials(), NODE: process.execPath, MAIN };
  const run = promisify(execFile)('unshare', ['-rm', 'sh', '-c', script], {
    cwd: scene.folder,
    env,
  });
  const code = await run.then(
    () => 0,
    (error: { readonly code?: number }) => error.code,
  );
  const read = async (name: string) => await readFile(join(scene.folder, name), 'utf8');
  return {
    code,
    out: JSON.parse(await read('out.json')),
    latch: await read('latch.json'),
    err: await read('err.txt'),
  };
}

describe.runIf(mayMount).concurrent('`bookend kill` beside a journal on a full disk', () => {
  it('latches with the room that was kept', async ({ scene, expect }) => {
    const { code, out, latch } = await killOnFullDisk(scene, true);
    expect(out).toMatchObject({ kind: 'confirmed' });
    expect(code).toBe(0);
    expect(JSON.parse(latch)).toMatchObject({ by: expect.stringContaining('bookend kill') });
  });

  it('is no proof without it, since a start would quote', async ({ scene, expect }) => {
    const { code, out, latch, err } = await killOnFullDisk(scene, false);
    expect(out).toMatchObject({ kind: 'unconfirmed', left: [] });
    expect(out.detail).toContain('ENOSPC');
    expect(code).toBe(4);
    expect(latch).toBe('');
    expect(err).toContain('the latch cannot be set');
  });
});

const RESERVE = 'data/test.db.killed.reserve';

async function isLatched({ folder }: Scene): Promise<boolean> {
  return await access(join(folder, 'data/test.db.killed')).then(
    () => true,
    () => false,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
