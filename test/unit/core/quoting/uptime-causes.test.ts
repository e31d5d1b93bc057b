import { describe, expect, it } from 'vitest';
import { sideStateOf } from '../../../../src/core/quoting/uptime.ts';

const BARE = { isQuoted: false, isWanted: true, isVenueAnswering: true };

describe('what a side counts as in quoting uptime', () => {
  it.each([
    { code: 'in_flight', state: 'bare' },
    { code: 'reconciling', state: 'bare' },
    { code: 'position_uncertain', state: 'bare' },
    { code: 'cash_divergence', state: 'bare' },
    { code: 'clearing', state: 'bare' },
    { code: 'suspect_book', state: 'bare' },
    { code: 'write_budget', state: 'bare' },
    { code: 'rate_limited', state: 'bare' },
    { code: 'service_unavailable', state: 'bare' },
    { code: 'strategy_failed', state: 'bare' },
    { code: 'toxic_flow', state: 'bare' },
    { code: 'max_position_shares', state: 'limit' },
    { code: 'max_open_orders', state: 'limit' },
    { code: 'drawdown', state: 'limit' },
    { code: 'position_limit', state: 'limit' },
    { code: 'halted', state: 'limit' },
    { code: 'paused', state: 'operator' },
    { code: 'killed', state: 'operator' },
    { code: 'stopping', state: 'operator' },
    { code: 'socket_lost', state: 'venue' },
    { code: 'market_paused', state: 'market' },
    { code: 'market_closed', state: 'market' },
  ])('is $state with the reason $code', ({ code, state }) => {
    expect(sideStateOf({ ...BARE, code })).toBe(state);
  });

  it('is quoted while an order rests and nothing binds', () => {
    expect(sideStateOf({ ...BARE, isQuoted: true, code: undefined })).toBe('quoted');
  });

  it('does not count while the strategy wants nothing there', () => {
    expect(sideStateOf({ ...BARE, isWanted: false, code: 'no_target' })).toBe('strategy');
  });

  it('does not count while the venue does not answer, whatever rests', () => {
    const look = { ...BARE, isQuoted: true, isVenueAnswering: false, code: undefined };
    expect(sideStateOf(look)).toBe('venue');
  });

  it('does not count in a paused market, whatever rests', () => {
    expect(sideStateOf({ ...BARE, isQuoted: true, code: 'market_paused' })).toBe('market');
  });
});
