// An outcome that the venue lists and nobody could read may come true like any other: the others of its
// event do not make up for one another as if one of them had to.

import { expect, it } from 'vitest';
import type { EngineState } from '../../../../src/core/engine.ts';
import { sumUpRisk } from '../../../../src/core/risk/divergence.ts';
import { alignMarkets, dropLeftMarkets } from '../../../../src/core/session/catalogue.ts';
import type { Event } from '../../../../src/domain/market.ts';
import { parseEvent } from '../../../../src/wire/events.ts';
import { buying, exclusive, limitOf, placed } from '../../../support/exclusive-event.ts';

const wired = (at: number, yes: string | null) => ({
  id: `m-${at}`,
  title: `M${at}`,
  status: 'open',
  outcomes: [
    { id: 'y', name: 'Yes', tokenId: yes, outcomeIndex: 1 },
    { id: 'n', name: 'No', tokenId: `0x${at}0`, outcomeIndex: 0 },
  ],
});

/** Of three markets, the last one with a token or without. */
function listed(lastToken: string | null): Event {
  const markets = [wired(0, '0x01'), wired(1, '0x11'), wired(2, lastToken)];
  return parseEvent({ id: 'e', slug: 'rain', status: 'open', tickSize: '0.01', markets }).event;
}

function align(stores: EngineState, event: Event): void {
  stores.catalogue = [event];
  alignMarkets(stores);
  if (dropLeftMarkets(stores)) alignMarkets(stores);
  sumUpRisk(stores);
}

/** 100 YES of each of the first two at 0.19: 38 are lost where the third one comes true, and 20 are allowed. */
function bothBought(stores: EngineState): readonly (string | undefined)[] {
  return [0, 1].map((at) => {
    const order = buying('yes', 19);
    const limit = limitOf(stores, at, 19);
    if (limit === undefined) placed(stores, at, order, 'that it rests');
    return limit;
  });
}

it('an outcome that could not be read counts as one that may come true', () => {
  const stores = exclusive();
  align(stores, listed(null));
  expect(stores.markets.size).toBe(2);
  expect(bothBought(stores)).toEqual([undefined, 'max_loss_usdc']);
});

it('and so it does in a run that has never read it', () => {
  const stores = exclusive();
  align(stores, { ...listed(null), markets: [] });
  expect(stores.markets.size).toBe(0);
  align(stores, listed(null));
  expect(bothBought(stores)).toEqual([undefined, 'max_loss_usdc']);
});

it('where all could be read, and two are listed, one of the two comes true', () => {
  const { markets, ...event } = listed('0x21');
  const two = { ...event, markets: markets.slice(0, 2) };
  const stores = exclusive(two);
  align(stores, two);
  expect(bothBought(stores)).toEqual([undefined, undefined]);
});
