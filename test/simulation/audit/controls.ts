// Rules of controls that have tripped, or should have: what they hold back, when they let go, what losses
// are measured from. `added_while_held`, `eased_early`, `loss_unseen`, `baseline_moved`, `runaway`.

import type { CoreSettings } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { PlaceCommand } from '../world/network.ts';
import { adds, isUnsure } from './adds.ts';
import { axisOf, type Found, marketOf } from './axis.ts';
import { BaselineWatch } from './baselines.ts';
import { eventsOf } from './left.ts';
import { stopsAdding } from './levels.ts';
import { type Beyond, Losses } from './losses.ts';
import type { ProcessStart } from './processes.ts';
import { Readings } from './readings.ts';
import type { Room, Rules } from './room.ts';
import { Runaway } from './runaway.ts';

/** A new process has heard by then what everything that it holds is worth. */
const PRICED_MS = 120_000;

export class ControlRules implements Rules {
  readonly #room: Room;
  readonly #runaway = new Runaway();
  readonly #baselines = new BaselineWatch();
  readonly #readings = new Readings();
  readonly #losses: Losses;
  #startedAtMs = 0;

  constructor(room: Room) {
    const { venue, account, facts } = room;
    this.#room = room;
    const parts = { exchange: venue.exchange, account, facts };
    this.#losses = new Losses(parts, eventsOf(room.settings));
  }

  onProcessStarts({ remembers, held }: ProcessStart): void {
    const { marks, nowMs, hostMs = nowMs, levels } = this.#room;
    const { latches, baselines } = held;
    this.#runaway.onProcessStarts(remembers);
    this.#readings.onProcessStarts();
    this.#startedAtMs = nowMs();
    this.#baselines.onProcessStarts(remembers ? baselines : undefined);
    levels.onProcessStarts(latches, { nowMs: nowMs(), hostMs: hostMs() });
    if (latches.length > 0) marks.add('restored:latches');
    if (!remembers) this.#losses.forget();
  }

  onSettings(settings: CoreSettings): void {
    this.#losses.onSettings(eventsOf(settings));
  }

  onReport(report: Report): void {
    const { nowMs, hostMs = nowMs, levels, violate } = this.#room;
    const early = levels.onReport(report, { nowMs: nowMs(), hostMs: hostMs() });
    if (early !== undefined) violate('eased_early', early);
    if (report.event === 'control.eased') this.#onEased(report);
    if (report.event !== 'operator.order') return;
    if (report.order === 'resume' && report.accepted) this.#losses.onResumed();
  }

  onMessage(message: VenueMessage): void {
    this.#readings.onMessage(message, this.#room.nowMs());
  }

  onRecord(record: LedgerRecord): void {
    const wrong = record.kind === 'baselines' && this.#baselines.onRecord(record.baselines);
    if (wrong) this.#room.violate('baseline_moved', wrong);
  }

  onEvent(event: ExchangeEvent): void {
    const { facts, nowMs, account } = this.#room;
    const market = movedBy(event, account);
    if (market === undefined) return;
    const { id, yes, no } = market.market;
    const net = facts.totalMicro(yes.tokenId) - facts.totalMicro(no.tokenId);
    this.#room.nets.note(id, net, nowMs());
  }

  onPlacing({ orders }: PlaceCommand): void {
    const { settings, nowMs, venue, violate } = this.#room;
    const beyond = this.#beyondLosses();
    this.#checkPassing(beyond);
    const halting = beyond.find(({ control }) => control === 'max_loss_usdc');
    if (halting !== undefined && this.#isPriced)
      violate('loss_unseen', `${halting.detail}, and something is placed`);
    const runaway = this.#runaway.onPlacing(orders.length, settings.risk.orderRate, nowMs());
    if (runaway !== undefined) violate('runaway', runaway);
    for (const order of orders) {
      const found = marketOf(venue.exchange, order.tokenId);
      if (found) this.#onOrder(found, order, beyond.find(stopsAdding)?.detail);
    }
  }

  check(nowMs: number): void {
    this.#losses.look(nowMs, { ...this.#dayAt, unreported: this.#room.unreported });
  }

  get #dayAt(): { readonly startsAtHour: number; readonly hostMs: number } {
    const { settings, hostMs = this.#room.nowMs } = this.#room;
    return { startsAtHour: settings.risk.loss?.dayStartsAtHour ?? 0, hostMs: hostMs() };
  }

  #onEased(report: Extract<Report, { readonly event: 'control.eased' }>): void {
    this.#baselines.onEased(report);
    this.#runaway.onEased(report);
    if (report.by !== 'itself') this.#losses.onSeen(report.control);
    else if (report.control === 'clock_offset') this.#onClockEased();
  }

  #onClockEased(): void {
    const { lately, nowMs, violate } = this.#room;
    const wrong = this.#readings.onEased(lately.limits(nowMs()), nowMs());
    if (wrong !== undefined) violate('eased_early', wrong);
  }

  /** The daemon knows what everything that it holds is worth. */
  get #isPriced(): boolean {
    const { unreported, nowMs } = this.#room;
    return !unreported.isAnyUnsettled && nowMs() - this.#startedAtMs >= PRICED_MS;
  }

  /** A loss is an operator's to lift, and one of the day its end's, whatever the daemon says of it. */
  #checkPassing(beyond: readonly Beyond[]): void {
    const { levels, violate } = this.#room;
    if (!this.#isPriced) return;
    const passing = beyond.find(({ control }) => levels.isPassing(control));
    if (passing === undefined) return;
    violate('loss_unseen', `${passing.detail}, and ${passing.control} may end by itself`);
  }

  #onOrder(found: Found, order: LimitOrder, beyond: string | undefined): void {
    const { nowMs, violate, levels } = this.#room;
    const now = nowMs();
    const { market } = found;
    if (isUnsure(this.#room, market.market)) return;
    const { side } = axisOf(found, order);
    const { id, title } = market.market;
    const isAdding = adds(this.#room, id, side, order.quantity);
    if (beyond !== undefined && isAdding)
      violate('loss_unseen', `${beyond}, and ${title} ${side} is placed`);
    const latch = levels.binding(id, now);
    if (latch === undefined || !stopsAdding(latch)) return;
    if (!isAdding && latch.level !== 'killed') return;
    const { control, level, sinceMs } = latch;
    const held = `${control} holds ${level} for ${now - sinceMs} ms`;
    violate('added_while_held', `${held}, and ${title} ${side} is placed`);
  }

  /** By all limits that may be in force. */
  #beyondLosses(): readonly Beyond[] {
    const { lately, unreported, nowMs } = this.#room;
    const [now = [], ...before] = lately
      .limits(nowMs())
      .map((limits) => this.#losses.beyond(limits, unreported.unpricedShares, this.#dayAt));
    return now.filter(({ control }) =>
      before.every((other) => other.some((each) => each.control === control)),
    );
  }
}

/** The market in which shares of an account may have moved. */
function movedBy(event: ExchangeEvent, account: Account): ListedMarket | undefined {
  switch (event.kind) {
    case 'orderUpdated':
      return event.order.terms.account === account ? event.order.terms.market : undefined;
    case 'tradeFailed':
      return event.leg.account === account ? event.leg.market : undefined;
    case 'positionMoved':
      return event.account === account ? event.token.market : undefined;
    default:
      return undefined;
  }
}
