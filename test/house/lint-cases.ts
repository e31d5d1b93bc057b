// Small files that the linter should refuse or let pass, each with the rule under test.

import {
  CORE_LAYERS,
  folderOf,
  mayImport,
  PACKAGE_ROOMS,
  PURE_ROOMS,
  ROOMS,
  type Room,
} from './rooms.ts';

export type Case = {
  /** Cases of one group make one test. */
  readonly group: string;
  readonly path: string;
  readonly text: string;
  readonly rule: string;
  readonly isRefused: boolean;
};

export const IMPORTS = 'noRestrictedImports';
const GLOBALS = 'noRestrictedGlobals';
const PROPERTIES = 'noJsRestrictedProperties';

export function importing(from: string): string {
  return `import { x } from '${from}';\nexport const y = x;\n`;
}

/** Each room reaching for each other one, from its top and from a folder inside. */
export function tableCases(): readonly Case[] {
  const pairs = ROOMS.flatMap((from) => ROOMS.map((to) => ({ from, to })));
  return pairs
    .filter(({ from, to }) => from !== to)
    .flatMap(({ from, to }) => {
      const target = targetOf(from, to);
      const common = { group: from, rule: IMPORTS, isRefused: !mayImport(from, to) };
      return [
        {
          ...common,
          path: `${folderOf(from)}/to-${to}.ts`,
          text: importing(`${upFrom(from, 0)}${target}`),
        },
        {
          ...common,
          path: `${folderOf(from)}/inner/to-${to}.ts`,
          text: importing(`${upFrom(from, 1)}${target}`),
        },
      ];
    });
}

/** Each room of the core reaching for each other one, and for the engine, from its top and from a folder inside. */
export function coreCases(): readonly Case[] {
  const rooms = CORE_LAYERS.flatMap((names, layer) => names.map((name) => ({ name, layer })));
  return rooms.flatMap((from) => {
    const others = rooms.filter(({ name }) => name !== from.name);
    const targets = [
      ...others.map((to) => ({ path: `${to.name}/x.ts`, isRefused: to.layer >= from.layer })),
      { path: 'engine.ts', isRefused: true },
    ];
    return targets.flatMap(({ path, isRefused }) =>
      ['', 'inner/'].map((inner) => ({
        group: from.name,
        path: `src/core/${from.name}/${inner}to-${path.replaceAll(/\W/g, '-')}.ts`,
        text: importing(`${inner === '' ? '' : '../'}../${path}`),
        rule: IMPORTS,
        isRefused,
      })),
    );
  });
}

/** The way from a room up to the project root. */
function upFrom(from: Room, depth: number): string {
  return '../'.repeat((from === 'strategies' ? 1 : 2) + depth);
}

/** Doors are tried apart: here guard uses venue's closed part, a strategy the open index. */
function targetOf(from: Room, to: Room): string {
  return from === 'strategies' && to === 'strategy'
    ? 'src/strategy/index.ts'
    : `${folderOf(to)}/x.ts`;
}

/** Every way to write an import that leaves its row. */
export function formCases(): readonly Case[] {
  const forms = {
    value: "import { x } from '../venue/x.ts';\nexport const y = x;\n",
    type: "import type { X } from '../venue/x.ts';\nexport type Y = X;\n",
    effect: "import '../venue/x.ts';\n",
    reexport: "export { x } from '../venue/x.ts';\n",
    dynamic: "export const x = () => import('../venue/x.ts');\n",
  };
  const refused = Object.entries(forms).map(([form, text]) => ({
    group: 'every form of import',
    path: `src/core/form-${form}.ts`,
    text,
    rule: IMPORTS,
    isRefused: true,
  }));
  const text = "export type X = import('../venue/x.ts').X;\n";
  const path = 'src/core/form-expression.ts';
  return [...refused, { group: 'type expressions', path, text, rule: 'plugin', isRefused: true }];
}

/** Where the table names a part of a room, not the whole. */
export function doorCases(): readonly Case[] {
  return [
    ['strategies/a.ts', '../src/strategy/index.ts', false],
    ['strategies/b.ts', '../src/strategy/params.ts', true],
    ['src/guard/a.ts', '../venue/http/http.ts', false],
    ['src/guard/b.ts', '../venue/ws/socket.ts', true],
    ['src/guard/c.ts', '../venue/venue.ts', true],
    ['src/main.ts', './cli/cli.ts', false],
    ['src/cli/m.ts', '../main.ts', true],
    ['src/core/book/a.ts', '../orders/plan.ts', false],
    ...ROOMS.map((room) => [`${folderOf(room)}/t.ts`, '../../test/support/x.ts', true] as const),
  ].map(([path, from, isRefused]) => ({
    group: 'narrow doors',
    path: String(path),
    text: importing(String(from)),
    rule: IMPORTS,
    isRefused: isRefused === true,
  }));
}

/** Each dependency in each room, by its name and by a path inside it. */
export function packageCases(): readonly Case[] {
  return Object.entries(PACKAGE_ROOMS).flatMap(([name, rooms]) =>
    ROOMS.flatMap((room) =>
      [name, `${name}/inner.js`].map((from) => ({
        group: name,
        path: `${folderOf(room)}/package-${from.replaceAll(/[^a-z]/g, '-')}.ts`,
        text: importing(from),
        rule: IMPORTS,
        isRefused: !rooms.includes(room),
      })),
    ),
  );
}

export function nodeModuleCases(): readonly Case[] {
  const modules = ['fs', 'fs/promises', 'crypto', 'timers', 'perf_hooks'];
  return ROOMS.flatMap((room) =>
    modules.map((name) => ({
      group: room,
      path: `${folderOf(room)}/node-${name.replaceAll(/\W|_/g, '-')}.ts`,
      text: importing(`node:${name}`),
      rule: IMPORTS,
      isRefused: isPure(room) || (room === 'wire' && name !== 'crypto'),
    })),
  );
}

/** Time, randomness, I/O and what hides them; `app` stands for the rooms that may have them. */
export function globalCases(): readonly Case[] {
  const rooms: readonly Room[] = [...PURE_ROOMS, 'wire', 'app'];
  return rooms.flatMap((room) => [
    ...BANNED_GLOBALS.map((name) => globalCase(name, room, room !== 'app')),
    globalCase('Date', room, isPure(room)),
    globalCase('Buffer', room, isPure(room)),
    globalCase('Promise', room, isPure(room) && room !== 'domain'),
    statement(room, PROPERTIES, room !== 'app', 'Math.random()'),
    statement(room, 'noNull', isPure(room), 'null'),
  ]);
}

const BANNED_GLOBALS = [
  ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval'],
  ...['clearImmediate', 'queueMicrotask', 'performance', 'scheduler', 'process', 'require'],
  ...['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'Worker', 'MessageChannel'],
  ...['BroadcastChannel', 'Atomics', 'navigator', 'localStorage', 'crypto', 'WeakRef'],
  ...['FinalizationRegistry', 'Intl', 'globalThis', 'global', 'self', 'window'],
];

function globalCase(name: string, room: Room, isRefused: boolean): Case {
  const path = `${folderOf(room)}/global-${name.toLowerCase()}.ts`;
  return { group: room, path, text: `export const x = ${name};\n`, rule: GLOBALS, isRefused };
}

function statement(room: Room, rule: string, isRefused: boolean, value: string): Case {
  const path = `${folderOf(room)}/value-${rule.toLowerCase()}.ts`;
  return { group: room, path, text: `export const x = ${value};\n`, rule, isRefused };
}

/** wire reads and writes dates; it may not ask for the time of day. */
export function wireDateCases(): readonly Case[] {
  const rows = [
    ['now', 'Date.now()', PROPERTIES, true],
    ['new', 'new Date()', 'plugin', true],
    ['call', 'Date()', 'plugin', true],
    ['parse', "Date.parse('2026-01-01')", GLOBALS, false],
    ['iso', 'new Date(1).toISOString()', 'plugin', false],
  ] as const;
  return rows.map(([name, value, rule, isRefused]) => ({
    group: 'wire',
    path: `src/wire/date-${name}.ts`,
    text: `export const x = ${value};\n`,
    rule,
    isRefused,
  }));
}

function isPure(room: Room): boolean {
  return PURE_ROOMS.includes(room);
}
