// A market that is quoted no more with shares of it may lose what they cost, and its event with it.

import { describe, expect, it } from 'vitest';
import type { EngineState } from '../../../../src/core/engine.ts';
import { sumUpRisk } from '../../../../src/core/risk/divergence.ts';
import { alignMarkets, dropLeftMarkets } from '../../../../src/core/session/catalogue.ts';
import { marketId } from '../../../../src/domain/ids.ts';
import { NO_SHARES, shares } from '../../../../src/domain/shares.ts';
import { exclusive, limitOf, marketOf } from '../../../support/exclusive-event.ts';

/** Quotes these markets of the event, of which 20 may be lost. */
function quote(stores: EngineState, isExclusive: boolean, ...at: readonly number[]): void {
  const { settings } = stores;
  const [choice] = settings?.markets ?? [];
  if (settings === undefined || choice === undefined) throw new Error('something is quoted');
  stores.settings = {
    ...settings,
    risk: { ...settings.risk, maxLossUsdc: 1_000, maxEventLossUsdc: 20 },
    markets: at.map((each) => ({ ...choice, isExclusive, market: marketId(`m-${each}`) })),
  };
  alignMarkets(stores);
  dropLeftMarkets(stores);
  sumUpRisk(stores);
}

/** 100 YES of the second market that cost 15. */
function hold(stores: EngineState): void {
  const held = marketOf(stores, 1);
  const bought = {
    confirmed: shares(100),
    pending: [],
    uncertain: [],
    unreported: [],
    shown: [],
    changedAtMs: undefined,
  };
  stores.positions.restore([{ tokenId: held.tokenOf('yes'), ...bought }]);
  const start = { yes: NO_SHARES, no: NO_SHARES };
  Object.assign(held.flows, { start, cashNano: -15e9, fills: 1 });
  stores.workQueue.onTouched(held);
  sumUpRisk(stores);
}

describe.each([false, true])('the limit of an event (of one outcome: %s)', (isExclusive) => {
  it('counts what a market may lose that was taken out of the settings', () => {
    const stores = exclusive();
    quote(stores, isExclusive, 0, 1);
    hold(stores);
    expect(limitOf(stores, 0, 6)).toBe('max_event_loss_usdc');
    quote(stores, isExclusive, 0);
    expect(stores.markets.size).toBe(1);
    expect(limitOf(stores, 0, 6)).toBe('max_event_loss_usdc');
    expect(limitOf(stores, 0, 4)).toBeUndefined();
  });

  it('shows it', () => {
    const stores = exclusive();
    quote(stores, isExclusive, 0, 1);
    hold(stores);
    quote(stores, isExclusive, 0);
    expect(stores.risk.largest().eventLossNano).toBe(15e9);
  });
});
