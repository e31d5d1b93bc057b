import { describe, expect, it } from 'vitest';
import { riskLines } from '../../../src/cli/risk-lines.ts';

const latch = {
  owner: 'automatic:day_loss',
  scope: 'account',
  level: 'reduce-only',
  detail: '28.00 USDC lost, 20 allowed',
  sinceMs: 1_000,
  clears: 'ends by itself in 3600 s',
};
const control = { control: 'day_loss', value: '5', limit: '20', unit: 'usdc', level: 'normal' };

describe('the status of limits and controls', () => {
  it('names what holds trading back, who owns it, since when and what clears it', () => {
    const risk = { level: 'reduce-only', latches: [latch], controls: [] };
    expect(riskLines({ atMs: 76_000, risk }, { width: 300 })).toEqual([
      'risk reduce-only on account by automatic:day_loss for 1 min 15 s: ' +
        '28.00 USDC lost, 20 allowed; clears: ends by itself in 3600 s',
    ]);
  });

  it('names limits that are nearly used or tripped, and no others', () => {
    const controls = [
      control,
      { ...control, control: 'drawdown', value: '17.5' },
      { ...control, control: 'order_rate', value: '3', unit: 'orders', level: 'cancel' },
      { ...control, control: 'clock_offset', value: undefined },
    ];
    const risk = { level: 'normal', latches: [], controls };
    expect(riskLines({ atMs: 0, risk }, { width: 300 })).toEqual([
      'limit drawdown: 17.50 of 20.00 usdc',
      'limit order_rate: 3 of 20 orders',
    ]);
  });

  it('says nothing of a daemon that does not tell', () => {
    expect(riskLines({ atMs: 0, risk: undefined }, { width: 300 })).toEqual([]);
  });
});
