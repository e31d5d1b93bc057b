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

  it.each(BROKEN)('are so behind a mark of the byte order, beside %s', (_what, broken) => {
    expect(kill(`\uFEFF${REST}${VENUE}${broken}`).journal.path).toBe('data/mine.db');
    const { scope } = kill(`\uFEFForders: { scope: own }\n${VENUE}${broken}`).orders;
    expect(scope).toBe('own');
  });

  it.each([
    ['a section that is needed is broken itself', `${VENUE}journal: { path: "x\n`],
    ['one that is needed stands twice', `${VENUE}${REST}journal: { path: y }\n`],
    ['nothing says which venue is meant', `${REST}risk: {\n`],
    ['the venue has no address', `venue: {}\n${REST}risk: {\n`],
    ['sections do not stand in lines of their own', '{ venue: {}, risk: { }'],
    ['one that is needed has lost its colon', VENUE + REST.replace('orders:', 'orders')],
    ['and so where it comes first', `orders { scope: own }\n${VENUE}timing: {}\n`],
    ['one that is needed stands a blank too far', VENUE + REST.replace('orders:', ' orders:')],
    ['one of them is quoted badly', VENUE + REST.replace('journal:', '"journal:')],
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

const SECTIONS = {
  venue: { baseUrl: 'https://venue.example/api' },
  markets: [
    { event: 'rain', strategy: 'ladder', params: { levels: 2, size: 50 } },
    { event: 'snow' },
  ],
  risk: { maxLossUsdc: 25 },
  journal: { path: 'data/mine.db' },
  timing: { proofQuietMs: 300, proofDeadlineMs: 9_000 },
  orders: { scope: 'own' },
};
const LINED_UP = JSON.stringify(SECTIONS, undefined, 2);
const HANDWRITTEN = `# of the desk
{venue: {baseUrl: https://venue.example/api},
 markets: [{event: rain, strategy: ladder,
            params: {levels: 2}}],   # two
 journal: {path: data/mine.db}, # kept here
 timing: {proofQuietMs: 300,
   proofDeadlineMs: 9000},
 orders: {scope: own}}
`;
const { markets, risk, ...ASKED } = SECTIONS;
const IN_ONE_LINE = JSON.stringify({ ...ASKED, markets, risk });

function isAsWritten({ venue, journal, orders, timing }: KillSettings): boolean {
  return (
    venue.baseUrl === SECTIONS.venue.baseUrl &&
    journal.path === SECTIONS.journal.path &&
    orders.scope === 'own' &&
    timing.proofDeadlineMs === 9_000
  );
}

/** Each third character of what a kill does not need is gone, or has one before it that changes how the rest is read. */
function damaged(text: string): readonly string[] {
  const from = text.indexOf('markets');
  const behind = text.indexOf('journal', from);
  const to = behind < 0 ? text.length : behind - 1;
  return Array.from({ length: (to - from) / 3 }, (_, index) => from + 3 * index).flatMap((at) => [
    text.slice(0, at) + text.slice(at + 1),
    ...[...'{}[],:"\'#\n'].map((sign) => text.slice(0, at) + sign + text.slice(at)),
  ]);
}

/** A bracket or comma is missing, or one too many, within what a kill needs, too. */
function misplaced(text: string): readonly string[] {
  return [...text.matchAll(/[{}[\],]/g)].flatMap(({ index }) => [
    text.slice(0, index) + text.slice(index + 1),
    ...[...'{}[],'].map((sign) => text.slice(0, index) + sign + text.slice(index)),
  ]);
}

/** What is neither read as it was written nor refused, by itself. */
function outcome(text: string): string {
  try {
    const settings = kill(text);
    if (settings.told.length === 0) return 'whole';
    return isAsWritten(settings) ? 'read' : text;
  } catch (error) {
    if (error instanceof SettingsError) return 'refused';
    throw error;
  }
}

const isOther = (result: string) => !['whole', 'read', 'refused'].includes(result);

describe('the settings of a kill from one flow map with a mistake in it', () => {
  it.each([
    ['lined up', LINED_UP],
    ['written by hand', HANDWRITTEN],
    ['in one line', IN_ONE_LINE],
  ])('are as they stand there or refused, wherever the mistake is: %s', (_how, text) => {
    const results = damaged(text).map(outcome);
    expect(results.filter(isOther)).toEqual([]);
    const count = (what: string) => results.filter((result) => result === what).length;
    expect(count('read')).toBeGreaterThan(2 * count('refused'));
    expect(misplaced(text).map(outcome).filter(isOther)).toEqual([]);
  });

  it.each([
    [
      'a section that is needed stands behind the mistake in one line',
      '{ venue: { baseUrl: "https://a" }, risk: { x: ], orders: { scope: own } }',
    ],
    [
      'one stands twice',
      LINED_UP.replace('"risk"', '"venue": { "baseUrl": "https://b" },\n  "risk"').replace('[', ''),
    ],
    [
      'one shares its line with another one',
      LINED_UP.replace('"risk"', '"risk": {}, "journal"').replace('[', ''),
    ],
    ['one is broken itself', LINED_UP.replace('"path"', '"path')],
    ['one has lost its colon', LINED_UP.replace('"orders":', '"orders"')],
    ['one has lost its colon in one line', IN_ONE_LINE.replace(/(orders)["']?:/, '$1')],
    ['nothing says which venue is meant', LINED_UP.replace('"venue"', '"vanue"').replace('[', '')],
    ['lines begin where no section does', LINED_UP.replace('  "risk"', '"risk"').replace('[', '')],
  ])('are refused where %s', (_what, text) => {
    expect(() => kill(text)).toThrow(SettingsError);
  });
});
