// A stop and a kill that the venue does not let be confirmed end in time and name what may rest; a start beside a stop waits.

import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { freePort } from '../support/free-port.ts';
import type { LiveDaemon } from '../support/live-daemon.ts';
import { eventually } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 4, testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** What a machine that many share adds to any time. */
const BUSY_MS = 4_000;

async function away({ venue }: Scene): Promise<void> {
  await venue.control('fault', { times: 100_000, action: { kind: 'failBefore', status: 503 } });
}

async function endMsOf(daemon: LiveDaemon): Promise<number> {
  const startedAtMs = performance.now();
  daemon.process.signal('SIGTERM');
  await daemon.process.ended;
  return performance.now() - startedAtMs;
}

async function stopsIn(scene: Scene, guard: object): Promise<LiveDaemon> {
  await scene.configure({ guard: { ...guard } });
  return await scene.quoting();
}

describe.concurrent('a stop', () => {
  it('while the venue is away ends by guard.stopDeadlineSec, guard and all, with the list', async ({
    scene,
    expect,
  }) => {
    const daemon = await stopsIn(scene, { stopDeadlineSec: 6 });
    await away(scene);
    expect(await endMsOf(daemon)).toBeLessThan(6_000 + BUSY_MS);
    expect(daemon.process.child.exitCode).toBe(4);
    expect(daemon.process.stdout()).toContain('STOPPED WITHOUT PROOF');
    // Whichever was asked last: the list, or the cancel of everything.
    expect(daemon.process.stdout()).toMatch(
      /may rest: any order of the account: (GET|DELETE) \/orders: .*service_unavailable/,
    );
  });

  it('names the orders that the venue does not cancel', async ({ scene, expect }) => {
    const daemon = await stopsIn(scene, { stopDeadlineSec: 6 });
    const action = { kind: 'failBefore', status: 503 };
    await scene.venue.control('fault', { method: 'DELETE', times: 100_000, action });
    for (const path of ['/orders/batch-cancel', '/orders/cancel']) {
      await scene.venue.control('fault', { method: 'POST', path, times: 100_000, action });
    }
    expect(await endMsOf(daemon)).toBeLessThan(6_000 + BUSY_MS);
    expect(daemon.process.child.exitCode).toBe(4);
    const open = await scene.venue.openOrders();
    expect(open).toHaveLength(4);
    for (const { orderHash } of open) {
      expect(daemon.process.stdout()).toContain(`may rest: ${orderHash} (BUY 50 of 0x`);
    }
  });

  it('of a trader that does not end is the end of that trader', async ({ scene, expect }) => {
    const daemon = await stopsIn(scene, { stopDeadlineSec: 4, silenceMs: 60_000, hangMs: 60_000 });
    process.kill(daemon.traderPid(), 'SIGSTOP');
    expect(await endMsOf(daemon)).toBeLessThan(4_000 + BUSY_MS);
    expect(daemon.process.child.exitCode).toBe(4);
    expect(await scene.venue.openOrders()).toEqual([]);
  });

  it('is as quick as ever where the venue works', async ({ scene, expect }) => {
    const daemon = await stopsIn(scene, {});
    expect(await endMsOf(daemon)).toBeLessThan(3_000 + BUSY_MS);
    expect(daemon.process.child.exitCode).toBe(0);
    expect(await scene.venue.openOrders()).toEqual([]);
  });
});

describe.concurrent('bookend kill', () => {
  it('while the venue is away ends in time, with 4', async ({ scene, expect }) => {
    await scene.configure({ guard: { stopDeadlineSec: 5 } });
    await away(scene);
    const startedAtMs = performance.now();
    const kill = scene.command('kill', '--json');
    expect((await kill.ended).code).toBe(4);
    expect(performance.now() - startedAtMs).toBeLessThan(5_000 + BUSY_MS);
    expect(JSON.parse(kill.stdout())).toMatchObject({ kind: 'unconfirmed' });
  });

  it('waits for what may arrive no longer than it is told, and says so', async ({
    scene,
    expect,
  }) => {
    await scene.venue.placeForDaemon(scene.venue.market('rain').yes, 0.2);
    const kill = scene.command('kill', '--deadline', '4');
    expect((await kill.ended).code).toBe(4);
    expect(await scene.venue.openOrders()).toEqual([]);
    expect(kill.stdout()).toMatch(/nothing is open, and .* may still arrive for \d+ s more/);
  });
});

describe.concurrent('a start beside a stop', () => {
  /** An instance that stops for as long as the venue is away. */
  async function stopping(
    scene: Scene,
    of: { startWaitSec: number; proofDeadlineMs?: number; port?: number },
  ): Promise<LiveDaemon> {
    const { startWaitSec, proofDeadlineMs = 60_000, port } = of;
    const guard = { startWaitSec, stopDeadlineSec: 0 };
    await scene.configure({ guard, timing: { proofDeadlineMs } });
    if (port !== undefined) await scene.listenAt(port);
    const daemon = await scene.quoting();
    await away(scene);
    daemon.process.signal('SIGTERM');
    await daemon.untilSaid('"event":"daemon.stopping"');
    return daemon;
  }

  it('waits until the other one has ended, and quotes then', async ({ scene, expect }) => {
    const daemon = await stopping(scene, { startWaitSec: 60 });
    const next = scene.run();
    const waits = () => next.stderr().includes('"event":"start.waiting"') || undefined;
    await eventually('its wait', waits, { said: next.stderr });
    await scene.venue.control('clearFaults', {});
    expect(await daemon.process.ended).toEqual({ code: 0, signal: null });
    await scene.untilOpen(4);
    expect(next.stderr()).not.toContain('guard.trader_died');
  });

  it('takes the port of the other one when that has ended', async ({ scene, expect }) => {
    const port = await freePort();
    const daemon = await stopping(scene, { startWaitSec: 60, port });
    const next = scene.run();
    const isTaken = () => next.stderr().includes('"event":"http.not_listening"') || undefined;
    await eventually('its wait', isTaken, { said: next.stderr });
    await scene.venue.control('clearFaults', {});
    expect(await daemon.process.ended).toEqual({ code: 0, signal: null });
    const isServed = () => next.stderr().includes(`"http":"http://127.0.0.1:${port}"`) || undefined;
    await eventually('its start', isServed, { said: next.stderr });
    await scene.untilOpen(4);
  });

  it('waits for a guard that goes on, too, where its trader has ended without proof', async ({
    scene,
    expect,
  }) => {
    const daemon = await stopping(scene, { startWaitSec: 60, proofDeadlineMs: 1_000 });
    await daemon.untilSaid('"event":"guard.took_over"');
    const guard = daemon.process.child.pid ?? 0;
    const next = scene.run();
    const waits = () => next.stderr().includes(`process ${guard} on `) || undefined;
    await eventually('its wait', waits, { said: next.stderr });
    daemon.process.signal('SIGTERM');
    expect(await daemon.process.ended).toEqual({ code: 4, signal: null });
    await scene.venue.control('clearFaults', {});
    await scene.untilOpen(4);
  });

  it('names it after guard.startWaitSec', async ({ scene, expect }) => {
    const daemon = await stopping(scene, { startWaitSec: 2 });
    const next = scene.run();
    expect((await next.ended).code).not.toBe(0);
    expect(next.stderr()).toContain(`process ${daemon.traderPid()} on `);
    expect(next.stderr()).toContain('is stopping and has not ended within 2 s');
  });
});
