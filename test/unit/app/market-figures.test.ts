// Figures of one market from single looks at it: what is not known stays absent, and what passed counts by time.

import { describe, expect, it } from 'vitest';
import { LiveFigures } from '../../../src/app/figures.ts';
import { MarketFigures } from '../../../src/app/market-figures.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { MarketView, PickMarkets } from '../../../src/domain/view.ts';
import { marketView, stateView } from '../telemetry/views.ts';

const HELD: MarketView = {
  ...marketView('rain'),
  ...{ positionYes: '100', positionNo: '0', pnlUsdc: '5.000000', mark: '0.500000' },
  pnlParts: { beforeUsdc: '1.000000', spreadUsdc: '0', movedUsdc: '4' },
};
const FAIR = { price: '0.55', logOddsDeviation: '0.1', ageMs: 0, external: undefined };

describe('profit at three marks', () => {
  it('is unknown at the own fair value while the core has none, and at the outcome before it is known', () => {
    const { pnlAtMiddleUsdc, pnlAtFairUsdc, pnlAtSettlementUsdc } = new MarketFigures().look(
      ...([0, HELD, undefined] as const),
    );
    expect([pnlAtMiddleUsdc, pnlAtFairUsdc, pnlAtSettlementUsdc]).toEqual([
      5,
      undefined,
      undefined,
    ]);
  });

  it('values the same shares at another price', () => {
    const { pnlAtFairUsdc } = new MarketFigures().look(0, { ...HELD, fair: FAIR }, undefined);
    expect(pnlAtFairUsdc).toBeCloseTo(10);
  });

  it('knows the outcome once it is the mark, and keeps the last middle beside it', () => {
    const figures = new MarketFigures();
    figures.look(0, HELD, undefined);
    const won = { ...HELD, mark: '1.000000', pnlUsdc: '55.000000' };
    const { pnlAtMiddleUsdc, pnlAtSettlementUsdc } = figures.look(1_000, won, undefined);
    expect([pnlAtMiddleUsdc, pnlAtSettlementUsdc]).toEqual([5, 55]);
  });

  it('has no middle where nobody has seen the market before its outcome', () => {
    const won = { ...HELD, mark: '1.000000', pnlUsdc: '55.000000' };
    expect(new MarketFigures().look(0, won, undefined).pnlAtMiddleUsdc).toBeUndefined();
  });
});

describe('inventory and time at the touch', () => {
  it('count by time, what was seen last holding until the next look', () => {
    const figures = new MarketFigures();
    expect(figures.look(0, HELD, undefined).inventoryRmsShares).toBeUndefined();
    figures.look(3_000, { ...HELD, positionYes: '0', positionNo: '20' }, undefined);
    const { inventoryRmsShares, inventoryMaxShares } = figures.look(4_000, HELD, undefined);
    expect(inventoryRmsShares).toBeCloseTo(Math.sqrt((3 * 100 ** 2 + 20 ** 2) / 4));
    expect(inventoryMaxShares).toBe(100);
  });

  it('take no more than a minute for one that nobody looked at', () => {
    const figures = new MarketFigures();
    figures.look(0, HELD, undefined);
    figures.look(600_000, { ...HELD, positionYes: '0' }, undefined);
    const { inventoryRmsShares } = figures.look(660_000, HELD, undefined);
    expect(inventoryRmsShares).toBeCloseTo(Math.sqrt(100 ** 2 / 2));
  });

  it('know no touch while a book is not trusted, and count each side that is at or inside the best of others', () => {
    const figures = new MarketFigures();
    const unknown = { ...HELD, bookStates: { yes: 'suspect', no: 'trusted' } };
    figures.look(0, unknown, undefined);
    expect(figures.look(1_000, unknown, undefined).touchRatio).toBeUndefined();
    const joined = { ...HELD, ownBids: [{ price: '0.48', quantity: '10' }], ownAsks: [] };
    figures.look(2_000, joined, undefined);
    expect(figures.look(3_000, HELD, undefined).touchRatio).toBe(0.5);
    // The best own bid of it is a tick below.
    expect(figures.look(4_000, HELD, undefined).touchRatio).toBe(0.25);
  });

  it('say how far profit of this run fell below its highest', () => {
    const figures = new MarketFigures();
    const drawdowns = ['1', '4', '2.5', '3'].map(
      (pnlUsdc, sec) => figures.look(sec * 1_000, { ...HELD, pnlUsdc }, undefined).drawdownUsdc,
    );
    expect(drawdowns).toEqual([0, 0, 1.5, 1.5]);
  });
});

describe('a daemon whose state nobody asks for', () => {
  it('is looked at all the same, once a second, and not where somebody has just asked', () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const figures = new LiveFigures({ clock, earnedIn: () => undefined });
    let looks = 0;
    const view = (pick: PickMarkets) =>
      figures.shown((each) => {
        looks += 1;
        const ids = each([HELD.marketId]);
        return { ...stateView(), atMs: clock.nowMs(), markets: ids.length > 0 ? [HELD] : [] };
      }, pick);
    figures.start(clock, view);
    clock.advance(3_500);
    expect(looks).toBe(3);
    for (let times = 0; times < 10; times += 1) {
      clock.advance(200);
      view((all) => all);
    }
    expect(looks).toBe(13);
    figures.stop();
    clock.advance(10_000);
    expect(looks).toBe(13);
  });

  it('counts nothing before it knows what is held', () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const figures = new LiveFigures({ clock, earnedIn: () => undefined });
    const { markets } = figures.shown(() => ({ ...stateView(), phase: 'starting' }));
    expect(markets[0]?.figures).toBeUndefined();
  });
});
