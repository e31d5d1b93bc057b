// Gauges of the core's state, set anew from its view at every scrape: what is gone has no series.

import type { Gauge, Registry } from 'prom-client';
import type { FeedView } from '../domain/feed.ts';
import { addMs } from '../domain/time.ts';
import type { MarketView, OwnQuoteView, Reason, StateView } from '../domain/view.ts';
import { Instruments } from './instruments.ts';
import { LabelSet } from './labels.ts';
import { PHASES, TRUST_STATES } from './metric-table.ts';
import { FEED_STATES } from './metric-table-trade.ts';
import { collectFigures, collectMarketFigures, figureMetrics } from './metrics-figures.ts';
import { collectExcluded, collectUptime } from './metrics-uptime.ts';
import { collectWrites, writeMetrics } from './metrics-writes.ts';
import { shownMarkets } from './shown-markets.ts';

/** Reasons for an empty side: ours and those of strategies. */
const REASONS_MAX = 80;

type Made = ReturnType<typeof made>;

export function viewMetrics(registry: Registry): { collect(view: StateView): void } {
  const metrics = made(registry);
  const reasons = new LabelSet(REASONS_MAX);
  return {
    collect: (view) => {
      for (const metric of Object.values(metrics)) metric.reset();
      collectAccount(metrics, view);
      collectFigures(metrics, view);
      collectBooks(metrics, view.markets);
      collectExcluded(metrics.uptimeExcluded, view.markets);
      const shown = shownMarkets(view.markets);
      metrics.unshown.set(view.markets.length - shown.length);
      for (const market of shown) collectMarket(metrics, market);
      for (const market of shown) collectReasons(metrics, market, reasons);
      for (const feed of view.feeds ?? []) collectFeed(metrics, feed, view.atMs);
    },
  };
}

function collectAccount(metrics: Made, view: StateView): void {
  metrics.stateAt.set(view.atMs / 1_000);
  for (const phase of PHASES) metrics.phase.set({ phase }, view.phase === phase ? 1 : 0);
  metrics.ready.set(view.notReady.length === 0 ? 1 : 0);
  metrics.socket.set(view.connection.socket === 'open' ? 1 : 0);
  metrics.authenticated.set(view.connection.authenticated ? 1 : 0);
  setIfKnown(metrics.clockOffset, view.connection.clockOffsetMs, 1_000);
  setIfKnown(metrics.feedDelay, view.connection.feedDelayMs, 1_000);
  setIfKnown(metrics.cash, view.account.cashUsdc);
  setIfKnown(metrics.available, view.account.availableUsdc);
  setIfKnown(metrics.pnl, view.account.pnlUsdc);
  setIfKnown(metrics.worstCase, view.account.worstCaseLossUsdc);
  metrics.unlisted.set(view.unlisted?.length ?? 0);
  metrics.refusedEdit.set(view.refusedEdit === undefined ? 0 : 1);
  metrics.writesUsed.set(view.writes.usedInWindow);
  metrics.writesMax.set(view.writes.perWindow);
  collectWrites(metrics, view);
  metrics.external.set(view.ordersOfOthers ?? 0);
  metrics.uncancellable.set(view.uncancellable?.length ?? 0);
  metrics.unwrittenStops.set((view.unwrittenStops ?? []).length);
  metrics.unlatched.set(view.latchFault === undefined ? 0 : 1);
  metrics.unknown.set(view.ordersByState.unknown + view.ordersByState.cancelUnresolved);
  for (const [state, count] of Object.entries(view.ordersByState)) {
    metrics.orders.set({ state }, count);
  }
}

/** Over all markets, those without series of their own too. */
function collectBooks({ mirrored }: Made, markets: readonly MarketView[]): void {
  const counts = new Map<string, number>(TRUST_STATES.map((state) => [state, 0]));
  for (const { bookStates } of markets) {
    for (const state of [bookStates.yes, bookStates.no]) {
      counts.set(state, (counts.get(state) ?? 0) + 1);
    }
  }
  for (const [state, count] of counts) mirrored.set({ state }, count);
}

function collectFeed(
  metrics: Made,
  { name: feed, state, price, volatility, ageMs, counts }: FeedView,
  nowMs: StateView['atMs'],
): void {
  for (const each of FEED_STATES) {
    metrics.feedState.set({ feed, state: each }, each === state ? 1 : 0);
  }
  if (price !== undefined) metrics.feedPrice.set({ feed }, Number(price));
  if (volatility !== undefined) metrics.feedVolatility.set({ feed }, volatility);
  if (ageMs !== undefined) metrics.feedPriceAt.set({ feed }, addMs(nowMs, -ageMs) / 1_000);
  const { taken, refused, skipped, failures } = counts;
  for (const [result, count] of Object.entries({ taken, refused, skipped })) {
    metrics.feedValues.inc({ feed, result }, count);
  }
  metrics.feedFailures.inc({ feed }, failures);
}

function collectMarket(metrics: Made, view: MarketView): void {
  const market = view.marketId;
  metrics.market.set(
    { market, event: view.eventSlug, title: view.title, strategy: view.strategy },
    1,
  );
  metrics.status.set({ market, status: view.status }, 1);
  metrics.books.set({ market, outcome: 'yes', state: view.bookStates.yes }, 1);
  metrics.books.set({ market, outcome: 'no', state: view.bookStates.no }, 1);
  if (view.bestBid !== undefined) metrics.book.set({ market, side: 'bid' }, Number(view.bestBid));
  if (view.bestAsk !== undefined) metrics.book.set({ market, side: 'ask' }, Number(view.bestAsk));
  collectQuotes(metrics, { market, side: 'bid' }, view.ownBids);
  collectQuotes(metrics, { market, side: 'ask' }, view.ownAsks);
  collectInventory(metrics, view);
  collectSets(metrics, view);
  collectUptime(metrics.uptime, view);
  collectWorth(metrics, view);
  collectMarketFigures(metrics, view);
  collectShadow(metrics, view);
  metrics.bookUpdates.inc({ market }, view.bookUpdates);
}

/** What the quotes were worth: profit, the spread they earned, and what prices did afterwards. */
function collectWorth(
  metrics: Made,
  { marketId: market, pnlUsdc, spreadEarnedUsdc, markouts }: MarketView,
): void {
  if (pnlUsdc !== undefined) metrics.marketPnl.set({ market }, Number(pnlUsdc));
  if (spreadEarnedUsdc !== undefined)
    metrics.spreadEarned.set({ market }, Number(spreadEarnedUsdc));
  if (markouts === undefined) return;
  metrics.markout.set({ market, horizon: '10s' }, Number(markouts.after10sUsdc));
  if (markouts.after60sUsdc !== undefined) {
    metrics.markout.set({ market, horizon: '60s' }, Number(markouts.after60sUsdc));
  }
}

function collectShadow(metrics: Made, { marketId: market, shadow }: MarketView): void {
  if (shadow === undefined) return;
  for (const params of ['live', 'shadow'] as const) {
    metrics.shadowPnl.set({ market, params }, Number(shadow[params].pnlUsdc));
    metrics.shadowFilled.set({ market, params }, Number(shadow[params].filledShares));
  }
}

function collectQuotes(
  metrics: Made,
  labels: { readonly market: string; readonly side: 'bid' | 'ask' },
  quotes: readonly OwnQuoteView[],
): void {
  metrics.quoteOrders.set(labels, quotes.length);
  metrics.quoteShares.set(
    labels,
    quotes.reduce((sum, quote) => sum + Number(quote.quantity), 0),
  );
  const best = quotes[0];
  if (best !== undefined) metrics.quotePrice.set(labels, Number(best.price));
  const sentAtMs = quotes.flatMap(({ sinceMs }) => sinceMs ?? []);
  if (sentAtMs.length > 0) metrics.quoteSentAt.set(labels, Math.min(...sentAtMs) / 1_000);
}

function collectInventory(metrics: Made, view: MarketView): void {
  const yes = { market: view.marketId, token: view.yesTokenId, outcome: 'yes' };
  const no = { market: view.marketId, token: view.noTokenId, outcome: 'no' };
  metrics.inventory.set(yes, Number(view.positionYes));
  metrics.inventory.set(no, Number(view.positionNo));
  metrics.settled.set(yes, Number(view.settledYes));
  metrics.settled.set(no, Number(view.settledNo));
}

/** Sets are worth a dollar each; of a claim only the winning shares are. */
function collectSets({ freeSets, claims }: Made, view: MarketView): void {
  if (view.sets === undefined) return;
  const market = view.marketId;
  freeSets.set({ market }, Number(view.sets.free));
  const { claim } = view.sets;
  if (claim === undefined) return;
  claims.set({ market, outcome: 'yes' }, Number(claim.yes));
  claims.set({ market, outcome: 'no' }, Number(claim.no));
}

function collectReasons(
  metrics: Made,
  { marketId: market, bidReason, askReason }: MarketView,
  reasons: LabelSet,
): void {
  const set = (side: 'bid' | 'ask', reason: Reason | undefined): void => {
    if (reason === undefined) return;
    metrics.unquoted.set({ market, side, reason: reasons.label(reason.code) }, 1);
    metrics.unquotedSince.set({ market, side }, reason.sinceMs / 1_000);
  };
  set('bid', bidReason);
  set('ask', askReason);
}

/** An unknown amount has no series: zero would be an answer. */
function setIfKnown(
  gauge: Gauge,
  amount: string | number | undefined,
  unitsPerBase: number = 1,
): void {
  if (amount === undefined) gauge.remove();
  else gauge.set(Number(amount) / unitsPerBase);
}

function made(registry: Registry) {
  const make = new Instruments(registry);
  return {
    stateAt: make.gauge('stateAt'),
    phase: make.gauge('phase'),
    orders: make.gauge('orders'),
    ...writeMetrics(make),
    ...figureMetrics(make),
    external: make.gauge('external'),
    unknown: make.gauge('unknown'),
    uncancellable: make.gauge('uncancellable'),
    unwrittenStops: make.gauge('unwrittenStops'),
    unlatched: make.gauge('unlatched'),
    ready: make.gauge('ready'),
    socket: make.gauge('socket'),
    authenticated: make.gauge('authenticated'),
    clockOffset: make.gauge('clockOffset'),
    feedDelay: make.gauge('feedDelay'),
    cash: make.gauge('cash'),
    available: make.gauge('available'),
    pnl: make.gauge('pnl'),
    worstCase: make.gauge('worstCase'),
    unlisted: make.gauge('unlisted'),
    refusedEdit: make.gauge('refusedEdit'),
    writesUsed: make.gauge('writesUsed'),
    writesMax: make.gauge('writesMax'),
    feedState: make.gauge('feedState'),
    feedPrice: make.gauge('feedPrice'),
    feedVolatility: make.gauge('feedVolatility'),
    feedPriceAt: make.gauge('feedPriceAt'),
    feedValues: make.counter('feedValues'),
    feedFailures: make.counter('feedFailures'),
    market: make.gauge('market'),
    status: make.gauge('status'),
    books: make.gauge('books'),
    book: make.gauge('book'),
    quotePrice: make.gauge('quotePrice'),
    quoteOrders: make.gauge('quoteOrders'),
    quoteShares: make.gauge('quoteShares'),
    quoteSentAt: make.gauge('quoteSentAt'),
    inventory: make.gauge('inventory'),
    settled: make.gauge('settled'),
    marketPnl: make.gauge('marketPnl'),
    spreadEarned: make.gauge('spreadEarned'),
    markout: make.gauge('markout'),
    shadowPnl: make.gauge('shadowPnl'),
    shadowFilled: make.gauge('shadowFilled'),
    unquoted: make.gauge('unquoted'),
    unquotedSince: make.gauge('unquotedSince'),
    bookUpdates: make.counter('bookUpdates'),
    uptime: make.gauge('uptime'),
    uptimeExcluded: make.gauge('uptimeExcluded'),
    mirrored: make.gauge('mirrored'),
    unshown: make.gauge('unshown'),
    freeSets: make.gauge('freeSets'),
    claims: make.gauge('claims'),
  };
}
