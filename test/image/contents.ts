// What is in the image: how large it is, what it says of itself, and whether its SBOM names all of it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { BASE, IMAGE, type Podman } from './podman.ts';

const MB = 1_000_000;
const LAYERS_MB_MAX = 135;

type Image = {
  readonly Size: number;
  readonly User: string;
  readonly Config: {
    readonly Entrypoint: readonly string[];
    readonly Volumes: Readonly<Record<string, object>>;
    readonly StopSignal: string;
    readonly ExposedPorts: Readonly<Record<string, object>>;
  };
  readonly Healthcheck: { readonly Test: readonly string[] };
};

/** @returns The command by which the image looks after its own health. */
export async function checkContents(podman: Podman): Promise<readonly string[]> {
  const image = await inspect(podman, IMAGE);
  const own = (image.Size - (await inspect(podman, BASE)).Size) / MB;
  assert.ok(own > 1 && own <= LAYERS_MB_MAX, `own layers have ${own} MB of ${LAYERS_MB_MAX}`);
  assert.equal(image.User, 'node');
  assert.equal(image.Config.StopSignal, 'SIGTERM');
  assert.deepEqual(Object.keys(image.Config.Volumes), ['/data']);
  assert.equal(image.Config.Entrypoint[0], 'tini');
  console.log(`✔ ${own.toFixed(0)} MB of its own above Node, of at most ${LAYERS_MB_MAX}`);
  await checkFiles(podman);
  await checkSbom(podman);
  const [kind, ...health] = image.Healthcheck.Test;
  assert.equal(kind, 'CMD');
  return health;
}

async function inspect(podman: Podman, name: string): Promise<Image> {
  const [image] = JSON.parse(await podman.call('image', 'inspect', name)) as Image[];
  assert.ok(image, `no image ${name}`);
  return image;
}

/** Sources, tests and tools of the build stay behind. */
async function checkFiles(podman: Podman): Promise<void> {
  const files = (await once(podman, 'ls', '-A', '/app')).trim().split('\n');
  assert.deepEqual(files.toSorted(), [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'config', 'dist', 'node_modules'],
    ...['package.json', 'sbom.cdx.json'],
  ]);
  // Nothing of whoever builds it: credentials may lie beside a configuration of one's own.
  const config = (await once(podman, 'ls', '-A', '/app/config')).trim().split('\n');
  assert.deepEqual(config.toSorted(), [
    ...['README.md', 'live.example.yaml', 'paper.yaml', 'presets', 'schema.json', 'staging.yaml'],
  ]);
  const tools = await once(
    podman,
    'sh',
    '-c',
    'ls -d node_modules/typescript node_modules/vitest; :',
  );
  assert.equal(tools.trim(), '');
}

type Sbom = {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly object[];
    readonly properties?: readonly { readonly name: string }[];
  }[];
};
type Lock = { readonly packages: Readonly<Record<string, { version: string; dev?: boolean }>> };

/**
 * Every package that the lock ships, and every one that lies in the image, with its version and checksum; and by their
 * versions Node, its npm and what Debian has installed there.
 */
async function checkSbom(podman: Podman): Promise<void> {
  const sbom = JSON.parse(await once(podman, 'cat', '/app/sbom.cdx.json')) as Sbom;
  const shipped = sbom.components.filter(
    ({ hashes = [], properties = [] }) =>
      hashes.length > 0 && !properties.some(({ name }) => name === 'cdx:npm:package:development'),
  );
  const named = new Set(shipped.map(({ name, version }) => `${name} ${version}`));
  const locked = packagesOf(readFileSync('package-lock.json', 'utf8'));
  const installed = packagesOf(await once(podman, 'cat', '/app/node_modules/.package-lock.json'));
  assert.ok(locked.length > 50 && installed.length > 50, 'the lists of packages are too short');
  assert.deepEqual(
    locked.filter((each) => !named.has(each)),
    [],
    'in the lock, not in the SBOM',
  );
  assert.deepEqual(
    installed.filter((each) => !named.has(each)),
    [],
    'installed, not in the SBOM',
  );
  const all = new Set(sbom.components.map(({ name, version }) => `${name} ${version}`));
  const beneath = await beneathOf(podman);
  assert.ok(beneath.length > 50, 'Debian has installed more than that');
  assert.deepEqual(
    beneath.filter((each) => !all.has(each)),
    [],
    'below the packages, not in the SBOM',
  );
  console.log(
    `✔ its SBOM names the ${installed.length} packages in it, all ${locked.length} of the lock and ${beneath.length} below`,
  );
}

/** What the packages stand on: the list of Debian, Node and npm as they are in the image. */
async function beneathOf(podman: Podman): Promise<readonly string[]> {
  const format = `--showformat=\${Package} \${Version} \${db:Status-Status}\\n`;
  const debian = (await once(podman, 'dpkg-query', '--show', format)).split('\n');
  const node = await once(podman, 'node', '-p', "'node ' + process.versions.node");
  const npm = await once(podman, 'npm', '--version');
  const installed = debian.filter((line) => line.endsWith(' installed'));
  return [
    ...installed.map((line) => line.replace(/ installed$/, '')),
    node.trim(),
    `npm ${npm.trim()}`,
  ];
}

function packagesOf(lock: string): readonly string[] {
  const { packages } = JSON.parse(lock) as Lock;
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(
      ([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)} ${version}`,
    );
}

/** Runs a command in a container that does nothing else. */
async function once(podman: Podman, ...command: readonly string[]): Promise<string> {
  const [program = '', ...args] = command;
  const flags = ['--rm', '--network=none', '--no-healthcheck', '--ulimit=nofile=4096:4096'];
  const limits = ['--ulimit=nproc=4096:4096', '--entrypoint', program];
  return await podman.call('run', ...flags, ...limits, IMAGE, ...args);
}
