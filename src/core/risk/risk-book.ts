// What every market risks and earns, summed over all of them and brought up to date for those that
// changed. Sums are whole numbers of nano-USDC, so that adding and taking away leaves nothing behind.

import type { EventId, MarketId } from '../../domain/ids.ts';
import { type Event, marketCount } from '../../domain/market.ts';
import type { StoredBaselines, StoredHeld } from '../../domain/risk.ts';
import type { Positions } from '../positions/positions.ts';
import { type Exposure, eventLossNano, type LossPair, NO_LOSS, noExposure } from './exposure.ts';
import { heldOf, LeftMarkets } from './left-markets.ts';
import type { RiskMarket } from './market.ts';

/** What one market risks: its live orders, its loss by outcome, and the cash that it holds. */
export type MarketRisks = {
  readonly exposure: Exposure;
  readonly loss: LossPair;
  readonly holdNano: number;
};

type Entry = {
  /** The event that counts it. */
  eventId: EventId;
  exposure: Exposure;
  loss: LossPair;
  holdNano: number;
  /** `undefined` while it hangs on a price that is not known. */
  pnlNano: number | undefined;
};

type EventRisk = {
  readonly members: Map<RiskMarket, Entry>;
  /** Of all members somebody reported that just one of the event comes true. */
  isExclusive: boolean;
  /** All markets that the venue lists, or has listed and not resolved, are members. */
  isWhole: boolean;
  lossNano: number;
};

/** As many are named where somebody reads of them. */
const UNPRICED_NAMED_MAX = 3;

/** Whether an operator's word is that just one market of its event comes true. */
type Exclusivity = (market: RiskMarket) => boolean;

export class RiskBook {
  readonly #isSaidExclusive: Exclusivity;
  readonly #entries = new Map<RiskMarket, Entry>();
  readonly #events = new Map<EventId, EventRisk>();
  /** Markets that are quoted no more. */
  readonly left = new LeftMarkets();
  #lossNano = 0;
  #holdNano = 0;
  #notionalNano = 0;
  #pnlNano = 0;
  #unpriced = 0;

  /** @param isSaidExclusive - As other settings would have it, where those are asked about. */
  constructor(isSaidExclusive: Exclusivity = ({ choice }) => choice.isExclusive ?? false) {
    this.#isSaidExclusive = isSaidExclusive;
  }

  /** Worst loss of all events together, each by itself, and of markets that left with shares. */
  get lossNano(): number {
    return this.#lossNano + this.left.lossNano;
  }

  /** Cash that live buys hold, and that matched buys will still take. */
  get holdNano(): number {
    return this.#holdNano;
  }

  /** Value of all live orders at their prices. */
  get notionalNano(): number {
    return this.#notionalNano;
  }

  /** Profit since the start at the last known prices. */
  get pnlNano(): number {
    return this.#pnlNano + this.left.profitNano;
  }

  /** The profit of every market is known: that of the account is a number and no guess. */
  get isPriced(): boolean {
    return this.#unpriced === 0;
  }

  /** Markets of which no profit is known. */
  unpriced(): readonly MarketId[] {
    const ids: MarketId[] = [];
    for (const [{ market }, { pnlNano }] of this.#entries) {
      if (pnlNano === undefined && ids.length < UNPRICED_NAMED_MAX) ids.push(market.id);
    }
    return ids;
  }

  exposure(market: RiskMarket): Exposure {
    return this.#entry(market).exposure;
  }

  lossOf(market: RiskMarket): LossPair {
    return this.#entry(market).loss;
  }

  /** Exactly one market of its event comes true: what they lose hangs together. */
  isExclusive(market: RiskMarket): boolean {
    return this.#eventOf(market.event.id).isExclusive;
  }

  /** It is about to join markets that make up for one another, and do so no more beside it. */
  endsHedge({ event, choice }: RiskMarket): boolean {
    const joined = this.#events.get(event.id);
    if (joined === undefined || choice.isExclusive === true) return false;
    return joined.members.size > 0 && joined.isExclusive;
  }

  eventLossNano(market: RiskMarket): number {
    return this.#eventOf(market.event.id).lossNano;
  }

  /** Markets of the market's event that are quoted, and whether these are all that it has. */
  eventOf(market: RiskMarket): { readonly members: readonly RiskMarket[]; isWhole: boolean } {
    const { members, isWhole } = this.#eventOf(market.event.id);
    return { members: [...members.keys()], isWhole };
  }

  /** Worst loss of the event with other pairs for some of its markets; walks over all of them. */
  eventLossWith(market: RiskMarket, instead: ReadonlyMap<RiskMarket, LossPair>): number {
    const event = this.#eventOf(market.event.id);
    const pairs = [...event.members].map(([member, { loss }]) => instead.get(member) ?? loss);
    return eventLossNano(pairs, event);
  }

  /** Most live orders of any market, and worst loss of any event. */
  largest(): { readonly orders: number; readonly eventLossNano: number } {
    let orders = 0;
    let eventLossNano = 0;
    for (const { exposure } of this.#entries.values()) orders = Math.max(orders, exposure.orders);
    for (const { lossNano, members } of this.#events.values()) {
      const [member] = members.keys();
      const leftNano = member === undefined ? 0 : this.left.lossAmong(member.event);
      eventLossNano = Math.max(eventLossNano, leftNano + lossNano);
    }
    return { orders, eventLossNano };
  }

  /** Sums up anew what markets risk. */
  updateExposure(markets: Set<RiskMarket>, riskOf: (market: RiskMarket) => MarketRisks): void {
    if (markets.size === 0) return;
    const events = new Set<EventRisk>();
    for (const market of markets) {
      const entry = this.#entry(market);
      // The venue lists its event under another id.
      if (entry.eventId !== market.event.id) {
        this.#part(market, entry);
        this.#join(market, entry);
      }
      const { exposure, loss, holdNano } = riskOf(market);
      this.#holdNano += holdNano - entry.holdNano;
      this.#notionalNano += exposure.notionalNano - entry.exposure.notionalNano;
      entry.exposure = exposure;
      entry.loss = loss;
      entry.holdNano = holdNano;
      events.add(this.#eventOf(entry.eventId));
    }
    for (const event of events) this.#sumEvent(event);
    markets.clear();
  }

  /** Sums up anew what markets earn; one without a price yet earns nothing. */
  updateProfit(markets: Set<RiskMarket>, positions: Positions): void {
    if (markets.size === 0) return;
    for (const market of markets) {
      const entry = this.#entry(market);
      this.#setProfit(entry, market.pnlNano(positions));
    }
    markets.clear();
  }

  drop(market: RiskMarket, positions: Positions): void {
    const entry = this.#entries.get(market);
    if (entry === undefined) return;
    this.#entries.delete(market);
    this.#part(market, entry);
    this.#holdNano -= entry.holdNano;
    this.#notionalNano -= entry.exposure.notionalNano;
    this.#setProfit(entry, 0);
    // Nobody will ever price it: a loss that may be is no less one for that.
    const lastNano = market.leastPnlNano(positions);
    this.left.add(market.market.id, lastNano, heldOf(market, positions));
  }

  /** Last known profit of every market that ever was quoted, or the least it may be, for a later run. */
  profits(positions: Positions): readonly (readonly [MarketId, number])[] {
    const now = [...this.left.profits()];
    for (const [market, { pnlNano }] of this.#entries) {
      const leastNano = pnlNano ?? market.leastPnlNano(positions);
      if (leastNano !== 0) now.push([market.market.id, leastNano]);
    }
    return now;
  }

  /** What shares of every market that ever was quoted may still lose, for a later run. */
  held(positions: Positions): readonly StoredHeld[] {
    const now = [...this.left.held()];
    for (const market of this.#entries.keys()) {
      const held = heldOf(market, positions);
      if (held !== undefined) now.push(held);
    }
    return now;
  }

  restoreLeft(baselines: Pick<StoredBaselines, 'left' | 'held'>): void {
    const counted = new Set([...this.#entries.keys()].map(({ market }) => market.id));
    this.left.restore(baselines, (marketId) => counted.has(marketId));
  }

  #setProfit(entry: Entry, pnlNano: number | undefined): void {
    this.#pnlNano += (pnlNano ?? 0) - (entry.pnlNano ?? 0);
    this.#unpriced += Number(pnlNano === undefined) - Number(entry.pnlNano === undefined);
    entry.pnlNano = pnlNano;
  }

  /** Markets that are cases of their own add up; those that hang together make up for one another. */
  #sumEvent(event: EventRisk): void {
    const members = [...event.members.keys()];
    event.isExclusive = members.every((each) => this.#isSaidExclusive(each));
    event.isWhole = members.every((each) => isAllOf(each.event, members.length));
    const lossNano = eventLossNano(lossesOf(event), event);
    this.#lossNano += lossNano - event.lossNano;
    event.lossNano = lossNano;
  }

  #eventOf(eventId: EventId): EventRisk {
    const known = this.#events.get(eventId);
    if (known) return known;
    const fresh: EventRisk = {
      members: new Map(),
      isExclusive: true,
      isWhole: false,
      lossNano: 0,
    };
    this.#events.set(eventId, fresh);
    return fresh;
  }

  #entry(market: RiskMarket): Entry {
    const known = this.#entries.get(market);
    if (known) return known;
    const fresh: Entry = {
      eventId: market.event.id,
      exposure: noExposure(),
      loss: NO_LOSS,
      holdNano: 0,
      pnlNano: undefined,
    };
    this.#unpriced += 1;
    this.#entries.set(market, fresh);
    this.#join(market, fresh);
    this.left.take(market.market.id);
    this.left.handOver(market.tokenOf('yes'));
    return fresh;
  }

  #join(market: RiskMarket, entry: Entry): void {
    entry.eventId = market.event.id;
    const event = this.#eventOf(entry.eventId);
    event.members.set(market, entry);
    this.#sumEvent(event);
  }

  #part(market: RiskMarket, entry: Entry): void {
    const event = this.#eventOf(entry.eventId);
    event.members.delete(market);
    this.#sumEvent(event);
    if (event.members.size === 0) this.#events.delete(entry.eventId);
  }
}

/** One market alone is no event of which another may come true instead: it goes its own worst way. */
function isAllOf(event: Event, members: number): boolean {
  return members > 1 && members === marketCount(event);
}

function lossesOf({ members }: EventRisk): readonly LossPair[] {
  return [...members.values()].map(({ loss }) => loss);
}

// How the account's cash is shared between markets. Each market's part is brought up to date when
// the market is planned, so that a decision about one never walks over all of them.

type Bound = { readonly holdNano: number; readonly spentNano: number };

const NOTHING: Bound = Object.freeze({ holdNano: 0, spentNano: 0 });

export class CapitalBook {
  readonly #byMarket = new Map<MarketId, Bound>();
  #holdNano = 0;
  #spentNano = 0;
  #weights: { readonly key: string; readonly sum: number } | undefined;

  /** What live and unsettled buys of a market hold, and what it has paid; neither is negative. */
  set(marketId: MarketId, bound: Bound): void {
    const before = this.of(marketId);
    if (before.holdNano === bound.holdNano && before.spentNano === bound.spentNano) return;
    this.#holdNano += bound.holdNano - before.holdNano;
    this.#spentNano += bound.spentNano - before.spentNano;
    this.#byMarket.set(marketId, bound);
  }

  /** A market that left holds nothing; what it spent stays bound until it comes back. */
  drop(marketId: MarketId): void {
    const before = this.of(marketId);
    this.#holdNano -= before.holdNano;
    if (before.spentNano === 0) this.#byMarket.delete(marketId);
    else this.#byMarket.set(marketId, { holdNano: 0, spentNano: before.spentNano });
  }

  of(marketId: MarketId): Bound {
    return this.#byMarket.get(marketId) ?? NOTHING;
  }

  get holdNano(): number {
    return this.#holdNano;
  }

  /** Sum of all weights, kept for as long as the key is the same. */
  weightSum(key: string, sum: () => number): number {
    if (this.#weights?.key !== key) this.#weights = { key, sum: sum() };
    return this.#weights.sum;
  }

  /** Cash plus what all markets have bound of it: what there is to share out. */
  totalNano(cashNano: number): number {
    return cashNano + this.#spentNano;
  }
}
