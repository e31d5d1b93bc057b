import { describe, expect, it } from 'vitest';
import { marketId, orderHash, tokenId } from '../../../src/domain/ids.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { MarketView, StateView } from '../../../src/domain/view.ts';
import { type Scraped, scraped } from '../../support/scraped.ts';
import { marketView, stateView } from './views.ts';

function metricsOf(view: () => StateView | undefined = () => undefined): Scraped {
  return scraped({ view, version: '1.2.3', dropped: { log: () => 5 } });
}

/** Value of one series in the text form, `undefined` when there is none. */
async function series(metrics: Scraped, name: string): Promise<number | undefined> {
  const lines = (await metrics.text()).split('\n');
  const line = lines.find((text) => text.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

function fill(market: string, quantity: string): Report {
  return {
    event: 'order.filled',
    marketId: marketId(market),
    tokenId: tokenId('0xab'),
    side: 'BUY',
    price: '0.4',
    quantity,
  };
}

describe('series of many markets', () => {
  const never = {
    sinceStart: undefined,
    lastHour: undefined,
    excludedMs: { strategy: 0, limit: 0, operator: 0, venue: 0, market: 0 },
  };
  const idle = (name: string) => ({
    ...marketView(name),
    ownBids: [],
    uptime: { bid: never, ask: never },
    positionYes: '0',
    fills: 0,
  });
  const many = Array.from({ length: 4_999 }, (_, index) => idle(`${index}`));
  const doubtful = { ...idle('doubtful'), bookStates: { yes: 'trusted', no: 'suspect' } };
  const markets = [...many, doubtful, marketView('quoted')];
  const text = () => metricsOf(() => ({ ...stateView(), markets })).text();

  it('are those of five hundred, the ones with something of ours first', async () => {
    const written = await text();
    const infos = written.split('\n').filter((line) => line.startsWith('bookend_market_info{'));
    expect(infos).toHaveLength(500);
    expect(infos[0]).toContain('"market-quoted"');
    expect(infos[1]).toContain('"market-doubtful"');
    expect(written).toContain('\nbookend_unshown_markets 4501\n');
  });

  it('leave no book out of the count of all of them', async () => {
    const metrics = metricsOf(() => ({ ...stateView(), markets }));
    expect(await series(metrics, 'bookend_mirrored_books{state="trusted"}')).toBe(10_001);
    expect(await series(metrics, 'bookend_mirrored_books{state="dead"}')).toBe(0);
  });
});

describe('gauges of the state', () => {
  it.each([
    ['bookend_phase_info{phase="quoting"}', 1],
    ['bookend_phase_info{phase="halted"}', 0],
    ['bookend_ready_bool', 1],
    ['bookend_socket_open_bool', 1],
    ['bookend_clock_offset_seconds', -0.25],
    ['bookend_own_orders{state="resting"}', 2],
    ['bookend_unknown_orders', 0],
    ['bookend_cash_usdc', 9_876.543211],
    ['bookend_pnl_usdc', -1.25],
    ['bookend_worst_case_loss_usdc', 88.5],
    ['bookend_write_budget_used_requests', 12],
    ['bookend_write_budget_max_requests', 240],
    ['bookend_quote_price_usdc{market="market-rain",side="bid"}', 0.47],
    ['bookend_quote_orders{market="market-rain",side="bid"}', 2],
    ['bookend_quote_shares{market="market-rain",side="bid"}', 62.5],
    ['bookend_quote_price_usdc{market="market-rain",side="ask"}', undefined],
    ['bookend_quote_orders{market="market-rain",side="ask"}', 0],
    ['bookend_book_price_usdc{market="market-rain",side="ask"}', 0.52],
    ['bookend_inventory_shares{market="market-rain",token="0xa7261696e",outcome="yes"}', 120.5],
    ['bookend_settled_shares{market="market-rain",token="0xa7261696e",outcome="yes"}', 100],
    ['bookend_market_pnl_usdc{market="market-rain"}', -1.25],
    ['bookend_book_updates_total{market="market-rain"}', 321],
    ['bookend_quoting_uptime_ratio{market="market-rain",side="bid",window="start"}', 0.75],
    ['bookend_quoting_uptime_ratio{market="market-rain",side="bid",window="hour"}', 0.5],
    ['bookend_quoting_uptime_excluded_seconds{cause="venue"}', 12.5],
    ['bookend_unquoted_info{market="market-rain",side="ask",reason="position_limit"}', 1],
    ['bookend_unquoted_since_timestamp_seconds{market="market-rain",side="ask"}', 97.5],
    ['bookend_unquoted_since_timestamp_seconds{market="market-rain",side="bid"}', undefined],
    ['bookend_state_timestamp_seconds', 100],
    ['bookend_quote_sent_timestamp_seconds{market="market-rain",side="bid"}', 40],
    ['bookend_quote_sent_timestamp_seconds{market="market-rain",side="ask"}', undefined],
    ['bookend_spread_earned_usdc{market="market-rain"}', 3.5],
    ['bookend_markout_usdc{market="market-rain",horizon="10s"}', 0.002],
    ['bookend_markout_usdc{market="market-rain",horizon="60s"}', undefined],
    ['bookend_feed_state_info{feed="odds",state="ok"}', 1],
    ['bookend_feed_state_info{feed="odds",state="down"}', 0],
    ['bookend_feed_price_timestamp_seconds{feed="odds"}', 99.75],
    ['bookend_feed_values_total{feed="odds",result="refused"}', 1],
    ['bookend_feed_failures_total{feed="odds"}', 2],
  ])('%s is %d', async (name, value) => {
    expect(await series(metricsOf(stateView), name)).toBe(value);
  });

  it('have no series for an amount that is not known', async () => {
    const account = { ...stateView().account, cashUsdc: undefined };
    const views = [stateView(), { ...stateView(), account }];
    const metrics = metricsOf(() => views.shift());
    expect(await series(metrics, 'bookend_cash_usdc')).toBe(9_876.543211);
    expect(await series(metrics, 'bookend_cash_usdc')).toBeUndefined();
  });

  it('show complete sets in dollars, and claims only where there are some', async () => {
    const sets = { mode: 'on', free: '60', request: undefined, reason: undefined } as const;
    const rain = { ...marketView('rain'), sets: { ...sets, claim: undefined } };
    const snow = { ...marketView('snow'), sets: { ...sets, claim: { yes: '80', no: '0' } } };
    const metrics = metricsOf(() => ({ ...stateView(), markets: [rain, snow] }));
    expect(await series(metrics, 'bookend_free_sets_usdc{market="market-rain"}')).toBe(60);
    const claim = (market: string) =>
      series(metrics, `bookend_claimable_shares{market="${market}",outcome="yes"}`);
    expect(await claim('market-snow')).toBe(80);
    expect(await claim('market-rain')).toBeUndefined();
  });

  it('say for how long a changed file is refused, and not only when it was', async () => {
    const refusedEdit = { file: 'run.yaml', at: '2026-11-28T03:00:00.000Z', problems: ['a: is 0'] };
    const views = [{ ...stateView(), refusedEdit }, stateView()];
    const metrics = metricsOf(() => views.shift());
    expect(await series(metrics, 'bookend_settings_refused_bool')).toBe(1);
    expect(await series(metrics, 'bookend_settings_refused_bool')).toBe(0);
  });

  it('vanish with their market, and so do its counters', async () => {
    const both = { ...stateView(), markets: [marketView('rain'), marketView('snow')] };
    const views = [both, stateView()];
    const metrics = metricsOf(() => views.shift());
    metrics.onReport(fill('market-rain', '2.5'));
    metrics.onReport(fill('market-snow', '1'));
    expect(await metrics.text()).toContain('market-snow');
    const after = await metrics.text();
    expect(after).not.toContain('market-snow');
    expect(after).toContain('bookend_filled_shares_total{market="market-rain",side="BUY"} 2.5');
  });

  it('stay away while there is no core', async () => {
    const text = await metricsOf().text();
    expect(text).not.toContain('bookend_phase_info{');
    expect(text).toContain('bookend_build_info{version="1.2.3"} 1');
  });

  it('do not take the other numbers with them when the core cannot describe itself', async () => {
    const metrics = metricsOf(() => {
      throw new Error('broken');
    });
    expect(await series(metrics, 'bookend_view_failures_total')).toBe(1);
    expect(await series(metrics, 'bookend_dropped_records_total{queue="log"}')).toBe(5);
  });
});

describe('counters', () => {
  it('add up fills, shares and value by market and side', async () => {
    const metrics = metricsOf(stateView);
    metrics.onReport(fill('market-rain', '2.5'));
    metrics.onReport(fill('market-rain', '10'));
    const labels = '{market="market-rain",side="BUY"}';
    expect(await series(metrics, `bookend_fills_total${labels}`)).toBe(2);
    expect(await series(metrics, `bookend_filled_shares_total${labels}`)).toBe(12.5);
    expect(await series(metrics, `bookend_filled_usdc_total${labels}`)).toBe(5);
  });

  it('count chain actions by what became of them, and people as one', async () => {
    const metrics = metricsOf(stateView);
    const report = {
      event: 'sets.changed',
      id: 'w',
      action: 'merge',
      amount: '60',
      detail: '',
      marketId: marketId('market-rain'),
    } as const;
    metrics.onReport({ ...report, by: 'recycler', state: 'sent' });
    metrics.onReport({ ...report, by: '127.0.0.1', state: 'refused' });
    const count = (labels: string) => series(metrics, `bookend_chain_actions_total{${labels}}`);
    expect(await count('action="merge",by="recycler",state="sent"')).toBe(1);
    expect(await count('action="merge",by="operator",state="refused"')).toBe(1);
  });

  it('count doubts about books by signal, and how and how fast they were resynced', async () => {
    const metrics = metricsOf(stateView);
    const token = tokenId('0xab');
    const doubts = 'bookend_book_doubts_total{signal="audit"}';
    expect(await series(metrics, doubts)).toBe(0);
    metrics.onReport({ event: 'book.doubt', tokenId: token, signal: 'audit', detail: '' });
    const resynced = { signal: 'audit', by: 'snapshot', tookMs: 400, wasRight: true } as const;
    metrics.onReport({ event: 'book.resynced', tokenId: token, ...resynced });
    expect(await series(metrics, doubts)).toBe(1);
    const resyncs = 'bookend_book_resyncs_total{by="snapshot",alarm="false"}';
    expect(await series(metrics, resyncs)).toBe(1);
    const within = 'bookend_book_resync_seconds_bucket{le="0.5"}';
    expect(await series(metrics, within)).toBe(1);
  });

  it('count every report under its event, from zero', async () => {
    const metrics = metricsOf();
    const name = 'bookend_reports_total{event="risk.halted",severity="error"}';
    expect(await series(metrics, name)).toBe(0);
    metrics.onReport({ event: 'risk.halted', limit: 'maxLossUsdc', detail: '' });
    expect(await series(metrics, name)).toBe(1);
  });

  it('tell a kill that leaves what the venue refuses to cancel from any other without confirmation', async () => {
    const metrics = metricsOf();
    const left = (kind: string) =>
      series(metrics, `bookend_unconfirmed_kills_total{left="${kind}"}`);
    expect([await left('open'), await left('uncancellable')]).toEqual([0, 0]);
    const report = {
      event: 'kill.unconfirmed',
      ...{ stillOpen: 1, orderHashes: [orderHash('0x01')], inFlight: [] },
      ...{ settling: 0, unsettled: [], detail: '' },
    } as const;
    metrics.onReport({ ...report, isOnlyParts: true });
    expect([await left('open'), await left('uncancellable')]).toEqual([0, 1]);
    metrics.onReport({ ...report, isOnlyParts: false });
    expect([await left('open'), await left('uncancellable')]).toEqual([1, 1]);
  });

  it('add up the shares that the venue took, beside which those filled are the fill ratio', async () => {
    const metrics = metricsOf();
    const moved = {
      event: 'order.moved',
      orderHash: undefined,
      tokenId: tokenId('0xab'),
      side: 'BUY',
      price: '0.4',
      quantity: '12.5',
      from: 'sending',
    } as const;
    metrics.onReport({ ...moved, to: 'resting', signal: 'ack' });
    metrics.onReport({ ...moved, to: 'refused', signal: 'refusal' });
    expect(await series(metrics, 'bookend_accepted_shares_total')).toBe(12.5);
  });

  it('tell refusals by code and anomalies by state and signal', async () => {
    const metrics = metricsOf();
    metrics.onReport({
      event: 'order.refused',
      tokenId: tokenId('0xab'),
      side: 'SELL',
      price: '0.4',
      quantity: '1',
      code: 'insufficient_shares',
      detail: '',
    });
    metrics.onReport({
      event: 'order.anomaly',
      orderHash: undefined,
      state: 'filled',
      signal: 'open',
      detail: '',
    });
    expect(await series(metrics, 'bookend_order_refusals_total{code="insufficient_shares"}')).toBe(
      1,
    );
    expect(
      await series(metrics, 'bookend_order_anomalies_total{state="filled",signal="open"}'),
    ).toBe(1);
  });

  it('tell what came of reading the settings again', async () => {
    const metrics = metricsOf();
    metrics.onReload('refused');
    expect(await series(metrics, 'bookend_settings_reloads_total{result="refused"}')).toBe(1);
    expect(await series(metrics, 'bookend_settings_reloads_total{result="applied"}')).toBe(0);
  });

  it('observe requests, frames and reconnects of the venue client', async () => {
    const metrics = metricsOf();
    const request = { endpoint: 'POST /orders/batch', durationMs: 30 };
    metrics.observer.onRequest({ ...request, result: 'ok', code: undefined });
    metrics.observer.onRequest({ ...request, result: 'refused', code: 'rate_limited' });
    metrics.observer.onFrame('orderbook.delta');
    metrics.observer.onReconnect('silence');
    metrics.observer.onLeft('cancel', 4);
    expect(await series(metrics, 'bookend_requests_total{result="ok"}')).toBe(1);
    expect(await series(metrics, 'bookend_requests_total{result="unknown"}')).toBe(0);
    expect(await series(metrics, 'bookend_request_refusals_total{code="rate_limited"}')).toBe(1);
    const within =
      'bookend_request_duration_seconds_bucket{le="0.05",endpoint="POST /orders/batch"}';
    expect(await series(metrics, within)).toBe(2);
    const left = 'bookend_decision_to_venue_seconds_bucket{le="0.005",kind="cancel"}';
    expect(await series(metrics, left)).toBe(1);
    expect(await series(metrics, 'bookend_frames_total{type="orderbook.delta"}')).toBe(1);
    expect(await series(metrics, 'bookend_reconnects_total{reason="silence"}')).toBe(1);
  });
});

describe('what a scrape of fifty tokens costs', () => {
  it('is two thousand series at the most, when everything has happened in each market', async () => {
    const markets = Array.from(
      { length: 25 },
      (_, index): MarketView => ({
        ...marketView(`${index}`),
        ownAsks: marketView('x').ownBids,
        markouts: { after10sUsdc: '0.1', after60sUsdc: '0.1' },
        sets: {
          mode: 'on',
          free: '1',
          request: undefined,
          reason: undefined,
          claim: { yes: '1', no: '1' },
        },
        bidReason: marketView('x').askReason,
      }),
    );
    const metrics = metricsOf(() => ({ ...stateView(), markets }));
    for (const { marketId: market } of markets) {
      metrics.onReport(fill(market, '1'));
      metrics.onReport({ ...fill(market, '1'), side: 'SELL' } as Report);
    }
    for (let route = 0; route < 12; route += 1) {
      const request = { endpoint: `GET /${route}`, code: undefined, durationMs: 1 };
      metrics.observer.onRequest({ ...request, result: 'ok' });
    }
    metrics.observer.onLeft('place', 1);
    metrics.observer.onLeft('cancel', 1);
    const lines = (await metrics.text()).split('\n').filter((line) => /^\w/.test(line));
    expect(lines.length).toBeGreaterThan(1_200);
    expect(lines.length).toBeLessThanOrEqual(2_000);
  });
});

describe('labels', () => {
  it('stay a closed set whatever the venue says', async () => {
    const metrics = metricsOf();
    for (let index = 0; index < 1_000; index += 1) {
      metrics.observer.onFrame(`type-${index}`);
      metrics.observer.onRequest({
        endpoint: `GET /x/${index}`,
        result: 'refused',
        code: `code_${index}`,
        durationMs: 1,
      });
    }
    const text = await metrics.text();
    expect(text).toContain('bookend_frames_total{type="other"} 960');
    expect(text.split('\n').length).toBeLessThan(2_000);
  });

  it('never carry an order hash', async () => {
    const metrics = metricsOf(stateView);
    metrics.onReport({
      event: 'order.external',
      orderHash: orderHash('0xdeadbeef'),
      tokenId: tokenId('0xab'),
    });
    expect(await metrics.text()).not.toContain('0xdeadbeef');
  });

  it('and names follow bookend_<noun>_<unit>, counters with _total', async () => {
    const text = await metricsOf(stateView).text();
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    expect(types.length).toBeGreaterThan(30);
    for (const [, name, type] of types) {
      expect(name).toMatch(/^bookend_[a-z0-9_]+$/);
      // The runtime's own gauges keep the names that every dashboard for Node knows.
      if (name?.startsWith('bookend_nodejs_')) continue;
      expect(name?.endsWith('_total')).toBe(type === 'counter');
    }
  });
});
