// The guard: starts the trader, watches it, cancels and proves when it cannot, and starts it again,
// within bounds. It holds nothing that can fail with the trader: no core, no strategy, no journal.
// @spec Architecture decision 10

import type { Death } from '../domain/supervision.ts';
import type { UnixMs } from '../domain/time.ts';
import { Backoff } from './backoff.ts';
import { crashLoopText, describeEnd, goodEnd, mayHaveTraded, TRADER_EXIT } from './death.ts';
import { DownLatch } from './down-latch.ts';
import { Held, LOST_WITH_US } from './held.ts';
import { Horizon } from './horizon.ts';
import { Learner } from './learner.ts';
import { type Left, leftOf } from './left.ts';
import { Life, type LifeEnd, type TraderProcess } from './life.ts';
import { OwnBook, type OwnOrders } from './own-book.ts';
import { type LifeFacts, noDeaths } from './protocol.ts';
import type { EarlierOrders, GuardEnd, SupervisorOptions } from './supervisor-options.ts';
import { Watch } from './watch.ts';

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** A terminal sends its Ctrl-C to everybody: what comes within this time is the same wish. */
const SAME_WISH_MS = 1_000;
/** A latch that the disk does not take is told of again this often. */
const UNLATCHED_TOLD_MS = 60_000;
/** For what an earlier run left, when the start failed: a venue that answers is cleared in less. */
const SWEEP_MS_MAX = 5_000;
/** Between two lines about what a watch still waits for. */
const WAIT_TOLD_MS = 10_000;
/** Orders that a line of log names. */
const LEFT_TOLD_MAX = 50;
const WHY_SETTLING = 'an order whose settlement fails may rest again';

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #backoff: Backoff;
  readonly #deaths = noDeaths();
  #last: Death | undefined;
  #lives = 0;
  #process: TraderProcess | undefined;
  #watch: Watch | undefined;
  /** The trader of now has begun its work. */
  #isUp = false;
  #owesReload = false;
  #hasTraded = false;
  #stoppedAtMs: UnixMs | undefined;
  /** The stop was asked for a second time. */
  #isMeantTwice = false;
  #hasAbandoned = false;
  /** Outlives the traders: what one of them told holds until the next one tells. */
  readonly #own = new OwnBook();
  #scope: 'account' | 'own';
  readonly #horizon: Horizon;
  readonly #learner: Learner;
  readonly #held: Held;
  readonly #latch: DownLatch;
  #wake: () => void = () => {};

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.settings);
    this.#scope = options.settings.scope;
    this.#held = new Held(options.log);
    const { latch, timers, log } = options;
    this.#latch = new DownLatch({ latch, timers, log, onSet: () => this.#wake() });
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
      if (code !== undefined) return await this.#pass(life, code);
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
    this.#isMeantTwice ||= isSecond;
    if (this.#process) this.#process.signal(signal);
    else if (isSecond) this.#hasAbandoned = true;
    this.#wake();
  }

  /** What a kill that is no death's has to know: whose orders, and how late one may be accepted. */
  get known(): { readonly own: OwnOrders | undefined; readonly horizonMs: number } {
    const known = this.#options.own?.(this.#own) ?? this.#own;
    return { own: this.#scope === 'own' ? known : undefined, horizonMs: this.#horizon.ms };
  }

  /** Whether there is somebody to write the line where it can be read. */
  tell(line: string): boolean {
    this.#process?.send({ kind: 'line', line });
    return this.#process !== undefined;
  }

  /** Passed on when the trader is up: one that still loads would end by it, and a few of them stay down. */
  reload(): void {
    if (this.#isUp) this.#process?.signal('SIGHUP');
    else this.#owesReload = true;
  }

  /** The trader is of no use any more, as when its venue has gone: it ends, and nothing follows. */
  abandon(): void {
    this.#stoppedAtMs ??= this.#options.clock.nowMs();
    this.#hasAbandoned = true;
    this.#process?.signal('SIGKILL');
    this.#wake();
  }

  async #live(): Promise<{ readonly life: Life; readonly end: LifeEnd }> {
    const { settings, clock, timers, launch, log } = this.#options;
    this.#lives += 1;
    const trader = launch(this.#facts());
    this.#process = trader;
    log.info('guard.trader_started', { life: this.#lives, pid: trader.pid });
    const life: Life = new Life({
      process: trader,
      ...{ clock, timers },
      silenceMs: settings.enabled ? settings.silenceMs : Number.POSITIVE_INFINITY,
      startMs: settings.enabled ? settings.startMs : Number.POSITIVE_INFINITY,
      onReady: () => void this.#handOver(life),
      onReadyLate: () => this.#onReadyLate(),
      onStarted: () => this.#onStarted(),
      onConfig: (text) => this.#held.onConfig(text),
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
    this.#isUp = false;
    if (end.kind === 'silent') void this.#tellWhenGone(trader, life.startedAtMs);
    return { life, end };
  }

  #facts(): LifeFacts {
    return {
      life: this.#lives,
      deaths: { ...this.#deaths },
      last: this.#last,
      hasTraded: this.#hasTraded,
      unlatchedBy: this.#held.killedBy,
      stops: this.#held.stops,
      config: this.#held.config,
    };
  }

  /** The new life answers for the account from here on; two who cancel would disturb each other. */
  async #handOver(life: Life): Promise<void> {
    this.#hasTraded = true;
    const watch = this.#watch;
    const quietForMs = await watch?.release();
    if (this.#watch === watch) this.#watch = undefined;
    if (watch) this.#options.log.info('guard.handed_over', { life: this.#lives, quietForMs });
    life.go(quietForMs);
  }

  #onStarted(): void {
    this.#options.onStarted?.();
    this.#isUp = true;
    if (!this.#owesReload) return;
    this.#owesReload = false;
    this.reload();
  }

  /** It is dead, and had taken over: what it sent may arrive for as long after its end. */
  #onReadyLate(): void {
    this.#hasTraded = true;
    if (this.#watch !== undefined) this.#startWatch();
  }

  /** The exit code of an end that is no death. */
  #passedOn(life: Life, end: LifeEnd): number | undefined {
    if (end.kind === 'silent') return undefined;
    const { code } = end.exit;
    if (!this.#options.settings.enabled) return code ?? TRADER_EXIT.failed;
    return goodEnd(code, {
      isFirst: this.#lives === 1,
      isStopping: this.#stoppedAtMs !== undefined,
      hasGone: life.hasGone,
      isLeaving: life.isLeaving,
      hasHeld: this.#held.hasAny,
    });
  }

  async #pass(life: Life, code: number): Promise<GuardEnd> {
    const { enabled } = this.#options.settings;
    const isLeft = enabled && code === TRADER_EXIT.unproven;
    if (isLeft && !this.#isMeantTwice) return await this.#takeOver(life);
    // It had taken the watch over, and did nothing with it.
    if (life.isUntouched && life.hasGone && this.#lives > 1) this.#startWatch();
    if (this.#watch === undefined) {
      return { kind: 'passed', code, earlier: await this.#clearEarlier(life, code) };
    }
    // A watch that goes on while a later life did not even begin has the last word.
    const end = await this.#stayDown();
    if (this.#stoppedAtMs !== undefined) return end;
    return end.kind === 'down' && end.isProven ? { kind: 'passed', code } : end;
  }

  /** A stop that could not be proven while the venue was away: who is left goes on where the trader ended. */
  async #takeOver({ unsettled }: Life): Promise<GuardEnd> {
    this.#options.log.error('guard.took_over', {
      why: 'the trader ended without proof; cancelling goes on',
      endsWith: 'a proof, or a second signal',
    });
    this.#startWatch();
    return await this.#stayDown(unsettled);
  }

  /** What an earlier run left rests for as long as no trader comes up, however often it is tried. */
  async #clearEarlier(life: Life, code: number): Promise<EarlierOrders | undefined> {
    const { hadJournal, hasLeft, settings, log } = this.#options;
    if (!settings.enabled || hadJournal !== true) return undefined;
    const found: { left?: Left } = {};
    const isStopping = this.#stoppedAtMs !== undefined;
    void leftOf(life, { code, isStopping, hasLeft }).then((left) => {
      found.left = left;
      this.#wake();
    });
    await this.#until(() => found.left !== undefined || this.#hasAbandoned, SWEEP_MS_MAX);
    if (found.left === 'nothing') return undefined;
    const isOurs = found.left === 'left' && this.#scope === 'account';
    const watch = isOurs ? await this.#sweepOnce() : undefined;
    if (watch?.isEmpty === true) {
      log.warn('guard.cleared_earlier', { cancelled: watch.cancelled, clearMs: watch.clearMs });
      return { kind: 'cleared', cancelled: watch.cancelled };
    }
    log.error('guard.left_earlier', { do: 'bookend kill', scope: this.#scope });
    return { kind: 'left' };
  }

  /** Whoever waits for the reason of a start that failed gets it soon, cleared or not. */
  async #sweepOnce(): Promise<Watch | undefined> {
    this.#startWatch();
    const watch = this.#watch;
    await this.#until(() => watch?.clearMs !== undefined || this.#hasAbandoned, SWEEP_MS_MAX);
    void watch?.release();
    return watch;
  }

  /** @returns Whether another life begins. */
  async #onDeath(life: Life, end: LifeEnd): Promise<boolean> {
    const { clock, wallClock, log } = this.#options;
    const at = new Date(wallClock.nowMs()).toISOString();
    const { reason, detail } = describeEnd(end);
    const diedAtMs = clock.nowMs();
    this.#deaths[reason] += 1;
    // What did not take over has placed nothing: the watch of the death before goes on.
    const isWatched = this.#watch !== undefined && !mayHaveTraded(life, end, diedAtMs);
    if (!isWatched) this.#startWatch();
    const isRefused = reason === 'refused' && !life.hasGone;
    const pauseMs = isRefused ? this.#backoff.onRefused() : this.#backoff.onDeath(diedAtMs);
    log.error('guard.trader_died', { life: this.#lives, reason, detail });
    await this.#until(() => this.#watch?.clearMs !== undefined || this.#hasAbandoned);
    const { cancelled, leftAlone, clearMs } = this.#watch ?? {};
    if (clearMs === undefined) return false;
    this.#last = { reason, detail, at, clearMs };
    log.warn('guard.cleared', { cancelled, clearMs, scope: this.#scope, leftAlone });
    return await this.#mayRestart(pauseMs);
  }

  #startWatch(): void {
    const { settings, clock, timers, door, log } = this.#options;
    const before = this.#watch;
    const { tellMs } = settings;
    const horizonMs = () => this.#horizon.ms;
    const { own } = this.known;
    this.#watch = new Watch({
      ...{ door, own, clock, timers, horizonMs, tellMs },
      atLeastMs: () => this.#learner.atLeastMs,
      onNews: () => this.#wake(),
      onNotClear: ({ left, detail }) =>
        log.error('guard.not_clear', {
          detail,
          left: left.length,
          orderHashes: left.slice(0, LEFT_TOLD_MAX),
        }),
    });
    this.#learner.onDeath();
    void before?.release();
  }

  async #mayRestart(pauseMs: number | 'exhausted'): Promise<boolean> {
    const { settings, log } = this.#options;
    if (this.#stoppedAtMs !== undefined) return false;
    const isExhausted = pauseMs === 'exhausted';
    if (settings.onDeath === 'stay' || isExhausted) {
      const why = isExhausted ? crashLoopText(settings) : 'guard.onDeath is stay';
      log.error('guard.staying_down', { why, clears: 'POST /control/resume after a start' });
      await this.#latch.set(why);
      return false;
    }
    log.info('guard.restarting', { life: this.#lives + 1, inMs: pauseMs });
    await this.#until(() => this.#stoppedAtMs !== undefined, pauseMs);
    return this.#stoppedAtMs === undefined;
  }

  /** As long as we live nothing is started; whoever ends us is told that a new start would trade. */
  async #untilLatched(): Promise<void> {
    const isOver = () =>
      !this.#latch.isMissing || this.#hasAbandoned || this.#stoppedAtMs !== undefined;
    while (!isOver()) {
      this.#options.log.error('guard.unlatched', { means: LOST_WITH_US });
      await this.#until(isOver, UNLATCHED_TOLD_MS);
    }
  }

  /** Nothing is started again: watches until nothing can arrive, or until nobody wants to wait. */
  async #stayDown(unsettled = 0): Promise<GuardEnd> {
    const { log } = this.#options;
    await this.#untilProven();
    const isProven = this.#proof === true;
    const { cancelled, leftAlone } = this.#watch ?? {};
    // No list may say anything of what the trader knew of.
    const settling = Math.max(unsettled, this.#watch?.settling ?? 0);
    const scope = this.#scope;
    if (isProven) log.info('guard.proven', { cancelled, scope, leftAlone, settling });
    else {
      const orderHashes = this.#watch?.left.slice(0, LEFT_TOLD_MAX);
      const why = this.#unprovenText();
      log.error('guard.unproven', { cancelled, scope, leftAlone, why, orderHashes });
    }
    await this.#watch?.release();
    await this.#untilLatched();
    const isStopped = this.#stoppedAtMs !== undefined;
    const isLatched = !this.#latch.isMissing && !this.#held.hasAny;
    return { kind: 'down', isStopped, isProven, isLatched, scope, settling };
  }

  async #untilProven(): Promise<void> {
    const isOver = () => this.#proof !== undefined || this.#hasAbandoned || this.#isInVain;
    while (!isOver()) {
      const { waitMs: forMs, settling = 0 } = this.#watch ?? {};
      const why = forMs === 0 && settling > 0 ? WHY_SETTLING : 'what was sent may still arrive';
      this.#options.log.warn('guard.watching', { forMs, settling, why });
      await this.#until(isOver, WAIT_TOLD_MS);
    }
  }

  /** False where orders are left of which nobody has said whose they are. */
  get #proof(): boolean | undefined {
    if (this.#watch === undefined) return this.#hasAbandoned ? undefined : true;
    return this.#watch.proof;
  }

  /** A stop that waited for orders which the venue cancels for nobody would never end. */
  get #isInVain(): boolean {
    return this.#stoppedAtMs !== undefined && this.#watch?.isStuck === true;
  }

  #unprovenText(): string {
    if (this.#proof === false) return 'nobody has said whose the open orders are';
    if (this.#isInVain) return 'the venue refuses to cancel what is open';
    return 'nobody waited for it';
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
