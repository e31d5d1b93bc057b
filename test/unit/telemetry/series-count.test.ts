import { describe, expect, it } from 'vitest';
import { marketId, tokenId } from '../../../src/domain/ids.ts';
import { CONTROL_UNITS, CONTROLS, type RiskView } from '../../../src/domain/risk.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { MarketView, StateView } from '../../../src/domain/view.ts';
import { METRIC_SPECS } from '../../../src/telemetry/metric-table.ts';
import { type Scraped, scraped } from '../../support/scraped.ts';
import { FIGURES, marketView, stateView } from './views.ts';

/** Fifty tokens. */
const MARKETS = Array.from({ length: 25 }, (_, index) => `m${index}`);
const SERIES_MAX = 2_000;
/** What the client asks of a venue while it trades. */
const ENDPOINTS = [
  ...['GET /events/:idOrSlug', 'GET /markets/:id', 'GET /orderbook/:tokenId', 'GET /time'],
  ...['GET /orders', 'GET /orders/:orderHash', 'POST /orders', 'POST /orders/batch'],
  ...['POST /orders/batch-cancel', 'DELETE /orders', 'GET /portfolio/summary'],
  ...['GET /portfolio/balances', 'GET /portfolio/trades', 'GET /portfolio/positions'],
];
const FRAMES = [
  ...['orderbook.snapshot', 'orderbook.delta', 'trade', 'order.update', 'trade.settled'],
  ...['trade.failed', 'market.status', 'ping', 'auth', 'subscribed', 'error', 'other'],
];

const SIMULATED = {
  ...{ pnlUsdc: '1.25', spreadUsdc: '2', fills: 7, filledShares: '80' },
  ...{ netShares: '12', inventoryRmsShares: '31.4' },
};

/** A market in which nothing is unknown: each series that a market can have is there. */
function full(name: string): MarketView {
  const view = marketView(name);
  const reason = {
    ...{ code: 'position_limit', detail: '500 of 500', sinceMs: unixMs(97_500), clears: 'a sale' },
  };
  const known = { sinceStart: 0.5, lastHour: 0.5, excludedMs: view.uptime.bid.excludedMs };
  return {
    ...view,
    ownAsks: view.ownBids,
    bidReason: reason,
    askReason: reason,
    uptime: { bid: known, ask: known },
    markouts: { after10sUsdc: '0.002', after60sUsdc: '0.001' },
    figures: FIGURES,
    shadow: { params: { levels: 5 }, sinceMs: unixMs(0), live: SIMULATED, shadow: SIMULATED },
    sets: {
      ...{ mode: 'on', free: '3', claim: { yes: '1', no: '1' } },
      ...{ request: undefined, reason: undefined },
    },
  };
}

function riskView(): RiskView {
  const controls = CONTROLS.map((control, index) => ({
    ...{ control, value: '1', limit: '2', level: 'normal' as const },
    unit: CONTROL_UNITS[index % CONTROL_UNITS.length] ?? 'usdc',
  }));
  return { level: 'normal', latches: [], controls };
}

function busyDaemon(): Scraped {
  const view: StateView = {
    ...{ ...stateView(), markets: MARKETS.map(full), risk: riskView(), figures: FIGURES },
  };
  const metrics = scraped({ view: () => view, version: '1.0.0' });
  for (const endpoint of ENDPOINTS) {
    metrics.observer.onRequest({ endpoint, result: 'ok', code: undefined, durationMs: 12 });
  }
  for (const type of FRAMES) metrics.observer.onFrame(type);
  metrics.observer.onLeft('place', 1);
  metrics.observer.onLeft('cancel', 1);
  metrics.onCommit(1, 1);
  metrics.onSync(1);
  for (const { marketId: market, yesTokenId } of view.markets) {
    for (const side of ['BUY', 'SELL'] as const) {
      const order = { tokenId: yesTokenId, side, price: '0.4', quantity: '10' };
      metrics.onReport({ event: 'order.filled', marketId: market, ...order });
    }
  }
  return metrics;
}

const samplesOf = (text: string) => text.split('\n').filter((line) => /^\w/.test(line));

describe('a daemon of fifty tokens', () => {
  it(`has ${SERIES_MAX} series at the most, though each that a market can have is there`, async () => {
    const samples = samplesOf(await busyDaemon().text());
    const ofMarkets = samples.filter((line) => line.includes('market="'));
    expect(samples.length).toBeLessThanOrEqual(SERIES_MAX);
    expect(ofMarkets.length / MARKETS.length).toBeGreaterThan(38);
  });

  it('has a series of every metric of a market', async () => {
    const text = await busyDaemon().text();
    const ofMarket = METRIC_SPECS.filter(({ labels }) => 'market' in labels);
    const absent = ofMarket.filter(({ name }) => !text.includes(`\n${name}{`));
    expect(absent.map(({ name }) => name)).toEqual([]);
  });

  it('has no series more after a day of fills in one market', async () => {
    const metrics = busyDaemon();
    const before = samplesOf(await metrics.text()).length;
    const order = { tokenId: tokenId('0xa1'), side: 'BUY', price: '0.4', quantity: '1' } as const;
    for (let count = 0; count < 1_000; count += 1) {
      metrics.onReport({ event: 'order.filled', marketId: marketId('market-m1'), ...order });
    }
    expect(samplesOf(await metrics.text())).toHaveLength(before);
  });
});

describe('no metric', () => {
  it('is an age: a time is a timestamp, and `time() - x` is right whenever somebody asks', () => {
    const ages = METRIC_SPECS.filter(({ name }) => /_(age|since|ago|elapsed)_/.test(name));
    expect(ages.filter(({ name }) => !name.endsWith('_timestamp_seconds'))).toEqual([]);
    const times = METRIC_SPECS.filter(({ name }) => name.endsWith('_timestamp_seconds'));
    expect(times.length).toBeGreaterThanOrEqual(4);
  });
});
