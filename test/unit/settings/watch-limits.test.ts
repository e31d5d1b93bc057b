// What a file that is cut short, or loses a limit, may not do to a daemon that runs.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadSettings } from '../../../src/settings/load.ts';
import { type SettingsWatch, watchSettings } from '../../../src/settings/watch.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const WHOLE = 'markets: []\nrisk: { maxLossUsdc: 25 }\norders: { gatherMs: 20 }\n';
const LONG = `markets: []
orders:
  scope: own
  gatherMs: 20
risk:
  maxLossUsdc: 25
  loss:
    drawdownUsdc: 15
    drawdownAction: killed
  collar: { fairThrough: 0.05 }
`;

let watch: SettingsWatch | undefined;
afterEach(() => watch?.close());

/** Watches a file of this text; replaces it, and says which paths are refused. */
function watching(text: string) {
  const file = join(tempFolder('watch-limits'), 'run.yaml');
  writeFileSync(file, text);
  const source = { file, env: {}, strategies: new Map() };
  const settings = watchSettings({
    ...source,
    initial: loadSettings(source),
    onChange: () => {},
    onRefused: () => {},
  });
  watch = settings;
  const replace = async (next: string) => {
    writeFileSync(file, next);
    const reload = await settings.reloadNow();
    return reload.kind === 'refused' ? reload.error.problems.map(({ path }) => path) : reload.kind;
  };
  return { settings, replace };
}

it('a file that was cut before its limits is refused, and the limits in force stay', async () => {
  const { settings, replace } = watching(WHOLE);
  expect(await replace('markets: []\n')).toEqual(['risk']);
  expect(settings.current().risk.maxLossUsdc).toBe(25);
  expect(await replace(WHOLE.replace('25', '30'))).toBe('changed');
  expect(settings.current().risk.maxLossUsdc).toBe(30);
});

it('a file that was cut within its limits is refused, wherever that was', async () => {
  const { settings, replace } = watching(LONG);
  const before = settings.current();
  for (let length = 1; length < LONG.length - 1; length += 1) {
    await replace(LONG.slice(0, length));
    expect(settings.current()).toEqual(before);
  }
  expect(await replace(LONG)).toBe('unchanged');
});

it('a limit that is gone from a file that says something else is named, and so is the scope', async () => {
  const { replace } = watching(LONG);
  const edited = LONG.replace('gatherMs: 20', 'gatherMs: 30');
  expect(await replace(edited.replace('  maxLossUsdc: 25\n', ''))).toEqual(['risk.maxLossUsdc']);
  expect(await replace(edited.replace('  scope: own\n', ''))).toEqual(['orders.scope']);
  expect(await replace(edited.slice(0, edited.indexOf('  loss:')))).toEqual([
    'risk.loss',
    'risk.collar',
  ]);
  expect(await replace(edited)).toBe('changed');
});

it('what is no limit may go, and a limit that came later is held from then on', async () => {
  const { settings, replace } = watching(WHOLE);
  expect(await replace('markets: []\nrisk: { maxLossUsdc: 25, maxOpenOrders: 9 }\n')).toBe(
    'changed',
  );
  expect(await replace(WHOLE)).toEqual(['risk.maxOpenOrders']);
  expect(settings.current().risk.maxOpenOrders).toBe(9);
});
