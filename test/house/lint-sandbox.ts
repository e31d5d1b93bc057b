// Runs the project's own lint configuration on small files in a folder of their own.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const BIOME = join(ROOT, 'node_modules/.bin/biome');

/** Lines complained about, by path and then by rule. */
export type Complaints = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;

/** Lints the files of a map from path to text, laid out as in the project. */
export async function lint(files: ReadonlyMap<string, string>): Promise<Complaints> {
  const folder = mkdtempSync(join(tmpdir(), 'bookend-lint-'));
  try {
    layOut(folder, files);
    return complaintsOf(await run(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function layOut(folder: string, files: ReadonlyMap<string, string>): void {
  for (const name of ['biome.json', '.gitignore', 'package.json', 'tsconfig.json', '.ci/lint']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Biome ends with a failure code whenever it complains, so only its report is looked at. */
function run(folder: string): Promise<string> {
  const args = ['lint', '--max-diagnostics=none', '--reporter=json', '.'];
  return new Promise((done) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    execFile(BIOME, args, options, (_failure, stdout) => done(stdout));
  });
}

type Report = {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly location: { readonly path: string; readonly start: { readonly line: number } };
  }[];
};

function complaintsOf(text: string): Complaints {
  const report = JSON.parse(text) as Report;
  const complaints = new Map<string, Map<string, number[]>>();
  for (const { category, location } of report.diagnostics) {
    const rule = category.split('/').at(-1) ?? category;
    const rules = complaints.get(location.path) ?? new Map<string, number[]>();
    rules.set(rule, [...(rules.get(rule) ?? []), location.start.line]);
    complaints.set(location.path, rules);
  }
  return complaints;
}
