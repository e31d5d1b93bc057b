// `npm run build`: some sixty files in dist/ where the sources are six hundred, and those of the packages a thousand.
// Node takes a while to find and link each file, and a daemon starts four processes: bundled, each is ready in less
// than half the time, at a start and after a death.

import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';
import { defineConfig } from 'rolldown';

/**
 * What keeps a file of its own, at the place that its source has: the program, threads, what strategies outside
 * this folder import, and what tests start from. Whatever else is cut up anew with every build; a module that
 * looks for a file beside it says `../ROOM/file`, which is true in a room and in `parts/`.
 */
const ENTRIES = [
  'src/main',
  'src/app/config-reader',
  'src/app/guard-link',
  'src/app/mark-sampler',
  'src/cli/early-words',
  'src/journal/latch',
  'src/paper/server',
  'src/strategy/index',
];

const PART_DAYS_MAX = 90;

const strategies = readdirSync('strategies')
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `strategies/${basename(name, '.ts')}`);

export default defineConfig({
  input: Object.fromEntries([...ENTRIES, ...strategies].map((name) => [name, `./${name}.ts`])),
  platform: 'node',
  // Packages are of the versions that `npm ci` installed. Two stay there: one is native code, and of the other a browser
  // gets the file.
  external: /^(?:node:|libsql|@libsql|uplot)/,
  output: {
    dir: 'dist',
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: ({ moduleIds }) =>
      // What stands in a trace of an error tells whose it is (`src/app/stray.ts`): that of packages runs for whoever called.
      `src/${isOfPackages(moduleIds) ? 'packages' : 'parts'}/[name]-[hash].js`,
  },
  plugins: [
    {
      name: 'sweep-and-copy',
      buildStart() {
        for (const path of strayStrategies()) rmSync(path, { recursive: true });
        for (const file of oldParts()) rmSync(file);
      },
      writeBundle(_, bundle) {
        cpSync('src/console/page', 'dist/src/console/page', { recursive: true });
        const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
        const texts = licencesOf(chunks.flatMap(({ moduleIds }) => moduleIds));
        writeFileSync('dist/src/packages/LICENSES.txt', texts);
      },
    },
  ],
});

/** A strategy that was deleted must not be found by its name. */
function strayStrategies(): readonly string[] {
  const built = filesIn('dist/strategies');
  return built.filter(
    (file) => !strategies.includes(file.slice('dist/'.length).split('.')[0] ?? ''),
  );
}

/**
 * A daemon that was started from an earlier build may still load a part of it, as its watchdog does for a
 * kill. A part that has not changed is written anew, so that the ones in use stay young.
 */
function oldParts(): readonly string[] {
  const before = Date.now() - PART_DAYS_MAX * 86_400_000;
  const files = ['dist/src/parts', 'dist/src/packages'].flatMap(filesIn);
  return files.filter((file) => statSync(file).mtimeMs < before);
}

/** Of nothing else: a part that only passes on what others export is of no module. */
function isOfPackages(modules: readonly string[]): boolean {
  return modules.length > 0 && modules.every((module) => module.includes('/node_modules/'));
}

/** A release has their code within its own, and their licences ask to be with it. */
function licencesOf(modules: readonly string[]): string {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []);
  const texts = [...new Set(folders)].toSorted().map((folder) => {
    const { name, version, license, homepage } = JSON.parse(
      readFileSync(`${folder}/package.json`, 'utf8'),
    );
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
    const said = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim());
    if (said.length === 0) said.push(`It brings no text of it along: ${homepage}`);
    return [`${name} ${version}, ${license}`, ...said].join('\n\n');
  });
  return `${texts.join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

function filesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}`) : [];
}
