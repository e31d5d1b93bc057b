// What the daemon really exposes: names and labels of a scrape with something in every series.

import type { EventId, MarketId, OrderHash, TokenId } from '../../src/domain/ids.ts';
import { eventId, marketId, orderHash, tokenId } from '../../src/domain/ids.ts';
import { ORDER_STATES, type OrderState } from '../../src/domain/order.ts';
import { CONTROL_UNITS, type RiskView } from '../../src/domain/risk.ts';
import { unixMs } from '../../src/domain/time.ts';
import type { Reason, StateView } from '../../src/domain/view.ts';
import { scraped } from '../support/scraped.ts';
import { FIGURES } from '../unit/telemetry/views.ts';

/** Labels of each exposed series, by its name. */
export type Exposition = ReadonlyMap<string, ReadonlySet<string>>;

/** Names and labels of a scrape that has seen one of everything. */
export async function exposition(): Promise<Exposition> {
  return parse(await fullScrape());
}

/** What is served before anything has happened. */
export async function firstScrape(): Promise<string> {
  return await scraped({ view, version: '0.1.0' }).text();
}

/** What is served when one of everything has happened. */
export async function fullScrape(): Promise<string> {
  const metrics = scraped({ view, version: '0.1.0' });
  metrics.observer.onRequest({
    endpoint: 'POST /orders',
    result: 'refused',
    code: 'rate_limited',
    durationMs: 12,
  });
  metrics.observer.onLeft('place', 3);
  metrics.observer.onFrame('orderbook.delta');
  metrics.observer.onReconnect('silence');
  report(metrics);
  metrics.onCommit(2, 1);
  metrics.onSync(3);
  return await metrics.text();
}

const EVENT: EventId = eventId('e1');
const MARKET: MarketId = marketId('m1');
const SIMULATED = {
  ...{ pnlUsdc: '1', spreadUsdc: '2', fills: 3, filledShares: '4' },
  ...{ netShares: '5', inventoryRmsShares: '6' },
};
const YES: TokenId = tokenId('0x01');
const NO: TokenId = tokenId('0x02');
const ORDER: OrderHash = orderHash('0x0a');

function report(metrics: ReturnType<typeof scraped>): void {
  const order = { tokenId: YES, side: 'BUY', price: '0.4', quantity: '10' } as const;
  metrics.onReport({ event: 'order.filled', marketId: MARKET, ...order });
  metrics.onReport({ event: 'order.refused', ...order, code: 'invalid_price', detail: 'x' });
  metrics.onReport({ event: 'risk.refused', marketId: MARKET, limit: 'maxLossUsdc', detail: 'x' });
  metrics.onReport({
    ...{ event: 'sets.changed', id: 'w', action: 'merge', by: 'recycler', amount: '1' },
    ...{ marketId: MARKET, state: 'sent', detail: 'x' },
  });
  const doubt = { tokenId: YES, signal: 'audit' } as const;
  metrics.onReport({ event: 'book.doubt', ...doubt, detail: 'x' });
  metrics.onReport({ event: 'book.resynced', ...doubt, by: 'rest', tookMs: 40, wasRight: false });
  metrics.onReport({
    event: 'order.anomaly',
    orderHash: ORDER,
    state: 'resting',
    signal: 'refusal',
    detail: 'x',
  });
}

const REASON: Reason = {
  code: 'book_empty',
  detail: 'nobody quotes',
  sinceMs: unixMs(1_000),
  clears: 'somebody quotes',
};

function view(): StateView {
  const quotes = [{ price: '0.4', quantity: '10', sinceMs: unixMs(1_500) }];
  return {
    atMs: unixMs(2_000),
    settingsVersion: 'abc',
    phase: 'quoting',
    phaseReason: 'x',
    figures: FIGURES,
    markets: [
      {
        eventId: EVENT,
        eventSlug: 'rain',
        marketId: MARKET,
        title: 'Rain?',
        strategy: 'ladder',
        tickSize: '0.01',
        status: 'open',
        yesTokenId: YES,
        noTokenId: NO,
        bookStates: { yes: 'trusted', no: 'trusted' },
        bestBid: '0.4',
        bestAsk: '0.6',
        ownBids: quotes,
        ownAsks: quotes,
        bidReason: REASON,
        askReason: REASON,
        guards: [],
        uptime: {
          bid: {
            sinceStart: 0.5,
            lastHour: 0.5,
            excludedMs: { strategy: 0, limit: 0, operator: 0, venue: 0, market: 0 },
          },
          ask: {
            sinceStart: 0.5,
            lastHour: 0.5,
            excludedMs: { strategy: 0, limit: 0, operator: 0, venue: 0, market: 0 },
          },
        },
        params: { version: 'abc', values: {}, applies: {}, pendingRestart: [] },
        fair: undefined,
        positionYes: '1',
        positionNo: '2',
        settledYes: '1',
        settledNo: '2',
        pnlUsdc: '1.5',
        spreadEarnedUsdc: '2',
        markouts: { after10sUsdc: '0.001', after60sUsdc: '-0.001' },
        figures: FIGURES,
        shadow: { params: { levels: 5 }, sinceMs: unixMs(0), live: SIMULATED, shadow: SIMULATED },
        sets: {
          mode: 'on',
          free: '3',
          claim: { yes: '1', no: '0' },
          request: undefined,
          reason: undefined,
        },
        fills: 1,
        bookUpdates: 2,
      },
    ],
    ordersByState: Object.fromEntries(ORDER_STATES.map((state) => [state, 1])) as Record<
      OrderState,
      number
    >,
    account: { cashUsdc: '1', availableUsdc: '1', pnlUsdc: '1', worstCaseLossUsdc: '1' },
    writes: { usedInWindow: 1, perWindow: 240, placed: { quote: 1 }, waiting: { quote: 1 } },
    connection: { socket: 'open', authenticated: true, clockOffsetMs: 3, feedDelayMs: 20 },
    armed: { fired: 2, right: 1, wrong: 1, placed: 2, unwanted: 1 },
    feeds: [
      {
        name: 'odds',
        event: 'rain',
        market: undefined,
        from: 'odds.json',
        state: 'ok',
        sinceMs: unixMs(1),
        detail: '',
        price: '0.4',
        ageMs: 250,
        counts: { taken: 3, refused: 1, skipped: 0, failures: 2 },
      },
    ],
    guard: {
      run: 2,
      deaths: { signal: 1, exit: 0, failed: 0, silent: 0, starved: 0, refused: 0 },
      suspended: [{ strategy: 'ladder', times: 1, detail: 'x', until: '2026-01-01T00:00:00.000Z' }],
      last: { reason: 'signal', detail: 'SIGKILL', at: '2026-01-01T00:00:00.000Z', clearMs: 20 },
    },
    risk: riskView(),
    notReady: [],
  };
}

function riskView(): RiskView {
  const controls = CONTROL_UNITS.map((unit) => ({
    control: 'day_loss',
    value: '1',
    limit: '2',
    unit,
    level: 'normal' as const,
  }));
  return { level: 'normal', latches: [], controls };
}

/** Prometheus adds `job` and `instance` to every series. */
const SCRAPE_LABELS = ['job', 'instance'];

function parse(text: string): Exposition {
  const labels = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    // A declared metric counts even while it has no sample: garbage may not have been collected.
    const declared = /^# TYPE (\w+) (\w+)/.exec(line);
    if (declared !== null) declare(labels, String(declared[1]), String(declared[2]));
    const sample = /^(\w+)(?:\{(.*)\})? /.exec(line);
    if (sample === null) continue;
    const set = labels.get(String(sample[1])) ?? new Set(SCRAPE_LABELS);
    for (const [, label] of (sample[2] ?? '').matchAll(/(\w+)="/g)) set.add(String(label));
    labels.set(String(sample[1]), set);
  }
  return labels;
}

function declare(labels: Map<string, Set<string>>, name: string, type: string): void {
  const isCompound = type === 'histogram' || type === 'summary';
  const names = isCompound ? [`${name}_sum`, `${name}_count`, `${name}_bucket`] : [name];
  for (const one of names) labels.set(one, labels.get(one) ?? new Set(SCRAPE_LABELS));
}
