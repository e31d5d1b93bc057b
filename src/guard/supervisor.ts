// The guard: starts the trader, watches it, cancels and proves when it cannot, and starts it again,
// within bounds. It holds nothing that can fail with the trader: no core, no strategy, no journal.
// @spec Architecture decision 10

import type { Death } from '../domain/supervision.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import { Backoff } from './backoff.ts';
import { crashLoopText, describeEnd, TRADER_EXIT } from './death.ts';
import { type GuardLog, Held, LOST_WITH_US } from './held.ts';
import { Horizon, type HorizonNews } from './horizon.ts';
import { Learner } from './learner.ts';
import { Life, type LifeEnd, type TraderProcess } from './life.ts';
import { OwnBook, type OwnOrders } from './own-book.ts';
import { type FromTrader, type LifeFacts, noDeaths } from './protocol.ts';
import type { KillDoor } from './sweep.ts';
import { Watch } from './watch.ts';

export type SupervisorSettings = {
  /** False: the trader is started, told of signals, and left to itself. */
  readonly enabled: boolean;
  /** Whose orders are cancelled, as long as no trader has said otherwise. */
  readonly scope: 'account' | 'own';
  readonly silenceMs: number;
  readonly startMs: number;
  readonly onDeath: 'restart' | 'stay';
  readonly restartsMax: number;
  readonly restartWindowMs: number;
  readonly backoffMsMin: number;
  readonly backoffMsMax: number;
  /** What left the trader may be accepted so long after its death, until a trader says otherwise. */
  readonly horizonMs: number;
  /** People are told this often of orders that cannot be cancelled. */
  readonly tellMs: number;
};

export type SupervisorOptions = {
  readonly settings: SupervisorSettings;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly door: KillDoor;
  readonly log: GuardLog;
  /** Starts a trader, which is told `facts` in its `begin`. */
  readonly launch: (facts: LifeFacts) => TraderProcess;
  /** Sets the kill latch, so that nothing starts quoting by itself. */
  readonly latch: (reason: string) => Promise<void>;
  /** What is known of own orders beside what traders told; asked anew after each death. */
  readonly own?: (told: OwnOrders) => OwnOrders;
  /** What the ledger knows of late acceptances; rejects when it is there and cannot be read. */
  readonly learn?: () => Promise<HorizonNews>;
  /** A trader has begun its work. */
  readonly onStarted?: () => void;
  /** A trader is gone that could not put its screen away. */
  readonly onGone?: () => void;
};

export type GuardEnd =
  /** The trader ended in good order. */
  | { readonly kind: 'passed'; readonly code: number }
  /** It died and is not started again; `isProven` that nothing is open or can arrive. */
  | {
      readonly kind: 'down';
      readonly isStopped: boolean;
      readonly isProven: boolean;
      /** False: the account is to stay as it is, and no disk says so to whoever starts anew. */
      readonly isLatched: boolean;
      readonly scope: 'account' | 'own';
    };

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** A terminal sends its Ctrl-C to everybody: what comes within this time is the same wish. */
const SAME_WISH_MS = 1_000;
/** A latch that the disk did not take is tried again this often, and told of again that often. */
const LATCH_RETRY_MS = 1_000;
const UNLATCHED_TOLD_MS = 60_000;
/** Between two lines about what a watch still waits for. */
const WAIT_TOLD_MS = 10_000;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #backoff: Backoff;
  readonly #deaths = noDeaths();
  #last: Death | undefined;
  #lives = 0;
  #process: TraderProcess | undefined;
  #watch: Watch | undefined;
  #httpPort: number | undefined;
  #hasTraded = false;
  #stoppedAtMs: UnixMs | undefined;
  #hasAbandoned = false;
  /** Outlives the traders: what one of them told holds until the next one tells. */
  readonly #own = new OwnBook();
  #scope: 'account' | 'own';
  readonly #horizon: Horizon;
  readonly #learner: Learner;
  readonly #held: Held;
  /** The latch of staying down is not on the disk, and is tried again. */
  #isUnlatched = false;
  #wake: () => void = () => {};

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.settings);
    this.#scope = options.settings.scope;
    this.#held = new Held(options.log);
    this.#horizon = new Horizon(options.clock, options.settings.horizonMs);
    this.#learner = new Learner({
      ...{ horizon: this.#horizon, timers: options.timers, learn: options.learn },
      isNeeded: () => this.#watch !== undefined,
      onLearnt: (fields) => options.log.info('guard.learnt', fields),
      onFailed: (fields) => options.log.warn('guard.ledger_unread', fields),
    });
  }

  /** Ends with the trader, or when it is not started again. */
  async run(): Promise<GuardEnd> {
    for (;;) {
      const { life, end } = await this.#live();
      const code = this.#passedOn(life, end);
      if (code !== undefined) return await this.#pass(code);
      this.#options.onGone?.();
      const mayRestart = await this.#onDeath(life, end);
      if (!mayRestart) return await this.#stayDown();
    }
  }

  /** Passes the wish on to the trader; where there is none, ends as soon as the proof is done. */
  stop(signal: StopSignal): void {
    const nowMs = this.#options.clock.nowMs();
    const isSecond = this.#stoppedAtMs !== undefined && nowMs - this.#stoppedAtMs > SAME_WISH_MS;
    this.#stoppedAtMs ??= nowMs;
    if (this.#process) this.#process.signal(signal);
    else if (isSecond) this.#hasAbandoned = true;
    this.#wake();
  }

  /** Whether there is somebody to write the line where it can be read. */
  tell(line: string): boolean {
    this.#process?.send({ kind: 'line', line });
    return this.#process !== undefined;
  }

  reload(): void {
    this.#process?.signal('SIGHUP');
  }

  /** The trader is of no use any more, as when its venue has gone: it ends, and nothing follows. */
  abandon(): void {
    this.#stoppedAtMs ??= this.#options.clock.nowMs();
    this.#hasAbandoned = true;
    this.#process?.signal('SIGKILL');
    this.#wake();
  }

  async #live(): Promise<{ readonly life: Life; readonly end: LifeEnd }> {
    const { settings, timers, launch, log } = this.#options;
    this.#lives += 1;
    const startedAtMs = this.#options.clock.nowMs();
    const trader = launch(this.#facts());
    this.#process = trader;
    log.info('guard.trader_started', { life: this.#lives, pid: trader.pid });
    const life: Life = new Life({
      process: trader,
      timers,
      silenceMs: settings.enabled ? settings.silenceMs : Number.POSITIVE_INFINITY,
      startMs: settings.enabled ? settings.startMs : Number.POSITIVE_INFINITY,
      onReady: () => void this.#handOver(life),
      onStarted: (port) => this.#onStarted(port),
      onUnlatched: (by) => this.#held.onUnlatched(by),
      onStops: (stops) => this.#held.onStops(stops),
      onOrders: (said) => {
        this.#scope = said.scope;
        this.#own.apply(said.news);
        this.#horizon.onTold(said);
      },
    });
    if (this.#stoppedAtMs !== undefined) trader.signal('SIGTERM');
    const end = await life.ended;
    this.#process = undefined;
    if (end.kind === 'silent') void this.#tellWhenGone(trader, startedAtMs);
    return { life, end };
  }

  #facts(): LifeFacts {
    return {
      life: this.#lives,
      deaths: { ...this.#deaths },
      last: this.#last,
      hasTraded: this.#hasTraded,
      httpPort: this.#httpPort,
      unlatchedBy: this.#held.killedBy,
      stops: this.#held.stops,
    };
  }

  /** The new life answers for the account from here on; two who cancel would disturb each other. */
  async #handOver(life: Life): Promise<void> {
    const watch = this.#watch;
    const quietForMs = await watch?.release();
    if (this.#watch === watch) this.#watch = undefined;
    if (watch) this.#options.log.info('guard.handed_over', { life: this.#lives, quietForMs });
    life.go(quietForMs);
  }

  #onStarted(httpPort: Extract<FromTrader, { kind: 'started' }>['httpPort']): void {
    this.#httpPort = httpPort;
    this.#hasTraded = true;
    this.#options.onStarted?.();
  }

  /** The exit code of an end that is no death. */
  #passedOn(life: Life, end: LifeEnd): number | undefined {
    if (end.kind === 'silent') return undefined;
    const { code } = end.exit;
    const isStopping = this.#stoppedAtMs !== undefined;
    if (!this.#options.settings.enabled) return code ?? TRADER_EXIT.failed;
    if (code === 0 || code === TRADER_EXIT.usage) return code;
    if (code === TRADER_EXIT.unproven && isStopping) return code;
    // It stopped in good order, and says so that its kill, or another stop, is not on the disk.
    if (code === TRADER_EXIT.failed && isStopping && this.#held.hasAny) return code;
    // The first life is told what is wrong by whoever started it; a later one worked before.
    const isFirst = this.#lives === 1;
    if (code === TRADER_EXIT.refused && isFirst) return code;
    if (code === TRADER_EXIT.failed && isFirst && !life.hasGone) return code;
    // A signal that came before it listened, when nothing had been placed.
    if (isStopping && isFirst && !life.hasGone) return 0;
    return undefined;
  }

  /** A watch that goes on while a later life did not even begin has the last word. */
  async #pass(code: number): Promise<GuardEnd> {
    if (this.#watch === undefined) return { kind: 'passed', code };
    if (this.#stoppedAtMs !== undefined) return await this.#stayDown();
    const end = await this.#stayDown();
    return end.kind === 'down' && end.isProven ? { kind: 'passed', code } : end;
  }

  /** @returns Whether another life begins. */
  async #onDeath(life: Life, end: LifeEnd): Promise<boolean> {
    const { clock, log } = this.#options;
    const { reason, detail } = describeEnd(end);
    const diedAtMs = clock.nowMs();
    this.#deaths[reason] += 1;
    // What did not take over has placed nothing: the watch of the death before goes on.
    if (life.hasGone || this.#watch === undefined) this.#startWatch();
    const watch = this.#watch;
    const pauseMs = this.#backoff.onDeath(diedAtMs);
    log.error('guard.trader_died', { life: this.#lives, reason, detail });
    const clearMs = await this.#untilCleared(watch);
    if (clearMs === undefined) return false;
    this.#last = { reason, detail, at: new Date(diedAtMs).toISOString(), clearMs };
    const { cancelled, leftAlone } = watch ?? {};
    log.warn('guard.cleared', { cancelled, clearMs, scope: this.#scope, leftAlone });
    return await this.#mayRestart(pauseMs);
  }

  #startWatch(): void {
    const { settings, clock, timers, door, log } = this.#options;
    const before = this.#watch;
    const { tellMs } = settings;
    const horizonMs = () => this.#horizon.ms;
    const known = this.#options.own?.(this.#own) ?? this.#own;
    const own = this.#scope === 'own' ? known : undefined;
    this.#watch = new Watch({
      ...{ door, own, clock, timers, horizonMs, tellMs },
      atLeastMs: () => this.#learner.atLeastMs,
      onNotClear: ({ left, detail }) =>
        log.error('guard.not_clear', { detail, left: left.length, orderHashes: left.slice(0, 50) }),
    });
    this.#learner.onDeath();
    void before?.release();
  }

  /** `undefined` when it was abandoned first. */
  async #untilCleared(watch: Watch | undefined): Promise<number | undefined> {
    let clearMs: number | undefined;
    const cleared = watch?.cleared.then((tookMs) => {
      clearMs = tookMs;
      this.#wake();
    });
    void cleared;
    await this.#until(() => clearMs !== undefined || this.#hasAbandoned);
    return clearMs;
  }

  async #mayRestart(pauseMs: number | 'exhausted'): Promise<boolean> {
    const { settings, log } = this.#options;
    if (this.#stoppedAtMs !== undefined) return false;
    const isExhausted = pauseMs === 'exhausted';
    if (settings.onDeath === 'stay' || isExhausted) {
      const why = isExhausted ? crashLoopText(settings) : 'guard.onDeath is stay';
      log.error('guard.staying_down', { why, clears: 'POST /control/resume after a start' });
      await this.#latch(why);
      return false;
    }
    log.info('guard.restarting', { life: this.#lives + 1, inMs: pauseMs });
    await this.#until(() => this.#stoppedAtMs !== undefined, pauseMs);
    return this.#stoppedAtMs === undefined;
  }

  /** Tried again until it is on the disk: without it whoever starts us anew would trade. */
  async #latch(why: string): Promise<void> {
    const { latch, log, timers } = this.#options;
    try {
      await latch(why);
      if (this.#isUnlatched) log.info('guard.latched');
      this.#isUnlatched = false;
      this.#wake();
    } catch (error) {
      const isNew = !this.#isUnlatched;
      if (isNew) log.error('guard.latch_failed', { detail: String(error), means: LOST_WITH_US });
      this.#isUnlatched = true;
      timers.after(LATCH_RETRY_MS, () => void this.#latch(why));
    }
  }

  /** As long as we live nothing is started; whoever ends us is told that a new start would trade. */
  async #untilLatched(): Promise<void> {
    const isOver = () =>
      !this.#isUnlatched || this.#hasAbandoned || this.#stoppedAtMs !== undefined;
    while (!isOver()) {
      this.#options.log.error('guard.unlatched', { means: LOST_WITH_US });
      await this.#until(isOver, UNLATCHED_TOLD_MS);
    }
  }

  /** Nothing is started again: watches until nothing can arrive, or until nobody wants to wait. */
  async #stayDown(): Promise<GuardEnd> {
    const { log } = this.#options;
    const watch = this.#watch;
    let proof = watch === undefined && !this.#hasAbandoned ? true : undefined;
    void watch?.proven.then((isCertain) => {
      proof = isCertain;
      this.#wake();
    });
    while (proof === undefined && !this.#hasAbandoned) {
      log.warn('guard.watching', { forMs: watch?.waitMs, why: 'what was sent may still arrive' });
      await this.#until(() => proof !== undefined || this.#hasAbandoned, WAIT_TOLD_MS);
    }
    const isProven = proof === true;
    const { cancelled, leftAlone } = watch ?? {};
    const scope = this.#scope;
    if (isProven) log.info('guard.proven', { cancelled, scope, leftAlone });
    else
      log.error('guard.unproven', { cancelled, scope, leftAlone, why: this.#unprovenText(proof) });
    await watch?.release();
    await this.#untilLatched();
    const isStopped = this.#stoppedAtMs !== undefined;
    const isLatched = !this.#isUnlatched && this.#held.killedBy === undefined;
    return { kind: 'down', isStopped, isProven, isLatched, scope };
  }

  #unprovenText(proof: boolean | undefined): string {
    return proof === false ? 'nobody has said whose the open orders are' : 'nobody waited for it';
  }

  /** Waits until it is so, looked at on each wake, or until the time is over. */
  async #until(isSo: () => boolean, withinMs?: number): Promise<void> {
    let isOver = false;
    const callOff =
      withinMs === undefined
        ? () => {}
        : this.#options.timers.after(withinMs, () => {
            isOver = true;
            this.#wake();
          });
    while (!isSo() && !isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    callOff();
  }

  async #tellWhenGone(trader: TraderProcess, startedAtMs: UnixMs): Promise<void> {
    const { signal, code } = await trader.exited;
    const aliveMs = this.#options.clock.nowMs() - startedAtMs;
    this.#options.log.info('guard.trader_gone', { pid: trader.pid, signal, code, aliveMs });
  }
}
