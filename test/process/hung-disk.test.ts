// A kill and a guard beside a disk that hangs: whoever opens a file there waits for somebody at the other end,
// and whoever writes to one waits until it goes on.

import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { HangingDisk, mayHang } from '../support/hanging-disk.ts';
import { CONTROL_TOKEN, LiveDaemon } from '../support/live-daemon.ts';
import { eventually, type RunningProcess, startBookend } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

describe.skipIf(process.platform === 'win32').concurrent('a ledger on a disk that hangs', () => {
  it('keeps no kill of own orders from its word, nor from its end', async ({ scene, expect }) => {
    mkdirSync(join(scene.folder, 'data'));
    execFileSync('mkfifo', [join(scene.folder, 'data/test.db')]);
    const killing = scene.command('kill', '--own', '--json');
    const { code, signal } = await killing.ended;
    expect(JSON.parse(killing.stdout())).toMatchObject({
      kind: 'unconfirmed',
      detail: expect.stringContaining('does not answer'),
    });
    expect([code, signal]).toEqual([null, 'SIGKILL']);
  });

  it('keeps no kill from cancelling where nobody can say what runs', async ({ scene, expect }) => {
    mkdirSync(join(scene.folder, 'data/dry-run'), { recursive: true });
    execFileSync('mkfifo', [join(scene.folder, 'data/dry-run/test.db.lock.1')]);
    await scene.venue.placeForDaemon(scene.venue.market('rain').yes, 0.3);
    const killing = scene.command('kill', '--deadline', '5', '--json');
    await scene.untilOpen(0);
    await killing.ended;
    expect(JSON.parse(killing.stdout())).toMatchObject({ cancelled: 1 });
  });
});

/** Long enough for a next run to stand still amid its start. */
const HANG_MS = 3_000;

/** A daemon whose words go to a file on a disk of its own. */
class Muted {
  readonly disk: HangingDisk;
  readonly running: RunningProcess;
  readonly #scene: Scene;
  readonly #log: string;

  constructor(scene: Scene, disk: HangingDisk, ...args: readonly string[]) {
    const { folder, venue } = scene;
    this.#scene = scene;
    this.disk = disk;
    this.#log = join(this.disk.folder, 'log');
    const stderr = openSync(this.#log, 'a');
    const env = { ...venue.credentials(), BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN };
    this.running = startBookend([...args, '--config', 'config.yaml'], { cwd: folder, env, stderr });
    closeSync(stderr);
  }

  said(): string {
    return readFileSync(this.#log, 'utf8');
  }

  /** Four quotes rest and the trader knows it. Only while the disk does not hang. */
  async untilQuoting(): Promise<void> {
    const stderr = () => this.said();
    const daemon = await LiveDaemon.of({ ...this.running, stderr });
    await daemon.untilResting(4);
  }

  async untilSaid(pattern: RegExp): Promise<string> {
    const found = () => pattern.exec(this.said())?.[0];
    return await eventually(String(pattern), found, { said: () => this.said() });
  }

  async traderPid(run: number): Promise<number> {
    const line = await this.untilSaid(new RegExp(`trader_started","run":${run},"pid":\\d+`));
    return Number(/\d+$/.exec(line)?.[0]);
  }

  async end(): Promise<void> {
    this.disk.goOn();
    this.running.signal('SIGKILL');
    await this.#scene.untilOpen(0).finally(() => this.disk.unmount());
  }
}

describe.runIf(mayHang()).concurrent('words on a disk that hangs', () => {
  it('keep no guard from cancelling, nor the next trader from quoting, and come when it goes on', async ({
    scene,
    expect,
  }) => {
    const daemon = new Muted(scene, HangingDisk.mount(scene.folder), 'run');
    try {
      await daemon.untilQuoting();
      await scene.untilOpen(4);
      const first = await daemon.traderPid(1);
      daemon.disk.hang();
      process.kill(first, 'SIGKILL');
      await scene.untilOpen(0);
      await scene.untilOpen(4);
      expect(daemon.said()).not.toContain('guard.trader_died');
      daemon.disk.goOn();
      await daemon.traderPid(2);
      const events = [...daemon.said().matchAll(/"event":"guard\.([a-z_]+)"/g)].map(([, is]) => is);
      const fromDeath = events.slice(events.indexOf('trader_died'));
      expect(fromDeath.slice(0, 4)).toEqual([
        'trader_died',
        'cleared',
        'restarting',
        'trader_started',
      ]);
    } finally {
      await daemon.end();
    }
  });

  it('leave no order where the ledger is there, too, whoever dies, and quotes are back behind it', async ({
    scene,
    expect,
  }) => {
    const disk = HangingDisk.mount(scene.folder);
    await scene.configure({ journal: { path: join(disk.folder, 'test.db') } });
    const daemon = new Muted(scene, disk, 'run');
    try {
      await daemon.untilQuoting();
      await scene.untilOpen(4);
      const first = await daemon.traderPid(1);
      daemon.disk.hang();
      process.kill(first, 'SIGKILL');
      await scene.untilOpen(0);
      await sleep(HANG_MS);
      expect(await scene.venue.openOrders()).toEqual([]);
      expect(daemon.running.child.exitCode).toBeNull();
      daemon.disk.goOn();
      await scene.untilOpen(4);
    } finally {
      await daemon.end();
    }
  });
});
