// Outcomes that made up for one another, and do so no more: what rests beyond a limit then goes.

import { describe, expect, it } from 'vitest';
import { beyondLimits } from '../../../src/core/beyond-limits.ts';
import { alignMarkets } from '../../../src/core/catalogue.ts';
import type { World } from '../../../src/core/world.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import { buying, EXCLUSIVE, exclusive, market, placed } from '../../support/exclusive-event.ts';

/** The limit is 20 USDC. */
function beyond(world: World): readonly (readonly [string, string])[] {
  alignMarkets(world);
  if (world.lowered === undefined || world.settings === undefined) return [];
  const found = beyondLimits(world, world.settings);
  return [...found].map(([order, limit]) => [order.marketId, limit]);
}

/** Sells of YES at 0.90, of which each loses 10 where its market comes true, and one of them does. */
function selling(): World {
  const world = exclusive();
  for (const at of [0, 1, 2]) placed(world, at, buying('no', 10), 'that it rests');
  return world;
}

/** Buys of YES at 0.10: two of the three lose theirs, and the third one wins. */
function bidding(): World {
  const world = exclusive();
  for (const at of [0, 1, 2]) placed(world, at, buying('yes', 10), 'that it rests');
  return world;
}

function withSettings(world: World, change: (settings: CoreSettings) => CoreSettings): World {
  if (world.settings !== undefined) world.settings = change(world.settings);
  return world;
}

describe('what rests across an exclusive event', () => {
  it('goes as far as it is beyond a limit when the settings say no more that one outcome comes true', () => {
    const world = withSettings(selling(), (settings) => ({
      ...settings,
      markets: settings.markets.map((choice) => ({ ...choice, isExclusive: false })),
    }));
    expect(beyond(world)).toEqual([['m-2', 'max_loss_usdc']]);
  });

  it('goes as far when the venue lists another outcome that may come true instead', () => {
    const world = bidding();
    world.catalogue = [{ ...EXCLUSIVE, markets: [...EXCLUSIVE.markets, market(3)] }];
    expect(beyond(world)).toEqual([['m-2', 'max_loss_usdc']]);
  });

  it('stays where nothing of that has changed', () => {
    const world = withSettings(selling(), (settings) => ({
      ...settings,
      markets: settings.markets.map((choice) => ({ ...choice })),
    }));
    expect(beyond(world)).toEqual([]);
    expect(world.lowered).toBeUndefined();
  });
});
