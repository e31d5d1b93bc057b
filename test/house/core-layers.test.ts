import { describe, expect, it } from 'vitest';
import { homeless, upwardImports } from './core-layers.ts';

/** Imports that do not go down yet, by their two rooms. Lower a number when one is gone; none may come in. */
const UPWARD_MAX: Readonly<Record<string, number>> = {
  'account → quoting': 1,
  'account → risk': 7,
  'account → sending': 6,
  'account → session': 3,
  'account → sets': 1,
  'book → orders': 4,
  'kernel → orders': 1,
  'kernel → risk': 1,
  'orders → book': 6,
  'quoting → sets': 1,
  'risk → quoting': 2,
  'risk → session': 2,
  'risk → sets': 1,
  'sets → sending': 1,
};

describe('the layers of the core', () => {
  it('have a room for every folder', () => {
    expect(homeless(process.cwd())).toEqual([]);
  });

  it('see no import go up that did not before', () => {
    const found: Record<string, number> = {};
    for (const { pair } of upwardImports(process.cwd())) found[pair] = (found[pair] ?? 0) + 1;
    expect(found).toEqual(UPWARD_MAX);
  });
});
