// What a strategy is shown of one market, put together when it is asked.

import type { MarketChoice } from '../../domain/input.ts';
import type { Leg } from '../../domain/market.ts';
import { clampShares, type MicroShares, microShares, shares } from '../../domain/shares.ts';
import type { Inventory, MarketLife, OwnQuote, QuoteContext } from '../../strategy/index.ts';
import { NANO_PER_USDC } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isExposed, isQuoting, type OwnOrder, remaining } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { PositionStores } from '../positions/stores.ts';
import { pendingBuysNano } from '../risk/divergence.ts';
import { heldNano } from '../risk/exposure.ts';
import { type Terms, termsOf } from '../risk/limits.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { QuotedMarket, ReasonText } from './market.ts';
import type { QuotingStores } from './stores.ts';

/** One market at the moment of its decision. */
export type Look = {
  readonly market: QuotedMarket;
  /** Those in force, or others. */
  readonly terms: Terms;
  readonly context: QuoteContext<unknown>;
  /** Why it may not be quoted. */
  readonly blocked: ReasonText | undefined;
};

/**
 * One moment of one market, under the settings in force or others. Reading it changes nothing, and it is
 * frozen: guards and limits look at the same moment after the strategy did.
 */
export function contextOf(
  stores: QuotingStores,
  market: QuotedMarket,
  terms: Terms,
): QuoteContext<unknown> {
  const { nowMs } = stores;
  const { insight } = market;
  const { choice } = terms;
  const fair = insight.fairAt(nowMs, choice.externalAgeMsMax);
  const risk = terms.settings?.risk;
  return Object.freeze({
    nowMs,
    marketId: market.market.id,
    eventId: market.event.id,
    grid: market.grid,
    expiryAtMs: market.event.expiryAtMs,
    book: market.book,
    tokenBooks: insight.tokenBooks,
    fair: fair === undefined ? undefined : Object.freeze(fair),
    externalSource: insight.external.sourceAt(nowMs),
    trades: insight.tape.digest(nowMs),
    toxicity: insight.toxicity.view(nowMs, fair?.price),
    inventory: frozenDeep(inventoryOf(stores, market)),
    capital: Object.freeze(capitalOf(stores, market, terms)),
    maxPosition: shares(risk?.maxPositionShares ?? 0),
    limits: Object.freeze({
      maxPositionShares: risk?.maxPositionShares ?? 0,
      maxOrderNotionalUsdc: risk?.maxOrderNotionalUsdc ?? 0,
      ...(risk?.maxOrderShares === undefined ? {} : { maxOrderShares: risk.maxOrderShares }),
      maxLossUsdc: risk?.maxLossUsdc ?? 0,
    }),
    ownQuotes: ownQuotes(stores, market),
    life: Object.freeze(runOf(stores, market, choice)),
    fees: Object.freeze({ takerRate: choice.takerFeeRate }),
    params: choice.params,
    memory: stores.memories.of(choice.strategy, market.market.id),
  });
}

function frozenDeep(inventory: Inventory): Inventory {
  for (const parts of [inventory.settled, inventory.matched, inventory.held, inventory.filled])
    Object.freeze(parts);
  return Object.freeze(inventory);
}

/** Live orders as the axis shows them; unknown ones have no place that a strategy could value. */
function ownQuotes(stores: OrderStores, market: QuotedMarket): readonly OwnQuote[] {
  const quotes: OwnQuote[] = [];
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (!isQuoting(order) || order.orderHash === undefined) continue;
    const quote: OwnQuote = {
      side: order.axisSide,
      price: order.axisPrice,
      remaining: remaining(order),
      restingSinceMs: order.confirmedAtMs ?? order.sentAtMs,
      queue: market.insight.queues.of(order),
    };
    quotes.push(Object.freeze(quote));
  }
  return Object.freeze(quotes);
}

function inventoryOf(stores: PositionStores, market: QuotedMarket): Inventory {
  const { yes, no } = market.holdingsShares(stores.positions);
  const settled = byLeg((leg) => stores.positions.confirmed(market.tokenOf(leg)));
  const held = heldBySells(stores.ledger.ofMarket(market.market.id));
  const free = byLeg((leg) =>
    microShares(Math.max(0, stores.positions.sellable(market.tokenOf(leg)) - held[leg])),
  );
  return {
    yes,
    no,
    net: clampShares(yes - no),
    settled,
    matched: { yes: clampShares(yes - settled.yes), no: clampShares(no - settled.no) },
    held,
    filled: market.insight.filled,
    sets: microShares(Math.min(free.yes, free.no)),
  };
}

function heldBySells(orders: Iterable<OwnOrder>): Record<Leg, MicroShares> {
  const held = { yes: 0, no: 0 };
  for (const order of orders) {
    if (order.side === 'SELL' && isExposed(order)) held[order.leg] += remaining(order);
  }
  return { yes: clampShares(held.yes), no: clampShares(held.no) };
}

function byLeg(of: (leg: Leg) => MicroShares): Record<Leg, MicroShares> {
  return { yes: of('yes'), no: of('no') };
}

/** Brings the market's part of the bound capital up to date; see `CapitalBook`. */
export function updateCapital(stores: RiskStores, market: QuotedMarket): void {
  const { id } = market.market;
  // What was matched is paid for when it settles: until then its cash is held, not spent.
  const pendingNano = pendingBuysNano(stores, market);
  const holdNano = heldNano(market.grid, stores.ledger.ofMarket(id));
  const spentNano = Math.max(0, -market.flows.cashNano - pendingNano);
  stores.capital.set(id, { holdNano: holdNano + pendingNano, spentNano });
}

/** Cash that no order holds, and the market's part of the capital. */
export function capitalOf(
  stores: RiskStores,
  market: QuotedMarket,
  { capitalShare }: Terms = termsOf(stores, market),
): QuoteContext<unknown>['capital'] {
  const cashNano = stores.cash.cashNano ?? 0;
  const { holdNano, spentNano } = stores.capital.of(market.market.id);
  const freeNano = Math.max(0, cashNano - stores.capital.holdNano);
  return {
    freeUsdc: freeNano / NANO_PER_USDC,
    allocatedUsdc: (stores.capital.totalNano(cashNano) * capitalShare) / NANO_PER_USDC,
    boundUsdc: (holdNano + spentNano) / NANO_PER_USDC,
  };
}

function runOf(stores: KernelStores, market: QuotedMarket, choice: MarketChoice): MarketLife {
  const { expiryAtMs } = market.event;
  // It ends by the venue's clock, whatever ours says.
  const { venueMs } = stores.clock;
  return {
    expiryAtMs,
    leftMs: expiryAtMs === undefined ? undefined : Math.max(0, expiryAtMs - venueMs),
    durationMs: choice.overlays?.life.durationMs,
  };
}
