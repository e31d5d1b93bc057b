import { describe, expect, it } from 'vitest';
import { shadowLines } from '../../../src/cli/shadow-lines.ts';
import { viewsMarket } from './shown.ts';

const LIVE = { pnlUsdc: '1.250000', filledShares: '80.000000', inventoryRmsShares: '31.40' };
const SHADOW = { pnlUsdc: '-0.500000', filledShares: '120.500000', inventoryRmsShares: '60.00' };
const shadow = { params: { levels: 5 }, sinceMs: 1_000, live: LIVE, shadow: SHADOW };

describe('the lines of a shadow', () => {
  const linesOf = (market: typeof viewsMarket) =>
    shadowLines({ atMs: 61_000, markets: [viewsMarket, market] }, { width: 400 });

  it('say what is different, what that changes, and both sets of figures', () => {
    expect(linesOf({ ...viewsMarket, shadow })).toEqual([
      'Will it rain tomorrow?: levels=5 in place of what is in force: -1.75 USDC (-0.50, 121 shares filled, inventory 60 against +1.25, 80 shares filled, inventory 31), simulated for 1 min 0 s',
    ]);
  });

  it('say what the strategy threw', () => {
    const [line] = linesOf({ ...viewsMarket, shadow: { ...shadow, fault: 'no such distance' } });
    expect(line).toMatch(/; last fault: no such distance$/);
  });
});
