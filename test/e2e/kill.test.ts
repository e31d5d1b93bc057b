// Ways to end and ways to refuse, with real processes: kill, latch, crash, second signal, preflight.

import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { eventually } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 4, testTimeout: 150_000 });

const latchFile = ({ folder }: Scene) => join(folder, 'data/test.db.killed');

beforeAll(ensureBuilt);

/** A command of the same user, and what it said when it was through. */
async function bookend(scene: Scene, ...args: readonly string[]) {
  const run = scene.command(...args);
  const { code } = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

/** No list of open orders can be read any more. */
async function listsFail({ venue }: Scene): Promise<void> {
  const action = { kind: 'failBefore', status: 503 };
  await venue.control('fault', { method: 'GET', path: '/orders', times: 1_000, action });
}

describe.concurrent('`kill` from a second process', () => {
  it('leaves no order, and a running daemon quotes nothing until it is resumed', async ({
    scene,
    expect,
  }) => {
    const daemon = await scene.quoting();
    const killed = await bookend(scene, 'kill', '--json');
    expect(killed.code).toBe(0);
    expect(JSON.parse(killed.stdout)).toMatchObject({ kind: 'confirmed' });
    expect(await scene.venue.openOrders()).toEqual([]);
    await daemon.untilPhase('killed');
    await access(latchFile(scene));

    expect(await daemon.control('resume')).toBe(200);
    await scene.untilOpen(4);
    await expect(access(latchFile(scene))).rejects.toThrow('ENOENT');
  });

  it('keeps a daemon killed over a restart', async ({ scene, expect }) => {
    const killed = await bookend(scene, 'kill');
    expect(killed.code).toBe(0);
    const daemon = await scene.start();
    await daemon.untilPhase('killed');
    // The kill of the latch may be confirmed before socket and balances are there.
    await daemon.until('the kill as the one reason', ({ notReady }) =>
      notReady.length === 1 && notReady[0]?.includes('killed') ? true : undefined,
    );
    expect(await scene.venue.openOrders()).toEqual([]);
    await daemon.control('resume');
    await scene.untilOpen(4);
  });

  it('needs no daemon, and says so when a list of orders cannot be read', async ({
    scene,
    expect,
  }) => {
    await scene.configure({ timing: { proofDeadlineMs: 1_000 } });
    await listsFail(scene);
    const killed = await bookend(scene, 'kill');
    expect(killed.code).toBe(4);
    expect(killed.stdout).toContain('NOT CONFIRMED');
    expect(killed.stdout).toContain('no list of open orders could be read');
  });

  it('of one market cancels that market only, without a latch', async ({ scene, expect }) => {
    await scene.configure({ markets: [] });
    await scene.venue.placeForDaemon(scene.venue.market('rain').yes, 0.3);
    await scene.venue.placeForDaemon(scene.venue.market('race').yes, 0.2);
    const { code } = await bookend(scene, 'kill', '--market', scene.venue.market('rain').id);
    expect(code).toBe(0);
    const left = (await scene.venue.openOrders()).map(({ tokenId }) => tokenId);
    expect(left).toEqual([scene.venue.market('race').yes]);
    await expect(access(latchFile(scene))).rejects.toThrow('ENOENT');
  });

  it('of a market or token that the venue has not says so at once, and confirms nothing', async ({
    scene,
    expect,
  }) => {
    const { id, yes } = scene.venue.market('rain');
    await scene.venue.placeForDaemon(yes, 0.3);
    const wrong = await bookend(scene, 'kill', '--market', `${id}x`);
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain(`the venue has no market ${id}x, and nothing was cancelled`);
    expect(wrong.stderr).toContain(`did you mean ${id}?`);
    const slug = await bookend(scene, 'kill', '--market', 'rain');
    expect([slug.code, slug.stderr]).toEqual([
      2,
      expect.stringContaining(`that is an event, and its markets are ${id}`),
    ]);
    const token = await bookend(scene, 'kill', '--token', '0xabc');
    expect([token.code, token.stderr]).toEqual([
      2,
      expect.stringContaining('the venue has no token 0xabc'),
    ]);
    expect(await scene.venue.openOrders()).toHaveLength(1);
  });

  it('of a market still kills where nobody can say which markets there are', async ({
    scene,
    expect,
  }) => {
    const market = scene.venue.market('rain');
    await scene.venue.placeForDaemon(market.yes, 0.3);
    const action = { kind: 'failBefore', status: 503 };
    for (const path of ['/events', `/markets/${market.id}`]) {
      await scene.venue.control('fault', { method: 'GET', path, times: 1_000, action });
    }
    const { code, stdout } = await bookend(scene, 'kill', '--market', market.id);
    expect(stdout).toContain('1 cancelled');
    expect(code).toBe(0);
    expect(await scene.venue.openOrders()).toEqual([]);
  });
});

describe.concurrent('the control route', () => {
  it('kills, confirms it, and latches', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    expect(await daemon.control('kill')).toBe(200);
    expect(await scene.venue.openOrders()).toEqual([]);
    await access(latchFile(scene));
  });

  it('kills again what came to rest after a confirmed kill', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    expect(await daemon.control('kill')).toBe(200);
    await scene.venue.placeForDaemon(scene.venue.market('rain').yes, 0.3);
    expect(await daemon.control('kill')).toBe(200);
    expect(await scene.venue.openOrders()).toEqual([]);
    await daemon.untilPhase('killed');
  });

  it('pauses and resumes', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    await daemon.control('pause');
    await scene.untilOpen(0);
    await daemon.control('resume');
    await scene.untilOpen(4);
    expect((await daemon.state()).phase).toBe('quoting');
  });

  it('refuses what the state of the daemon does not allow', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    await daemon.control('kill');
    expect(await daemon.control('pause')).toBe(409);
    expect((await daemon.state()).phase).toBe('killed');
  });
});

describe.concurrent('the end of a daemon', () => {
  it('is clean on SIGINT too', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    daemon.process.signal('SIGINT');
    expect(await daemon.process.ended).toEqual({ code: 0, signal: null });
    expect(await scene.venue.openOrders()).toEqual([]);
  });

  it('falls to the independent kill path on a second signal', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    // The core sees no list of orders, so that its own proof is late.
    await listsFail(scene);
    daemon.process.signal('SIGTERM');
    // A busy machine lets it hear the first one late, and what follows within a second is the same target quotes.
    await daemon.untilSaid('"event":"daemon.stopping"');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    daemon.process.signal('SIGTERM');
    await daemon.untilSaid('SIGTERM came twice');
    await scene.venue.control('clearFaults', {});
    expect(await daemon.process.ended).toEqual({ code: 0, signal: null });
    expect(await scene.venue.openOrders()).toEqual([]);
  });

  it('is reported as unconfirmed when the venue never shows a list, and gone on with until a second signal', async ({
    scene,
    expect,
  }) => {
    await scene.configure({ timing: { proofDeadlineMs: 1_000 } });
    const daemon = await scene.quoting();
    await listsFail(scene);
    daemon.process.signal('SIGTERM');
    await daemon.untilSaid('guard.took_over');
    // Another pipe than that of the log, which may be read before it.
    const { stdout } = daemon.process;
    await eventually('the last word', () => stdout().includes('WITHOUT PROOF') || undefined);
    daemon.process.signal('SIGTERM');
    expect(await daemon.process.ended).toEqual({ code: 4, signal: null });
  });

  it('by force and without a guard leaves orders, which the next run removes before it quotes', async ({
    scene,
    expect,
  }) => {
    await scene.configure({ guard: { enabled: false } });
    const daemon = await scene.quoting();
    const externalOrders = new Set(
      (await scene.venue.openOrders()).map(({ orderHash }) => orderHash),
    );
    daemon.process.signal('SIGKILL');
    await daemon.process.ended;
    expect(await scene.venue.openOrders()).toHaveLength(externalOrders.size);
    const next = await scene.start();
    await next.untilPhase('quoting');
    await scene.untilOpen(4);
    const hashes = (await scene.venue.openOrders()).map(({ orderHash }) => orderHash);
    expect(hashes.filter((hash) => externalOrders.has(hash))).toEqual([]);
  });
});

describe.concurrent('a start', () => {
  it('is refused beside a living instance on the same journal', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    const second = scene.run();
    expect(await second.ended).toEqual({ code: 3, signal: null });
    expect(second.stderr()).toContain('another instance holds this journal');
    expect((await daemon.state()).phase).toBe('quoting');
    expect(await scene.venue.openOrders()).toHaveLength(4);
  });

  it('is refused with every reason when the venue is not as configured', async ({
    scene,
    expect,
  }) => {
    await scene.configure({
      markets: [
        { event: 'snow', strategy: 'ladder' },
        { event: 'race', market: 'no-such-market', strategy: 'ladder' },
      ],
    });
    const start = scene.run({ VENUE_API_PASSPHRASE: 'wrong' });
    expect((await start.ended).code).toBe(3);
    expect(start.stderr()).toContain('invalid_passphrase');
    expect(start.stderr()).toContain('no event snow');
    expect(start.stderr()).toContain('no market no-such-market');
    expect(await scene.venue.openOrders()).toEqual([]);
  });

  it('is refused where something else answers at the address', async ({ scene, expect }) => {
    const baseUrl = scene.venue.address().baseUrl.replace(/\/api$/, '/nowhere/api');
    await scene.configure({ venue: { baseUrl } });
    const start = scene.run({ VENUE_BASE_URL: baseUrl });
    expect((await start.ended).code).toBe(3);
    expect(start.stderr()).toContain('cannot reach the venue');
  });

  it('waits where nothing answers, and says so', async ({ scene, expect }) => {
    const baseUrl = 'http://127.0.0.1:9/api';
    await scene.configure({ venue: { baseUrl } });
    const start = scene.run({ VENUE_BASE_URL: baseUrl });
    await eventually('a start that waits', () =>
      start.stderr().includes('start.waiting') ? true : undefined,
    );
    start.signal('SIGTERM');
    expect((await start.ended).code).toBe(0);
  });

  it('is called off at once by a signal, even while the venue does not answer', async ({
    scene,
    expect,
  }) => {
    const action = { kind: 'delayReply', ms: 30_000 };
    await scene.configure({ venue: { requestTimeoutMs: 60_000 } });
    await scene.venue.control('fault', { path: '/time', times: 10, action });
    const start = scene.run();
    await eventually(
      'the lock',
      async () => await readdir(join(scene.folder, 'data')).catch(() => undefined),
    );
    const signalledAtMs = performance.now();
    start.signal('SIGTERM');
    expect(await start.ended).toEqual({ code: 0, signal: null });
    // Half of what the venue takes, as long as that may be on a busy machine.
    expect(performance.now() - signalledAtMs).toBeLessThan(15_000);
    expect(start.stdout()).toContain('nothing was placed');
    const left = await readdir(join(scene.folder, 'data'));
    expect(left.filter((name) => name.includes('lock'))).toEqual([]);
  });

  it('quotes with a clock that is an hour off', async ({ scene, expect }) => {
    await scene.venue.control('shiftClock', { ms: 3_600_000 });
    const start = scene.run();
    await scene.untilOpen(4);
    expect(start.stderr()).not.toContain('expired_timestamp');
  });

  it('survives a SIGHUP while its trader still loads', async ({ scene, expect }) => {
    const start = scene.run();
    await eventually('a trader', () =>
      start.stderr().includes('guard.trader_started') ? true : undefined,
    );
    for (let count = 0; count < 20; count += 1) {
      start.signal('SIGHUP');
      await new Promise<void>((resolve) => setTimeout(resolve, 50));
    }
    await scene.untilOpen(4);
    expect(start.stderr()).not.toContain('guard.trader_died');
  });
});
