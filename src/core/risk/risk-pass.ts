// The limits over one gathering of orders: what is admitted counts for what comes after it.

import { assert } from '../../domain/assert.ts';
import type { EventId } from '../../domain/ids.ts';
import type { CoreSettings, RiskLimits } from '../../domain/input.ts';
import type { Leg } from '../../domain/market.ts';
import { isOnBook } from '../../domain/order.ts';
import { clampShares, NO_SHARES, subtractShares } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { costNano } from '../kernel/nano.ts';
import {
  type FreeShares,
  type OwnOrder,
  type RoutedOrder,
  remaining,
} from '../orders/own-order.ts';
import { elsewhere } from '../orders/uncancellable.ts';
import type { PositionStores } from '../positions/stores.ts';
import {
  areCopiesLikely,
  arriving,
  netRange,
  pendingBuysNano,
  risksOf,
  sumUpRisk,
} from './divergence.ts';
import {
  addExposure,
  addLive,
  type ExposedOrder,
  type Exposure,
  exposureOf,
  gainOf,
  type LossPair,
  lossByOutcome,
  lossPair,
  NO_LOSS,
  uncertainOf,
  worseOf,
} from './exposure.ts';
import { heldAtSend } from './latches.ts';
import {
  type AccountState,
  type MarketRisk as AtLimit,
  brokenByLoss,
  brokenCollar,
  brokenLimit,
  capitalShare,
  type LimitName,
  referencesOf,
} from './limits.ts';
import type { RiskMarket } from './market.ts';
import type { RiskBook } from './risk-book.ts';
import type { RiskStores } from './stores.ts';

type MarketRisk = { exposure: Exposure; readonly free: FreeShares };
type EventLosses = Pick<AtLimit, 'lossNano' | 'lossAfterNano'>;
type Asked = RoutedOrder & ExposedOrder;

/** A gathering that is only asked about: other settings, and orders that would be gone by then. */
export type Assumed = {
  readonly settings: CoreSettings;
  readonly gone: ReadonlySet<OwnOrder>;
  readonly capitalShare: (market: RiskMarket) => number;
  /** What is uncertain counts for nothing. */
  readonly trustsEnds?: boolean;
  /** What markets risk then, where that is not what they risk now. */
  readonly risk?: RiskBook | undefined;
};

/** No limit stands against it. Only `admit` makes one, and `sending/` takes nothing else. */
class ApprovedOrder<Market extends RiskMarket> {
  readonly market: Market;
  readonly routed: RoutedOrder;
  /** No object that was written elsewhere has it. */
  protected readonly isWithinLimits = true;

  constructor(market: Market, routed: RoutedOrder) {
    this.market = market;
    this.routed = routed;
  }
}

export type Approved<Market extends RiskMarket> = ApprovedOrder<Market>;

/** Exposure over one gathering: what is admitted counts for what comes after it. */
export class RiskPass {
  readonly #stores: RiskStores;
  readonly #assumed: Assumed | undefined;
  readonly #risk: RiskBook;
  readonly #markets = new Map<RiskMarket, MarketRisk>();
  /** Loss by outcome of the markets in which something was admitted. */
  readonly #losses = new Map<RiskMarket, LossPair>();
  /** The same of what surely is, of the markets that were asked about: nothing is said meanwhile. */
  readonly #sure = new Map<RiskMarket, LossPair>();
  /** Worst loss of the events in which something was admitted. */
  readonly #eventLosses = new Map<EventId, number>();
  readonly #areCopiesLikely: boolean;
  #openOrders: number;
  #notionalNano: number;
  #lossNano: number;
  #freeCashNano: number | undefined;

  constructor(stores: RiskStores, assumed?: Assumed) {
    this.#stores = stores;
    this.#assumed = assumed;
    this.#openOrders =
      elsewhere(stores) + arriving(stores) + stores.ledger.exposedCount + stores.refusals.count;
    this.#areCopiesLikely = assumed?.trustsEnds !== true && areCopiesLikely(stores);
    sumUpRisk(stores);
    this.#risk = assumed?.risk ?? stores.risk;
    const { lossNano, notionalNano, holdNano } = this.#risk;
    this.#lossNano = lossNano;
    this.#notionalNano = notionalNano;
    const cash = stores.cash.cashNano;
    this.#freeCashNano =
      cash === undefined ? undefined : cash - holdNano - stores.sets.reservedCashNano();
    if (assumed !== undefined) this.#forget(assumed.gone);
  }

  /** Sets cash aside for a fee; `false` when there is not that much. */
  reserve(nano: number): boolean {
    if (this.#freeCashNano === undefined || nano > this.#freeCashNano) return false;
    this.#freeCashNano -= nano;
    return true;
  }

  /** Cash that nothing holds or reserves; `undefined` while no balance is known. */
  get freeCashNano(): number | undefined {
    return this.#freeCashNano;
  }

  free(market: RiskMarket): FreeShares {
    return this.#of(market).free;
  }

  /** Counts an order in, or names the limit that it would break. */
  admit<Market extends RiskMarket>(
    market: Market,
    routed: RoutedOrder,
    quote: { readonly side: AxisSide; readonly price: Ticks; readonly isTake?: boolean },
  ): ApprovedOrder<Market> | LimitName {
    const { leg, side, price, quantity } = routed;
    const { side: axisSide, price: axisPrice, isTake = false } = quote;
    const order = { leg, side, price, quantity, axisSide, axisPrice, isTake };
    const broken = this.#take(market, order, (found) => this.#brokenBy(market, order, found));
    return broken ?? new ApprovedOrder(market, routed);
  }

  /** Counts an order that rests back in, or names the limit that it is beyond; its cash is held already. */
  readmit(market: RiskMarket, own: OwnOrder): LimitName | undefined {
    const { leg, side, price, axisSide, axisPrice, isTake = false } = own;
    const order = { leg, side, price, quantity: remaining(own), axisSide, axisPrice, isTake };
    return this.#take(market, order, (found) => {
      const account = { ...this.#account(found), freeCashNano: Number.POSITIVE_INFINITY };
      return brokenLimit(order, found, account, this.#limits());
    });
  }

  #take(
    market: RiskMarket,
    routed: Asked,
    brokenBy: (found: AtLimit) => LimitName | undefined,
  ): LimitName | undefined {
    const risk = this.#of(market);
    const after = copied(risk.exposure);
    addLive(after, market, routed, routed.quantity);
    if (this.#areCopiesLikely) addExposure(after, market, routed, routed.quantity);
    const holdings = market.holdings(this.#stores.positions);
    const pair = lossPair(holdings, after);
    const losses = this.#lossesWith(market, pair);
    const { lossNano, lossAfterNano } = losses;
    const incoming = this.#stores.sets.incomingShares(market.market.id);
    const { grid } = market;
    const leftLossNano = this.#risk.left.lossAmong(market.event);
    const found = { grid, holdings, incoming, after, lossNano, lossAfterNano, leftLossNano };
    const broken = brokenBy(found);
    if (broken !== undefined) return broken;
    this.#openOrders += 1;
    this.#takeLoss(market, pair, losses);
    this.#notionalNano += costNano(market.grid, routed.price, routed.quantity);
    if (this.#freeCashNano !== undefined && routed.side === 'BUY') {
      this.#freeCashNano -= costNano(market.grid, routed.price, routed.quantity);
    }
    risk.exposure = after;
    return undefined;
  }

  /** Worst loss of the market's event, as admitted so far, and with this pair for the market. */
  #lossesWith(market: RiskMarket, pair: LossPair): EventLosses {
    const risk = this.#risk;
    const lossNano = this.#eventLosses.get(market.event.id) ?? risk.eventLossNano(market);
    if (!risk.isExclusive(market)) {
      const before = this.#losses.get(market) ?? risk.lossOf(market);
      return { lossNano, lossAfterNano: lossNano - worseOf(before) + worseOf(pair) };
    }
    const instead = new Map(this.#losses).set(market, pair);
    return { lossNano, lossAfterNano: risk.eventLossWith(market, instead) };
  }

  #takeLoss(market: RiskMarket, pair: LossPair, { lossNano, lossAfterNano }: EventLosses): void {
    this.#losses.set(market, pair);
    this.#eventLosses.set(market.event.id, lossAfterNano);
    this.#lossNano += lossAfterNano - lossNano;
  }

  #limits(): RiskLimits {
    const limits = (this.#assumed?.settings ?? this.#stores.settings)?.risk;
    assert(limits !== undefined, 'limits are known before anything is placed');
    return limits;
  }

  #account({ lossNano, leftLossNano }: AtLimit): AccountState {
    return {
      openOrders: this.#openOrders,
      ceiling: this.#stores.ceiling.max(this.#stores.nowMs),
      notionalNano: this.#notionalNano,
      otherLossNano: this.#lossNano - lossNano,
      leftLossNano,
      freeCashNano: this.#freeCashNano,
    };
  }

  /** Level first, then what the order is, then what it would make of the account. */
  #brokenBy(market: RiskMarket, order: Asked, found: AtLimit): LimitName | undefined {
    const stores = this.#stores;
    const limits = this.#limits();
    const level = this.#heldBy(market, order, found);
    if (level !== undefined) return level;
    const collar =
      limits.collar &&
      brokenCollar(market.grid, order, referencesOf(stores, market, limits.collar), limits.collar);
    if (collar !== undefined) return collar;
    const account = this.#account(found);
    return (
      brokenLimit(order, found, account, limits) ??
      this.#brokenIfSure(market, order, { ...found, account, limits }) ??
      this.#brokenAllocation(market, order, found)
    );
  }

  /** What a control that stops what adds, or lets only reduce, says of an order. */
  #heldBy(market: RiskMarket, order: Asked, found: AtLimit): LimitName | undefined {
    const stores = this.#stores;
    const latch = stores.controls.latches.binding(market.market.id);
    if (latch === undefined) return undefined;
    const net = netRange(stores, market);
    const isWorse = this.#isWorse(market, order, found);
    return heldAtSend(latch, order, { net, after: found.after, isWorse });
  }

  /** It adds to the worst case as it is counted, or as it is where only what surely is hides it. */
  #isWorse(market: RiskMarket, order: Asked, found: AtLimit): boolean {
    if (found.lossAfterNano > found.lossNano) return true;
    const sure = this.#sureLosses(market, order, found);
    return sure.lossAfterNano > sure.lossNano;
  }

  /**
   * Above a limit, what orders lose in outcomes in which this one loses nothing is no room for as much:
   * those that may not be there count for nothing then. Within it, all orders together are.
   */
  #brokenIfSure(
    market: RiskMarket,
    order: Asked,
    found: AtLimit & { readonly account: AccountState; readonly limits: RiskLimits },
  ): LimitName | undefined {
    const { lossAfterNano, account, limits } = found;
    const anyLoss = { lossNano: Number.NEGATIVE_INFINITY, lossAfterNano };
    if (brokenByLoss(anyLoss, account, limits) === undefined) return undefined;
    return brokenByLoss(this.#sureLosses(market, order, found), account, limits);
  }

  /**
   * Worst case before and after an order: where it loses, with all that may be there; of the other
   * outcomes, which could hide it, only what surely is lost in them.
   */
  #sureLosses(
    market: RiskMarket,
    { axisSide }: Asked,
    { holdings, after }: Pick<AtLimit, 'holdings' | 'after'>,
  ): EventLosses {
    const risk = this.#risk;
    // A market that is a case of its own hangs together with no other, and what others lose comes on top.
    const isAlone = !risk.isExclusive(market);
    const { members, isWhole } = isAlone
      ? { members: [market], isWhole: false }
      : risk.eventOf(market);
    const pairs = members.map((each) => this.#losses.get(each) ?? risk.lossOf(each));
    const own = members.indexOf(market);
    const eventNano = this.#eventLosses.get(market.event.id) ?? risk.eventLossNano(market);
    const othersNano = isAlone ? eventNano - worseOf(pairs[own] ?? NO_LOSS) : 0;
    const sure = lossByOutcome(
      members.map((each) => this.#sureOf(each)),
      isWhole,
    );
    // A bid loses in all outcomes but its own, an ask in its own.
    const isHurt = (outcome: number) => (axisSide === 'bid') !== (outcome === own);
    const lossOf = (exposure: Exposure) => {
      const all = lossByOutcome(pairs.with(own, lossPair(holdings, exposure)), isWhole);
      return (
        othersNano + Math.max(...all.map((nano, at) => (isHurt(at) ? nano : (sure[at] ?? nano))))
      );
    };
    return { lossNano: lossOf(this.#of(market).exposure), lossAfterNano: lossOf(after) };
  }

  /** What its holdings lose and orders that rest, as far as anybody has reported: nothing uncertain hides it. */
  #sureOf(market: RiskMarket): LossPair {
    const known = this.#sure.get(market);
    if (known) return known;
    const orders = [...this.#stores.ledger.ofMarket(market.market.id)];
    const exposure = exposureOf(
      market,
      orders.filter(({ state }) => isOnBook(state)),
    );
    let { ifYesNano, ifNoNano } = lossPair(market.holdings(this.#stores.positions), exposure);
    for (const { leg, item } of uncertainOf(this.#stores, market)) {
      const gain = gainOf(leg, item);
      ifYesNano -= Math.max(0, gain.ifYesNano);
      ifNoNano -= Math.max(0, gain.ifNoNano);
    }
    const fresh = { ifYesNano, ifNoNano };
    this.#sure.set(market, fresh);
    return fresh;
  }

  /** What a market binds stays within its part; what brings its risk down needs none. */
  #brokenAllocation(market: RiskMarket, order: Asked, found: AtLimit): LimitName | undefined {
    if (order.side !== 'BUY' || found.lossAfterNano <= found.lossNano) return undefined;
    const stores = this.#stores;
    const share = this.#assumed?.capitalShare(market) ?? capitalShare(stores, market);
    const { cashNano } = stores.cash;
    if (share >= 1 || cashNano === undefined) return undefined;
    const { spentNano } = stores.capital.of(market.market.id);
    const boundNano = found.after.holdNano + pendingBuysNano(stores, market) + spentNano;
    const isSpent = boundNano > stores.capital.totalNano(cashNano) * share;
    return isSpent ? 'capital_allocation' : undefined;
  }

  /** Takes orders out of all sums that count them. */
  #forget(gone: ReadonlySet<OwnOrder>): void {
    const { markets } = this.#stores;
    const touched = new Set([...gone].flatMap(({ marketId }) => markets.get(marketId) ?? []));
    for (const market of touched) {
      const before = this.#risk.exposure(market);
      const { exposure, loss: pair } = risksOf(this.#stores, market, this.#assumed);
      this.#takeLoss(market, pair, this.#lossesWith(market, pair));
      this.#notionalNano += exposure.notionalNano - before.notionalNano;
      this.#openOrders += exposure.orders - before.orders;
      if (this.#freeCashNano !== undefined)
        this.#freeCashNano += before.holdNano - exposure.holdNano;
      this.#markets.set(market, { exposure, free: freeShares(this.#stores, market, exposure) });
    }
  }

  /** Each market is looked at when its first order asks to be admitted. */
  #of(market: RiskMarket): MarketRisk {
    const known = this.#markets.get(market);
    if (known) return known;
    const exposure = this.#risk.exposure(market);
    const fresh = { exposure, free: freeShares(this.#stores, market, exposure) };
    this.#markets.set(market, fresh);
    return fresh;
  }
}

function copied(exposure: Exposure): Exposure {
  const { buying, selling } = exposure;
  return { ...exposure, buying: { ...buying }, selling: { ...selling } };
}

/** Settled shares minus matched sells minus live sells; none while the venue refused to sell. */
function freeShares(stores: PositionStores, market: RiskMarket, exposure: Exposure): FreeShares {
  const free = (leg: Leg) => {
    if (stores.nowMs < market.sellBlockedUntilMs[leg]) return NO_SHARES;
    const settled = stores.positions.sellable(market.tokenOf(leg));
    const held = exposure.selling[leg] + stores.sets.reservedShares(market.market.id);
    const left = subtractShares(settled, clampShares(held));
    return left > 0 ? left : NO_SHARES;
  };
  return { yes: free('yes'), no: free('no') };
}
