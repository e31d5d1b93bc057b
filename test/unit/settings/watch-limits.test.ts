import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadSettings } from '../../../src/settings/load.ts';
import { watchSettings } from '../../../src/settings/watch.ts';

const WHOLE = 'markets: []\nrisk: { maxLossUsdc: 25 }\norders: { gatherMs: 20 }\n';

it('a file that was cut before its limits is refused, and the limits in force stay', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'bookend-')), 'run.yaml');
  writeFileSync(file, WHOLE);
  const source = { file, env: {}, strategies: new Map() };
  const refused: string[] = [];
  const watch = watchSettings({
    ...source,
    initial: loadSettings(source),
    onChange: () => {},
    onRefused: (error) => refused.push(error.message),
  });
  writeFileSync(file, 'markets: []\n');
  expect(watch.reloadNow().kind).toBe('refused');
  expect(refused[0]).toContain('risk');
  expect(watch.current().risk.maxLossUsdc).toBe(25);
  writeFileSync(file, WHOLE.replace('25', '30'));
  expect(watch.reloadNow().kind).toBe('changed');
  expect(watch.current().risk.maxLossUsdc).toBe(30);
  watch.close();
});
