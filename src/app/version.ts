// The version of this build, from the package it was built from.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside `src/` as source, beside `dist/` compiled. */
const CANDIDATES = ['../../', '../../../'];

export function packageVersion(): string {
  for (const candidate of CANDIDATES) {
    const version = versionIn(new URL(`${candidate}package.json`, import.meta.url));
    if (version !== undefined) return version;
  }
  return 'unknown';
}

/** Where a file of the package is, `config/schema.json` for instance, whether it is there or not. */
export function packageFile(path: string): string {
  const folders = CANDIDATES.map((candidate) => new URL(candidate, import.meta.url));
  const own = folders.find((folder) => existsSync(new URL('package.json', folder)));
  return fileURLToPath(new URL(path, own ?? folders[0]));
}

function versionIn(file: URL): string | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const isBookend = typeof content === 'object' && content !== null && 'version' in content;
    return isBookend && typeof content.version === 'string' ? content.version : undefined;
  } catch {
    return undefined;
  }
}
