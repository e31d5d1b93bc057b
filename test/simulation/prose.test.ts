// A venue that refuses in prose what it takes.

import { expect, it } from 'vitest';
import { seededRandom } from '../../src/paper/crowd/random.ts';
import { ProseRefusals } from './world/prose.ts';

const ITEMS = 2_000;

function batch(): string {
  const data = Array.from({ length: ITEMS }, (_, index) => ({
    ...{ index, success: true },
    order: { orderHash: `0x${index}` },
  }));
  return JSON.stringify({ success: true, data });
}

const answer = (body: string, status = 200) => ({ status, headers: {}, body });

it('is told which orders it calls refused, and shows no more of them', () => {
  const refused: string[] = [];
  const prose = new ProseRefusals(seededRandom(1), (orderHash) => refused.push(orderHash));
  const { body } = prose.answerTo('/api/orders/batch', answer(batch()));
  const { data } = JSON.parse(body);
  const shown = data.filter((item: { success: boolean }) => !item.success);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(ITEMS / 20);
  expect(shown.map(({ index }: { index: number }) => `0x${index}`)).toEqual(refused);
  expect(shown.every((item: object) => !('order' in item))).toBe(true);
});

it('leaves every other answer as it is', () => {
  const prose = new ProseRefusals(seededRandom(1), () => expect.unreachable());
  expect(prose.answerTo('/api/orders', answer(batch())).body).toBe(batch());
  expect(prose.answerTo('/api/orders/batch', answer(batch(), 503)).body).toBe(batch());
});
