// The venue may give an event another id: what its markets risk is counted on.

import { describe, expect, it } from 'vitest';
import type { EngineState } from '../../../../src/core/engine.ts';
import { sumUpRisk } from '../../../../src/core/risk/divergence.ts';
import { alignMarkets } from '../../../../src/core/session/catalogue.ts';
import { eventId } from '../../../../src/domain/ids.ts';
import { buying, EXCLUSIVE, exclusive, limitOf, placed } from '../../../support/exclusive-event.ts';

function choose(stores: EngineState, isExclusive: boolean): void {
  const { settings } = stores;
  if (settings === undefined) throw new Error('settings are known');
  stores.settings = {
    ...settings,
    markets: settings.markets.map((each) => ({ ...each, isExclusive })),
  };
  alignMarkets(stores);
  sumUpRisk(stores);
}

describe.each([false, true])('an event of another id (of one outcome: %s)', (isExclusive) => {
  it('is held to the limits of losses as before', () => {
    const stores = exclusive();
    choose(stores, isExclusive);
    expect(limitOf(stores, 0, 25)).toBe('max_loss_usdc');
    stores.catalogue = [{ ...EXCLUSIVE, id: eventId('e-2') }];
    alignMarkets(stores);
    sumUpRisk(stores);
    expect(limitOf(stores, 0, 25)).toBe('max_loss_usdc');
    placed(stores, 0, buying('yes', 15), 'rests');
    sumUpRisk(stores);
    expect(limitOf(stores, 1, 8)).toBe('max_loss_usdc');
    expect(limitOf(stores, 1, 3)).toBeUndefined();
    expect(stores.risk.lossNano).toBe(15e9);
  });
});
