// One life of the trader as the guard sees it: signs of life while it lasts, and how it ended.

import type { Timers } from '../domain/time.ts';
import { readFromTrader, type ToTrader } from './protocol.ts';

export type Exit = { readonly code: number | null; readonly signal: string | null };

/** The trader's process; a guard needs no more of it. */
export interface TraderProcess {
  readonly pid: number | undefined;
  /** Never throws; what a dead process is told is lost. */
  send(message: ToTrader): void;
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): void;
  onMessage(listener: (message: unknown) => void): void;
  readonly exited: Promise<Exit>;
}

export type LifeEnd =
  | { readonly kind: 'exited'; readonly exit: Exit }
  /** It was killed for its silence; it may take a moment to be gone, and does nothing any more. */
  | { readonly kind: 'silent'; readonly forMs: number };

export type LifeOptions = {
  readonly process: TraderProcess;
  readonly timers: Timers;
  readonly silenceMs: number;
  readonly startMs: number;
  /** It asks to take over; nothing was placed before. */
  readonly onReady: () => void;
  readonly onStarted: (httpPort: number) => void;
};

/** Silence is counted in steps of our own, so a guard that slept or starved does not count that. */
const STEP_MS = 50;
/** From its last word to its end; what it still closes is files. */
const LEAVE_MS = 10_000;

export class Life {
  readonly #options: LifeOptions;
  readonly ended: Promise<LifeEnd>;
  #resolveEnded: (end: LifeEnd) => void = () => {};
  #callOffStep: () => void = () => {};
  #patienceMs: number;
  #silentMs = 0;
  #isOver = false;
  #hasGone = false;

  constructor(options: LifeOptions) {
    this.#options = options;
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

  go(quietForMs: number | undefined): void {
    if (this.#isOver) return;
    this.#options.process.send({ kind: 'go', quietForMs });
  }

  #onMessage(raw: unknown): void {
    const message = readFromTrader(raw);
    if (message === undefined || this.#isOver) return;
    this.#silentMs = 0;
    switch (message.kind) {
      case 'beat':
        return;
      case 'ready':
        this.#hasGone = true;
        this.#options.onReady();
        return;
      case 'started':
        this.#patienceMs = this.#options.silenceMs;
        this.#options.onStarted(message.httpPort);
        return;
      case 'leaving':
        this.#patienceMs = LEAVE_MS;
        return;
    }
  }

  #step(): void {
    this.#callOffStep = this.#options.timers.after(STEP_MS, () => {
      this.#silentMs += STEP_MS;
      if (this.#silentMs >= this.#patienceMs) this.#onSilence();
      else this.#step();
    });
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
