import { describe, expect, it } from 'vitest';
import type { RiskView } from '../../../src/domain/risk.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { type Scraped, scraped } from '../../support/scraped.ts';
import { stateView } from './views.ts';

const RISK: RiskView = {
  level: 'reduce-only',
  latches: [
    {
      owner: 'automatic:day_loss',
      scope: 'account',
      level: 'reduce-only',
      detail: 'x',
      sinceMs: unixMs(1),
      clears: 'y',
    },
  ],
  controls: [
    { control: 'day_loss', value: '30', limit: '20', unit: 'usdc', level: 'reduce-only' },
    { control: 'clock_offset', value: undefined, limit: '20', unit: 'seconds', level: 'normal' },
  ],
};

async function seriesOf(metrics: Scraped, name: string): Promise<number | undefined> {
  const line = (await metrics.text()).split('\n').find((text) => text.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

describe('the numbers of limits and controls', () => {
  const metrics = scraped({ view: () => ({ ...stateView(), risk: RISK }), version: '1' });

  it.each([
    ['bookend_risk_level_info{level="reduce-only"}', 1],
    ['bookend_risk_level_info{level="normal"}', 0],
    ['bookend_risk_latches', 1],
    ['bookend_control_usdc{control="day_loss",bound="value"}', 30],
    ['bookend_control_usdc{control="day_loss",bound="limit"}', 20],
    ['bookend_control_used_ratio{control="day_loss"}', 1.5],
    ['bookend_control_level_info{control="day_loss",level="reduce-only"}', 1],
    ['bookend_control_seconds{control="clock_offset",bound="limit"}', 20],
    // What is not known has no series.
    ['bookend_control_seconds{control="clock_offset",bound="value"}', undefined],
    ['bookend_control_used_ratio{control="clock_offset"}', undefined],
    ['bookend_control_trips_total{control="drawdown"}', 0],
  ])('%s is %d', async (name, value) => {
    expect(await seriesOf(metrics, name)).toBe(value);
  });

  it('count trips', async () => {
    const counted = scraped({ view: stateView, version: '1' });
    counted.onReport({
      event: 'control.tripped',
      control: 'drawdown',
      marketId: undefined,
      raisedTo: 'killed',
      detail: 'x',
      clears: 'y',
    });
    expect(await seriesOf(counted, 'bookend_control_trips_total{control="drawdown"}')).toBe(1);
  });
});

describe('a control that holds trading back', () => {
  const latch = {
    scope: 'm1',
    level: 'cancel',
    detail: 'x',
    sinceMs: unixMs(1),
    clears: 'y',
  } as const;
  const controls = [
    { control: 'fill_burst', value: '1', limit: '500', unit: 'fills', level: 'normal' },
  ] as const;
  const ofLatches = (...latches: RiskView['latches']): Scraped => {
    const risk: RiskView = { level: 'normal', latches, controls };
    return scraped({ view: () => ({ ...stateView(), risk }), version: '1' });
  };

  it('has its level where no number of it is shown', async () => {
    const metrics = ofLatches({ ...latch, owner: 'automatic:account_refused', level: 'killed' });
    const text = await metrics.text();
    expect(text).toContain(
      'bookend_control_level_info{control="account_refused",level="killed"} 1',
    );
    expect(text).toContain('bookend_control_level_info{control="fill_burst",level="normal"} 1');
  });

  it('has the hardest level that it holds anywhere, and no other', async () => {
    const owner = 'automatic:repeated_refusals';
    const metrics = ofLatches(
      { ...latch, owner },
      { ...latch, owner, scope: 'm2', level: 'reduce-only' },
      { ...latch, owner, scope: 'm3', level: 'widen' },
      { ...latch, owner: 'operator', scope: 'account' },
    );
    const levels = (await metrics.text())
      .split('\n')
      .filter((line) => /^bookend_control_level_info.*"(repeated_refusals|operator)"/.test(line));
    expect(levels).toEqual([
      'bookend_control_level_info{control="repeated_refusals",level="reduce-only"} 1',
    ]);
  });
});

describe('a control that halts the account at once', () => {
  it.each(['account_conflict', 'max_loss_usdc'])(
    '%s counts its trip all the same',
    async (limit) => {
      const counted = scraped({ view: stateView, version: '1' });
      counted.onReport({ event: 'risk.halted', limit, detail: 'x' });
      expect(await seriesOf(counted, `bookend_control_trips_total{control="${limit}"}`)).toBe(1);
    },
  );

  it('and one that trips in flight there counts once', async () => {
    const counted = scraped({ view: stateView, version: '1' });
    const tripped = { control: 'drawdown', marketId: undefined, raisedTo: 'killed' } as const;
    counted.onReport({ event: 'control.tripped', ...tripped, detail: 'x', clears: 'y' });
    counted.onReport({ event: 'risk.halted', limit: 'drawdown', detail: 'x' });
    expect(await seriesOf(counted, 'bookend_control_trips_total{control="drawdown"}')).toBe(1);
  });
});

describe('the numbers of the ledger', () => {
  it('tell how long a durable write took, and of how many records', async () => {
    const metrics = scraped({ view: () => undefined, version: '1' });
    metrics.onCommit(4, 3);
    metrics.onCommit(400, 2);
    expect(await seriesOf(metrics, 'bookend_ledger_commit_seconds_bucket{le="0.005"}')).toBe(1);
    expect(await seriesOf(metrics, 'bookend_ledger_commit_seconds_count')).toBe(2);
    expect(await seriesOf(metrics, 'bookend_ledger_records_total')).toBe(5);
  });
});
