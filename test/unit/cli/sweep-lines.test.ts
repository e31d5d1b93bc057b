import { expect, it } from 'vitest';
import type { SweepRow } from '../../../src/app/sweep.ts';
import { csvLines } from '../../../src/cli/sweep-lines.ts';

it('keeps a parameter apart from the figure of its name', () => {
  const row = (point: SweepRow['point']): SweepRow => ({
    ...{ point, usdcPerHour: 1.5, error: undefined, byWorld: { calm: 2 } },
    ...{ fills: 30, inventoryRmsShares: 4, drawdownUsdc: 5 },
  });
  expect(csvLines([row({ fills: 7, calm: 8, levels: 3 }), row({})])).toEqual([
    'params.calm,params.fills,levels,usdcPerHour,error,calm,fills,inventoryRmsShares,drawdownUsdc',
    '8,7,3,1.5,,2,30,4,5',
    ',,,1.5,,2,30,4,5',
  ]);
});
