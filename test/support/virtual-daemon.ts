// One daemon against the embedded venue on virtual time, with a book on either side of many markets
// and nobody who trades: for what takes minutes.

import { VirtualClock } from '../../src/clock/virtual.ts';
import type { Command } from '../../src/domain/command.ts';
import type { CoreSettings } from '../../src/domain/input.ts';
import { shares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { usdc } from '../../src/domain/usdc.ts';
import { seededRandom } from '../../src/paper/crowd/random.ts';
import { type DirectVenue, openDirectVenue } from '../../src/paper/direct.ts';
import type { PaperOptions } from '../../src/paper/options.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';
import { KeyFile } from '../simulation/world/credentials.ts';
import { HostClock } from '../simulation/world/host.ts';
import { Life, type LifeWatch } from '../simulation/world/life.ts';
import { Tally } from '../simulation/world/tally.ts';
import { Weather } from '../simulation/world/weather.ts';

const START_MS = Date.UTC(2026, 10, 21);
const CROWD = 'crowd';
const ORDER_WRITE = /^(POST \S*\/orders(\/market|\/batch)?|DELETE \S*\/orders\/[^?]+)$/;

export type VirtualDaemonOptions = {
  readonly markets: number;
  readonly settings: CoreSettings;
  readonly rules?: PaperOptions['rules'];
};

export class VirtualDaemon {
  readonly clock = new VirtualClock({ startMs: START_MS });
  readonly venue: DirectVenue;
  readonly life: Life;
  /** When order writes left. */
  readonly writesAtMs: number[] = [];
  readonly reports: Extract<Command, { kind: 'report' }>['report'][] = [];
  readonly broken: Error[] = [];
  #isAwake = false;

  constructor({ markets, settings, rules }: VirtualDaemonOptions) {
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
      startingCash: 1_000_000,
      accountName: 'maker',
      ...(rules === undefined ? {} : { rules }),
    });
    this.#openBooks();
    const random = seededRandom('virtual');
    this.life = new Life({
      number: 1,
      clock: this.clock,
      host: new HostClock(this.clock),
      venue: this.venue,
      weather: new Weather(random.split('weather'), new Tally()),
      random: random.split('life'),
      keys: new KeyFile(this.venue.account),
      settings,
      strategies: new Map([[ladder.name, ladder as unknown as Strategy]]),
      watch: this.#watch(),
      mutation: undefined,
      onWake: () => {
        this.#isAwake = true;
      },
    });
    this.life.start();
  }

  /** Orders of the daemon that can trade or be cancelled, by the venue's own word. */
  openOrders(): number {
    const account = this.venue.exchange.accounts.named('maker');
    return this.venue.exchange.openOrders(account).length;
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

  stop(): void {
    this.life.end();
    this.venue.stop();
  }

  #watch(): LifeWatch {
    return {
      onSent: ({ request }) => {
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
