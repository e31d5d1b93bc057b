// What the risk controls, dates, scope and chain actions of the daemon promise, held by the venue's side.

import type { MarketId, TokenId } from '../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { DirectVenue } from '../../../src/paper/direct.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { Flight, PlaceCommand, SetsCommand } from '../world/network.ts';
import type { Tally } from '../world/tally.ts';
import { BaselineWatch } from './baselines.ts';
import { type AxisOrder, Collar } from './collar.ts';
import { Dates } from './dates.ts';
import { Errands } from './errands.ts';
import type { OrderFact, OrderFacts } from './facts.ts';
import { Levels, stopsAdding } from './levels.ts';
import { Losses } from './losses.ts';
import { trespass } from './neighbours.ts';
import { Nets } from './nets.ts';
import { Runaway } from './runaway.ts';
import type { HeldOnDisk } from './stops.ts';

export type ControlParts = {
  readonly venue: DirectVenue;
  readonly account: Account;
  readonly facts: OrderFacts;
  readonly marks: Tally;
  readonly settings: CoreSettings;
  readonly nowMs: () => number;
  /** What the machine's clock shows, which is all that the daemon knows. */
  readonly hostMs: () => number;
  readonly violate: (rule: string, detail: string) => void;
  readonly describe: (fact: OrderFact) => string;
  /** Whether a split, merge or redeem is on the disk. */
  readonly isErrandKept: (id: string) => boolean;
  /** What the operator or a halt has stopped the daemon with. */
  readonly stoppedBy: () => string | undefined;
  /** Somebody else traded, settlements failed or memory was lost: no sum of ours is the daemon's. */
  readonly hasForeign: () => boolean;
};

/** Beliefs of a life without a memory come from positions that lag. */
const LEARNT_MS = 400_000;
const DATES_MS = 5_000;

export class ControlAudit {
  readonly #parts: ControlParts;
  readonly #levels = new Levels();
  readonly #nets = new Nets();
  readonly #runaway = new Runaway();
  readonly #baselines = new BaselineWatch();
  readonly #losses: Losses;
  readonly #dates: Dates;
  readonly #errands: Errands;
  readonly #collar: Collar | undefined;
  #learntAtMs = 0;
  #datedAtMs = 0;

  constructor(parts: ControlParts) {
    const { settings, venue, account, facts, isErrandKept } = parts;
    const { collar } = settings.risk;
    this.#parts = parts;
    this.#losses = new Losses({ exchange: venue.exchange, account, facts });
    const isDated = settings.orders.timeInForce === 'GTD';
    this.#dates = new Dates(isDated ? settings.orders.gtd : undefined);
    this.#errands = new Errands(isErrandKept);
    this.#collar = collar && new Collar(collar, venue.exchange, account);
  }

  onLifeStarts(remembers: boolean, { latches, baselines }: HeldOnDisk): void {
    const { marks, nowMs } = this.#parts;
    this.#dates.onLifeStarts();
    this.#collar?.forget();
    this.#runaway.onLifeStarts();
    this.#baselines.onLifeStarts(remembers ? baselines : undefined);
    this.#levels.onLifeStarts(remembers ? latches : [], nowMs());
    if (remembers && latches.length > 0) marks.add('restored:latches');
    if (remembers && this.#errands.isUnderWay) marks.add('restored:sets under way');
    if (remembers) return;
    this.#learntAtMs = nowMs() + LEARNT_MS;
    this.#errands.forget();
    this.#losses.forget();
  }

  onSettings(): void {
    this.#collar?.onSettings(this.#parts.nowMs());
  }

  onLifeEnds(): void {
    this.#dates.onLifeEnds(this.#parts.nowMs());
  }

  onSent(flight: Flight): void {
    const { settings, facts, violate } = this.#parts;
    const wrong = settings.orders.scope === 'own' ? trespass(flight, facts) : undefined;
    if (wrong !== undefined) violate('stranger_cancelled', wrong);
    const fault = this.#errands.onSent(flight);
    if (fault) violate(fault.rule, fault.detail);
  }

  onAnswer(flight: Flight, status: number): void {
    this.#errands.onAnswer(flight, status);
  }

  onReport(report: Report): void {
    const { nowMs, hostMs, stoppedBy, violate, marks } = this.#parts;
    const early = this.#levels.onReport(report, { nowMs: nowMs(), hostMs: hostMs() });
    if (early !== undefined) violate('eased_early', early);
    if (report.event === 'control.eased') {
      this.#baselines.onEased(report);
      this.#runaway.onEased(report);
      if (report.by !== 'itself') this.#losses.onSeen(report.control);
    }
    this.#dates.onReport(report);
    if (report.event === 'control.tripped')
      marks.add(`tripped:${report.control} ${report.raisedTo}`);
    if (report.event === 'operator.order') this.#onOperator(report);
    if (report.event === 'kill.proven' && report.leftAlone > 0) marks.add('kill:left others alone');
    if (report.event !== 'sets.changed') return;
    marks.add(`sets:${report.action} ${report.state}`);
    const fault = this.#errands.onReport(report, { nowMs: nowMs(), stoppedBy: stoppedBy() });
    if (fault) violate(fault.rule, fault.detail);
  }

  onRecord(record: LedgerRecord): void {
    const wrong = record.kind === 'baselines' && this.#baselines.onRecord(record.baselines);
    if (wrong) this.#parts.violate('baseline_moved', wrong);
  }

  onMessage(message: VenueMessage): void {
    if (message.kind !== 'trade' || this.#collar === undefined) return;
    // An echo has no side: it tells of a settlement, long after the match that it is of.
    if (message.takerSide === undefined) return;
    const found = this.#marketOf(message.tokenId);
    if (found === undefined) return;
    const { market, isYes } = found;
    const price = message.price / market.grid.ticksPerUnit;
    this.#collar.onTold(market, isYes ? price : 1 - price, this.#parts.nowMs());
  }

  onEvent(event: ExchangeEvent): void {
    const { facts, nowMs, account } = this.#parts;
    const market = movedBy(event, account);
    if (market === undefined) return;
    const { id, yes, no } = market.market;
    const net = facts.totalMicro(yes.tokenId) - facts.totalMicro(no.tokenId);
    this.#nets.note(id, net, nowMs());
  }

  onChanging(command: SetsCommand, life: number): void {
    this.#errands.onCommand(command, life);
  }

  onPlacing({ orders }: PlaceCommand): void {
    const { settings, nowMs, violate } = this.#parts;
    const beyond = this.#beyondLoss();
    const runaway = this.#runaway.onPlacing(orders.length, settings.risk.orderRate, nowMs());
    if (runaway !== undefined) violate('runaway', runaway);
    for (const order of orders) {
      const found = this.#marketOf(order.tokenId);
      if (found) this.#onOrder(found.market, { order, isYes: found.isYes, beyond });
    }
  }

  onAccepted(fact: OrderFact): void {
    const fault = this.#dates.faultOf(fact);
    if (fault === undefined) return;
    this.#parts.violate('undated', `${fault}: ${this.#parts.describe(fact)}`);
  }

  /** After each moment. */
  check(): void {
    const { settings, nowMs, violate, facts, marks, describe } = this.#parts;
    const now = nowMs();
    const { loss } = settings.risk;
    if (loss) this.#losses.look(now, loss.dayStartsAtHour);
    this.#collar?.look(now);
    if (now - this.#datedAtMs < DATES_MS) return;
    this.#datedAtMs = now;
    if (this.#dates.isOver(facts, now)) marks.add('dates:all died by themselves');
    const outlived = this.#dates.outlived(facts, now);
    if (outlived) violate('outlived', describe(outlived));
  }

  #onOperator({ order, accepted }: Extract<Report, { readonly event: 'operator.order' }>): void {
    if (order === 'resume' && accepted) this.#losses.onResumed();
  }

  #onOrder(
    market: ListedMarket,
    of: {
      readonly order: LimitOrder;
      readonly isYes: boolean;
      readonly beyond: string | undefined;
    },
  ): void {
    const { nowMs, violate, hasForeign } = this.#parts;
    const now = nowMs();
    const { order, isYes, beyond } = of;
    const asked = axisOf(market, order, isYes);
    const far = this.#collar?.faultOf(market, asked, now);
    if (far !== undefined) violate('beyond_collar', `${market.market.title}: ${far}`);
    if (now < this.#learntAtMs || this.#isForeign(market)) return;
    const { id, title } = market.market;
    const adds = this.#adds(id, asked.side, now);
    if (beyond !== undefined && adds && !hasForeign())
      violate('loss_unseen', `${beyond}, and ${title} ${asked.side} is placed`);
    const latch = this.#levels.binding(id, now);
    if (latch === undefined || !stopsAdding(latch)) return;
    if (!adds && latch.level !== 'killed') return;
    const { control, level, sinceMs } = latch;
    const held = `${control} holds ${level} for ${now - sinceMs} ms`;
    violate('added_while_held', `${held}, and ${title} ${asked.side} is placed`);
  }

  /** Whether its fill makes the position larger, whichever of the last ones the daemon knows. */
  #adds(marketId: MarketId, side: AxisOrder['side'], nowMs: number): boolean {
    const { least, most } = this.#nets.range(marketId, nowMs);
    return side === 'bid' ? least >= 0 : most <= 0;
  }

  #beyondLoss(): string | undefined {
    const { loss } = this.#parts.settings.risk;
    return loss && this.#losses.beyond(loss);
  }

  #isForeign(market: ListedMarket): boolean {
    const { facts } = this.#parts;
    const { yes, no } = market.market;
    return [yes, no].some(({ tokenId }) => facts.positionMicro(tokenId, 'foreign') !== 0);
  }

  #marketOf(tokenId: TokenId): { market: ListedMarket; isYes: boolean } | undefined {
    const found = this.#parts.venue.exchange.catalogue.findToken(tokenId);
    return found && { market: found.market, isYes: found.index === 1 };
  }
}

function axisOf(market: ListedMarket, order: LimitOrder, isYes: boolean): AxisOrder {
  const price = order.price / market.grid.ticksPerUnit;
  const isBid = (order.side === 'BUY') === isYes;
  return { side: isBid ? 'bid' : 'ask', price: isYes ? price : 1 - price };
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
