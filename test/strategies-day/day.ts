// One strategy for some hours: the whole daemon on virtual time against the embedded venue and one of
// its crowds, watched by the auditor of the simulation.

import { createHash } from 'node:crypto';
import { VirtualClock } from '../../src/clock/virtual.ts';
import type { Command } from '../../src/domain/command.ts';
import { marketId } from '../../src/domain/ids.ts';
import type { Input } from '../../src/domain/input.ts';
import type { VenueMessage } from '../../src/domain/message.ts';
import { shares } from '../../src/domain/shares.ts';
import { ticksWithin } from '../../src/domain/ticks.ts';
import { usdc } from '../../src/domain/usdc.ts';
import type { ApiResponse } from '../../src/paper/api/message.ts';
import { type Random, seededRandom } from '../../src/paper/crowd/random.ts';
import { type SyntheticCrowd, startSyntheticCrowd } from '../../src/paper/crowd/synthetic.ts';
import { type DirectVenue, openDirectVenue } from '../../src/paper/direct.ts';
import { usdcOf } from '../../src/paper/exchange/amounts.ts';
import { Auditor } from '../simulation/audit/auditor.ts';
import type { Violation } from '../simulation/audit/room.ts';
import { KeyFile } from '../simulation/world/credentials.ts';
import { HostClock } from '../simulation/world/host.ts';
import type { Flight } from '../simulation/world/network.ts';
import {
  DaemonProcess as Run,
  type ProcessWatch as RunWatch,
} from '../simulation/world/process.ts';
import { Tally } from '../simulation/world/tally.ts';
import { Weather } from '../simulation/world/weather.ts';
import { Books } from './books.ts';
import { type CrowdName, crowdOf, eventOf, type Runner, settingsOf } from './lineup.ts';

export type DayOptions = {
  readonly runner: Runner;
  readonly crowd: CrowdName;
  readonly hours: number;
  readonly seed: number;
  /** When the outcome is known; it never is where nothing is said. */
  readonly resolvesAfterMs?: number;
};

export type DayResult = {
  readonly strategy: string;
  readonly crowd: CrowdName;
  readonly hours: number;
  readonly fills: number;
  readonly shares: number;
  readonly takenShares: number;
  /** Of those, from orders that the book had shown: no strategy but one that takes may have any. */
  readonly takenKnownShares: number;
  readonly meanNet: number;
  readonly largestNet: number;
  readonly markoutCents: number;
  readonly gainUsdc: number;
  /** When the loss limit ended the day early, if it did. */
  readonly haltedAfterHours: number | undefined;
  readonly writes: number;
  /** Chain actions that were asked for, oldest first. */
  readonly chain: readonly string[];
  /** What the account has at the end, and what the daemon says it earned. */
  readonly end: {
    readonly cashChangeUsdc: number;
    readonly feesUsdc: number;
    readonly pnlUsdc: number;
    readonly shares: readonly number[];
  };
  readonly mostWritesIn10s: number;
  readonly failures: readonly string[];
  readonly violations: readonly Violation[];
  readonly digest: string;
};

const START_MS = Date.UTC(2026, 10, 21);
/** Matches settle within this; the crowd has gone home by then. */
const SETTLE_MS = 30_000;
const LOOK_MS = 10_000;
const FEED_MS = 1_000;
const STRAY_MS = 60_000;
const WINDOW_MS = 10_000;
const HOUR_MS = 3_600_000;
const ORDER_WRITE = /^(POST \S*\/orders(\/market|\/batch)?|DELETE \S*\/orders\/[^?]+)$/;

const CHAIN_ACTION = /^POST \S*\/positions\/(split|merge|redeem)$/;

const STRAY = 'stray';
const CASH_USDC = 2_000;

/** Runs it; the same options give the same result. */
export async function runDay(options: DayOptions): Promise<DayResult> {
  return await new Day(options).run();
}

class Day implements RunWatch {
  readonly #options: DayOptions;
  readonly #clock = new VirtualClock({ startMs: START_MS });
  readonly #random: Random;
  readonly #venue: DirectVenue;
  readonly #crowd: SyntheticCrowd;
  readonly #auditor: Auditor;
  readonly #books: Books;
  readonly #run: Run;
  readonly #digest = createHash('sha256');
  readonly #failures = new Set<string>();
  readonly #chain: string[] = [];
  #writes = 0;
  #recentWrites: number[] = [];
  #mostWrites = 0;
  #isAwake = false;
  #haltedAtMs: number | undefined;

  constructor(options: DayOptions) {
    const { runner, seed, crowd } = options;
    this.#options = options;
    this.#random = seededRandom(`${seed}/day`);
    this.#venue = openDirectVenue({
      clock: this.#clock,
      timers: this.#clock,
      events: [eventOf(runner)],
      seed,
      startingCash: CASH_USDC,
      accountName: 'maker',
      // A fee marks what took: makers pay none.
      rules: {
        takerFeeBps: 100,
        complementMatching: runner.hasStrays !== true,
        // What has traded in part keeps shares in an order: a day is about strategies, which then mostly wait.
        partiallyFilledCancellable: true,
      },
    });
    this.#crowd = startSyntheticCrowd(this.#venue.desk, {
      seed: `${seed}/${crowd}`,
      timers: this.#clock,
      markets: { rain: crowdOf(runner, crowd, options.resolvesAfterMs) },
    });
    const account = this.#venue.exchange.accounts.named('maker');
    const nowMs = () => this.#clock.nowMs();
    const settings = settingsOf(runner);
    const marks = new Tally();
    this.#auditor = new Auditor({ venue: this.#venue, account, nowMs, marks, settings });
    this.#books = new Books(account, nowMs);
    this.#venue.exchange.listen((event) => this.#books.onEvent(event));
    this.#run = this.#createRun();
  }

  async run(): Promise<DayResult> {
    this.#auditor.onProcessStarts(1);
    this.#run.start();
    this.#every(LOOK_MS, () => this.#books.look((id) => this.#fairOf(id)));
    if (this.#options.runner.hasFeed === true) this.#every(FEED_MS, () => this.#feed());
    if (this.#options.runner.hasStrays === true) this.#every(STRAY_MS, () => this.#stray());
    await this.#runFor(this.#options.hours * HOUR_MS);
    const gainUsdc = this.#books.gain((id) => this.#fairOf(id));
    this.#crowd.stop();
    await this.#runFor(SETTLE_MS);
    const end = this.#end();
    this.#run.end();
    this.#venue.stop();
    return this.#result(gainUsdc, end);
  }

  onSent(flight: Flight): void {
    const { request } = flight;
    this.#auditor.onSent(flight);
    this.#digest.update(
      `${this.#clock.nowMs()} ${request.method} ${request.target} ${request.body}`,
    );
    const chain = CHAIN_ACTION.exec(`${request.method} ${request.target}`)?.[1];
    if (chain !== undefined) this.#chain.push(chain);
    if (!ORDER_WRITE.test(`${request.method} ${request.target}`)) return;
    const nowMs = this.#clock.nowMs();
    this.#writes += 1;
    this.#recentWrites = [...this.#recentWrites.filter((at) => at > nowMs - WINDOW_MS), nowMs];
    this.#mostWrites = Math.max(this.#mostWrites, this.#recentWrites.length);
  }

  during(flight: Flight, effect: () => void): void {
    this.#auditor.during(flight, effect);
  }

  onAnswer(flight: Flight, response: ApiResponse): void {
    this.#auditor.onAnswer(flight, response);
  }

  onInput(_input: Input): void {
    return;
  }

  onMessage(message: VenueMessage): void {
    this.#auditor.onMessage(message);
  }

  onCommand(command: Command): void {
    this.#auditor.onCommand(command);
    if (command.kind !== 'report') return;
    const { report } = command;
    if (report.event === 'strategy.failed') this.#failures.add(report.detail);
    if (report.event === 'risk.halted') this.#haltedAtMs ??= this.#clock.nowMs();
  }

  onBroke(error: Error): void {
    this.#auditor.onBroke(error);
  }

  #createRun(): Run {
    const { runner } = this.#options;
    return new Run({
      number: 1,
      clock: this.#clock,
      host: new HostClock(this.#clock),
      venue: this.#venue,
      weather: new Weather(this.#random.split('weather'), new Tally()),
      random: this.#random.split('run'),
      keys: new KeyFile(this.#venue.account),
      settings: settingsOf(runner),
      strategies: new Map([[runner.strategy.name, runner.strategy]]),
      watch: this,
      mutation: undefined,
      onWake: () => {
        this.#isAwake = true;
      },
    });
  }

  /** Somebody outside knows the fair value, give or take a little, and says so every second. */
  #feed(): void {
    for (const { market } of this.#listed()) {
      const fair = this.#fairOf(market.id);
      const price = Math.min(0.999, Math.max(0.001, fair + 0.002 * this.#random.normal()));
      const target = { kind: 'market', marketId: market.id } as const;
      const atMs = this.#clock.nowMs();
      const said = { price, logOddsVar: undefined, statedAtMs: undefined };
      this.#run.engine.step({ kind: 'fair', atMs, target, ...said });
    }
  }

  /** Offers of both tokens, six cents below one; a venue that matches them leaves none to see. */
  #stray(): void {
    const { desk } = this.#venue;
    desk.cancelAll(STRAY);
    for (const { market, grid } of this.#listed()) {
      const quantity = shares(10);
      desk.fund(STRAY, usdc(10));
      desk.mintSets(STRAY, market.id, quantity);
      const yes = Math.floor((this.#fairOf(market.id) - 0.03) * grid.ticksPerUnit);
      const no = grid.ticksPerUnit - yes - Math.round(0.06 * grid.ticksPerUnit);
      for (const [outcome, count] of [
        [market.yes, yes],
        [market.no, no],
      ] as const) {
        const price = ticksWithin(grid, count);
        if (price === undefined) continue;
        const order = { tokenId: outcome.tokenId, side: 'SELL', price, quantity } as const;
        desk.place(STRAY, { ...order, timeInForce: 'GTC' });
      }
    }
  }

  #fairOf(id: string): number {
    return this.#crowd.fairValue(marketId(id)) ?? 0.5;
  }

  #listed() {
    return this.#venue.exchange.catalogue.events().flatMap((listed) => listed.markets);
  }

  #every(periodMs: number, task: () => void): void {
    this.#clock.after(periodMs, () => {
      if (this.#run.isOver) return;
      task();
      this.#every(periodMs, task);
    });
  }

  async #runFor(durationMs: number): Promise<void> {
    const untilMs = this.#clock.nowMs() + durationMs;
    while (this.#auditor.violations.length === 0) {
      const dueMs = this.#clock.nextDueMs();
      if (dueMs === undefined || dueMs > untilMs) break;
      this.#clock.runUntil(dueMs);
      if (this.#isAwake) {
        this.#isAwake = false;
        await new Promise<void>((resolve) => {
          setImmediate(resolve);
        });
      }
      this.#auditor.check();
    }
    if (this.#auditor.violations.length === 0) this.#clock.runUntil(untilMs);
  }

  #haltedAfterHours(): number | undefined {
    return this.#haltedAtMs === undefined ? undefined : (this.#haltedAtMs - START_MS) / HOUR_MS;
  }

  #end(): DayResult['end'] {
    const account = this.#venue.exchange.accounts.named('maker');
    const tokens = this.#listed().flatMap(({ market }) => [market.yes, market.no]);
    return {
      cashChangeUsdc: usdcOf(account.cashNano).minus(CASH_USDC).toNumber(),
      feesUsdc: this.#books.fees,
      pnlUsdc: Number(this.#run.engine.view().account.pnlUsdc),
      shares: tokens.map(({ tokenId }) => account.sellableMicro(tokenId) / 1e6),
    };
  }

  #result(gainUsdc: number, end: DayResult['end']): DayResult {
    const { runner, crowd, hours } = this.#options;
    return {
      strategy: runner.strategy.name,
      crowd,
      hours,
      fills: this.#books.fills,
      shares: this.#books.shares,
      takenShares: this.#books.taken,
      takenKnownShares: this.#books.takenKnown,
      meanNet: this.#books.meanNet(),
      largestNet: this.#books.largestNet,
      markoutCents: this.#books.markoutCents(),
      gainUsdc,
      haltedAfterHours: this.#haltedAfterHours(),
      writes: this.#writes,
      chain: this.#chain,
      end,
      mostWritesIn10s: this.#mostWrites,
      failures: [...this.#failures],
      violations: this.#auditor.violations,
      digest: this.#digest.digest('hex'),
    };
  }
}
