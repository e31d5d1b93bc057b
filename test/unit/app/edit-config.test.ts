// Values that an operator changes, as the trader writes them: with a backup, on record, and never over a file that
// somebody else has changed.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigEditor } from '../../../src/app/edit-config.ts';
import type { Recorded } from '../../../src/app/operator-record.ts';
import { revisionOf } from '../../../src/settings/edit.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { STRATEGIES } from '../settings/support.ts';

const TEXT = `# mine
markets:
  - event: rain
    strategy: steps
    params: { levels: 3, size: 50 }   # small
risk: { maxLossUsdc: 100 }
`;

function desk(text = TEXT, inForce = text) {
  const folder = tempFolder('edit');
  const file = join(folder, 'my.yaml');
  writeFileSync(file, text);
  const recorded: Recorded[] = [];
  let reloads = 0;
  const editor = new ConfigEditor({
    source: { file, env: {}, strategies: STRATEGIES },
    record: { add: (entry) => void recorded.push(entry) },
    inForce: () => inForce,
    reload: async () => {
      reloads += 1;
    },
  });
  const edit = async (
    value: number | string,
    { name = 'levels', revision = revisionOf(text) } = {},
  ) =>
    await editor.edit({ revision, edits: [{ path: ['markets', 0, 'params', name], value }] }, 'me');
  return { folder, file, recorded, edit, reloads: () => reloads };
}

const read = (file: string) => readFileSync(file, 'utf8');

describe('a change of a value', () => {
  it('is written in its place, backed up, recorded with old and new, and applied', async () => {
    const { folder, file, recorded, edit, reloads } = desk();
    const done = await edit(4);
    expect(done.changes).toEqual(['markets[0].params.levels: 3 → 4']);
    expect(read(file)).toBe(TEXT.replace('levels: 3', 'levels: 4'));
    expect(read(`${file}.bak`)).toBe(TEXT);
    expect(readdirSync(folder).sort()).toEqual(['my.yaml', 'my.yaml.bak']);
    expect(recorded).toEqual([
      {
        ...{ by: 'me', action: 'edit', target: file, result: 'done' },
        detail: 'markets[0].params.levels: 3 → 4',
      },
    ]);
    expect(reloads()).toBe(1);
  });

  it('follows a link, which stays one', async () => {
    const { folder, file, edit } = desk();
    const kept = join(folder, 'kept.yaml');
    const other = desk();
    writeFileSync(kept, TEXT);
    writeFileSync(file, '');
    const link = join(other.folder, 'link.yaml');
    symlinkSync(kept, link);
    const editor = new ConfigEditor({
      source: { file: link, env: {}, strategies: STRATEGIES },
      record: { add: () => {} },
      inForce: () => TEXT,
      reload: async () => {},
    });
    const edits = [{ path: ['risk', 'maxLossUsdc'], value: 90 }];
    await editor.edit({ revision: revisionOf(TEXT), edits }, 'me');
    expect(read(kept)).toContain('maxLossUsdc: 90');
    expect(read(link)).toContain('maxLossUsdc: 90');
    await expect(edit(4)).rejects.toThrow('has changed');
  });
});

describe('a change that is refused', () => {
  it.each([
    [
      'of a file that has changed since it was shown',
      4,
      { revision: 'f'.repeat(64) },
      'has changed since',
    ],
    [
      'that is out of bounds',
      99,
      {},
      'markets[0].params.levels: must be a whole number of quotes from 1 to 9',
    ],
    ['to a parameter that is none', 4, { name: 'level' }, 'is not a key; did you mean levels?'],
    ['to a word where a number belongs', 'x', {}, 'must be a whole number'],
  ])('%s leaves the file alone, says why, and is on record', async (_, value, more, why) => {
    const { folder, file, recorded, edit, reloads } = desk();
    await expect(edit(value, more)).rejects.toThrow(why);
    expect(read(file)).toBe(TEXT);
    expect(readdirSync(folder)).toEqual(['my.yaml']);
    expect(recorded).toMatchObject([{ by: 'me', action: 'edit', result: 'refused' }]);
    expect(recorded[0]?.detail).toContain(why);
    expect(reloads()).toBe(0);
  });

  it('in a file that was refused since a limit is missing in it is written no more than that was read', async () => {
    const cut = TEXT.replace('risk: { maxLossUsdc: 100 }', 'risk: {}');
    const { file, edit, reloads } = desk(cut, TEXT);
    await expect(edit(4)).rejects.toThrow('risk.maxLossUsdc: stood in the file that is in force');
    expect(read(file)).toBe(cut);
    expect(reloads()).toBe(0);
  });

  it('while another one is being written is told to ask again', async () => {
    const { file, edit } = desk();
    const first = edit(4);
    await expect(edit(5)).rejects.toThrow('another change is being written');
    await first;
    expect(read(file)).toContain('levels: 4');
  });

  it('leaves a file alone that somebody saves in the very moment', async () => {
    const { file, folder, edit } = desk();
    const theirs = TEXT.replace('size: 50', 'size: 60');
    // The new text stands beside the old one by then.
    const watcher = watch(folder, () => {
      watcher.close();
      writeFileSync(file, theirs);
    });
    await expect(edit(4)).rejects.toThrow('changed meanwhile');
    expect(read(file)).toBe(theirs);
    expect(readdirSync(folder)).toEqual(['my.yaml']);
  });

  it('says that the file cannot be written', async () => {
    const { file, edit } = desk();
    mkdirSync(`${file}.${process.pid}.draft`);
    await expect(edit(4)).rejects.toThrow('the configuration cannot be written');
    expect(read(file)).toBe(TEXT);
  });
});
