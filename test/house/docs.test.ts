// What prose and comments claim: headings, commands, scripts and files exist.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, ROOT } from './project-files.ts';
import { decisionsOf, decisionTags, headingsOf, isHeading, specTags } from './spec-tags.ts';
import { undocumentedExports } from './tsdoc.ts';

const SPEC = resolve(ROOT, '../shared/spec/venue-interface.md');
const HAS_SPEC = existsSync(SPEC);
if (!HAS_SPEC) console.warn(`SKIPPED: ${SPEC} is absent, so @spec tags are not compared with it`);

const FILES = projectFiles();

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const CODE = FILES.filter((path) => /^(src|strategies)\/.*\.ts$/.test(path));
const PROSE = FILES.filter((path) => path.endsWith('.md'));
const TEXTS = FILES.filter((path) => !/\.(gz|png)$|package-lock\.json$/.test(path));

describe('a @spec tag', () => {
  const tags = CODE.flatMap((path) => specTags(text(path)).map((tag) => ({ path, ...tag })));

  it('is there', () => {
    expect(tags.length).toBeGreaterThan(0);
  });

  it.skipIf(!HAS_SPEC)('names a heading of the interface document', () => {
    const headings = headingsOf(readFileSync(SPEC, 'utf8'));
    const wrong = tags.filter(({ section }) => !isHeading(headings, section));
    expect(wrong.map(({ path, line, section }) => `${path}:${line} ${section}`)).toEqual([]);
  });
});

describe('a @spec tag of the architecture', () => {
  const known = decisionsOf(text('src/README.md'));
  const tags = CODE.flatMap((path) => decisionTags(text(path)).map((tag) => ({ path, ...tag })));

  it('is there', () => {
    expect(tags.length).toBeGreaterThan(0);
  });

  it('finds the decisions of src/README.md numbered without a gap', () => {
    expect(known.length).toBeGreaterThan(0);
    expect(known).toEqual(known.map((_, index) => index + 1));
  });

  it('names decisions that src/README.md has', () => {
    const wrong = tags.filter(
      ({ decisions }) => decisions.length === 0 || decisions.some((one) => !known.includes(one)),
    );
    expect(wrong.map(({ path, line }) => `${path}:${line}`)).toEqual([]);
  });

  it('is not mistaken where it names no decision, or one that is not there', () => {
    expect(decisionTags('// @spec Architecture decision nine')[0]?.decisions).toEqual([]);
    expect(known).not.toContain(decisionTags('// @spec Architecture decision 99')[0]?.decisions[0]);
  });
});

describe('src/README.md', () => {
  const page = text('src/README.md');

  it('names only files and folders of src that exist', () => {
    const named = [...page.matchAll(/`([a-z]+\/[a-z/-]*(?:\.ts)?)`/g)].map(([, path]) =>
      String(path),
    );
    expect(named.length).toBeGreaterThan(30);
    const here = (path: string) =>
      existsSync(join(ROOT, 'src', path)) || existsSync(join(ROOT, path));
    expect(named.filter((path) => !here(path))).toEqual([]);
  });

  it('names every folder of src', () => {
    const folders = new Set(CODE.map((path) => /^src\/(\w+)\//.exec(path)?.[1] ?? 'core'));
    expect([...folders].filter((folder) => !page.includes(`\`${folder}/\``))).toEqual([]);
  });
});

it('no file was left in the middle of a merge', () => {
  const marks = /^(?:<{7}|>{7}|={7})(?: |$)/m;
  expect(TEXTS.filter((path) => marks.test(text(path)))).toEqual([]);
});

describe('exported functions', () => {
  it.each(['src/wire', 'src/venue'])('of %s say what they do', (room) => {
    const files = CODE.filter((path) => path.startsWith(`${room}/`));
    const bare = files.flatMap((path) =>
      undocumentedExports(text(path)).map(({ line, name }) => `${path}:${line} ${name}`),
    );
    expect(bare).toEqual([]);
  });
});

describe('the README', () => {
  const readme = text('README.md');
  const manifest = JSON.parse(text('package.json')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };

  it('gives the two commands that everything begins with', () => {
    expect(readme).toContain('```sh\nnpm ci && npm start\n```');
    expect(readme).toContain('```sh\nnpm ci && npm test\n```');
  });

  it('starts the daemon in place of the shell, so that Ctrl-C and its exit code pass', () => {
    expect(manifest.scripts['start']).toMatch(/^exec node /);
  });

  it('names only scripts that exist', () => {
    const named = [...readme.matchAll(/npm (?:run )?(start|test|check|format|bench|build|sim)\b/g)];
    const scripts = new Set(named.map(([, script]) => String(script)));
    expect([...scripts].filter((script) => !(script in manifest.scripts))).toEqual([]);
  });

  it('names only commands that the program has', () => {
    const commands = text('src/cli/cli.ts');
    const rows = [...readme.matchAll(/^\| `(\w+)[^`]*(?:--config F|--port N)/gm)];
    const named = new Set([
      ...rows.map(([, command]) => String(command)),
      ...[...readme.matchAll(/npx bookend (\w+)/g)].map(([, command]) => String(command)),
    ]);
    expect(named.size).toBeGreaterThan(6);
    expect([...named].filter((command) => !isCommand(command, commands))).toEqual([]);
  });
});

/** A command has a file of its own in cli, which `cli.ts` imports. */
function isCommand(name: string, cli: string): boolean {
  return existsSync(join(ROOT, `src/cli/${name}.ts`)) && cli.includes(`./${name}.ts'`);
}

describe('prose', () => {
  it.each(PROSE)('%s links only to files that exist', (path) => {
    const links = [...text(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)];
    const targets = links.map(([, target]) => join(ROOT, dirname(path), String(target)));
    expect(targets.filter((target) => !existsSync(target))).toEqual([]);
  });

  it('keeps a list of what is not yet released', () => {
    expect(text('CHANGELOG.md')).toMatch(/^## \[Unreleased\]$/m);
  });
});

describe('every file', () => {
  it('names no path of the machine it was written on', () => {
    const paths = /(?:^|[\s'"`(=:])\/(?:work|home|root|Users|private)\/[\w.]/;
    expect(TEXTS.filter((path) => paths.test(text(path)))).toEqual([]);
  });

  it('is finished: nothing is marked for later', () => {
    const marks = new RegExp(`\\b(?:${['TO', 'FIX'].join('DO|')}ME|X${'XX'}|HA${'CK'})\\b`);
    expect(TEXTS.filter((path) => marks.test(text(path)))).toEqual([]);
  });

  it('has no secret', () => {
    const key = /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{36}/;
    expect(TEXTS.filter((path) => key.test(text(path)))).toEqual([]);
  });
});

describe('a build script', () => {
  it.each(['.ci/run', '.ci/long'])('%s can be run', (path) => {
    expect(statSync(join(ROOT, path)).mode & 0o111).not.toBe(0);
  });
});
