// A venue's kill path and a trader's process as small real things, on virtual time.

import { VirtualClock } from '../../../src/clock/virtual.ts';
import { type OrderHash, orderHash, tokenId } from '../../../src/domain/ids.ts';
import type { CancelOutcome, ReadOutcome } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { addMs } from '../../../src/domain/time.ts';
import type { StrategyCall } from '../../../src/guard/marks.ts';
import type { RunFacts, ToTrader } from '../../../src/guard/protocol.ts';
import type { Schedule } from '../../../src/guard/schedule.ts';
import { Supervisor } from '../../../src/guard/supervisor.ts';
import type {
  SupervisorOptions,
  SupervisorSettings,
} from '../../../src/guard/supervisor-options.ts';
import type { KillDoor } from '../../../src/guard/sweep.ts';
import type { Exit, TraderProcess } from '../../../src/guard/trader-run.ts';

/** Open orders by hash; a cancel takes all of them, unless it is down. */
export class Book implements KillDoor {
  readonly open = new Set<string>();
  cancels = 0;
  /** Each cancel by hash. */
  readonly byName: (readonly OrderHash[])[] = [];
  isDown = false;

  async cancelAll(): Promise<CancelOutcome> {
    this.cancels += 1;
    if (this.isDown) return { kind: 'unknown', cause: 'connection', detail: 'down' };
    const cancelled = this.open.size;
    this.open.clear();
    return { kind: 'accepted', cancelled, failed: 0 };
  }

  async cancelOrders(hashes: readonly OrderHash[]): Promise<CancelOutcome> {
    this.byName.push(hashes);
    if (this.isDown) return { kind: 'unknown', cause: 'connection', detail: 'down' };
    const cancelled = hashes.filter((hash) => this.open.delete(hash)).length;
    return { kind: 'accepted', cancelled, failed: hashes.length - cancelled };
  }

  async readOpenOrders(): Promise<ReadOutcome<readonly OrderReport[]>> {
    if (this.isDown) return { kind: 'unknown', cause: 'connection', detail: 'down' };
    return { kind: 'ok', value: [...this.open].map(report) };
  }
}

/** One of our orders as a list shows it. */
export function report(hash: string): OrderReport {
  return {
    orderHash: orderHash(hash),
    tokenId: tokenId('0xaa'),
    side: 'BUY',
    price: ticks(tickGrid('0.01'), 40),
    quantity: shares(10),
    executed: shares(0),
    status: 'OPEN',
    createdAtMs: undefined,
  };
}

/** A process that does what a test tells it to; it beats until it is stopped. */
export class SmallTrader implements TraderProcess {
  readonly pid = 1;
  readonly facts: RunFacts;
  readonly told: ToTrader[] = [];
  readonly signals: string[] = [];
  readonly exited: Promise<Exit>;
  isBeating = true;
  /** What the machine says of it; nothing, where a test says nothing. */
  schedule: () => Schedule | undefined = () => undefined;
  /** The strategy that it is asking. */
  call: () => StrategyCall | undefined = () => undefined;
  #exit: (exit: Exit) => void = () => {};
  #listener: (message: unknown) => void = () => {};

  constructor(facts: RunFacts, clock: VirtualClock) {
    this.facts = facts;
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    const beat = () => {
      if (this.isBeating) this.say({ kind: 'beat' });
      clock.after(100, beat);
    };
    beat();
  }

  send(message: ToTrader): void {
    this.told.push(message);
  }

  signal(name: string): void {
    this.signals.push(name);
    if (name === 'SIGKILL') this.end({ code: null, signal: 'SIGKILL' });
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#listener = listener;
  }

  say(message: object): void {
    this.#listener(message);
  }

  /** Ends as a trader does that has confirmed what it could. */
  leave(code: number, isUntouched = false, unsettled = 0, inFlight: readonly string[] = []): void {
    this.say({ kind: 'leaving', isUntouched, unsettled, inFlight });
    this.end({ code, signal: null });
  }

  end(exit: Exit): void {
    this.isBeating = false;
    this.#exit(exit);
  }
}

export const SETTINGS: SupervisorSettings = {
  enabled: true,
  scope: 'account',
  silenceMs: 700,
  startMs: 5_000,
  hangMs: 10_000,
  onDeath: 'restart',
  restartsMax: 3,
  restartWindowMs: 60_000,
  backoffMsMin: 100,
  backoffMsMax: 1_000,
  horizonMs: 45_000,
  tellMs: 20_000,
  stopDeadlineMs: Number.POSITIVE_INFINITY,
};

/** A supervisor over such a book, with every trader that it started. */
export class GuardWorld {
  readonly clock = new VirtualClock({ startMs: 1_000_000 });
  readonly book: Book;
  readonly traders: SmallTrader[] = [];
  readonly events: string[] = [];
  /** What was said with each event, the latest. */
  readonly said = new Map<string, unknown>();
  readonly latched: string[] = [];
  readonly #faults = new Map<string, number>();
  hasRoom = true;
  /** The disk answers from then on. */
  disk: Promise<void> = Promise.resolve();
  /** How far the time of day is ahead of the clock that nobody sets. */
  wallAheadMs = 0;
  /** Whether the journal is still ours when a guard goes on alone. */
  isHeld = true;
  /** What the journal of an earlier run says. */
  hasLeft: () => Promise<boolean> = async () => false;
  readonly supervisor: Supervisor;
  readonly ended: ReturnType<Supervisor['run']>;

  constructor(
    settings: Partial<SupervisorSettings> = {},
    book = new Book(),
    learn?: SupervisorOptions['learn'],
    hadJournal = false,
  ) {
    this.book = book;
    const say = (event: string, fields?: object): void => {
      this.events.push(event);
      this.said.set(event, fields);
      const left = this.#faults.get(event) ?? 0;
      if (left <= 0) return;
      this.#faults.set(event, left - 1);
      throw new Error(`a fault at ${event}`);
    };
    this.supervisor = new Supervisor({
      settings: { ...SETTINGS, ...settings },
      clock: this.clock,
      wallClock: { nowMs: () => addMs(this.clock.nowMs(), this.wallAheadMs) },
      timers: this.clock,
      door: this.book,
      ...(learn === undefined ? {} : { learn }),
      hadJournal,
      hold: async () => this.isHeld,
      hasLeft: async () => await this.hasLeft(),
      log: { info: say, warn: say, error: say },
      launch: (facts) => {
        const trader = new SmallTrader(facts, this.clock);
        this.traders.push(trader);
        return trader;
      },
      latch: async (reason) => {
        await this.disk;
        if (!this.hasRoom) throw new Error('no space left on device');
        this.latched.push(reason);
      },
    });
    this.ended = this.supervisor.run();
  }

  get trader(): SmallTrader {
    const last = this.traders.at(-1);
    if (last === undefined) throw new Error('no trader was started');
    return last;
  }

  /** A fault of ours, where the guard says so. */
  failOnce(event: string): void {
    this.#faults.set(event, 1);
  }

  failAlways(event: string): void {
    this.#faults.set(event, Number.POSITIVE_INFINITY);
  }

  /** The trader of now takes over, and has orders on the book. */
  async trade(orders = 3): Promise<void> {
    this.trader.say({ kind: 'ready' });
    await this.pass(10);
    this.trader.say({ kind: 'started' });
    for (let count = 0; count < orders; count += 1) this.book.open.add(`0x0${count}`);
  }

  /** Time passes in small steps, and promises get their turns between them. */
  async pass(durationMs: number): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += 10) {
      this.clock.advance(10);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
  }
}

/** Promises get their turns. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

/** A log, and each event of it with its fields. */
export function listening() {
  const said: [string, Readonly<Record<string, unknown>> | undefined][] = [];
  const say = (event: string, fields?: Readonly<Record<string, unknown>>) =>
    void said.push([event, fields]);
  return { said, log: { info: say, warn: say, error: say } };
}

/** Time passes in steps, and promises get their turns between them. */
export async function passOf(clock: VirtualClock, durationMs: number, stepMs = 10): Promise<void> {
  await turns(40);
  for (let passed = 0; passed < durationMs; passed += stepMs) {
    clock.advance(Math.min(stepMs, durationMs - passed));
    await turns(40);
  }
}

/** What a promise came to, looked at without waiting for it. */
export function peeked<Value>(promise: Promise<Value>): { value?: Value } {
  const seen: { value?: Value } = {};
  void promise.then((value) => {
    seen.value = value;
  });
  return seen;
}
