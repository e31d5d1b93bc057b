import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OVERLAY_DEFAULTS } from '../../../src/domain/overlays.ts';
import { redacted } from '../../../src/domain/redact.ts';
import { RISK_CONTROL_DEFAULTS } from '../../../src/domain/risk.ts';
import { coreSettings, loadKillSettings, loadSettings } from '../../../src/settings/load.ts';
import { SettingsError } from '../../../src/settings/problems.ts';
import { withSelected } from '../../../src/settings/selected.ts';
import { fileOf, load, paths, problemsOf, STRATEGIES } from './support.ts';

const SMALL = `
markets:
  - event: rain
    strategy: steps
    params: { levels: 4 }
`;

describe('a configuration that says little', () => {
  it('takes addresses to notify from the environment, and says which one is none', () => {
    const given = 'https://chat.example/a-long-path-of-a-hook, http://127.0.0.1:1/x';
    const { notifyUrls } = load('markets: []', { BOOKEND_NOTIFY_URLS: given });
    expect(notifyUrls.map((url) => url.reveal())).toEqual(given.split(', '));
    expect(`${notifyUrls}`).not.toContain('chat.example');
    expect(redacted(`at ${given.split(', ')[0]}`)).toBe('at https://chat.example/[secret]');
    expect(redacted('http://127.0.0.1:9464')).toBe('http://127.0.0.1:9464');
    const [problem] = problemsOf('markets: []', { BOOKEND_NOTIFY_URLS: `${given} ftp://x` });
    expect(problem?.message).toMatch(/^BOOKEND_NOTIFY_URLS: address 3 must be http/);
    const [undecodable] = problemsOf('markets: []', {
      BOOKEND_NOTIFY_URLS: 'https://me:50%off@chat.example/x',
    });
    expect(undecodable?.message).toContain('have %25 for each % in its user and password');
    expect(undecodable?.message).not.toContain('50%off');
  });

  it.each(['!!omap [maxLossUsdc: 100]', '!!set {a, b}', '!!timestamp 2026-01-01'])(
    'takes no section for an empty one that a tag has made something else of: %s',
    (value) => {
      expect(paths(problemsOf(`markets: []\nrisk: ${value}`))).toEqual(['risk']);
    },
  );

  it('is completed by defaults, parameters included', () => {
    const settings = load(SMALL);
    expect(settings.markets).toMatchObject([
      { event: 'rain', market: undefined, strategy: 'steps', params: { levels: 4, size: 50 } },
    ]);
    expect(settings.risk).toEqual({
      ...RISK_CONTROL_DEFAULTS,
      maxPositionShares: 500,
      maxUncertainShares: 0,
      maxNetShares: 1_000_000,
      maxOrderNotionalUsdc: 100,
      maxOrderShares: 10_000,
      maxOpenOrders: 200,
      maxMarketOpenOrders: 200,
      maxOpenNotionalUsdc: 20_000,
      maxLossUsdc: 250,
      maxEventLossUsdc: 0,
    });
    expect(settings.venue.baseUrl).toBe('http://127.0.0.1:8787/api');
    expect(settings.http).toEqual({ host: '127.0.0.1', port: 9_464, allowedHosts: [] });
    expect(settings.journal.path).toBe('data/bookend.db');
    expect(settings.logging.level).toBe('info');
    expect(settings.controlToken).toBeUndefined();
  });

  it('gives the core exactly what the core knows', () => {
    const core = coreSettings(withSelected(load(SMALL), new Map()));
    expect(Object.keys(core).toSorted()).toEqual([
      'account',
      'book',
      'capital',
      'markets',
      'orders',
      'risk',
      'timing',
      'trust',
    ]);
    expect(Object.keys(core.orders).toSorted()).toEqual([
      'armedCancels',
      'armedPlacements',
      'externalOrders',
      'gatherMs',
      'gtd',
      'preferSell',
      'priceToleranceTicks',
      'quietFeedMs',
      'requote',
      'reservePart',
      'scope',
      'sizeTolerance',
      'timeInForce',
      'writesPer10s',
    ]);
  });

  it('has the guards of the core, and no calendar of its own', () => {
    const [market] = coreSettings(withSelected(load(SMALL), new Map())).markets;
    expect(market?.overlays).toEqual(OVERLAY_DEFAULTS);
    expect(market).toMatchObject({ capitalWeight: 1, isExclusive: false });
  });

  it('states times for people, and numbers for the core', () => {
    const overlays = {
      news: {
        windows: [{ name: 'vote', from: '2026-11-03T20:00:00Z', to: '2026-11-04T02:00:00Z' }],
      },
      quiet: { hours: [{ from: '22:30', to: '06:00' }] },
    };
    const text = `markets: [{ event: rain, strategy: still, overlays: ${JSON.stringify(overlays)} }]`;
    const [market] = coreSettings(withSelected(load(text), new Map())).markets;
    expect(market?.overlays?.news.windows).toEqual([
      { name: 'vote', fromMs: 1_793_736_000_000, toMs: 1_793_757_600_000 },
    ]);
    expect(market?.overlays?.quiet.hours).toEqual([{ fromMinute: 1_350, toMinute: 360 }]);
  });

  it('refuses quiet hours that end as they begin, which would be none', () => {
    const hours = [
      { from: '22:00', to: '06:00' },
      { from: '00:00', to: '00:00' },
    ];
    const overlays = JSON.stringify({ quiet: { hours } });
    const [problem, ...others] = problemsOf(
      `markets: [{ event: rain, strategy: still, overlays: ${overlays} }]`,
    );
    expect(others).toEqual([]);
    expect(problem?.path).toBe('markets[0].overlays.quiet.hours[1].to');
    expect(problem?.message).toContain('must differ from from (00:00)');
  });

  it.each([
    ['2026-13-03T20:00:00Z', '2026-11-03T21:00:00Z'],
    ['2026-11-03T20:00:00Z', '2026-11-03T20:00:00Z'],
    ['2026-11-03T20:00:00Z', '2026-11-02T21:00:00Z'],
    ['2026-02-28T20:00:00Z', '2026-02-30T21:00:00Z'],
  ])('refuses news from %s to %s, which would pull no quote', (from, to) => {
    const windows = `{ news: { windows: [{ name: data, from: '${from}', to: '${to}' }] } }`;
    const text = `markets: [{ event: rain, strategy: steps, overlays: ${windows} }]`;
    expect(problemsOf(text)).toEqual([
      {
        path: 'markets[0].overlays.news.windows[0].to',
        line: 1,
        message: `must be a time after from (${from}), and both of them real; not ${to}`,
      },
    ]);
  });

  it('cannot be changed afterwards, at any depth', () => {
    const settings = load(SMALL);
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      expect(Object.isFrozen(value)).toBe(true);
      Object.values(value).forEach(walk);
    };
    walk(settings);
  });

  it('takes parameters and markets that are left out', () => {
    expect(load('markets: []').markets).toEqual([]);
    expect(load('markets: [{ event: rain, strategy: still }]').markets[0]?.params).toEqual({});
  });
});

describe('the environment', () => {
  it('overrides the addresses of the file', () => {
    const env = {
      VENUE_BASE_URL: 'https://venue.example/x/api',
      VENUE_WS_URL: 'wss://a.example/ws',
    };
    const { venue } = load('markets: []\nvenue: { baseUrl: http://127.0.0.1:1/api }', env);
    expect(venue.baseUrl).toBe('https://venue.example/x/api');
    expect(venue.wsUrl).toBe('wss://a.example/ws');
  });

  it('is not set where it is empty', () => {
    const env = { VENUE_BASE_URL: '', BOOKEND_CONTROL_TOKEN: ' ' };
    const settings = load('markets: []', env);
    expect(settings.venue.baseUrl).toBe('http://127.0.0.1:8787/api');
    expect(settings.controlToken).toBeUndefined();
  });

  it('is named in the complaint about what it holds', () => {
    const [problem] = problemsOf('markets: []', { VENUE_WS_URL: 'http://127.0.0.1/ws' });
    expect(problem?.path).toBe('venue.wsUrl');
    expect(problem?.message).toContain('(from VENUE_WS_URL)');
  });

  it('brings the control token, which prints as a mask', () => {
    const { controlToken } = load('markets: []', { BOOKEND_CONTROL_TOKEN: 'sixteen-characters' });
    expect(controlToken?.reveal()).toBe('sixteen-characters');
    expect(String(controlToken)).toBe('[secret]');
  });

  it('may not bring a control token that can be guessed', () => {
    const [problem] = problemsOf('markets: []', { BOOKEND_CONTROL_TOKEN: 'hunter2' });
    expect(problem?.message).toBe('BOOKEND_CONTROL_TOKEN must have 16 characters or more');
    const given = { BOOKEND_CONTROL_TOKEN: 'пароль-пароль-пароль' };
    expect(problemsOf(SMALL, given)[0]?.message).toContain('no characters beyond ASCII');
  });
});

describe('the shadow of a market', () => {
  const shadowOf = (text: string) =>
    `markets: [{ event: rain, strategy: steps, params: { size: 20 }, shadow: ${text} }]`;

  it('is what is different from its parameters, and nothing else', () => {
    expect(load(shadowOf('{ levels: 5 }')).markets[0]).toMatchObject({ params: { size: 20 } });
    expect(load(shadowOf('{ levels: 5 }')).markets[0]?.shadow).toEqual({ levels: 5 });
    expect(load(shadowOf('{}')).markets[0]?.shadow).toEqual({});
  });

  it('is checked as they are', () => {
    expect(paths(problemsOf(shadowOf('{ levels: 0, sice: 3 }'))).toSorted()).toEqual([
      'markets[0].shadow.levels',
      'markets[0].shadow.sice',
    ]);
    expect(paths(problemsOf(shadowOf('3')))).toEqual(['markets[0].shadow']);
  });
});

describe('a configuration with mistakes', () => {
  it('names as many as anybody reads, and how many more there are', () => {
    const map = (count: number) =>
      Array.from({ length: count }, (_, index) => `k${index}: 1`).join(', ');
    const ofOneMap = problemsOf(`{ markets: [], risk: { ${map(2_000)} } }`);
    expect(ofOneMap.map(({ message }) => message)).toContain('has 1950 more keys that are none');
    expect(ofOneMap).toHaveLength(51);
    const markets = Array.from({ length: 300 }, () => '{ event: rain, strategy: none }');
    const ofMany = problemsOf(`markets: [${markets.join(', ')}]`);
    expect(ofMany).toHaveLength(201);
    expect(ofMany.at(-1)).toMatchObject({ path: '', message: 'and 100 more problems' });
  });

  it('is told all of them at once, each with its path and line', () => {
    const problems = problemsOf(`
markets:
  - event: rain
    strategy: steps
    params: { levels: 0, size: much, sice: 3 }
  - strategy: stepz
risk: { maxLossUsdc: -1, maxOpenOrders: 1.5 }
orders: { preferSell: no }
logging: { level: loud }
`);
    expect(problems.map(({ path, line }) => `${line} ${path}`)).toEqual(
      [
        '5 markets[0].params.sice',
        '5 markets[0].params.levels',
        '5 markets[0].params.size',
        '6 markets[1].strategy',
        '7 risk.maxOpenOrders',
        '7 risk.maxLossUsdc',
        '8 orders.preferSell',
        '9 logging.level',
      ]
        .toSpliced(3, 0, 'undefined markets[1].event')
        .toSorted((a, b) => lineOf(a) - lineOf(b)),
    );
  });

  it.each([
    [
      'risk: { maxLossUsdc: -1 }',
      'risk.maxLossUsdc',
      'must be a number from 1 to 10000000 (USDC), not -1',
    ],
    [
      'risk: { maxLossUsdc: "250" }',
      'risk.maxLossUsdc',
      'must be a number from 1 to 10000000 (USDC), not "250"',
    ],
    [
      'risk: { maxLossUsdc: .nan }',
      'risk.maxLossUsdc',
      'must be a number from 1 to 10000000 (USDC), not NaN',
    ],
    [
      'risk: { maxLossUsdc: .inf }',
      'risk.maxLossUsdc',
      'must be a number from 1 to 10000000 (USDC), not Infinity',
    ],
    [
      'risk: { maxLossUsdc: }',
      'risk.maxLossUsdc',
      'must be a number from 1 to 10000000 (USDC), not nothing',
    ],
    [
      'risk: { maxOpenOrders: { a: { b: 1 } } }',
      'risk.maxOpenOrders',
      'must be a whole number from 1 to 2000 (orders), not {"a":{"b":1}}',
    ],
    ['risk: [1]', 'risk', 'must be a map of keys, not [1]'],
    ['risk:', 'risk', 'must be a map of keys, not nothing'],
    ['orders: { preferSell: no }', 'orders.preferSell', 'must be true or false, not "no"'],
    ['orders: { timeInForce: FAK }', 'orders.timeInForce', 'must be one of GTC, GTD, not "FAK"'],
    [
      'orders: { scope: own, externalOrders: adopt }',
      'orders.externalOrders',
      'must be cancel where orders.scope is own, which leaves such orders alone',
    ],
    [
      'orders: { gtd: { renewMs: 70000 } }',
      'orders.gtd.renewMs',
      'must be at most half of the shortest lifetime (135000), not 70000',
    ],
    [
      'orders: { writesPer10s: 301 }',
      'orders.writesPer10s',
      'must be a whole number from 1 to 300 (requests), not 301',
    ],
    [
      'timing: { unknownHorizonMs: 4500 }',
      'timing.unknownHorizonMs',
      'must be a whole number from 30000 to 600000 (ms), not 4500',
    ],
    [
      'http: { port: 70000 }',
      'http.port',
      'must be a whole number from 0 to 65535 (port), not 70000',
    ],
    [
      'http: { allowedHosts: bookend }',
      'http.allowedHosts',
      'must be a list of at most 20 items, each a host name without port, not "bookend"',
    ],
    [
      'venue: { baseUrl: ftp://x/api }',
      'venue.baseUrl',
      'without user, query or fragment, not "ftp://x/api"',
    ],
    ['venue: { baseUrl: "http://x/" }', 'venue.baseUrl', 'that ends in /api'],
    ['rsik: { maxLossUsdc: 1 }', 'rsik', 'is not a key; did you mean risk?'],
    ['something: 1', 'something', 'is not a key; known keys are venue, markets, risk'],
    ['"risk.maxLossUsdc": 1', 'risk.maxLossUsdc', 'is not a key'],
    ['__proto__: { isAdmin: true }', '__proto__', 'is not a key'],
    ['constructor: 1', 'constructor', 'is not a key'],
    [
      'paper: { settlementMsMin: 9, settlementMsMax: 5 }',
      'paper.settlementMsMax',
      'must be at least paper.settlementMsMin (9), not 5',
    ],
    [
      'paper: { events: [{ slug: a, title: b, tickSize: 0.01, markets: [] }] }',
      'paper.events[0].tickSize',
      'must be one of "0.01", "0.001", not 0.01',
    ],
    [
      'paper: { events: [{ slug: A B, title: b, markets: [] }] }',
      'paper.events[0].slug',
      'must be lower-case words joined by dashes, not "A B"',
    ],
    [
      'timing: { proofQuietMs: 9000, proofDeadlineMs: 9000 }',
      'timing.proofDeadlineMs',
      'must be at least twice timing.proofQuietMs (9000), not 9000',
    ],
    [
      'venue: { writeShare: 0.5 }',
      'orders.writesPer10s',
      'must be at most 150, since venue.writeShare is 0.5 of 300; not 240',
    ],
  ])('is refused for %s', (text, path, message) => {
    const problems = problemsOf(`markets: []\n${text}`);
    expect(paths(problems)).toEqual([path]);
    expect(problems[0]?.message).toContain(message);
  });

  it('is one error with a code and a readable text', () => {
    const file = fileOf('markets: []\nrisk: { maxLossUsdc: 0 }');
    expect(() => loadSettings({ file, env: {}, strategies: STRATEGIES })).toThrow(
      expect.objectContaining({
        code: 'settings.invalid',
        file,
        message:
          `the configuration is not usable: ${file}\n` +
          '  risk.maxLossUsdc: must be a number from 1 to 10000000 (USDC), not 0 (line 2)',
      }),
    );
  });

  it('names an address whose port there is not, which a kill goes on with', () => {
    const text =
      'markets: []\nvenue: { baseUrl: "http://127.0.0.1:87870/api", wsUrl: "ws://[::1/ws" }';
    const right = 'must be an address with a host and, if any, a port up to 65535, not';
    expect(problemsOf(text)).toEqual([
      { path: 'venue.baseUrl', line: 2, message: `${right} http://127.0.0.1:87870/api` },
      { path: 'venue.wsUrl', line: 2, message: `${right} ws://[::1/ws` },
    ]);
    const file = fileOf(text);
    expect(loadKillSettings({ file, env: {} }).venue.baseUrl).toBe('http://127.0.0.1:87870/api');
  });

  it('is refused when the file is not there', () => {
    const source = { file: '/nowhere/bookend.yaml', env: {}, strategies: STRATEGIES };
    expect(() => loadSettings(source)).toThrow(
      '/nowhere/bookend.yaml\n  there is no such file (ENOENT); `bookend init` writes one',
    );
  });
});

function lineOf(text: string): number {
  const line = Number(text.split(' ')[0]);
  return Number.isNaN(line) ? 0 : line;
}

describe('the list of markets', () => {
  it('must be there, so that half a file does not pull every quote', () => {
    const problems = problemsOf('risk: { maxLossUsdc: 100 }');
    expect(problems).toEqual([
      { path: 'markets', line: undefined, message: 'is missing; it must be a list, [] for none' },
    ]);
  });

  it('names the strategies there are when one is not', () => {
    const [problem] = problemsOf('markets: [{ event: rain, strategy: step }]');
    expect(problem).toEqual({
      path: 'markets[0].strategy',
      line: 1,
      message: 'must be one of steps, still, not "step"; did you mean steps?',
    });
  });

  it('takes ids in quotes, and says so when they are numbers', () => {
    const list = "markets: [{ event: '12', market: '0x1f', strategy: still }]";
    expect(load(list).markets[0]).toMatchObject({ event: '12', market: '0x1f' });
    const problems = problemsOf('markets: [{ event: 12, market: 0x1f, strategy: still }]');
    expect(paths(problems)).toEqual(['markets[0].event', 'markets[0].market']);
    expect(problems[1]?.message).toContain('put quotes around a number, not 31');
  });

  it('may name a module that a running daemon has not loaded, and hears what helps', () => {
    const [problem] = problemsOf('markets: [{ event: rain, strategy: ./mine.js }]');
    expect(problem?.message).toBe(
      'names a module that was not loaded when the daemon started: ./mine.js; restart it',
    );
  });

  it('may not have a market twice, alone or within its whole event', () => {
    const twice = (one: string, other: string): readonly string[] =>
      paths(problemsOf(`markets: [{ ${one} strategy: still }, { ${other} strategy: steps }]`));
    expect(twice('event: a, market: m,', 'event: a, market: m,')).toEqual(['markets[1]']);
    expect(twice('event: a,', 'event: a, market: m,')).toEqual(['markets[1]']);
    expect(
      load(
        'markets: [{event: a, market: m, strategy: still}, {event: a, market: n, strategy: still}]',
      ).markets,
    ).toHaveLength(2);
  });

  it('is a list', () => {
    expect(paths(problemsOf('markets: { event: rain }'))).toEqual(['markets']);
    expect(paths(problemsOf('markets: [7]'))).toEqual(['markets[0]']);
    expect(paths(problemsOf('markets: [{ event: a, strategy: still, params: 3 }]'))).toEqual([
      'markets[0].params',
    ]);
  });
});

describe('YAML that is not what it seems', () => {
  it.each([
    ['markets: []\nmarkets: []', 'the same key stands twice in one map', 2],
    ['markets: []\nrisk:\n\tmaxLossUsdc: 1', 'a tab is used for indentation; use spaces', 3],
    ['- markets', 'must be a map of sections', undefined],
    ['just text', 'must be a map of sections', undefined],
    ['', 'is empty', undefined],
    ['# only a comment', 'is empty', undefined],
    ['markets: [', 'the indentation does not fit the lines above, or a bracket is not closed', 1],
    ['a: 1\n---\nb: 2', 'more than one document in the file; remove the --- between them', 2],
    [
      'markets: *none',
      'an alias (*) names no anchor (&), or one that it stands in, or there are too many of them',
      undefined,
    ],
    ['markets: !secret x', 'a tag (!) is not understood; remove it', 1],
  ])('is refused: %j', (text, message, line) => {
    expect(problemsOf(text)).toContainEqual({ path: '', line, message });
  });

  it('is complained of once where the same fault stands on the same line twice', () => {
    expect(problemsOf('markets: [\n  {')).toHaveLength(1);
  });

  it.each([
    'markets: &m [*m]',
    'markets: []\nrisk: &r { maxLossUsdc: *r }',
    'markets: [{ event: rain, strategy: steps, shadow: &s { levels: *s } }]',
  ])('is refused when an alias stands in what it names: %j', (text) => {
    expect(problemsOf(text)).toEqual([
      { path: '', line: undefined, message: expect.stringContaining('or one that it stands in') },
    ]);
  });

  it.each(['params', 'shadow'])('is refused in words when a key of %s has a dot', (map) => {
    const text = `markets: [{ event: rain, strategy: steps, ${map}: { levels: 2, "a.b": 1 } }]`;
    const messages = problemsOf(text).map(({ path, message }) => `${path}: ${message}`);
    expect(messages).toContainEqual(
      expect.stringContaining('markets[0]: must have no key with a dot in its name'),
    );
    expect(messages).toContainEqual(expect.stringContaining(`markets[0].${map}.a.b: is not a key`));
  });

  it('is refused when aliases multiply', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (const name of ['b', 'c', 'd', 'e']) {
      const before = String.fromCharCode(name.charCodeAt(0) - 1);
      bomb.push(`${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(',')}]`);
    }
    expect(problemsOf(bomb.join('\n'))[0]?.message).toContain('too many');
  });

  it('never crashes the reader, whatever the tree', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (tree) => {
        try {
          load(JSON.stringify({ markets: tree, risk: tree, orders: { gatherMs: tree }, x: tree }));
        } catch (error) {
          expect(error).toBeInstanceOf(SettingsError);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a credential that stands in the file', () => {
  const SECRET = 'c3VwZXJzZWNyZXQ';

  it.each([
    `venue: { apiSecret: ${SECRET} }`,
    `venue: { apiKey: ${SECRET} }`,
    `venue: { passphrase: ${SECRET} }`,
    `http: { controlToken: ${SECRET} }`,
    `secrets: { anything: ${SECRET} }`,
  ])('is refused with where it belongs, and not repeated: %s', (text) => {
    const problems = problemsOf(`markets: []\n${text}`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('VENUE_CREDENTIALS_FILE');
    expect(JSON.stringify(problems)).not.toContain(SECRET);
  });

  it.each([
    `venue: { baseUrl: "https://user:${SECRET}@x/api" }`,
    `venue: { baseUrl: "https://x/api?key=${SECRET}" }`,
    `venue: { apiSecret: "${SECRET}`,
    `venue: { apiSecret: ${SECRET}: x }`,
    `\tapiSecret: ${SECRET}`,
    `apiSecret ${SECRET}`,
  ])('is not repeated by a complaint about its surroundings: %s', (text) => {
    expect(JSON.stringify(problemsOf(`markets: []\n${text}`))).not.toContain(SECRET);
  });
});

describe('the settings of a kill', () => {
  const kill = (text: string, env = {}) => loadKillSettings({ file: fileOf(text), env });

  it('do not mind what is wrong with strategies, limits or unknown sections', () => {
    const { venue, journal, controlToken } = kill(
      `
venue: { baseUrl: https://venue.example/api }
markets: [{ event: rain, strategy: gone, params: { levels: -3 } }]
risk: { maxLossUsdc: much }
rsk: {}
journal: { path: data/mine.db }
`,
      { BOOKEND_CONTROL_TOKEN: 'short' },
    );
    expect([venue.baseUrl, journal.path, controlToken]).toEqual([
      'https://venue.example/api',
      'data/mine.db',
      undefined,
    ]);
  });

  it.each(['owm', '[own]', ''])(
    'mean the account where the scope is no word for one: %s',
    (scope) => {
      expect(kill(`orders: { scope: ${scope} }`).orders).toEqual({ scope: 'account' });
    },
  );

  it('are refused where the venue itself cannot be found', () => {
    expect(() => kill('venue: { baseUrl: venue.example }')).toThrow(SettingsError);
    expect(() => kill('- a list')).toThrow(SettingsError);
  });

  it('agree with those of the daemon', () => {
    const text = `${SMALL}
timing: { proofQuietMs: 300, proofDeadlineMs: 9000 }
http: { port: 1234 }
orders: { scope: own }
`;
    const env = { BOOKEND_CONTROL_TOKEN: 'long enough to be a token' };
    expect(load(text, env)).toMatchObject(kill(text, env));
  });
});
