// The import table as rules of the linter: one for each room, one for each room of the core, and one for `main.ts`.

import {
  CORE_LAYERS,
  DOORS,
  folderOf,
  mayImport,
  PACKAGE_ROOMS,
  PURE_ROOMS,
  ROOMS,
  type Room,
} from './rooms.ts';

type Pattern = { readonly group: readonly string[]; readonly message: string };

/** The text of `.ci/lint/rooms.json`, which `biome.json` extends. */
export function roomRules(): string {
  const overrides = [
    ...ROOMS.map((room) => rule(`${folderOf(room)}/**`, patternsOf(room))),
    ...CORE_LAYERS.flatMap((rooms, layer) =>
      rooms.map((room) =>
        rule(`src/core/${room}/**`, [...patternsOf('core'), corePattern(room, layer)]),
      ),
    ),
    rule('src/main.ts', mainPatterns()),
  ];
  return `${JSON.stringify({ overrides }, undefined, 1)}\n`;
}

function rule(includes: string, patterns: readonly Pattern[]) {
  const noRestrictedImports = { level: 'error', options: { patterns } };
  return { includes: [includes], linter: { rules: { style: { noRestrictedImports } } } };
}

function patternsOf(room: Room): readonly Pattern[] {
  return [roomPattern(room), packagePattern(room), ...nodePatterns(room)];
}

function roomPattern(room: Room): Pattern {
  const others = ROOMS.filter((other) => other !== room);
  const allowed = others.filter((other) => mayImport(room, other));
  const closed = others.filter((other) => !mayImport(room, other));
  const door = DOORS[room];
  const toStrategy = room === 'strategies' ? ['**/strategy/**', '!**/strategy/index.ts'] : [];
  const toDoor = door === undefined ? [] : [`!**/${door}`];
  return {
    group: [oneOf(['test', ...closed]), ...toStrategy, ...toDoor, '**/main.ts'],
    message: `${room} imports ${named([...allowed, ...(door === undefined ? [] : [door])])}.`,
  };
}

function packagePattern(room: Room | undefined): Pattern {
  const closed = Object.entries(PACKAGE_ROOMS).flatMap(([name, rooms]) =>
    room !== undefined && rooms.includes(room) ? [] : [name],
  );
  const group = `{${closed.filter((name) => name !== 'decimal.js').join(',')}}`;
  return { group: [group, `${group}/**`], message: 'This package belongs to another room.' };
}

function nodePatterns(room: Room): readonly Pattern[] {
  const group = ['node:*', 'node:*/**'];
  if (room === 'wire') {
    const message = 'wire is pure but for node:crypto in the signature.';
    return [{ group: [...group, '!node:crypto'], message }];
  }
  if (!PURE_ROOMS.includes(room)) return [];
  return [{ group, message: 'A pure room has no node: modules; an edge does the I/O.' }];
}

/** Imports in the core go down: neither up, nor beside, nor to the engine. */
function corePattern(room: string, layer: number): Pattern {
  const below = CORE_LAYERS.slice(0, layer).flat();
  const closed = CORE_LAYERS.slice(layer)
    .flat()
    .filter((other) => other !== room);
  const group = [...(closed.length === 0 ? [] : [oneOf(closed)]), '**/engine.ts'];
  return {
    group,
    message: `core/${room} imports ${named(below)} of the core: an import goes down.`,
  };
}

function mainPatterns(): readonly Pattern[] {
  const group = [oneOf(['test', ...ROOMS.filter((room) => room !== 'cli')])];
  const message = 'main hands argv to cli and sets the exit code, nothing more.';
  return [{ group, message }, packagePattern(undefined)];
}

function oneOf(folders: readonly string[]): string {
  return `**/{${folders.join(',')}}/**`;
}

function named(names: readonly string[]): string {
  if (names.length === 0) return 'no other room';
  const last = names.at(-1) ?? '';
  return names.length === 1 ? `${last} only` : `${names.slice(0, -1).join(', ')} and ${last} only`;
}
