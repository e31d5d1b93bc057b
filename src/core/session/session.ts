// The run of the whole daemon as the core sees it: start, clear, quote, pause, halt, kill, stop.
// Operator state outranks automatic state, and a halt or a kill latches until an operator resumes.
// @spec Architecture decisions 10 and 11

import type { OrderHash, RequestId } from '../../domain/ids.ts';
import type { AccountOrder } from '../../domain/input.ts';
import type { CancelOutcome, ReadOutcome } from '../../domain/message.ts';
import { isInFlight, type OrderReport } from '../../domain/order.ts';
import type { StoredHalt } from '../../domain/record.ts';
import type { StoredPause } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Phase } from '../../domain/view.ts';
import { isMeant, ownHashes, setConflict } from '../account/own-scope.ts';
import { endWaiting } from '../account/restore.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isExposed } from '../orders/own-order.ts';
import { doubtEnd } from '../positions/doubt.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import { liftAll } from '../risk/trip.ts';
import { reportSetsLeft } from '../sets/sets.ts';
import { MassCancel } from './mass-cancel.ts';
import {
  cancelMeant,
  inFlightTexts,
  latestArrivalMs,
  mayRestAgainUntilMs,
  settlingOrders,
  unsettledOrders,
} from './stop-orders.ts';
import type { SessionStores } from './stores.ts';

/** A stop waits so long for fills to settle: nothing of theirs rests, and one in many fails. */
const SETTLES_WITHIN_MS = 8_000;
/** Hashes of a report when a stop could not be confirmed, and of a reason; the count says how many there are. */
const REPORTED_MAX = 50;
const NAMED_MAX = 3;

type Standing = {
  readonly order: 'paused' | 'killed' | 'shutdown';
  readonly by: string;
  readonly sinceMs: UnixMs;
};

/** Every store, and the session over them. */
export interface EngineStores extends SessionStores {
  readonly session: Session;
}

export class Session {
  readonly #stores: SessionStores;
  #standing: Standing | undefined;
  #halt: StoredHalt | undefined;
  #massCancel: MassCancel | undefined;
  #isConfirmed = false;
  /** Orders that a start has cancelled by name, before its mass cancel and beside it; none once it has been cleared. */
  #cancelledByName: number | undefined = 0;
  #phase: Phase = 'starting';

  constructor(stores: SessionStores) {
    this.#stores = stores;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get detail(): string {
    const standing = this.#standing;
    if (standing) return `${standing.order} by ${standing.by}${this.#leftText()}`;
    if (this.#halt) return `${this.#halt.limit}: ${this.#halt.detail}${this.#leftText()}`;
    if (this.#phase === 'starting') return this.missing().join(', ') || 'starting';
    if (this.#phase === 'clearing') return 'removing what a previous run left';
    return 'quoting is possible';
  }

  /** What a stop that is not confirmed in time has left, by name. */
  #leftText(): string {
    const massCancel = this.#massCancel;
    if (massCancel?.hasFailed !== true) return '';
    const left = this.#leftOf(massCancel);
    if (left.length === 0) return '';
    const named = left.slice(0, NAMED_MAX).join(' ');
    return `; NOT CONFIRMED, ${massCancel.detail}: ${named}${left.length > NAMED_MAX ? ' ...' : ''}`;
  }

  /** Whether the venue refuses to cancel an order of the stop or start under way. */
  isRefused(orderHash: OrderHash): boolean {
    return this.#massCancel?.isRefused(orderHash) ?? false;
  }

  /** All of them on the last list. */
  refusedOrders(): readonly OrderHash[] {
    return this.#massCancel?.listed.filter((orderHash) => this.isRefused(orderHash)) ?? [];
  }

  /** A stop takes so long that the account has to be looked at beside it. */
  get isMassCancelLong(): boolean {
    return this.#massCancel?.hasFailed ?? false;
  }

  /** The automatic halt that waits for an operator. */
  get halted(): StoredHalt | undefined {
    return this.#halt;
  }

  /** What an operator has asked for and not taken back; it outranks every automatic control. */
  get standing(): Standing | undefined {
    return this.#standing;
  }

  /** What the first quote still waits for. */
  missing(): readonly string[] {
    const stores = this.#stores;
    const missing: string[] = [];
    if (stores.settings === undefined) missing.push('settings');
    if (stores.catalogue === undefined) missing.push('catalogue');
    if (!stores.connection.isSocketOpen) missing.push('socket');
    if (!stores.connection.isAuthenticated) missing.push(userChannel(stores));
    if (!stores.positions.isBaselined) missing.push('balances');
    if (stores.gate.ledgerFault !== undefined)
      missing.push(`ledger, not writable: ${stores.gate.ledgerFault}`);
    return missing;
  }

  /** Before the first quote: what the venue lists is from before this run. */
  get isStarting(): boolean {
    return this.#phase === 'starting' || this.#phase === 'clearing';
  }

  get isMassCancelling(): boolean {
    return this.#massCancel !== undefined;
  }

  onOperator(order: AccountOrder): void {
    const accepted = this.#obey(order);
    const { kind, by } = order;
    this.#stores.outbox.report({ event: 'operator.order', order: kind, by, accepted });
    this.update();
  }

  halt(limit: string, detail: string): void {
    if (this.#halt) return;
    this.#halt = { limit, detail, sinceMs: this.#stores.nowMs };
    this.#stores.outbox.record({ kind: 'halt', halt: this.#halt });
    this.#stores.outbox.report({ event: 'risk.halted', limit, detail });
    // A kill or a shutdown under way already does more than the halt needs.
    if (!this.#isOrdered) this.#startMassCancel();
    this.update();
  }

  /** Cancels everything and confirms it, without a kill: own events, or the lists, cannot be seen. */
  sweep(): void {
    if (this.#isStop || this.#massCancel) return;
    this.#startMassCancel();
    this.update();
  }

  /** The previous run was halted: a restart lifts nothing. */
  restoreHalt(halt: StoredHalt): void {
    const { limit, detail } = halt;
    if (limit === 'account_conflict') setConflict(this.#stores, true);
    this.#halt = halt;
    this.#stores.outbox.report({ event: 'risk.halted', limit, detail });
    this.#startMassCancel();
    this.update();
  }

  /** The previous run was paused by an operator, and only an operator resumes. */
  restorePause({ by, sinceMs }: StoredPause): void {
    this.#standing = { order: 'paused', by, sinceMs };
    this.update();
  }

  /** Sends what the mass cancel needs next, and says so when its deadline has passed. */
  onTick(): void {
    this.update();
    const massCancel = this.#massCancel;
    if (massCancel === undefined) return;
    if (massCancel.isPastDeadline(this.#stores.nowMs)) this.#sayUnconfirmed(massCancel);
    const { outbox, ledger, nowMs } = this.#stores;
    const step = massCancel.next(nowMs, ledger.resting(massCancel.clearedAtMs));
    if (step === 'wait') return;
    if (step === 'cancel') {
      massCancel.onSent(...cancelMeant(this.#stores, massCancel));
      return;
    }
    const requestId = outbox.nextRequestId();
    massCancel.onSent({ requestId });
    outbox.send({ kind: 'readOpenOrders', requestId });
  }

  onCancelled(requestId: RequestId, outcome: CancelOutcome): boolean {
    return this.#massCancel?.onCancelled(requestId, outcome, this.#stores.nowMs) ?? false;
  }

  /** Orders were cancelled by name, and not for the mass cancel: what a start takes back so, its proof tells, too. */
  onCancelledByName(outcome: CancelOutcome): void {
    if (this.#cancelledByName === undefined || outcome.kind !== 'accepted') return;
    this.#cancelledByName += outcome.cancelled;
  }

  onOpenOrders(
    requestId: RequestId,
    outcome: ReadOutcome<readonly OrderReport[]>,
    askedAtMs: UnixMs,
  ): void {
    const result = this.#massCancel?.onOpenOrders(requestId, outcome, {
      nowMs: this.#stores.nowMs,
      askedAtMs,
      mayStillArriveUntilMs: this.#mayStillArriveUntilMs(askedAtMs),
      mayStay: !this.#isStop,
      isMeant: (report) => isMeant(this.#stores, report),
    });
    if (result?.kind !== 'confirmed') return;
    this.#massCancel = undefined;
    this.#isConfirmed = true;
    const byName = this.#isStop ? undefined : this.#cancelledByName;
    const cleared = byName === undefined ? 'account.swept' : 'start.cleared';
    this.#cancelledByName = undefined;
    this.#stores.outbox.report({
      // A kill or shutdown that comes while the account is swept is what the proof is about.
      event: this.#isStop ? 'kill.confirmed' : cleared,
      cancelled: result.cancelled + (byName ?? 0),
      tookMs: result.tookMs,
      scope: cancelScopeOf(this.#stores),
      leftAlone: result.leftAlone,
      refused: result.refused,
      settling: settlingOrders(this.#stores),
      unsettled: unsettledOrders(this.#stores),
    });
    this.#endWhatIsLeft(new Set(result.refused));
    this.update();
  }

  /** Moves to the phase that operator, halt and readiness call for, and reports the move. */
  update(): void {
    this.#startClearing();
    const to = this.#wanted();
    this.#stores.gate.isOpen = to === 'quoting' && this.#stores.gate.ledgerFault === undefined;
    if (to === this.#phase) return;
    const from = this.#phase;
    this.#phase = to;
    for (const market of this.#stores.markets.values()) market.isDirty = true;
    this.#stores.outbox.report({ event: 'phase.changed', from, to, reason: this.detail });
    if (to === 'stopped') reportSetsLeft(this.#stores);
  }

  get #isOrdered(): boolean {
    return this.#standing !== undefined && this.#standing.order !== 'paused';
  }

  /** The mass cancel is that of a kill, a shutdown or a halt, and no clearing, whether paused or not. */
  get #isStop(): boolean {
    return this.#isOrdered || this.#halt !== undefined;
  }

  #obey(order: AccountOrder): boolean {
    if (this.#standing?.order === 'shutdown') return false;
    switch (order.kind) {
      case 'shutdown':
        this.#take('shutdown', order.by);
        return true;
      case 'kill':
        // Each is begun anew: the cancel of an earlier one may never have reached the venue, and what
        // came to rest after its proof is what this one is about.
        this.#take('killed', order.by);
        return true;
      case 'pause':
        if (this.#standing) return false;
        this.#pause(order.by);
        return true;
      case 'resume':
        return this.#resume(order.by);
    }
  }

  #pause(by: string): void {
    const sinceMs = this.#stores.nowMs;
    this.#standing = { order: 'paused', by, sinceMs };
    this.#stores.outbox.record({ kind: 'pause', pause: { by, sinceMs } });
  }

  #take(order: 'killed' | 'shutdown', by: string): void {
    const { nowMs } = this.#stores;
    const before = this.#standing?.order === order ? this.#massCancel : undefined;
    this.#standing = { order, by, sinceMs: nowMs };
    this.#startMassCancel(before?.hasFailed === false ? before.startedAtMs : nowMs);
  }

  /**
   * A kill that is not confirmed yet is not resumed from: it would place into its own cancels. Where nothing
   * is left but what the venue refuses to cancel there is nothing to wait for, and a start begins anew.
   */
  #resume(by: string): boolean {
    const isUnfinished = this.#massCancel !== undefined && !this.#massCancel.hasOnlyRefused;
    if (this.#isStop && isUnfinished) return false;
    const { latches } = this.#stores.controls;
    if (!this.#standing && !this.#halt && latches.size === 0) return false;
    // Whoever stopped us may have left orders, so a resume clears the account like a start.
    if (this.#isStop) {
      this.#isConfirmed = false;
      this.#cancelledByName = 0;
      this.#massCancel = undefined;
    }
    setConflict(this.#stores, false);
    if (this.#standing) this.#stores.outbox.record({ kind: 'pause', pause: undefined });
    this.#standing = undefined;
    liftAll(this.#stores, by);
    if (this.#halt) this.#stores.outbox.record({ kind: 'halt', halt: undefined });
    this.#halt = undefined;
    return true;
  }

  #startMassCancel(sinceMs: UnixMs = this.#stores.nowMs, quietMs?: number): void {
    const timing = this.#stores.settings?.timing ?? { proofQuietMs: 0, proofDeadlineMs: 0 };
    const { proofQuietMs, proofDeadlineMs } = timing;
    this.#isConfirmed = false;
    this.#stores.gate.isOpen = false;
    const own = { proofQuietMs: quietMs ?? proofQuietMs, proofDeadlineMs };
    const { cancelBatches: batches } = this.#stores;
    this.#massCancel = new MassCancel(this.#stores.nowMs, own, { sinceMs, batches });
  }

  #startClearing(): void {
    // A pause takes back what a previous run left, too, on markets that nobody quotes any more.
    const mayClear = !this.#isStop && this.missing().length === 0;
    if (!mayClear || this.#isConfirmed || this.#massCancel !== undefined) return;
    // One complete list without an open order: what may still arrive keeps its slot, and is looked for.
    this.#startMassCancel(this.#stores.nowMs, 0);
  }

  #wanted(): Phase {
    const order = this.#standing?.order;
    if (order === 'shutdown') return this.#isConfirmed ? 'stopped' : 'stopping';
    if (order === 'killed') return this.#isConfirmed ? 'killed' : 'killing';
    if (this.#halt) return 'halted';
    if (order === 'paused') return 'paused';
    if (this.#isConfirmed) return 'quoting';
    return this.#massCancel === undefined ? 'starting' : 'clearing';
  }

  /** Until when something may come to rest of itself, that a stop or a start has to wait for. */
  #mayStillArriveUntilMs(askedAtMs: UnixMs): number | undefined {
    const arrivesUntilMs = latestArrivalMs(this.#stores, { askedAtMs, isStop: this.#isStop });
    // Who runs on cancels what rests again. Who ends looks for it a while, and says what has not settled.
    if (this.#standing?.order !== 'shutdown') return arrivesUntilMs;
    const quietMs = this.#stores.settings?.timing.proofQuietMs ?? 0;
    const restsUntilMs = mayRestAgainUntilMs(this.#stores, quietMs) ?? 0;
    const patientUntilMs = (this.#massCancel?.startedAtMs ?? askedAtMs) + SETTLES_WITHIN_MS;
    return Math.max(arrivesUntilMs ?? 0, Math.min(restsUntilMs, patientUntilMs));
  }

  /** The venue has shown nothing for long enough: what we still think live is not. */
  #endWhatIsLeft(staying: ReadonlySet<OrderHash>): void {
    const { ledger, nowMs, restored } = this.#stores;
    const isClearing = !this.#isStop;
    for (const order of [...ledger.exposed()]) {
      const mayStillArrive = isInFlight(order.state) || (order.state === 'unknown' && isClearing);
      const { orderHash } = order;
      const isStaying = orderHash !== undefined && staying.has(orderHash);
      if (!isExposed(order) || mayStillArrive || order.isOfOthers || isStaying) continue;
      ledger.signal(order, 'confirmedAbsent', nowMs);
      // While nobody listened it may have been filled as well as cancelled.
      doubtEnd(this.#stores, order, restored.wasUnwatched(order) ? 'previous_run' : 'order_end');
    }
    if (isClearing) endWaiting(this.#stores, staying);
  }

  /** Orders by name: those of the last list, or where none could be read those that should rest. */
  #leftOf(massCancel: MassCancel): readonly OrderHash[] {
    const isRead = massCancel.stillOpen !== undefined;
    return [...(isRead ? massCancel.listed : ownHashes(this.#stores))].slice(0, REPORTED_MAX);
  }

  #sayUnconfirmed(massCancel: MassCancel): void {
    const inFlight = inFlightTexts(this.#stores);
    const settling = settlingOrders(this.#stores);
    const isOver = massCancel.stillOpen === 0 && inFlight.length === 0;
    const settles = this.#standing?.order === 'shutdown' && isOver && settling > 0;
    this.#stores.outbox.report({
      event: 'kill.unconfirmed',
      stillOpen: massCancel.stillOpen ?? this.#stores.ledger.exposedCount,
      orderHashes: this.#leftOf(massCancel),
      ...{ inFlight, settling, unsettled: unsettledOrders(this.#stores) },
      isOnlyParts: inFlight.length === 0 && massCancel.hasOnlyParts,
      detail: settles
        ? `${settling} matched orders settle, and one that fails may rest again`
        : massCancel.detail,
    });
  }
}

/** A refused session needs a person, one that has not been answered only time. */
function userChannel({ connection: { authRefusal } }: KernelStores): string {
  return authRefusal === undefined ? 'user channel' : `user channel, refused: ${authRefusal}`;
}
