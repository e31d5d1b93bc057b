// How a command and a daemon know that they mean the same journal.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';
import { wholePath } from '../../../src/journal/files.ts';
import { tempFolder } from '../../support/temp-folder.ts';

it('names a journal alike by every link, before its folder is made and after', async () => {
  const folder = tempFolder('whole-path');
  const [real, link] = [join(folder, 'real'), join(folder, 'link')];
  mkdirSync(real);
  symlinkSync(real, link);
  const journal = await wholePath(join(real, 'data/bookend.db'));
  const names = async () => [
    await wholePath(join(link, 'data/bookend.db')),
    await wholePath(relative(process.cwd(), join(link, 'data/bookend.db'))),
  ];
  expect(await names()).toEqual([journal, journal]);
  mkdirSync(join(real, 'data'));
  expect(await names()).toEqual([journal, journal]);
  writeFileSync(journal, '');
  expect(await names()).toEqual([journal, journal]);
  expect(await wholePath(join(real, 'data/paper.db'))).not.toBe(journal);
});
