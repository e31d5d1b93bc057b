// The guard: starts the trader, watches it, cancels and confirms when it cannot, and starts it again, within
// bounds. It holds nothing that can fail with the trader: no core, strategy or journal. @spec Architecture decision 10

import type { Death } from '../domain/supervision.ts';
import { Backoff } from './backoff.ts';
import {
  crashLoopText,
  describeEnd,
  goodEnd,
  mayBlame,
  mayHaveTraded,
  TRADER_EXIT,
} from './death.ts';
import { DownLatch } from './down-latch.ts';
import { clearEarlier } from './earlier.ts';
import { faultText } from './fault.ts';
import { Held } from './held.ts';
import { Horizon } from './horizon.ts';
import { type LastWatchOptions, watchLast } from './last-watch.ts';
import { Learner } from './learner.ts';
import { OwnBook, type OwnOrders } from './own-book.ts';
import { noDeaths, type RunFacts, type ToTrader } from './protocol.ts';
import { Pull } from './pull.ts';
import { StopAsked } from './stop-asked.ts';
import { StopDeadline } from './stop-deadline.ts';
import {
  type EarlierOrders,
  type GuardEnd,
  patienceOf,
  type SupervisorOptions,
} from './supervisor-options.ts';
import { Suspects } from './suspects.ts';
import { tellEnd, tellNotClear } from './told.ts';
import { type RunEnd, type TraderProcess, TraderRun } from './trader-run.ts';
import { Waiting } from './waiting.ts';
import { Watch } from './watch.ts';

export type StopSignal = 'SIGTERM' | 'SIGINT';

type Lived = { traderRun: TraderRun; end: RunEnd; trader: TraderProcess };

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #backoff: Backoff;
  readonly #deaths = noDeaths();
  #last: Death | undefined;
  #runs = 0;
  #process: TraderProcess | undefined;
  #watch: Watch | undefined;
  /** The trader of now has begun its work. */
  #isUp = false;
  #owesReload = false;
  #hasTraded = false;
  readonly #stop = new StopAsked();
  /** The stop was asked for a second time. */
  #isMeantTwice = false;
  /** Why nobody waits any longer for what may rest. */
  #givenUp: string | undefined;
  /** Nothing is started again. */
  #isLast = false;
  #traderRun: TraderRun | undefined;
  readonly #deadline: StopDeadline;
  /** Outlives the traders: what one of them told holds until the next one tells. */
  readonly #own = new OwnBook();
  #scope: 'account' | 'own';
  readonly #horizon: Horizon;
  readonly #learner: Learner;
  readonly #held: Held;
  readonly #latch: DownLatch;
  readonly #suspects: Suspects;
  readonly #waiting: Waiting;
  readonly #pull: Pull;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.settings);
    this.#waiting = new Waiting(options.timers);
    this.#suspects = new Suspects(options.log);
    this.#scope = options.settings.scope;
    this.#held = options.held ?? new Held(options.log);
    this.#pull = new Pull({ ...options, own: () => this.#ownOrders() });
    this.#latch = new DownLatch({ ...options, onSet: () => this.#waiting.wake() });
    this.#deadline = new StopDeadline({
      timers: options.timers,
      durationMs: options.settings.stopDeadlineMs,
      onLastLook: () => this.#traderRun?.cut(),
      onOver: () => this.#giveUp('guard.stopDeadlineSec is over'),
    });
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
    return await this.#run().finally(() => this.#deadline.callOff());
  }

  async #run(): Promise<GuardEnd> {
    for (;;) {
      const end = await this.#runOnce().catch(async (error: unknown) => await this.#onFault(error));
      if (end !== undefined) return end;
    }
  }

  /** One trader, from its start to its end; the end of the guard where nothing follows. */
  async #runOnce(): Promise<GuardEnd | undefined> {
    const { traderRun, end, trader } = await this.#live();
    const code = this.#passedOn(traderRun, end);
    if (code !== undefined) return await this.#pass(traderRun, code);
    this.#options.onGone?.();
    const mayRestart = await this.#onDeath(traderRun, end, trader);
    return mayRestart ? undefined : await this.#stayDown();
  }

  /**
   * A fault of the guard itself: it does not know any more what its trader does, which is ended, and what rests is
   * cancelled as after a death. Whoever had decided to start nothing again starts nothing.
   */
  async #onFault(error: unknown): Promise<GuardEnd | undefined> {
    this.#options.log.error('guard.fault', { detail: faultText(error), does: 'ends the trader' });
    this.#process?.signal('SIGKILL');
    this.#process = undefined;
    this.#startWatch();
    const pauseMs = this.#backoff.onDeath(this.#options.clock.nowMs());
    await this.#untilClear();
    if (this.#isLast || this.#watch?.clearMs === undefined) return await this.#stayDown();
    return (await this.#mayRestart(pauseMs)) ? undefined : await this.#stayDown();
  }

  /** Passes the target quotes on to the trader; where there is none, ends as soon as the proof is done. */
  stop(signal: StopSignal): void {
    const which = this.#stop.ask(this.#options.clock.nowMs());
    if (which === 'first') this.#deadline.begin();
    this.#isMeantTwice ||= which === 'second';
    if (this.#process) this.#process.signal(signal);
    else if (which === 'second') this.#giveUp('nobody waited for it');
    this.#waiting.wake();
  }

  /** What a kill that is no death's has to know: whose orders, and how late one may be accepted. */
  get known(): { readonly own: OwnOrders | undefined; readonly horizonMs: number } {
    return { own: this.#ownOrders(), horizonMs: this.#horizon.ms };
  }

  /** How long the trader shows no sign of activity; `undefined` while none has begun its work. */
  get silentMs(): number | undefined {
    return this.#isUp ? this.#traderRun?.silentMs : undefined;
  }

  /** Whether there is somebody who has the terminal: a line is shown there, a key is taken there. */
  tell(word: Extract<ToTrader, { kind: 'line' | 'key' }>): boolean {
    this.#process?.send(word);
    return this.#process !== undefined;
  }

  /** Passed on when the trader is up: one that still loads would end by it, and a few of them stay down. */
  reload(): void {
    if (this.#isUp) this.#process?.signal('SIGHUP');
    else this.#owesReload = true;
  }

  /** The trader is of no use any more, as when its venue has gone: it ends, and nothing follows. */
  abandon(): void {
    this.#stop.ask(this.#options.clock.nowMs());
    this.#giveUp('its venue has gone');
    this.#process?.signal('SIGKILL');
  }

  #giveUp(why: string): void {
    this.#givenUp ??= why;
    this.#waiting.wake();
  }

  async #live(): Promise<Lived> {
    const { settings, clock, timers, launch, log } = this.#options;
    this.#runs += 1;
    const trader = launch(this.#facts());
    this.#process = trader;
    log.info('guard.trader_started', { run: this.#runs, pid: trader.pid });
    const traderRun: TraderRun = new TraderRun({
      process: trader,
      ...{ clock, timers },
      ...patienceOf(settings),
      onReady: () => void this.#handOver(traderRun),
      onReadyLate: () => this.#onReadyLate(),
      onStarted: () => this.#onStarted(),
      onEndAsked: () => this.stop('SIGINT'),
      onResumed: () => this.#options.onResumed?.(),
      onStarved: () => {
        this.#pull.begin(this.#runs);
        trader.send({ kind: 'starved', times: this.#pull.times });
      },
      onAwake: (silentMs) => this.#pull.onAwake(this.#runs, silentMs),
      onConfig: (text) => this.#held.onConfig(text),
      onUnlatched: (by) => this.#held.onUnlatched(by),
      onStops: (stops) => this.#held.onStops(stops),
      onOrders: (said) => {
        this.#scope = said.scope;
        this.#own.apply(said.update);
        this.#horizon.onTold(said);
      },
    });
    if (this.#stop.isAsked) trader.signal('SIGTERM');
    this.#traderRun = traderRun;
    const end = await traderRun.ended;
    this.#traderRun = undefined;
    this.#pull.end();
    this.#process = undefined;
    this.#isUp = false;
    tellEnd(end, trader, traderRun.startedAtMs, this.#options);
    return { traderRun, end, trader };
  }

  #facts(): RunFacts {
    return {
      run: this.#runs,
      deaths: { ...this.#deaths },
      last: this.#last,
      starved: this.#pull.times,
      hasTraded: this.#hasTraded,
      unlatchedBy: this.#held.killedBy,
      stops: this.#held.stops,
      suspended: this.#suspects.standing(this.#options.clock.nowMs()),
      config: this.#held.config,
    };
  }

  /** The new run answers for the account from here on; two who cancel would disturb each other. */
  async #handOver(traderRun: TraderRun): Promise<void> {
    this.#hasTraded = true;
    const watch = this.#watch;
    const quietForMs = await watch?.release();
    if (this.#watch === watch) this.#watch = undefined;
    if (watch) this.#options.log.info('guard.handed_over', { run: this.#runs, quietForMs });
    traderRun.go(quietForMs);
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
  #passedOn(traderRun: TraderRun, end: RunEnd): number | undefined {
    if (end.kind === 'silent') return undefined;
    const { code } = end.exit;
    if (!this.#options.settings.enabled) return code ?? TRADER_EXIT.failed;
    return goodEnd(code, {
      isFirst: this.#runs === 1,
      isStopping: this.#stop.isAsked,
      hasGone: traderRun.hasGone,
      isLeaving: traderRun.isLeaving,
      hasHeld: this.#held.hasAny,
    });
  }

  async #pass(traderRun: TraderRun, code: number): Promise<GuardEnd> {
    const { enabled } = this.#options.settings;
    const isLeft = enabled && code === TRADER_EXIT.unconfirmed;
    if (isLeft && !this.#isMeantTwice) return await this.#takeOver(traderRun);
    // It had taken the watch over, and did nothing with it.
    if (traderRun.isUntouched && traderRun.hasGone && this.#runs > 1) this.#startWatch();
    if (this.#watch === undefined) {
      const isWordless = this.#stop.isAsked && !this.#hasTraded && traderRun.isWordless;
      const earlier = await this.#clearEarlier(traderRun, code);
      return { kind: 'passed', code, earlier, isWordless: isWordless || undefined };
    }
    // A watch that goes on while a later run did not even begin has the last word.
    const end = await this.#stayDown();
    if (this.#stop.isAsked) return end;
    return end.kind === 'down' && end.isConfirmed ? { kind: 'passed', code } : end;
  }

  /** A stop that could not be confirmed while the venue was away: who is left goes on where the trader ended. */
  async #takeOver({ unsettled: settling, inFlight }: TraderRun): Promise<GuardEnd> {
    this.#options.log.error('guard.took_over', {
      why: 'the trader ended without proof; cancelling goes on',
      endsWith: 'a proof, guard.stopDeadlineSec, or a second signal',
    });
    this.#startWatch();
    void this.#options.hold?.().then((isOurs) => {
      if (!isOurs) this.#giveUp('another instance has started and looks after it');
    });
    return await this.#stayDown({ settling, inFlight });
  }

  async #clearEarlier(traderRun: TraderRun, code: number): Promise<EarlierOrders | undefined> {
    return await clearEarlier(traderRun, code, {
      ...this.#options,
      scope: this.#scope,
      isStopping: this.#stop.isAsked,
      waiting: this.#waiting,
      hasAbandoned: () => this.#givenUp !== undefined,
      startWatch: () => this.#startWatch(),
    });
  }

  /** @returns Whether another run begins. */
  async #onDeath(traderRun: TraderRun, end: RunEnd, trader: TraderProcess): Promise<boolean> {
    const { clock, wallClock, log } = this.#options;
    const at = new Date(wallClock.nowMs()).toISOString();
    const { reason, detail } = describeEnd(end, traderRun);
    const diedAtMs = clock.nowMs();
    const call = mayBlame(end) ? trader.call?.() : undefined;
    if (call !== undefined) this.#suspects.onDeath(call, diedAtMs, detail);
    this.#deaths[reason] += 1;
    // What did not take over has placed nothing: the watch of the death before goes on. Where nobody ever took over
    // and no earlier guard left a journal, nothing is under way: that nothing is open is all there is to wait for.
    const mayArrive = mayHaveTraded(traderRun, end, diedAtMs);
    const hadJournal = this.#options.hadJournal === true;
    if (mayArrive || this.#watch === undefined) this.#startWatch(mayArrive || hadJournal);
    const isRefused = reason === 'refused' && !traderRun.hasGone;
    const isCrash = reason !== 'starved' && !isRefused && call === undefined;
    const livedMs = diedAtMs - traderRun.startedAtMs;
    const pauseMs = isCrash ? this.#backoff.onDeath(diedAtMs) : this.#backoff.onNoCrash(livedMs);
    log.error('guard.trader_died', { run: this.#runs, reason, detail });
    await this.#untilClear();
    const { cancelled, leftAlone, clearMs } = this.#watch ?? {};
    if (clearMs === undefined) return false;
    this.#last = { reason, detail, at, clearMs };
    log.warn('guard.cleared', { cancelled, clearMs, scope: this.#scope, leftAlone });
    return await this.#mayRestart(pauseMs);
  }

  async #untilClear(): Promise<void> {
    const isOver = () => this.#watch?.clearMs !== undefined || this.#givenUp !== undefined;
    await this.#waiting.until(isOver);
  }

  #startWatch(mayArrive = true): Watch {
    const { settings, clock, timers, door, log } = this.#options;
    const before = this.#watch;
    const watch = new Watch({
      ...{ door, own: this.#ownOrders(), clock, timers, tellMs: settings.tellMs },
      horizonMs: () => (mayArrive ? this.#horizon.ms : 0),
      atLeastMs: () => (mayArrive ? this.#learner.atLeastMs : 0),
      onUpdate: () => this.#waiting.wake(),
      onNotClear: (trouble) => tellNotClear(log, trouble),
    });
    this.#watch = watch;
    this.#learner.onDeath();
    void before?.release();
    return watch;
  }

  /** Given where only these are meant. */
  #ownOrders(): OwnOrders | undefined {
    const known = this.#options.own?.(this.#own) ?? this.#own;
    return this.#scope === 'own' ? known : undefined;
  }

  async #mayRestart(pauseMs: number | 'exhausted'): Promise<boolean> {
    const { settings, log } = this.#options;
    if (this.#stop.isAsked) return false;
    if (settings.onDeath === 'stay' || pauseMs === 'exhausted') {
      const why = pauseMs === 'exhausted' ? crashLoopText(settings) : 'guard.onDeath is stay';
      log.error('guard.staying_down', { why, clears: 'bookend resume after a start' });
      await this.#latch.set(why);
      return false;
    }
    log.info('guard.restarting', { run: this.#runs + 1, inMs: pauseMs });
    await this.#waiting.until(() => this.#stop.isAsked, pauseMs);
    return !this.#stop.isAsked;
  }

  /** Nothing is started again: watches until nothing can arrive, or until nobody wants to wait. */
  async #stayDown(told?: LastWatchOptions['told']): Promise<GuardEnd> {
    const scope = this.#scope;
    this.#isLast = true;
    const last = await watchLast({
      ...{ waiting: this.#waiting, log: this.#options.log, scope, told },
      watch: () => this.#watch,
      isStopped: () => this.#stop.isAsked,
      givenUp: () => this.#givenUp,
    });
    const isEnding = () => this.#givenUp !== undefined || this.#stop.isAsked;
    await this.#latch.untilSet(this.#waiting, isEnding);
    const isLatched = !this.#latch.isMissing && !this.#held.hasAny;
    return { kind: 'down', isStopped: this.#stop.isAsked, isLatched, scope, ...last };
  }
}
