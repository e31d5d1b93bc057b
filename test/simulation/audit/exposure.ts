// The rule `limit`: by the venue's own ledger no accepted order breaks a limit, its own or that of all
// orders and shares together; and what rests when limits come down is within them some time later.

import type { MarketId } from '../../../src/domain/ids.ts';
import type { CoreSettings, RiskLimits } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { ListedEvent, ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import { describe } from './describe.ts';
import type { OrderFact } from './facts.ts';
import { brokenBy, type Limits, leastValueUsdc, worstLossUsdc } from './limits.ts';
import { LoweredLimits, type Resting } from './lowered.ts';
import type { ProcessStart } from './processes.ts';
import { isUncancellable } from './proofs.ts';
import type { Room, Rules } from './room.ts';

const EPSILON_USDC = 1e-6;
/** What rests is looked through this often. */
const RESTING_MS = 10_000;

export class ExposureRules implements Rules {
  readonly #room: Room;
  /** Limits may be tightened while orders are under way: those of before excuse an order. */
  #limits: readonly RiskLimits[];
  readonly #exclusive: ReadonlySet<string>;
  /** What each market came to when a process began that knew nothing of before, in nano-USDC. */
  readonly #startNano = new Map<MarketId, number>();
  /** What each event could lose when an order of it was last accepted, and all of them without a name. */
  readonly #lossBefore = new Map<string | undefined, number>();
  readonly #lowered: LoweredLimits;
  #lookedAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#lowered = new LoweredLimits(room.settings.risk);
    this.#limits = [room.settings.risk];
    const exclusive = room.settings.markets.filter((choice) => choice.isExclusive);
    this.#exclusive = new Set(exclusive.map((choice) => choice.event));
  }

  /**
   * Without a memory losses count from the start of a process, and what shares were worth then is the guess
   * of whoever looks at the book: certain is the payout of complete sets, and no more is held against it.
   */
  onProcessStarts({ process, remembers }: ProcessStart): void {
    this.#lowered.onProcessStarts(this.#room.nowMs());
    if (remembers || process === 1) return;
    this.#lossBefore.clear();
    for (const { market } of marketsOf(this.#room)) {
      const { facts } = this.#room;
      const { id, yes, no } = market;
      const sets = Math.min(facts.totalMicro(yes.tokenId), facts.totalMicro(no.tokenId));
      this.#startNano.set(id, facts.cashNano(id) + Math.max(0, sets) * 1_000);
    }
  }

  onSettings({ risk }: CoreSettings): void {
    this.#limits = [risk, ...this.#limits].slice(0, 3);
    this.#lowered.onLimits(risk, this.#room.nowMs());
  }

  onMessage(message: VenueMessage): void {
    if (message.kind === 'openOrders' && message.outcome.kind === 'ok') this.#lowered.onList();
  }

  check(nowMs: number): void {
    if (nowMs - this.#lookedAtMs < RESTING_MS || !this.#lowered.isDue(nowMs)) return;
    if (this.#room.unreported.isAnyUnsettled) return;
    this.#lookedAtMs = nowMs;
    const broken = this.#lowered.brokenBy(this.#resting());
    if (broken !== undefined) this.#room.violate('limit', broken);
  }

  /** Own orders that rest, known as such, and that the venue would cancel. */
  #resting(): readonly Resting[] {
    const { facts, processes, cancelsParts = true } = this.#room;
    return [...facts.live()].flatMap((fact): readonly Resting[] => {
      const { owner, era, backAtMs, acceptedAtMs, order } = fact;
      const isOurs = owner === 'intent' && era === processes.era && backAtMs === undefined;
      if (!isOurs || isUncancellable(fact, cancelsParts)) return [];
      const { outcome, side } = order.terms;
      const buyingMicro = side === 'BUY' ? order.restingMicro() : 0;
      const { id } = order.terms.market.market;
      const valueUsdc = leastValueUsdc(fact);
      return [{ tokenId: outcome.tokenId, marketId: id, acceptedAtMs, buyingMicro, valueUsdc }];
    });
  }

  onAccepted(fact: OrderFact): void {
    const { processes } = this.#room;
    if (fact.era !== processes.era) return;
    this.#checkOrder(fact);
    this.#checkWorstCase(fact);
  }

  #checkOrder(fact: OrderFact): void {
    const { facts, unreported, violate } = this.#room;
    const broken = brokenBy(fact, facts, loosest(this.#limits), unreported);
    if (broken === undefined) return;
    const excused = unreported.ofToken(fact.order.terms.outcome.tokenId) / 1e6;
    violate('limit', `${broken}, ${excused} excused: ${describe(fact)}`);
  }

  #checkWorstCase(fact: OrderFact): void {
    const { slug } = fact.order.terms.market.listed.event;
    let [all, without] = [0, 0];
    for (const each of this.#room.venue.exchange.catalogue.events()) {
      const loss = this.#worstLossUsdc(each, fact.era);
      all += loss;
      if (each.event.slug !== slug) {
        without += loss;
        continue;
      }
      const lossWithout = this.#worstLossUsdc(each, fact.era, fact);
      without += lossWithout;
      this.#holdWorst(fact, slug, { loss, without: lossWithout });
    }
    this.#holdWorst(fact, undefined, { loss: all, without });
  }

  #worstLossUsdc(event: ListedEvent, era: number, without?: OrderFact): number {
    return worstLossUsdc(event, this.#room.facts, {
      ...{ era, without, exclusive: this.#exclusive },
      startNano: (marketId) => this.#startNano.get(marketId) ?? 0,
    });
  }

  /** Only an order that makes it worse is at fault, and not one decided on when as much could be lost already. */
  #holdWorst(
    fact: OrderFact,
    event: string | undefined,
    { loss, without }: { readonly loss: number; readonly without: number },
  ): void {
    const { unreported, violate } = this.#room;
    const limit = Math.max(...this.#limits.map((limits) => lossLimit(limits, event)));
    // What a corrected position cost was told to nobody: it is between nothing and a whole payout.
    const allowed = limit + unreported.unpricedShares;
    const before = Math.max(without, this.#lossBefore.get(event) ?? 0);
    this.#lossBefore.set(event, loss);
    if (loss <= allowed + EPSILON_USDC || loss <= before || unreported.isAnyUnsettled) return;
    const of = event === undefined ? '' : ` of ${event}`;
    violate('limit', `a worst case${of} of ${loss} USDC, ${allowed} allowed: ${describe(fact)}`);
  }
}

/**
 * Each limit as the loosest of those sets had it: an order was decided under one of them, and what it meets
 * under another.
 */
export function loosest(limits: readonly RiskLimits[]): Limits {
  const most = (of: (each: RiskLimits) => number | undefined): number =>
    Math.max(...limits.map((each) => of(each) ?? Number.POSITIVE_INFINITY));
  return {
    maxPositionShares: most(({ maxPositionShares }) => maxPositionShares),
    maxNetShares: most(({ maxNetShares }) => maxNetShares),
    maxOrderNotionalUsdc: most(({ maxOrderNotionalUsdc }) => maxOrderNotionalUsdc),
    maxOrderShares: most(({ maxOrderShares }) => maxOrderShares),
    maxOpenOrders: most(({ maxOpenOrders }) => maxOpenOrders),
    maxMarketOpenOrders: most(({ maxMarketOpenOrders }) => maxMarketOpenOrders),
    maxOpenNotionalUsdc: most(({ maxOpenNotionalUsdc }) => maxOpenNotionalUsdc),
  };
}

/** None is set for an event where that is zero. */
function lossLimit(
  { maxLossUsdc, maxEventLossUsdc }: RiskLimits,
  event: string | undefined,
): number {
  return event === undefined ? maxLossUsdc : maxEventLossUsdc || Number.POSITIVE_INFINITY;
}

function marketsOf({ venue }: Room): readonly ListedMarket[] {
  return venue.exchange.catalogue.events().flatMap(({ markets }) => markets);
}
