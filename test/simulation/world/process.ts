// One process of the daemon: the real core, loop and venue client, on virtual time, until it is stopped
// or dies. What it sent is in flight all the same.

import {
  type EarlyStore,
  JournalWriter,
  type RecordStore,
} from '../../../src/app/journal-writer.ts';
import { createLoop, type Loop, type Stepper, TICK_MS } from '../../../src/app/loop.ts';
import { type UnwrittenStops, withStops } from '../../../src/app/unwritten-stops.ts';
import type { VirtualClock } from '../../../src/clock/virtual.ts';
import { createEngine, type Engine } from '../../../src/core/engine.ts';
import type { AgeMs, Command, VenueCommand, VenuePort } from '../../../src/domain/command.ts';
import type { CoreSettings, Input, OperatorOrder } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { VenueObserver } from '../../../src/domain/observe.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { SetsOrder } from '../../../src/domain/sets.ts';
import type { Timers } from '../../../src/domain/time.ts';
import type { Random } from '../../../src/paper/crowd/random.ts';
import type { DirectVenue } from '../../../src/paper/direct.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { createVenue } from '../../../src/venue/venue.ts';
import type { WireChoices } from '../../../src/wire/choices.ts';
import type { Mutation } from '../mutations/mutation.ts';
import { type KeyFile, KeyReader } from './credentials.ts';
import type { Disk } from './disk.ts';
import { Fuse, type FuseAt } from './fuse.ts';
import type { Guard } from './guard.ts';
import { type HostClock, ProcessTimers } from './host.ts';
import { simulatedLanes } from './lanes.ts';
import {
  CURRENT_ORIGIN,
  type NamedCancel,
  type NetworkWatch,
  type PlaceCommand,
  SimulatedNetwork,
} from './network.ts';
import type { OddPrices } from './odd-prices.ts';
import type { ProseRefusals } from './prose.ts';
import { SimulatedSocket } from './socket.ts';
import type { Weather } from './weather.ts';

/** Who hears what the daemon is told, and what it does. */
export interface ProcessWatch extends NetworkWatch {
  onInput(input: Input): void;
  onCommand(command: Command): void;
  onMessage(message: VenueMessage): void;
  /** A cancel or a placement leaves that no step of the core has asked for. */
  onFiring?(command: NamedCancel | PlaceCommand): void;
  onBroke(error: Error): void;
  /** The process is gone. */
  onEnd?(): void;
}

/** Who counts what the daemon does, as its metrics do. */
export interface ProcessCounts {
  readonly observer: VenueObserver;
  onReport(report: Report): void;
  onCommit(tookMs: number, records: number): void;
}

export type ProcessParts = {
  readonly number: number;
  readonly clock: VirtualClock;
  readonly host: HostClock;
  readonly venue: DirectVenue;
  readonly weather: Weather;
  /** Where the venue refuses some of what it takes. */
  readonly prose?: ProseRefusals | undefined;
  /** Where somebody places orders between two ticks. */
  readonly oddPrices?: OddPrices | undefined;
  readonly random: Random;
  readonly keys: KeyFile;
  readonly settings: CoreSettings;
  /** Slugs of the events whose catalogue is read. */
  readonly events?: readonly string[];
  /** Answers to what the interface leaves open; the client's own where nothing is said. */
  readonly choices?: Partial<WireChoices>;
  /** That of the loop where nothing is said. */
  readonly tickMs?: number;
  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly watch: ProcessWatch;
  readonly mutation: Mutation | undefined;
  /** Where records are kept; a process without it begins and ends without a memory. */
  readonly disk?: Disk;
  /** What tells it of stops that no disk has; a process without it has no guard. */
  readonly guard?: Guard;
  /** Who killed an earlier process and was not lifted: the latch on disk. */
  readonly latchedBy?: string | undefined;
  readonly counts?: ProcessCounts;
  /** Told when a promise may have been woken. */
  readonly onWake: () => void;
};

/** A machine under load lets a tick or a batch wait up to this long. */
const BUSY_MS_MAX = 2_500;

export class DaemonProcess {
  readonly number: number;
  readonly engine: Engine;
  readonly #parts: ProcessParts;
  readonly #timers: ProcessTimers;
  readonly #network: SimulatedNetwork;
  readonly #sockets = new Set<SimulatedSocket>();
  readonly #loop: Loop;
  readonly #port: VenuePort;
  readonly #stops: UnwrittenStops | undefined;
  #fuse: Fuse | undefined;
  /** Cancels by name that a step has asked for and that have not left. */
  readonly #asked = new Set<number>();
  /** Orders of the operator that the core has not been reported yet. */
  #ordersWaiting = 0;
  /** The process stands still until then, waiting for its disk. */
  #blockedUntilMs = 0;
  isOver = false;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    this.number = parts.number;
    this.#timers = new ProcessTimers(parts.clock, parts.onWake);
    const { venue, weather, prose, oddPrices, watch, onWake, clock } = parts;
    this.#network = new SimulatedNetwork(
      { venue, timers: clock, weather, prose, oddPrices, watch, onWake },
      parts.number,
    );
    this.engine = createEngine({ strategies: parts.strategies });
    this.#stops = parts.guard?.stopsOf(() => this.isOver);
    this.#port = this.#createPort();
    this.#loop = this.#createLoop();
  }

  /** In the order of a daemon: settings, the earlier process, a latched kill, then the venue. */
  start(): void {
    const { settings, disk, latchedBy, watch, onWake } = this.#parts;
    this.#loop.post({ kind: 'settings', settings });
    if (disk) {
      const persisted = withStops(disk.load(), this.#stops?.remembered ?? []);
      this.#loop.post({ kind: 'restored', persisted });
    }
    if (latchedBy !== undefined) {
      this.operator({ kind: 'kill', by: `latch: ${latchedBy}` });
    }
    this.#port.start((message) => {
      if (this.isOver) return;
      watch.onMessage(message);
      this.#loop.deliver(message);
    });
    this.#loop.start();
    onWake();
  }

  /** Dies inside a turn, after so many more steps of a kind. */
  dieAt(at: FuseAt, count: number, onBlown: () => void): void {
    this.#fuse = new Fuse(at, count, onBlown);
  }

  operator(order: OperatorOrder): void {
    if (this.isOver) return;
    this.#ordersWaiting += 1;
    this.#loop.post({ kind: 'operator', order });
  }

  /** Whether anything that an operator ordered is yet to be heard. */
  get hasOrdersWaiting(): boolean {
    return this.#ordersWaiting > 0;
  }

  /** Stops that no disk has taken, by name. */
  get unwrittenStops() {
    return this.#stops?.standing ?? [];
  }

  /** The process stands still, waiting for its disk. */
  get isBlocked(): boolean {
    return this.#blockedMs() > 0;
  }

  sets(order: SetsOrder): void {
    if (!this.isOver) this.#loop.post({ kind: 'sets', order });
  }

  reload(settings: CoreSettings): void {
    if (!this.isOver) this.#loop.post({ kind: 'settings', settings });
  }

  /** Breaks every connection of the socket. */
  cutSockets(): void {
    for (const socket of this.#sockets) socket.cut();
  }

  /** The process ends here and now; nothing is answered any more. */
  end(): void {
    this.isOver = true;
    this.#parts.watch.onEnd?.();
    this.#loop.stop();
    this.#timers.end();
    this.#network.die();
    for (const socket of this.#sockets) socket.terminate();
  }

  #createPort(): VenuePort {
    const { host, clock, keys, random, venue, weather, oddPrices, counts, onWake } = this.#parts;
    return createVenue(
      {
        baseUrl: 'http://venue.test/api',
        wsUrl: 'ws://venue.test/ws',
        wantedEvents: [...(this.#parts.events ?? ['rain', 'vote'])],
        credentials: new KeyReader(keys),
        clock: host,
        timers: this.#timers,
        random: () => random.uniform(),
        ...(this.#parts.choices === undefined ? {} : { choices: this.#parts.choices }),
        ...(counts === undefined ? {} : { observer: counts.observer }),
      },
      {
        lanes: simulatedLanes(this.#network, { clock, timers: this.#timers }),
        dial: () => {
          const parts = { venue, clock, timers: clock, weather, oddPrices, onWake };
          const socket = new SimulatedSocket(parts);
          this.#sockets.add(socket);
          socket.on('close', () => this.#sockets.delete(socket));
          return socket;
        },
      },
    );
  }

  #createLoop(): Loop {
    const { host, watch, mutation } = this.#parts;
    const stepper: Stepper = mutation?.engine?.(this.engine) ?? this.engine;
    const carry: VenuePort['send'] = (command, ageMs) => {
      const isCancel = command.kind === 'cancelOrders';
      if ((isCancel || command.kind === 'placeOrders') && !this.#asked.delete(command.requestId)) {
        watch.onFiring?.(command);
        // It is held to every rule of placements, as if a step had asked for it.
        if (!isCancel) watch.onCommand({ kind: 'venue', command });
      }
      this.#send(command, ageMs);
    };
    const busy = this.#busyTimers();
    const writer = this.#createJournalWriter();
    return createLoop({
      ...(writer === undefined ? {} : { writer }),
      engine: {
        step: (input) => this.#noted(stepper.step(input)),
        // A planted bug changes steps; housekeeping stays as it is.
        tend: () => this.#noted(stepper.tend?.() ?? this.engine.tend()),
      },
      send: carry,
      clock: host,
      steady: this.#parts.clock,
      timers: busy,
      tickMs: this.#parts.tickMs ?? TICK_MS,
      onReport: (report) => this.#parts.counts?.onReport(report),
      onInput: (input) => {
        if (input.kind === 'operator') this.#ordersWaiting -= 1;
        watch.onInput(input);
      },
      onBreaker: (error) => watch.onBroke(error),
      soon: (task) => busy.after(0, task),
    });
  }

  #noted(commands: readonly Command[]): readonly Command[] {
    for (const command of commands) this.#onCommand(command);
    return commands;
  }

  #onCommand(command: Command): void {
    const asked = command.kind === 'venue' ? command.command : undefined;
    if (asked?.kind === 'cancelOrders' || asked?.kind === 'placeOrders')
      this.#asked.add(asked.requestId);
    this.#parts.watch.onCommand(command);
  }

  #createJournalWriter(): JournalWriter | undefined {
    const { disk, host, counts } = this.#parts;
    if (disk === undefined) return undefined;
    let slowMs = 0;
    const store = disk.usedBy({
      isOver: () => this.isOver,
      after: (delayMs, task) => this.#timers.after(delayMs, task),
      onSlow: (tookMs) => {
        this.#blockedUntilMs = this.#parts.clock.nowMs() + tookMs;
        slowMs = tookMs;
      },
    });
    const stops = this.#stops;
    const fused = this.#fused(store);
    const writer = new JournalWriter({
      ...{ store: fused, early: fused },
      ...{ clock: host, steady: this.#parts.clock },
      onStops: (waiting) => stops?.onWaiting(waiting),
      onFault: (fault) => this.#loop.post({ kind: 'ledger', fault }),
      // The disk takes virtual time behind the commit, which the clock of the journal writer does not see.
      onCommit: (tookMs, records) => {
        counts?.onCommit(tookMs + slowMs, records);
        slowMs = 0;
      },
    });
    writer.setScope(this.#parts.settings.orders.scope ?? 'account');
    for (const record of stops?.remembered ?? []) writer.keep(record);
    return writer;
  }

  #fused(store: RecordStore & EarlyStore): RecordStore & EarlyStore {
    const burning = (keep: RecordStore['commit']) => (records: readonly LedgerRecord[]) => {
      this.#fuse?.burn('kept');
      keep(records);
      this.#fuse?.burn('committed');
    };
    return {
      commit: burning((records) => store.commit(records)),
      write: burning((records) => store.write(records)),
      sync: (done) => store.sync(done),
    };
  }

  #send(command: VenueCommand, ageMs: AgeMs | undefined): void {
    if (this.isOver) return;
    const waitMs = this.#blockedMs();
    if (waitMs > 0) this.#timers.after(waitMs, () => this.#send(command, ageMs));
    else this.#carry(command, ageMs);
  }

  #carry(command: VenueCommand, ageMs: AgeMs | undefined): void {
    const placing = command.kind === 'placeOrders' ? command : undefined;
    const changing = command.kind === 'changeSets' ? command : undefined;
    this.#parts.onWake();
    const origin = { process: this.number, placing, changing };
    CURRENT_ORIGIN.run(origin, () => this.#port.send(command, ageMs));
    this.#fuse?.burn('sent');
    if (placing !== undefined) this.#fuse?.burn('placed');
  }

  #blockedMs(): number {
    return Math.max(0, this.#blockedUntilMs - this.#parts.clock.nowMs());
  }

  #busyTimers(): Timers {
    const { weather, random } = this.#parts;
    const timers = new ProcessTimers(this.#parts.clock, () => undefined);
    return {
      after: (delayMs, task) => {
        const waitMs = weather.strikes('busyHost') ? random.whole(0, BUSY_MS_MAX) : 0;
        return timers.after(Math.max(delayMs, this.#blockedMs()) + waitMs, task);
      },
    };
  }
}
