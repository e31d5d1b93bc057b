// Rules of what the daemon knows, and that it acts on nothing else: orders that rest, what it holds, what
// it can see. `unknown_order`, `left_behind`, `placed_blind`, `placed_deaf`, `placed_closed`.

import type { CoreSettings } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { PlaceCommand } from '../world/network.ts';
import { Belief } from './belief.ts';
import { describe } from './describe.ts';
import { LeftMarkets } from './left.ts';
import { isUncancellable } from './proofs.ts';
import type { Room, Rules } from './room.ts';
import { Senses } from './senses.ts';
import { Strangers } from './strangers.ts';

/** Orders are looked through this often. */
const ORDERS_MS = 10_000;

export class KnowledgeRules implements Rules {
  readonly #room: Room;
  readonly #senses: Senses;
  readonly #left: LeftMarkets;
  readonly #strangers: Strangers;
  #belief = new Belief();
  #lookedAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#left = new LeftMarkets(room.settings);
    this.#strangers = new Strangers(room.settings);
    const { catalogue } = room.venue.exchange;
    this.#senses = new Senses((tokenId) => catalogue.findToken(tokenId)?.market);
  }

  onLifeStarts(): void {
    const { nowMs } = this.#room;
    this.#belief = new Belief();
    this.#strangers.onLifeStarts(nowMs());
    this.#senses.onLifeStarts();
    this.#left.onLifeStarts(nowMs());
  }

  onSettings(settings: CoreSettings): void {
    this.#left.onSettings(settings, this.#room.nowMs());
  }

  onReport(report: Report): void {
    const { nowMs } = this.#room;
    this.#belief.onReport(report, nowMs());
    this.#strangers.onReport(report, nowMs());
  }

  onPlacing(placing: PlaceCommand): void {
    const { nowMs, violate } = this.#room;
    const fault = this.#senses.onPlacing(placing, nowMs());
    if (fault) violate(fault.rule, fault.detail);
  }

  onMessage(message: VenueMessage): void {
    const { facts, nowMs } = this.#room;
    this.#senses.onMessage(message, nowMs());
    if (message.kind !== 'openOrders' || message.outcome.kind !== 'ok') return;
    this.#left.onList();
    const shown = new Set(message.outcome.value.map((report) => report.orderHash));
    this.#strangers.onList(facts, { shown, belief: this.#belief, nowMs: nowMs() });
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
    const { facts, lives, cancelsParts = true, violate } = this.#room;
    const lost = this.#strangers.overdue(facts, this.#belief, { nowMs, era: lives.era });
    if (lost) violate('unknown_order', describe(lost));
    const left = this.#left.overdue(facts, nowMs, (fact) => isUncancellable(fact, cancelsParts));
    if (left) violate('left_behind', describe(left));
  }
}
