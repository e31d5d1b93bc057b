// The daemon as users run it, as a process of its own against the rig's server.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { traderNodeArgs } from '../../../src/app/node-args.ts';
import { type RigServer, watchedSlug } from './server.ts';

export type RigDaemon = {
  readonly pid: number;
  /** User and system time so far, and resident memory. */
  usage(): { readonly cpuMs: number; readonly rssMb: number };
  /** How old changes of watched books were at their strategies: so many ages, in ms. */
  agesMs(): readonly number[];
  /** What it wrote to stderr, the last of it. */
  log(): string;
  stop(): Promise<void>;
};

export type RigDaemonOptions = {
  readonly markets: number;
  readonly levels: number;
  /** Where its files go; the system's folder for such things without it. */
  readonly folder?: string;
  /** Events that are mirrored by a strategy that quotes nothing and measures how old books are. */
  readonly watchedEvents?: number;
  /** Whose orders it means, and so whether they wait for the disk; those of the account without it. */
  readonly scope?: 'account' | 'own';
  /** Audits and silence as they are by default; off without it. */
  readonly isAudited?: boolean;
  /** Of its metrics and state; any without it. */
  readonly port?: number;
  /** Ages of changes are written when so many have come; a thousand without it. */
  readonly agesAtOnce?: number;
};

/** Ticks of the kernel's process accounting in a second, on every Linux that Node supports. */
const CLOCK_TICKS_PER_SEC = 100;
const LOG_BYTES_MAX = 20_000;
/** Opens the state of the daemon. */
export const RIG_TOKEN = 'a-control-token-of-the-rig';

export function startRigDaemon(server: RigServer, options: RigDaemonOptions): RigDaemon {
  const folder = mkdtempSync(join(options.folder ?? tmpdir(), 'bookend-bench-'));
  // As users have them: the watched configuration does not stand where the ledger writes.
  const config = join(folder, 'config', 'bench.yaml');
  mkdirSync(join(folder, 'config'));
  writeFileSync(config, configText(server, folder, options));
  const agesFile = join(folder, 'ages.bin');
  // The compiled module stands beside this one; a configuration names one by a path from itself.
  const watcher = fileURLToPath(new URL('./watcher.js', import.meta.url));
  writeFileSync(join(folder, 'config', 'watcher.js'), `export * from '${watcher}';`);
  writeFileSync(join(folder, 'config', 'package.json'), '{ "type": "module" }');
  // Compiled to dist/bench/test/bench/rig; the daemon is the bundle that users start, dist/src.
  const main = fileURLToPath(new URL('../../../../src/main.js', import.meta.url));
  // A trader is started so by its guard; here it is its own.
  const nodeArgs = traderNodeArgs({ execArgv: [], nodeOptions: undefined });
  const child = spawn(process.execPath, [...nodeArgs, main, 'run', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      VENUE_API_KEY: 'key',
      VENUE_API_SECRET: 'secret',
      VENUE_API_PASSPHRASE: 'phrase',
      BOOKEND_CONTROL_TOKEN: RIG_TOKEN,
      RIG_AGES_FILE: agesFile,
      RIG_AGES_AT_ONCE: options.agesAtOnce?.toString(),
    },
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString('utf8')).slice(-LOG_BYTES_MAX);
  });
  return {
    pid: child.pid ?? 0,
    usage: () => usageOf(child),
    agesMs: () => agesIn(agesFile),
    log: () => log,
    stop: async () => {
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function usageOf(child: ChildProcess): { readonly cpuMs: number; readonly rssMb: number } {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const rssKb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { cpuMs: (ticks * 1_000) / CLOCK_TICKS_PER_SEC, rssMb: rssKb / 1_024 };
}

function agesIn(file: string): readonly number[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  return [...new Float64Array(new Uint8Array(bytes).buffer)];
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exit;
  clearTimeout(timer);
}

const UNAUDITED = 'trust: { ownOrderAuditMs: 0, auditsPerSec: 0, silenceFactor: 0 }';
/** Own orders are in no book of the rig. */
const AUDITED = 'trust: { ownOrderAuditMs: 0 }';

function configText(server: RigServer, folder: string, options: RigDaemonOptions): string {
  const { levels, watchedEvents = 0, isAudited = false, port = 0, scope = 'account' } = options;
  const client = scope === 'own' ? 'own' : 'daemon';
  const watched = Array.from(
    { length: watchedEvents },
    (_, event) => `\n  - { event: ${watchedSlug(event)}, strategy: ./watcher.js }`,
  );
  return `
venue: { baseUrl: '${server.baseUrl(client)}', wsUrl: '${server.wsUrl(client)}' }
markets:
  - event: bench
    strategy: ladder
    params: { halfSpreadTicks: 3, levels: ${levels}, levelSpacingTicks: 1, size: 10 }${watched.join('')}
# Nothing that a benchmark does on purpose may look like a runaway.
risk:
  maxPositionShares: 100000
  maxOrderNotionalUsdc: 1000
  maxOpenOrders: 2000
  maxMarketOpenOrders: 2000
  maxOpenNotionalUsdc: 10000000
  maxLossUsdc: 10000000
  loss: { dayUsdc: 0, drawdownUsdc: 0 }
  orderRate: { orders: 0 }
  fillBurst: { marketFills: 0, marketShares: 0, accountFills: 0, accountShares: 0 }
  divergence: { forMs: 0 }
# The rig lists no orders and shows none in its books, so what would notice that is put off.
orders: { scope: ${scope}, armedPlacements: true, gatherMs: 0, writesPer10s: 300, requote: { policy: distance } }
timing: { reconcileMs: 300000, proofQuietMs: 200, proofDeadlineMs: 1000 }
${isAudited ? AUDITED : UNAUDITED}
http: { port: ${port} }
# The process that is measured is the one that is started.
guard: { enabled: false }
journal: { path: '${join(folder, 'data', 'bench.db')}' }
logging: { level: warn }
`;
}
