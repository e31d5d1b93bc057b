// One run of the trader as the guard sees it: sign of activity while it lasts, and how it ended.

import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import type { StrategyCall } from './marks.ts';
import { type FromTrader, readFromTrader, type Stops, type ToTrader } from './protocol.ts';
import type { Schedule } from './schedule.ts';
import { Silence, type Silent } from './silence.ts';

export type Exit = {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why the machine did not start it at all. */
  readonly notStarted?: string;
};

/** The trader's process; a guard needs no more of it. */
export interface TraderProcess {
  readonly pid: number | undefined;
  /** Never throws; what a dead process is told is lost. */
  send(message: ToTrader): void;
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): void;
  onMessage(listener: (message: unknown) => void): void;
  /** What the machine gave it; `undefined` where it does not say. */
  schedule?(): Schedule | undefined;
  /** The strategy that it asks now, or asked when it died; `undefined` where it asked none, or nobody can say. */
  call?(): StrategyCall | undefined;
  readonly exited: Promise<Exit>;
}

export type RunEnd =
  | { readonly kind: 'exited'; readonly exit: Exit }
  /** It was killed for its silence; it may take a moment to be gone, and does nothing any more. */
  | {
      readonly kind: 'silent';
      readonly forMs: number;
      readonly givenMs: number;
      /** `starved`: it was not given the time in which it should have shown a sign. */
      readonly why: Silent | 'starved';
    };

export type RunOptions = {
  readonly process: TraderProcess;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly silenceMs: number;
  readonly startMs: number;
  /** Silent for so long it ends, whatever the machine gave it. */
  readonly hangMs: number;
  /** It asks to take over; nothing was placed before. */
  readonly onReady: () => void;
  /** It had asked to take over, and that was read behind its end only. */
  readonly onReadyLate: () => void;
  readonly onStarted: () => void;
  /** Somebody at the terminal wants everything to end. */
  readonly onEndAsked: () => void;
  /** An operator has resumed it. */
  readonly onResumed: () => void;
  /** The configuration that it has taken. */
  readonly onConfig: (text: string) => void;
  /** What it has placed; reported after its end, too, since its last words may come later. */
  readonly onOrders: (orders: Extract<FromTrader, { kind: 'orders' }>) => void;
  /** It may have orders on the venue and can look after none of them: the machine lets it do nothing. */
  readonly onStarved: () => void;
  /** It shows that it is live again, after so long. */
  readonly onAwake: (silentMs: number) => void;
  /** A kill that no disk holds, or none any more; its last words may come later, too. */
  readonly onUnlatched: (by: string | undefined) => void;
  /** What keeps quotes away and no disk has; its last words may come later, too. */
  readonly onStops: (stops: Stops) => void;
};

/** Silence is counted in steps of our own, so that a guard that slept or starved does not count that. */
const STEP_MS = 50;
/** Of a step that came late so much is silence: what was said meanwhile is read behind it. */
const LATE_STEP_MS_MAX = 200;
/** A start is the hardest work that a trader ever does, and has placed nothing. */
const HANG_STARTS = 3;
/** From its last word to its end; what it still closes is files. */
const LEAVE_MS = 10_000;

/** How long a trader may be silent: of the time that it was given, and of all. */
type Patience = { readonly givenMs: number; readonly hangMs: number };

export class TraderRun {
  readonly #options: RunOptions;
  readonly ended: Promise<RunEnd>;
  readonly startedAtMs: UnixMs;
  #resolveEnded: (end: RunEnd) => void = () => {};
  #callOffStep: () => void = () => {};
  readonly #silence = new Silence();
  #patience: Patience;
  #steppedAtMs: UnixMs;
  #isStarved = false;
  #isOver = false;
  #hasGone = false;
  #isLeaving = false;
  #isUntouched = false;
  #hasSpoken = false;
  #unsettled = 0;
  #inFlight: readonly string[] = [];

  constructor(options: RunOptions) {
    this.#options = options;
    this.startedAtMs = options.clock.nowMs();
    this.#steppedAtMs = this.startedAtMs;
    this.#patience = { givenMs: options.startMs, hangMs: HANG_STARTS * options.startMs };
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

  /** It has said that it ends before it got to what a previous run may have left on the venue. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  /** It has said nothing: it was still loading. */
  get isWordless(): boolean {
    return !this.#hasSpoken;
  }

  /** It has ended beside so many orders that have matched and may rest again. */
  get unsettled(): number {
    return this.#unsettled;
  }

  /** How long it has shown no sign of activity. */
  get silentMs(): number {
    return this.#silence.silentMs;
  }

  /** Placements that nobody has answered, in its own words. */
  get inFlight(): readonly string[] {
    return this.#inFlight;
  }

  /** It was told to end, and has had its time. */
  cut(): void {
    this.#options.process.signal('SIGKILL');
    this.#end({ kind: 'exited', exit: { code: null, signal: 'SIGKILL' } });
  }

  go(quietForMs: number | undefined): void {
    if (this.#isOver) return;
    this.#options.process.send({ kind: 'go', quietForMs });
  }

  #onMessage(raw: unknown): void {
    const message = readFromTrader(raw);
    this.#hasSpoken = true;
    if (message?.kind === 'orders') this.#options.onOrders(message);
    if (message?.kind === 'stops') this.#options.onStops(message.stops);
    if (message?.kind === 'config') this.#options.onConfig(message.text);
    if (message?.kind === 'unlatched') this.#options.onUnlatched(message.by);
    if (message?.kind === 'ready') this.#hasGone = true;
    if (message?.kind === 'leaving') this.#onLeaving(message);
    if (this.#isOver && message?.kind === 'ready') this.#options.onReadyLate();
    if (message === undefined || this.#isOver) return;
    this.#onSign();
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
        this.#onStarted();
        return;
      case 'endAsked':
        this.#options.onEndAsked();
        return;
      case 'resumed':
        this.#options.onResumed();
        return;
      case 'leaving':
        this.#patience = { givenMs: LEAVE_MS, hangMs: LEAVE_MS };
        return;
    }
  }

  #onLeaving({ isUntouched, unsettled, inFlight }: Extract<FromTrader, { kind: 'leaving' }>): void {
    this.#isLeaving = true;
    this.#isUntouched ||= isUntouched;
    this.#unsettled = unsettled;
    this.#inFlight = inFlight;
  }

  #onStarted(): void {
    const { silenceMs, hangMs, onStarted } = this.#options;
    this.#patience = { givenMs: silenceMs, hangMs: Math.max(hangMs, silenceMs) };
    onStarted();
  }

  #onSign(): void {
    const { silentMs } = this.#silence;
    this.#silence.onSign();
    if (!this.#isStarved) return;
    this.#isStarved = false;
    this.#options.onAwake(silentMs);
  }

  #step(): void {
    this.#callOffStep = this.#options.timers.after(STEP_MS, () => {
      // First: whatever goes wrong in this step, the next one comes.
      this.#step();
      this.#look();
      const { silentMs, givenMs } = this.#silence;
      const { givenMs: givenMsMax, hangMs } = this.#patience;
      if (givenMs >= givenMsMax || silentMs >= hangMs) this.#onSilence();
      else this.#pullIfDue();
    });
  }

  #look(): void {
    const nowMs = this.#options.clock.nowMs();
    const sinceMs = Math.max(STEP_MS, nowMs - this.#steppedAtMs);
    this.#steppedAtMs = nowMs;
    this.#silence.onStep(STEP_MS, Math.min(sinceMs, LATE_STEP_MS_MAX), () =>
      this.#options.process.schedule?.(),
    );
  }

  /** Alive as far as anybody can tell, and what rests of it goes stale. */
  #pullIfDue(): void {
    const { silenceMs, onStarved } = this.#options;
    const isDue = this.#hasGone && !this.#isLeaving && this.#silence.silentMs >= silenceMs;
    if (!isDue || this.#isStarved) return;
    this.#isStarved = true;
    onStarved();
  }

  /** Killed first: a process that is only stopped would otherwise place again when it goes on. */
  #onSilence(): void {
    this.#options.process.signal('SIGKILL');
    const { silentMs: forMs, givenMs } = this.#silence;
    const why = givenMs < this.#patience.givenMs ? 'starved' : this.#silence.why;
    this.#end({ kind: 'silent', forMs, givenMs, why });
  }

  #end(end: RunEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#callOffStep();
    this.#resolveEnded(end);
  }
}
