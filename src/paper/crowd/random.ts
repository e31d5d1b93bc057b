// Seeded chance. A stream is known by its name alone, so that one more trader in the crowd leaves
// the draws of all others as they were.

import { assert } from '../../domain/assert.ts';

export interface Random {
  /** From 0 up to, but never, 1. */
  uniform(): number;
  chance(probability: number): boolean;
  /** A whole number from `min` to `max`, both possible. */
  whole(min: number, max: number): number;
  /** Mean 0, variance 1. */
  normal(): number;
  exponential(mean: number): number;
  /** `sigma` is the standard deviation of the logarithm. */
  lognormal(median: number, sigma: number): number;
  /** How many events of a Poisson process with this mean happened. */
  poisson(mean: number): number;
  /** A stream of its own, decided by seed and name and by nothing drawn before. */
  split(name: string): Random;
}

/** Above it the product of uniforms in `poisson` would run out of doubles. */
const POISSON_MEAN_MAX = 500;

export function seededRandom(seed: string | number): Random {
  const path = String(seed);
  const uniform = uniformStream(path);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    uniform,
    normal,
    chance: (probability) => uniform() < probability,
    whole: (min, max) => min + Math.floor(uniform() * (max - min + 1)),
    exponential: (mean) => -Math.log(1 - uniform()) * mean,
    lognormal: (median, sigma) => median * Math.exp(sigma * normal()),
    poisson: (mean) => poisson(mean, uniform),
    split: (name) => seededRandom(`${path}/${name}`),
  };
}

function poisson(mean: number, uniform: () => number): number {
  assert(mean >= 0 && mean <= POISSON_MEAN_MAX, 'a mean count is within the exact range');
  const floor = Math.exp(-mean);
  let count = 0;
  for (let product = uniform(); product > floor; product *= uniform()) count += 1;
  return count;
}

/** The "small fast counter" generator: 128 bits of state, 32 bits a draw. */
function uniformStream(path: string): () => number {
  let [a, b, c, counter] = fourWords(path);
  const draw = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // Seeds that differ in one letter need some rounds before their streams look unrelated.
  for (let round = 0; round < 16; round += 1) draw();
  return () => draw() / 2 ** 32;
}

function fourWords(path: string): [number, number, number, number] {
  return [wordOf(path, 1), wordOf(path, 2), wordOf(path, 3), wordOf(path, 4)];
}

/** One 32-bit word of a text: a multiply-and-fold hash with a final mixing. */
function wordOf(text: string, salt: number): number {
  let word = Math.imul(salt, 0x9e3779b1) ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    word = Math.imul(word ^ text.charCodeAt(index), 0x01000193);
    word = (word << 13) | (word >>> 19);
  }
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
