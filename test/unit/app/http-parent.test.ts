// Where the process that serves HTTP has its socket for the trader.

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { folderIn } from '../../../src/app/http-parent.ts';

const folder = mkdtempSync(join(tmpdir(), 'bookend-folder-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('has it in the first place that takes a folder', () => {
  const made = folderIn([join(folder, 'none'), folder], join(folder, 'data'));
  expect(dirname(made)).toBe(folder);
  expect(statSync(made).mode & 0o777).toBe(0o700);
});

it('has it beside the journal where a container may write nowhere else', () => {
  const beside = join(folder, 'data');
  const made = folderIn([join(folder, 'none'), '/proc'], beside);
  expect(dirname(made)).toBe(beside);
  expect(statSync(beside).mode & 0o777).toBe(0o700);
});

it('says that the journal cannot be written where nothing can', () => {
  writeFileSync(join(folder, 'file'), '');
  const beside = join(folder, 'file', 'data');
  expect(() => folderIn([], beside)).toThrow(`${beside} (ENOTDIR)`);
});
