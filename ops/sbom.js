#!/usr/bin/env node
// What a release or an image is made of, as CycloneDX on stdout: the packages of the lock, for every platform. With
// `--machine`, as in the image, also Node, its npm and every package of Debian that is installed where this runs.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
if (process.argv.includes('--machine')) sbom.components.push(...runtimes(), ...debian());
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

/** @param {string} folder */
function packagesIn(folder) {
  const files = existsSync(folder)
    ? readdirSync(folder).map((each) => join(folder, each, 'package.json'))
    : [];
  return files
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')));
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
