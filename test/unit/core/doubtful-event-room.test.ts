// Above a limit, what may not be there in another market of an exclusive event is no room either.

import { expect, it } from 'vitest';
import { RiskPass } from '../../../src/core/risk/risk-pass.ts';
import type { World } from '../../../src/core/world.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { buying, exclusive, GRID, marketOf, placed } from '../../support/exclusive-event.ts';

const asks = (price: number) => buying('no', 100 - price);
const admitAsk = (world: World, at: number, price: number) =>
  new RiskPass(world).admit(marketOf(world, at), asks(price), {
    side: 'ask',
    price: ticks(GRID, price),
  });
const admitBid = (world: World, at: number, price: number) =>
  new RiskPass(world).admit(marketOf(world, at), buying('yes', price), {
    side: 'bid',
    price: ticks(GRID, price),
  });

it('an ask goes that loses less than one that rests in another market, and not beside one without an answer', () => {
  const rests = exclusive();
  placed(rests, 1, asks(52), 'that it rests');
  expect(admitAsk(rests, 0, 57)).toBeUndefined();
  const unsaid = exclusive();
  placed(unsaid, 1, asks(52), 'nothing');
  expect(admitAsk(unsaid, 0, 57)).toBe('max_loss_usdc');
});

it('a bid goes that loses less than an ask of its market that rests, and not beside one without an answer', () => {
  const rests = exclusive();
  placed(rests, 0, asks(52), 'that it rests');
  expect(admitBid(rests, 0, 43)).toBeUndefined();
  const unsaid = exclusive();
  placed(unsaid, 0, asks(52), 'nothing');
  expect(admitBid(unsaid, 0, 43)).toBe('max_loss_usdc');
});

it('an ask goes that loses less than a bid of its market that rests, and not beside one without an answer', () => {
  const rests = exclusive();
  placed(rests, 1, buying('yes', 48), 'that it rests');
  expect(admitAsk(rests, 1, 57)).toBeUndefined();
  const unsaid = exclusive();
  placed(unsaid, 1, buying('yes', 48), 'nothing');
  expect(admitAsk(unsaid, 1, 57)).toBe('max_loss_usdc');
});

it('an order goes beside any that may not be there as long as all together are within the limit', () => {
  const world = exclusive();
  placed(world, 1, asks(90), 'nothing');
  expect(admitAsk(world, 0, 91)).toBeUndefined();
});
