import { describe, expect, it } from 'vitest';
import {
  staleFloorExponentialJump,
  staleFloorFixedJump,
} from '../../../../../src/strategy/index.ts';

const RISK = { noiseFillsPerSec: 0.03, jumpsPerSec: 0.003, jumpPrice: 0.04 };

describe('the distance that pays for being slow', () => {
  it('is that of the check case', () => {
    expect(staleFloorFixedJump(RISK)).toBeCloseTo(0.003636, 6);
    expect(staleFloorExponentialJump(RISK)).toBeCloseTo(0.003651, 6);
  });

  it('is where noise earns what jumps cost', () => {
    const h = staleFloorExponentialJump(RISK);
    // The mean of (J - h)+ over exponential J is m e^(-h/m).
    const cost = RISK.jumpsPerSec * RISK.jumpPrice * Math.exp(-h / RISK.jumpPrice);
    expect(RISK.noiseFillsPerSec * h).toBeCloseTo(cost, 12);
    const fixed = staleFloorFixedJump(RISK);
    expect(RISK.noiseFillsPerSec * fixed).toBeCloseTo(RISK.jumpsPerSec * (0.04 - fixed), 12);
  });

  it('is nothing where nothing jumps, even if nothing trades either', () => {
    const still = { noiseFillsPerSec: 0, jumpsPerSec: 0, jumpPrice: 0.04 };
    expect([staleFloorFixedJump(still), staleFloorExponentialJump(still)]).toEqual([0, 0]);
  });

  it('is the jump itself, or out of reach, where only jumps trade', () => {
    const toxic = { ...RISK, noiseFillsPerSec: 0 };
    expect(staleFloorFixedJump(toxic)).toBe(0.04);
    expect(staleFloorExponentialJump(toxic)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is not computed from what is no number', () => {
    expect(() => staleFloorFixedJump({ ...RISK, jumpsPerSec: Number.NaN })).toThrow('jumpsPerSec');
  });
});
