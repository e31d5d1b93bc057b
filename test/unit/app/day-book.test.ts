// The day book: what it writes down of fills, orders and the course of a run, and that it disturbs nobody.

import { describe, expect, it } from 'vitest';
import { DayBook, SAMPLE_MS } from '../../../src/app/day-book.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { intentId } from '../../../src/domain/ids.ts';
import type { StoredFill, StoredOrder } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { DayLine, DayLineOf } from '../../../src/journal/days/day-line.ts';
import { ownOrder } from '../../support/own-orders.ts';
import { marketView, stateView } from '../telemetry/views.ts';

const GRID = tickGrid('0.01');
const MARKET = marketView('rain');
/** Half a minute before a sample is due. */
const START_MS = SAMPLE_MS - 30_000;

function book({ viewFails = false, onView = () => {}, left = [] as readonly StoredOrder[] } = {}) {
  const clock = new VirtualClock({ startMs: START_MS });
  const lines: DayLine[] = [];
  const shown = { bestBid: '0.48', bestAsk: '0.52' as string | undefined };
  const day = new DayBook({
    days: { write: (line) => void lines.push(line) },
    ...{ clock, timers: clock, version: '1', takerFeeRateOf: () => 0.1, left },
    view: () => {
      onView();
      if (viewFails) throw new Error('no view');
      return { ...stateView(), markets: [{ ...MARKET, ...shown }] };
    },
  });
  const ofKind = <Kind extends DayLine['kind']>(kind: Kind): readonly DayLineOf<Kind>[] =>
    lines.filter((line): line is DayLineOf<Kind> => line.kind === kind);
  return { clock, day, shown, ofKind };
}

function fill(change: Partial<StoredFill> = {}): StoredFill {
  return {
    ...{ intentId: intentId('i-1'), marketId: MARKET.marketId, tokenId: MARKET.yesTokenId },
    ...{ side: 'BUY', price: ticks(GRID, 48), ticksPerUnit: 100, quantity: shares(10) },
    ...{ executedAfter: shares(10), cashNano: -4_800_000_000, atMs: unixMs(START_MS) },
    ...change,
  };
}

function order(change: Partial<StoredOrder> = {}): StoredOrder {
  const own = { ...ownOrder(), leg: 'yes', ticksPerUnit: 100 } as const;
  return { ...own, intentId: intentId('i-1'), sentAtMs: unixMs(START_MS), ...change };
}

describe('the day book', () => {
  it('notes the middle at a fill, and 1, 10 and 60 seconds later', () => {
    const { clock, day, shown, ofKind } = book();
    day.onRecord({ kind: 'fill', fill: fill() });
    expect(ofKind('fill')).toEqual([]);
    day.onTurn();
    expect(ofKind('fill')).toMatchObject([{ intentId: 'i-1', isYes: true, middle: 0.5 }]);
    shown.bestAsk = '0.54';
    clock.advance(1_000);
    // A side without an order keeps the last middle.
    shown.bestAsk = undefined;
    clock.advance(9_000);
    shown.bestAsk = '0.50';
    clock.advance(50_000);
    expect(ofKind('later')).toMatchObject([{ atMs: START_MS, middles: [0.51, 0.51, 0.49] }]);
    const { parts, pnlUsdc } = day.earned().total;
    expect(parts.spread).toBeCloseTo(0.2);
    expect(pnlUsdc).toBeCloseTo(0.1);
  });

  it('values what is held at no more than the only offer, once the bids have gone', () => {
    const { clock, day, shown, ofKind } = book();
    day.onRecord({ kind: 'fill', fill: fill() });
    day.onTurn();
    clock.advance(5_000);
    Object.assign(shown, { bestBid: undefined, bestAsk: '0.05' });
    clock.advance(5_000);
    Object.assign(shown, { bestBid: '0.70', bestAsk: undefined });
    clock.advance(50_000);
    expect(ofKind('later')).toMatchObject([{ middles: [0.5, 0.05, 0.7] }]);
    Object.assign(shown, { bestBid: undefined, bestAsk: undefined });
    clock.advance(60_000);
    expect(ofKind('sample').at(-1)?.markets).toMatchObject([{ middle: 0.7 }]);
  });

  it('looks at books of a burst of fills together, at most every 50 ms', () => {
    let views = 0;
    const { clock, day, ofKind } = book({ onView: () => (views += 1) });
    for (let count = 0; count < 100; count += 1) {
      day.onRecord({ kind: 'fill', fill: fill({ intentId: intentId(`i-${count}`) }) });
      day.onTurn();
      clock.advance(1);
    }
    views = 0;
    clock.advance(15_000);
    // The looks of 100 ms, twice.
    expect(views).toBeLessThanOrEqual(2 * 4);
    clock.advance(60_000);
    expect(ofKind('later')).toHaveLength(100);
    expect(ofKind('later').every(({ middles }) => middles.length === 3)).toBe(true);
  });

  it('looks on at each fill of a burst where one look fails', () => {
    let isFailing = false;
    const onView = () => {
      if (isFailing) throw new Error('no view');
    };
    const { clock, day, ofKind } = book({ onView });
    const filled = (name: string) => {
      day.onRecord({ kind: 'fill', fill: fill({ intentId: intentId(name) }) });
      day.onTurn();
    };
    // As many as are looked at.
    for (let count = 0; count < 2_000; count += 1) filled(`i-${count}`);
    isFailing = true;
    clock.advance(1_000);
    isFailing = false;
    clock.advance(70_000);
    expect(ofKind('later')).toHaveLength(2_000);
    expect(ofKind('later')[0]?.middles).toEqual([null, 0.5, 0.5]);
    filled('next');
    clock.advance(70_000);
    expect(ofKind('later')).toHaveLength(2_001);
  });

  it('values what is held by the outcome from when it is known, and no fill', () => {
    const { clock, day, shown, ofKind } = book();
    day.onRecord({ kind: 'fill', fill: fill() });
    day.onTurn();
    clock.advance(5_000);
    Object.assign(shown, { mark: '1', bestBid: undefined, bestAsk: undefined });
    clock.advance(60_000);
    expect(ofKind('later')).toMatchObject([{ middles: [0.5, 0.5, 0.5] }]);
    expect(ofKind('sample').at(-1)?.markets).toMatchObject([{ middle: 1 }]);
    expect(day.earned().total.pnlUsdc).toBeCloseTo(10 * (1 - 0.48));
  });

  it('notes an outcome soon after a market is resolved', () => {
    const { clock, day, shown, ofKind } = book();
    clock.advance(60_000);
    const known = ofKind('sample').length;
    const { marketId } = MARKET;
    for (const status of ['resolved', 'resolved']) {
      day.onReport({ event: 'market.status', marketId, status, word: 'RESOLVED' });
    }
    Object.assign(shown, { mark: '1' });
    clock.advance(30_000);
    expect(ofKind('sample').length).toBe(known + 1);
    expect(ofKind('sample').at(-1)?.markets).toMatchObject([{ middle: 1 }]);
  });

  it('writes what it has of a fill when the run ends before the minute is over', () => {
    const { clock, day, ofKind } = book();
    day.onRecord({ kind: 'fill', fill: fill() });
    day.onTurn();
    clock.advance(2_000);
    day.close();
    clock.advance(100_000);
    expect(ofKind('later')).toMatchObject([{ middles: [0.5] }]);
    expect(ofKind('sample')).toHaveLength(1);
    expect(ofKind('end')).toHaveLength(1);
  });

  it('looks at no book for a fill that nobody reported', () => {
    const { clock, day, ofKind } = book();
    day.onRecord({ kind: 'fill', fill: fill({ isInferred: true }) });
    day.onTurn();
    clock.advance(61_000);
    expect(ofKind('fill')).toMatchObject([{ middle: null }]);
    expect(ofKind('later')).toEqual([]);
  });

  it('notes an order once, when it has ended, and what of it failed on the chain', () => {
    const { day, ofKind } = book();
    day.onRecord({ kind: 'order', order: order({ isTake: true }) });
    day.onRecord({ kind: 'order', order: order({ state: 'filled', executed: shares(50) }) });
    day.onRecord({ kind: 'order', order: order({ failed: shares(50) }) });
    expect(ofKind('order')).toMatchObject([{ order: { filled: '50', state: 'filled' } }]);
    expect(ofKind('bust')).toMatchObject([{ intentId: 'i-1', micro: 50_000_000 }]);
    day.onRecord({ kind: 'fill', fill: fill() });
    day.onTurn();
    expect(ofKind('fill')).toMatchObject([{ takerFeeRate: 0.1 }]);
  });

  it('notes what failed in a previous run no second time when its order ends in this one', () => {
    const { day, ofKind } = book({ left: [order({ failed: shares(10) })] });
    day.onRecord({ kind: 'order', order: order({ failed: shares(10), state: 'cancelled' }) });
    expect(ofKind('bust')).toEqual([]);
    expect(day.earned().markets).toEqual([]);
    day.onRecord({ kind: 'order', order: order({ failed: shares(15), state: 'cancelled' }) });
    expect(ofKind('bust')).toMatchObject([{ micro: 5_000_000 }]);
  });

  it('gives back the fee of what was taken and failed on the chain', () => {
    const { clock, day } = book();
    const take = { marketId: MARKET.marketId, price: ticks(GRID, 48), isTake: true } as const;
    day.onRecord({ kind: 'order', order: order(take) });
    day.onRecord({ kind: 'fill', fill: fill() });
    day.onTurn();
    clock.advance(61_000);
    expect(day.earned().total.parts.fees).toBeCloseTo(-0.1 * 0.48 * 0.52 * 10, 9);
    day.onRecord({ kind: 'order', order: order({ ...take, failed: shares(10) }) });
    expect(day.earned().total.pnlUsdc).toBeCloseTo(0, 9);
  });

  it('samples at round times, and says what a market is once a day', () => {
    const { clock, day, ofKind } = book();
    clock.advance(30_000);
    clock.advance(SAMPLE_MS);
    expect(ofKind('sample').map(({ atMs }) => atMs)).toEqual([
      START_MS + 20_000,
      SAMPLE_MS,
      2 * SAMPLE_MS,
    ]);
    expect(ofKind('sample')[0]?.markets).toMatchObject([{ net: 120.5, pnlUsdc: -1.25 }]);
    expect(ofKind('market')).toHaveLength(1);
    day.close();
  });

  it('notes what warns, bounded for each day', () => {
    const { day, ofKind } = book();
    const report = { event: 'venue.read_failed', what: 'balances', detail: 'timeout' } as const;
    for (let times = 0; times < 1_000; times += 1) day.onReport(report);
    day.onReport({ event: 'order.filled', ...SAID });
    expect(ofKind('event')).toHaveLength(500);
    expect(ofKind('event')[0]).toMatchObject({ severity: 'warn', fields: { what: 'balances' } });
  });

  it('stops nobody when it fails', () => {
    const { clock, day, ofKind } = book({ viewFails: true });
    day.onRecord({ kind: 'fill', fill: fill() });
    day.onTurn();
    clock.advance(SAMPLE_MS);
    day.close();
    expect(ofKind('end')).toHaveLength(1);
  });
});

const SAID = {
  marketId: MARKET.marketId,
  tokenId: MARKET.yesTokenId,
  side: 'BUY',
  price: '0.48',
  quantity: '10',
} as const;
