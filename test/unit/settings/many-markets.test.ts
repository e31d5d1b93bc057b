// A configuration that names hundreds of markets: what its reading takes of the loop of a trader, which a guard ends when
// it does not turn.

import { expect, it, onTestFinished } from 'vitest';
import { cutProblems } from '../../../src/settings/cut-file.ts';
import { settingsChange } from '../../../src/settings/diff.ts';
import { coreSettings, loadSettings, parseSettings } from '../../../src/settings/load.ts';
import { parseNext } from '../../../src/settings/next-run.ts';
import { isNamed } from '../../../src/settings/selected.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { watchSettings } from '../../../src/settings/watch.ts';
import { readYaml } from '../../../src/settings/yaml.ts';
import { defineStrategy, numberParam } from '../../../src/strategy/index.ts';
import { fileOf, STRATEGIES } from './support.ts';

const SOURCE = { file: 'bookend.yaml', env: {}, strategies: STRATEGIES };

function manyMarkets(count: number, size: number): string {
  const market = (_: unknown, index: number) =>
    `  - event: some-event-${index}\n    strategy: steps\n    params: { levels: 3, size: ${size} }\n` +
    '    overlays: { inventory: { skewTicks: 4 }, jump: { coolOffMs: 30000 } }\n';
  const markets = Array.from({ length: count }, market).join('');
  return `markets:\n${markets}risk:\n  maxLossUsdc: 1000\norders: { scope: own }\n`;
}

/** Of this process, since a machine that many share passes wall time without doing anything. */
function cpuMsOf(task: () => void): number {
  const before = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

it('is read again, and compared, in little more than its YAML takes', () => {
  const [before, after] = [manyMarkets(200, 10), manyMarkets(200, 11)];
  const old = parseSettings(before, SOURCE);
  let changes = 0;
  const reload = () => {
    changes = settingsChange(old, parseNext(after, before, SOURCE)).applied.length;
  };
  const yaml = () => readYaml(after);
  for (const task of [reload, yaml]) task();
  // One of them pays for compiling and collecting; what a reload takes by itself is what the best round shows.
  const ratios = [1, 2, 3, 4].map(() => cpuMsOf(reload) / cpuMsOf(yaml));
  expect(changes).toBe(200);
  expect(Math.min(...ratios)).toBeLessThan(3.5);
}, 60_000);

it('is compared in a time that grows with it, and not with its square', () => {
  const old = parseSettings(manyMarkets(1_000, 10), SOURCE);
  const next = parseSettings(manyMarkets(1_000, 11), SOURCE);
  expect(cpuMsOf(() => settingsChange(old, next))).toBeLessThan(1_000);
}, 60_000);

it('is not read again behind a start, when the file says what is in force', async () => {
  let reads = 0;
  const counted = defineStrategy<{ readonly size: number }>({
    name: 'counted',
    summary: 'Counts how often it is read.',
    params: {
      size: {
        ...numberParam({ doc: 'Shares.', unit: 'shares', default: 1, min: 1, max: 9 }),
        format: () => {
          reads += 1;
        },
      },
    },
    quote: () => ({ quotes: [], reasons: [] }),
  });
  const text = 'markets: [{ event: rain, strategy: counted, params: { size: 2 } }]\n';
  const file = fileOf(text);
  const source = { file, env: {}, strategies: new Map([['counted', counted]]) };
  const initial = loadSettings(source);
  reads = 0;
  const usable = await new Promise((resolve) => {
    const watch = watchSettings({
      ...{ ...source, initial, text, settleMs: 5, pollMs: 10 },
      onChange: () => resolve('changed'),
      onRefused: resolve,
      onUsable: () => resolve('usable'),
    });
    onTestFinished(() => watch.close());
  });
  expect([usable, reads]).toEqual(['usable', 0]);
});

it.each([
  ['in lines of their own', manyMarkets(2, 10), 'risk.maxLossUsdc'],
  ['behind a mark of an editor', `\uFEFF${manyMarkets(2, 10)}`, 'risk.maxLossUsdc'],
  ['in one flow map', '{markets: [], risk: {maxLossUsdc: 9}}', 'risk'],
  ['by an alias', 'markets: []\nvenue: { writeShare: &a 1 }\nrisk: { maxLossUsdc: *a }\n', 'risk'],
  ['behind a list at the margin', 'markets:\n- {}\nrisk: { maxLossUsdc: 9 }\n', 'risk'],
])('misses a limit that stood %s', (_, before, missed) => {
  const after = before.replace(/maxLossUsdc: [*\w]+/, '').replace(/risk: \{\s*\}/, '');
  const paths = cutProblems(before, `${after}\n`).map(({ path }) => path);
  expect(paths.join()).toContain(missed);
  expect(cutProblems(before, before.replace('10', '11'))).toEqual([]);
});

it('leaves the defaults of a strategy to the strategy', () => {
  const usual = { steps: [1] };
  const own = {
    params: { curve: { doc: '', unit: '', default: usual, min: 0, max: 0, format() {} } },
  };
  const strategies = new Map([['own', own]]);
  const text = 'markets: [{ event: rain, strategy: own }]';
  const [market] = parseSettings(text, { ...SOURCE, strategies }).markets;
  expect(market?.params).toEqual({ curve: usual });
  expect([Object.isFrozen(usual), Object.isFrozen(market?.params['curve'])]).toEqual([false, true]);
});

it.each([
  ['its own format refuses', Number.NaN, 'must be a number of shares from 1 to 9'],
  ['is beyond its own bounds', 0, 'must be a number of shares from 1 to 9'],
])('has a parameter stated of which the default %s', (_, usual, wrong) => {
  const size = numberParam({ doc: 'Shares.', unit: 'shares', default: usual, min: 1, max: 9 });
  const strategies = new Map([['own', { params: { size } }]]);
  const read = (market: string) => parseSettings(`markets: [${market}]`, { ...SOURCE, strategies });
  expect(() => read('{ event: rain, strategy: own }')).toThrow(`markets[0].params.size: ${wrong}`);
  expect(read('{ event: rain, strategy: own, params: { size: 2 } }').markets).toHaveLength(1);
});

it('has no more writes than the share in force, whatever the file has beside a new one', () => {
  const of = (share: number, writes: number): Settings =>
    parseSettings(
      `venue: { writeShare: ${share} }\norders: { writesPer10s: ${writes} }\nmarkets: []\n`,
      SOURCE,
    );
  const [{ venue }, next] = [of(0.5, 150), of(1, 240)];
  const named = { ...next, venue, markets: next.markets.filter(isNamed) };
  expect(coreSettings(named).orders.writesPer10s).toBe(150);
  expect(coreSettings({ ...named, venue: next.venue }).orders.writesPer10s).toBe(240);
});
