import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadStrategies, strategiesFolder, strategiesFor } from '../../../src/app/strategies.ts';
import { shares } from '../../../src/domain/shares.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { contextOf, pricesOf, USUAL } from './contexts.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));

let readme: string;
let example: string;
let folder: string;

beforeAll(async () => {
  readme = await readFile(join(strategiesFolder(), 'README.md'), 'utf8');
  example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  // Inside the project, so that it is compiled like any test file.
  folder = await mkdtemp(join(HERE, '.readme-'));
  await writeFile(join(folder, 'join.ts'), example.replaceAll("'../src/", "'../../../../src/"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the guide to strategies', () => {
  it('shows one of about twenty lines that the loader takes and that quotes', async () => {
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(24);
    const strategy = (await loadStrategies(folder)).get('join');
    if (strategy === undefined || strategy.scope === 'event') throw new Error('no such strategy');
    const targetQuotes = strategy.quote(contextOf(USUAL, { size: 20 }));
    expect(pricesOf(targetQuotes, 'bid')).toEqual([48]);
    expect(pricesOf(targetQuotes, 'ask')).toEqual([52]);
    expect(targetQuotes.quotes[0]?.quantity).toBe(shares(20));
  });

  it('shows one that compiles under the settings of the project', async () => {
    const settings = { extends: '../../../../tsconfig.json', include: ['join.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const compiler = fileURLToPath(
      new URL('../../../node_modules/typescript/bin/tsc', import.meta.url),
    );
    const run = promisify(execFile)(process.execPath, [compiler, '--project', folder]);
    await expect(run).resolves.toMatchObject({ stdout: '' });
  });

  it('shows a module of its own that the loader takes and that remembers', async () => {
    const code = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const index = pathToFileURL(join(strategiesFolder(), '../src/strategy/index.ts')).href;
    await writeFile(join(folder, 'counting.js'), code.replace(/'\/opt\/[^']+'/, `'${index}'`));
    await writeFile(join(folder, 'my.yaml'), 'markets: [{ event: e, strategy: ./counting.js }]');
    const strategy = (await strategiesFor(join(folder, 'my.yaml'))).get('./counting.js');
    if (strategy === undefined || strategy.scope === 'event') throw new Error('no such strategy');
    const first = strategy.quote(contextOf(USUAL, { size: 20 }));
    const second = strategy.quote({ ...contextOf(USUAL, { size: 20 }), memory: first.memory });
    expect([first.memory, second.memory]).toEqual([{ count: 1 }, { count: 2 }]);
  });

  it('states every parameter of every strategy as its schema does', async () => {
    const strategies = [...(await loadStrategies()).values()];
    expect(strategies.length).toBeGreaterThanOrEqual(12);
    for (const strategy of strategies) {
      const section = readme.split(`\n## ${strategy.name}\n`)[1]?.split('\n## ')[0] ?? '';
      const rows = section.split('\n').filter((line) => line.startsWith('| `'));
      expect(rows).toEqual(expectedRows(strategy));
    }
  });
});

function expectedRows(strategy: Strategy): readonly string[] {
  const specs: Readonly<Record<string, { readonly [key: string]: unknown }>> = {
    ...strategy.params,
  };
  return Object.entries(specs).map(([name, spec]) => {
    const { doc, unit, default: usual, min, max } = spec;
    return `| \`${name}\` | ${doc} | ${unit} | ${usual} | ${min} | ${max} |`;
  });
}
