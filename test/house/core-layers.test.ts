import { describe, expect, it } from 'vitest';
import { homeless, upwardImports } from './core-layers.ts';

describe('the layers of the core', () => {
  it('have a room for every folder', () => {
    expect(homeless(process.cwd())).toEqual([]);
  });

  it('have no import that goes up, or beside', () => {
    expect(upwardImports(process.cwd())).toEqual([]);
  });
});
