import { describe, expect, it } from 'vitest';
import { HashMemory } from '../../../../src/core/orders/order-id-cache.ts';
import { type OrderHash, orderHash } from '../../../../src/domain/ids.ts';

const OWN_MAX = 30_000;
const hash = (count: number): OrderHash => orderHash(`0x${count.toString(16).padStart(8, '0')}`);

describe('hashes of own orders that are remembered', () => {
  it('are so many, and of more than that the oldest is forgotten', () => {
    const memory = new HashMemory();
    for (let count = 0; count < OWN_MAX; count += 1) memory.addOwn(hash(count));
    expect(memory.isOwn(hash(0))).toBe(true);
    memory.addOwn(hash(OWN_MAX));
    expect(memory.isOwn(hash(0))).toBe(false);
    expect(memory.isOwn(hash(1))).toBe(true);
    expect(memory.isOwn(hash(OWN_MAX))).toBe(true);
  });

  it('are not forgotten for one that was known before', () => {
    const memory = new HashMemory();
    for (let count = 0; count < OWN_MAX; count += 1) memory.addOwn(hash(count));
    memory.addOwn(hash(OWN_MAX - 1));
    expect(memory.isOwn(hash(0))).toBe(true);
  });
});
