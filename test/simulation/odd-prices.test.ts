// Orders by hand between two ticks: the venue shows their price wherever it names them.

import { expect, it } from 'vitest';
import { OddPrices } from './world/odd-prices.ts';

const answer = (...orders: readonly object[]) => ({
  ...{ status: 200, headers: {} },
  body: JSON.stringify({ success: true, data: orders }),
});
const MINE = { orderHash: '0x1', price: '0.35', quantity: '10' };
const ODD = { orderHash: '0x2', price: '0.41', quantity: '10' };

function oddPrices(): OddPrices {
  const prices = new OddPrices();
  prices.add('0x2', 0.407);
  return prices;
}

it('is what a list of open orders shows, as text or as a number, of no other order', () => {
  const prices = oddPrices();
  const { body } = prices.answerTo('GET', '/api/orders', answer(MINE, ODD));
  expect(JSON.parse(body).data).toEqual([MINE, { ...ODD, price: '0.407' }]);
  const numbers = prices.answerTo('GET', '/api/orders?page=1', answer({ ...ODD, price: 0.41 }));
  expect(JSON.parse(numbers.body).data).toEqual([{ ...ODD, price: 0.407 }]);
});

it('is what an update of the order says, and no other frame or answer is touched', () => {
  const prices = oddPrices();
  const frame = JSON.stringify({ type: 'order.update', data: ODD });
  expect(JSON.parse(prices.inFrame(frame)).data.price).toBe('0.407');
  const other = JSON.stringify({ type: 'position.update', data: ODD });
  expect(prices.inFrame(other)).toBe(other);
  const asked = answer(ODD);
  expect(prices.answerTo('POST', '/api/orders', asked)).toBe(asked);
});
