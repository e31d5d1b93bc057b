// One daemon against the embedded venue on virtual time, with a book on either side of many markets
// and nobody who trades by himself: for what takes minutes. It may die and live again on its ledger.

import { z } from 'zod';
import { VirtualClock } from '../../src/clock/virtual.ts';
import type { Command } from '../../src/domain/command.ts';
import type { CoreSettings } from '../../src/domain/input.ts';
import type { PersistedState } from '../../src/domain/record.ts';
import { shares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { usdc } from '../../src/domain/usdc.ts';
import { seededRandom } from '../../src/paper/crowd/random.ts';
import { type DirectVenue, openDirectVenue } from '../../src/paper/direct.ts';
import type { ExchangeOrder } from '../../src/paper/exchange/exchange-order.ts';
import type { PaperOptions } from '../../src/paper/options.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';
import { KeyFile } from '../simulation/world/credentials.ts';
import { Disk } from '../simulation/world/disk.ts';
import { HostClock } from '../simulation/world/host.ts';
import {
  DaemonProcess as Run,
  type ProcessWatch as RunWatch,
} from '../simulation/world/process.ts';
import { Tally } from '../simulation/world/tally.ts';
import { Weather } from '../simulation/world/weather.ts';

const START_MS = Date.UTC(2026, 10, 21);
/** Who stands on both sides of each book, and trades when a test says so. */
export const CROWD = 'crowd';
/** The daemon's account on the venue, and the cash that it begins with. */
export const MAKER = 'maker';
export const STARTING_CASH = 1_000_000;
const ORDER_WRITE = /^(POST \S*\/orders(\/market|\/batch)?|DELETE \S*\/orders\/[^?]+)$/;

const NAMED_CANCEL = /\/orders\/batch-cancel$/;
const HASHES = z.object({ orderHashes: z.array(z.string()) });

export type VirtualDaemonOptions = {
  readonly markets: number;
  readonly settings: CoreSettings;
  readonly rules?: PaperOptions['rules'];
  readonly timing?: PaperOptions['timing'];
};

export class VirtualDaemon {
  readonly clock = new VirtualClock({ startMs: START_MS });
  readonly venue: DirectVenue;
  /** When order writes left. */
  readonly writesAtMs: number[] = [];
  readonly reports: Extract<Command, { kind: 'report' }>['report'][] = [];
  /** What cancels named, in the order in which they left. */
  readonly cancelled: string[] = [];
  readonly broken: Error[] = [];
  trader: Run;
  readonly #random = seededRandom('virtual');
  /** What strikes requests and frames; nothing, until a test says so. */
  readonly weather = new Weather(this.#random.split('weather'), new Tally());
  readonly #host = new HostClock(this.clock);
  readonly #keys: KeyFile;
  readonly #settings: CoreSettings;
  #disk: Disk | undefined;
  #runs = 0;
  #isAwake = false;

  /** One whose runs keep a ledger. */
  static async remembering(options: VirtualDaemonOptions): Promise<VirtualDaemon> {
    const daemon = new VirtualDaemon(options);
    // A run of no length: nothing has left yet, and what comes next has a disk.
    daemon.die();
    await daemon.#openDisk();
    daemon.liveAgain();
    return daemon;
  }

  constructor({ markets, settings, rules, timing }: VirtualDaemonOptions) {
    this.#settings = settings;
    const slugs = Array.from({ length: markets }, (_, index) => `rain-${index}`);
    this.venue = openDirectVenue({
      clock: this.clock,
      timers: this.clock,
      events: [
        {
          slug: 'rain',
          title: 'Rain',
          category: 'weather',
          tickSize: '0.01',
          markets: slugs.map((slug) => ({ slug, title: slug })),
        },
      ],
      seed: 1,
      startingCash: STARTING_CASH,
      accountName: MAKER,
      ...(rules === undefined ? {} : { rules }),
      ...(timing === undefined ? {} : { timing }),
    });
    this.#openBooks();
    this.#keys = new KeyFile(this.venue.account);
    this.trader = this.#begin();
  }

  /** The process is gone from one moment to the next; what was sent is in flight. */
  die(): void {
    this.trader.end();
  }

  liveAgain(): void {
    this.trader = this.#begin();
  }

  /** What a next run would find. */
  get kept(): PersistedState | undefined {
    return this.#disk?.load();
  }

  /** The daemon's orders of which something rests, by the venue's own word. */
  orders(): readonly ExchangeOrder[] {
    const { exchange } = this.venue;
    const listed = exchange.openOrders(exchange.accounts.named(MAKER));
    return listed.filter((order) => order.restingMicro() > 0);
  }

  /** Orders of the daemon that can trade or be cancelled, by the venue's own word. */
  openOrders(): number {
    return this.orders().length;
  }

  /** Most order writes in any ten seconds since a moment. */
  mostWritesIn10s(sinceMs: number): number {
    const writes = this.writesAtMs.filter((at) => at >= sinceMs);
    return Math.max(
      0,
      ...writes.map((at) => writes.filter((other) => other >= at && other < at + 10_000).length),
    );
  }

  /** Lets time pass; `each` looks once a second. */
  async run(durationMs: number, each: () => void = () => {}): Promise<void> {
    const untilMs = this.clock.nowMs() + durationMs;
    let lookAtMs = this.clock.nowMs() + 1_000;
    for (;;) {
      const dueMs = this.clock.nextDueMs();
      if (dueMs === undefined || dueMs > untilMs) break;
      this.clock.runUntil(dueMs);
      if (this.#isAwake) {
        this.#isAwake = false;
        await new Promise<void>((resolve) => {
          setImmediate(resolve);
        });
      }
      if (this.clock.nowMs() < lookAtMs) continue;
      lookAtMs += 1_000;
      each();
    }
    this.clock.runUntil(untilMs);
  }

  async stop(): Promise<void> {
    this.trader.end();
    this.venue.stop();
    await this.#disk?.close();
  }

  async #openDisk(): Promise<void> {
    this.#disk = await Disk.open({ mode: 'file', clock: this.clock, weather: this.weather });
  }

  #begin(): Run {
    this.#runs += 1;
    const trader = new Run({
      number: this.#runs,
      clock: this.clock,
      host: this.#host,
      venue: this.venue,
      weather: this.weather,
      random: this.#random.split(`run/${this.#runs}`),
      keys: this.#keys,
      settings: this.#settings,
      strategies: new Map([[ladder.name, ladder as unknown as Strategy]]),
      watch: this.#watch(),
      mutation: undefined,
      ...(this.#disk === undefined ? {} : { disk: this.#disk }),
      onWake: () => {
        this.#isAwake = true;
      },
    });
    trader.start();
    return trader;
  }

  #watch(): RunWatch {
    return {
      onSent: ({ request }) => {
        if (NAMED_CANCEL.test(request.target)) this.cancelled.push(...hashesIn(request.body));
        const isWrite = ORDER_WRITE.test(`${request.method} ${request.target}`);
        if (isWrite) this.writesAtMs.push(this.clock.nowMs());
      },
      during: (_, effect) => effect(),
      onAnswer: () => {},
      onInput: () => {},
      onMessage: () => {},
      onBroke: (error) => this.broken.push(error),
      onCommand: (command) => {
        if (command.kind === 'report') this.reports.push(command.report);
      },
    };
  }

  #openBooks(): void {
    const { desk, exchange } = this.venue;
    const quantity = shares(1_000);
    for (const { market, grid } of exchange.catalogue.events().flatMap((each) => each.markets)) {
      desk.fund(CROWD, usdc(2_000));
      desk.mintSets(CROWD, market.id, quantity);
      const { tokenId } = market.yes;
      const quote = { tokenId, quantity, timeInForce: 'GTC' } as const;
      desk.place(CROWD, { ...quote, side: 'BUY', price: ticks(grid, 30) });
      desk.place(CROWD, { ...quote, side: 'SELL', price: ticks(grid, 70) });
    }
  }
}

function hashesIn(body: string): readonly string[] {
  return HASHES.parse(JSON.parse(body)).orderHashes;
}
