// The life of the whole daemon as the core sees it: start, clear, quote, pause, halt, kill, stop.
// Operator state outranks automatic state, and a halt or a kill latches until an operator resumes.
// @spec Architecture decisions 10 and 11

import type { OrderHash, RequestId } from '../../domain/ids.ts';
import type { AccountOrder } from '../../domain/input.ts';
import type { CancelOutcome, ReadOutcome } from '../../domain/message.ts';
import { isOnItsWay, type OrderReport } from '../../domain/order.ts';
import type { StoredHalt } from '../../domain/record.ts';
import type { StoredPause } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Phase } from '../../domain/view.ts';
import { isMeant, ownHashes, setConflict } from '../account/meant.ts';
import { endWaiting } from '../account/restore.ts';
import { isExposed } from '../orders/own-order.ts';
import { doubtEnd } from '../positions/doubt.ts';
import { liftAll } from '../risk/trip.ts';
import { reportSetsLeft } from '../sets/sets-left.ts';
import type { World } from '../world.ts';
import { awaitedTexts, mayArriveUntilMs } from './awaited.ts';
import { CancelBarrier, SURVIVORS_MAX } from './barrier.ts';
import { cancelMeant } from './cancel-meant.ts';
import { mayRestAgainUntilMs, settlingOrders, settlingText, unsettledOrders } from './settling.ts';

/** A stop waits so long for fills to settle: nothing of theirs rests, and one in many fails. */
const SETTLES_WITHIN_MS = 8_000;
/** Orders that a reason names; the report of the same names all. */
const NAMED_MAX = 3;

export class Session {
  readonly #world: World;
  #operator: 'run' | 'paused' | 'killed' | 'shutdown' = 'run';
  #by = 'start';
  #sinceMs: UnixMs | undefined;
  #halt: StoredHalt | undefined;
  #barrier: CancelBarrier | undefined;
  #isProven = false;
  /** Orders that the start under way has cancelled by name, before its barrier and beside it. */
  #cancelledByName: number | undefined = 0;
  #isSweeping = false;
  #phase: Phase = 'starting';

  constructor(world: World) {
    this.#world = world;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get detail(): string {
    if (this.#operator !== 'run') return `${this.#operator} by ${this.#by}${this.#leftText()}`;
    if (this.#halt) return `${this.#halt.limit}: ${this.#halt.detail}${this.#leftText()}`;
    if (this.#phase === 'starting') return this.missing().join(', ') || 'starting';
    if (this.#phase === 'clearing') return 'removing what an earlier life left';
    return 'quoting is possible';
  }

  /** What a stop that is not proven in time has left, by name. */
  #leftText(): string {
    const barrier = this.#barrier;
    if (barrier?.hasFailed !== true) return '';
    const left = this.#leftOf(barrier);
    if (left.length === 0) return '';
    const named = left.slice(0, NAMED_MAX).join(' ');
    const isAll = left.length <= NAMED_MAX;
    return `; NOT PROVEN, ${barrier.detail}: ${named}${isAll ? '' : ' ...'}`;
  }

  /** Whether the venue refuses to cancel an order of the stop or start under way. */
  isRefused(orderHash: OrderHash): boolean {
    return this.#barrier?.isRefused(orderHash) ?? false;
  }

  /** All of them on the last list. */
  refusedOrders(): readonly OrderHash[] {
    const barrier = this.#barrier;
    return barrier?.listed.filter((orderHash) => barrier.isRefused(orderHash)) ?? [];
  }

  /** A stop takes so long that the account has to be looked at beside it. */
  get isBarrierLong(): boolean {
    return this.#barrier?.hasFailed ?? false;
  }

  /** The automatic halt that waits for an operator. */
  get halted(): StoredHalt | undefined {
    return this.#halt;
  }

  /** What an operator has asked for and not taken back; it outranks every automatic control. */
  get standing():
    | { readonly order: string; readonly by: string; readonly sinceMs: UnixMs }
    | undefined {
    if (this.#operator === 'run' || this.#sinceMs === undefined) return undefined;
    return { order: this.#operator, by: this.#by, sinceMs: this.#sinceMs };
  }

  /** What the first quote still waits for. */
  missing(): readonly string[] {
    const world = this.#world;
    const missing: string[] = [];
    if (world.settings === undefined) missing.push('settings');
    if (world.catalogue === undefined) missing.push('catalogue');
    if (!world.isSocketOpen) missing.push('socket');
    if (!world.isAuthenticated) missing.push(userChannel(world));
    if (!world.positions.isBaselined) missing.push('balances');
    if (world.ledgerFault !== undefined) missing.push(`ledger, not writable: ${world.ledgerFault}`);
    return missing;
  }

  /** Before the first quote: what the venue lists is from before this life. */
  get isStarting(): boolean {
    return this.#phase === 'starting' || this.#phase === 'clearing';
  }

  get isMassCancelling(): boolean {
    return this.#barrier !== undefined;
  }

  onOperator(order: AccountOrder): void {
    const accepted = this.#obey(order);
    const { kind, by } = order;
    this.#world.outbox.report({ event: 'operator.order', order: kind, by, accepted });
    this.update();
  }

  halt(limit: string, detail: string): void {
    if (this.#halt) return;
    this.#halt = { limit, detail, sinceMs: this.#world.nowMs };
    this.#world.outbox.record({ kind: 'halt', halt: this.#halt });
    this.#world.outbox.report({ event: 'risk.halted', limit, detail });
    // A kill or a shutdown under way already does more than the halt needs.
    if (this.#operator === 'run' || this.#operator === 'paused') this.#raiseBarrier();
    this.update();
  }

  /** Cancels everything and proves it, without a kill: own events, or the lists, cannot be seen. */
  sweep(): void {
    const isFree = this.#operator === 'run' || this.#operator === 'paused';
    if (!isFree || this.#halt || this.#barrier) return;
    this.#isSweeping = true;
    this.#raiseBarrier();
    this.update();
  }

  /** The previous run was halted: a restart lifts nothing. */
  restoreHalt(halt: StoredHalt): void {
    const { limit, detail } = halt;
    if (limit === 'account_conflict') setConflict(this.#world, true);
    this.#halt = halt;
    this.#world.outbox.report({ event: 'risk.halted', limit, detail });
    this.#raiseBarrier();
    this.update();
  }

  /** The previous run was paused by an operator, and only an operator resumes. */
  restorePause({ by, sinceMs }: StoredPause): void {
    this.#operator = 'paused';
    this.#by = by;
    this.#sinceMs = sinceMs;
    this.update();
  }

  /** Sends what the barrier needs next, and says so when its deadline has passed. */
  onTick(): void {
    this.update();
    const barrier = this.#barrier;
    if (barrier === undefined) return;
    if (barrier.isOverdue(this.#world.nowMs)) this.#sayUnproven(barrier);
    const step = barrier.next(this.#world.nowMs);
    if (step === 'wait') return;
    const { outbox } = this.#world;
    if (step === 'cancel') {
      barrier.onSent(...cancelMeant(this.#world, barrier));
      return;
    }
    const requestId = outbox.nextRequestId();
    barrier.onSent({ requestId });
    outbox.send({ kind: 'readOpenOrders', requestId });
  }

  onCancelled(requestId: RequestId, outcome: CancelOutcome): boolean {
    return this.#barrier?.onCancelled(requestId, outcome, this.#world.nowMs) ?? false;
  }

  /** Orders were cancelled by name, and not for the barrier: what a start takes back so, its proof tells, too. */
  onCancelledByName(outcome: CancelOutcome): void {
    if (this.#cancelledByName === undefined || outcome.kind !== 'accepted') return;
    this.#cancelledByName += outcome.cancelled;
  }

  onOpenOrders(
    requestId: RequestId,
    outcome: ReadOutcome<readonly OrderReport[]>,
    askedAtMs: UnixMs,
  ): void {
    const result = this.#barrier?.onOpenOrders(requestId, outcome, {
      nowMs: this.#world.nowMs,
      askedAtMs,
      mayStillArriveUntilMs: this.#mayStillArriveUntilMs(askedAtMs),
      mayStay: !this.#isStop,
      isMeant: (report) => isMeant(this.#world, report),
    });
    if (result?.kind !== 'proven') return;
    this.#barrier = undefined;
    this.#isProven = true;
    const byName = this.#isStop ? undefined : this.#cancelledByName;
    this.#cancelledByName = undefined;
    this.#world.outbox.report({
      event: this.#proofName(),
      cancelled: result.cancelled + (byName ?? 0),
      tookMs: result.tookMs,
      scope: this.#world.cancelScope,
      leftAlone: result.leftAlone,
      refused: result.refused,
      settling: settlingOrders(this.#world),
      unsettled: unsettledOrders(this.#world),
    });
    this.#isSweeping = false;
    this.#endWhatIsLeft(new Set(result.refused));
    this.update();
  }

  /** Moves to the phase that operator, halt and readiness call for, and reports the move. */
  update(): void {
    this.#startClearing();
    const to = this.#wanted();
    this.#world.isGateOpen = to === 'quoting' && this.#world.ledgerFault === undefined;
    if (to === this.#phase) return;
    const from = this.#phase;
    this.#phase = to;
    for (const market of this.#world.markets.values()) market.isDirty = true;
    this.#world.outbox.report({ event: 'phase.changed', from, to, reason: this.detail });
    if (to === 'stopped') reportSetsLeft(this.#world);
  }

  /** A kill or shutdown that comes while the account is swept is what the proof is about. */
  #proofName(): 'account.swept' | 'start.cleared' | 'kill.proven' {
    if (this.#isStop) return 'kill.proven';
    return this.#isSweeping ? 'account.swept' : 'start.cleared';
  }

  /** The barrier is that of a kill, a shutdown or a halt, and no clearing, whether paused or not. */
  get #isStop(): boolean {
    const isOrdered = this.#operator === 'killed' || this.#operator === 'shutdown';
    return isOrdered || this.#halt !== undefined;
  }

  #obey(order: AccountOrder): boolean {
    if (this.#operator === 'shutdown') return false;
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
        if (this.#operator !== 'run') return false;
        this.#pause(order.by);
        return true;
      case 'resume':
        return this.#resume(order.by);
    }
  }

  #pause(by: string): void {
    this.#operator = 'paused';
    this.#by = by;
    this.#sinceMs = this.#world.nowMs;
    this.#world.outbox.record({ kind: 'pause', pause: { by, sinceMs: this.#sinceMs } });
  }

  #take(operator: 'killed' | 'shutdown', by: string): void {
    const before = this.#operator === operator ? this.#barrier : undefined;
    this.#operator = operator;
    this.#by = by;
    this.#sinceMs = this.#world.nowMs;
    this.#raiseBarrier(before?.hasFailed === false ? before.startedAtMs : this.#world.nowMs);
  }

  /**
   * A kill that is not proven yet is not resumed from: it would place into its own cancels. Where nothing
   * is left but what the venue refuses to cancel there is nothing to wait for, and a start begins anew.
   */
  #resume(by: string): boolean {
    const isUnfinished = this.#barrier !== undefined && !this.#barrier.hasOnlyRefused;
    if (this.#operator === 'killed' && !this.#isProven && isUnfinished) return false;
    if (this.#halt && isUnfinished) return false;
    const { latches } = this.#world.controls;
    if (this.#operator === 'run' && !this.#halt && latches.size === 0) return false;
    // Whoever stopped us may have left orders, so a resume clears the account like a start.
    if (this.#operator === 'killed' || this.#halt) {
      this.#isProven = false;
      this.#cancelledByName = 0;
      this.#barrier = undefined;
    }
    setConflict(this.#world, false);
    if (this.#operator !== 'run') this.#world.outbox.record({ kind: 'pause', pause: undefined });
    this.#operator = 'run';
    this.#by = by;
    this.#sinceMs = undefined;
    liftAll(this.#world, by);
    if (this.#halt) this.#world.outbox.record({ kind: 'halt', halt: undefined });
    this.#halt = undefined;
    return true;
  }

  #raiseBarrier(sinceMs: UnixMs = this.#world.nowMs, quietMs?: number): void {
    const timing = this.#world.settings?.timing ?? { proofQuietMs: 0, proofDeadlineMs: 0 };
    const { proofQuietMs, proofDeadlineMs } = timing;
    this.#isProven = false;
    this.#world.isGateOpen = false;
    const own = { proofQuietMs: quietMs ?? proofQuietMs, proofDeadlineMs };
    const { cancelBatches: batches } = this.#world;
    this.#barrier = new CancelBarrier(this.#world.nowMs, own, { sinceMs, batches });
  }

  #startClearing(): void {
    // A pause takes back what an earlier life left, too, on markets that nobody quotes any more.
    const mayClear = !this.#isStop && this.missing().length === 0;
    if (!mayClear || this.#isProven || this.#barrier !== undefined) return;
    // One complete list without an open order: what may still arrive keeps its slot, and is looked for.
    this.#raiseBarrier(this.#world.nowMs, 0);
  }

  #wanted(): Phase {
    if (this.#operator === 'shutdown') return this.#isProven ? 'stopped' : 'stopping';
    if (this.#operator === 'killed') return this.#isProven ? 'killed' : 'killing';
    if (this.#halt) return 'halted';
    if (this.#operator === 'paused') return 'paused';
    if (this.#isProven) return 'quoting';
    return this.#barrier === undefined ? 'starting' : 'clearing';
  }

  /** Until when something may come to rest of itself, that a stop or a start has to wait for. */
  #mayStillArriveUntilMs(askedAtMs: UnixMs): number | undefined {
    const arrivesUntilMs = mayArriveUntilMs(this.#world, { askedAtMs, isStop: this.#isStop });
    // Who runs on cancels what rests again. Who ends looks for it a while, and says what has not settled.
    if (this.#operator !== 'shutdown') return arrivesUntilMs;
    const quietMs = this.#world.settings?.timing.proofQuietMs ?? 0;
    const restsUntilMs = mayRestAgainUntilMs(this.#world, quietMs) ?? 0;
    const patientUntilMs = (this.#barrier?.startedAtMs ?? askedAtMs) + SETTLES_WITHIN_MS;
    return Math.max(arrivesUntilMs ?? 0, Math.min(restsUntilMs, patientUntilMs));
  }

  /** The venue has shown nothing for long enough: what we still think live is not. */
  #endWhatIsLeft(staying: ReadonlySet<OrderHash>): void {
    const { ledger, nowMs, restored } = this.#world;
    const isClearing = !this.#isStop;
    for (const order of [...ledger.exposed()]) {
      const mayStillArrive = isOnItsWay(order.state) || (order.state === 'unknown' && isClearing);
      const { orderHash } = order;
      const isStaying = orderHash !== undefined && staying.has(orderHash);
      if (!isExposed(order) || mayStillArrive || order.isForeign || isStaying) continue;
      ledger.signal(order, 'provenAbsent', nowMs);
      // While nobody listened it may have been filled as well as cancelled.
      doubtEnd(this.#world, order, restored.wasUnwatched(order) ? 'previous_run' : 'order_end');
    }
    if (!isClearing) return;
    endWaiting(this.#world, staying);
    restored.onCleared();
  }

  /** Orders by name: those of the last list, or where none could be read those that should rest. */
  #leftOf(barrier: CancelBarrier): readonly OrderHash[] {
    if (barrier.stillOpen !== undefined) return barrier.survivors;
    return [...ownHashes(this.#world)].slice(0, SURVIVORS_MAX);
  }

  #sayUnproven(barrier: CancelBarrier): void {
    const awaited = awaitedTexts(this.#world);
    const settling = settlingOrders(this.#world);
    const isOver = barrier.stillOpen === 0 && awaited.length === 0;
    const settles = this.#operator === 'shutdown' && isOver && settling > 0;
    this.#world.outbox.report({
      event: 'kill.unproven',
      stillOpen: barrier.stillOpen ?? this.#world.ledger.exposedCount,
      orderHashes: this.#leftOf(barrier),
      awaited,
      settling,
      unsettled: unsettledOrders(this.#world),
      detail: settles ? settlingText(settling) : barrier.detail,
    });
  }
}

/** A refused session needs a person, one that has not been answered only time. */
function userChannel({ authRefusal }: World): string {
  return authRefusal === undefined ? 'user channel' : `user channel, refused: ${authRefusal}`;
}
