// The guard process has nothing of the daemon in it: whatever makes a trader fail is not loaded.

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './project-files.ts';

/** What a file loads when it is loaded: imports of types and on demand are not. */
const IMPORT = /^(?:import|export) (?!type\b)(?:[^'";]*? from )?'([^']+)';/gms;

function loadedBy(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [whole, target] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const isTypes = /^import \{(?:\s*type [^,}]+,?)+\s*\} from/.test(whole);
    if (isTypes) continue;
    if (target?.startsWith('.')) loadedBy(join(dirname(file), target), found);
    else if (target !== undefined && !target.startsWith('node:')) found.add(target);
  }
  return found;
}

describe.each([
  ['src/cli/run.ts', 'src/cli/run-guarded.ts'],
  ['src/cli/paper.ts', 'src/cli/paper-guarded.ts'],
])('%s, with %s while its trader loads', (command, guarded) => {
  const both = loadedBy(join(ROOT, guarded), new Set(loadedBy(join(ROOT, command))));
  const loaded = [...both].map((path) => (path.startsWith('/') ? relative(ROOT, path) : path));

  it('loads no core, strategy, ledger, paper venue, socket or server', () => {
    const rooms = /^(?:strategies|src\/(?:core|strategy|paper|backtest|console|venue\/ws))\//;
    expect(loaded.filter((path) => rooms.test(path))).toEqual([]);
    const packages = ['libsql', 'fastify', 'ws', 'prom-client'];
    expect(loaded.filter((path) => packages.includes(path))).toEqual([]);
  });

  it('starts the trader before it loads what watches it', () => {
    const first = [...loadedBy(join(ROOT, command))];
    expect(first.filter((path) => /src\/(?:settings|venue|telemetry|feeds)\//.test(path))).toEqual(
      [],
    );
    expect(first).toContain(join(ROOT, 'src/guard/child.ts'));
  });

  it('loads the kill path', () => {
    expect(loaded).toContain('src/guard/supervisor.ts');
    expect(loaded).toContain('src/venue/http/venue-http.ts');
    expect(loaded).toContain('undici');
  });
});

describe('src/cli/replay.ts', () => {
  const loaded = [...loadedBy(join(ROOT, 'src/cli/replay.ts'))].map((path) =>
    path.startsWith('/') ? relative(ROOT, path) : path,
  );

  it('loads the core, and nothing that reaches a network or a ledger', () => {
    expect(loaded).toContain('src/core/engine.ts');
    const rooms = /^src\/(?:venue|paper|feeds|console|telemetry|journal\/ledger)\//;
    expect(loaded.filter((path) => rooms.test(path))).toEqual([]);
    const packages = ['libsql', 'fastify', 'ws', 'undici', 'prom-client'];
    expect(loaded.filter((path) => packages.includes(path))).toEqual([]);
  });
});
