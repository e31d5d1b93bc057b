// A plain snapshot of the engine for status, page and metrics.

import type { TokenId } from '../../domain/ids.ts';
import { clampShares, formatShares, type MicroShares } from '../../domain/shares.ts';
import { formatPrice, type Ticks } from '../../domain/ticks.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import type {
  FairView,
  GuardView,
  MarketView,
  MarkoutsView,
  OwnQuoteView,
  PickMarkets,
  PnlParts,
  PositionView,
  QuoteView,
  SidesView,
  StateView,
  VenueBeliefView,
} from '../../domain/view.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { externalOrders } from '../account/own-scope.ts';
import { payoutNano, usdcOf } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isRestingQuote, remaining } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { uncancellable } from '../orders/uncancellable.ts';
import type { PositionStores } from '../positions/stores.ts';
import { signed } from '../positions/unsettled.ts';
import type { GuardReason } from '../quoting/filters/guard.ts';
import type { WriteClass } from '../quoting/market.ts';
import { appliesByName } from '../quoting/params.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import { sumUpRisk } from '../risk/divergence.ts';
import type { MarketState } from '../sending/market.ts';
import { marketSetsView } from '../sets/sets.ts';
import { stoppedMarkets } from './market-stops.ts';
import { riskView } from './risk-views.ts';
import type { EngineStores, Session } from './session.ts';
import { latestArrivalMs } from './stop-orders.ts';
import type { SessionStores } from './stores.ts';

/** Fills of a token that are named while they settle, the oldest first. */
const SETTLING_MAX = 10;

export function viewOf(stores: EngineStores, pick?: PickMarkets): StateView {
  const { session } = stores;
  const markets = [...stores.markets.values()];
  sumUpRisk(stores);
  const { fired, right, wrong, placed, unwanted } = stores.arms;
  return {
    atMs: stores.nowMs,
    settingsVersion: stores.settingsVersion,
    cancelScope: cancelScopeOf(stores),
    ordersOfOthers: externalOrders(stores),
    uncancellable: uncancellable(stores, session.refusedOrders()),
    phase: session.phase,
    phaseReason: session.detail,
    markets: picked(stores, pick).map((market) => marketView(stores, market)),
    ...(stores.controls.marketStops.size === 0 ? {} : { stoppedMarkets: stoppedMarkets(stores) }),
    unlisted: [...stores.unlisted].map(([choice, reason]) => ({ choice, ...reason })),
    ordersByState: stores.ledger.countByState(),
    mayArriveUntilMs: arrivalMs(stores),
    account: {
      cashUsdc: money(stores.cash.cashNano),
      availableUsdc: money(stores.cash.availableNano),
      pnlUsdc: money(
        sumOrUnknown([
          stores.risk.left.profitNano,
          ...markets.map((market) => market.pnlNano(stores.positions)),
        ]),
      ),
      pnlUncertaintyUsdc: usdcOf(pnlUncertaintyNano(stores)).toFixed(6),
      worstCaseLossUsdc: money(stores.risk.lossNano),
    },
    writes: {
      usedInWindow: stores.budget.usedInWindow(stores.nowMs),
      perWindow: stores.budget.perWindow,
      placed: { ...stores.placed },
      waiting: waitingByClass(stores),
    },
    armed: { fired, right, wrong, placed, unwanted },
    connection: {
      socket: stores.connection.isSocketOpen ? 'open' : 'lost',
      authenticated: stores.connection.isAuthenticated,
      clockOffsetMs: stores.clock.offsetMs,
      feedDelayMs: stores.trust.feedDelayMs,
    },
    venueBeliefs: venueBeliefs(stores),
    risk: riskView(stores),
    sets: stores.sets.views(),
    notReady: notReady(session),
  };
}

function picked({ markets }: SessionStores, pick: PickMarkets | undefined): readonly MarketState[] {
  if (pick === undefined) return [...markets.values()];
  return pick([...markets.keys()]).flatMap((marketId) => markets.get(marketId) ?? []);
}

function waitingByClass(stores: SessionStores): Readonly<Record<WriteClass, number>> {
  const counts = { reduce: 0, repair: 0, renew: 0, improve: 0 };
  for (const market of stores.workQueue.missing) {
    for (const { writeClass } of market.missing) counts[writeClass] += 1;
  }
  return counts;
}

function notReady(session: Session): readonly string[] {
  const missing = session.missing();
  if (missing.length > 0) return missing.map((what) => `waiting for ${what}`);
  return session.phase === 'quoting' ? [] : [`${session.phase}: ${session.detail}`];
}

function marketView(stores: PositionStores, market: MarketState): MarketView {
  const { grid } = market;
  const price = (at: Ticks | undefined) => (at === undefined ? undefined : formatPrice(grid, at));
  const shares = market.holdingsShares(stores.positions);
  return {
    eventId: market.event.id,
    eventSlug: market.event.slug,
    marketId: market.market.id,
    title: market.market.title,
    strategy: market.strategy.name,
    tickSize: grid.tickSize,
    status: market.status,
    yesTokenId: market.market.yes.tokenId,
    noTokenId: market.market.no.tokenId,
    bookStates: { yes: market.trust.yes.state, no: market.trust.no.state },
    bestBid: price(market.book.bestBid()),
    bestAsk: price(market.book.bestAsk()),
    ownBids: quotesOf(stores, market, 'bid'),
    ownAsks: quotesOf(stores, market, 'ask'),
    book: bookView(market),
    targets: targetsView(market),
    bidReason: market.reasons.of('bid'),
    askReason: market.reasons.of('ask'),
    guards: market.desk.guards.map(guardView),
    uptime: {
      bid: market.desk.uptime.of('bid', stores.nowMs),
      ask: market.desk.uptime.of('ask', stores.nowMs),
    },
    params: {
      version: market.desk.paramsVersion,
      values: market.choice.params,
      applies: appliesByName(market.strategy),
      pendingRestart: market.desk.pendingParams,
    },
    fair: fairView(stores, market),
    positions: {
      yes: positionView(stores, market.market.yes.tokenId),
      no: positionView(stores, market.market.no.tokenId),
    },
    positionYes: formatShares(shares.yes),
    positionNo: formatShares(shares.no),
    settledYes: formatShares(stores.positions.confirmed(market.market.yes.tokenId)),
    settledNo: formatShares(stores.positions.confirmed(market.market.no.tokenId)),
    sets: marketSetsView(stores, market),
    pnlUsdc: money(market.pnlNano(stores.positions)),
    mark: money(market.flows.markMilliUsdc && market.flows.markMilliUsdc * 1e6),
    pnlParts: pnlParts(stores, market),
    markouts: markoutsView(market),
    spreadEarnedUsdc: market.insight.spreadEarnedUsdc?.toFixed(6),
    fills: market.flows.fills,
    bookUpdates: market.bookUpdates,
  };
}

function positionView({ positions }: PositionStores, tokenId: TokenId): PositionView {
  const expected = positions.expected(tokenId);
  return {
    low: formatShares(positions.low(tokenId)),
    expected: formatShares(expected),
    high: formatShares(positions.high(tokenId)),
    sellable: formatShares(positions.sellable(tokenId)),
    pending: formatShares(clampShares(expected - positions.confirmed(tokenId))),
    settling: positions
      .pending(tokenId)
      .slice(0, SETTLING_MAX)
      .map(({ side, quantity, atMs: sinceMs }) => ({
        shares: formatShares(clampShares(signed(side, quantity))),
        sinceMs,
      })),
    uncertain: positions.bounded(tokenId).map(({ cause, side, quantity, sinceMs, isOwed }) => ({
      shares: formatShares(clampShares(signed(side, quantity))),
      ...{ cause, sinceMs, ...(isOwed && { isOwed }) },
    })),
  };
}

/** They add up to the profit, so that what the middle and the fair value differ by is in what moved. */
function pnlParts({ positions }: PositionStores, market: MarketState): PnlParts | undefined {
  const [all, before] = [market.pnlNano(positions), market.pnlBeforeNano];
  if (all === undefined || before === undefined) return undefined;
  const spreadUsdc = market.insight.spreadEarnedUsdc ?? 0;
  return {
    beforeUsdc: usdcOf(before).toFixed(6),
    spreadUsdc: spreadUsdc.toFixed(6),
    movedUsdc: usdcOf(all - before)
      .minus(spreadUsdc)
      .toFixed(6),
  };
}

/** A kill of this moment could be confirmed then. */
function arrivalMs(stores: SessionStores): UnixMs | undefined {
  const untilMs = latestArrivalMs(stores, { askedAtMs: stores.nowMs, isStop: true });
  return untilMs === undefined || untilMs <= stores.nowMs ? undefined : unixMs(untilMs);
}

/** By how much profit may be off: what is uncertain may have cost, and cash that was booked as it was. */
function pnlUncertaintyNano({ positions, cash }: PositionStores): number {
  let nano = Math.abs(cash.breakNano) + cash.adoptedNano;
  for (const { item } of positions.allUncertain()) {
    const valueNano = Math.abs(item.cashNano);
    nano += Math.max(valueNano, payoutNano(item.quantity) - valueNano);
  }
  return nano;
}

function guardView({ guard, side, code, detail, clears, effect }: GuardReason): GuardView {
  return { guard, side, code, detail, clears, effect };
}

/** Means over the fills of this run; absent before the first is old enough. */
function markoutsView({ insight }: MarketState): MarkoutsView | undefined {
  const { after10sUsdc, after60sUsdc } = insight.toxicity.means();
  if (after10sUsdc === undefined) return undefined;
  return { after10sUsdc: after10sUsdc.toFixed(6), after60sUsdc: after60sUsdc?.toFixed(6) };
}

function fairView(stores: KernelStores, market: MarketState): FairView | undefined {
  const fair = market.insight.fairAt(stores.nowMs);
  if (fair === undefined) return undefined;
  const { price, logOddsVar, ageMs, external } = fair;
  return {
    price: price.toFixed(6),
    logOddsDeviation: Math.sqrt(logOddsVar).toFixed(6),
    ageMs,
    external: external?.price.toFixed(6),
  };
}

function sumOrUnknown(parts: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const part of parts) {
    if (part === undefined) return undefined;
    sum += part;
  }
  return sum;
}

function money(nano: number | undefined): string | undefined {
  return nano === undefined ? undefined : usdcOf(nano).toFixed(6);
}

// What has been learnt of the venue where its document does not say: what is believed, since when, on what evidence.

function venueBeliefs(stores: SessionStores): readonly VenueBeliefView[] {
  return [booksBelief(stores), ...[...stores.markets.values()].flatMap(quantityBelief)];
}

function booksBelief({ settings, trust }: SessionStores): VenueBeliefView {
  const stated = settings?.book.unified ?? 'off';
  if (stated !== 'auto') {
    const value = stated === 'on' ? 'unified' : 'separate';
    return { what: 'books', value, evidence: `book.unified is ${stated}` };
  }
  const { known } = trust.unified;
  if (known === undefined) {
    return { what: 'books', value: 'unknown', evidence: 'no two own orders agree yet' };
  }
  const where = known.isUnified ? 'in both books' : 'in the book of its outcome alone';
  return {
    what: 'books',
    value: known.isUnified ? 'unified' : 'separate',
    evidence: `each of two own orders in a row showed ${where}`,
    sinceMs: known.sinceMs,
  };
}

/** Only where an order was rejected for it. */
function quantityBelief({ market, learntDecimals }: MarketState): readonly VenueBeliefView[] {
  if (learntDecimals === undefined) return [];
  const { decimals, refused, sinceMs } = learntDecimals;
  return [
    {
      what: 'quantityDecimals',
      marketId: market.id,
      value: String(decimals),
      evidence: `an order with ${refused} decimals was rejected with invalid_quantity`,
      sinceMs,
    },
  ];
}

// Of one market on the YES axis: the book of others, what we want there, and what rests there.

/** Levels of a side that a person looks at; a mirror may be twice as deep. */
const BOOK_LEVELS_SHOWN = 10;

function bookView({ book, grid }: MarketState): SidesView {
  const levels = (
    best: Ticks | undefined,
    next: (from: Ticks) => Ticks | undefined,
    sizeAt: (price: Ticks) => MicroShares,
  ): readonly QuoteView[] => {
    const found: QuoteView[] = [];
    for (let at = best; at !== undefined && found.length < BOOK_LEVELS_SHOWN; at = next(at)) {
      found.push({ price: formatPrice(grid, at), quantity: formatShares(sizeAt(at)) });
    }
    return found;
  };
  return {
    bids: levels(
      book.bestBid(),
      (below) => book.nextBid(below),
      (price) => book.bidSizeAt(price),
    ),
    asks: levels(
      book.bestAsk(),
      (above) => book.nextAsk(above),
      (price) => book.askSizeAt(price),
    ),
  };
}

function targetsView({ desk, grid }: MarketState): SidesView {
  const of = (side: AxisSide): readonly QuoteView[] =>
    desk.targets
      .filter((target) => target.side === side)
      .map(({ price, quantity }) => ({
        price: formatPrice(grid, price),
        quantity: formatShares(quantity),
      }));
  return { bids: of('bid'), asks: of('ask') };
}

type Joined = { quantity: number; sinceMs: UnixMs; ahead: MicroShares | undefined };

/** Live quotes of one side, joined by price, best first: the oldest order of a price speaks for its place. */
function quotesOf(
  stores: OrderStores,
  market: MarketState,
  side: AxisSide,
): readonly OwnQuoteView[] {
  const byPrice = new Map<Ticks, Joined>();
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (order.axisSide !== side || !isRestingQuote(order)) continue;
    const known = byPrice.get(order.axisPrice);
    const isOldest = known === undefined || order.sentAtMs < known.sinceMs;
    byPrice.set(order.axisPrice, {
      quantity: (known?.quantity ?? 0) + remaining(order),
      sinceMs: isOldest ? order.sentAtMs : known.sinceMs,
      ahead: isOldest ? market.insight.queues.of(order)?.ahead : known.ahead,
    });
  }
  const inwardFirst = side === 'bid' ? -1 : 1;
  return [...byPrice]
    .sort(([a], [b]) => inwardFirst * (a - b))
    .map(([at, { quantity, sinceMs, ahead }]) => ({
      price: formatPrice(market.grid, at),
      quantity: formatShares(clampShares(quantity)),
      sinceMs,
      ahead: ahead === undefined ? undefined : formatShares(ahead),
    }));
}
