// A market that the venue listed in an event, and lists no more, may come true all the same: the others of
// its event do not make up for one another as if one of them had to.

import { describe, expect, it } from 'vitest';
import { RiskPass, sumUpRisk } from '../../../../src/core/risk/risk-pass.ts';
import { alignMarkets, dropLeftMarkets } from '../../../../src/core/session/catalogue.ts';
import type { World } from '../../../../src/core/world.ts';
import type { Market } from '../../../../src/domain/market.ts';
import { NO_SHARES, shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import {
  buying,
  EXCLUSIVE,
  exclusive,
  GRID,
  market,
  marketOf,
  placed,
} from '../../../support/exclusive-event.ts';

const TWO = [0, 1].map(market);

/** The venue lists these markets of the event, or nothing of it at all. */
function list(world: World, markets: readonly Market[] | undefined): void {
  world.catalogue = markets === undefined ? [] : [{ ...EXCLUSIVE, markets }];
  alignMarkets(world);
  if (dropLeftMarkets(world)) alignMarkets(world);
  sumUpRisk(world);
}

/** 100 YES at 0.19 each; 20 may be lost. */
function bought(world: World, ...at: readonly number[]): readonly (string | undefined)[] {
  return at.map((each) => {
    const order = buying('yes', 19);
    const limit = new RiskPass(world).admit(marketOf(world, each), order, {
      side: 'bid',
      price: ticks(GRID, 19),
    });
    if (limit === undefined) placed(world, each, order, 'that it rests');
    return limit;
  });
}

/** 38 are lost where the third one comes true. */
const MAY_COME = [undefined, 'max_loss_usdc'];

describe('an outcome that is listed no more', () => {
  it('counts as one that may come true', () => {
    const world = exclusive();
    list(world, TWO);
    expect(bought(world, 0, 1)).toEqual(MAY_COME);
  });

  it('and so it does after any number of lists, and after one without the event', () => {
    const world = exclusive();
    list(world, TWO);
    list(world, TWO);
    list(world, undefined);
    list(world, TWO);
    expect(bought(world, 0, 1)).toEqual(MAY_COME);
  });

  it('where it was closed, too', () => {
    const world = exclusive();
    list(world, [...TWO, { ...market(2), status: 'closed' }]);
    list(world, TWO);
    expect(bought(world, 0, 1)).toEqual(MAY_COME);
  });

  it('is one of the event again once it is listed again', () => {
    const world = exclusive({ ...EXCLUSIVE, markets: TWO });
    list(world, [market(0)]);
    list(world, TWO);
    expect(bought(world, 0, 1)).toEqual([undefined, undefined]);
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
    const world = exclusive();
    const { settings } = world;
    if (settings === undefined) throw new Error('something is quoted');
    const risk = { ...settings.risk, maxLossUsdc: 1_000, maxEventLossUsdc: 20 };
    world.settings = { ...settings, risk };
    const held = marketOf(world, 2);
    const position = {
      confirmed: shares(100),
      pending: [],
      uncertain: [],
      unreported: [],
      shown: [],
      changedAtMs: undefined,
    };
    world.positions.restore([{ tokenId: held.tokenOf('yes'), ...position }]);
    const start = { yes: NO_SHARES, no: NO_SHARES };
    Object.assign(held.flows, { start, cashNano: -15e9, fills: 1 });
    world.workQueue.onTouched(held);
    sumUpRisk(world);
    list(world, TWO);
    expect(bought(world, 0)).toEqual(['max_event_loss_usdc']);
  });
});
