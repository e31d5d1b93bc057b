import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import {
  describeKeys,
  describeMarkdown,
  describeText,
  ENVIRONMENT_DOCS,
} from '../../../src/settings/describe.ts';
import { running, settingsChange } from '../../../src/settings/diff.ts';
import { effective, effectiveJson, effectiveYaml } from '../../../src/settings/effective.ts';
import { loadSettings } from '../../../src/settings/load.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { strategy as auto } from '../../../strategies/auto.ts';
import { strategy as inventorySkew } from '../../../strategies/inventory-skew.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { fileOf, load } from './support.ts';

const CONFIG = fileURLToPath(new URL('../../../config/', import.meta.url));
const FILES = readdirSync(CONFIG).filter((name) => name.endsWith('.yaml'));
const HOUSE: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  [auto.name, auto],
  [ladder.name, ladder],
  [inventorySkew.name, inventorySkew],
]);
const KEYS = describeKeys(HOUSE);

function configured(name: string): Settings {
  return loadSettings({ file: join(CONFIG, name), env: {}, strategies: HOUSE });
}

function textOf(name: string): string {
  return readFileSync(join(CONFIG, name), 'utf8');
}

describe('every key', () => {
  it.each(KEYS.map((key) => [key.path, key] as const))(
    '%s has a doc, a unit and a rule',
    (_, key) => {
      expect(key.doc).toMatch(/^\S.*[.?]$/);
      expect(key.unit).not.toBe('');
      expect(key.rule).not.toBe('');
    },
  );

  it('has a default that its own rule takes', () => {
    // Reading nothing but the market list puts every default through its rule.
    expect(load('markets: []').paper.events).toEqual([]);
  });

  it('of the interface has its environment name', () => {
    const named = Object.fromEntries(KEYS.map(({ path, env }) => [path, env]));
    expect(named['venue.baseUrl']).toBe('VENUE_BASE_URL');
    expect(named['venue.wsUrl']).toBe('VENUE_WS_URL');
  });

  it('is live or not as the running settings are', () => {
    const before = load('markets: []');
    for (const key of KEYS) {
      const isList = key.path.includes('[]') || key.path === 'markets' || key.path === 'feeds';
      if (isList || key.default === undefined) continue;
      const [section = '', name = ''] = key.path.split('.');
      const changed = JSON.parse(JSON.stringify(before));
      changed[section][name] = 'changed';
      const { applied, needsRestart } = settingsChange(before, changed);
      const isLive = key.applies === 'live';
      expect([key.path, applied.length, needsRestart.length]).toEqual([
        key.path,
        isLive ? 1 : 0,
        isLive ? 0 : 1,
      ]);
      expect(JSON.stringify(running(before, changed)).includes('changed')).toBe(isLive);
    }
  });

  it('is in the text for people, parameters with their strategy', () => {
    const text = describeText(HOUSE);
    for (const key of KEYS) expect(text).toContain(key.path);
    for (const { name } of ENVIRONMENT_DOCS) expect(text).toContain(name);
    expect(text).toContain('markets[].params.levels (ladder)');
  });
});

describe('the table of all keys', () => {
  it('in config/README.md is the schema of today', async () => {
    // `npx vitest run test/unit/settings --update` writes it anew.
    await expect(describeMarkdown(HOUSE)).toMatchFileSnapshot(join(CONFIG, 'README.md'));
  });
});

describe('the configuration files of the house', () => {
  it('are the three that the documentation names', () => {
    expect(FILES.toSorted()).toEqual(['live.example.yaml', 'paper.yaml', 'staging.yaml']);
  });

  it.each(FILES)('%s is valid as it stands', (name) => {
    expect(configured(name).markets.length).toBe(name === 'paper.yaml' ? 3 : 0);
  });

  it.each(FILES)('%s has paths in its comments that exist', (name) => {
    // Each dotted word of a comment that starts like a section is a key that exists.
    const sections = new Set(KEYS.map((key) => key.path.split(/[.[]/)[0]));
    const known = new Set(KEYS.map((key) => key.path));
    const comments = textOf(name)
      .split('\n')
      .map((line) => /(?:^|\s)#(.*)$/.exec(line)?.[1] ?? '')
      .join(' ');
    const words = [...comments.matchAll(/\b([a-z][A-Za-z]*)\.([a-z][A-Za-z]+)\b/g)];
    const keys = words.filter(([, section]) => sections.has(section));
    const unknown = keys.map(([word]) => word).filter((word) => !known.has(word));
    expect(unknown.filter((word) => !word.endsWith('.yaml'))).toEqual([]);
  });

  it.each(FILES)('%s has names in its comments that exist', (name) => {
    const known = new Set(KEYS.flatMap((key) => key.path.split(/[.[\]]+/)));
    const comments = textOf(name)
      .split('\n')
      .flatMap((line) => /(?:^|\s)#(.*)$/.exec(line)?.[1] ?? []);
    const names = comments.flatMap((line) => [...line.matchAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g)]);
    const credentials = ['apiKey', 'apiSecret', 'apiPassphrase'];
    const unknown = names.map(([word]) => word).filter((word) => !known.has(word));
    expect(unknown.filter((word) => !credentials.includes(word))).toEqual([]);
  });

  it.each(FILES)('%s has examples in its comments that are valid', (name) => {
    const examples = exampleMarkets(textOf(name));
    for (const markets of examples) {
      const file = fileOf(`markets:\n${markets}`);
      const settings = loadSettings({ file, env: {}, strategies: HOUSE });
      expect(settings.markets).toMatchObject([{ event: 'some-event-slug', market: '0123' }]);
    }
    expect(examples.length).toBe(name === 'paper.yaml' ? 0 : 1);
  });

  it.each(FILES)('%s names no variable that does not exist', (name) => {
    const known = [
      ...ENVIRONMENT_DOCS.map((doc) => doc.name),
      ...KEYS.flatMap((key) => key.env ?? []),
    ];
    const named = [...textOf(name).matchAll(/\b(?:VENUE|BOOKEND)_[A-Z_]+\b/g)];
    expect(named.map(([word]) => word).filter((word) => !known.includes(word))).toEqual([]);
  });

  it('no file plays against a crowd that gives money away, unless somebody asks for it', () => {
    for (const name of FILES) expect(configured(name).paper.crowd).toBe('honest');
  });

  it('paper.yaml quotes markets that its own venue lists, within its own limits', () => {
    const { markets, paper, risk } = configured('paper.yaml');
    const slugs = paper.events.map((event) => event.slug);
    expect(markets.map((choice) => choice.event)).toEqual(slugs);
    expect(markets.map((choice) => choice.strategy)).toEqual(['auto', 'ladder', 'inventory-skew']);
    expect(risk.maxLossUsdc).toBeGreaterThanOrEqual(1_000);
  });

  it('those for real venues are careful', () => {
    for (const name of ['staging.yaml', 'live.example.yaml']) {
      const { risk, venue, journal } = configured(name);
      expect(risk.maxLossUsdc).toBeLessThanOrEqual(100);
      expect(venue.writeShare).toBeLessThanOrEqual(0.5);
      expect(journal.recordInputs).toBe(true);
    }
  });
});

/** Lists of markets that stand in comments. */
function exampleMarkets(text: string): readonly string[] {
  return [...text.matchAll(/^# markets:\n((?:# {2,}.*\n)+)/gm)].map(([, lines = '']) =>
    lines.replaceAll(/^# /gm, ''),
  );
}

describe('what is in force', () => {
  const ENV = { VENUE_API_SECRET: 'never-shown', BOOKEND_CONTROL_TOKEN: 'never-shown-either' };

  it('is every key with its value, in the order of the schema', () => {
    const shown = effective(load('markets: []'), {});
    expect(Object.keys(shown)).toEqual([
      'venue',
      'markets',
      'risk',
      'capital',
      'account',
      'orders',
      'book',
      'trust',
      'timing',
      'feeds',
      'http',
      'journal',
      'logging',
      'guard',
      'paper',
      'backtest',
      'environment',
    ]);
    expect(shown['risk']).toMatchObject({ maxPositionShares: 500 });
  });

  it('shows credentials as set or not set, and never what they are', () => {
    const settings = load('markets: []', ENV);
    for (const text of [effectiveYaml(settings, ENV), effectiveJson(settings, ENV)]) {
      expect(text).not.toContain('never-shown');
    }
    expect(effective(settings, ENV)['environment']).toEqual({
      VENUE_API_KEY: 'not set',
      VENUE_API_SECRET: '[secret]',
      VENUE_API_PASSPHRASE: 'not set',
      VENUE_CREDENTIALS_FILE: 'not set',
      BOOKEND_CONTROL_TOKEN: '[secret]',
      BOOKEND_NOTIFY_URLS: 'not set',
      BOOKEND_VIEW_TOKEN: 'not set',
      BOOKEND_TRADE_TOKEN: 'not set',
      BOOKEND_KILL_TOKEN: 'not set',
    });
  });

  it.each(FILES)('of %s is a configuration that means the same', (name) => {
    const settings = configured(name);
    const { environment: _, ...values } = parse(effectiveYaml(settings, {}));
    const file = fileOf(stringify(values));
    expect(loadSettings({ file, env: {}, strategies: HOUSE })).toEqual(settings);
  });

  it('knows the parameters that a strategy has by default', () => {
    const [market] = load('markets: [{ event: rain, strategy: steps }]').markets;
    expect(market?.params).toEqual({ levels: 3, size: 50 });
  });
});
