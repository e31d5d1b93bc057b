// The venue says that there were too many writes.

import { expect, it } from 'vitest';
import { EngineDriver } from '../../../support/engine-driver.ts';

it('is told once for all orders of a batch, and again with the next one', () => {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const refusal = {
    code: 'rate_limited',
    message: 'over budget',
    httpStatus: 429,
    retryAfterMs: 1_000,
  } as const;
  const answered: number[] = [];
  driver.run(1_500, () => {
    const { length } = driver.answerPlacements({ kind: 'refused', refusal });
    if (length > 0) answered.push(length);
  });
  expect(answered).toEqual([2, 2]);
  expect(driver.reported('order.refused')).toHaveLength(4);
  const told = driver.reported('venue.rate_limited').map(({ retryAfterMs }) => retryAfterMs);
  expect(told).toEqual([1_000, 1_000]);
});
