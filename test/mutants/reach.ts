// Which tests can notice a change of a file at all, and which of them are nearest to it: those are asked first.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';

/** They start processes, or wait for a disk: whoever can be noticed without them is. */
const SLOW = ['lock.test', 'planted', 'ledger', 'silence.test', 'cli/', 'kill-at', 'daemon'];

export class Reach {
  readonly #root: string;
  readonly #imports = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Of these tests, which may be folders, the files that load this one: the nearest first, and slow ones last. */
  testsOf(file: string, tests: readonly string[]): readonly string[] {
    const ranked = tests
      .flatMap((test) => this.#filesOf(test))
      .map((test) => ({
        test,
        slow: SLOW.findIndex((part) => test.includes(part)),
        steps: this.#steps(test, file),
      }));
    return ranked
      .filter(({ steps }) => steps !== undefined)
      .toSorted((one, other) => one.slow - other.slow || (one.steps ?? 0) - (other.steps ?? 0))
      .map(({ test }) => test);
  }

  #filesOf(test: string): readonly string[] {
    if (!statSync(join(this.#root, test)).isDirectory()) return [test];
    return readdirSync(join(this.#root, test), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${test}/${name}`)
      .toSorted();
  }

  /** Imports from one to the other; `undefined` where there is no way. */
  #steps(from: string, to: string): number | undefined {
    const seen = new Set([from]);
    let ring: readonly string[] = [from];
    for (let steps = 0; ring.length > 0; steps += 1) {
      if (ring.includes(to)) return steps;
      ring = [...new Set(ring.flatMap((file) => this.#importsOf(file)))].filter(
        (file) => !seen.has(file),
      );
      for (const file of ring) seen.add(file);
    }
    return undefined;
  }

  #importsOf(file: string): readonly string[] {
    const known = this.#imports.get(file);
    if (known !== undefined) return known;
    const path = join(this.#root, file);
    const found = existsSync(path) ? importsOf(file, readFileSync(path, 'utf8')) : [];
    this.#imports.set(file, found);
    return found;
  }
}

/** Files of the project that this one loads, by their paths from its root; what only types are taken of is not loaded. */
export function importsOf(file: string, code: string): readonly string[] {
  const found: string[] = [];
  const add = (source: { readonly type: string; readonly value?: unknown } | null) => {
    if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
    found.push(normalize(join(dirname(file), source.value.replace(/\?.*$/, ''))));
  };
  const { program } = parseSync(file, code, { lang: 'ts' });
  new Visitor({
    ImportDeclaration: ({ source, importKind }) => {
      if (importKind !== 'type') add(source);
    },
    ExportNamedDeclaration: ({ source, exportKind }) => {
      if (exportKind !== 'type') add(source);
    },
    ExportAllDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
  }).visit(program);
  return found;
}
