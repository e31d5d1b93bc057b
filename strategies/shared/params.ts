// Parameters that several strategies have in common, each described once.

import { numberParam, QUOTES_MAX, wholeParam } from '../../src/strategy/index.ts';

export const levelsParam = wholeParam({
  doc: 'Quotes on each side.',
  unit: 'quotes',
  default: 3,
  min: 1,
  max: QUOTES_MAX,
});

export const sizeParam = numberParam({
  doc: 'Quantity of each quote; raised to what makes 1.00 USDC.',
  unit: 'shares',
  default: 50,
  min: 1,
  max: 1_000_000,
});

export const levelStepParam = numberParam({
  doc: 'Distance from one level to the next; it counts at least as one tick.',
  unit: 'USDC per share',
  default: 0.01,
  min: 0.001,
  max: 0.5,
});

export const varPriorParam = numberParam({
  doc: 'Log-odds variance of an hour until it has been measured.',
  unit: 'per hour',
  default: 0.3,
  min: 0,
  max: 1_000,
});

export const fillDecayParam = numberParam({
  doc: 'How fast fills become rarer with distance: k of A e^(-k d).',
  unit: 'per USDC',
  default: 60,
  min: 0.1,
  max: 10_000,
});

export const lossBudgetParam = numberParam({
  doc: 'What the market may lose at worst; it sets the risk scale b = L/ln 2.',
  unit: 'USDC',
  default: 100,
  min: 1,
  max: 1_000_000,
});

export const informedPriorParam = numberParam({
  doc: 'Part of takers taken for informed until own fills have shown another.',
  unit: 'part',
  default: 0.03,
  min: 0,
  max: 0.9,
});
