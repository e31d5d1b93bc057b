// The real core, loop and client against an embedded venue, in this process and over loopback.

import { createLoop, type Loop } from '../../../src/app/loop.ts';
import { CardFailure } from '../../../src/cli/doctor/card.ts';
import { createEngine, type Engine } from '../../../src/core/engine.ts';
import type { VenuePort } from '../../../src/domain/command.ts';
import type { AccountOrder, CoreSettings } from '../../../src/domain/input.ts';
import type { Report, ReportEvent } from '../../../src/domain/report.ts';
import type { Phase, StateView } from '../../../src/domain/view.ts';
import type { PaperVenue } from '../../../src/paper/server.ts';
import type { CredentialsProvider, SocketSettings } from '../../../src/venue/options.ts';
import { createVenue } from '../../../src/venue/venue.ts';
import type { WireChoices } from '../../../src/wire/choices.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { settings } from '../../support/engine-driver.ts';
import { fixedCredentials, REAL_TIME } from '../../support/http-double-fixtures.ts';
import { secretsOf } from './lab.ts';
import { patienceMs } from './patience.ts';

export type DaemonChange = {
  readonly settings?: Partial<CoreSettings>;
  readonly choices?: Partial<WireChoices>;
  readonly credentials?: CredentialsProvider;
  readonly socket?: Partial<SocketSettings>;
};

const TICK_MS = 10;
const LOOK_MS = 5;

/** Everything that waits does so for tens of milliseconds: the venue is on the same machine. */
export const QUICK: CoreSettings = settings({
  risk: {
    maxPositionShares: 1_000,
    maxOrderNotionalUsdc: 100,
    maxOpenOrders: 50,
    maxLossUsdc: 5_000,
  },
  timing: {
    reconcileMs: 150,
    balancesMs: 150,
    catalogueMs: 1_000,
    unknownHorizonMs: 600,
    positionLagMs: 1_200,
    proofQuietMs: 60,
    proofDeadlineMs: 5_000,
  },
});

export class TestDaemon {
  readonly reports: Report[] = [];
  readonly #engine: Engine;
  readonly #loop: Loop;
  readonly #port: VenuePort;
  readonly #venue: PaperVenue;
  #broken: Error | undefined;

  constructor(venue: PaperVenue, change: DaemonChange = {}) {
    this.#venue = venue;
    this.#engine = createEngine({ strategies: new Map([[ladder.name, ladder]]) });
    this.#port = createVenue({
      baseUrl: venue.baseUrl,
      wsUrl: venue.wsUrl,
      credentials: change.credentials ?? fixedCredentials(secretsOf(venue.account)),
      clock: REAL_TIME,
      timers: REAL_TIME,
      random: () => 0.5,
      wantedEvents: ['rain'],
      choices: change.choices ?? {},
      socket: { reconnectMsMin: 30, reconnectMsMax: 200, ...change.socket },
    });
    this.#loop = createLoop({
      engine: this.#engine,
      send: (command) => this.#port.send(command),
      clock: REAL_TIME,
      timers: REAL_TIME,
      tickMs: TICK_MS,
      onReport: (report) => this.reports.push(report),
      onInput: () => undefined,
      onBreaker: (error) => {
        this.#broken = error;
      },
    });
    this.#loop.post({ kind: 'settings', settings: { ...QUICK, ...change.settings } });
    this.#port.start((message) => this.#loop.deliver(message));
    this.#loop.start();
  }

  view(): StateView {
    return this.#engine.view();
  }

  operator(kind: AccountOrder['kind']): void {
    this.#loop.post({ kind: 'operator', order: { kind, by: 'test' } });
  }

  of<Event extends ReportEvent>(event: Event): readonly Extract<Report, { event: Event }>[] {
    return this.reports.filter(
      (report): report is Extract<Report, { event: Event }> => report.event === event,
    );
  }

  /** @throws {CardFailure} When it is never so, with what the core said of itself. */
  async until(what: string, isSo: (view: StateView) => boolean): Promise<void> {
    const deadlineMs = performance.now() + patienceMs();
    while (!isSo(this.view())) {
      if (this.#broken) throw new CardFailure(`the core threw: ${this.#broken.stack}`);
      if (performance.now() > deadlineMs)
        throw new CardFailure(`${what} never came\n${this.#said()}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async untilPhase(phase: Phase): Promise<void> {
    await this.until(`phase ${phase}`, (view) => view.phase === phase);
  }

  /** What is acknowledged reaches the venue's book a moment later: a taker before then meets nothing of it. */
  async untilQuoting(): Promise<void> {
    await this.until('two-sided quotes in the venue’s book', ({ markets: [market] }) => {
      const [bids, asks] = [market?.ownBids.length ?? 0, market?.ownAsks.length ?? 0];
      return bids > 0 && asks > 0 && this.#resting() >= bids + asks;
    });
  }

  /** Orders that stand in a book: one that was accepted and has not arrived there is open, and meets nobody. */
  #resting(): number {
    const { exchange } = this.#venue;
    const { books } = exchange.context;
    const orders = exchange.openOrders(exchange.accounts.named('maker'));
    const isThere = (order: (typeof orders)[number]) => {
      const { side, tick } = order.axis;
      const level = books.of(order.terms.market).level(side, tick);
      return level?.orders.includes(order) ?? false;
    };
    return orders.filter(isThere).length;
  }

  /** Codes of what keeps each side of the first market unquoted. */
  reasons(): readonly (string | undefined)[] {
    const [market] = this.view().markets;
    return [market?.bidReason?.code, market?.askReason?.code];
  }

  async stop(): Promise<void> {
    this.#loop.stop();
    await this.#port.stop();
    if (this.#broken) throw new CardFailure(`the core threw: ${this.#broken.stack}`);
  }

  #said(): string {
    const { phase, phaseReason, notReady } = this.view();
    const lines = this.reports.slice(-12).map((report) => JSON.stringify(report));
    return [`${phase}: ${phaseReason}`, notReady.join(), this.reasons().join(), ...lines].join(
      '\n',
    );
  }
}
