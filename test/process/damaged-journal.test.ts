// `bookend run` on a journal that is damaged, as an operator meets it: refused, accepted, halted, resumed. And what
// nobody else on the machine gets from a process that trades.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { LiveDaemon } from '../support/live-daemon.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Guard and trader die at once, as with the machine. */
async function die(daemon: LiveDaemon): Promise<void> {
  const trader = daemon.traderPid();
  daemon.process.signal('SIGKILL');
  process.kill(trader, 'SIGKILL');
  await daemon.process.ended;
}

function dataFile({ folder }: Scene, suffix = ''): string {
  return join(folder, `data/test.db${suffix}`);
}

describe.concurrent('a journal whose -wal is gone', () => {
  it('is refused with the ways on, and goes on halted with the loss accepted', async ({
    scene,
    expect,
  }) => {
    await die(await scene.quoting());
    expect(existsSync(dataFile(scene, '-wal'))).toBe(true);
    rmSync(dataFile(scene, '-wal'));

    const refused = scene.command('run');
    expect(await refused.ended).toEqual({ code: 3, signal: null });
    const said = refused.stderr() + refused.stdout();
    expect(said).toContain('the journal is not as it was left');
    expect(said).toContain('--accept-loss');

    const daemon = await LiveDaemon.of(scene.command('run', '--accept-loss'));
    await daemon.untilPhase('halted');
    expect(await scene.venue.openOrders()).toEqual([]);
    const { risk } = await daemon.state();
    expect(risk?.latches.map(({ owner }) => owner)).toContain('automatic:journal_loss');
    await daemon.untilSaid('kill.confirmed');
    expect(await daemon.control('resume')).toBe(200);
    await scene.untilOpen(4);
  });

  it('is accepted once: a trader that dies starts again on the ledger of the one before', async ({
    scene,
    expect,
  }) => {
    await die(await scene.quoting());
    rmSync(dataFile(scene));
    const daemon = await LiveDaemon.of(scene.command('run', '--accept-loss'));
    await daemon.untilPhase('halted');
    await daemon.untilSaid('kill.confirmed');
    expect(await daemon.control('resume')).toBe(200);
    await scene.untilOpen(4);
    await daemon.untilResting(4);
    process.kill(daemon.traderPid(), 'SIGKILL');
    // Until the next trader has taken over, orders and state may be those of the one before.
    await daemon.untilSaid('guard.handed_over');
    await scene.untilOpen(4);
    await daemon.untilPhase('quoting');
    expect(daemon.process.stderr().match(/journal\.loss_accepted/g)).toHaveLength(1);
  });
});

describe.concurrent('a daemon on a machine with other users', () => {
  it('keeps its data to itself and opens no inspector by a signal', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
    expect(mode(join(scene.folder, 'data'))).toBe('700');
    const kept = readdirSync(join(scene.folder, 'data'), { recursive: true, encoding: 'utf8' });
    const paths = kept.map((name) => join(scene.folder, 'data', name));
    expect(paths.map((path) => [path, mode(path)])).toEqual(
      paths.map((path) => [path, statSync(path).isDirectory() ? '700' : '600']),
    );

    for (const pid of [daemon.traderPid(), daemon.process.child.pid ?? 0]) {
      process.kill(pid, 'SIGUSR1');
    }
    await sleep(500);
    expect(daemon.process.stderr()).not.toContain('Debugger listening');
    await daemon.untilResting(4);
  });
});
