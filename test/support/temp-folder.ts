// Folders of tests, gone when their file is through: a run leaves nothing behind in `/tmp`.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A new one, `/tmp/bookend-settings-x1Y2z3` for `settings`. */
export function tempFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `bookend-${name}-`));
  made.push(folder);
  return folder;
}

/** Behind each file of tests: `test/support/after-file.ts`. */
export function removeTempFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
