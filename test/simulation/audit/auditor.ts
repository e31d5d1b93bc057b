// The auditor: watches the venue's side, what leaves the daemon, and what the daemon says. It knows
// nothing of the core, and computes everything anew. Here it only listens and passes on; README.md says
// in which room each rule is kept.

import type { Command } from '../../../src/domain/command.ts';
import type { MarketId } from '../../../src/domain/ids.ts';
import type { CoreSettings, Input, OperatorOrder } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { ApiResponse } from '../../../src/paper/api/message.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { TroubleKind } from '../profiles.ts';
import type { Flight, NamedCancel, NetworkWatch, PlaceCommand } from '../world/network.ts';
import { AcceptanceRules } from './acceptance.ts';
import { ArmedRules } from './armed.ts';
import { CollarRules } from './collar.ts';
import { ConservationRules } from './conservation.ts';
import { ControlRules } from './controls.ts';
import { ExposureRules } from './exposure.ts';
import { type OrderFact, OrderFacts } from './facts.ts';
import { Faults } from './faults.ts';
import { IntervalRules } from './intervals.ts';
import { KnowledgeRules } from './knowledge.ts';
import { Lately } from './lately.ts';
import { Levels } from './levels.ts';
import { Marks } from './marks.ts';
import { Nets } from './nets.ts';
import { Processes } from './processes.ts';
import { PromiseRules } from './promises.ts';
import { PullRules } from './pulls.ts';
import { RestlessRules } from './restless.ts';
import type { AuditorParts, Fault, Room, Rules, Violation } from './room.ts';
import { SeenPositions } from './seen.ts';
import { SetsUnderWay } from './sets-under-way.ts';
import { SilenceRules } from './silence.ts';
import { type HeldOnDisk, NOTHING_HELD, Stops } from './stops.ts';
import { SwitchRules } from './switches.ts';
import { TrafficRules } from './traffic.ts';
import { Unreported } from './unreported.ts';

export class Auditor implements NetworkWatch {
  readonly facts: OrderFacts;
  readonly unreported: Unreported;
  readonly violations: Violation[] = [];
  readonly #room: Room;
  readonly #rules: readonly Rules[];

  constructor(parts: AuditorParts) {
    this.#room = this.#createRoom(parts);
    this.facts = this.#room.facts;
    this.unreported = this.#room.unreported;
    this.#rules = [
      new TrafficRules(this.#room),
      new AcceptanceRules(this.#room),
      new ExposureRules(this.#room),
      new PromiseRules(this.#room),
      new KnowledgeRules(this.#room),
      new ControlRules(this.#room),
      new CollarRules(this.#room),
      new SwitchRules(this.#room),
      new SilenceRules(this.#room),
      new PullRules(this.#room),
      new ConservationRules(this.#room),
      new IntervalRules(this.#room),
      new RestlessRules(this.#room),
      new ArmedRules(this.#room),
      new Marks(parts),
    ];
    parts.venue.exchange.listen((event) => this.#onEvent(event));
  }

  /** Processes that follow each other with one memory. */
  get era(): number {
    return this.#room.processes.era;
  }

  isRecycling(marketId: MarketId): boolean {
    return this.#room.setsUnderWay.has(marketId);
  }

  // The network

  onSent(flight: Flight): void {
    this.facts.onSent(flight);
    for (const rules of this.#rules) rules.onSent?.(flight);
  }

  during(flight: Flight, effect: () => void): void {
    this.facts.during(flight, effect);
  }

  onAnswer(flight: Flight, response: ApiResponse): void {
    for (const rules of this.#rules) rules.onAnswer?.(flight, response);
  }

  onLimited(flight: Flight, retryAfterMs: number): void {
    for (const rules of this.#rules) rules.onLimited?.(flight, retryAfterMs);
  }

  onMessage(message: VenueMessage): void {
    for (const rules of this.#rules) rules.onMessage?.(message);
  }

  onTaken(message: VenueMessage): void {
    for (const rules of this.#rules) rules.onTaken?.(message);
  }

  // The daemon

  /**
   * @param keepsMemory - Whether what it does is kept for the process after it.
   * @param held - What the process before it left, on the disk or with its guard, of all that stops or holds it.
   */
  onProcessStarts(process: number, keepsMemory = false, held: HeldOnDisk = NOTHING_HELD): void {
    const { processes, nowMs, setsUnderWay, setsOnDisk } = this.#room;
    const remembers = processes.begin(process, keepsMemory, nowMs());
    const kept = setsOnDisk?.();
    if (kept !== undefined) setsUnderWay.onProcessStarts(kept);
    const start = { process, remembers, held };
    this.unreported.onProcessStarts(start);
    for (const rules of this.#rules) rules.onProcessStarts?.(start);
  }

  onProcessEnds(): void {
    this.#room.processes.end();
    this.#room.faults.onProcessDied(this.#room.nowMs());
    for (const rules of this.#rules) rules.onProcessEnds?.();
  }

  /** What the processes so far kept is lost. */
  onMemoryLost(): void {
    this.#room.processes.loseMemory();
  }

  /** A trouble of the plan begins. */
  onTrouble(kind: TroubleKind, durationMs: number): void {
    this.#room.faults.note(kind, durationMs, this.#room.nowMs());
  }

  /** Every trouble is over, and what stays broken by itself was mended. */
  onResynced(): void {
    this.#room.faults.onResynced(this.#room.nowMs());
  }

  /** No frame was lost, doubled or late, and no process died. */
  get isHarmless(): boolean {
    return this.#room.faults.isHarmless;
  }

  /** From now on nobody else places, cancels or takes. */
  onStill(): void {
    for (const rules of this.#rules) rules.onStill?.();
  }

  onOperator(order: OperatorOrder): void {
    for (const rules of this.#rules) rules.onOperator?.(order);
  }

  onSettings(settings: CoreSettings): void {
    this.#room.lately.onSettings(settings.risk, this.#room.nowMs());
    for (const rules of this.#rules) rules.onSettings?.(settings);
  }

  onInput(input: Input): void {
    for (const rules of this.#rules) rules.onInput?.(input);
  }

  onFiring(command: NamedCancel | PlaceCommand): void {
    for (const rules of this.#rules) rules.onFiring?.(command);
  }

  onCommand(command: Command): void {
    for (const rules of this.#rules) rules.onCommanded?.(command);
    if (command.kind === 'report') this.#onReport(command.report);
    if (command.kind === 'record') this.#onRecord(command.record);
    if (command.kind !== 'venue') return;
    const asked = command.command;
    for (const rules of this.#rules) rules.onAsking?.(asked);
    if (asked.kind === 'placeOrders') this.#onPlacing(asked);
    if (asked.kind === 'changeSets') for (const rules of this.#rules) rules.onChanging?.(asked);
  }

  onTurn(): void {
    for (const rules of this.#rules) rules.onTurn?.();
  }

  /** What the daemon had to keep was written, or it was told that it was not. */
  onDisk(isWritten: boolean): void {
    for (const rules of this.#rules) rules.onDisk?.(isWritten);
  }

  onBroke(error: Error): void {
    this.#violate('core_broke', error.stack ?? error.message);
  }

  /** After each moment of the simulation. */
  check(): void {
    const nowMs = this.#room.nowMs();
    const isRead = this.#room.seen.look(nowMs);
    for (const rules of this.#rules) {
      rules.check?.(nowMs);
      if (isRead) rules.onLook?.(nowMs);
    }
  }

  /** What the checks at rest found. */
  onRest(faults: readonly Fault[]): void {
    for (const { rule, detail } of faults) this.#violate(rule, detail);
  }

  #createRoom(parts: AuditorParts): Room {
    const { nowMs, account, view, isDisturbed = false } = parts;
    const { catalogue } = parts.venue.exchange;
    const processes = new Processes();
    const world = { faults: new Faults(!isDisturbed), setsUnderWay: new SetsUnderWay() };
    const seen = new SeenPositions(() => (processes.isAlive ? view?.() : undefined));
    const unreported: Unreported = new Unreported({
      ...{ nowMs, processes },
      markets: () => catalogue.events().flatMap(({ markets }) => markets),
      differs: (tokenId) => seen.differs(facts, tokenId),
      mayLackFrames: (atMs) => world.faults.mayLackFrames(atMs),
    });
    const facts: OrderFacts = new OrderFacts(account, nowMs, {
      onAccepted: (fact) => this.#onAccepted(fact),
      onExecuted: (fact, changeMicro) => unreported.onExecuted(fact, changeMicro),
      onSets: (...sets) => unreported.onSets(...sets),
      onDoubledSets: (...sets) => unreported.onDoubledSets(...sets),
      eraOf: (process) => processes.eraOf(process),
    });
    const violate = (rule: string, detail: string): void => this.#violate(rule, detail);
    const known = { stops: new Stops(), seen, levels: new Levels(), nets: new Nets() };
    const lately = new Lately(parts.settings.risk);
    return { ...parts, ...known, ...world, lately, facts, processes, unreported, violate };
  }

  #onReport(report: Report): void {
    this.unreported.onReport(report);
    for (const rules of this.#rules) rules.onReport?.(report);
  }

  #onRecord(record: LedgerRecord): void {
    this.#room.setsUnderWay.onRecord(record);
    for (const rules of this.#rules) rules.onRecord?.(record);
  }

  #onPlacing(placing: PlaceCommand): void {
    this.facts.onDecided(placing);
    for (const rules of this.#rules) rules.onPlacing?.(placing);
  }

  #onEvent(event: ExchangeEvent): void {
    const isFailed = event.kind === 'tradeFailed' && event.leg.account === this.#room.account;
    if (isFailed)
      this.unreported.onFailed(event.leg, this.#isOwn(event.leg.order?.terms.orderHash));
    this.facts.onEvent(event);
    for (const rules of this.#rules) rules.onEvent?.(event);
  }

  #isOwn(orderHash: string | undefined): boolean {
    const fact = orderHash === undefined ? undefined : this.facts.find(orderHash);
    return fact?.owner === 'intent' && fact.era === this.#room.processes.era;
  }

  #onAccepted(fact: OrderFact): void {
    this.#room.marks.add(`venue:accepted ${fact.owner}`);
    const { timeInForce } = fact.order.terms;
    if (timeInForce === 'FAK') this.#room.marks.add(`venue:accepted ${fact.owner} to take`);
    if (fact.acceptedAtMs - fact.sentAtMs > 5_000) this.#room.marks.add('venue:accepted late');
    if (fact.owner !== 'intent') this.unreported.onExternal(fact);
    else for (const rules of this.#rules) rules.onAccepted?.(fact);
  }

  #violate(rule: string, detail: string): void {
    this.violations.push({ rule, detail, atMs: this.#room.nowMs() });
  }
}
