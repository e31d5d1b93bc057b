// HTTP beside a trader that cannot answer: it is blocked, stopped or dead, and half of the town holds a
// connection open.

import { readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { CONTROL_TOKEN, LADDER, LiveDaemon } from '../support/live-daemon.ts';
import { childrenOf, eventually, ROOT, startBookend } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 2, testTimeout: 150_000 });

beforeAll(ensureBuilt);

const HALF_OPEN = 500;

async function crowd(address: string): Promise<readonly Socket[]> {
  const port = Number(new URL(address).port);
  const open = async (): Promise<Socket> =>
    await new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('POST /control/kill HTTP/1.1\r\nHo');
        resolve(socket);
      });
      socket.on('error', reject);
    });
  const sockets: Socket[] = [];
  for (let count = 0; count < HALF_OPEN; count += 1) {
    const socket = await open();
    socket.on('error', () => {});
    sockets.push(socket);
  }
  return sockets;
}

/** The kill that was answered the quickest of a few; a machine that is busy is late for once, not always. */
async function timedKill(daemon: LiveDaemon) {
  const beganMs = performance.now();
  const answer = await daemon.ask('control/kill');
  return { ...answer, tookMs: performance.now() - beganMs };
}

/** A trader whose loop does not turn, as one that computes for ever: its guard waits for longer than this. */
async function blocked(scene: Scene): Promise<LiveDaemon> {
  await scene.configure({ guard: { silenceMs: 60_000 } });
  const daemon = await scene.quoting();
  process.kill(daemon.traderPid(), 'SIGSTOP');
  return daemon;
}

describe.concurrent('a kill over HTTP while the loop of the trader is blocked', () => {
  it('is answered within 250 ms, beside 500 connections that are half open, and cancels', async ({
    scene,
    expect,
  }) => {
    const daemon = await blocked(scene);
    const sockets = await crowd(daemon.address);
    const answers = [await timedKill(daemon), await timedKill(daemon), await timedKill(daemon)];
    const [first] = answers;
    expect(first?.status).toBe(202);
    expect(first?.body).toMatchObject({ accepted: 'kill', trader: 'has not turned yet' });
    expect(Math.min(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(250);
    await scene.untilOpen(0);
    // The latch is the guard's work, too, so that no later run quotes.
    await eventually('the latch', async () => {
      const file = join(scene.folder, 'data/test.db.killed');
      const text = await readFile(file, 'utf8').catch(() => undefined);
      return text?.includes('http 127.0.0.1') ? true : undefined;
    });
    for (const socket of sockets) socket.destroy();
    process.kill(daemon.traderPid(), 'SIGCONT');
    await daemon.untilPhase('killed');
    expect(await scene.venue.openOrders()).toEqual([]);
  });

  it('holds for the run after it, and is confirmed without the one that was killed', async ({
    scene,
    expect,
  }) => {
    const daemon = await scene.quoting();
    process.kill(daemon.traderPid(), 'SIGSTOP');
    const proof = daemon.ask('control/kill?wait=proof');
    await scene.untilOpen(0);
    process.kill(daemon.traderPid(), 'SIGKILL');
    const { status, body } = await proof;
    expect([status, body['kind']]).toEqual([200, 'confirmed']);
    await daemon.until('the killed run', ({ phase, guard }) =>
      phase === 'killed' && guard?.run === 2 ? true : undefined,
    );
    expect(await scene.venue.openOrders()).toEqual([]);
  });
});

describe.concurrent('what is asked of a trader that does not turn', () => {
  it('is accepted and not confirmed, and obeyed when it turns', async ({ scene, expect }) => {
    const daemon = await blocked(scene);
    const { status, body } = await daemon.ask('control/pause');
    expect([status, body['isConfirmed']]).toEqual([202, false]);
    process.kill(daemon.traderPid(), 'SIGCONT');
    await daemon.untilPhase('paused');
    await scene.untilOpen(0);
  });

  it('shows in probes and in the state how old it is', async ({ scene, expect }) => {
    const daemon = await blocked(scene);
    await eventually('a probe that fails', async () =>
      (await fetch(`${daemon.address}/healthz`)).status === 503 ? true : undefined,
    );
    expect((await fetch(`${daemon.address}/readyz`)).status).toBe(503);
    expect((await fetch(`${daemon.address}/metrics`)).status).toBe(503);
    const headers = { authorization: `Bearer ${CONTROL_TOKEN}` };
    const state = await fetch(`${daemon.address}/api/state`, { headers });
    expect(JSON.parse(await state.text()).age.trader).toBe('stuck');
    process.kill(daemon.traderPid(), 'SIGCONT');
    await eventually('a probe that passes', async () =>
      (await fetch(`${daemon.address}/healthz`)).status === 200 ? true : undefined,
    );
  });
});

describe.concurrent('a daemon without a token', () => {
  it('leaves one for its own user, by which its commands reach it', async ({ scene, expect }) => {
    const env = scene.venue.credentials();
    const daemon = scene.run({ BOOKEND_CONTROL_TOKEN: '' });
    await eventually('the daemon', () =>
      daemon.stderr().includes('"event":"daemon.started"') ? true : undefined,
    );
    const address = /"http":"(http:[^"]+)"/.exec(daemon.stderr())?.[1] ?? '';
    const { mode } = await stat(join(scene.folder, 'data/test.db.token'));
    expect(mode & 0o777).toBe(0o600);
    expect((await stat(join(scene.folder, 'data'))).mode & 0o777).toBe(0o700);
    expect((await fetch(`${address}/api/state`)).status).toBe(401);
    await scene.listenAt(Number(new URL(address).port));
    const status = startBookend(['status', '--config', 'config.yaml'], { cwd: scene.folder, env });
    expect((await status.ended).code).toBe(0);
    expect(status.stdout()).toContain('MARKET');
  });
});

describe.concurrent('the charts of the console', () => {
  it('go on over a restart with what the runs before it left', async ({ scene, expect }) => {
    const first = await scene.quoting();
    first.process.signal('SIGTERM');
    await first.process.ended;
    const stoppedMs = Date.now();
    const second = await scene.quoting();
    const headers = { authorization: `Bearer ${CONTROL_TOKEN}` };
    for (const query of ['', `?market=${scene.venue.market('rain').id}`]) {
      await eventually('points of both runs', async () => {
        const answer = await fetch(`${second.address}/api/history${query}`, { headers });
        const { at } = (await answer.json()) as { readonly at: readonly number[] };
        const isBoth = (at[0] ?? Number.NaN) < stoppedMs && (at.at(-1) ?? Number.NaN) > stoppedMs;
        expect(at).toEqual([...at].sort((one, other) => one - other));
        return isBoth ? true : undefined;
      });
    }
  });
});

describe.concurrent('what a second process does with complete sets', () => {
  it('is on record with who asked for it, beside a daemon and without one', async ({
    scene,
    expect,
  }) => {
    const bookend = async (...args: readonly string[]) => {
      const run = scene.command(...args);
      expect((await run.ended).code, run.stderr()).toBe(0);
      return run.stdout();
    };
    const market = ['--market', scene.venue.market('rain').id, '--event', 'rain'];
    const daemon = await scene.quoting();
    await scene.listenAt(Number(new URL(daemon.address).port));
    await bookend('split', ...market, '--amount', '5');
    daemon.process.signal('SIGTERM');
    await daemon.process.ended;
    // The venue shows what a split has made a moment after the split is confirmed.
    await eventually('sets that can be merged', async () => {
      const look = scene.command('merge', ...market, '--amount', '5', '--dry-run');
      return (await look.ended).code === 0 ? true : undefined;
    });
    await bookend('merge', ...market, '--amount', '5');
    const events = (await bookend('events')).split('\n');
    const said = (action: string) => events.filter((line) => line.includes(` ${action} of `));
    expect(said('split').at(-1)).toMatch(
      /by http [\d.]+, bookend split \(.*process \d+\): confirmed; 5 /,
    );
    expect(said('merge')[0]).toMatch(/by bookend merge \(.*process \d+\): sent; no daemon ran; 5/);
    expect(said('merge').at(-1)).toMatch(/: confirmed; no daemon ran; 5 0x/);
  });
});

describe.concurrent('the process that serves HTTP', () => {
  it('is begun anew when it dies, and the trader goes on', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    const [pid] = await childrenOf(daemon.process.child.pid, 'http');
    if (pid === undefined) throw new Error('nobody serves HTTP');
    process.kill(pid, 'SIGKILL');
    await daemon.untilSaid('"event":"http.died"');
    await daemon.until('the state', ({ phase }) => (phase === 'quoting' ? true : undefined));
    expect(await scene.venue.openOrders()).toHaveLength(4);
    expect(daemon.traderPids()).toHaveLength(1);
  });

  it('is begun anew when it hangs, after half a minute without a sign of it', async ({
    scene,
    expect,
  }) => {
    const daemon = await scene.quoting();
    const [pid] = await childrenOf(daemon.process.child.pid, 'http');
    if (pid === undefined) throw new Error('nobody serves HTTP');
    process.kill(pid, 'SIGSTOP');
    await daemon.untilSaid('"event":"http.hung"');
    await daemon.until('the state', ({ phase }) => (phase === 'quoting' ? true : undefined));
    expect(await scene.venue.openOrders()).toHaveLength(4);
    expect(daemon.process.stderr()).not.toContain('"event":"guard.trader_died"');
  });

  it('has no secret in its environment nor in its arguments', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    const [pid] = await childrenOf(daemon.process.child.pid, 'http');
    const seen = await Promise.all(
      ['environ', 'cmdline'].map(async (name) => await readFile(`/proc/${pid}/${name}`, 'utf8')),
    );
    for (const secret of [CONTROL_TOKEN, ...Object.values(scene.venue.credentials())]) {
      expect(seen.join('')).not.toContain(secret);
    }
  });

  it('previews a strategy that stands beside the configuration, and reads no secret that stands there', async ({
    scene,
    expect,
  }) => {
    await writeFile(join(scene.folder, '.env'), 'BOOKEND_VIEW_TOKEN=\n');
    await writeFile(join(scene.folder, 'mine.js'), OWN_STRATEGY);
    await scene.configure({ markets: [{ event: 'rain', strategy: './mine.js', params: LADDER }] });
    const daemon = await scene.quoting();
    const text = await readFile(join(scene.folder, 'config.yaml'), 'utf8');
    const config = JSON.stringify({ ...JSON.parse(text), risk: { maxLossUsdc: 900 } });
    const { status, body } = await daemon.ask('api/preview', { config });
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(JSON.stringify(body)).toContain('900');
    expect(daemon.process.stderr()).not.toContain('http.reads_all');
    if (!process.allowedNodeEnvironmentFlags.has('--permission')) return;
    const [pid] = await childrenOf(daemon.process.child.pid, 'http');
    const reads = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    expect(reads).toContain(`--allow-fs-read=${join(scene.folder, 'mine.js')}`);
    expect(reads.filter((each) => /\.env|fs-read=\*/.test(each))).toEqual([]);
    expect(await readlink(`/proc/${pid}/cwd`)).not.toBe(scene.folder);
  });

  it('is there although Node is made to load a file that it may not read', async ({
    scene,
    expect,
  }) => {
    await writeFile(join(scene.folder, 'hook.cjs'), '');
    const process = scene.run({ NODE_OPTIONS: '--require ./hook.cjs' });
    const daemon = await LiveDaemon.of(process);
    await daemon.until('the state', ({ phase }) => (phase === 'quoting' ? true : undefined));
    expect(await scene.venue.openOrders()).toHaveLength(4);
  });
});

const OWN_STRATEGY = `
import { strategy as ladder } from '${join(ROOT, 'dist/strategies/ladder.js')}';
export const strategy = { ...ladder, name: 'mine', summary: 'As the ladder.' };
`;
