// A run of the tests leaves nothing behind in `/tmp`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectFiles, ROOT } from './project-files.ts';

it('whoever makes a folder in the one for temporary files removes it, or takes it from `tempFolder`', () => {
  const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const making = projectFiles().filter(
    (path) =>
      /^test\/.*\.ts$/.test(path) && /\bmkdtemp(?:Sync)?\(join\(tmpdir\(/.test(textOf(path)),
  );
  expect(making.length).toBeGreaterThan(10);
  expect(making.filter((path) => !/\brm(?:Sync)?\(/.test(textOf(path)))).toEqual([]);
});
