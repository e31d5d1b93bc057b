import { describe, expect, it } from 'vitest';
import { type Held, holdSigns } from '../../../../src/core/orders/hold-sign.ts';

/** What an amount says of an order that would hold 24, one of these doubtful amounts. */
function signOf(hold: number, change: Partial<Held> = {}): string {
  const held: Held = { sure: 100, perhaps: [], doubtful: [24], ...change };
  return holdSigns(hold, held, 0.5)(24);
}

describe('an amount held back, and an order that nobody answered', () => {
  it('is explained where what is known makes it up', () => {
    expect(signOf(100)).toBe('explained');
    expect(signOf(124, { perhaps: [24] })).toBe('explained');
    expect(signOf(130, { perhaps: [10, 20] })).toBe('explained');
  });

  it('is unclear where what is left is less than the order would hold', () => {
    expect(signOf(120)).toBe('unclear');
    expect(signOf(76)).toBe('unclear');
  });

  it('fits where whole orders and this one are just that', () => {
    expect(signOf(124)).toBe('fits');
    expect(signOf(134, { perhaps: [10, 20] })).toBe('fits');
    expect(signOf(148, { doubtful: [24, 24] })).toBe('fits');
    expect(signOf(124, { doubtful: [24, 24] })).toBe('fits');
  });

  it('leaves room where more is held than anybody can explain', () => {
    expect(signOf(131)).toBe('room');
    expect(signOf(300, { perhaps: [10, 20] })).toBe('room');
  });

  it('is not taken apart where too many orders are under way', () => {
    const perhaps = Array.from({ length: 2_000 }, (_, index) => 1_000 + index);
    expect(signOf(124, { perhaps })).toBe('room');
  });
});
