// The limits over one gathering of orders: what is admitted counts for what comes after it.

import { assert } from '../domain/assert.ts';
import type { RiskControls } from '../domain/risk.ts';
import { clampShares, microShares, NO_SHARES, subtractShares } from '../domain/shares.ts';
import type { TickGrid, Ticks } from '../domain/ticks.ts';
import type { AxisBook, AxisSide } from '../strategy/index.ts';
import { heldAtSend } from './halts/held.ts';
import type { MarketState } from './market.ts';
import type { Leg } from './orders/own-order.ts';
import type { FreeShares, RoutedOrder } from './orders/routing.ts';
import { brokenCollar, type References } from './risk/collar.ts';
import type { LossPair } from './risk/event-loss.ts';
import { addLive, type Exposure, exposureOf, lossPair } from './risk/exposure.ts';
import { type MarketRisk as AtLimit, brokenLimit, type LimitName } from './risk/limits.ts';
import { costNano } from './risk/nano.ts';
import type { MarketRisks } from './risk-book.ts';
import type { World } from './world.ts';

type MarketRisk = { exposure: Exposure; readonly free: FreeShares };
type Asked = RoutedOrder & { readonly axisSide: AxisSide; readonly axisPrice: Ticks };

/** Exposure over one gathering: what is admitted counts for what comes after it. */
export class RiskPass {
  readonly #world: World;
  readonly #markets = new Map<MarketState, MarketRisk>();
  /** Loss by outcome of the markets in which something was admitted. */
  readonly #losses = new Map<MarketState, LossPair>();
  #openOrders: number;
  #notionalNano: number;
  #lossNano: number;
  #freeCashNano: number | undefined;

  constructor(world: World) {
    this.#world = world;
    this.#openOrders = world.ledger.exposedCount;
    world.risk.updateExposure(world.agenda.exposed, (market) => risksOf(world, market));
    this.#lossNano = world.risk.lossNano;
    this.#notionalNano = world.risk.notionalNano;
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

  /** Cash that nothing holds or reserves; `undefined` while no balance is known. */
  get freeCashNano(): number | undefined {
    return this.#freeCashNano;
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
    const risk = this.#of(market);
    const order = { ...routed, axisSide: quote.side, axisPrice: quote.price };
    const after = copied(risk.exposure);
    addLive(after, market.grid, order, routed.quantity);
    const holdings = market.holdings(this.#world.inventory);
    const lossNano = this.#world.risk.eventLossNano(market, this.#losses);
    const before = this.#losses.get(market);
    this.#losses.set(market, lossPair(holdings, after));
    const lossAfterNano = this.#world.risk.eventLossNano(market, this.#losses);
    const incoming = this.#world.sets.incomingShares(market.market.id);
    const found = { grid: market.grid, holdings, incoming, after, lossNano, lossAfterNano };
    const broken = this.#brokenBy(market, order, found);
    if (broken !== undefined) {
      if (before === undefined) this.#losses.delete(market);
      else this.#losses.set(market, before);
      return broken;
    }
    this.#openOrders += 1;
    this.#lossNano += lossAfterNano - lossNano;
    this.#notionalNano += costNano(market.grid, routed.price, routed.quantity);
    if (this.#freeCashNano !== undefined && routed.side === 'BUY') {
      this.#freeCashNano -= costNano(market.grid, routed.price, routed.quantity);
    }
    risk.exposure = after;
    return undefined;
  }

  /** Level first, then what the order is, then what it would make of the account. */
  #brokenBy(market: MarketState, order: Asked, found: AtLimit): LimitName | undefined {
    const world = this.#world;
    const limits = world.settings?.risk;
    assert(limits !== undefined, 'limits are known before anything is placed');
    const { holdings, after, lossNano, lossAfterNano } = found;
    const level = heldAtSend(world.controls.latches.binding(market.market.id), order, {
      net: clampShares(holdings.yes - holdings.no),
      after,
      isWorse: lossAfterNano > lossNano,
    });
    if (level !== undefined) return level;
    const collar =
      limits.collar &&
      brokenCollar(market.grid, order, referencesOf(world, market, limits.collar), limits.collar);
    if (collar !== undefined) return collar;
    const account = {
      openOrders: this.#openOrders,
      notionalNano: this.#notionalNano,
      otherLossNano: this.#lossNano - lossNano,
      freeCashNano: this.#freeCashNano,
    };
    return brokenLimit(order, found, account, { ...limits, maxOpenOrders: world.openOrdersMax });
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
    loss: lossPair(market.holdings(inventory), exposure),
    holdNano: exposure.holdNano + pendingBuysNano(world, market),
  };
}

/** What an order of this market may be held against. */
function referencesOf(
  world: World,
  { insight, book, grid }: MarketState,
  collar: RiskControls['collar'],
): References {
  const range = insight.tape.rangeSince(world.nowMs - collar.tradesMs);
  const price = (at: number) => at / grid.ticksPerUnit;
  return {
    fair: insight.fairAt(world.nowMs)?.price ?? middleOf(book, grid),
    trades: range && { low: price(range.low), high: price(range.high) },
  };
}

/** Two books of one side each have no middle of their own; joined on one axis they do. */
function middleOf(book: AxisBook, { ticksPerUnit }: TickGrid): number | undefined {
  const bid = book.bestBid();
  const ask = book.bestAsk();
  return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2 / ticksPerUnit;
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
