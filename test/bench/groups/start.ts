// A process from its start to its first order, and what it holds in memory then, by the number of its markets.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRigDaemon } from '../rig/daemon.ts';
import type { GroupResult, Ratio, RunOptions } from '../rig/report.ts';
import { startRigServer, tokenText } from '../rig/server.ts';
import { sleep, startMinimal, until } from './path.ts';

const MARKETS = [1, 20, 200, 1_000] as const;
/** Until what the start has littered is gone. */
const SETTLED_MS = 3_000;
const POLL_MS = 5;

type Started = { readonly firstMs: number; readonly leastMs: number; readonly rssMb: number };

export async function start({ isShort }: RunOptions): Promise<GroupResult> {
  const rows: string[][] = [];
  const ratios: Ratio[] = [];
  for (const markets of isShort ? [1] : MARKETS) {
    const { firstMs, leastMs, rssMb } = await measured(markets, isShort ? 100 : SETTLED_MS);
    const times = [firstMs, leastMs].map((ms) => `${Math.round(ms)} ms`);
    rows.push([`${markets}`, ...times, `${rssMb.toFixed(0)} MB`]);
    ratios.push({ name: `start.${markets}.rssMb`, value: rssMb });
    if (markets !== 1) continue;
    ratios.push(
      { name: 'start.firstQuoteSec', value: firstMs / 1_000, aimMax: 1 },
      { name: 'start.firstQuote', value: firstMs / leastMs },
    );
  }
  return {
    title: 'from the start of a process to its first order, and what it holds then',
    head: ['markets', 'first order', 'least: the minimal program subscribes', 'resident'],
    rows,
    ratios,
  };
}

/** The daemon, then the minimal program, each alone. */
async function measured(markets: number, settledMs: number): Promise<Started> {
  const server = await startRigServer(markets);
  const folder = mkdtempSync(join(tmpdir(), 'bookend-bench-'));
  const daemonMs = performance.now();
  const daemon = startRigDaemon(server, { markets, levels: 1, folder });
  try {
    const firstMs = await when(() => server.placedBy('daemon') > 0, daemonMs, daemon.log);
    await until(() => server.placedBy('daemon') >= markets, daemon.log);
    await sleep(settledMs);
    const { rssMb } = daemon.usage();
    await daemon.stop();
    const minimalMs = performance.now();
    const minimal = startMinimal(server, 'minimal', [tokenText(0, true)]);
    const leastMs = await when(
      () => server.isSubscribed('minimal'),
      minimalMs,
      () => '',
    );
    minimal.kill('SIGKILL');
    return { firstMs, leastMs, rssMb };
  } finally {
    await daemon.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function when(holds: () => boolean, sinceMs: number, log: () => string): Promise<number> {
  await until(holds, log, POLL_MS);
  return performance.now() - sinceMs;
}
