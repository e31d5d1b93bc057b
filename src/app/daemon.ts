// A running daemon: what operators, signals and the kill latch ask of it, and how it ends.

import { SETTLEMENT_MS } from '../core/orders/deadlines.ts';
import type { OperatorOrder } from '../domain/input.ts';
import type { SetsOrder, SetsView } from '../domain/sets.ts';
import { NO_MARKETS, type Phase, type PickMarkets, type StateView } from '../domain/view.ts';
import type { KillResult } from '../guard/kill.ts';
import type { Rest } from '../guard/rest.ts';
import type { Latch } from '../journal/latch.ts';
import type { MarketAsk } from '../telemetry/http-operator.ts';
import type { Log } from '../telemetry/logs.ts';
import { outlastOf } from './abandoned-start.ts';
import type { Closing } from './closing.ts';
import type { DaemonOptions, DaemonParts } from './compose.ts';
import { ControlRefused } from './control-refused.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { isOther } from './kept-latch.ts';
import type { KillLatch } from './kill-latch.ts';
import { askOfMarket, type MarketDone } from './market-control.ts';
import type { Outlast } from './outlast.ts';
import { ShortWay } from './short-way.ts';
import { StopClock } from './stop-time.ts';
import { REST_AGAIN, restsOfResult } from './unconfirmed.ts';
import { withVenueHttp } from './venue-access.ts';

export type DaemonNeeds = {
  readonly options: DaemonOptions;
  readonly parts: DaemonParts;
  readonly latch: KillLatch;
  readonly closing: Closing;
  /** It begins to end: whoever wants to start may wait for that. */
  readonly onStopping?: () => void;
};

/** Time beyond the core's own deadline in which its verdict must have come. */
const VERDICT_MARGIN_MS = 2_000;
/** An order has had its effect by then: it waits for no turn but its own. */
const SETTLE_MS = 200;
/** A machine that is busy may take longer; a refusal is no sooner certain. */
const EFFECT_MS_MAX = 2_000;
/** Most stops are over by then; of what a longer one waits for people are told. */
const SETTLING_TOLD_MS = 2_000;
/** Phases in which a resume has not taken effect. */
const HELD: ReadonlySet<Phase> = new Set([
  'paused',
  'halted',
  'killing',
  'killed',
  'stopping',
  'stopped',
]);

export class Daemon {
  /** How it ended, when everything is closed. */
  readonly ended: Promise<ExitCode>;
  readonly #options: DaemonOptions;
  readonly #parts: DaemonParts;
  readonly #latch: KillLatch;
  readonly #closing: Closing;
  readonly #log: Log;
  /** By whom a latch was set that another process had set, and the core was reported: the last one. */
  #found: Latch | undefined;
  /** What the last resume lifts, or has lifted: whoever looks at the disk may see it still, and it is no kill of now. */
  #lifted: readonly Latch[] = [];
  #resolveEnded: (code: ExitCode) => void = () => {};
  #isOpen = false;
  #onOpen: () => void = () => {};
  readonly #opened: Promise<void>;
  #killedBy: string | undefined;
  #isStopping = false;
  readonly #stopClock: StopClock;
  readonly #short: ShortWay;
  readonly #onStopping: () => void;
  #isAborting = false;
  #isEnding = false;
  /** Nobody goes on where this process ends without proof. */
  #isExternal = false;
  /** The end was asked for a second time. */
  #isMeantTwice = false;
  #outlast: Outlast | undefined;
  #unsettled = 0;
  #rests: readonly Rest[] = [];
  #inFlight: readonly string[] = [];

  constructor({ options, parts, latch, closing, onStopping = () => {} }: DaemonNeeds) {
    this.#options = options;
    this.#stopClock = new StopClock(options.clock.steady(), options.settings.guard);
    this.#onStopping = onStopping;
    this.#short = new ShortWay(options, parts);
    this.#parts = parts;
    this.#latch = latch;
    this.#closing = closing;
    parts.proofs.onConfirmed = () => void this.#confirmLatch();
    this.#log = options.log;
    this.#opened = new Promise((resolve) => {
      this.#onOpen = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  /** Orders that it ended beside, which have matched, and rest again where their settlement fails. */
  get unsettled(): number {
    return this.#unsettled;
  }

  /** What may rest where it ended without proof. */
  get rests(): readonly Rest[] {
    return this.#rests;
  }

  /** Of it, the placements that nobody has answered. */
  get inFlight(): readonly string[] {
    return this.#inFlight;
  }

  view(pick?: PickMarkets): StateView {
    return this.#parts.view(pick);
  }

  /** The core has its settings and the venue may be used; what was killed before stays killed. */
  open(): void {
    this.#isOpen = true;
    this.#onOpen();
    if (this.#killedBy !== undefined) this.#order({ kind: 'kill', by: this.#killedBy });
  }

  /**
   * Ends in good order: the core cancels everything and confirms it. When the core does not say so
   * in time, the independent kill path has the last word. A second call changes nothing.
   */
  async stop(by: string): Promise<void> {
    if (this.#isStopping || this.#isAborting) return;
    this.#isStopping = true;
    this.#beginEnd();
    const withinSec = this.#options.settings.guard.stopDeadlineSec;
    this.#log.info('daemon.stopping', { by, withinSec });
    const verdict = this.#parts.proofs.next(this.#stopClock.leftMs('verdictMs', this.#graceMs()));
    this.#order({ kind: 'shutdown', by });
    const callOff = this.#options.clock.after(SETTLING_TOLD_MS, () => this.#tellSettling());
    const result = await this.#settled(await verdict);
    callOff();
    if (this.#isAborting) return;
    if (result === 'silent') {
      await this.abort('the core gave no verdict', EXIT.done);
      return;
    }
    await this.#end(result, EXIT.done);
  }

  /**
   * Ends at once: the core is not asked any more, nothing further is sent by it, and the
   * independent kill path cancels everything over connections of its own.
   */
  async abort(why: string, codeIfConfirmed: ExitCode): Promise<void> {
    if (this.#isAborting || this.#isEnding) return;
    this.#isAborting = true;
    this.#beginEnd();
    this.#log.error('daemon.aborting', { why });
    this.#parts.loop.stop();
    await this.#short.cutVenue();
    const withinMs = this.#stopClock.leftMs('killMs');
    const result = await this.#short.kill({ withinMs });
    await this.#end(result, codeIfConfirmed);
  }

  /** The guard is gone: ends in good order, and not without proof as long as nobody insists. */
  async external(): Promise<void> {
    // What the guard took along needs no proof.
    this.#isExternal = this.#options.endsWithGuard !== true;
    await this.stop('the guard is gone');
  }

  /** The same request again, meant: ends at once, confirmed or not. */
  async insist(by: string): Promise<void> {
    this.#isMeantTwice = true;
    this.#outlast?.giveUp();
    await this.abort(`${by} came twice`, EXIT.done);
  }

  /** Where nothing but a settlement is waited for, it has its time. */
  async #settled(result: KillResult | 'silent'): Promise<KillResult | 'silent'> {
    if (result === 'silent' || (result.settling ?? 0) === 0) return result;
    if (result.kind === 'confirmed') return result;
    const { left = [] } = result;
    if (left.length > 0 || this.#short.hasUnanswered()) return result;
    const later = await this.#parts.proofs.next(this.#stopClock.leftMs('settleMs', SETTLEMENT_MS));
    return later === 'silent' ? result : later;
  }

  /** From here on its time runs. */
  #beginEnd(): void {
    this.#stopClock.begin();
    this.#onStopping();
  }

  #tellSettling(): void {
    const orders = this.#short.settling();
    if (orders > 0) this.#log.warn('daemon.settling', { orders, means: REST_AGAIN });
  }

  /** Cancels everything and latches; the daemon runs on without quotes until a resume. */
  async kill(by: string): Promise<KillResult> {
    if (!this.#isOpen) return await this.#killBeforeOpen(by);
    const verdict = this.#parts.proofs.next(this.#graceMs());
    // The gate closes first; the disk may be slow, full or gone.
    this.#order({ kind: 'kill', by });
    await this.#latchSoon(by);
    const result = await verdict;
    return result === 'silent' ? await this.#short.kill() : result;
  }

  /** Takes all quotes back until a resume. @throws {ControlRefused} */
  async pause(by: string): Promise<void> {
    const phase = await this.#phaseAfter({ kind: 'pause', by }, (now) => now === 'paused');
    if (phase !== 'paused') throw new ControlRefused(`not paused: the daemon is ${phase}`);
  }

  /**
   * Asks for quotes again and lifts the latch; it stays where the core refuses, since a kill that is
   * not confirmed is not resumed from.
   * @throws {ControlRefused}
   */
  async resume(by: string): Promise<void> {
    // What a previous run left has not been recovered: nothing of it would be lifted but the latch.
    if (!this.#isOpen) throw new ControlRefused('not resumed: the daemon is starting');
    const before = this.#found;
    const standing = await this.#latch.standing();
    this.#lifted = standing;
    const phase = await this.#phaseAfter({ kind: 'resume', by }, (now) => !HELD.has(now));
    if (HELD.has(phase)) throw new ControlRefused(`not resumed: the daemon is ${phase}`);
    const newer = await this.#lift(standing, by);
    if (newer !== undefined) this.onLatch(newer);
    const again = newer ?? (this.#found === before ? undefined : this.#found);
    if (again === undefined) {
      this.#options.guarded?.resumed?.();
      return;
    }
    // One that was found meanwhile may be the very one that was lifted: the core is killed by it.
    if (newer === undefined) await this.#latch.set(again.by);
    throw new ControlRefused(`not resumed: killed again by ${again.by}`);
  }

  /** Where the latch may still stand, nothing may be quoted: the answer says that, and so does a next start. */
  async #lift(standing: readonly Latch[], by: string): Promise<Latch | undefined> {
    try {
      return await this.#latch.lift(standing);
    } catch (error) {
      this.#lifted = [];
      const killedBy = standing.at(0)?.by ?? by;
      this.#order({ kind: 'kill', by: killedBy });
      await this.#latchSoon(killedBy);
      const detail = error instanceof Error ? error.message : String(error);
      const text = `not resumed: the latch cannot be lifted: ${detail}`;
      throw new ControlRefused(text, { cause: error });
    }
  }

  /**
   * The same of single markets, which never means another one. A stop waits for a start that is under way: one that the
   * trader before has not obeyed is told to this one while it starts, and to nobody after it.
   * @throws {ControlRefused}
   */
  async ofMarket(ask: MarketAsk): Promise<MarketDone> {
    const isEarly = !this.#isOpen;
    if (isEarly && ask.order === 'resume')
      throw new ControlRefused('no resume: the daemon is starting');
    await this.#opened;
    return await askOfMarket(ask, { ...this.#parts, timers: this.#options.clock, isEarly });
  }

  /** Splits, merges or redeems; what becomes of it later is in the state. @throws {ControlRefused} */
  async sets(order: SetsOrder): Promise<SetsView> {
    this.#parts.loop.post({ kind: 'sets', order });
    await new Promise<void>((resolve) => this.#options.clock.after(SETTLE_MS, resolve));
    const known = this.view(NO_MARKETS).sets?.find((each) => each.id === order.id);
    if (known === undefined) throw new ControlRefused('the core has not taken it up');
    return known;
  }

  /** Somebody set the latch on disk: another process killed the account. */
  onLatch(latch: Latch): void {
    const { by, at } = latch;
    // One that says no time may be of any kill.
    if (at !== undefined && !isOther(latch, this.#lifted)) return;
    if (!this.#isOpen) {
      this.#killedBy = by;
      return;
    }
    const { phase } = this.view(NO_MARKETS);
    if (phase === 'killed') void this.#confirmLatch();
    if (phase === 'killed' || phase === 'killing') return;
    this.#log.warn('latch.found', { by });
    this.#found = latch;
    this.#order({ kind: 'kill', by });
    void this.#keepLatch(by);
  }

  /** It may have been lifted between the moment when it was read and this one, and a start must know of the kill. */
  async #keepLatch(by: string): Promise<void> {
    const standing = await this.#latch.standing().catch(() => []);
    if (standing.length === 0) await this.#latch.set(by);
  }

  /**
   * The core cannot cancel yet, and nothing of this run is under way: the short way confirms it, when
   * nothing that a previous run sent can arrive any more.
   */
  async #killBeforeOpen(by: string): Promise<KillResult> {
    this.#killedBy = by;
    const latched = this.#latchSoon(by);
    const inFlightUntilMs = () => this.#short.inFlightUntilMs();
    const result = await this.#short.kill({ inFlightUntilMs });
    await latched;
    return result;
  }

  /** The phase when the order has had its effect, or when it has had none in time. */
  async #phaseAfter(order: OperatorOrder, isDone: (phase: Phase) => boolean): Promise<Phase> {
    this.#order(order);
    for (let waitedMs = 0; waitedMs < EFFECT_MS_MAX; waitedMs += SETTLE_MS) {
      await new Promise<void>((resolve) => this.#options.clock.after(SETTLE_MS, resolve));
      if (isDone(this.view(NO_MARKETS).phase)) break;
    }
    return this.view(NO_MARKETS).phase;
  }

  #order(order: OperatorOrder): void {
    this.#parts.loop.post({ kind: 'operator', order });
  }

  async #confirmLatch(): Promise<void> {
    try {
      await this.#latch.confirm();
    } catch (error) {
      this.#log.error('latch.failed', { detail: String(error) });
    }
  }

  /** Latched, or known not to be: on a disk that hangs it goes on behind, and nobody waits for that. */
  async #latchSoon(by: string): Promise<void> {
    void this.#latch.set(by);
    await this.#latch.settled();
  }

  /** Where nobody else would, it goes on where a stop could not be confirmed, as its guard would have done. */
  async #outlasted(first: KillResult): Promise<KillResult> {
    if (first.kind === 'confirmed' || !this.#isExternal || this.#isMeantTwice) return first;
    this.#log.error('daemon.goes_on', { ...first, endsWith: 'a proof, or a second signal' });
    const outlast = outlastOf(this.#options, this.#parts);
    this.#outlast = outlast;
    await this.#short.cutVenue();
    const withinMs = this.#stopClock.leftMs('settleMs');
    const last = await withVenueHttp(
      this.#parts.access,
      async (door) => await outlast.run(door, first, withinMs),
    );
    // Whoever killed beside it reads there that nothing of ours is under way.
    if (last.kind === 'confirmed') void this.#confirmLatch();
    return last;
  }

  async #end(first: KillResult, codeIfConfirmed: ExitCode): Promise<void> {
    this.#isEnding = true;
    this.#parts.loop.stop();
    this.#parts.proofs.close();
    const result = await this.#outlasted(first);
    this.#unsettled = Math.max(this.#short.settling(), result.unsettled?.length ?? 0);
    if (this.#unsettled > 0)
      this.#log.warn('daemon.settling', { orders: this.#unsettled, means: REST_AGAIN });
    this.#rests = restsOfResult(result);
    this.#inFlight = (result.kind === 'unconfirmed' ? result.inFlight : undefined) ?? [];
    if (result.kind === 'confirmed') this.#log.info('daemon.stopped', result);
    else this.#log.error('daemon.stop_unconfirmed', result);
    await this.#latch.settled();
    const { fault } = this.#latch;
    if (fault !== undefined) this.#log.error('latch.lost', fault);
    const { standing } = this.#parts.stops;
    if (standing.length > 0) this.#log.error('stops.lost', { stops: standing });
    await this.#closing.closeAll();
    this.#resolveEnded(
      result.kind === 'confirmed' ? this.#codeOf(codeIfConfirmed) : EXIT.unconfirmed,
    );
  }

  /** An account that was killed, paused or halted and that the next start would trade on is no good end. */
  #codeOf(codeIfConfirmed: ExitCode): ExitCode {
    const isKept = this.#latch.fault === undefined && this.#parts.stops.standing.length === 0;
    return isKept ? codeIfConfirmed : EXIT.failed;
  }

  #graceMs(): number {
    return this.#options.settings.timing.proofDeadlineMs + VERDICT_MARGIN_MS;
  }
}
