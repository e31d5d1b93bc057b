// A configuration that is no YAML any more, as after an edit at night, and a kill that needs little of it.

import { describe, expect, it } from 'vitest';
import { type KillSettings, loadKillSettings } from '../../../src/settings/load.ts';
import { SettingsError } from '../../../src/settings/problems.ts';
import { fileOf } from './support.ts';

const VENUE = 'venue: { baseUrl: "https://venue.example/api" }\n';
const REST = `journal:
  path: data/mine.db   # kept here
orders: { scope: own }
timing: { proofQuietMs: 300, proofDeadlineMs: 9000 }
`;

function kill(text: string, env: Record<string, string> = {}): KillSettings & { told: string[] } {
  const told: string[] = [];
  const file = fileOf(text);
  const settings = loadKillSettings({ file, env }, ({ problems }) =>
    told.push(...problems.map(({ message, line }) => `${line}: ${message}`)),
  );
  return { ...settings, told };
}

const BROKEN = [
  ['a tab', 'markets:\n  - event: rain\n\tstrategy: ladder\n'],
  ['an open quote', 'markets:\n  - event: "rain\n    strategy: ladder\n'],
  ['an open bracket', 'risk: { maxLossUsdc: 25\n'],
  ['a key that stands twice', 'risk: { maxLossUsdc: 25 }\nrisk: { maxLossUsdc: 25 }\n'],
] as const;

describe('the settings of a kill from a file that is no YAML', () => {
  it.each(BROKEN)('are all there beside %s, which is told', (_what, broken) => {
    for (const text of [VENUE + broken + REST, broken + VENUE + REST, VENUE + REST + broken]) {
      const { venue, journal, orders, timing, told } = kill(text);
      expect(venue.baseUrl).toBe('https://venue.example/api');
      expect(journal.path).toBe('data/mine.db');
      expect(orders).toEqual({ scope: 'own' });
      expect(timing).toMatchObject({ proofQuietMs: 300, proofDeadlineMs: 9_000 });
      expect(told.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ['a section that is needed is broken itself', `${VENUE}journal: { path: "x\n`],
    ['one that is needed stands twice', `${VENUE}${REST}journal: { path: y }\n`],
    ['nothing says which venue is meant', `${REST}risk: {\n`],
    ['sections do not stand in lines of their own', '{ venue: {}, risk: { }'],
  ])('are refused where %s', (_what, text) => {
    expect(() => kill(text)).toThrow(SettingsError);
  });

  it('need no section of the venue where the environment names it', () => {
    const env = { VENUE_BASE_URL: 'https://other.example/api' };
    expect(kill(`${REST}risk: {\n`, env).venue.baseUrl).toBe('https://other.example/api');
  });

  it('tell nothing of a file that is whole', () => {
    expect(kill(VENUE + REST).told).toEqual([]);
  });
});
