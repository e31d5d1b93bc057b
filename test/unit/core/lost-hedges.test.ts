// Outcomes that made up for one another, and do so no more: what rests beyond a limit then goes.

import { describe, expect, it } from 'vitest';
import type { EngineState } from '../../../src/core/engine.ts';
import { lostHedges } from '../../../src/core/quoting/preview/preview-outlook.ts';
import { beyondLimits } from '../../../src/core/risk/beyond-limits.ts';
import { sumUpRisk } from '../../../src/core/risk/divergence.ts';
import type { MarketState } from '../../../src/core/sending/market.ts';
import { alignMarkets, dropLeftMarkets } from '../../../src/core/session/catalogue.ts';
import { marketId } from '../../../src/domain/ids.ts';
import type { CoreSettings, MarketChoice } from '../../../src/domain/input.ts';
import { NO_SHARES, shares } from '../../../src/domain/shares.ts';
import {
  buying,
  EXCLUSIVE,
  exclusive,
  market,
  marketOf,
  placed,
} from '../../support/exclusive-event.ts';

/** The limit is 20 USDC. */
function beyond(stores: EngineState): readonly (readonly [string, string])[] {
  sumUpRisk(stores);
  alignMarkets(stores);
  if (dropLeftMarkets(stores)) alignMarkets(stores);
  if (stores.lowered === undefined || stores.settings === undefined) return [];
  const found = beyondLimits(stores, stores.settings);
  return [...found].map(([order, limit]) => [order.marketId, limit]);
}

/** Sells of YES at 0.90, of which each loses 10 where its market comes true, and one of them does. */
function selling(): EngineState {
  const stores = exclusive();
  for (const at of [0, 1, 2]) placed(stores, at, buying('no', 10), 'that it rests');
  return stores;
}

/** Buys of YES at 0.10: two of the three lose theirs, and the third one wins. */
function bidding(): EngineState {
  const stores = exclusive();
  for (const at of [0, 1, 2]) placed(stores, at, buying('yes', 10), 'that it rests');
  return stores;
}

/** 100 NO of one market that cost 15, and gain 85 where one of the two comes true in which sells rest. */
function holding(): EngineState {
  const stores = exclusive();
  for (const at of [0, 2]) placed(stores, at, buying('no', 10), 'that it rests');
  const held = marketOf(stores, 1);
  const bought = {
    confirmed: shares(100),
    pending: [],
    uncertain: [],
    unreported: [],
    shown: [],
    changedAtMs: undefined,
  };
  stores.positions.restore([{ tokenId: held.tokenOf('no'), ...bought }]);
  Object.assign(held.flows, {
    start: { yes: NO_SHARES, no: NO_SHARES },
    cashNano: -15e9,
    fills: 1,
  });
  return stores;
}

const BOTH = [
  ['m-0', 'max_loss_usdc'],
  ['m-2', 'max_loss_usdc'],
];

function withSettings(
  stores: EngineState,
  change: (settings: CoreSettings) => CoreSettings,
): EngineState {
  if (stores.settings !== undefined) stores.settings = change(stores.settings);
  return stores;
}

/** What a preview of other settings says of the same, before anything is changed. */
function foreseen(stores: EngineState, next: CoreSettings): readonly (readonly [string, string])[] {
  sumUpRisk(stores);
  const choiceOf = ({ market: { id } }: Pick<MarketState, 'market'>) =>
    next.markets.findLast((choice) => choice.market === undefined || choice.market === id);
  const hedges = lostHedges(stores, next, choiceOf);
  if (hedges === undefined) return [];
  return [...beyondLimits(stores, next, hedges)].map(([order, limit]) => [order.marketId, limit]);
}

describe('a preview of settings under which a hedge is lost', () => {
  const only = (...at: readonly number[]) => at.map((each) => marketId(`m-${each}`));
  const scenes = {
    'no outcome is said to be the only one': {
      stores: selling,
      change: (choice: MarketChoice) => [{ ...choice, isExclusive: false }],
    },
    'an outcome that is held is taken out': {
      stores: holding,
      change: (choice: MarketChoice) => only(0, 2).map((market) => ({ ...choice, market })),
    },
    'nothing of that changes': {
      stores: selling,
      change: (choice: MarketChoice) => [{ ...choice }],
    },
  };

  it.each(Object.entries(scenes))(
    'foresees what then goes, where %s',
    (_name, { stores, change }) => {
      const settings = stores().settings;
      const [choice] = settings?.markets ?? [];
      if (settings === undefined || choice === undefined) throw new Error('something is quoted');
      const next = { ...settings, markets: change(choice) };
      const before = stores();
      expect(foreseen(before, next)).toEqual(beyond(withSettings(stores(), () => next)));
      expect(before.risk.lossNano).toBe(summed(stores()).risk.lossNano);
    },
  );

  it('foresees it, too, where an outcome is added of which nobody says that just one comes true', () => {
    const stores = withSettings(exclusive(), (settings) => ({
      ...settings,
      markets: settings.markets.flatMap((choice) =>
        only(0, 1).map((market) => ({ ...choice, market })),
      ),
    }));
    alignMarkets(stores);
    dropLeftMarkets(stores);
    for (const at of [0, 1]) placed(stores, at, buying('no', 11), 'that it rests');
    const { settings } = stores;
    const [choice] = settings?.markets ?? [];
    if (settings === undefined || choice === undefined) throw new Error('something is quoted');
    const apart = { ...choice, market: marketId('m-2'), isExclusive: false };
    const next = { ...settings, markets: [...settings.markets, apart] };
    expect(foreseen(stores, next)).toEqual([['m-1', 'max_loss_usdc']]);
  });
});

function summed(stores: EngineState): EngineState {
  sumUpRisk(stores);
  return stores;
}

describe('what rests across an exclusive event', () => {
  it('goes as far as it is beyond a limit when the settings say no more that one outcome comes true', () => {
    const stores = withSettings(selling(), (settings) => ({
      ...settings,
      markets: settings.markets.map((choice) => ({ ...choice, isExclusive: false })),
    }));
    expect(beyond(stores)).toEqual([['m-2', 'max_loss_usdc']]);
  });

  it('goes as far when the venue lists another outcome that may come true instead', () => {
    const stores = bidding();
    stores.catalogue = [{ ...EXCLUSIVE, markets: [...EXCLUSIVE.markets, market(3)] }];
    expect(beyond(stores)).toEqual([['m-2', 'max_loss_usdc']]);
  });

  it('goes as far when an outcome that is held is taken out of the settings', () => {
    const stores = withSettings(holding(), (settings) => ({
      ...settings,
      markets: settings.markets.flatMap((choice) =>
        [0, 2].map((at) => ({ ...choice, market: marketId(`m-${at}`) })),
      ),
    }));
    expect(beyond(stores)).toEqual(BOTH);
  });

  it('goes as far when the venue lists an outcome that is held no more', () => {
    const stores = holding();
    stores.catalogue = [{ ...EXCLUSIVE, markets: [market(0), market(2)] }];
    expect(beyond(stores)).toEqual(BOTH);
  });

  it('goes as far when an outcome is added of which nobody says that just one comes true', () => {
    const stores = exclusive();
    for (const at of [0, 1]) placed(stores, at, buying('no', 11), 'that it rests');
    const [choice] = stores.settings?.markets ?? [];
    if (choice === undefined) throw new Error('something is quoted');
    const chosen = (...added: readonly MarketChoice[]) =>
      withSettings(stores, (settings) => ({
        ...settings,
        markets: [...[0, 1].map((at) => ({ ...choice, market: marketId(`m-${at}`) })), ...added],
      }));
    expect(beyond(chosen())).toEqual([]);
    stores.lowered = undefined;
    const apart = { ...choice, market: marketId('m-2'), isExclusive: false };
    expect(beyond(chosen(apart))).toEqual([['m-1', 'max_loss_usdc']]);
  });

  it('stays where nothing of that has changed', () => {
    const stores = withSettings(selling(), (settings) => ({
      ...settings,
      markets: settings.markets.map((choice) => ({ ...choice })),
    }));
    expect(beyond(stores)).toEqual([]);
    expect(stores.lowered).toBeUndefined();
  });
});
