// A whole world on virtual time: venue, crowd, network, the daemon and whoever troubles it, all from
// one seed.

import { latenessOf } from '../../../src/app/learnt.ts';
import { OwnTeller } from '../../../src/app/own-orders.ts';
import { lastArrivalMs, latchAfterCut } from '../../../src/app/power-cut.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { Command } from '../../../src/domain/command.ts';
import type { MarketId } from '../../../src/domain/ids.ts';
import type { CoreSettings, Input, OperatorOrder } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { SetsOrder } from '../../../src/domain/sets.ts';
import { TRUST_DEFAULTS } from '../../../src/domain/trust.ts';
import type { StateView } from '../../../src/domain/view.ts';
import type { ApiResponse } from '../../../src/paper/api/message.ts';
import { type Random, seededRandom } from '../../../src/paper/crowd/random.ts';
import { type SyntheticCrowd, startSyntheticCrowd } from '../../../src/paper/crowd/synthetic.ts';
import { type DirectVenue, openDirectVenue } from '../../../src/paper/direct.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type {
  EventContext,
  QuoteContext,
  Strategy,
  TargetQuotes,
} from '../../../src/strategy/index.ts';
import { Auditor } from '../audit/auditor.ts';
import { restFaults } from '../audit/rest.ts';
import { NOTHING_HELD } from '../audit/stops.ts';
import { type Side, type Uptime, UptimeMeter } from '../audit/uptime.ts';
import type { Mutation } from '../mutations/mutation.ts';
import { PACES, type Pace, type PaceName } from '../pace.ts';
import type { Plan } from '../plan.ts';
import type { Scene, TroubleKind } from '../profiles.ts';
import { alterOrders } from './alterations.ts';
import { Attendant } from './attendant.ts';
import { type Controls, NO_FEES, PLAIN } from './controls.ts';
import { KeyFile } from './credentials.ts';
import { Digest } from './digest.ts';
import { Disk, type DiskMode } from './disk.ts';
import { FUSE_PLACES } from './fuse.ts';
import { Guard } from './guard.ts';
import { FreezableTimers, HostClock } from './host.ts';
import { Leaving } from './leaving.ts';
import type { Flight, NamedCancel, PlaceCommand } from './network.ts';
import { OddPrices } from './odd-prices.ts';
import { DaemonProcess, type ProcessWatch } from './process.ts';
import { ProseRefusals } from './prose.ts';
import { changedSettings, type Setting, settingOf, strategies } from './setting.ts';
import { steadyDesk } from './steady-desk.ts';
import { Tally } from './tally.ts';
import { CURRENT, drawVariant, type Variant } from './variant.ts';
import { Weather } from './weather.ts';
import { type Daemon, Workload } from './workload.ts';

export type WorldOptions = {
  readonly seed: number;
  readonly scene?: Scene | undefined;
  readonly plan: Plan;
  /** Time in which the plan is carried out; then comes the rest. */
  readonly durationMs: number;
  /** `none` ends the run with the plan; `brief` is enough where no fault was. */
  readonly rest?: RestName | undefined;
  readonly pace?: PaceName | undefined;
  /** `none`: no process has a memory. */
  readonly disk?: DiskMode | 'none' | undefined;
  readonly mutation?: Mutation | undefined;
  /** What is switched on in the daemon. */
  readonly controls?: Controls | undefined;
  /** Notified of everything that goes into the digest, for people. */
  readonly trace?: ((line: string) => void) | undefined;
};

export type Ran = {
  readonly simulatedMs: number;
  readonly digest: string;
  /** Of the plan; what follows resyncs. */
  readonly uptime: Uptime;
};

const START_MS = Date.UTC(2026, 10, 21, 12);
type Rest = {
  /** Time to quote again: unknown orders, slow settlements, resumes, reconnections. */
  readonly resyncMs: number;
  /** Then the crowd stands still, for longer than positions lag where a process began without memory. */
  readonly stillMs: number;
};

const RESTS = {
  none: undefined,
  brief: { resyncMs: 5_000, stillMs: 60_000 },
  full: { resyncMs: 300_000, stillMs: 240_000 },
} as const satisfies Readonly<Record<string, Rest | undefined>>;

export type RestName = keyof typeof RESTS;

const RESUME_EVERY_MS = 5_000;
/** Looks at rest, this far apart, of which one must find nothing. */
const REST_LOOKS = 6;
const REST_LOOK_MS = 1_300;
/** After a resume the daemon looks this often and so many times, and lifts the latch when it is held no more. */
const UNLATCH_MS = 200;
const UNLATCH_LOOKS = 10;
const HELD = new Set(['paused', 'halted', 'killing', 'killed', 'stopping', 'stopped']);

export class World implements ProcessWatch, Daemon {
  readonly clock = new VirtualClock({ startMs: START_MS });
  readonly faults = new Tally();
  readonly marks = new Tally();
  readonly auditor: Auditor;
  readonly #options: WorldOptions;
  readonly #controls: Controls;
  readonly #random: Random;
  readonly #host = new HostClock(this.clock);
  readonly #pace: Pace;
  readonly #setting: Setting;
  readonly #variant: Variant;
  readonly #crowdTimers: FreezableTimers;
  readonly #venue: DirectVenue;
  readonly #account: Account;
  readonly #crowd: SyntheticCrowd;
  readonly #weather: Weather;
  readonly #keys: KeyFile;
  readonly #workload: Workload;
  readonly #attendant: Attendant;
  readonly #digest = new Digest();
  /** What each market was last quoted from. */
  readonly #told = new Map<string, QuoteContext<unknown>>();
  /** Sides that the strategy of each market last asked for. */
  readonly #wanted = new Map<string, ReadonlySet<Side>>();
  readonly #uptime: UptimeMeter;
  #settings: CoreSettings;
  #process: DaemonProcess | undefined;
  /** The stop in good order that is under way, or was the last. */
  #leaving: Leaving | undefined;
  #disk: Disk | undefined;
  readonly #guard = new Guard();
  readonly #prose: ProseRefusals | undefined;
  readonly #oddPrices = new OddPrices();
  #latchedBy: string | undefined;
  #kills = 0;
  #processes = 0;
  #isAwake = false;
  /** The machine is without power, or its start waits for what may still arrive. */
  #isCutOff = false;
  #isResyncing = false;
  /** Nobody takes any more, the daemon included. */
  #isStill = false;

  constructor(options: WorldOptions) {
    const { seed } = options;
    this.#options = options;
    this.#pace = PACES[options.pace ?? 'steady'];
    const { auditsPerSec } = this.#pace;
    this.#controls = options.controls ?? PLAIN;
    this.#setting = settingOf(options.scene?.events ?? 'binary', this.#controls);
    this.#settings = { ...this.#setting.settings, trust: { ...TRUST_DEFAULTS, auditsPerSec } };
    this.#crowdTimers = new FreezableTimers(this.clock, this.#pace.crowdStepMs);
    this.#random = seededRandom(`${seed}/world`);
    const isVaried = options.scene?.isVaried ?? false;
    this.#variant = isVaried ? drawVariant(this.#random.split('variant')) : CURRENT;
    this.marks.add(`variant:${this.#variant.name}`);
    this.#venue = openDirectVenue({
      clock: this.clock,
      timers: this.clock,
      events: this.#setting.events,
      dialect: this.#variant.dialect,
      seed,
      startingCash: 2_000,
      accountName: 'maker',
      rules: {
        ...this.#variant.rules,
        takerFeeRate: this.#controls.fees?.chargedRate ?? 0,
        restingFeeHold: 'free',
        ...options.mutation?.rules,
      },
      // One lag a run: an index that follows a chain never shows a later change before an earlier one.
      timing: indexLag(this.#random.split('index').whole(30_000, 120_000)),
    });
    this.#account = this.#venue.exchange.accounts.named('maker');
    this.#keys = new KeyFile(this.#venue.account);
    const { lateMs } = this.#controls;
    this.#weather = new Weather(this.#random.split('weather'), this.faults, lateMs);
    this.#crowd = startSyntheticCrowd(steadyDesk(this.#venue.desk, this.#venue.exchange), {
      seed: `${seed}/crowd`,
      timers: this.#crowdTimers,
      activity: this.#pace.activity,
      markets: Object.fromEntries(this.#setting.events.map(({ slug }) => [slug, this.#pace.crowd])),
    });
    this.auditor = new Auditor({
      venue: this.#venue,
      account: this.#account,
      nowMs: () => this.clock.nowMs(),
      hostMs: () => this.#host.nowMs(),
      marks: this.marks,
      settings: this.#setting.settings,
      isKept: (intentId) =>
        this.#disk?.keeps(intentId, this.#settings.orders.scope ?? 'account') ?? true,
      cancelsParts: this.#venue.exchange.context.rules.partiallyFilledCancellable,
      namesTokens: this.#variant.dialect.settledFrame === 'full',
      isChainActionKept: (id) => this.#disk?.keepsChainAction(id) ?? true,
      heldOnDisk: () => this.#disk?.held,
      view: () => this.#view,
      // Another dialect leaves out what would make positions exact: which token settled, how an order ended.
      isDisturbed: (options.mutation?.isDisturbing ?? false) || isVaried,
    });
    this.#uptime = this.#createUptime();
    this.#prose = this.#createProse();
    this.#alterOrders();
    this.#attendant = new Attendant({
      clock: this.clock,
      random: this.#random.split('attendant'),
      view: () => this.#view,
      operator: (order) => this.operator(order),
    });
    this.#workload = this.#createWorkload();
    this.#traceVenue();
  }

  /** Runs the plan, lets everything come to rest and checks that; stops at the first violation. */
  async run(): Promise<Ran> {
    const undo = this.#options.mutation?.patch?.();
    try {
      await this.#openDisk();
      this.#startProcess();
      this.#workload.start(this.#options.plan);
      this.#attendant.start();
      await this.#runFor(this.#options.durationMs);
      this.#uptime.end(this.clock.nowMs());
      await this.#comeToRest(RESTS[this.#options.rest ?? 'full']);
    } finally {
      undo?.();
      if (this.auditor.violations.length > 0) this.#traceState();
      this.#process?.end();
      this.#venue.stop();
      await this.#disk?.close();
    }
    const simulatedMs = this.clock.nowMs() - START_MS;
    return { simulatedMs, digest: this.#digest.end(), uptime: this.#uptime.sums };
  }

  // What a workload does to the daemon

  onTrouble(kind: TroubleKind, durationMs: number): void {
    this.auditor.onTrouble(kind, durationMs);
  }

  operator(order: OperatorOrder): void {
    if (this.#process?.isOver !== false) return;
    this.auditor.onOperator(order);
    this.#process.operator(order);
    if (order.kind === 'kill') this.#latch(order.by);
    if (order.kind === 'resume') this.#unlatchIfResumed(this.#process);
  }

  sets(order: SetsOrder): void {
    this.#process?.sets(order);
  }

  reload(random: Random): void {
    this.#settings = changedSettings(this.#settings, this.#setting.settings, random);
    this.auditor.onSettings(this.#settings);
    this.#process?.reload(this.#settings);
  }

  cutSockets(): void {
    this.#process?.cutSockets();
  }

  crash(downMs: number): void {
    const process = this.#process;
    if (process?.isOver !== false) return;
    process.end();
    this.#startLater(process, downMs);
  }

  crashInside(downMs: number, random: Random): void {
    const process = this.#process;
    if (process?.isOver !== false) return;
    const at = FUSE_PLACES[random.whole(0, FUSE_PLACES.length - 1)] ?? 'sent';
    process.dieAt(at, random.whole(1, 20), () => {
      if (process.isOver) return;
      this.marks.add(`process:died when ${at}`);
      process.end();
      this.#startLater(process, downMs);
    });
  }

  /** The machine loses its power right behind a placement, with what no disk has taken by then. */
  cutPower(downMs: number, random: Random): void {
    const process = this.#process;
    if (process?.isOver !== false) return;
    process.dieAt('placed', random.whole(1, 6), () => {
      if (process.isOver) return;
      const mayHaveLost = this.#disk?.cut() ?? false;
      this.marks.add(`process:lost its power${mayHaveLost ? ' ahead of its disk' : ''}`);
      process.end();
      this.#guard.end();
      this.#isCutOff = true;
      this.clock.after(downMs, () => {
        if (!mayHaveLost) this.#startLater(process, 0);
        else this.#startLater(process, this.#outwaitMs(), () => this.#holdAfterCut());
      });
    });
  }

  /** As long as a start waits after a boot of now. */
  #outwaitMs(): number {
    const nowMs = this.#host.nowMs();
    const { unknownHorizonMs } = this.#settings.timing;
    const persisted = this.#disk?.load();
    const own = new OwnTeller('account');
    own.setHorizon(unknownHorizonMs);
    if (persisted !== undefined)
      own.seed(persisted, nowMs, latenessOf(persisted, nowMs, unknownHorizonMs));
    return lastArrivalMs(nowMs, own.horizonMs) - nowMs;
  }

  #holdAfterCut(): void {
    this.#disk?.hold(latchAfterCut(this.#host.nowMs(), this.#settings.timing.positionLagMs));
  }

  loseLedger(downMs: number): void {
    if (this.#process?.isOver !== false) return;
    this.crash(downMs);
    this.#disk?.lose();
    this.auditor.onMemoryLost();
  }

  restart(downMs: number): void {
    const process = this.#process;
    if (process?.isOver !== false) return;
    this.operator({ kind: 'shutdown', by: 'workload' });
    const leaving = new Leaving(this.clock.nowMs(), this.#settings.timing.proofDeadlineMs);
    this.#leaving = leaving;
    const look = (): void => {
      if (process.isOver) return;
      const isStopped = process.engine.view().phase === 'stopped';
      if (!isStopped && leaving.mayWait(this.clock.nowMs())) {
        this.clock.after(250, look);
        return;
      }
      this.marks.add(isStopped ? 'process:stopped clean' : 'process:stopped unconfirmed');
      if (leaving.hasWaited) this.marks.add('process:stop waited for settlements');
      process.end();
      this.#guard.end();
      this.#startLater(process, downMs);
    };
    look();
  }

  // What the daemon does

  onSent(flight: Flight): void {
    const { method, target, body } = flight.request;
    this.#note('sent', `${method} ${target} ${body}`);
    this.auditor.onSent(flight);
  }

  during(flight: Flight, effect: () => void): void {
    this.auditor.during(flight, effect);
  }

  onAnswer(flight: Flight, response: ApiResponse): void {
    this.auditor.onAnswer(flight, response);
  }

  onLimited(flight: Flight, retryAfterMs: number): void {
    this.auditor.onLimited(flight, retryAfterMs);
  }

  onInput(input: Input): void {
    this.auditor.onInput(input);
    if (input.kind === 'tick') this.auditor.onTurn();
    if (input.kind === 'venue') this.auditor.onTaken(input.message);
    if (input.kind !== 'restored') return;
    const { orders, tokens, halt } = input.persisted;
    const pending = tokens.flatMap((token) => token.pending);
    this.marks.add('restored:orders', orders.length);
    this.marks.add('restored:matches not settled', pending.length);
    if (halt) this.marks.add('restored:halt');
  }

  onMessage(message: VenueMessage): void {
    this.auditor.onMessage(message);
  }

  onCommand(command: Command): void {
    if (command.kind === 'report') this.#leaving?.onReport(command.report, this.clock.nowMs());
    this.#note('core', JSON.stringify(command));
    this.auditor.onCommand(command);
  }

  onFiring(command: NamedCancel | PlaceCommand): void {
    this.#note('fired', JSON.stringify(command));
    this.auditor.onFiring(command);
  }

  onBroke(error: Error): void {
    this.auditor.onBroke(error);
  }

  onEnd(): void {
    this.auditor.onProcessEnds();
  }

  async #comeToRest(rest: Rest | undefined): Promise<void> {
    if (rest === undefined) return;
    this.#resync();
    await this.#runFor(rest.resyncMs);
    this.#crowdTimers.freeze();
    this.#isStill = true;
    this.auditor.onStill();
    await this.#runFor(rest.stillMs);
    await this.#checkRest();
  }

  /** In the own scope nobody can say whose a restated order is that nobody answered: it is reported, and left alone. */
  #alterOrders(): void {
    if (!this.#variant.alters || this.#controls.scope === 'own') return;
    const { exchange } = this.#venue;
    const { facts } = this.auditor;
    const random = this.#random.split('alters');
    const isStill = () => this.#isStill;
    alterOrders({ exchange, account: this.#account, facts, faults: this.faults, random, isStill });
  }

  #createProse(): ProseRefusals | undefined {
    if (!this.#variant.refusesInProse) return undefined;
    return new ProseRefusals(this.#random.split('prose'), (orderHash) => {
      this.faults.add('rejectedWithoutCode');
      this.auditor.facts.onRejectedWithoutCode(orderHash);
    });
  }

  #createWorkload(): Workload {
    return new Workload({
      seed: this.#options.seed,
      clock: this.clock,
      host: this.#host,
      venue: this.#venue,
      account: this.#account,
      weather: this.#weather,
      crowd: this.#crowd,
      keys: this.#keys,
      oddPrices: this.#oddPrices,
      faults: this.faults,
      daemon: this,
    });
  }

  async #openDisk(): Promise<void> {
    const { disk: mode = 'gathered' } = this.#options;
    if (mode === 'none') return;
    const onTried = (isWritten: boolean): void => this.auditor.onDisk(isWritten);
    this.#disk = await Disk.open({ mode, clock: this.clock, weather: this.#weather, onTried });
  }

  get #view(): StateView | undefined {
    if (this.#process?.isOver !== false) return undefined;
    const view = this.#process.engine.view();
    return this.#options.mutation?.view?.(view) ?? view;
  }

  /** From the venue's records; what is wanted says the strategy, and of a side of which it was never asked: both. */
  #createUptime(): UptimeMeter {
    const { catalogue } = this.#venue.exchange;
    return new UptimeMeter({
      facts: this.auditor.facts,
      markets: () => catalogue.events().flatMap(({ markets }) => markets),
      isConfigured: ({ listed }) =>
        this.#settings.markets.some(({ event }) => event === listed.event.slug),
      isWanted: (marketId, side) => this.#wanted.get(marketId)?.has(side) ?? true,
      isAnswering: () => this.#weather.isAnswering && this.#keys.isCurrent,
      isAlive: () => this.#process?.isOver === false,
      isDiskSound: () => !this.#weather.is('diskFails'),
      isHarmless: () => this.auditor.isHarmless,
      view: () => this.#view,
    });
  }

  #latch(by: string): void {
    this.#latchedBy = by;
    this.#kills += 1;
  }

  /**
   * The daemon lifts its latch when the core has obeyed, and not that of a kill which it has yet to hear:
   * a process that stands still hears nothing, and does not look either.
   */
  #unlatchIfResumed(process: DaemonProcess): void {
    const kills = this.#kills;
    let looks = 0;
    const look = (): void => {
      if (process.isOver || kills !== this.#kills) return;
      const hasHeard = !process.hasOrdersWaiting;
      if (hasHeard) looks += 1;
      const isHeld = HELD.has(process.engine.view().phase);
      if (hasHeard && !isHeld) this.#latchedBy = undefined;
      else if (looks < UNLATCH_LOOKS) this.clock.after(UNLATCH_MS, look);
    };
    this.clock.after(UNLATCH_MS, look);
  }

  #startLater(after: DaemonProcess, downMs: number, first = (): void => undefined): void {
    this.clock.after(downMs, () => {
      if (this.#process !== after) return;
      first();
      this.#startProcess();
    });
  }

  #startProcess(): void {
    this.#processes += 1;
    this.#host.begin();
    this.marks.add('process:started');
    this.#isCutOff = false;
    const process = new DaemonProcess({
      number: this.#processes,
      clock: this.clock,
      host: this.#host,
      venue: this.#venue,
      weather: this.#weather,
      prose: this.#prose,
      oddPrices: this.#oddPrices,
      random: this.#random.split(`run/${this.#processes}`),
      keys: this.#keys,
      settings: this.#settings,
      events: this.#setting.events.map(({ slug }) => slug),
      tickMs: this.#pace.tickMs,
      strategies: strategies((strategy) => this.#spiedOn(strategy)),
      watch: this,
      mutation: this.#options.mutation,
      latchedBy: this.#latchedBy,
      choices: this.#variant.choices,
      ...(this.#disk === undefined ? {} : { disk: this.#disk, guard: this.#guard }),
      onWake: () => {
        this.#isAwake = true;
      },
    });
    this.#process = process;
    if (this.#guard.keepsAny) this.marks.add('restored:stops that no disk had');
    const held = this.#guard.onto(this.#disk?.held ?? NOTHING_HELD);
    this.auditor.onProcessStarts(process.number, this.#disk !== undefined, held);
    process.start();
  }

  /** Remembers what each market was last quoted from, and which sides were asked for. */
  #spiedOn(strategy: Strategy): Strategy {
    if (!('quote' in strategy)) {
      return {
        ...strategy,
        quoteEvent: (context: EventContext<unknown>) => {
          const targetQuotes = strategy.quoteEvent(context);
          for (const { context: of, blocked } of context.markets) {
            const wanted = targetQuotes.markets.find(({ marketId }) => marketId === of.marketId);
            // What it wants of a market that it may not quote now stays what it was.
            if (blocked === undefined) this.#noteWanted(of.marketId, wanted?.targetQuotes);
          }
          return targetQuotes;
        },
      };
    }
    return {
      ...strategy,
      quote: (context) => {
        this.#told.set(context.marketId, context);
        const { takes = [], ...targetQuotes } = strategy.quote(context);
        this.#noteWanted(context.marketId, targetQuotes);
        // What is compared at rest has settled.
        return this.#isStill ? targetQuotes : { ...targetQuotes, takes };
      },
    };
  }

  #noteWanted(marketId: MarketId, targetQuotes: TargetQuotes | undefined): void {
    this.#wanted.set(marketId, new Set(targetQuotes?.quotes.map(({ side }) => side)));
  }

  async #runFor(durationMs: number): Promise<void> {
    const untilMs = this.clock.nowMs() + durationMs;
    while (this.auditor.violations.length === 0) {
      const dueMs = this.clock.nextDueMs();
      if (dueMs === undefined || dueMs > untilMs) break;
      this.clock.runUntil(dueMs);
      if (this.#isAwake) await this.#settlePromises();
      this.auditor.check();
      this.#uptime.check(this.clock.nowMs());
    }
    if (this.auditor.violations.length === 0) this.clock.runUntil(untilMs);
  }

  /** Every promise that can go on has gone on before an immediate runs: nothing else waits. */
  async #settlePromises(): Promise<void> {
    this.#isAwake = false;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }

  #resync(): void {
    this.#isResyncing = true;
    this.#workload.resync();
    this.auditor.onResynced();
    if (this.#process?.isOver !== false && !this.#isCutOff) this.#startProcess();
    this.#resumeUntilQuoting(0);
  }

  #resumeUntilQuoting(count: number): void {
    const phase = this.#process?.engine.view().phase;
    // A kill that nothing but uncancellable orders keep unconfirmed is resumed from like one that is confirmed.
    const isKilled = phase === 'killed' || phase === 'killing';
    const isHeld = isKilled || phase === 'paused' || (phase === 'halted' && count === 0);
    if (isHeld) this.operator({ kind: 'resume', by: 'healer' });
    this.clock.after(RESUME_EVERY_MS, () => {
      if (this.#isResyncing) this.#resumeUntilQuoting(count + (phase === 'halted' ? 1 : 0));
    });
  }

  /** A quote may move even now, and be under way: what is wrong stays so over several moments. */
  async #checkRest(): Promise<void> {
    let faults = this.#restFaults();
    for (let look = 1; faults.length > 0 && look < REST_LOOKS; look += 1) {
      await this.#runFor(REST_LOOK_MS);
      faults = this.#restFaults();
    }
    this.auditor.onRest(faults);
  }

  #restFaults(): ReturnType<typeof restFaults> {
    const process = this.#process;
    if (!process || this.auditor.violations.length > 0) return [];
    this.marks.add('rest:compared');
    const kept = this.#disk?.load();
    return restFaults({
      engine: process.engine,
      exchange: this.#venue.exchange,
      account: this.#account,
      facts: this.auditor.facts,
      isOwnScope: this.#controls.scope === 'own',
      era: this.auditor.era,
      isRecycling: (marketId) => this.auditor.isRecycling(marketId),
      isProfitKnown: this.#isProfitKnown,
      isHarmless: this.auditor.isHarmless,
      bookOf: (marketId) => this.#told.get(marketId)?.book,
      reportedOf: (marketId) => this.#told.get(marketId),
      kept: kept?.orders ?? [],
    });
  }

  /** Nobody can where a journal was lost, a fee is stated wrong, or in the own scope somebody else traded. */
  get #isProfitKnown(): boolean {
    const { statedRate, chargedRate } = this.#controls.fees ?? NO_FEES;
    const { era, unreported } = this.auditor;
    const isOthers = this.#controls.scope === 'own' && unreported.isShared;
    const isKnown = era === 1 && statedRate === chargedRate && !isOthers;
    this.marks.add(isKnown ? 'rest:profit known' : 'rest:profit unknown');
    return isKnown;
  }

  #traceVenue(): void {
    const { trace } = this.#options;
    if (!trace) return;
    this.#venue.exchange.listen((event) => {
      if (event.kind !== 'tradeSettled' && event.kind !== 'tradeFailed') {
        if (event.kind !== 'orderUpdated' || event.order.terms.account !== this.#account) return;
        const { order } = event;
        const { filledMicro, holdMicro, failedMicro, end } = order;
        const { side, outcome, price, orderHash } = order.terms;
        const counts = `filled ${filledMicro} hold ${holdMicro} failed ${failedMicro} ${end ?? ''}`;
        trace(`venue order ${orderHash} ${side} ${outcome.tokenId} ${price} ${counts}`);
      } else if (event.leg.account === this.#account) {
        const { side, quantityMicro, market, index } = event.leg;
        trace(`venue ${event.kind} ${side} ${quantityMicro} ${market.outcome(index).tokenId}`);
      }
    });
  }

  /** For whoever looks into a violation: what the daemon trusts, beside what is true. */
  #traceState(): void {
    const { trace } = this.#options;
    if (!trace || !this.#process) return;
    for (const market of this.#process.engine.view().markets) trace(JSON.stringify(market));
    for (const { order, owner, process, intentId } of this.auditor.facts.live()) {
      const { side, outcome, market, price, orderHash } = order.terms;
      const who = `${owner} ${process} ${intentId ?? ''} ${orderHash}`;
      const resting = order.restingMicro() / 1e6;
      trace(`live ${side} ${resting} ${market.market.title} ${outcome.name} ${price} ${who}`);
    }
    for (const tokenId of this.auditor.facts.tokens()) {
      trace(`true ${tokenId} ${this.auditor.facts.totalMicro(tokenId) / 1e6}`);
    }
  }

  #note(what: string, text: string): void {
    const line = `${this.clock.nowMs() - START_MS} ${what} ${text}`;
    this.#digest.add(line);
    this.#options.trace?.(line);
  }
}

function indexLag(lagMs: number): {
  readonly indexLagMsMin: number;
  readonly indexLagMsMax: number;
} {
  return { indexLagMsMin: lagMs, indexLagMsMax: lagMs };
}
