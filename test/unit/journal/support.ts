// A journal path in a folder of its own.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function journalIn(name = 'bookend.db'): string {
  return join(mkdtempSync(join(tmpdir(), 'bookend-journal-')), name);
}
