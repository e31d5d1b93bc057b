// Every row of the import table and every ban of the linter bites, and lets pass what it should.

import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Case,
  coreCases,
  doorCases,
  formCases,
  globalCases,
  IMPORTS,
  importing,
  nodeModuleCases,
  packageCases,
  tableCases,
  wireDateCases,
} from './lint-cases.ts';
import { type Complaints, lint } from './lint-sandbox.ts';
import { shapeCases, testFileCases } from './lint-shapes.ts';
import { CORE_LAYERS, folderOf, PACKAGE_ROOMS, ROOMS } from './rooms.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('the import table of a room', () => check(tableCases()));
describe('the layers of the core', () => check(coreCases()));
describe('an import that leaves its row', () => check(formCases()));
describe('the import table', () => check(doorCases()));
describe('a package belongs to its rooms', () => check(packageCases()));
describe('node: modules', () => check(nodeModuleCases()));
describe('globals of a pure room', () => check(globalCases()));
describe('dates', () => check(wireDateCases()));
describe('the shape of code', () => check(shapeCases()));
describe('test files', () => check(testFileCases()));

describe('main', () => {
  it('imports cli and nothing else', async () => {
    const path = 'src/main.ts';
    const rooms = ROOMS.map((room) => `../${folderOf(room)}/x.ts`);
    const text = rooms.map((from) => importing(from)).join('');
    const complaints = await lint(new Map([[path, text]]));
    const lines = complaints.get(path)?.get(IMPORTS) ?? [];
    const refused = rooms.filter((_from, index) => lines.includes(index * 2 + 1));
    expect(refused).toEqual(rooms.filter((from) => from !== '../src/cli/x.ts'));
  });
});

describe('the project', () => {
  it.each([
    ['src', ROOMS],
    ['src/core', CORE_LAYERS.flat()],
  ] as const)('has no room in %s that the table does not know', (folder, known) => {
    const entries = readdirSync(`${ROOT}/${folder}`, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(folders.filter((name) => !(known as readonly string[]).includes(name))).toEqual([]);
  });

  it('has a row for every dependency, so that a new one is a decision', () => {
    const manifest = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect(Object.keys(PACKAGE_ROOMS).toSorted()).toEqual(
      Object.keys(manifest.dependencies).toSorted(),
    );
  });
});

/** Lints all cases in one run, and makes one test of each group. */
function check(cases: readonly Case[]): void {
  let complaints: Complaints = new Map();
  beforeAll(async () => {
    complaints = await lint(new Map(cases.map(({ path, text }) => [path, text])));
  });
  it.each([...new Set(cases.map(({ group }) => group))])('%s', (name) => {
    const group = cases.filter((one) => one.group === name);
    const refused = group.filter(({ path, rule }) => complaints.get(path)?.has(rule));
    expect(refused.map(({ path }) => path)).toEqual(
      group.filter(({ isRefused }) => isRefused).map(({ path }) => path),
    );
  });
}
