// The rooms of the core in their layers, from one short table: an import goes down, or stays in its room.
// Nothing goes up.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Lowest first; rooms of one row know nothing of each other. */
export const LAYERS: readonly (readonly string[])[] = [
  ['kernel'],
  ['orders'],
  ['book'],
  ['positions', 'fair'],
  ['risk'],
  ['quoting'],
  ['sending', 'sets'],
  ['account'],
  ['session'],
];

export type Upward = { readonly pair: string; readonly file: string; readonly imports: string };

const CORE = 'src/core';
const IMPORT = /^\s*(?:import|export)\b[^'"]*?from\s+['"](\.[^'"]+)['"]/gm;

/** Every import between rooms of the core that does not go down. Files outside a room (`world.ts`) are none. */
export function upwardImports(root: string): readonly Upward[] {
  return coreFiles(root).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(IMPORT)].flatMap(([, spec = '']) => {
      const imports = normalize(join(dirname(file), spec));
      const [from, to] = [roomOf(file), roomOf(imports)];
      if (from === undefined || to === undefined || from === to) return [];
      return layerOf(to) < layerOf(from) ? [] : [{ pair: `${from} → ${to}`, file, imports }];
    });
  });
}

/** Files of the core that lie in a folder that is no room of the table. */
export function homeless(root: string): readonly string[] {
  return coreFiles(root).filter((file) => isInFolder(file) && roomOf(file) === undefined);
}

function coreFiles(root: string): readonly string[] {
  return readdirSync(join(root, CORE), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${CORE}/${name}`)
    .sort();
}

function isInFolder(file: string): boolean {
  return file.slice(CORE.length + 1).includes('/');
}

function roomOf(file: string): string | undefined {
  const [room = ''] = file.slice(CORE.length + 1).split('/');
  return isInFolder(file) && layerOf(room) >= 0 ? room : undefined;
}

function layerOf(room: string): number {
  return LAYERS.findIndex((rooms) => rooms.includes(room));
}
