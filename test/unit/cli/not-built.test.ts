// The file that `npx bookend` starts, before a build and after it.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ROOT } from '../../support/processes.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const PACKAGE = z.object({ bin: z.object({ bookend: z.string() }), files: z.array(z.string()) });
const { bin, files } = PACKAGE.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

function inFolder(mainText: string | undefined) {
  const folder = tempFolder('not-built');
  const started = join(folder, bin.bookend);
  mkdirSync(dirname(started), { recursive: true });
  cpSync(join(ROOT, bin.bookend), started);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  if (mainText !== undefined) {
    mkdirSync(join(folder, 'dist/src'), { recursive: true });
    writeFileSync(join(folder, 'dist/src/main.js'), mainText);
  }
  return spawnSync(process.execPath, [started, 'kill', '--yes'], { encoding: 'utf8' });
}

it('the command of the package is a file that a clone has before a build', () => {
  // npx links it once and for good: where the build had yet to make it, `npx bookend` was `not found` ever after.
  expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('dist/');
  expect(bin.bookend).not.toMatch(/^dist\//);
  expect(files).toContain(bin.bookend);
  expect(statSync(join(ROOT, bin.bookend)).mode & 0o111).toBe(0o111);
});

it('before a build it says what makes one, and fails', () => {
  const { status, stderr } = inFolder(undefined);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^bookend is not built yet: `npm run build` does it/);
});

it('after a build it is the program, with the same arguments and the same exit code', () => {
  const { status, stdout } = inFolder(
    'console.log(process.argv.slice(2).join()); process.exitCode = 4;',
  );
  expect({ status, stdout }).toEqual({ status: 4, stdout: 'kill,--yes\n' });
});
