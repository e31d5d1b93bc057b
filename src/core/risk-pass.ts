// The limits over one gathering of orders: what is admitted counts for what comes after it.

import { assert } from '../domain/assert.ts';
import { microShares, NO_SHARES, subtractShares } from '../domain/shares.ts';
import type { Ticks } from '../domain/ticks.ts';
import type { AxisSide } from '../strategy/index.ts';
import type { MarketState } from './market.ts';
import type { Leg } from './orders/own-order.ts';
import type { FreeShares, RoutedOrder } from './orders/routing.ts';
import { addExposure, type Exposure, exposureOf, worstLossNano } from './risk/exposure.ts';
import { brokenLimit, type LimitName } from './risk/limits.ts';
import { costNano } from './risk/nano.ts';
import type { MarketRisks } from './risk-book.ts';
import type { World } from './world.ts';

type MarketRisk = { exposure: Exposure; readonly free: FreeShares };

/** Exposure over one gathering: what is admitted counts for what comes after it. */
export class RiskPass {
  readonly #world: World;
  readonly #markets = new Map<MarketState, MarketRisk>();
  #openOrders: number;
  #lossNano: number;
  #freeCashNano: number | undefined;

  constructor(world: World) {
    this.#world = world;
    this.#openOrders = world.ledger.exposedCount;
    world.risk.updateExposure(world.agenda.exposed, (market) => risksOf(world, market));
    this.#lossNano = world.risk.lossNano;
    const { holdNano } = world.risk;
    const cash = world.account.cashNano;
    this.#freeCashNano =
      cash === undefined ? undefined : cash - holdNano - world.sets.reservedCashNano();
  }

  /** Sets cash aside for a fee; `false` when there is not that much. */
  reserve(nano: number): boolean {
    if (this.#freeCashNano === undefined || nano > this.#freeCashNano) return false;
    this.#freeCashNano -= nano;
    return true;
  }

  free(market: MarketState): FreeShares {
    return this.#of(market).free;
  }

  /** Counts an order in, or names the limit that it would break. */
  admit(
    market: MarketState,
    routed: RoutedOrder,
    quote: { readonly side: AxisSide; readonly price: Ticks },
  ): LimitName | undefined {
    const { settings, inventory } = this.#world;
    const risk = this.#of(market);
    const order = { ...routed, axisSide: quote.side, axisPrice: quote.price };
    const holdings = market.holdings(inventory);
    const after = copied(risk.exposure);
    addExposure(after, market.grid, order, routed.quantity);
    const lossNano = worstLossNano(holdings, risk.exposure);
    const limits = settings?.risk;
    assert(limits !== undefined, 'limits are known before anything is placed');
    const broken = brokenLimit(
      order,
      { grid: market.grid, holdings, exposure: risk.exposure, after },
      {
        openOrders: this.#openOrders,
        otherLossNano: this.#lossNano - lossNano,
        freeCashNano: this.#freeCashNano,
      },
      { ...limits, maxOpenOrders: this.#world.openOrdersMax },
    );
    if (broken !== undefined) return broken;
    this.#openOrders += 1;
    this.#lossNano += worstLossNano(holdings, after) - lossNano;
    if (this.#freeCashNano !== undefined && routed.side === 'BUY') {
      this.#freeCashNano -= costNano(market.grid, routed.price, routed.quantity);
    }
    risk.exposure = after;
    return undefined;
  }

  /** Each market is looked at when its first order asks to be admitted. */
  #of(market: MarketState): MarketRisk {
    const known = this.#markets.get(market);
    if (known) return known;
    const exposure = this.#world.risk.exposure(market);
    const fresh = { exposure, free: freeShares(this.#world, market, exposure) };
    this.#markets.set(market, fresh);
    return fresh;
  }
}

function risksOf(world: World, market: MarketState): MarketRisks {
  const { id } = market.market;
  const { ledger, inventory } = world;
  const exposure = exposureOf(market.grid, ledger.ofMarket(id), ledger.unseenEndsOf(id));
  return {
    exposure,
    lossNano: worstLossNano(market.holdings(inventory), exposure),
    holdNano: exposure.holdNano + pendingBuysNano(world, market),
  };
}

function copied(exposure: Exposure): Exposure {
  return {
    ...exposure,
    buying: { ...exposure.buying },
    selling: { ...exposure.selling },
  };
}

/** Settled shares minus matched sells minus live sells; none while the venue refused to sell. */
function freeShares(world: World, market: MarketState, exposure: Exposure): FreeShares {
  const free = (leg: Leg) => {
    if (world.nowMs < market.sellBlockedUntilMs[leg]) return NO_SHARES;
    const settled = world.inventory.sellable(market.tokenOf(leg));
    const held = exposure.selling[leg] + world.sets.reservedShares(market.market.id);
    const left = subtractShares(settled, microShares(held));
    return left > 0 ? left : NO_SHARES;
  };
  return { yes: free('yes'), no: free('no') };
}

/** Cash of matched buys that has not left the account yet. */
export function pendingBuysNano(world: World, market: MarketState): number {
  let nano = 0;
  for (const leg of ['yes', 'no'] as const) {
    for (const fill of world.inventory.pendingFills(market.tokenOf(leg))) {
      if (fill.side === 'BUY') nano += (-fill.cashNano * fill.quantity) / fill.original;
    }
  }
  return nano;
}
