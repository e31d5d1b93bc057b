// The crowd's desk when the tick size of an event has changed.

import { describe, expect, it } from 'vitest';
import { shares } from '../../src/domain/shares.ts';
import { type TickSize, tickGrid, ticks } from '../../src/domain/ticks.ts';
import { usdc } from '../../src/domain/usdc.ts';
import { Scene } from './scene.ts';
import { steadyDesk } from './world/steady-desk.ts';

const CENT = tickGrid('0.01');

/** The first market began with ticks of a cent. */
function changedTo(tickSize: TickSize) {
  const { venue, market } = new Scene();
  const desk = steadyDesk(venue.desk, venue.exchange);
  desk.fund('somebody', usdc(1_000));
  desk.mintSets('somebody', market.market.id, shares(100));
  venue.exchange.regrid(market.listed, tickGrid(tickSize));
  const { tokenId } = market.outcome(1);
  const place = (side: 'BUY' | 'SELL', price: number) =>
    desk.place('somebody', {
      ...{ tokenId, side, price: ticks(CENT, price), quantity: shares(20) },
      timeInForce: 'GTC',
    });
  return { desk, venue, tokenId, place };
}

describe('a crowd that counts in the ticks it began with', () => {
  it('quotes at the same price on a finer grid', () => {
    const { venue, tokenId, place } = changedTo('0.001');
    place('BUY', 45);
    expect(venue.desk.best(tokenId, 'bid')).toBe(450);
  });

  it('sees its own level, and what is between two of its ticks on the side that nobody crosses', () => {
    const { desk, venue, tokenId, place } = changedTo('0.001');
    place('BUY', 45);
    const finer = { tokenId, quantity: shares(20), timeInForce: 'GTC' } as const;
    const grid = tickGrid('0.001');
    venue.desk.place('somebody', { ...finer, side: 'SELL', price: ticks(grid, 457) });
    expect(desk.sizeAt(tokenId, 'bid', ticks(CENT, 45))).toBe(shares(20));
    expect([desk.best(tokenId, 'bid'), desk.best(tokenId, 'ask')]).toEqual([45, 45]);
  });

  it('is where it was when the tick size is the one of before', () => {
    const { venue, tokenId, place } = changedTo('0.01');
    place('SELL', 55);
    expect(venue.desk.best(tokenId, 'ask')).toBe(55);
  });
});
