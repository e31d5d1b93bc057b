// Fifty thousand frames at once, as after a stall: until the last of them is answered with an order, against a minimal
// program that reads them all and answers that one. Each alone.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRigDaemon } from '../rig/daemon.ts';
import { check, type GroupResult, quantile, type RunOptions } from '../rig/report.ts';
import { deltaText, type RigServer, startRigServer, tokenText } from '../rig/server.ts';
import { sleep, startMinimal, until } from './path.ts';

const FRAMES = 50_000;
const ROUNDS = 7;
const BETWEEN_MS = 500;
const ANSWER_MS_MAX = 20_000;
const CLIENTS = ['daemon', 'minimal'] as const;

export async function backlog({ isShort }: RunOptions): Promise<GroupResult> {
  const server = await startRigServer(1);
  const folder = mkdtempSync(join(tmpdir(), 'bookend-bench-'));
  const minimal = startMinimal(server, 'minimal', [tokenText(0, true)]);
  const daemon = startRigDaemon(server, { markets: 1, levels: 1, folder });
  const times: Record<(typeof CLIENTS)[number], number[]> = { daemon: [], minimal: [] };
  const frames = isShort ? 1_000 : FRAMES;
  try {
    await until(() => server.placedBy('daemon') > 0 && server.isSubscribed('minimal'), daemon.log);
    for (let round = 0; round < (isShort ? 2 : ROUNDS); round += 1) {
      for (const client of CLIENTS) {
        await sleep(BETWEEN_MS);
        times[client].push(await answered(server, client, frames, round));
      }
    }
  } finally {
    minimal.kill('SIGKILL');
    await daemon.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const of = (client: (typeof CLIENTS)[number]) => quantile(times[client], 0.3);
  const row = (client: (typeof CLIENTS)[number]) => [
    client,
    `${of(client).toFixed(0)} ms`,
    (of(client) / of('minimal')).toFixed(2),
  ];
  return {
    title: `${frames} frames at once → the order that answers the last of them`,
    head: ['program', 'took', 'ratio'],
    rows: CLIENTS.map(row),
    ratios: [{ name: 'backlog.took', value: of('daemon') / of('minimal') }],
  };
}

/** Behind the touch but for the last one, which moves the middle. */
async function answered(
  server: RigServer,
  client: (typeof CLIENTS)[number],
  frames: number,
  round: number,
): Promise<number> {
  const token = tokenText(0, true);
  const texts = Array.from({ length: frames - 1 }, (_, at) =>
    deltaText(token, 'bid', (20 + (at % 15)) / 100, 1 + ((at + round) % 900)),
  );
  const before = server.placedBy(client);
  const startedMs = performance.now();
  for (const text of texts) server.send(client, text);
  server.send(client, deltaText(token, 'bid', 0.42, round % 2 === 0 ? 1_000 : 0));
  while (server.placedBy(client) === before) {
    check(performance.now() - startedMs < ANSWER_MS_MAX, `${client} answers ${frames} frames`);
    await sleep(1);
  }
  return performance.now() - startedMs;
}
