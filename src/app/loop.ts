// The single place where inputs enter the core, and where its commands leave in order.

import type { FiredCancel } from '../domain/arms.ts';
import type { AgeMs, Command, VenueCommand, VenuePort } from '../domain/command.ts';
import type { Input } from '../domain/input.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { Report } from '../domain/report.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import { ArmedCancels } from './armed.ts';
import { CommandDispatcher } from './command-dispatcher.ts';
import type { JournalWriter } from './journal-writer.ts';
import { intentsOf, placementOf } from './placed-ahead.ts';

/** The part of the core that the loop drives. */
export type Stepper = {
  step(input: Input): readonly Command[];
  /** The housekeeping of the last tick; without it the next step begins with it. */
  readonly tend?: (() => readonly Command[]) | undefined;
};

type Unstamped<Kind extends Input['kind']> = Omit<Extract<Input, { kind: Kind }>, 'atMs'>;
/** An input before the loop states its time. */
export type Posted =
  | Unstamped<'settings'>
  | Unstamped<'operator'>
  | Unstamped<'restored'>
  | Unstamped<'ledger'>
  | Unstamped<'sets'>
  | Unstamped<'fair'>
  | Unstamped<'fairFault'>;

/** What the loop has by itself to tell, too. */
type Told = Posted | Unstamped<'fired'> | Unstamped<'placedAhead'>;

type Intent = Extract<VenueCommand, { kind: 'placeOrders' | 'changeSets' }>;

export type LoopOptions = {
  readonly engine: Stepper;
  readonly send: VenuePort['send'];
  readonly clock: Clock;
  /**
   * Nobody sets it, and it goes on while the process is stopped: a decision is as old as this one or the
   * other clock says, since each may stand still where the other does not. Without it there is but one.
   */
  readonly steady?: Clock;
  readonly timers: Timers;
  readonly tickMs: number;
  /** How many strategies a turn may ask, so that none takes long; absent where all are quick. */
  readonly asksMax?: () => number | undefined;
  /** Keeps records; without it nothing outlives the process. */
  readonly writer?: Pick<JournalWriter, 'keep' | 'commit' | 'onTurn' | 'fault'>;
  /** What the core did, in order; a throw here never reaches the core or the venue. */
  readonly onReport: (report: Report) => void;
  /** Every input just before the core is told, for a flight recorder. */
  readonly onInput: (input: Input) => void;
  /** What it answered to the last of them, when that has left, for the same. */
  readonly onAnswered?: (commands: readonly Command[]) => void;
  /** The core threw, or the loop is hopelessly behind: it has stopped and tells nobody else. */
  readonly onBreaker: (error: Error) => void;
  /**
   * Runs a task after what runs now, and calls it off; a simulation gives its own. A task that is
   * `eager` stands before anything else that the process could do.
   */
  readonly soon?: (task: () => void, isEager: boolean) => () => void;
};

export type Loop = {
  /** Begins to tick. */
  start(): void;
  /** Takes a message of the venue; the core is told in a batch, with a tick behind it. */
  deliver(message: VenueMessage): void;
  /** Takes an order of the operator or new settings; they pass waiting messages of the venue. */
  post(input: Posted): void;
  /** Nothing is stepped or sent after it. */
  stop(): void;
  lastTickAtMs(): UnixMs | undefined;
  /** Observers that threw; their failures stop nothing and are counted here. */
  observerFailures(): number;
};

/** The default pace of ticks: everything that only needs "a while later" hangs on it. */
export const TICK_MS = 50;

/** Inputs told in one turn; then signals, timers and sockets get theirs. */
const TURN_INPUTS_MAX = 5_000;

/**
 * Waiting messages beyond which the core would act on a world seconds old: about five seconds of
 * the busiest recorded feed at the slowest step measured.
 */
const WAITING_MAX = 200_000;

/**
 * Turns between two ticks of the clock that begin right behind the bytes they answer, in front of
 * other sockets, timers and signals: several bursts of books. Turns that cause one another, or a
 * flood, go on behind them; so do those of slow strategies, each millisecond of which counts as one.
 */
const EAGER_TURNS_MAX = 64;

/**
 * Since the last turn began: after more the process was stopped, swapped out or suspended. What has arrived
 * meanwhile waits in its sockets, and is read before anything is decided.
 */
const STALL_MS = 1_000;

/**
 * An eager task runs when the bytes at hand are read: requests that it writes leave in this turn of
 * the event loop and not in the next one.
 */
function soonOnMachine(task: () => void, isEager: boolean): () => void {
  if (isEager) return soonAsMicrotask(task);
  const immediate = setImmediate(task);
  return () => clearImmediate(immediate);
}

function soonAsMicrotask(task: () => void): () => void {
  let isCalledOff = false;
  queueMicrotask(() => {
    if (!isCalledOff) task();
  });
  return () => {
    isCalledOff = true;
  };
}

export function createLoop(options: LoopOptions): Loop {
  return new InputLoop(options);
}

/** While the process is stopped no time of its own passes, and while a host sleeps steady time may stand still. */
function stopwatch({ clock, steady }: LoopOptions): AgeMs {
  const fromMs = clock.nowMs();
  const steadyFromMs = steady?.nowMs();
  return () => {
    const ms = clock.nowMs() - fromMs;
    if (steady === undefined || steadyFromMs === undefined) return ms;
    return Math.max(ms, steady.nowMs() - steadyFromMs);
  };
}

class InputLoop implements Loop {
  readonly #options: LoopOptions;
  readonly #dispatcher: CommandDispatcher;
  readonly #armed = new ArmedCancels();
  #messages: VenueMessage[] = [];
  #posted: Told[] = [];
  #callOffDrain: (() => void) | undefined;
  #callOffPlacing: (() => void) | undefined;
  #eagerTurns = 0;
  /** Since the turn of now began: what is decided in it is no younger. */
  #turnAgeMs: AgeMs = () => 0;
  /** How long the last turn took. */
  #turnMs = 0;
  #callOffTick: () => void = () => {};
  #callOffTending: (() => void) | undefined;
  #lastTickAtMs: UnixMs | undefined;
  #observerFailures = 0;
  #isStopped = false;

  constructor(options: LoopOptions) {
    this.#options = options;
    const { send, writer, soon = soonOnMachine } = options;
    this.#dispatcher = new CommandDispatcher({
      send,
      writer,
      onRefused: (intent, why) => this.#refuse(intent, why),
      onLeft: (commands) => this.#tell(commands),
      later: (task) => soon(() => this.#guarded(task), false),
    });
  }

  start(): void {
    this.#armTick();
  }

  deliver(message: VenueMessage): void {
    if (this.#isStopped) return;
    this.#hear(message);
    this.#messages.push(message);
    if (this.#messages.length > WAITING_MAX) {
      this.#break(new Error(`the loop is ${WAITING_MAX} messages behind`));
      return;
    }
    this.#armDrain();
  }

  post(input: Posted): void {
    if (this.#isStopped) return;
    this.#armed.standDown();
    this.#posted.push(input);
    this.#armDrain();
  }

  stop(): void {
    this.#isStopped = true;
    this.#dispatcher.stop();
    this.#messages = [];
    this.#posted = [];
    this.#callOffTick();
    this.#callOffTending?.();
    this.#callOffTending = undefined;
    this.#callOffDrain?.();
    this.#callOffDrain = undefined;
    this.#forgetPlacing();
  }

  lastTickAtMs(): UnixMs | undefined {
    return this.#lastTickAtMs;
  }

  observerFailures(): number {
    return this.#observerFailures;
  }

  #armTick(): void {
    this.#callOffTick = this.#options.timers.after(this.#options.tickMs, () => this.#tick());
  }

  #tick(): void {
    // A turn behind a long one would keep timers from their signs of activity for twice as long.
    if (this.#hasStalled || this.#turnMs > this.#options.tickMs) this.#armDrain('behindOthers');
    else {
      this.#eagerTurns = 0;
      this.#turn();
    }
    if (!this.#isStopped) this.#armTick();
  }

  /** Tells what waits and then ticks, since the core decides on ticks: once for each batch. */
  #turn(): void {
    this.#armed.standDown();
    this.#forgetPlacing();
    this.#turnAgeMs = stopwatch(this.#options);
    this.#drainOnce();
    if (this.#isStopped) return;
    this.#lastTickAtMs = this.#options.clock.nowMs();
    const asksMax = this.#options.asksMax?.();
    const tick = { kind: 'tick', atMs: this.#lastTickAtMs } as const;
    this.#step(asksMax === undefined ? tick : { ...tick, asksMax });
    this.#dispatcher.endTurn();
    this.#turnMs = this.#turnAgeMs();
    if (asksMax !== undefined) this.#eagerTurns += this.#turnMs;
    const soon = this.#options.soon ?? soonOnMachine;
    this.#callOffTending ??= soon(() => {
      this.#tend();
      if (this.#messages.length === 0 && this.#posted.length === 0) this.#armed.standUp();
    }, false);
  }

  /** A frame may set cancels off; they leave in front of its turn, and of whatever else that decides. */
  #hear(message: VenueMessage): void {
    const fired = this.#armed.hear(message);
    if (fired.length === 0) return;
    for (const each of fired) this.#fire(each);
    const soon = this.#options.soon ?? soonOnMachine;
    this.#callOffPlacing ??= soon(() => this.#placeAhead(), false);
    this.#decideBehind();
  }

  /** What replaces the quotes that were cancelled leaves behind their cancel, if nothing has voided it. */
  #placeAhead(): void {
    this.#callOffPlacing = undefined;
    const fired = this.#hasStalled ? undefined : this.#armed.takePlacement();
    if (fired === undefined) return;
    const { clock } = this.#options;
    this.#posted.push({ kind: 'placedAhead', ...fired });
    this.#guarded(() => {
      const intents = intentsOf(fired, clock.nowMs());
      this.#dispatcher.leaveAhead(placementOf(fired), intents, stopwatch(this.#options));
    });
    this.#decideBehind();
  }

  #forgetPlacing(): void {
    this.#callOffPlacing?.();
    this.#callOffPlacing = undefined;
  }

  #fire(fired: FiredCancel): void {
    const { requestId, orderHashes } = fired;
    this.#guarded(() => this.#options.send({ kind: 'cancelOrders', requestId, orderHashes }));
    this.#posted.push({ kind: 'fired', ...fired });
  }

  /** A request is written when the event loop comes round, and the decision would keep it from that. */
  #decideBehind(): void {
    this.#callOffDrain?.();
    this.#callOffDrain = undefined;
    this.#armDrain('behindOthers');
  }

  #armDrain(place: 'beforeOthers' | 'behindOthers' = 'beforeOthers'): void {
    if (this.#callOffDrain !== undefined) return;
    const soon = this.#options.soon ?? soonOnMachine;
    this.#eagerTurns += 1;
    const isEager = place === 'beforeOthers' && this.#eagerTurns <= EAGER_TURNS_MAX;
    this.#callOffDrain = soon(() => {
      this.#callOffDrain = undefined;
      this.#turn();
    }, isEager && !this.#hasStalled);
  }

  get #hasStalled(): boolean {
    return this.#turnAgeMs() > STALL_MS;
  }

  /** Tells what waits; messages that arrive meanwhile wait for the next turn. */
  #drainOnce(): void {
    this.#drainPosted();
    const batch = this.#messages.slice(0, TURN_INPUTS_MAX);
    this.#messages = this.#messages.slice(batch.length);
    for (const message of batch) {
      if (this.#isStopped) return;
      this.#step({ kind: 'venue', atMs: this.#options.clock.nowMs(), message });
      this.#drainPosted();
    }
    if (!this.#isStopped && this.#messages.length > 0) this.#armDrain('behindOthers');
  }

  #drainPosted(): void {
    while (!this.#isStopped) {
      const input = this.#posted.shift();
      if (!input) return;
      this.#step({ ...input, atMs: this.#options.clock.nowMs() });
    }
  }

  /**
   * The housekeeping of the last tick, behind the requests that it led to: those are written when the event loop
   * comes round. Whatever is told sooner comes behind it, so that the same inputs lead to the same state.
   */
  #tend(): void {
    if (this.#callOffTending === undefined) return;
    this.#callOffTending();
    this.#callOffTending = undefined;
    this.#guarded(() => {
      this.#dispatcher.flush();
      this.#take(this.#options.engine.tend?.() ?? []);
      this.#dispatcher.endTurn();
    });
  }

  #take(commands: readonly Command[]): void {
    this.#dispatcher.take(commands, this.#turnAgeMs);
    this.#armed.take(commands);
  }

  #step(input: Input): void {
    this.#tend();
    this.#guarded(() => {
      this.#dispatcher.flush();
      this.#observe(() => this.#options.onInput(input));
      this.#take(this.#options.engine.step(input));
    });
  }

  #guarded(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#break(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** What the core did is told when it is done: no log line stands in front of an order. */
  #tell(commands: readonly Command[]): void {
    this.#observe(() => this.#options.onAnswered?.(commands));
    for (const command of commands) {
      if (command.kind === 'report') this.#observe(() => this.#options.onReport(command.report));
    }
  }

  #refuse(command: Intent, detail: string): void {
    const { requestId } = command;
    const outcome = { kind: 'notSent', detail } as const;
    if (command.kind === 'changeSets') {
      this.deliver({ kind: 'setsChanged', requestId, outcome });
      return;
    }
    const { orders } = command;
    const outcomes = orders.map(({ intentId }) => ({ intentId, outcome }));
    this.deliver({ kind: 'placed', requestId, outcomes });
  }

  /** Reporting must not stop trading, and least of all the kill path. */
  #observe(task: () => void): void {
    try {
      task();
    } catch {
      this.#observerFailures += 1;
    }
  }

  #break(error: Error): void {
    if (this.#isStopped) return;
    this.stop();
    this.#options.onBreaker(error);
  }
}
