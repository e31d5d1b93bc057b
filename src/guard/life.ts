// One life of the trader as the guard sees it: signs of life while it lasts, and how it ended.

import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import { type FromTrader, readFromTrader, type Stops, type ToTrader } from './protocol.ts';

export type Exit = { readonly code: number | null; readonly signal: string | null };

/** The trader's process; a guard needs no more of it. */
export interface TraderProcess {
  readonly pid: number | undefined;
  /** Never throws; what a dead process is told is lost. */
  send(message: ToTrader): void;
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): void;
  onMessage(listener: (message: unknown) => void): void;
  /**
   * For how long, since its start, it was ready to run and got no processor; absent where the machine
   * does not say.
   */
  starvedMs?(): number | undefined;
  readonly exited: Promise<Exit>;
}

export type LifeEnd =
  | { readonly kind: 'exited'; readonly exit: Exit }
  /** It was killed for its silence; it may take a moment to be gone, and does nothing any more. */
  | { readonly kind: 'silent'; readonly forMs: number };

export type LifeOptions = {
  readonly process: TraderProcess;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly silenceMs: number;
  readonly startMs: number;
  /** It asks to take over; nothing was placed before. */
  readonly onReady: () => void;
  /** It had asked to take over, and that was read behind its end only. */
  readonly onReadyLate: () => void;
  readonly onStarted: () => void;
  /** The configuration that it has taken. */
  readonly onConfig: (text: string) => void;
  /** What it has placed; told of after its end, too, since its last words may come later. */
  readonly onOrders: (orders: Extract<FromTrader, { kind: 'orders' }>) => void;
  /** A kill that no disk holds, or none any more; its last words may come later, too. */
  readonly onUnlatched: (by: string | undefined) => void;
  /** What keeps quotes away and no disk has; its last words may come later, too. */
  readonly onStops: (stops: Stops) => void;
};

/** Silence is counted in steps of our own, so a guard that slept or starved does not count that. */
const STEP_MS = 50;
/**
 * A trader that gets no processor on a crowded machine is slow and not dead: that time does not count,
 * up to so many times the patience with it. Its first seconds are the hardest work it ever does, and
 * a death there leads to the next one.
 */
const STARVED_PATIENCES_MAX = 1.5;
const STARVED_PATIENCES_MAX_FIRST = 5;
const FIRST_MS = 5_000;
/** From its last word to its end; what it still closes is files. */
const LEAVE_MS = 10_000;

export class Life {
  readonly #options: LifeOptions;
  readonly ended: Promise<LifeEnd>;
  readonly startedAtMs: UnixMs;
  #resolveEnded: (end: LifeEnd) => void = () => {};
  #callOffStep: () => void = () => {};
  #patienceMs: number;
  #silentMs = 0;
  /** The part of it in which the trader could have run. */
  #countedMs = 0;
  #starvedMs = 0;
  #startedForMs = 0;
  #isOver = false;
  #hasGone = false;
  #isLeaving = false;
  #isUntouched = false;
  #unsettled = 0;

  constructor(options: LifeOptions) {
    this.#options = options;
    this.startedAtMs = options.clock.nowMs();
    this.#patienceMs = options.startMs;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    options.process.onMessage((message) => this.#onMessage(message));
    void options.process.exited.then((exit) => this.#end({ kind: 'exited', exit }));
    this.#step();
  }

  /** It has asked to take over: from here on it may place orders, whether it was answered or not. */
  get hasGone(): boolean {
    return this.#hasGone;
  }

  /** It has said that it ends, and that what could be cancelled is cancelled. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** It has said that it ends before it got to what an earlier life may have left on the venue. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  /** It has ended beside so many orders that have matched and may rest again. */
  get unsettled(): number {
    return this.#unsettled;
  }

  go(quietForMs: number | undefined): void {
    if (this.#isOver) return;
    this.#options.process.send({ kind: 'go', quietForMs });
  }

  #onMessage(raw: unknown): void {
    const message = readFromTrader(raw);
    if (message?.kind === 'orders') this.#options.onOrders(message);
    if (message?.kind === 'stops') this.#options.onStops(message.stops);
    if (message?.kind === 'config') this.#options.onConfig(message.text);
    if (message?.kind === 'unlatched') this.#options.onUnlatched(message.by);
    if (message?.kind === 'ready') this.#hasGone = true;
    if (message?.kind === 'leaving') this.#onLeaving(message);
    if (this.#isOver && message?.kind === 'ready') this.#options.onReadyLate();
    if (message === undefined || this.#isOver) return;
    this.#silentMs = 0;
    this.#countedMs = 0;
    switch (message.kind) {
      case 'beat':
      case 'orders':
      case 'unlatched':
      case 'stops':
      case 'config':
        return;
      case 'ready':
        this.#options.onReady();
        return;
      case 'started':
        this.#patienceMs = this.#options.silenceMs;
        this.#startedForMs = 0;
        this.#options.onStarted();
        return;
      case 'leaving':
        this.#patienceMs = LEAVE_MS;
        return;
    }
  }

  #onLeaving({ isUntouched, unsettled }: Extract<FromTrader, { kind: 'leaving' }>): void {
    this.#isLeaving = true;
    this.#isUntouched ||= isUntouched;
    this.#unsettled = unsettled;
  }

  #step(): void {
    this.#callOffStep = this.#options.timers.after(STEP_MS, () => {
      this.#silentMs += STEP_MS;
      this.#countedMs += STEP_MS - this.#starvedSinceStep();
      this.#startedForMs += STEP_MS;
      const isDead =
        this.#countedMs >= this.#patienceMs ||
        this.#silentMs >= this.#patienceMs * this.#starvedPatiencesMax();
      if (isDead) this.#onSilence();
      else this.#step();
    });
  }

  #starvedPatiencesMax(): number {
    return this.#startedForMs < FIRST_MS ? STARVED_PATIENCES_MAX_FIRST : STARVED_PATIENCES_MAX;
  }

  #starvedSinceStep(): number {
    const starvedMs = this.#options.process.starvedMs?.() ?? this.#starvedMs;
    const sinceMs = Math.max(0, starvedMs - this.#starvedMs);
    this.#starvedMs = starvedMs;
    return Math.min(STEP_MS, sinceMs);
  }

  /** Killed first: a process that is only stopped would otherwise place again when it goes on. */
  #onSilence(): void {
    this.#options.process.signal('SIGKILL');
    this.#end({ kind: 'silent', forMs: this.#silentMs });
  }

  #end(end: LifeEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#callOffStep();
    this.#resolveEnded(end);
  }
}
