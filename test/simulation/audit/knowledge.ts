// Rules of what the daemon knows, and that it acts on nothing else: orders that rest, what it holds, what
// it can see. `unknown_order`, `left_behind`, `position_wrong`, `placed_blind`, `placed_deaf`,
// `placed_closed`.

import type { CoreSettings } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { PlaceCommand } from '../world/network.ts';
import { Belief } from './belief.ts';
import { describe } from './describe.ts';
import { LeftMarkets } from './left.ts';
import type { LifeStart } from './lives.ts';
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

  onLifeEnds(): void {
    const { holdings, nowMs } = this.#room;
    holdings.onLifeEnds(nowMs());
  }

  onLifeStarts({ life, remembers }: LifeStart): void {
    const { nowMs, holdings } = this.#room;
    this.#belief = new Belief();
    this.#strangers.onLifeStarts(nowMs());
    this.#senses.onLifeStarts();
    this.#left.onLifeStarts(nowMs());
    if (!remembers && life > 1) holdings.forget(nowMs());
  }

  onSettings(settings: CoreSettings): void {
    this.#left.onSettings(settings, this.#room.nowMs());
  }

  onReport(report: Report): void {
    const { facts, nowMs, holdings } = this.#room;
    this.#belief.onReport(report, nowMs());
    this.#strangers.onReport(report, nowMs());
    if (report.event === 'ledger.state') holdings.onLedger(report.fault !== '');
    if (report.event === 'inventory.diverged') holdings.onAdopted(report.tokenId, report.venues);
    if (report.event === 'trade.recovered' && !report.isCounted) {
      facts.untold.onUncounted(report.tradeId);
    }
    if (report.event === 'trade.failed' && report.reversed && report.marketId !== undefined) {
      holdings.onReversed(report.marketId, nowMs());
    }
  }

  onRecord(record: LedgerRecord): void {
    this.#room.holdings.onRecord(record);
  }

  onPlacing(placing: PlaceCommand): void {
    const { nowMs, holdings, violate } = this.#room;
    const fault = this.#senses.onPlacing(placing, nowMs());
    if (fault) violate(fault.rule, fault.detail);
    holdings.onPlacing(placing, nowMs());
  }

  onMessage(message: VenueMessage): void {
    const { facts, nowMs } = this.#room;
    this.#senses.onMessage(message, nowMs());
    const isTold = message.kind === 'tradeSettled' && message.tokenId !== undefined;
    if (isTold) facts.untold.onTold(message.tradeId);
    if (message.kind !== 'openOrders' || message.outcome.kind !== 'ok') return;
    this.#left.onList();
    const shown = new Set(message.outcome.value.map((report) => report.orderHash));
    this.#strangers.onList(facts, { shown, belief: this.#belief, nowMs: nowMs() });
  }

  onEvent(event: ExchangeEvent): void {
    const { account, nowMs, holdings } = this.#room;
    this.#senses.onEvent(event, nowMs());
    if (event.kind !== 'tradeFailed' || event.leg.account !== account) return;
    holdings.onFailed(event.leg.market.market.id, nowMs());
  }

  check(nowMs: number): void {
    const { facts, venue, holdings, violate } = this.#room;
    const { catalogue } = venue.exchange;
    const marketOf = (tokenId: string) => catalogue.findToken(tokenId)?.market.market.id;
    const wrong = holdings.look(facts, marketOf, nowMs);
    if (wrong !== undefined) violate('position_wrong', wrong);
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
