// Rules of orders that have to go. What rests while the ledger cannot be written, or adds under a level that
// pulls what adds, is asked to be cancelled: `not_pulled`. While nobody tells of fills for longer than the
// setting allows, everything is, by one request that reaches what has no name, too: `not_swept`.

import type { VenueCommand } from '../../../src/domain/command.ts';
import type { MarketId, OrderHash } from '../../../src/domain/ids.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import { RISK_LEVELS } from '../../../src/domain/risk.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import { adds, isUnsure } from './adds.ts';
import { BlindnessCause } from './causes/blindness.ts';
import { describe } from './describe.ts';
import type { OrderFact } from './facts.ts';
import { isUncancellable } from './proofs.ts';
import { ReportedOrders } from './reported-orders.ts';
import type { Room, Rules } from './room.ts';

const LOOK_MS = 1_000;
/** Seconds in which the daemon had a turn: a busy machine or a slow disk lets it stand still in between. */
const TURNS_MAX = 5;
/** Turns that are remembered: no order has to go within fewer than are asked for. */
const TURNS_KEPT = 2 * TURNS_MAX;
/** A cancel that was under way already is not sent again before it is answered, or given up. */
const UNDER_WAY_MS = 30_000;
const PULLING = RISK_LEVELS.indexOf('cancel');

type Must = { readonly sinceMs: number; readonly why: string };

export class PullRules implements Rules {
  readonly #room: Room;
  readonly #blindness: BlindnessCause;
  #reported = new ReportedOrders();
  /** When each order was last asked to be cancelled by name, and when all of them were. */
  readonly #askedAtMs = new Map<OrderHash, number>();
  #allAskedAtMs = Number.NEGATIVE_INFINITY;
  #unwrittenSinceMs: number | undefined;
  /** Since when a level that pulls what adds holds each market. */
  readonly #heldSinceMs = new Map<MarketId, number>();
  /** Since when it has been too long without the account's channel. */
  #blindSinceMs: number | undefined;
  #isFree = false;
  /** When it had its last turns, one a second. */
  #turnsAtMs: readonly number[] = [];
  #lookedAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#blindness = new BlindnessCause(room);
  }

  onProcessStarts(): void {
    this.#blindness.onProcessStarts(this.#room.nowMs());
    this.#reported = new ReportedOrders();
    this.#askedAtMs.clear();
    this.#allAskedAtMs = Number.NEGATIVE_INFINITY;
    this.#unwrittenSinceMs = undefined;
    this.#heldSinceMs.clear();
    this.#blindSinceMs = undefined;
    this.#isFree = false;
    this.#turnsAtMs = [];
  }

  onTurn(): void {
    const nowMs = this.#room.nowMs();
    const lastMs = this.#turnsAtMs.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - lastMs < LOOK_MS) return;
    this.#turnsAtMs = [...this.#turnsAtMs, nowMs].slice(-TURNS_KEPT);
  }

  /** The disk took what the daemon had to keep, or it was told that it did not. */
  onDisk(isWritten: boolean): void {
    const { marks, nowMs } = this.#room;
    if (!isWritten && this.#unwrittenSinceMs === undefined) marks.add('must go:unwritten');
    this.#unwrittenSinceMs = isWritten ? undefined : (this.#unwrittenSinceMs ?? nowMs());
  }

  onMessage(message: VenueMessage): void {
    this.#blindness.onMessage(message, this.#room.nowMs());
  }

  /** While it starts, stops or clears the account everything is being cancelled. */
  onReport(report: Report): void {
    this.#reported.onReport(report, this.#room.nowMs());
    if (report.event !== 'phase.changed') return;
    this.#isFree = report.to === 'quoting' || report.to === 'paused';
  }

  onAsking(command: VenueCommand): void {
    const nowMs = this.#room.nowMs();
    if (command.kind === 'cancelAll' && command.scope.kind === 'account')
      this.#allAskedAtMs = nowMs;
    if (command.kind !== 'cancelOrders') return;
    for (const orderHash of command.orderHashes) this.#askedAtMs.set(orderHash, nowMs);
  }

  check(nowMs: number): void {
    const { processes } = this.#room;
    if (!processes.isAlive || nowMs - this.#lookedAtMs < LOOK_MS) return;
    this.#lookedAtMs = nowMs;
    this.#lookAtLevels(nowMs);
    this.#checkOrders(nowMs);
    this.#checkSwept(nowMs);
  }

  #lookAtLevels(nowMs: number): void {
    const { levels, venue } = this.#room;
    for (const { markets } of venue.exchange.catalogue.events()) {
      for (const { market } of markets) {
        const level = levels.binding(market.id, nowMs)?.level ?? 'normal';
        if (RISK_LEVELS.indexOf(level) < PULLING) this.#heldSinceMs.delete(market.id);
        else if (!this.#heldSinceMs.has(market.id)) this.#heldSinceMs.set(market.id, nowMs);
      }
    }
  }

  #checkOrders(nowMs: number): void {
    const { facts, marks, violate } = this.#room;
    if (this.#unwrittenSinceMs === undefined && this.#heldSinceMs.size === 0) return;
    for (const fact of facts.live()) {
      const must = this.#isKnown(fact) ? this.#mustGo(fact, nowMs) : undefined;
      if (must === undefined) continue;
      const { orderHash } = fact.order.terms;
      const sinceMs = Math.max(must.sinceMs, this.#reported.liveSinceMs(orderHash) ?? nowMs);
      if (!this.#hadTurns(sinceMs)) continue;
      marks.add('must go:rests');
      if (this.#askedFor(orderHash) >= sinceMs - UNDER_WAY_MS) continue;
      const forMs = nowMs - must.sinceMs;
      violate('not_pulled', `${must.why} for ${forMs} ms, and there rests ${describe(fact)}`);
    }
  }

  /** An own one of this process that it trusts to rest, and that somebody can cancel. */
  #isKnown(fact: OrderFact): boolean {
    const { processes, cancelsParts = true } = this.#room;
    const { owner, process, backAtMs, order } = fact;
    const isOwn = owner === 'intent' && process === processes.process && backAtMs === undefined;
    if (!isOwn || isUncancellable(fact, cancelsParts)) return false;
    return this.#reported.isLive(order.terms.orderHash);
  }

  #mustGo({ order }: OrderFact, nowMs: number): Must | undefined {
    if (this.#unwrittenSinceMs !== undefined)
      return { sinceMs: this.#unwrittenSinceMs, why: 'the ledger cannot be written' };
    const { market, outcome, side } = order.terms;
    const { id, yes } = market.market;
    const sinceMs = this.#heldSinceMs.get(id);
    const axisSide = (side === 'BUY') === (outcome.tokenId === yes.tokenId) ? 'bid' : 'ask';
    if (sinceMs === undefined || !this.#isAdding(market, axisSide)) return undefined;
    const { control, level } = this.#room.levels.binding(id, nowMs) ?? {};
    return { sinceMs, why: `${control} holds ${level}` };
  }

  #isAdding({ market }: ListedMarket, side: 'bid' | 'ask'): boolean {
    return adds(this.#room, market.id, side) && !isUnsure(this.#room, market);
  }

  #hadTurns(sinceMs: number): boolean {
    return this.#turnsAtMs.filter((atMs) => atMs > sinceMs).length >= TURNS_MAX;
  }

  #askedFor(orderHash: OrderHash): number {
    return Math.max(this.#allAskedAtMs, this.#askedAtMs.get(orderHash) ?? 0);
  }

  /** In the own scope whoever sweeps names what it knows of, and what a list shows. */
  #checkSwept(nowMs: number): void {
    const { settings, violate } = this.#room;
    const [due] = this.#blindness.due(nowMs);
    if (due === undefined || !this.#isFree || settings.orders.scope === 'own') {
      this.#blindSinceMs = undefined;
      return;
    }
    this.#blindSinceMs ??= nowMs;
    const deafSinceMs = this.#blindness.deafSinceMs ?? nowMs;
    if (!this.#hadTurns(this.#blindSinceMs) || this.#allAskedAtMs >= deafSinceMs) return;
    violate('not_swept', `${due.detail}, and nobody asked for everything to be cancelled`);
  }
}
