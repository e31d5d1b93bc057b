// The version of this build, from the package it was built from.

import { readFileSync } from 'node:fs';

/** Beside `src/` as source, beside `dist/` compiled. */
const CANDIDATES = ['../../package.json', '../../../package.json'];

export function packageVersion(): string {
  for (const candidate of CANDIDATES) {
    const version = versionIn(new URL(candidate, import.meta.url));
    if (version !== undefined) return version;
  }
  return 'unknown';
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
