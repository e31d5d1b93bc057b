// Rules of what the daemon knows, and that it acts on nothing else: orders that rest, what it holds, what
// it can see. `unknown_order`, `left_behind`, `placed_blind`, `placed_deaf`, `placed_closed`.

import type { CoreSettings } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { PlaceCommand } from '../world/network.ts';
import { describe } from './describe.ts';
import { LeftMarkets } from './left.ts';
import { isUncancellable } from './proofs.ts';
import { ReportedOrders } from './reported-orders.ts';
import type { Room, Rules } from './room.ts';
import { Senses } from './senses.ts';
import { UnknownOrders } from './unknown-orders.ts';

/** Orders are looked through this often. */
const ORDERS_MS = 10_000;

export class KnowledgeRules implements Rules {
  readonly #room: Room;
  readonly #senses: Senses;
  readonly #left: LeftMarkets;
  readonly #unknown: UnknownOrders;
  #reported = new ReportedOrders();
  #lookedAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#left = new LeftMarkets(room.settings);
    this.#unknown = new UnknownOrders(room.settings);
    const { catalogue } = room.venue.exchange;
    this.#senses = new Senses((tokenId) => catalogue.findToken(tokenId)?.market);
  }

  onProcessStarts(): void {
    const { nowMs } = this.#room;
    this.#reported = new ReportedOrders();
    this.#unknown.onProcessStarts(nowMs());
    this.#senses.onProcessStarts();
    this.#left.onProcessStarts(nowMs());
  }

  onSettings(settings: CoreSettings): void {
    this.#left.onSettings(settings, this.#room.nowMs());
  }

  onReport(report: Report): void {
    const { nowMs } = this.#room;
    this.#reported.onReport(report, nowMs());
    this.#unknown.onReport(report, nowMs());
  }

  #at() {
    const nowMs = this.#room.nowMs();
    return { nowMs, hostMs: this.#room.hostMs?.() ?? nowMs };
  }

  onPlacing(placing: PlaceCommand): void {
    const { violate } = this.#room;
    const fault = this.#senses.onPlacing(placing, this.#at());
    if (fault) violate(fault.rule, fault.detail);
  }

  onMessage(message: VenueMessage): void {
    const { facts, nowMs } = this.#room;
    this.#senses.onMessage(message, this.#at());
    if (message.kind !== 'openOrders' || message.outcome.kind !== 'ok') return;
    this.#left.onList();
    const shown = new Set(message.outcome.value.map((report) => report.orderHash));
    this.#unknown.onList(facts, { shown, reported: this.#reported, nowMs: nowMs() });
  }

  onEvent(event: ExchangeEvent): void {
    this.#senses.onEvent(event, this.#room.nowMs());
  }

  check(nowMs: number): void {
    if (nowMs - this.#lookedAtMs < ORDERS_MS) return;
    this.#lookedAtMs = nowMs;
    this.#checkOrders(nowMs);
  }

  #checkOrders(nowMs: number): void {
    const { facts, processes, cancelsParts = true, violate } = this.#room;
    const lost = this.#unknown.pastDeadline(facts, this.#reported, { nowMs, era: processes.era });
    if (lost) violate('unknown_order', describe(lost));
    const left = this.#left.pastDeadline(facts, nowMs, (fact) =>
      isUncancellable(fact, cancelsParts),
    );
    if (left) violate('left_behind', describe(left));
  }
}
