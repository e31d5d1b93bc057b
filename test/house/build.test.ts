// Scenes run what was compiled, and compile it where something of it is newer.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { isBuilt } from '../support/build.ts';
import { tempFolder } from '../support/temp-folder.ts';

it.each([
  ['nothing', undefined, true],
  ['a source', 'src/app/loop.ts', false],
  ['a strategy', 'strategies/ladder.ts', false],
  ['how it is bundled', 'rolldown.config.ts', false],
  ['a package', 'package-lock.json', false],
])('a build is as new as its sources where %s has changed since', async (_, changed, isNew) => {
  const root = tempFolder('build');
  const write = (file: string, atSec: number) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
    utimesSync(join(root, file), atSec, atSec);
  };
  for (const file of ['src/main.ts', 'strategies/ladder.ts', 'rolldown.config.ts'])
    write(file, 1_000);
  write('dist/src/main.js', 2_000);
  if (changed !== undefined) write(changed, 3_000);
  expect(await isBuilt(root)).toBe(isNew);
});
