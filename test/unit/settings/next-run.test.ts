// What a run begins with that follows another one of the same run.

import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { heldOf } from '../../../src/settings/held.ts';
import { loadGuardSettings } from '../../../src/settings/load.ts';
import { nextRun, readSettled } from '../../../src/settings/next-run.ts';
import { fileOf, STRATEGIES } from './support.ts';

const BEFORE = `venue: { baseUrl: http://127.0.0.1:1/api, wsUrl: ws://127.0.0.1:1/ws }
markets:
  - { event: rain, strategy: steps, params: { levels: 4 } }
  - { event: snow, strategy: steps }
risk: { maxLossUsdc: 25 }
`;

function begun(now: string | undefined, before = BEFORE, strategies = STRATEGIES) {
  const file = fileOf(now ?? '');
  const held = heldOf(loadGuardSettings({ file: fileOf(BEFORE), env: {} }));
  return nextRun({ before, now, held }, { file, env: {}, strategies });
}

describe('a run that follows another one', () => {
  it('has the limits of the run before, where the file has lost them', () => {
    const { settings, text, applied } = begun(BEFORE.replace(/risk.*\n/, ''));
    expect(settings.risk.maxLossUsdc).toBe(25);
    expect(text).toBe(BEFORE);
    expect(applied).toEqual([]);
  });

  it.each(['', 'markets: [\n', BEFORE.replace('steps', 'gone'), BEFORE.slice(0, -4), undefined])(
    'has all of the run before, where the file is no configuration or gone: %j',
    (now) => {
      expect(begun(now).text).toBe(BEFORE);
      expect(begun(now).settings.markets).toHaveLength(2);
    },
  );

  it('has what the file says where that may follow, and knows what is new in it', () => {
    const now = BEFORE.replace('maxLossUsdc: 25', 'maxLossUsdc: 20').replace(
      'levels: 4',
      'levels: 2',
    );
    const { settings, text, applied } = begun(now);
    expect(text).toBe(now);
    expect(settings.risk.maxLossUsdc).toBe(20);
    expect(applied.map(({ path }) => path)).toEqual([
      'markets[0].params.levels',
      'risk.maxLossUsdc',
    ]);
  });

  it('trades where its guard can cancel, whatever the file says', () => {
    const { settings, applied } = begun(BEFORE.replaceAll('127.0.0.1:1', '127.0.0.1:2'));
    expect(settings.venue.baseUrl).toBe('http://127.0.0.1:1/api');
    expect(applied).toEqual([]);
  });

  it('has the file where its build knows a strategy of the run before no more, and limits stay', () => {
    const before = BEFORE.replaceAll('steps', 'older').replace(', params: { levels: 4 }', '');
    expect(begun(BEFORE, before).settings.markets).toHaveLength(2);
    expect(() => begun(BEFORE.replace(/risk.*\n/, ''), before)).toThrow(/risk/);
    expect(() => begun(before, before)).toThrow(/older/);
    expect(() => begun(undefined, before)).toThrow(/older/);
  });
});

describe('a file that may be written right now', () => {
  it('is read at once where it is as before', async () => {
    const tookMs: number[] = [];
    // Whoever waits does so each time; a busy machine is slow now and then.
    for (let time = 0; time < 5; time += 1) {
      const startedAt = performance.now();
      expect(await readSettled(fileOf(BEFORE), BEFORE)).toBe(BEFORE);
      tookMs.push(performance.now() - startedAt);
    }
    expect(Math.min(...tookMs)).toBeLessThan(90);
  });

  it('is trusted when it has held still, and not while it is short', async () => {
    const file = fileOf('venue:');
    const reading = readSettled(file, BEFORE);
    await setTimeout(50);
    writeFileSync(file, 'markets: []\n');
    expect(await reading).toBe('markets: []\n');
  });

  it('says nothing where it is not there, or never holds still', async () => {
    const file = fileOf('0');
    const writing = setInterval(() => writeFileSync(file, `${performance.now()}`), 20);
    expect(await readSettled(file, BEFORE)).toBeUndefined();
    clearInterval(writing);
    expect(await readSettled(`${file}.none`, BEFORE)).toBeUndefined();
  });
});
