// One death after the other, each at a random moment while hundreds of orders rest, timed by the
// records of the venue.

import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { RigDaemon, type RigPlan } from './daemon.ts';
import { RigVenue } from './venue.ts';

export const DEATHS = ['kill', 'stop', 'block', 'exit', 'parent'] as const;
export type DeathKind = (typeof DEATHS)[number];

export type Measured = {
  /** From the death to the moment after which the venue showed no order of the account. */
  readonly zeroMs: readonly number[];
  /** To the first order of the next run, and to seven in ten of all. Empty where there is none. */
  readonly firstQuoteMs: readonly number[];
  readonly allQuotesMs: readonly number[];
  readonly resting: readonly number[];
  /** Deaths after which orders stayed open, came back, were doubled, or a process was left. */
  readonly misses: readonly string[];
  readonly guardRssMb: number;
};

export type DeathOptions = {
  readonly times: number;
  readonly plan: RigPlan;
  /** A death comes at a random moment within so long. */
  readonly waitMsMax: number;
  /** Nobody who takes over within so long is a miss. */
  readonly takeOverMsMax?: number;
  readonly onDeath?: (count: number, sofar: Measured) => void;
};

/** Blocked for longer than any patience: only the guard ends it. */
const SPIN_MS = 20_000;
const LOOK_MS = 2;
/** On a machine that has little else to do. */
const TAKE_OVER_MS_MAX = 20_000;
const QUOTES_MS_MAX = 180_000;
/** The rest may wait for the proof that what was under way at the last death never arrived. */
const MOST = 0.7;
const DOUBLED_MS_MAX = 3_000;

/** Lets a daemon die so often in one way. */
export async function measureDeaths(kind: DeathKind, options: DeathOptions): Promise<Measured> {
  const venue = await RigVenue.start(options.plan.markets);
  const run = new Run(kind, venue, options);
  try {
    return await run.all();
  } finally {
    await run.end();
    await venue.stop();
  }
}

class Run {
  readonly #kind: DeathKind;
  readonly #venue: RigVenue;
  readonly #options: DeathOptions;
  readonly #zeroMs: number[] = [];
  readonly #firstQuoteMs: number[] = [];
  readonly #allQuotesMs: number[] = [];
  readonly #resting: number[] = [];
  readonly #misses: string[] = [];
  #guardRssMb = 0;
  #daemon: RigDaemon;

  constructor(kind: DeathKind, venue: RigVenue, options: DeathOptions) {
    this.#kind = kind;
    this.#venue = venue;
    this.#options = options;
    this.#daemon = new RigDaemon(venue, options.plan);
  }

  async all(): Promise<Measured> {
    await this.#untilMostRest();
    for (let count = 1; count <= this.#options.times; count += 1) {
      await sleep(Math.random() * this.#options.waitMsMax);
      await this.#untilMostRest();
      this.#resting.push(this.#venue.openCount());
      const isOver = await this.#oneDeath(count === this.#options.times);
      this.#options.onDeath?.(count, this.#measured());
      // Where nobody took over there is nobody left to die.
      if (!isOver) break;
    }
    return this.#measured();
  }

  #measured(): Measured {
    return {
      zeroMs: this.#zeroMs,
      firstQuoteMs: this.#firstQuoteMs,
      allQuotesMs: this.#allQuotesMs,
      resting: this.#resting,
      misses: this.#misses,
      guardRssMb: this.#guardRssMb,
    };
  }

  async end(): Promise<void> {
    await this.#daemon.end();
  }

  /** @returns Whether another run took over, or the last process ended. */
  async #oneDeath(isLast: boolean): Promise<boolean> {
    this.#guardRssMb = this.#daemon.guardRssMb();
    const { handovers } = this.#daemon;
    const diedAtMs = await this.#die();
    const isParent = this.#kind === 'parent';
    const isOver = () =>
      isParent ? this.#daemon.alive().length === 0 : this.#daemon.handovers > handovers;
    if (!(await this.#timeZero(diedAtMs, isOver))) return false;
    if (!isParent) await this.#timeFirstQuote(diedAtMs);
    if (isLast) return true;
    if (isParent) await this.#startAnew();
    else await this.#timeMostQuotes(diedAtMs);
    return true;
  }

  /**
   * The last moment with an open order before the next run takes over, or the last process ends.
   * @returns Whether that came in time.
   */
  async #timeZero(diedAtMs: number, isOver: () => boolean): Promise<boolean> {
    const { takeOverMsMax = TAKE_OVER_MS_MAX } = this.#options;
    let openAtMs = diedAtMs;
    let isOpen = true;
    while (!isOver() && Date.now() - diedAtMs < takeOverMsMax) {
      isOpen = this.#venue.openCount() > 0;
      if (isOpen) openAtMs = Date.now();
      await sleep(LOOK_MS);
    }
    this.#zeroMs.push(openAtMs - diedAtMs);
    const open = this.#venue.openCount();
    if (isOpen || open > 0) this.#misses.push(`${open} orders were left`);
    if (isOver()) return true;
    const what = this.#kind === 'parent' ? 'a process was left' : 'nobody took over';
    this.#misses.push(`${what} within ${takeOverMsMax} ms`);
    return false;
  }

  async #timeFirstQuote(diedAtMs: number): Promise<void> {
    await until('a quote', () => this.#venue.openCount() > 0, this.#daemon);
    this.#firstQuoteMs.push(Date.now() - diedAtMs);
  }

  /** What was under way at the death and never answered for waits for its proof first. */
  async #timeMostQuotes(diedAtMs: number): Promise<void> {
    await this.#untilMostRest();
    this.#allQuotesMs.push(Date.now() - diedAtMs);
    // One that is being replaced may show beside its successor for a moment.
    const untilMs = Date.now() + DOUBLED_MS_MAX;
    while (this.#venue.doubledCount() > 0 && Date.now() < untilMs) await sleep(LOOK_MS);
    const doubled = this.#venue.doubledCount();
    if (doubled > 0) this.#misses.push(`${doubled} orders are doubled`);
  }

  async #startAnew(): Promise<void> {
    await this.#daemon.stop();
    this.#daemon = new RigDaemon(this.#venue, this.#options.plan);
    await this.#untilMostRest();
  }

  async #untilMostRest(): Promise<void> {
    await until('quotes', () => this.#venue.openCount() >= this.#most(), this.#daemon);
  }

  /** Of the markets that are quoted: one whose strategy broke the trader rests for a minute, as it should. */
  #most(): number {
    const { markets, levels } = this.#options.plan;
    return Math.floor((markets - this.#daemon.suspendedMarkets()) * levels * 2 * MOST);
  }

  /** @returns When it died. */
  async #die(): Promise<number> {
    const { traderPid, guardPid, spinFile } = this.#daemon;
    switch (this.#kind) {
      case 'kill':
        return signalled(traderPid, 'SIGKILL');
      case 'stop':
        return signalled(traderPid, 'SIGSTOP');
      case 'parent':
        return signalled(guardPid, 'SIGKILL');
      case 'block':
        return await toldBy(spinFile, String(SPIN_MS), this.#daemon);
      case 'exit':
        return await toldBy(spinFile, 'exit', this.#daemon);
    }
  }
}

function signalled(pid: number, signal: 'SIGKILL' | 'SIGSTOP'): number {
  const atMs = Date.now();
  process.kill(pid, signal);
  return atMs;
}

/** The strategy renames the file at the moment from which on nothing else happens in its process. */
async function toldBy(file: string, what: string, daemon: RigDaemon): Promise<number> {
  const began = `${file}.began`;
  // Whole at once: an empty file would be read as a blocked loop of no length.
  writeFileSync(`${file}.new`, what);
  renameSync(`${file}.new`, file);
  await until('the strategy', () => existsSync(began), daemon);
  const atMs = statSync(began).ctimeMs;
  rmSync(began);
  return atMs;
}

async function until(what: string, isSo: () => boolean, daemon: RigDaemon): Promise<void> {
  const untilMs = Date.now() + QUOTES_MS_MAX;
  while (!isSo()) {
    if (Date.now() > untilMs)
      throw new Error(`no ${what}; the log ends:\n${daemon.log.slice(-5_000)}`);
    await sleep(LOOK_MS);
  }
}

async function sleep(durationMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, durationMs));
}
