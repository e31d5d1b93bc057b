import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadStrategies, strategiesFolder, strategiesFor } from '../../../src/app/strategies.ts';
import { loadSettings } from '../../../src/settings/load.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-strategies-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const strategy = (name: string) =>
  `export const strategy = { name: '${name}', summary: 's', params: {}, quote: () => ({ quotes: [], reasons: [] }) };`;

async function refusal(): Promise<string> {
  const error = await loadStrategies(folder).catch((thrown: unknown) => thrown);
  return error instanceof Error ? error.message : 'no refusal';
}

describe('the strategies of the house', () => {
  it('are found by their file names', async () => {
    const strategies = await loadStrategies();
    expect([...strategies.keys()]).toEqual(expect.arrayContaining(['inventory-skew', 'ladder']));
    expect(strategiesFolder()).toMatch(/strategies[\\/]$/);
  });
});

describe('a folder of strategies', () => {
  it('takes every file that exports a strategy, and no other kind of file', async () => {
    await writeFile(join(folder, 'one.ts'), strategy('one'));
    await writeFile(join(folder, 'two.ts'), strategy('two'));
    await writeFile(join(folder, 'README.md'), '# no strategy');
    await writeFile(join(folder, 'one.d.ts'), 'export {};');
    expect([...(await loadStrategies(folder)).keys()]).toEqual(['one', 'two']);
  });

  it('takes a strategy of a whole event by its own function', async () => {
    const event = "name: 'joint', scope: 'event', summary: 's', params: {}, quoteEvent: () => ({})";
    await writeFile(join(folder, 'joint.ts'), `export const strategy = { ${event} };`);
    expect((await loadStrategies(folder)).get('joint')?.scope).toBe('event');
  });

  it('refuses a module that never ends', async () => {
    await writeFile(join(folder, 'bad.ts'), 'await new Promise(() => {});');
    await expect(loadStrategies(folder, 100)).rejects.toThrow('it has not ended within 0.1 s');
  });

  it.each([
    [
      'is of a scope we do not know',
      "export const strategy = { name: 'bad', scope: 'world', summary: 's', params: {} };",
      '`scope` is neither market nor event',
    ],
    ['exports nothing of the name', 'export const other = 1;', 'exports no `strategy`'],
    ['is named unlike its file', strategy('other'), 'is "other", not the file\'s name'],
    ['does not load', 'export const strategy = missing();', 'does not load'],
    [
      'lacks its parts',
      "export const strategy = { name: 'bad', params: { size: {} } };",
      '`summary` is not a text; `quote` is not a function; `params.size` has no format',
    ],
    [
      'answers later',
      "export const strategy = { name: 'bad', summary: 's', params: {}, quote: async () => ({ quotes: [] }) };",
      '`quote` is async: it has to answer at once',
    ],
  ])('refuses a file that %s', async (_, source, complaint) => {
    await writeFile(join(folder, 'bad.ts'), source);
    expect(await refusal()).toContain(complaint);
  });

  it('that does not exist is refused by its name', async () => {
    await rm(folder, { recursive: true });
    expect(await refusal()).toContain(folder);
    folder = await mkdtemp(join(tmpdir(), 'bookend-strategies-'));
  });
});

describe('a configuration', () => {
  const config = async (text: string): Promise<string> => {
    const file = join(folder, 'bookend.yaml');
    await writeFile(file, text);
    return file;
  };

  it('may name a module by its path from the file, beside the strategies of the house', async () => {
    await writeFile(join(folder, 'mine.ts'), strategy('mine'));
    const file = await config('markets: [{ event: rain, strategy: ./mine.ts }]');
    const strategies = await strategiesFor(file);
    expect(strategies.get('./mine.ts')?.name).toBe('mine');
    expect(strategies.has('ladder')).toBe(true);
    const [market] = loadSettings({ file, env: {}, strategies }).markets;
    expect(market?.strategy).toBe('./mine.ts');
  });

  it('that names a module which is none is refused by the name of the module', async () => {
    await writeFile(join(folder, 'none.ts'), 'export const other = 1;');
    const file = await config('markets: [{ event: rain, strategy: ./none.ts }]');
    await expect(strategiesFor(file)).rejects.toThrow('none: exports no `strategy`');
  });

  it.each(['markets: 5', 'markets: [5, { strategy: 7 }]', ': :', ''])(
    'that is otherwise wrong (%j) is left to the settings to complain about',
    async (text) => {
      const strategies = await strategiesFor(await config(text));
      expect(strategies.has('ladder')).toBe(true);
    },
  );
});
