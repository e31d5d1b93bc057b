// What a guard does beside restarting: real processes, judged by what the venue says.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import type { LiveDaemon } from '../support/live-daemon.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { childrenOf, eventually, ROOT } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 4, testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Whoever watches for what may still arrive does so for longer than any test takes. */
const WATCHES = { unknownHorizonMs: 300_000 };
/** What comes within a second is the same request and not a second one, and a busy machine hears the first one late. */
const SAME_TARGETS_MS = 3_000;
const NEEDS_RESTART = /"event":"settings\.needs_restart"/g;

async function isThere({ folder }: Scene, file: string): Promise<boolean> {
  return await access(join(folder, file)).then(
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

describe.concurrent('a file that changed what takes effect at a start', () => {
  it('is reported by the next run, which trades where its guard can cancel', async ({
    scene,
    expect,
  }) => {
    const daemon = await scene.quoting();
    const other = await LiveVenue.start();
    await other.quoteBook(other.market('rain'), { bid: 0.4, ask: 0.6 });
    await scene.configure({
      venue: other.address(),
      journal: { path: 'data/other.db' },
      // A guard that went on with its own patience would kill each run that beats so slowly.
      guard: { heartbeatMs: 2_000, silenceMs: 10_000 },
    });
    const said = daemon.process.stderr;
    const times = (count: number) => () =>
      (said().match(NEEDS_RESTART)?.length ?? 0) >= count ? true : undefined;
    await eventually('the word about the file', times(1), { said });
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('guard.handed_over');
    await scene.untilOpen(4);
    await eventually('the word of the next run', times(2), { said });
    expect(await other.openOrders()).toEqual([]);
    expect(await isThere(scene, 'data/other.db')).toBe(false);
    expect(daemon.traderPids()).toHaveLength(2);
    expect(said()).not.toContain('"reason":"silent"');
    await other.stop();
  });
});

/** The file as it is, and anew with a change or without something. */
async function rewrite({ folder }: Scene, change: (text: string) => string): Promise<void> {
  const file = join(folder, 'config.yaml');
  await writeFile(file, change(await readFile(file, 'utf8')));
}

const withoutRisk = (text: string): string => text.replace(/"risk": \{[^}]*\},/, '');
const ONE_A_SIDE = { risk: { maxOpenOrders: 2 } };

describe.concurrent('a file that a running trader has refused', () => {
  it.for([
    ['without its limits', withoutRisk],
    ['that is no YAML any more', (text: string) => text.slice(0, 200)],
  ] as const)('is refused by the next run, too: %s', async ([, change], { scene, expect }) => {
    await scene.configure(ONE_A_SIDE);
    const daemon = await scene.start();
    await daemon.untilResting(2);
    const said = daemon.process.stderr;
    const refusals = (count: number) => () =>
      said().split('"event":"settings.refused"').length > count ? true : undefined;
    await rewrite(scene, change);
    await eventually('its refusal', refusals(1), { said });
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('"event":"guard.handed_over"');
    await scene.untilOpen(2);
    await eventually('the refusal of the next run', refusals(2), { said });
    // Limits that fell to their defaults would let the other levels rest as well.
    await setTimeout(500);
    expect(await scene.venue.openOrders()).toHaveLength(2);
    await scene.configure({ risk: { maxOpenOrders: 4 } });
    await scene.untilOpen(4);
    expect(daemon.traderPids()).toHaveLength(2);
  });

  it('is taken by the next run when it was put right, before its first order', async ({
    scene,
    expect,
  }) => {
    await scene.configure({ guard: { backoffMsMin: 1_500 } });
    const daemon = await scene.start();
    await daemon.untilResting(4);
    await rewrite(scene, withoutRisk);
    await daemon.untilSaid('"event":"settings.refused"');
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('"event":"guard.restarting"');
    await scene.configure({ guard: { backoffMsMin: 1_500 }, ...ONE_A_SIDE });
    let most = 0;
    const open = async (): Promise<true | undefined> => {
      const { length } = await scene.venue.openOrders();
      most = Math.max(most, length);
      return length === 2 ? true : undefined;
    };
    await eventually('the quotes of the next run', open, { said: daemon.process.stderr });
    await daemon.untilSaid('"event":"settings.reloaded"');
    await setTimeout(500);
    await open();
    expect(most).toBe(2);
    expect(daemon.process.stderr()).toMatch(/risk\.maxOpenOrders: \d+ → 2/);
  });
});

describe.concurrent('a file that changes while a run waits for its guard', () => {
  it('is not overtaken by the settings of the start', async ({ scene, expect }) => {
    const daemon = await scene.start();
    await daemon.untilResting(4);
    const guard = daemon.process.child.pid ?? 0;
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('"event":"guard.trader_started","run":2');
    process.kill(guard, 'SIGSTOP');
    const said = daemon.process.stderr;
    const twice = (event: string) => () =>
      said().split(`"event":"${event}"`).length > 2 ? true : undefined;
    await eventually('the checks of the next run', twice('preflight.passed'), { said });
    await scene.configure(ONE_A_SIDE);
    await eventually('the start of the next run', twice('daemon.started'), { said });
    process.kill(guard, 'SIGCONT');
    await daemon.untilSaid('"event":"settings.reloaded"');
    await scene.untilOpen(2);
    await setTimeout(500);
    expect(await scene.venue.openOrders()).toHaveLength(2);
  });
});

/** Trader and guard are gone without a word, as with their host. */
async function crashed(daemon: LiveDaemon): Promise<void> {
  const guard = daemon.process.child.pid ?? 0;
  process.kill(guard, 'SIGSTOP');
  process.kill(daemon.traderPid(), 'SIGKILL');
  process.kill(guard, 'SIGKILL');
  await daemon.process.ended;
}

/** What they kept is partially updated. */
async function tear(scene: Scene): Promise<void> {
  const data = join(scene.folder, 'data');
  const names = (await readdir(data)).filter((name) => /\.db(-wal)?$/.test(name));
  for (const name of names)
    await writeFile(join(data, name), 'this is partially updated'.repeat(1_000));
}

describe.concurrent('a first start over the partially updated ledger of an earlier run', () => {
  it('fails, and leaves none of the orders that rest', async ({ scene, expect }) => {
    await crashed(await scene.quoting());
    await tear(scene);
    expect(await scene.venue.openOrders()).toHaveLength(4);
    const run = scene.run();
    expect(await run.ended).toEqual({ code: 3, signal: null });
    expect(await scene.venue.openOrders()).toEqual([]);
    expect(run.stdout()).toContain('cancelled 4 orders that an earlier run had left');
  });

  it('touches no order in the own scope, and says what to do', async ({ scene, expect }) => {
    await scene.configure({ orders: { scope: 'own' } });
    await crashed(await scene.quoting());
    await tear(scene);
    const run = scene.run();
    expect(await run.ended).toEqual({ code: 3, signal: null });
    expect(await scene.venue.openOrders()).toHaveLength(4);
    expect(run.stdout()).toContain('run `bookend kill`');
  });
});

describe.concurrent('a start that is told to end while its trader loads', () => {
  /** @returns What it printed and its exit code. */
  async function calledOff(scene: Scene): Promise<{ stdout: string; code: number | null }> {
    const run = scene.run();
    const isThere = () => run.stderr().includes('"event":"guard.trader_started"') || undefined;
    await eventually('its trader', isThere, { said: run.stderr });
    run.signal('SIGTERM');
    const { code } = await run.ended;
    return { stdout: run.stdout(), code };
  }

  it('leaves none of the orders of a run that crashed', async ({ scene, expect }) => {
    await crashed(await scene.quoting());
    expect(await scene.venue.openOrders()).toHaveLength(4);
    const { stdout, code } = await calledOff(scene);
    expect(await scene.venue.openOrders()).toEqual([]);
    expect(stdout).toContain('cancelled 4 orders that an earlier run had left');
    expect(code).toBe(0);
  });

  it('is no good end where only own orders are meant', async ({ scene, expect }) => {
    await scene.configure({ orders: { scope: 'own' } });
    await crashed(await scene.quoting());
    const { stdout, code } = await calledOff(scene);
    expect(await scene.venue.openOrders()).toHaveLength(4);
    expect(stdout).toContain('run `bookend kill`');
    expect(code).toBe(4);
  });

  it('touches nothing beside an instance that trades', async ({ scene, expect }) => {
    await scene.quoting();
    const { stdout, code } = await calledOff(scene);
    expect(await scene.venue.openOrders()).toHaveLength(4);
    expect({ stdout, code }).toEqual({
      stdout: 'ended before it had started; nothing was placed\n',
      code: 0,
    });
  });
});

describe.concurrent('a stop while the venue is away', () => {
  it('leaves no order when it is back, though the trader has ended by then', async ({
    scene,
    expect,
  }) => {
    await scene.configure({ timing: { ...WATCHES, proofDeadlineMs: 1_000 } });
    const daemon = await scene.quoting();
    await scene.venue.control('fault', {
      times: 100_000,
      action: { kind: 'failBefore', status: 503 },
    });
    daemon.process.signal('SIGTERM');
    await daemon.untilSaid('guard.took_over');
    expect(await scene.venue.openOrders()).toHaveLength(4);
    await scene.venue.control('clearFaults', {});
    await scene.untilOpen(0);
    expect(daemon.process.child.exitCode).toBe(null);
    daemon.process.signal('SIGTERM');
    expect(await daemon.process.ended).toEqual({ code: 4, signal: null });
  });
});

describe.concurrent('a guard that is killed while the venue is away', () => {
  it('leaves a trader that goes on until it is back, and leaves no order', async ({
    scene,
    expect,
  }) => {
    await scene.configure({ timing: { ...WATCHES, proofDeadlineMs: 1_000 } });
    const daemon = await scene.quoting();
    const trader = daemon.traderPid();
    await scene.venue.control('fault', {
      times: 100_000,
      action: { kind: 'failBefore', status: 503 },
    });
    process.kill(daemon.process.child.pid ?? 0, 'SIGKILL');
    await daemon.untilSaid('"event":"daemon.goes_on"');
    expect(await scene.venue.openOrders()).toHaveLength(4);
    // Its first signal tells it nothing new, as the one that a service manager sends to who is left.
    process.kill(trader, 'SIGTERM');
    await scene.venue.control('clearFaults', {});
    await scene.untilOpen(0);
    expect(isAlive(trader)).toBe(true);
    await setTimeout(SAME_TARGETS_MS);
    process.kill(trader, 'SIGTERM');
    await eventually('the end of the trader', () => (isAlive(trader) ? undefined : true));
    expect(daemon.process.stderr()).toContain('"event":"daemon.stop_unconfirmed"');
  });
});

/** Whether somebody of the daemon's process group runs: guard, trader, or one in reserve. */
function isGroupAlive(daemon: LiveDaemon): boolean {
  return isAlive(-(daemon.process.child.pid ?? 0));
}

/** As a trader loads: what is said to it early is kept, and looked at when its guard has ended. */
const LOADING = `
  const { keepEarlyWords, takeEarlyWords } = await import('${ROOT}dist/src/cli/early-words.js');
  keepEarlyWords();
  const gone = new Promise((resolve) => process.once('disconnect', resolve));
  process.send('loads');
  await gone;
  const { openGuardLink } = await import('${ROOT}dist/src/app/guard-link.js');
  const link = openGuardLink(takeEarlyWords());
  link.onGone(() => console.log('gone'));
  const begun = await link.begun;
  console.log(begun.facts.run, link.guarded(begun, 0).venueFault());
`;

describe.runIf(process.platform === 'linux').concurrent('a guard that is killed', () => {
  it('takes the trader in reserve along', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    const guard = daemon.process.child.pid ?? 0;
    await eventually('the reserve', async () =>
      (await childrenOf(daemon.process.child.pid, 'trader')).length === 2 ? true : undefined,
    );
    process.kill(guard, 'SIGKILL');
    await scene.untilOpen(0);
    await eventually('the end of all', () => (isGroupAlive(daemon) ? undefined : true));
    expect(daemon.process.stderr().match(/"event":"daemon\.started"/g)).toHaveLength(1);
  });
});

describe.runIf(process.platform === 'linux').concurrent('a trader that dies', () => {
  it('is followed by another one where that in reserve is suspended', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    const reserve = await eventually('the reserve', async () => {
      const traders = await childrenOf(daemon.process.child.pid, 'trader');
      return traders.find((pid) => pid !== daemon.traderPid());
    });
    process.kill(reserve, 'SIGSTOP');
    const stat = async () => await readFile(`/proc/${reserve}/stat`, 'utf8');
    await eventually('its stop', async () => ((await stat()).includes(') T') ? true : undefined));
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('"event":"guard.handed_over"');
    await scene.untilOpen(4);
    expect(isAlive(reserve)).toBe(false);
    expect(daemon.process.stderr()).not.toContain('"reason":"silent"');
  });
});

describe.concurrent('a guard that is killed while its next trader starts', () => {
  it('has said that it is to trade, and what is wrong with the venue, though the program of it still loads', async ({
    scene,
    expect,
  }) => {
    const file = join(scene.folder, 'loading.mjs');
    await writeFile(file, LOADING);
    const child = fork(file, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    let text = '';
    child.stdout?.on('data', (part) => {
      text += part;
    });
    await once(child, 'message');
    child.send({ kind: 'begin', facts: { run: 2, deaths: {} }, settings: {} });
    child.send({ kind: 'venueFault', detail: 'cut' }, () => child.disconnect());
    expect(await once(child, 'exit')).toEqual([0, null]);
    await eventually('its words', () => (text.length >= '2 cut\ngone\n'.length ? true : undefined));
    expect(text.split('\n').sort()).toEqual(['', '2 cut', 'gone']);
  });

  it('leaves one that watches for what the run before had sent, and places nothing', async ({
    scene,
    expect,
  }) => {
    await scene.configure({ timing: WATCHES });
    const daemon = await scene.quoting();
    await scene.venue.control('fault', {
      method: 'GET',
      path: '/events',
      times: 100_000,
      action: { kind: 'delayReply', ms: 60_000 },
    });
    process.kill(daemon.traderPid(), 'SIGKILL');
    const said = daemon.process.stderr;
    const times = () => said().match(/"event":"ledger\.opened"/g)?.length ?? 0;
    await eventually('the start of the next', () => (times() === 2 ? true : undefined), { said });
    await scene.untilOpen(0);
    process.kill(daemon.process.child.pid ?? 0, 'SIGKILL');
    await daemon.untilSaid('"event":"start.called_off"');
    // As what the first trader had sent, and the venue took late.
    await scene.venue.placeForDaemon(scene.venue.market('rain').yes, 0.2);
    await scene.untilOpen(0);
    expect(isAlive(daemon.traderPid())).toBe(true);
    await scene.venue.control('clearFaults', {});
    process.kill(daemon.traderPid(), 'SIGTERM');
    await setTimeout(SAME_TARGETS_MS);
    process.kill(daemon.traderPid(), 'SIGTERM');
    await eventually('the end of all', () => (isGroupAlive(daemon) ? undefined : true));
    expect(daemon.process.stdout()).toContain('ENDED WITHOUT PROOF');
    expect(daemon.process.stderr().match(/"event":"daemon\.started"/g)).toHaveLength(1);
  });
});
