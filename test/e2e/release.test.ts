// What `ops/release` makes: what others install, with a list of its parts and checksums of both.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ROOT } from '../support/processes.ts';
import { tempFolder } from '../support/temp-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const PACKAGE = z.object({ version: z.string() });
const SBOM = z.object({ bomFormat: z.string(), components: z.array(z.object({})) });
const { version } = PACKAGE.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

it('a release is the package that runs, its SBOM and their checksums, in a folder that was empty', () => {
  const folder = join(tempFolder('release'), 'made');
  const make = () => spawnSync(join(ROOT, 'ops/release'), [folder], { encoding: 'utf8' });
  expect(make()).toMatchObject({ status: 0 });
  const packed = `bookend-${version}.tgz`;
  expect(readdirSync(folder).toSorted()).toEqual(['SHA256SUMS', packed, 'sbom.cdx.json']);
  const check = () => spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder }).status;
  expect(check()).toBe(0);
  const sbom = SBOM.parse(JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')));
  expect(sbom.bomFormat).toBe('CycloneDX');
  expect(sbom.components.length).toBeGreaterThan(50);

  const unpacked = tempFolder('unpacked');
  spawnSync('tar', ['--extract', '--file', join(folder, packed), '--directory', unpacked]);
  symlinkSync(join(ROOT, 'node_modules'), join(unpacked, 'package/node_modules'));
  const started = [join(unpacked, 'package/src/bookend.js'), '--version'];
  expect(spawnSync(process.execPath, started, { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(version),
  });

  // Code of others is within it, and so are the texts of their licences.
  const licences = readFileSync(join(unpacked, 'package/dist/src/packages/LICENSES.txt'), 'utf8');
  const each = licences.split(/^={80}$/m).map((text) => text.trim());
  expect(each.map((text) => text.split(' ')[0])).toEqual(expect.arrayContaining(['fastify', 'ws']));
  const isText = (text: string) =>
    /copyright|permission is hereby|brings no text of it along: https/i.test(text);
  expect(each.filter((text) => !isText(text))).toEqual([]);

  writeFileSync(join(folder, 'sbom.cdx.json'), 'other');
  expect(check()).toBe(1);
  expect(make()).toMatchObject({ status: 2, stderr: `${folder} is not empty\n` });
});
