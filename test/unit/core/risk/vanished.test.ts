// A market that the venue listed in an event, and lists no more, may come true all the same: the others of
// its event do not make up for one another as if one of them had to.

import { describe, expect, it } from 'vitest';
import type { EngineState } from '../../../../src/core/engine.ts';
import { sumUpRisk } from '../../../../src/core/risk/divergence.ts';
import { alignMarkets, dropLeftMarkets } from '../../../../src/core/session/catalogue.ts';
import type { Market } from '../../../../src/domain/market.ts';
import { NO_SHARES, shares } from '../../../../src/domain/shares.ts';
import {
  buying,
  EXCLUSIVE,
  exclusive,
  limitOf,
  market,
  marketOf,
  placed,
} from '../../../support/exclusive-event.ts';

const TWO = [0, 1].map(market);

/** The venue lists these markets of the event, or nothing of it at all. */
function list(stores: EngineState, markets: readonly Market[] | undefined): void {
  stores.catalogue = markets === undefined ? [] : [{ ...EXCLUSIVE, markets }];
  alignMarkets(stores);
  if (dropLeftMarkets(stores)) alignMarkets(stores);
  sumUpRisk(stores);
}

/** 100 YES at 0.19 each; 20 may be lost. */
function bought(stores: EngineState, ...at: readonly number[]): readonly (string | undefined)[] {
  return at.map((each) => {
    const order = buying('yes', 19);
    const limit = limitOf(stores, each, 19);
    if (limit === undefined) placed(stores, each, order, 'that it rests');
    return limit;
  });
}

/** 38 are lost where the third one comes true. */
const MAY_COME = [undefined, 'max_loss_usdc'];

describe('an outcome that is listed no more', () => {
  it('counts as one that may come true', () => {
    const stores = exclusive();
    list(stores, TWO);
    expect(bought(stores, 0, 1)).toEqual(MAY_COME);
  });

  it('and so it does after any number of lists, and after one without the event', () => {
    const stores = exclusive();
    list(stores, TWO);
    list(stores, TWO);
    list(stores, undefined);
    list(stores, TWO);
    expect(bought(stores, 0, 1)).toEqual(MAY_COME);
  });

  it('where it was closed, too', () => {
    const stores = exclusive();
    list(stores, [...TWO, { ...market(2), status: 'closed' }]);
    list(stores, TWO);
    expect(bought(stores, 0, 1)).toEqual(MAY_COME);
  });

  it('is one of the event again once it is listed again', () => {
    const stores = exclusive({ ...EXCLUSIVE, markets: TWO });
    list(stores, [market(0)]);
    list(stores, TWO);
    expect(bought(stores, 0, 1)).toEqual([undefined, undefined]);
  });

  it('may go once it is resolved, by the list or by the socket', () => {
    const listed = exclusive();
    list(listed, [...TWO, { ...market(2), status: 'resolved' }]);
    list(listed, TWO);
    list(listed, TWO);
    expect(bought(listed, 0, 1)).toEqual([undefined, undefined]);
    const told = exclusive();
    marketOf(told, 2).live.set('resolved', 'a frame', told.nowMs);
    list(told, TWO);
    list(told, TWO);
    expect(bought(told, 0, 1)).toEqual([undefined, undefined]);
  });

  it('counts with what its shares may lose for the limit of its event', () => {
    const stores = exclusive();
    const { settings } = stores;
    if (settings === undefined) throw new Error('something is quoted');
    const risk = { ...settings.risk, maxLossUsdc: 1_000, maxEventLossUsdc: 20 };
    stores.settings = { ...settings, risk };
    const held = marketOf(stores, 2);
    const position = {
      confirmed: shares(100),
      pending: [],
      uncertain: [],
      unreported: [],
      shown: [],
      changedAtMs: undefined,
    };
    stores.positions.restore([{ tokenId: held.tokenOf('yes'), ...position }]);
    const start = { yes: NO_SHARES, no: NO_SHARES };
    Object.assign(held.flows, { start, cashNano: -15e9, fills: 1 });
    stores.workQueue.onTouched(held);
    sumUpRisk(stores);
    list(stores, TWO);
    expect(bought(stores, 0)).toEqual(['max_event_loss_usdc']);
  });
});
