// The auditor: watches the venue's side, what leaves the daemon, and what the daemon says. It knows
// nothing of the core, and computes everything anew.

import type { Command } from '../../../src/domain/command.ts';
import type { MarketId, TokenId } from '../../../src/domain/ids.ts';
import type { CoreSettings, OperatorOrder, RiskLimits } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { ApiResponse } from '../../../src/paper/api/message.ts';
import type { DirectVenue } from '../../../src/paper/direct.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { Flight, NetworkWatch, PlaceCommand } from '../world/network.ts';
import type { Tally } from '../world/tally.ts';
import { Allowances } from './allowances.ts';
import { Belief } from './belief.ts';
import { CancelCount, cancelledBy } from './cancels.ts';
import { Churn, RETURNS_MAX } from './churn.ts';
import { Claims } from './claims.ts';
import { imbalance } from './conservation.ts';
import { ControlAudit } from './controls.ts';
import { describe } from './describe.ts';
import { type OrderFact, OrderFacts } from './facts.ts';
import { Holdings } from './holdings.ts';
import { LeftMarkets } from './left.ts';
import { brokenBy, crossedBy, worstLossUsdc } from './limits.ts';
import { Patience, SHORTAGES_ALONE_MAX, SHORTAGES_MAX, shortagesOf } from './patience.ts';
import { isUncancellable, missedBy, type ProofRoom } from './proofs.ts';
import { Senses } from './senses.ts';
import { type HeldOnDisk, NOTHING_HELD, Stops } from './stops.ts';
import { Strangers } from './strangers.ts';
import { WriteCount } from './writes.ts';

export type Violation = { readonly rule: string; readonly detail: string; readonly atMs: number };

export type AuditorParts = {
  readonly venue: DirectVenue;
  readonly account: Account;
  readonly nowMs: () => number;
  /** The machine's clock, where it is another one. */
  readonly hostMs?: () => number;
  readonly marks: Tally;
  readonly settings: CoreSettings;
  /** Whether an intent is on the disk; without one nothing is, and nothing has to be. */
  readonly isKept?: (intentId: string) => boolean;
  /** Whether the venue cancels the rest of an order that has traded in part. */
  readonly cancelsParts?: boolean;
  /** The same for splits, merges and redeems. */
  readonly isErrandKept?: (id: string) => boolean;
  /** What the disk has of all that stops or holds the daemon; `undefined` without one. */
  readonly heldOnDisk?: () => HeldOnDisk | undefined;
};

/** The whole venue is added up this often. */
const CONSERVATION_MS = 10_000;
const NANO_EPSILON = 1e-6;

export class Auditor implements NetworkWatch {
  readonly facts: OrderFacts;
  readonly violations: Violation[] = [];
  readonly #parts: AuditorParts;
  readonly #writes = new WriteCount();
  readonly #cancels: CancelCount;
  readonly #churn = new Churn();
  readonly #claims = new Claims();
  readonly #patience = new Patience();
  readonly #senses: Senses;
  readonly #left: LeftMarkets;
  readonly #holdings = new Holdings();
  readonly #marketOf: (tokenId: TokenId) => MarketId | undefined;
  readonly #accepted = new Map<string, number>();
  readonly #allowances: Allowances;
  readonly #stops = new Stops();
  readonly #strangers: Strangers;
  readonly #controls: ControlAudit;
  #belief = new Belief();
  #limits: readonly RiskLimits[];
  readonly #exclusive: ReadonlySet<string>;
  #life = 0;
  /** The first life of the era that a life is of. */
  readonly #eras = new Map<number, number>();
  #era = 0;
  #hasMemory = false;
  #hasForeign = false;
  #isAlive = false;
  #hasDiverged = false;
  #hasStrangeFill = false;
  /** Shares that a correction of the daemon's brought or took, at a price that nobody told. */
  #unpricedShares = 0;
  #addedUpAtMs = 0;

  constructor(parts: AuditorParts) {
    this.#parts = parts;
    this.#limits = [parts.settings.risk];
    const exclusive = parts.settings.markets.filter((choice) => choice.isExclusive);
    this.#exclusive = new Set(exclusive.map((choice) => choice.event));
    this.facts = new OrderFacts(parts.account, parts.nowMs, {
      onAccepted: (fact) => this.#onAccepted(fact),
      onExecuted: (fact, changeMicro) => this.#onExecuted(fact, changeMicro),
      eraOf: (life) => this.#eras.get(life) ?? life,
    });
    this.#allowances = new Allowances(parts.nowMs);
    this.#left = new LeftMarkets(parts.settings);
    this.#cancels = new CancelCount(parts.settings.orders.scope);
    this.#strangers = new Strangers(parts.settings);
    const { catalogue } = parts.venue.exchange;
    this.#senses = new Senses((tokenId) => catalogue.findToken(tokenId)?.market);
    this.#marketOf = (tokenId) => catalogue.findToken(tokenId)?.market.market.id;
    this.#controls = new ControlAudit({
      ...{ ...parts, facts: this.facts, describe },
      isErrandKept: parts.isErrandKept ?? (() => true),
      hostMs: parts.hostMs ?? parts.nowMs,
      violate: (rule, detail) => this.#violate(rule, detail),
      stoppedBy: () => this.#stops.stoppedBy,
      hasForeign: () => this.#hasForeign,
    });
    parts.venue.exchange.listen((event) => this.#onEvent(event));
  }

  /** No share came by a correction of the daemon's, or before the lives that remember. */
  get isCostKnown(): boolean {
    // In the own scope nobody tells whose settlement a better price was.
    const isMixed = this.#parts.settings.orders.scope === 'own' && this.#hasStrangeFill;
    return !this.#hasDiverged && !isMixed && this.#era === 1;
  }

  isRecycling(marketId: MarketId): boolean {
    return this.#holdings.isRecycling(marketId);
  }

  // The network

  onSent(flight: Flight): void {
    const { nowMs, marks } = this.#parts;
    this.facts.onSent(flight);
    const writes = this.#writes.onSent(flight, nowMs());
    if (writes !== undefined) this.#violate('write_rate', `${writes} order writes in 10 s`);
    const early = this.#patience.onSent(flight, nowMs());
    this.#controls.onSent(flight);
    if (early !== undefined) this.#violate('write_after_429', `${early} ms before it was allowed`);
    const again = this.#cancels.onSent(flight, nowMs());
    if (again && this.facts.find(again.hash)?.owner === 'intent') {
      this.#violate('cancel_storm', `${again.count} cancels in 10 s name ${again.hash}`);
    }
    for (const hash of cancelledBy(flight)) {
      const fact = this.facts.find(hash);
      if (fact?.owner === 'intent') this.#churn.onCancelling(fact);
    }
    const { placing } = flight.origin;
    if (placing) marks.add('venue:placement sent');
    const { isKept } = this.#parts;
    const lost = isKept && placing?.orders.find(({ intentId }) => !isKept(intentId));
    if (lost) this.#violate('undurable', `intent ${lost.intentId} left before it was on the disk`);
  }

  during(flight: Flight, effect: () => void): void {
    this.facts.during(flight, effect);
  }

  onAnswer(flight: Flight, response: ApiResponse): void {
    const status = Math.floor(response.status / 100);
    if (status !== 2) this.#parts.marks.add(`venue:answered ${status}xx`);
    this.#controls.onAnswer(flight, response.status);
    if (flight.isDouble) this.#parts.marks.add('venue:double delivered');
    else this.#checkRefusals(flight, response);
  }

  onLimited(flight: Flight, retryAfterMs: number): void {
    this.#patience.onLimited(flight, retryAfterMs, this.#parts.nowMs());
  }

  // The daemon

  /**
   * @param keepsMemory - Whether what it does is kept for the life after it.
   * @param held - What the life before it left on the disk of all that stops or holds it.
   */
  onLifeStarts(life: number, keepsMemory = false, held: HeldOnDisk = NOTHING_HELD): void {
    this.#life = life;
    this.#belief = new Belief();
    this.#strangers.onLifeStarts(this.#parts.nowMs());
    this.#senses.onLifeStarts();
    this.#left.onLifeStarts(this.#parts.nowMs());
    this.#patience.onLifeStarts();
    this.#cancels.onLifeStarts();
    this.#churn.onLifeStarts();
    const remembers = this.#hasMemory;
    this.#hasMemory = keepsMemory;
    this.#stops.onLifeStarts(remembers, held);
    if (!remembers) {
      this.#holdings.forget(this.#parts.nowMs());
      this.#era = life;
      this.#allowances.onLifeStarts();
      if (life > 1) this.#hasForeign = true;
    }
    this.#eras.set(life, this.#era);
    this.#isAlive = true;
    this.#controls.onLifeStarts(remembers, held);
  }

  onLifeEnds(): void {
    this.#isAlive = false;
    this.#controls.onLifeEnds();
  }

  /** Lives that follow each other with one memory. */
  get era(): number {
    return this.#era;
  }

  /** What the lives so far kept is lost. */
  onMemoryLost(): void {
    this.#hasMemory = false;
  }

  onOperator(order: OperatorOrder): void {
    this.#stops.onAsked(order, this.#parts.nowMs());
  }

  /** Limits may be tightened while orders are under way: those of the last minute excuse an order. */
  onSettings(settings: CoreSettings): void {
    this.#limits = [settings.risk, ...this.#limits].slice(0, 3);
    this.#left.onSettings(settings, this.#parts.nowMs());
    this.#controls.onSettings();
  }

  onCommand(command: Command): void {
    if (command.kind === 'report') this.#onReport(command.report);
    if (command.kind === 'record') this.#onRecord(command.record);
    if (command.kind !== 'venue') return;
    if (command.command.kind === 'placeOrders') this.#onPlacing(command.command);
    if (command.command.kind === 'changeSets')
      this.#controls.onChanging(command.command, this.#life);
  }

  onMessage(message: VenueMessage): void {
    this.#senses.onMessage(message, this.#parts.nowMs());
    this.#controls.onMessage(message);
    const isTold = message.kind === 'tradeSettled' && message.tokenId !== undefined;
    if (isTold) this.facts.untold.onTold(message.tradeId);
    if (message.kind !== 'openOrders' || message.outcome.kind !== 'ok') return;
    this.#left.onList();
    const shown = new Set(message.outcome.value.map((report) => report.orderHash));
    this.#strangers.onList(this.facts, { shown, belief: this.#belief, nowMs: this.#parts.nowMs() });
  }

  onBroke(error: Error): void {
    this.#violate('core_broke', error.stack ?? error.message);
  }

  /** Somebody else traded on the account: what follows from it is not the daemon's. */
  onForeign(): void {
    this.#hasForeign = true;
  }

  /** After each moment of the simulation. */
  check(): void {
    const nowMs = this.#parts.nowMs();
    this.#controls.check();
    const held = this.#parts.heldOnDisk?.();
    const unkept = held && this.#isAlive ? this.#stops.unkept(held, nowMs) : undefined;
    if (unkept !== undefined) this.#violate('stop_not_kept', `a ${unkept} is not on the disk`);
    const { proofDeadlineMs } = this.#parts.settings.timing;
    // A daemon that is dead for a while says nothing, and a new one begins with what is on the disk.
    if (this.#isAlive && this.#stops.isSilent(nowMs, proofDeadlineMs)) {
      this.#violate('kill_silent', 'neither proven nor said to be unproven');
    }
    const wrong = this.#holdings.look(this.facts, this.#marketOf, nowMs);
    if (wrong !== undefined) this.#violate('position_wrong', wrong);
    const unheard = this.#isAlive ? this.#stops.unheard(nowMs) : undefined;
    if (unheard !== undefined) this.#violate('order_unheard', `nobody answered a ${unheard}`);
    if (nowMs - this.#addedUpAtMs < CONSERVATION_MS) return;
    this.#addedUpAtMs = nowMs;
    const fault = imbalance(this.#parts.venue.exchange);
    if (fault !== undefined) this.#violate('conservation', fault);
    const lost = this.#strangers.overdue(this.facts, this.#belief, {
      nowMs,
      era: this.#era,
    });
    if (lost) this.#violate('unknown_order', describe(lost));
    const left = this.#left.overdue(this.facts, nowMs, (fact) =>
      isUncancellable(fact, this.#parts.cancelsParts ?? true),
    );
    if (left) this.#violate('left_behind', describe(left));
  }

  /** What the checks at rest found. */
  onRest(faults: readonly { readonly rule: string; readonly detail: string }[]): void {
    for (const { rule, detail } of faults) this.#violate(rule, detail);
  }

  #onRecord(record: LedgerRecord): void {
    this.#holdings.onRecord(record);
    this.#controls.onRecord(record);
    if (record.kind === 'settings') this.#churn.onSettings();
    const disowned = this.#claims.onRecord(
      record,
      (hash) => this.facts.find(hash)?.owner === 'double',
    );
    // What a failed settlement puts back on the book is news that comes after the failure itself.
    if (!disowned || this.facts.isJustBack(disowned.fact)) return;
    this.#violate('disowned', `called ${disowned.state}: ${describe(disowned.fact)}`);
  }

  #onReport(report: Report): void {
    const at = {
      life: this.#life,
      era: this.#era,
      atMs: this.#parts.nowMs(),
      decided: this.facts.decided,
    };
    this.#belief.onReport(report);
    this.#controls.onReport(report);
    if (report.event === 'inventory.diverged') this.#onDiverged(report);
    this.#stops.onReport(report, at);
    this.#strangers.onReport(report, at.atMs);
    this.#mark(report);
    if (report.event === 'trade.failed' && report.reversed && report.marketId !== undefined) {
      this.#holdings.onReversed(report.marketId);
    }
    for (const { rule, fact, what } of missedBy(report, this.#proofRoom())) {
      this.#violate(rule, `${what} ${describe(fact)}`);
    }
  }

  #proofRoom(): ProofRoom {
    const { nowMs, settings, cancelsParts = true } = this.#parts;
    const lives = { life: this.#life, era: this.#era };
    const isOwnScope = settings.orders.scope === 'own';
    return { facts: this.facts, nowMs: nowMs(), cancelsParts, isOwnScope, ...lives };
  }

  #onDiverged({ ours, venues }: Extract<Report, { event: 'inventory.diverged' }>): void {
    this.#hasDiverged = true;
    this.#unpricedShares += Math.abs(Number(venues) - Number(ours));
  }

  #mark(report: Report): void {
    const { marks } = this.#parts;
    marks.add(report.event);
    if (report.event === 'order.moved') marks.add(`move:${report.from} -> ${report.to}`);
    if (report.event === 'phase.changed') marks.add(`phase:${report.to}`);
    if (report.event === 'order.refused') marks.add(`refused:${report.code}`);
    if (report.event === 'risk.refused') marks.add(`limit:${report.limit}`);
  }

  #onPlacing(placing: PlaceCommand): void {
    this.facts.onDecided(placing);
    this.#controls.onPlacing(placing);
    const by = this.#stops.stoppedBy;
    if (by !== undefined) this.#violate('placed_while_stopped', `stopped by ${by}`);
    const fault = this.#senses.onPlacing(placing, this.#parts.nowMs());
    if (fault) this.#violate(fault.rule, fault.detail);
    this.#holdings.onPlacing(placing, this.#parts.nowMs());
  }

  #checkRefusals(flight: Flight, response: ApiResponse): void {
    const { marks, nowMs } = this.#parts;
    for (const kind of shortagesOf(flight, response)) {
      const count = this.#patience.onRefused(kind, nowMs());
      marks.add(`venue:refused for shortage ${count}`);
      const most = this.#hasForeign ? SHORTAGES_MAX : SHORTAGES_ALONE_MAX;
      if (count > most) this.#violate('refused_again', `${count} times in 60 s: ${kind}`);
    }
  }

  #onEvent(event: ExchangeEvent): void {
    this.#senses.onEvent(event, this.#parts.nowMs());
    if (event.kind === 'tradeFailed' && event.leg.account === this.#parts.account) {
      this.#hasForeign = true;
      this.#allowances.onFailed(event.leg);
      this.#holdings.onFailed(event.leg.market.market.id, this.#parts.nowMs());
    }
    this.facts.onEvent(event);
    this.#controls.onEvent(event);
  }

  #onAccepted(fact: OrderFact): void {
    const { marks } = this.#parts;
    marks.add(`venue:accepted ${fact.owner}`);
    if (fact.acceptedAtMs - fact.sentAtMs > 5_000) marks.add('venue:accepted late');
    if (fact.owner !== 'intent') {
      this.#hasForeign = true;
      return;
    }
    this.#checkReturns(fact);
    this.#checkOnce(fact);
    this.#controls.onAccepted(fact);
    const called = this.#claims.onAccepted(fact);
    if (called) this.#violate('disowned', `called ${called} before it came: ${describe(fact)}`);
    this.#checkProof(fact);
    if (fact.life !== this.#life) marks.add('venue:accepted for a life that ended');
    if (fact.era !== this.#era) return;
    this.#checkLimits(fact);
    const crossed = crossedBy(fact, this.facts);
    if (crossed) this.#violate('self_cross', `${describe(fact)} meets ${describe(crossed)}`);
  }

  #onExecuted(fact: OrderFact, changeMicro: number): void {
    const isSeen = fact.owner === 'intent' && fact.era === this.#era;
    if (fact.owner !== 'intent') this.#hasStrangeFill = true;
    const { tokenId } = fact.order.terms.outcome;
    this.#allowances.onExecuted(tokenId, Math.abs(changeMicro), isSeen);
  }

  #checkReturns(fact: OrderFact): void {
    const returns = this.#churn.onAccepted(fact, this.#parts.nowMs());
    if (returns > 1) this.#parts.marks.add(`venue:came back ${returns}`);
    if (returns <= RETURNS_MAX) return;
    this.#violate('churned', `${returns} times in 60 s cancelled and back: ${describe(fact)}`);
  }

  #checkOnce(fact: OrderFact): void {
    if (fact.intentId === undefined) {
      this.#violate('no_intent', `nobody asked for ${describe(fact)}`);
      return;
    }
    const key = `${fact.era}/${fact.intentId}`;
    const count = (this.#accepted.get(key) ?? 0) + 1;
    this.#accepted.set(key, count);
    if (count > 1) this.#violate('doubled', `${count} orders for intent ${key}: ${describe(fact)}`);
  }

  #checkProof(fact: OrderFact): void {
    const proof = this.#stops.proof;
    if (proof === undefined) return;
    const isCovered = proof.isKill ? proof.era === fact.era : proof.life === fact.life;
    if (!isCovered) return;
    if (fact.decision > proof.decided) return;
    this.#violate('after_proof', `${describe(fact)} was accepted after a kill was proven`);
  }

  #checkLimits(fact: OrderFact): void {
    const broken = this.#limits.map((limits) =>
      brokenBy(fact, this.facts, limits, this.#allowances),
    );
    if (broken.every((each) => each !== undefined)) {
      const excused = this.#allowances.ofToken(fact.order.terms.outcome.tokenId) / 1e6;
      this.#violate('limit', `${broken[0]}, ${excused} excused: ${describe(fact)}`);
    }
    if (this.#hasForeign) return;
    const loss = worstLossUsdc(this.#parts.venue.exchange.catalogue.events(), this.facts, {
      era: fact.era,
      exclusive: this.#exclusive,
    });
    const limit = Math.max(...this.#limits.map((limits) => limits.maxLossUsdc));
    // What a corrected position cost was told to nobody: it is between nothing and a whole payout.
    const allowed = limit + this.#unpricedShares;
    const before = this.#lossBefore;
    this.#lossBefore = loss;
    if (loss <= allowed + NANO_EPSILON || loss <= before) return;
    this.#violate('limit', `a worst case of ${loss} USDC, ${allowed} allowed: ${describe(fact)}`);
  }

  #lossBefore = 0;

  #violate(rule: string, detail: string): void {
    this.violations.push({ rule, detail, atMs: this.#parts.nowMs() });
  }
}
