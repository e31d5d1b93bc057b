import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadStrategies, type StrategyMap } from '../../../src/app/strategies.ts';
import { loadSettings } from '../../../src/settings/load.ts';

const FOLDER = fileURLToPath(new URL('../../../config/presets/', import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

let strategies: StrategyMap;

beforeAll(async () => {
  strategies = await loadStrategies();
});

describe('the presets', () => {
  it.each(FILES)('%s is a right configuration of an event that its own venue lists', (name) => {
    const settings = loadSettings({ file: join(FOLDER, name), env: {}, strategies });
    const listed = settings.paper.events.map(({ slug }) => slug);
    expect(settings.markets.map(({ event }) => event)).toEqual(listed);
  });

  it.each(FILES)('%s can lose no more than it holds in cash and limits its orders', (name) => {
    const { risk, paper } = loadSettings({ file: join(FOLDER, name), env: {}, strategies });
    expect(risk.maxLossUsdc).toBeLessThanOrEqual(300);
    expect(risk.maxLossUsdc).toBeLessThan(paper.startingCashUsdc);
    expect(risk.maxOrderNotionalUsdc).toBeLessThan(risk.maxLossUsdc);
  });

  it.each(FILES)('%s has the guards on, unless it takes and rests nothing', (name) => {
    const { markets } = loadSettings({ file: join(FOLDER, name), env: {}, strategies });
    for (const { strategy, overlays } of markets) {
      const isOn = [overlays.jump, overlays.toxicity, overlays.inventory].map(
        ({ enabled }) => enabled,
      );
      const isQuoting = strategies.get(strategy)?.takes !== true;
      expect(isOn).toEqual([isQuoting, isQuoting, isQuoting]);
    }
  });

  it('are all in the table of their guide, each with its strategy', () => {
    const guide = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    for (const name of FILES) {
      const settings = loadSettings({ file: join(FOLDER, name), env: {}, strategies });
      const row = guide.split('\n').find((line) => line.includes(`\`${name}\``));
      expect(row).toContain(`\`${settings.markets[0]?.strategy}\``);
    }
  });

  it('show every strategy that is made for one kind of market', () => {
    const used = FILES.map((name) =>
      /strategy: (\S+)/.exec(readFileSync(join(FOLDER, name), 'utf8')),
    );
    expect(new Set(used.map((found) => found?.[1]))).toEqual(
      new Set([
        'amm',
        'event-book',
        'fair-follow',
        'lmsr',
        'logit-inventory',
        'set-arb',
        'touch-queue',
      ]),
    );
  });
});
