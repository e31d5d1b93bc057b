// The venue's own dice: small, seeded, and the same on every machine.

export interface Dice {
  /** The next number in [0, 1). */
  next(): number;
}

/** A 32-bit mixing generator; plenty for delays, never used for secrets that matter. */
export function seededDice(seed: number): Dice {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = state;
      mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
    },
  };
}

/** A whole number of milliseconds between two bounds, both included. */
export function between(dice: Dice, minMs: number, maxMs: number): number {
  return Math.round(minMs + dice.next() * Math.max(0, maxMs - minMs));
}
