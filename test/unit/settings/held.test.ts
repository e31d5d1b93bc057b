// The settings that a guard holds over its traders.

import { describe, expect, it } from 'vitest';
import { settingsChange } from '../../../src/settings/diff.ts';
import { heldOf, holding, readHeld } from '../../../src/settings/held.ts';
import { loadGuardSettings } from '../../../src/settings/load.ts';
import { fileOf, load } from './support.ts';

const BEFORE = `
venue: { baseUrl: http://127.0.0.1:1/api, wsUrl: ws://127.0.0.1:1/ws }
markets: [{ event: rain, strategy: steps, params: { levels: 4 } }]
journal: { path: data/one.db }
guard: { silenceMs: 900 }
logging: { level: info, format: json }
`;

const AFTER = `
venue: { baseUrl: http://127.0.0.1:2/api, wsUrl: ws://127.0.0.1:2/ws }
markets: [{ event: rain, strategy: steps, params: { levels: 5 } }]
journal: { path: data/two.db }
guard: { silenceMs: 10000, heartbeatMs: 2000 }
http: { port: 1234 }
risk: { maxOpenOrders: 7 }
logging: { level: debug, format: text }
`;

/** As it arrives in another process. */
function told(): unknown {
  const held = heldOf(loadGuardSettings({ file: fileOf(BEFORE), env: {} }));
  return JSON.parse(JSON.stringify(held));
}

describe('a trader below a guard that has read another file', () => {
  it('has what takes effect at a start from the guard, and the rest from the file', () => {
    const { settings } = holding(load(AFTER), readHeld(told()));
    const before = load(BEFORE);
    expect(settings.venue).toEqual(before.venue);
    expect(settings.journal).toEqual(before.journal);
    expect(settings.guard).toEqual(before.guard);
    expect(settings.http).toEqual(before.http);
    expect(settings.logging).toEqual({ ...before.logging, level: 'debug' });
    expect(settings.markets).toEqual(load(AFTER).markets);
    expect(settings.risk.maxOpenOrders).toBe(7);
  });

  it('still knows what of the file waits for a restart', () => {
    const { settings, waits } = holding(load(AFTER), readHeld(told()));
    expect(waits).toBe(true);
    expect(holding(load(BEFORE), readHeld(told())).waits).toBe(false);
    const { applied, needsRestart } = settingsChange(settings, load(AFTER));
    expect(applied).toEqual([]);
    expect(needsRestart.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['venue.baseUrl', 'journal.path', 'guard.silenceMs', 'http.port']),
    );
  });

  it('trades with nothing where the guard has told no settings, or wrong ones', () => {
    expect(() => readHeld(undefined)).toThrow(/no settings/);
    expect(() => readHeld({ venue: {} })).toThrow(/no settings/);
    expect(() => readHeld({ ...Object(told()), guard: { silenceMs: 'long' } })).toThrow(
      /guard\.silenceMs/,
    );
  });
});
