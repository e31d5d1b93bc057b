// The contenders: bookend as a user starts it, and the plain ladder, each a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { StateView } from '../../../src/domain/view.ts';
import { waitedForProcessorMs } from '../../support/processes.ts';
import type { Floor } from './floor.ts';

export type Contender = 'bookend' | 'plain';

/** What both are told to do. */
export type Quotes = {
  readonly halfSpreadTicks: number;
  readonly levels: number;
  readonly levelSpacingTicks: number;
  readonly size: number;
  readonly netSharesMax: number;
  readonly openOrdersMax: number;
};

export const USUAL_QUOTES: Quotes = {
  halfSpreadTicks: 3,
  levels: 2,
  levelSpacingTicks: 1,
  size: 20,
  netSharesMax: 500,
  openOrdersMax: 200,
};

export type BotOptions = {
  readonly quotes: Quotes;
  readonly isLight: boolean;
  /** What bookend is configured to do beside another trader on the account. */
  readonly conflict?: 'yield' | 'own-scope' | 'halt' | undefined;
};

const LOG_LENGTH_MAX = 400_000;
const JOURNAL = 'data/uptime.db';
const STOP_MS_MAX = 15_000;
const MAIN = resolve('dist/src/main.js');
const PLAIN = resolve('dist/uptime/test/uptime/plain-ladder.js');

/** Whoever ends the rig ends its bots. */
const alive = new Set<Bot>();
process.on('exit', () => {
  for (const bot of alive) bot.signalGroup();
});

export class Bot {
  readonly name: Contender;
  readonly #folder = mkdtempSync(join(tmpdir(), 'bookend-uptime-'));
  readonly #floor: Floor;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #log = '';
  #line = '';
  /** How often its log has said each event, since it started. */
  readonly events = new Map<string, number>();
  #address: string | undefined;
  /** Of the guard, when it had started its first trader. */
  #guardWaitedMs: number | undefined;

  constructor(name: Contender, floor: Floor, of: BotOptions) {
    this.name = name;
    this.#floor = floor;
    const config = name === 'bookend' ? bookendConfig(floor, of) : plainConfig(floor, of);
    writeFileSync(join(this.#folder, 'config.yaml'), JSON.stringify(config));
  }

  get log(): string {
    return this.#log;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** What the daemon says of itself; `undefined` while it serves nothing, or no trader is there. */
  async state(): Promise<StateView | undefined> {
    const address = this.#address;
    if (address === undefined) return undefined;
    try {
      const token = readFileSync(join(this.#folder, `${JOURNAL}.token`), 'utf8').trim();
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${address}/api/state`, { headers });
      const state = JSON.parse(await response.text());
      return response.ok && state.age?.trader !== 'down' ? state : undefined;
    } catch {
      return undefined;
    }
  }

  start(): void {
    const { apiKey, apiSecret, apiPassphrase } = this.#floor.credentials;
    const args = this.name === 'bookend' ? [MAIN, 'run', '--config'] : [PLAIN];
    const child = spawn(process.execPath, [...args, 'config.yaml'], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own: a kill takes guard and trader together.
      detached: true,
      env: {
        PATH: process.env['PATH'],
        VENUE_API_KEY: apiKey,
        VENUE_API_SECRET: apiSecret,
        VENUE_API_PASSPHRASE: apiPassphrase,
      },
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-LOG_LENGTH_MAX);
      this.#read(text);
      if (this.#traderPid() !== this.pid) this.#guardWaitedMs ??= waitedForProcessorMs(this.pid);
    });
    this.#child = child;
    alive.add(this);
    this.#ended = new Promise((done) => child.once('close', () => done()));
  }

  /** All of its processes at once, as when the machine loses its power. */
  async kill(): Promise<void> {
    this.signalGroup();
    await this.#ended;
    alive.delete(this);
  }

  /** The process that trades alone; its guard, where it has one, is left. */
  killTrader(): void {
    if (this.#traderPid() > 0) process.kill(this.#traderPid(), 'SIGKILL');
  }

  /** How long it was ready to run since it started and got no processor; a trader starts when its guard has. */
  waitedMs(): number {
    const own = waitedForProcessorMs(this.#traderPid());
    return this.#guardWaitedMs === undefined ? own : this.#guardWaitedMs + own;
  }

  async stop(): Promise<void> {
    this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => this.signalGroup(), STOP_MS_MAX);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Ends it by force and forgets its folder. */
  async end(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) {
      const event = /"event":"([^"]+)"/.exec(line)?.[1] ?? 'none';
      this.events.set(event, (this.events.get(event) ?? 0) + 1);
      this.#address = /"http":"(http:[^"]+)"/.exec(line)?.[1] ?? this.#address;
    }
  }

  #traderPid(): number {
    const started = /guard\.trader_started","run":\d+,"pid":(\d+)/g;
    return Number([...this.#log.matchAll(started)].at(-1)?.[1] ?? this.pid);
  }

  /** Kills all of its processes. */
  signalGroup(): void {
    try {
      if (this.pid > 0) process.kill(-this.pid, 'SIGKILL');
    } catch {
      // All of it is gone.
    }
  }
}

/** Everything but what is to be quoted, and the limits, stays as it is for a user. */
function bookendConfig(floor: Floor, { quotes, isLight, conflict }: BotOptions): object {
  const { netSharesMax, openOrdersMax, ...params } = quotes;
  return {
    venue: { baseUrl: floor.baseUrl, wsUrl: floor.wsUrl },
    markets: [{ event: floor.eventSlug, strategy: 'ladder', params: params }],
    risk: {
      // Under active trading shares of both tokens gather; what is limited here is the net position.
      maxPositionShares: 100_000,
      maxNetShares: netSharesMax,
      maxOpenOrders: openOrdersMax,
      maxOpenNotionalUsdc: 50_000,
      maxLossUsdc: 50_000,
      loss: { dayUsdc: 0, drawdownUsdc: 0 },
    },
    ...(conflict === undefined ? {} : { account: { conflict } }),
    http: { port: 0 },
    journal: { path: JOURNAL },
    guard: { restartsMax: 1_000, reserve: !isLight },
  };
}

function plainConfig(floor: Floor, { quotes }: BotOptions): object {
  return { baseUrl: floor.baseUrl, wsUrl: floor.wsUrl, event: floor.eventSlug, ...quotes };
}
