// Gauges of the core's state, set anew from its view at every scrape: what is gone has no series.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { FeedState, FeedView } from '../domain/feed.ts';
import type { TrustState } from '../domain/trust.ts';
import type { MarketView, Phase, QuoteView, Reason, StateView } from '../domain/view.ts';
import { LabelSet } from './labels.ts';
import { collectUptime, uptimeMetrics } from './metrics-uptime.ts';
import { collectWrites, writeMetrics } from './metrics-writes.ts';
import { shownMarkets } from './shown-markets.ts';

/** Reasons for an empty side: ours and those of strategies. */
const REASONS_MAX = 80;

const PHASES: readonly Phase[] = [
  'starting',
  'clearing',
  'quoting',
  'paused',
  'halted',
  'killing',
  'killed',
  'stopping',
  'stopped',
];

const TRUST_STATES: readonly TrustState[] = ['trusted', 'suspect', 'resyncing', 'dead'];

const FEED_STATES: readonly FeedState[] = ['waiting', 'ok', 'stale', 'refused', 'down'];

type Declared = ReturnType<typeof declared>;

export function viewMetrics(registry: Registry): { collect(view: StateView): void } {
  const metrics = declared(registry);
  const reasons = new LabelSet(REASONS_MAX);
  return {
    collect: (view) => {
      for (const metric of Object.values(metrics)) metric.reset();
      collectAccount(metrics, view);
      collectBooks(metrics, view.markets);
      const shown = shownMarkets(view.markets);
      metrics.unshown.set(view.markets.length - shown.length);
      for (const market of shown) collectMarket(metrics, market);
      for (const market of shown) collectReasons(metrics, { market, view, reasons });
      for (const feed of view.feeds ?? []) collectFeed(metrics, feed);
    },
  };
}

function collectAccount(metrics: Declared, view: StateView): void {
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
  metrics.writesUsed.set(view.writes.usedInWindow);
  metrics.writesMax.set(view.writes.perWindow);
  collectWrites(metrics, view);
  metrics.foreign.set(view.foreignOrders ?? 0);
  metrics.uncancellable.set(view.uncancellable?.length ?? 0);
  metrics.unwrittenStops.set((view.unwrittenStops ?? []).length);
  metrics.unlatched.set(view.latchFault === undefined ? 0 : 1);
  for (const [state, count] of Object.entries(view.ordersByState)) {
    metrics.orders.set({ state }, count);
  }
}

/** Over all markets, those without series of their own too. */
function collectBooks({ mirrored }: Declared, markets: readonly MarketView[]): void {
  const counts = new Map<string, number>(TRUST_STATES.map((state) => [state, 0]));
  for (const { bookStates } of markets) {
    for (const state of [bookStates.yes, bookStates.no]) {
      counts.set(state, (counts.get(state) ?? 0) + 1);
    }
  }
  for (const [state, count] of counts) mirrored.set({ state }, count);
}

function collectFeed(metrics: Declared, { name: feed, state, ageMs, counts }: FeedView): void {
  for (const each of FEED_STATES) {
    metrics.feedState.set({ feed, state: each }, each === state ? 1 : 0);
  }
  // Without a price there is no age, and zero would be a young one.
  if (ageMs !== undefined) metrics.feedAge.set({ feed }, ageMs / 1_000);
  const { taken, refused, skipped, failures } = counts;
  for (const [result, count] of Object.entries({ taken, refused, skipped })) {
    metrics.feedValues.inc({ feed, result }, count);
  }
  metrics.feedFailures.inc({ feed }, failures);
}

function collectMarket(metrics: Declared, view: MarketView): void {
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
  collectUptime(metrics, view);
  if (view.pnlUsdc !== undefined) metrics.marketPnl.set({ market }, Number(view.pnlUsdc));
  metrics.bookUpdates.inc({ market }, view.bookUpdates);
}

function collectQuotes(
  metrics: Declared,
  labels: { readonly market: string; readonly side: 'bid' | 'ask' },
  quotes: readonly QuoteView[],
): void {
  metrics.quoteOrders.set(labels, quotes.length);
  metrics.quoteShares.set(
    labels,
    quotes.reduce((sum, quote) => sum + Number(quote.quantity), 0),
  );
  const best = quotes[0];
  if (best !== undefined) metrics.quotePrice.set(labels, Number(best.price));
}

function collectInventory(metrics: Declared, view: MarketView): void {
  const yes = { market: view.marketId, token: view.yesTokenId, outcome: 'yes' };
  const no = { market: view.marketId, token: view.noTokenId, outcome: 'no' };
  metrics.inventory.set(yes, Number(view.positionYes));
  metrics.inventory.set(no, Number(view.positionNo));
  metrics.settled.set(yes, Number(view.settledYes));
  metrics.settled.set(no, Number(view.settledNo));
}

/** Sets are worth a dollar each; of a claim only the winning shares are. */
function collectSets({ freeSets, claims }: Declared, view: MarketView): void {
  if (view.sets === undefined) return;
  const market = view.marketId;
  freeSets.set({ market }, Number(view.sets.free));
  const { claim } = view.sets;
  if (claim === undefined) return;
  claims.set({ market, outcome: 'yes' }, Number(claim.yes));
  claims.set({ market, outcome: 'no' }, Number(claim.no));
}

function collectReasons(
  metrics: Declared,
  at: { readonly market: MarketView; readonly view: StateView; readonly reasons: LabelSet },
): void {
  const market = at.market.marketId;
  const set = (side: 'bid' | 'ask', reason: Reason | undefined): void => {
    const ageSec = reason === undefined ? 0 : (at.view.atMs - reason.sinceMs) / 1_000;
    metrics.unquotedSec.set({ market, side }, ageSec);
    if (reason === undefined) return;
    metrics.unquoted.set({ market, side, reason: at.reasons.label(reason.code) }, 1);
  };
  set('bid', at.market.bidReason);
  set('ask', at.market.askReason);
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

function declared(registry: Registry) {
  return {
    ...accountMetrics(registry),
    ...writeMetrics(registry),
    ...marketMetrics(registry),
    ...uptimeMetrics(registry),
    ...mirrorMetrics(registry),
    ...feedMetrics(registry),
    ...setsMetrics(registry),
  };
}

function accountMetrics(registry: Registry) {
  const plain = (name: string, help: string): Gauge =>
    new Gauge({ name, help, registers: [registry] });
  return {
    phase: new Gauge({
      name: 'bookend_phase_info',
      help: '1 for the phase the core is in.',
      labelNames: ['phase'] as const,
      registers: [registry],
    }),
    orders: new Gauge({
      name: 'bookend_own_orders',
      help: 'Own orders by state.',
      labelNames: ['state'] as const,
      registers: [registry],
    }),
    foreign: plain(
      'bookend_foreign_orders',
      "Somebody else's orders on the account, which are left alone.",
    ),
    uncancellable: plain(
      'bookend_uncancellable_orders',
      'Live orders that the venue refuses to cancel: they count everywhere, and rest until they trade.',
    ),
    unwrittenStops: plain(
      'bookend_stops_unwritten',
      'What keeps quotes away (pause, halt, controls that tripped) and is on no disk: a new start would quote.',
    ),
    unlatched: plain(
      'bookend_kill_unlatched_bool',
      '1 while the account is killed and the disk does not take the latch: a new start would quote.',
    ),
    ready: plain('bookend_ready_bool', '1 when quoting is possible.'),
    socket: plain('bookend_socket_open_bool', '1 while the socket is open.'),
    authenticated: plain('bookend_socket_authenticated_bool', '1 while the user channel streams.'),
    clockOffset: plain('bookend_clock_offset_seconds', 'Venue time minus ours.'),
    feedDelay: plain(
      'bookend_feed_delay_seconds',
      'From the answer to a placement until its order shows in the book, a decayed mean.',
    ),
    cash: plain('bookend_cash_usdc', 'Cash of the account.'),
    available: plain('bookend_available_usdc', 'Cash after holds of open orders.'),
    pnl: plain('bookend_pnl_usdc', 'Profit and loss of the session.'),
    worstCase: plain(
      'bookend_worst_case_loss_usdc',
      'Loss in the worst outcome of all that is held and live.',
    ),
    unlisted: plain(
      'bookend_unlisted_markets',
      'Entries of the configuration that are no market of the venue.',
    ),
    writesUsed: plain('bookend_write_budget_used_requests', 'Order writes in the last 10 s.'),
    writesMax: plain('bookend_write_budget_max_requests', 'Order writes allowed in 10 s.'),
  };
}

function feedMetrics(registry: Registry) {
  const registers = [registry];
  return {
    feedState: new Gauge({
      name: 'bookend_feed_state_info',
      help: '1 for the state of a source of external prices.',
      labelNames: ['feed', 'state'] as const,
      registers,
    }),
    feedAge: new Gauge({
      name: 'bookend_feed_age_seconds',
      help: 'Age of the last external price that was taken.',
      labelNames: ['feed'] as const,
      registers,
    }),
    feedValues: new Counter({
      name: 'bookend_feed_values_total',
      help: 'What a source said: taken, refused as no price, or skipped as about something else.',
      labelNames: ['feed', 'result'] as const,
      registers,
    }),
    feedFailures: new Counter({
      name: 'bookend_feed_failures_total',
      help: 'Times a source of external prices could not be read.',
      labelNames: ['feed'] as const,
      registers,
    }),
  };
}

function marketMetrics(registry: Registry) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  return {
    market: gauge('bookend_market_info', 'Always 1; names of the market.', [
      'market',
      'event',
      'title',
      'strategy',
    ]),
    status: gauge('bookend_market_status_info', '1 for the status of the market.', [
      'market',
      'status',
    ]),
    books: gauge('bookend_book_state_info', '1 for the state of trust in a book.', [
      'market',
      'outcome',
      'state',
    ]),
    book: gauge('bookend_book_price_usdc', 'Best price of others on the YES axis.', [
      'market',
      'side',
    ]),
    quotePrice: gauge('bookend_quote_price_usdc', 'Best own live quote on the YES axis.', [
      'market',
      'side',
    ]),
    quoteOrders: gauge('bookend_quote_orders', 'Own live quotes.', ['market', 'side']),
    quoteShares: gauge('bookend_quote_shares', 'Shares in own live quotes.', ['market', 'side']),
    inventory: gauge('bookend_inventory_shares', 'Shares held, matched ones included.', [
      'market',
      'token',
      'outcome',
    ]),
    settled: gauge('bookend_settled_shares', 'Shares held and settled.', [
      'market',
      'token',
      'outcome',
    ]),
    marketPnl: gauge('bookend_market_pnl_usdc', 'Profit and loss of one market.', ['market']),
    unquoted: gauge('bookend_unquoted_info', '1 for the reason why a side is not quoted.', [
      'market',
      'side',
      'reason',
    ]),
    unquotedSec: gauge('bookend_unquoted_seconds', 'How long the reason holds; 0 when quoted.', [
      'market',
      'side',
    ]),
    bookUpdates: new Counter({
      name: 'bookend_book_updates_total',
      help: 'Changes that the mirrors of a market took in.',
      labelNames: ['market'] as const,
      registers,
    }),
  };
}

function mirrorMetrics(registry: Registry) {
  const registers = [registry];
  return {
    mirrored: new Gauge({
      name: 'bookend_mirrored_books',
      help: 'Books of all markets by the state of trust in them.',
      labelNames: ['state'] as const,
      registers,
    }),
    unshown: new Gauge({
      name: 'bookend_unshown_markets',
      help: 'Markets without series of their own: there are too many, and nothing of ours is there.',
      registers,
    }),
  };
}

function setsMetrics(registry: Registry) {
  const registers = [registry];
  return {
    freeSets: new Gauge({
      name: 'bookend_free_sets_usdc',
      help: 'Complete sets that are settled and held by no sell, at 1.00 each.',
      labelNames: ['market'] as const,
      registers,
    }),
    claims: new Gauge({
      name: 'bookend_claimable_shares',
      help: 'Shares of a resolved market that are not redeemed.',
      labelNames: ['market', 'outcome'] as const,
      registers,
    }),
  };
}
