// `bookend run` as a user starts it: a guard, and below it the trader.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RigVenue } from './venue.ts';

export type RigPlan = {
  readonly markets: number;
  readonly levels: number;
  /** Where the venue is reached, if not directly. */
  readonly address?: { readonly baseUrl: string; readonly wsUrl: string };
  readonly env?: Readonly<Record<string, string>>;
};

const LOG_LENGTH_MAX = 200_000;

type Line = {
  readonly event?: string;
  readonly pid?: number;
  readonly quietForMs?: number;
  readonly bytes?: number;
  readonly place?: string;
  readonly forMs?: number;
};

export class RigDaemon {
  readonly spinFile: string;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #log = '';
  #rest = '';
  #traderPid = 0;
  #handovers = 0;
  readonly #traderPids: number[] = [];
  /** Until when a market is not asked for, since its strategy broke a trader. */
  readonly #suspendedUntilMs = new Map<string, number>();
  /** What a process said that it holds, by its number; see `held.js`. */
  readonly heldBytes = new Map<number, number>();

  constructor(venue: RigVenue, plan: RigPlan) {
    this.#folder = mkdtempSync(join(tmpdir(), 'bookend-deaths-'));
    this.spinFile = join(this.#folder, 'spin');
    const strategies = writeStrategies(this.#folder, plan.markets);
    writeFileSync(join(this.#folder, 'config.yaml'), configText(venue, strategies, plan));
    const { apiKey, apiSecret, apiPassphrase } = venue.venue.account;
    this.#child = spawn(
      process.execPath,
      [resolve('dist/src/main.js'), 'run', '--config', 'config.yaml'],
      {
        cwd: this.#folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          PATH: process.env['PATH'],
          BOOKEND_SPIN_FILE: this.spinFile,
          VENUE_API_KEY: apiKey,
          VENUE_API_SECRET: apiSecret,
          VENUE_API_PASSPHRASE: apiPassphrase,
          ...plan.env,
        },
      },
    );
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.#ended = new Promise((done) => this.#child.once('exit', () => done()));
  }

  get guardPid(): number {
    return this.#child.pid ?? 0;
  }

  get traderPid(): number {
    return this.#traderPid;
  }

  /** Times a trader took over from the guard after a death. */
  get handovers(): number {
    return this.#handovers;
  }

  /** Markets that nobody quotes for now. */
  suspendedMarkets(): number {
    const nowMs = Date.now();
    return [...this.#suspendedUntilMs.values()].filter((untilMs) => untilMs > nowMs).length;
  }

  get log(): string {
    return this.#log;
  }

  /** Resident memory of the guard. */
  guardRssMb(): number {
    const status = readFileSync(`/proc/${this.guardPid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  }

  /** Processes of this daemon that are still there. */
  alive(): readonly number[] {
    return [this.guardPid, ...this.#traderPids].filter(isAlive);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#killAll(), 15_000);
    await this.#ended;
    clearTimeout(timer);
    this.#clear();
  }

  /** Ends it by force: a clean end would wait for what the last death left unanswered. */
  async end(): Promise<void> {
    this.#killAll();
    await this.#ended;
    this.#clear();
  }

  #clear(): void {
    // Who was killed a moment ago may still write a last file.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #killAll(): void {
    for (const pid of this.alive()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It went by itself.
      }
    }
  }

  #read(text: string): void {
    this.#log = (this.#log + text).slice(-LOG_LENGTH_MAX);
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(parsed(line));
  }

  #onLine({ event, pid, bytes, place, forMs }: Line): void {
    if (event === 'guard.strategy_suspended' && place !== undefined) {
      this.#suspendedUntilMs.set(place, Date.now() + (forMs ?? 0));
    }
    if (event === 'rig.held' && pid !== undefined) this.heldBytes.set(pid, bytes ?? 0);
    if (event === 'guard.handed_over') this.#handovers += 1;
    if (event !== 'guard.trader_started' || pid === undefined) return;
    this.#traderPid = pid;
    this.#traderPids.push(pid);
  }
}

function parsed(line: string): Line {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Each market has a strategy of its own: one that broke in three markets within a minute is asked for none of them,
 * and what is timed here is the return from a death, not the pause of a strategy.
 */
function writeStrategies(folder: string, markets: number): readonly string[] {
  const spin = JSON.stringify(pathToFileURL(resolve('test/process/spin.js')).href);
  return Array.from({ length: markets }, (_, index) => {
    const text = `import { strategy as spin } from ${spin};\nexport const strategy = { ...spin, name: 'spin-${index}' };\n`;
    writeFileSync(join(folder, `spin-${index}.js`), text);
    return `./spin-${index}.js`;
  });
}

function configText(rig: RigVenue, strategies: readonly string[], plan: RigPlan): string {
  const { venue, eventSlug, marketIds } = rig;
  const { levels, address = venue } = plan;
  const params = { halfSpreadTicks: 3, levels, size: 10 };
  return JSON.stringify({
    venue: { baseUrl: address.baseUrl, wsUrl: address.wsUrl },
    markets: strategies.map((strategy, index) => {
      return { event: eventSlug, market: marketIds[index], strategy, params };
    }),
    risk: { maxPositionShares: 100_000, maxOpenOrders: 2_000, maxLossUsdc: 1_000_000 },
    orders: { writesPer10s: 300, requote: { policy: 'distance' } },
    timing: { proofQuietMs: 1_000 },
    http: { port: 0 },
    journal: { path: 'data/deaths.db' },
    logging: { level: 'info' },
    // Deaths by the hundred are the point here.
    guard: { restartsMax: 1_000, restartWindowMs: 1_000, backoffMsMax: 100 },
  });
}
