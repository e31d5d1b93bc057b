// What a guard holds in place of a disk, and what it says of it.

import { describe, expect, it } from 'vitest';
import { Held, LOST_WITH_US } from '../../../src/guard/held.ts';
import { listening } from './support.ts';

const means = LOST_WITH_US;

describe('what a guard holds that no disk has', () => {
  it('is a kill, said with by whom, until it is released', () => {
    const { said, log } = listening();
    const held = new Held(log);
    held.onUnlatched(undefined);
    expect([held.hasAny, held.killedBy, said]).toEqual([false, undefined, []]);
    held.onUnlatched('operator');
    expect([held.hasAny, held.killedBy]).toEqual([true, 'operator']);
    held.onUnlatched(undefined);
    expect([held.hasAny, held.killedBy]).toEqual([false, undefined]);
    expect(said).toEqual([
      ['guard.holds_kill', { by: 'operator', means }],
      ['guard.kill_released', undefined],
    ]);
  });

  it('is a pause or another stop, said by its name and not by what it says', () => {
    const { said, log } = listening();
    const held = new Held(log);
    held.onStops({});
    expect([held.hasAny, held.stops, said]).toEqual([false, {}, []]);
    held.onStops({ pause: 'why', halt: null });
    expect([held.hasAny, held.stops]).toEqual([true, { pause: 'why', halt: null }]);
    held.onStops({});
    held.onStops({});
    expect(held.hasAny).toBe(false);
    expect(said).toEqual([
      ['guard.holds_stops', { stops: ['pause', 'halt'], means }],
      ['guard.stops_released', undefined],
    ]);
  });

  it('is the configuration that was taken last, which is no stop', () => {
    const held = new Held(listening().log);
    expect(held.config).toBeUndefined();
    held.onConfig('a');
    held.onConfig('b');
    expect([held.config, held.hasAny]).toEqual(['b', false]);
  });
});
