// A death and a stop beside a chat that takes what it is sent, and one that never answers.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it as plain, vi } from 'vitest';
import { lastNoticesMs, stopDeadlineMs } from '../../src/app/stop-time.ts';
import { ensureBuilt } from '../support/build.ts';
import { LiveDaemon } from '../support/live-daemon.ts';
import { childrenOf, eventually } from '../support/processes.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

const KEY = 'T0-very-secret-part-of-an-address';
const open: Server[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function chat(answers: boolean): Promise<{ url: string; bodies: string[]; server: Server }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      bodies.push(text);
      if (answers) response.end('ok');
    });
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook/${KEY}`, bodies, server };
}

describe('people who are notified', () => {
  it('read of a death, and an address that hangs and then refuses changes neither the watchdog, the stop nor its exit code', async ({
    scene,
  }) => {
    const [good, hangs] = [await chat(true), await chat(false)];
    await scene.configure({ guard: { stopDeadlineSec: 6 } });
    const running = scene.run({ BOOKEND_NOTIFY_URLS: `${hangs.url} ${good.url}` });
    const daemon = await LiveDaemon.of(running);
    await scene.untilOpen(4);
    const [http] = await childrenOf(running.child.pid ?? 0, 'http');
    expect(readFileSync(`/proc/${http}/environ`, 'utf8')).not.toContain(KEY);

    process.kill(daemon.traderPid(), 'SIGKILL');
    const told = () => good.bodies.find((text) => text.includes('DEATH: the trader died'));
    await eventually('the notice of the death', told, { said: running.stderr });
    await daemon.untilSaid('guard.handed_over');
    await scene.untilOpen(4);

    // Between tries that are refused nothing of a notice keeps a process alive.
    hangs.server.closeAllConnections();
    hangs.server.close();
    const action = { kind: 'failBefore', status: 503 };
    await scene.venue.control('fault', { times: 100_000, action });
    const beganMs = performance.now();
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(4);
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    expect(hangs.bodies.length).toBeGreaterThan(0);
    for (const text of [running.stdout(), running.stderr(), ...good.bodies]) {
      expect(text).not.toContain(KEY);
    }
  });

  plain.each([1, 4, 20, 86_400])(
    'have what is left behind the last word of a stop of %i s, and half of it at the most',
    (stopDeadlineSec) => {
      const restMs = stopDeadlineSec * 1_000 - stopDeadlineMs({ stopDeadlineSec });
      expect(lastNoticesMs({ stopDeadlineSec })).toBeLessThanOrEqual(restMs / 2 + 1e-6);
      expect(lastNoticesMs({ stopDeadlineSec })).toBeGreaterThan(0);
    },
  );
});
