// What we run of others: known by its checksum on every platform, without scripts of its own, under licences that allow it.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tempFolder } from '../support/temp-folder.ts';
import { ROOT } from './project-files.ts';

const isDebian = existsSync('/var/lib/dpkg/status');

const PACKAGE = z.object({
  version: z.string(),
  name: z.string().optional(),
  link: z.boolean().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
type Package = z.infer<typeof PACKAGE>;

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const LOCK = z
  .object({ packages: z.record(z.string(), PACKAGE) })
  .parse(JSON.parse(text('package-lock.json').replace('"": {', '"": {"version": "0",')));
const PACKAGES = Object.entries(LOCK.packages).filter(([path]) => path !== '');
const SHIPPED = PACKAGES.filter(([, { dev }]) => dev !== true);
const named = (found: readonly (readonly [string, Package])[]) =>
  found.map(([path, { version, license }]) => `${path} ${version} ${license}`);

const LICENCES_SHIPPED: readonly string[] = ['MIT', 'Apache-2.0', 'BSD-3-Clause', 'ISC'];
/** Not passed on to anybody, so that a copyleft of single files binds nobody. */
const LICENCES_OF_TOOLS: readonly string[] = [
  ...LICENCES_SHIPPED,
  ...['MIT OR Apache-2.0', 'BSD-2-Clause', '0BSD', 'MPL-2.0'],
];

describe('the lock', () => {
  it('has a checksum for every package, on every platform', () => {
    const bare = PACKAGES.filter(
      ([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
    );
    expect(named(bare)).toEqual([]);
  });

  it('takes everything from the registry', () => {
    const elsewhere = PACKAGES.filter(
      ([, { resolved }]) =>
        resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(named(elsewhere)).toEqual([]);
    expect(text('.npmrc')).not.toMatch(/registry/);
    const { dependencies, devDependencies, overrides } = JSON.parse(text('package.json'));
    const wanted = Object.values({ ...dependencies, ...devDependencies, ...overrides });
    expect(wanted.filter((range) => !/^\^?\d+\.\d+\.\d+$/.test(String(range)))).toEqual([]);
  });

  it('has every package under its own name: none is another one, with a checksum that fits it', () => {
    expect(named(PACKAGES.filter(isAnother))).toEqual([]);
    const [plain = ['', { version: '' }]] = PACKAGES;
    const at = (resolved: string) => ({ ...plain[1], resolved });
    const own = `https://registry.npmjs.org/ws/-/ws-${plain[1].version}.tgz`;
    expect(isAnother(['node_modules/ws', at(own)])).toBe(false);
    expect(isAnother(['node_modules/ws', at(own.replaceAll('ws', 'w5'))])).toBe(true);
    expect(isAnother(['node_modules/ws', { ...plain[1], name: 'w5' }])).toBe(true);
    expect(isAnother(['node_modules/ws', { ...plain[1], link: true }])).toBe(true);
  });

  it('has the variants of native packages for every platform', () => {
    const missing = PACKAGES.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => LOCK.packages[`node_modules/${name}`] === undefined)
        .map((name) => `${name} of ${path}`),
    );
    expect(missing).toEqual([]);
    const ledgers = SHIPPED.filter(([path]) => path.startsWith('node_modules/@libsql/'));
    const platforms = ledgers.map(([path]) => path.replace('node_modules/@libsql/', ''));
    expect(platforms).toEqual(
      expect.arrayContaining(['darwin-arm64', 'darwin-x64', 'win32-x64-msvc']),
    );
    for (const libc of ['gnu', 'musl']) {
      expect(platforms).toEqual(
        expect.arrayContaining([`linux-x64-${libc}`, `linux-arm64-${libc}`]),
      );
    }
  });

  it('runs no script of others at an install', () => {
    expect(named(PACKAGES.filter(([, { hasInstallScript }]) => hasInstallScript))).toEqual([]);
  });
});

describe('licences', () => {
  it('are among those that we may ship, or build with', () => {
    const isStrange = (allowed: readonly string[]) => (each: readonly [string, Package]) =>
      !allowed.includes(each[1].license ?? '');
    expect(named(SHIPPED.filter(isStrange(LICENCES_SHIPPED)))).toEqual([]);
    expect(named(PACKAGES.filter(isStrange(LICENCES_OF_TOOLS)))).toEqual([]);
  });

  it('are told where a release is described', () => {
    const shipped = new Set(SHIPPED.map(([, { license }]) => license));
    const [, told = ''] =
      /Licences of what is shipped: ([^\n]+)\./.exec(text('ops/SECURITY.md')) ?? [];
    expect(told.split(', ').toSorted()).toEqual([...shipped].toSorted());
  });
});

/** What the lock says of its checksum, as an SBOM writes it. */
const hexOf = (integrity = '') =>
  Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');

function sbomOf(...args: readonly string[]) {
  const out = execFileSync('npm', ['run', '--silent', 'sbom', '--', ...args], {
    ...{ cwd: ROOT, encoding: 'utf8', maxBuffer: 20_000_000 },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return SBOM.parse(JSON.parse(out));
}

describe('the SBOM', () => {
  it('names every package that is shipped with its version, checksum and licence', () => {
    const { bomFormat, components, metadata } = sbomOf();
    expect(bomFormat).toBe('CycloneDX');
    const { name, version } = JSON.parse(text('package.json'));
    expect(metadata.component).toMatchObject({ name, version });
    const shown = components.filter(({ properties }) => !properties.some(isDevelopment));
    const shipped = SHIPPED.map(([path, { version }]) => `${nameOf(path)}@${version}`);
    expect(shown.map((each) => `${each.name}@${each.version}`).toSorted()).toEqual(
      [...new Set(shipped)].toSorted(),
    );
    const hashes = new Set(SHIPPED.map(([, { integrity }]) => hexOf(integrity)));
    expect(shown.filter((each) => !each.hashes.some(({ content }) => hashes.has(content)))).toEqual(
      [],
    );
  });

  it.runIf(isDebian)('names Node and what Debian has installed, too, where it is asked for', () => {
    const { components } = sbomOf('--machine');
    const named = new Set(components.map((each) => `${each.name} ${each.version}`));
    expect(named).toContain(`node ${process.versions.node}`);
    const format = `--showformat=\${Package} \${Version} \${db:Status-Status}\n`;
    const installed = execFileSync('dpkg-query', ['--show', format], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.replace(' installed', ''));
    expect(installed.length).toBeGreaterThan(20);
    // What binaries and packages have inside, as far as they say it.
    expect([...named].filter((each) => /^(?:sqlite|libsql-sys|rustls) \d/.test(each))).toHaveLength(
      3,
    );
    // A Node that was fetched alone has no npm beside it.
    const beside = join(dirname(process.execPath), '../lib/node_modules');
    const inside = join(beside, 'npm/node_modules/semver/package.json');
    if (existsSync(inside)) {
      expect(named).toContain(`semver ${JSON.parse(readFileSync(inside, 'utf8')).version}`);
    }
    expect(installed.filter((each) => !named.has(each))).toEqual([]);
  });

  it('is made for the image from what is in it: of the same stage as what is shipped', () => {
    const image = text('Dockerfile');
    expect(image).toContain('FROM base AS packages');
    expect(image).toContain('FROM base AS runtime');
    expect(image).toContain('node ops/sbom.js --machine > sbom.cdx.json &&');
    expect(image).toContain('COPY --from=packages /app/sbom.cdx.json ./');
  });
});

/** What of a checkout would be packed. */
function packedIn(cwd: string): readonly string[] {
  const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    ...{ cwd, encoding: 'utf8', maxBuffer: 20_000_000 },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files } = { files: [] }] = PACKED.parse(JSON.parse(out));
  return files.map(({ path }) => path);
}

/** Of people who run the daemon from a checkout: credentials, and what they trade. */
const OWN = ['config/.env', 'config/venue.json', 'config/live.yaml', 'config/presets/.env', '.env'];

describe('what lies in a checkout and is somebody’s own', () => {
  it('is not packed', () => {
    const folder = tempFolder('packed');
    for (const path of ['package.json', 'config', 'LICENSE', 'README.md', 'CHANGELOG.md']) {
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    for (const path of OWN) writeFileSync(join(folder, path), 'secret');
    const paths = packedIn(folder);
    expect(paths).toContain('config/presets/calm-cents.yaml');
    expect(paths.filter((path) => OWN.includes(path))).toEqual([]);
  });

  it('is not sent to the builder of the image', () => {
    const lines = text('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.filter((line) => /^!?config\b/.test(line))).toEqual([
      ...['!config', 'config/*', '!config/README.md', '!config/schema.json', '!config/paper.yaml'],
      ...['!config/live.example.yaml', '!config/staging.yaml'],
      ...['!config/presets', 'config/presets/*', '!config/presets/README.md'],
      '!config/presets/*.yaml',
    ]);
    expect(lines.slice(-2)).toEqual(['**/.env', '**/*.env']);
  });
});

describe('the package', () => {
  it('has what is run, and nothing that tests or types are made of', () => {
    const paths = packedIn(ROOT);
    expect(paths).toEqual(expect.arrayContaining(['src/bookend.js', 'config/paper.yaml']));
    const wanted =
      /^(?:dist\/(?:src|strategies)\/|config\/|src\/(?:bookend\.js|README\.md)$|[^/]+$)/;
    expect(paths.filter((path) => !wanted.test(path) || path.endsWith('.d.ts'))).toEqual([]);
  });
});

const isDevelopment = ({ name }: { readonly name: string }) =>
  name === 'cdx:npm:package:development';

const PACKED = z.array(z.object({ files: z.array(z.object({ path: z.string() })) }));

const SBOM = z.object({
  bomFormat: z.string(),
  metadata: z.object({ component: z.object({ name: z.string(), version: z.string() }) }),
  components: z.array(
    z.object({
      ...{ name: z.string(), version: z.string() },
      hashes: z.array(z.object({ alg: z.literal('SHA-512'), content: z.string() })).default([]),
      properties: z.array(z.object({ name: z.string() })).default([]),
      licenses: z.array(z.object({ license: z.object({ id: z.string() }).optional() })).default([]),
    }),
  ),
});

function isAnother([path, { version, name, link, resolved }]: readonly [string, Package]): boolean {
  const own = nameOf(path);
  const file = own.slice(own.lastIndexOf('/') + 1);
  const address = `https://registry.npmjs.org/${own}/-/${file}-${version}.tgz`;
  return (name ?? own) !== own || link === true || (resolved ?? address) !== address;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
