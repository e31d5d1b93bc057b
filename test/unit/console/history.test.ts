// A day of figures in a fixed number of points.

import { describe, expect, it } from 'vitest';
import { History } from '../../../src/console/history.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { marketView, stateView } from '../telemetry/views.ts';

const DAY_MS = 86_400_000;

function kept() {
  let nowMs = 0;
  const history = new History({ nowMs: () => unixMs(nowMs) });
  const of = (marketId?: string) => JSON.parse(history.json(marketId) ?? 'null');
  return {
    history,
    of,
    at: (ms: number) => {
      nowMs = ms;
    },
  };
}

const market = (change: object = {}): string =>
  JSON.stringify({ ...marketView('rain'), ...change });

describe('the history of a market', () => {
  it('has its middle, fair value, net position and profit', () => {
    const { history, of, at } = kept();
    at(1_000);
    history.onMarket('rain', market({ fair: { price: '0.51' }, positionNo: '20' }));
    expect(of('rain')).toEqual({
      ...{ stepMs: 5_000, at: [1_000], mid: [0.5], fair: [0.51], net: [100.5], pnl: [-1.25] },
    });
  });

  it('says of what is not known that it is not', () => {
    const { history, of } = kept();
    history.onMarket('rain', market({ bestBid: undefined, pnlUsdc: undefined }));
    expect(of('rain')).toMatchObject({ mid: [null], fair: [null], pnl: [null] });
  });

  it('keeps a point each five seconds, however often it is told', () => {
    const { history, of, at } = kept();
    for (let ms = 0; ms <= 20_000; ms += 200) {
      at(ms);
      history.onMarket('rain', market());
    }
    expect(of('rain').at).toEqual([0, 5_000, 10_000, 15_000, 20_000]);
  });

  it('goes on where the clock is set back, without what lay ahead of it', () => {
    const { history, of, at } = kept();
    for (const ms of [0, 5_000, DAY_MS, DAY_MS + 5_000, 9_000, 10_000, 14_000]) {
      at(ms);
      history.onMarket('rain', market({ positionNo: '0' }));
    }
    expect(of('rain').at).toEqual([0, 5_000, 9_000, 14_000]);
  });

  it('is coarser the longer it gets, and more than a day in the end', () => {
    const { history, of, at } = kept();
    for (let ms = 0; ms <= 2 * DAY_MS; ms += 5_000) {
      at(ms);
      history.onMarket('rain', market({ pnlUsdc: String(ms / 1_000) }));
    }
    const { stepMs, at: times, pnl } = of('rain');
    expect(stepMs).toBe(160_000);
    expect(times.length).toBeLessThanOrEqual(720);
    expect(times.at(-1)).toBe(2 * DAY_MS);
    expect(times[0]).toBeLessThanOrEqual(DAY_MS);
    expect(times[0]).toBeGreaterThanOrEqual(2 * DAY_MS - 720 * stepMs);
    expect(times).toEqual([...times].sort((a: number, b: number) => a - b));
    // Each figure is still the one of its time.
    expect(pnl).toEqual(times.map((ms: number) => ms / 1_000));
  });

  it('goes on from what earlier runs left of the day, with a gap where none ran, however long it runs', () => {
    const { history, of, at } = kept();
    const past = Array.from({ length: 100 }, (_, place) => ({
      ...{ atMs: 600_000 * place, pnl: place, writes: 1 },
      markets: [
        { marketId: 'rain', mid: place / 100, net: place, pnl: -place },
        { marketId: 'gone', mid: 0.5, net: 0, pnl: 0 },
      ],
    }));
    const startMs = 600_000 * 104;
    at(startMs);
    history.onOrder(['rain']);
    history.onMarket('rain', market({ fair: { price: '0.5' } }));
    history.recall(past);
    expect(of('gone')).toBe(null);
    expect(of().pnl).toEqual(past.map(({ pnl }) => pnl));
    const shown = of('rain');
    expect(shown.at.slice(0, 2)).toEqual([0, 600_000]);
    expect(shown.net.slice(97)).toEqual([97, 98, 99, null, 120.5]);
    expect(shown.fair.slice(99)).toEqual([null, null, 0.5]);
    for (let ms = startMs; ms <= startMs + DAY_MS / 3; ms += 5_000) {
      at(ms);
      history.onMarket('rain', market());
    }
    const later = of('rain');
    expect(later.at.length).toBeLessThanOrEqual(720);
    expect(later.net.slice(0, 100)).toEqual(past.map((_, place) => place));
    expect(later.at).toEqual([...later.at].sort((a: number, b: number) => a - b));
  });

  it('goes with its market, and is kept for so many', () => {
    const { history, of } = kept();
    for (let at = 0; at < 1_200; at += 1) history.onMarket(`m${at}`, market());
    expect(of('m999')).not.toBe(null);
    expect(of('m1000')).toBe(null);
    history.onOrder(['m1']);
    expect(of('m0')).toBe(null);
    expect(of('m1')).not.toBe(null);
  });
});

it('the history of the account has profit, worst case, orders and writes', () => {
  const { history, of } = kept();
  const { markets: _, ...head } = stateView();
  history.onHead(JSON.stringify(head));
  expect(of()).toMatchObject({ pnl: [-1.25], worst: [88.5], resting: [2], writes: [12] });
});
