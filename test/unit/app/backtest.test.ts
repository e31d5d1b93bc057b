import { basename } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type BacktestChoice, plannedRuns } from '../../../src/app/backtest.ts';
import { strategiesFor } from '../../../src/app/strategies.ts';
import { parseSettings, readSettingsText } from '../../../src/settings/load.ts';
import { frame, TempRecordings } from '../../support/temp-recording.ts';

const files = new TempRecordings();
const others = new TempRecordings();
afterAll(() => {
  files.remove();
  others.remove();
});

const CHOICE: BacktestChoice = {
  recordings: [],
  worlds: [],
  strategies: [],
  params: {},
  from: undefined,
  hours: undefined,
  seeds: 1,
  firstSeed: undefined,
  queue: 'conservative',
  marketsMax: 20,
};

async function planned(choice: Partial<BacktestChoice>) {
  const file = 'config/paper.yaml';
  const strategies = await strategiesFor(file);
  const source = { file, env: {}, strategies };
  const text = readSettingsText(file);
  const config = { settings: parseSettings(text, source), text, source, strategies };
  return await plannedRuns({ ...CHOICE, ...choice }, config);
}

describe('the runs of a backtest', () => {
  it('are no more for what is named twice', async () => {
    const path = files.write([frame.snapshot(1, [[0.4, 1]], [[0.6, 1]])]);
    const runs = await planned({
      recordings: [path, path.replace('/made', '/./made')],
      worlds: ['calm', 'calm'],
      strategies: ['ladder', 'ladder'],
    });
    expect(runs.map(({ group }) => group)).toEqual(['made-up-1', 'calm']);
  });

  it('keep recordings of one name in two folders apart', async () => {
    const [first, other] = [files.write([]), others.write([])];
    const same = first.replace(/made-up-\d+/, 'made-up-1');
    expect(basename(same)).toBe(basename(other));
    const runs = await planned({ recordings: [same, other] });
    expect(new Set(runs.map(({ group }) => group)).size).toBe(2);
  });

  it('are none where one of the recordings is not there: nobody waits for those before it', async () => {
    const path = files.write([]);
    const missing = path.replace(/made-up-/, 'no-');
    await expect(planned({ recordings: [path, missing] })).rejects.toThrow(/no-\d+.*no such file/);
  });

  it.each([
    [
      { strategies: ['ladder', 'laddr'] },
      /--strategy laddr: must be one of amm, .* ladder, .*, not "laddr"/,
    ],
    [
      { strategies: ['ladder', 'bands'], params: { levels: 3 } },
      /--strategy bands: --param levels: is not a key; known keys are nearMarginMin/,
    ],
    [
      { strategies: ['ladder'], params: { levels: 'x' } },
      /--strategy ladder: --param levels: must be a whole number of quotes from 1 to 50, not "x"/,
    ],
  ])('are refused before the first, with the option that is wrong: %j', async (choice, message) => {
    await expect(planned({ worlds: ['calm'], ...choice })).rejects.toThrow(message);
  });
});
