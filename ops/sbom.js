#!/usr/bin/env node
// What a release or an image is made of, as CycloneDX on stdout: the packages of the lock, for every platform. With
// `--machine`, as in the image, also Node, its npm with what is inside it, what the binary of the database is made of
// as far as it says so, and every package of Debian that is installed where this runs.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

const FIELDS = ['Package', 'Version', 'Architecture', 'source:Package', 'source:Version'];
/** Where an image of Node keeps what it brings along: npm with what is inside it, and maybe others. */
const BROUGHT = [join(dirname(process.execPath), '../lib/node_modules'), '/opt'];

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const sbom = JSON.parse(
  output('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx']).trim(),
);
// npm names it by its folder.
Object.assign(sbom.metadata.component, { name, version, type: 'application' });
if (process.argv.includes('--machine')) {
  const found = [...runtimes(), ...database(), ...debian()];
  sbom.components.push(...new Map(found.map((each) => [each['bom-ref'], each])).values());
}
process.stdout.write(`${JSON.stringify(sbom, undefined, 2)}\n`);

/** Node brings libraries of its own along, as OpenSSL: they are named with it. */
function runtimes() {
  const { node = '', ...within } = process.versions;
  const parts = Object.entries(within).map(([part, value]) => ({
    name: `node:${part}`,
    value: String(value),
  }));
  const brought = BROUGHT.flatMap((folder) => packagesIn(folder));
  return [
    { ...component('node', node, `pkg:generic/node@${node}`), properties: parts },
    ...brought.map((each) =>
      component(each.name, each.version, `pkg:npm/${each.name}@${each.version}`),
    ),
  ];
}

/**
 * With those that stand inside of others.
 * @param {string} folder
 * @returns {{ readonly name: string, readonly version: string }[]}
 */
function packagesIn(folder) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((each) => {
    const at = join(folder, each);
    if (each.startsWith('@')) return packagesIn(at);
    const file = join(at, 'package.json');
    const own = existsSync(file) ? [JSON.parse(readFileSync(file, 'utf8'))] : [];
    return [...own, ...packagesIn(join(at, 'node_modules'))];
  });
}

/** Its compiler leaves the places of sources in a binary, and with them the versions of most of its parts. */
function database() {
  const Database = createRequire(join(process.cwd(), 'package.json'))('libsql');
  const { is } = new Database(':memory:').prepare('SELECT sqlite_version() AS "is"').get();
  const built = 'node_modules/@libsql';
  const binaries = readdirSync(built).map((each) => join(built, each, 'index.node'));
  const crates = binaries.flatMap((file) => [
    ...readFileSync(file, 'latin1').matchAll(
      /index\.crates\.io-[0-9a-f]{16}\/([\w-]+)-(\d[\w.+-]*)\//g,
    ),
  ]);
  return [
    component('sqlite', is, `pkg:generic/sqlite@${is}`),
    ...crates.map(([, of = '', version = '']) =>
      component(of, version, `pkg:cargo/${of}@${encodeURIComponent(version)}`),
    ),
  ].map((each) => ({ ...each, properties: [{ name: 'bookend:inside', value: '@libsql' }] }));
}

function debian() {
  const format = `\${db:Status-Status}\\t${FIELDS.map((field) => `\${${field}}`).join('\\t')}\\n`;
  const lines = output('dpkg-query', ['--show', `--showformat=${format}`])
    .trim()
    .split('\n');
  const installed = lines
    .map((line) => line.split('\t'))
    .filter(([status]) => status === 'installed');
  const distro = codename();
  return installed.map(([, deb = '', is = '', arch = '', source = '', sourceIs = '']) => {
    const query = new URLSearchParams({ arch, distro });
    const purl = `pkg:deb/debian/${encodeURIComponent(deb)}@${encodeURIComponent(is)}?${query}`;
    const properties = [{ name: 'deb:source', value: `${source} ${sourceIs}` }];
    return { ...component(deb, is, purl), properties };
  });
}

/** `debian-12` */
function codename() {
  const text = readFileSync('/etc/os-release', 'utf8');
  const of = (/** @type {string} */ key) =>
    new RegExp(`^${key}="?([^"\\n]*)`, 'm').exec(text)?.[1] ?? '';
  return `${of('ID')}-${of('VERSION_ID')}`;
}

/**
 * @param {string} of
 * @param {string} is
 * @param {string} purl
 */
function component(of, is, purl) {
  return { 'bom-ref': purl, type: 'library', name: of, version: is, scope: 'required', purl };
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
function output(program, args) {
  return execFileSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 50_000_000,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
