// A market that is quoted no more with shares of it may lose what they cost, and its event with it.

import { describe, expect, it } from 'vitest';
import { RiskPass, sumUpRisk } from '../../../../src/core/risk/risk-pass.ts';
import { alignMarkets, dropLeftMarkets } from '../../../../src/core/session/catalogue.ts';
import type { World } from '../../../../src/core/world.ts';
import { marketId } from '../../../../src/domain/ids.ts';
import { NO_SHARES, shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { buying, exclusive, GRID, marketOf } from '../../../support/exclusive-event.ts';

/** Quotes these markets of the event, of which 20 may be lost. */
function quote(world: World, isExclusive: boolean, ...at: readonly number[]): void {
  const { settings } = world;
  const [choice] = settings?.markets ?? [];
  if (settings === undefined || choice === undefined) throw new Error('something is quoted');
  world.settings = {
    ...settings,
    risk: { ...settings.risk, maxLossUsdc: 1_000, maxEventLossUsdc: 20 },
    markets: at.map((each) => ({ ...choice, isExclusive, market: marketId(`m-${each}`) })),
  };
  alignMarkets(world);
  dropLeftMarkets(world);
  sumUpRisk(world);
}

/** 100 YES of the second market that cost 15. */
function hold(world: World): void {
  const held = marketOf(world, 1);
  const bought = {
    confirmed: shares(100),
    pending: [],
    uncertain: [],
    unreported: [],
    shown: [],
    changedAtMs: undefined,
  };
  world.positions.restore([{ tokenId: held.tokenOf('yes'), ...bought }]);
  const start = { yes: NO_SHARES, no: NO_SHARES };
  Object.assign(held.flows, { start, cashNano: -15e9, fills: 1 });
  world.workQueue.onTouched(held);
  sumUpRisk(world);
}

const limitOf = (world: World, price: number) =>
  new RiskPass(world).admit(marketOf(world, 0), buying('yes', price), {
    side: 'bid',
    price: ticks(GRID, price),
  });

describe.each([false, true])('the limit of an event (of one outcome: %s)', (isExclusive) => {
  it('counts what a market may lose that was taken out of the settings', () => {
    const world = exclusive();
    quote(world, isExclusive, 0, 1);
    hold(world);
    expect(limitOf(world, 6)).toBe('max_event_loss_usdc');
    quote(world, isExclusive, 0);
    expect(world.markets.size).toBe(1);
    expect(limitOf(world, 6)).toBe('max_event_loss_usdc');
    expect(limitOf(world, 4)).toBeUndefined();
  });

  it('shows it', () => {
    const world = exclusive();
    quote(world, isExclusive, 0, 1);
    hold(world);
    quote(world, isExclusive, 0);
    expect(world.risk.largest().eventLossNano).toBe(15e9);
  });
});
