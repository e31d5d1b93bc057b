// A venue that takes orders otherwise than they were sent.

import { expect, it } from 'vitest';
import { ticks } from '../../src/domain/ticks.ts';
import type { Random } from '../../src/paper/crowd/random.ts';
import { Scene } from './scene.ts';
import { alterOrders } from './world/alterations.ts';
import { Tally } from './world/tally.ts';

/** Each order is restated: at a better price, or of half as many shares. */
const dice = (isPrice: boolean) => {
  let throws = 0;
  const chance = () => {
    throws += 1;
    return throws % 2 === 1 || isPrice;
  };
  return { chance, whole: (low: number) => low } as unknown as Random;
};

function altering(isPrice: boolean, isStill = false): Scene {
  const scene = new Scene();
  const { exchange } = scene.venue;
  const { account, facts } = scene;
  const parts = { exchange, account, facts, faults: new Tally(), random: dice(isPrice) };
  alterOrders({ ...parts, isStill: () => isStill });
  return scene;
}

it.each([
  [true, { price: 39, quantityMicro: 30_000_000 }],
  [false, { price: 40, quantityMicro: 15_000_000 }],
])('is of the intent that was sent, whatever became of it', (isPrice, { price, quantityMicro }) => {
  const scene = altering(isPrice);
  const fact = scene.facts.find(scene.place('i-1', 40));
  const taken = { price: ticks(scene.market.grid, price), quantityMicro };
  expect(fact?.order.terms).toMatchObject(taken);
  expect(fact).toMatchObject({ owner: 'intent', intentId: 'i-1' });
  expect(scene.broken).not.toContain('no_intent');
});

it('leaves alone what somebody places by hand', () => {
  const scene = altering(true);
  const fact = scene.facts.find(scene.placeByHand(40));
  expect(fact?.order.terms.price).toBe(40);
});

it('takes everything as it was sent once the run stands still', () => {
  const scene = altering(true, true);
  expect(scene.facts.find(scene.place('i-1', 40))?.order.terms.price).toBe(40);
});
