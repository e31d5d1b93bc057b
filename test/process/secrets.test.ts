// Secrets in the hands of real processes: a venue that repeats them everywhere, looked for in all that is shown,
// written and handed on.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { CONTROL_TOKEN } from '../support/live-daemon.ts';
import { childrenOf, eventually } from '../support/processes.ts';
import { it } from '../support/scene.ts';
import { EchoProxy } from './rig/echo-proxy.ts';

vi.setConfig({ maxConcurrency: 2, testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** What nobody may see of a secret: most of it, in each of its shapes. */
function partsOf(secret: string): readonly string[] {
  const middle = (text: string) => text.slice(2, -2);
  return [
    secret.slice(0, 12),
    secret.slice(-12),
    middle(encodeURIComponent(secret)),
    middle(Buffer.from(secret).toString('hex')),
    Buffer.from(`user:${secret}`).toString('base64').slice(8, -6),
  ];
}

describe.concurrent('a venue that repeats what it is sent', () => {
  it('has no secret of ours shown or kept anywhere', async ({ scene, expect }) => {
    // The venue is never told the control token, and has it from nowhere.
    const sent = Object.values(scene.venue.credentials());
    const secrets = [...sent, CONTROL_TOKEN];
    const proxy = new EchoProxy(scene.venue.address(), sent);
    await proxy.start();
    await scene.configure({
      ...{ venue: proxy.address, logging: { level: 'debug' }, journal: { recordInputs: true } },
      timing: { proofDeadlineMs: 1_500 },
    });
    const daemon = await scene.quoting();
    proxy.isEchoing = true;
    await sleep(1_500);
    await scene.listenAt(Number(new URL(daemon.address).port));
    const shown: Record<string, string> = {};
    const headers = { authorization: `Bearer ${CONTROL_TOKEN}` };
    for (const path of ['api/state', 'metrics', 'readyz']) {
      shown[path] = await (await fetch(`${daemon.address}/${path}`, { headers })).text();
    }
    const asked = [['doctor', '--json'], ['doctor'], ['fills'], ['status', '--json']];
    const kills = [
      ['kill', '--deadline', '2'],
      ['kill', '--json', '--deadline', '2'],
    ];
    const set = { id: 'x', action: 'split', amount: '5', market: scene.venue.market('rain').id };
    const tell = async (path: string, body?: object): Promise<void> => {
      shown[path] = JSON.stringify(await daemon.ask(path, body));
    };
    await Promise.all([
      ...[...asked, ...kills].map(async (args) => {
        const command = scene.command(...args);
        await command.ended;
        shown[args.join(' ')] = command.stdout() + command.stderr();
      }),
      tell('control/sets', set),
      tell('control/kill?wait=proof'),
    ]);
    proxy.isEchoing = false;
    daemon.process.signal('SIGTERM');
    await daemon.process.ended;
    shown['log'] = daemon.process.stdout() + daemon.process.stderr();
    const data = join(scene.folder, 'data');
    for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
      const path = join(data, name);
      if (statSync(path).isFile()) shown[name] = readFileSync(path, 'latin1');
    }
    proxy.stop();
    const replay = scene.command('replay', data);
    expect([await replay.ended, replay.stderr()]).toMatchObject([{ code: 0 }, '']);
    shown['replay'] = replay.stdout();
    expect(shown['replay']).toContain('the same: every command is as it was recorded, checksum');

    expect(proxy.echoes).toBeGreaterThan(20);
    for (const place of ['log', 'test.db.inputs.ndjson']) {
      expect([place, shown[place]?.includes('[secret]')]).toEqual([place, true]);
    }
    const leaks = Object.entries(shown).flatMap(([place, text]) =>
      secrets.flatMap(partsOf).flatMap((part) => {
        const at = text.indexOf(part);
        return at < 0 ? [] : [`${place}: ${text.slice(Math.max(0, at - 80), at + 120)}`];
      }),
    );
    expect(leaks).toEqual([]);
  });
});

describe.concurrent('the processes below a watchdog', () => {
  it.runIf(process.platform === 'linux')(
    'have no secret in their arguments, and in their environment their own alone',
    async ({ scene, expect }) => {
      const daemon = scene.run({ GITHUB_TOKEN: 'ghp_of_somebody_else', FEED_ODDS: 'feed-login' });
      const pid = daemon.child.pid ?? 0;
      const child = async (command: string) =>
        await eventually(command, async () => (await childrenOf(pid, command))[0]);
      const trader = await child('trader');
      const http = await child('http');
      const key = scene.venue.credentials()['VENUE_API_KEY'] ?? '?';
      const env = (of: number) => readFileSync(`/proc/${of}/environ`, 'utf8');
      for (const each of [pid, trader, http]) {
        expect(readFileSync(`/proc/${each}/cmdline`, 'utf8')).not.toContain(key);
      }
      expect(env(trader)).toContain(`VENUE_API_KEY=${key}`);
      expect(env(trader)).toContain('FEED_ODDS=feed-login');
      for (const secret of ['ghp_of_somebody_else', CONTROL_TOKEN]) {
        expect(env(trader)).not.toContain(secret);
      }
      for (const secret of [key, 'ghp_of_somebody_else', 'feed-login', CONTROL_TOKEN]) {
        expect(env(http)).not.toContain(secret);
      }
    },
  );
});
