import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../src/clock/virtual.ts';
import { type TickGrid, tickGrid } from '../../../../src/domain/ticks.ts';
import {
  affordableMicro,
  costOf,
  feeOf,
  feePartAt,
  NO_USDC,
  nanoOf,
  priceJson,
  priceText,
  sharesJson,
  sharesOf,
  sharesText,
  type TakerFee,
  usdcOf,
  usdcText,
} from '../../../../src/paper/exchange/amounts.ts';
import { CandleBook } from '../../../../src/paper/exchange/candles.ts';
import { HashSource } from '../../../../src/paper/exchange/identity.ts';
import { plannedEvent } from '../../../../src/paper/exchange/plan.ts';
import { between, seededDice } from '../../../../src/paper/exchange/random.ts';
import { ring } from '../../../../src/paper/exchange/ring.ts';
import { TimerSet } from '../../../../src/paper/exchange/timer-set.ts';
import { HOST_CLOCK, HOST_TIMERS } from '../../../../src/paper/host-time.ts';
import { RACE, RAIN } from '../support.ts';

const MILLI = tickGrid('0.001');
const CENT = tickGrid('0.01');

/** So many digits that nothing of a product is cut. */
const Exact = Decimal.clone({ precision: 60 });

/** The same amounts by decimals of USDC, as anybody would write them down. */
const byDecimals = {
  cost: (grid: TickGrid, price: number, micro: number) =>
    new Exact(price).div(grid.ticksPerUnit).times(micro).div(1_000_000),
  feePart: (grid: TickGrid, price: number, { bps, rate }: TakerFee) =>
    new Exact(1)
      .minus(new Exact(price).div(grid.ticksPerUnit))
      .times(rate)
      .plus(new Exact(bps).div(10_000)),
  fee: (cost: Decimal, part: Decimal) => cost.times(part).toDecimalPlaces(6, Decimal.ROUND_DOWN),
};

const GRIDS = fc.constantFrom(CENT, MILLI);
const PRICES = fc.integer({ min: 1, max: 99 });
const MICROS = fc.oneof(
  fc.integer({ min: 0, max: 9_000_000_000_000 }),
  fc.integer({ min: 0, max: 9_000_000 }).map((whole) => whole * 1_000_000),
);
const FEES = fc.oneof(
  fc.constant({ bps: 0, rate: 0 }),
  fc.record({
    bps: fc.integer({ min: 0, max: 100_000 }).map((hundredths) => hundredths / 100),
    rate: fc.integer({ min: 0, max: 2_500 }).map((parts) => parts / 10_000),
  }),
);

describe('amounts', () => {
  it('cost exactly what price times quantity is, finer than a micro-dollar too', () => {
    expect(costOf(MILLI, 1, 1)).toBe(1n);
    expect(costOf(CENT, 29, 12_500_000)).toBe(3_625_000_000n);
    expect(costOf(MILLI, 999, 1_000_000_000_000)).toBe(999_000_000_000_000n);
    expect(costOf(MILLI, 999, 9_000_000_000_000_000)).toBe(8_991_000_000_000_000_000n);
  });

  it('are the decimals they stand for, of whole shares and of parts, with every fee', () => {
    fc.assert(
      fc.property(GRIDS, PRICES, MICROS, FEES, (grid, price, micro, fee) => {
        const cost = costOf(grid, price, micro);
        const expected = byDecimals.cost(grid, price, micro);
        expect(usdcOf(cost).eq(expected)).toBe(true);
        expect(nanoOf(expected)).toBe(cost);
        expect(sharesOf(micro).eq(new Decimal(micro).div(1_000_000))).toBe(true);
        const charged = feeOf(cost, feePartAt(grid, price, fee));
        const part = byDecimals.feePart(grid, price, fee);
        expect(usdcOf(charged).toFixed()).toBe(byDecimals.fee(expected, part).toFixed());
      }),
      { numRuns: 2_000 },
    );
  });

  it('add up and divide as exactly as they are counted: no part of a trade is lost', () => {
    fc.assert(
      fc.property(GRIDS, PRICES, fc.array(MICROS), (grid, price, parts) => {
        const whole = parts.reduce((sum, micro) => sum + costOf(grid, price, micro), NO_USDC);
        const micro = parts.reduce((sum, part) => sum + part, 0);
        expect(whole).toBe(costOf(grid, price, micro));
      }),
    );
  });

  it('read as the shortest exact text, and as the number nearest to it', () => {
    expect([sharesText(12_500_000), sharesText(1), sharesText(-250_000)]).toEqual([
      ...['12.5', '0.000001', '-0.25'],
    ]);
    expect([priceText(CENT, 29), priceText(MILLI, 7)]).toEqual(['0.29', '0.007']);
    expect([priceJson(CENT, 57), sharesJson(4_350_000)]).toEqual([0.57, 4.35]);
    expect([usdcText(1_999_999_999n), usdcText(NO_USDC), usdcText(-1_500_000_999n)]).toEqual([
      ...['1.999999', '0', '-1.5'],
    ]);
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }), (nano) => {
        const shown = new Decimal(String(nano)).div(1e9).toDecimalPlaces(6, Decimal.ROUND_DOWN);
        // Less than a micro-dollar of debt is no amount, where a decimal keeps the sign of its zero.
        expect(usdcText(nano)).toBe(shown.isZero() ? '0' : shown.toFixed());
        expect(nanoOf(usdcOf(nano))).toBe(nano);
      }),
    );
  });

  it('never buy more than the cash pays for, fee included, and a micro-share more is too much', () => {
    const cashes = fc.bigInt({ min: 1n, max: 9n * 10n ** 15n });
    fc.assert(
      fc.property(GRIDS, PRICES, cashes, FEES, (grid, price, cash, fee) => {
        const feePart = feePartAt(grid, price, fee);
        const count = affordableMicro(grid, price, { cash, feePart });
        const cost = costOf(grid, price, count);
        expect(cost + feeOf(cost, feePart) <= cash).toBe(true);
        const more = byDecimals.cost(grid, price, count + 1);
        const part = byDecimals.feePart(grid, price, fee);
        expect(more.times(part.plus(1)).gt(usdcOf(cash))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(affordableMicro(CENT, 37, { cash: -1n, feePart: 0n })).toBe(0);
    const rich = { cash: 9_999_394_286_683_235n, feePart: 0n };
    expect(affordableMicro(MILLI, 1, rich)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('timers of a venue', () => {
  it('wait longer than any single timer can', () => {
    const clock = new VirtualClock();
    const timers = new TimerSet(clock, clock);
    let ranAtMs = 0;
    timers.after(5_000_000_000, () => {
      ranAtMs = clock.nowMs();
    });
    clock.advance(4_999_999_999);
    expect(ranAtMs).toBe(0);
    clock.advance(1);
    expect(ranAtMs).toBe(5_000_000_000);
  });

  it('are called off one by one or all at once', () => {
    const clock = new VirtualClock();
    const timers = new TimerSet(clock, clock);
    const ran: string[] = [];
    const callOff = timers.after(1, () => ran.push('one'));
    timers.after(2, () => ran.push('two'));
    timers.after(3, () => ran.push('three'));
    callOff();
    clock.advance(2);
    timers.clear();
    clock.advance(10);
    expect(ran).toEqual(['two']);
    expect(clock.pending).toBe(0);
  });

  it('of one moment share a timer, run in their order, and are called off one by one', () => {
    const clock = new VirtualClock();
    const timers = new TimerSet(clock, clock);
    const ran: string[] = [];
    timers.after(3, () => ran.push('one'));
    const callOff = timers.after(3, () => expect.unreachable());
    const last = timers.after(3, () => ran.push('three'));
    timers.after(3, () => timers.after(0, () => ran.push('five')));
    timers.after(3, () => last());
    expect(clock.pending).toBe(1);
    callOff();
    callOff();
    clock.advance(3);
    expect(ran).toEqual(['one', 'three', 'five']);
    timers.after(1, () => expect.unreachable())();
    expect(clock.pending).toBe(0);
  });

  it('of one moment have their turn though one before them throws', () => {
    const clock = new VirtualClock();
    const timers = new TimerSet(clock, clock);
    const ran: string[] = [];
    timers.after(3, () => {
      throw new Error('no such order');
    });
    timers.after(3, () => ran.push('two'));
    expect(() => clock.advance(3)).toThrow('no such order');
    expect(ran).toEqual(['two']);
  });

  it('of the host run once after their delay', async () => {
    const startMs = HOST_CLOCK.nowMs();
    const callOff = HOST_TIMERS.after(5, () => expect.unreachable());
    callOff();
    // The timer under test does not keep the process alive, so another one waits for it.
    await new Promise<void>((resolve) => {
      const guard = setTimeout(resolve, 1_000);
      HOST_TIMERS.after(20, () => {
        clearTimeout(guard);
        resolve();
      });
    });
    expect(HOST_CLOCK.nowMs() - startMs).toBeGreaterThanOrEqual(18);
    expect(HOST_CLOCK.nowMs() - startMs).toBeLessThan(900);
  });
});

describe('memory', () => {
  it('of a ring is its newest entries', () => {
    const kept = ring<number>(3);
    for (let count = 1; count <= 100; count += 1) kept.push(count);
    expect(kept.newest(10)).toEqual([100, 99, 98]);
    expect(kept.newest(2)).toEqual([100, 99]);
    expect(kept.size).toBe(3);
  });

  it('of candles is bounded at every interval', () => {
    const book = new CandleBook();
    for (let minute = 0; minute < 2_000; minute += 1) {
      book.add(minute * 60_000, '0.50', 1_000_000);
    }
    const minutes = book.between('m1', 0, Number.MAX_SAFE_INTEGER);
    expect(minutes).toHaveLength(1_500);
    expect(minutes[0]?.startMs).toBe(500 * 60_000);
    expect(book.between('h1', 0, Number.MAX_SAFE_INTEGER)).toHaveLength(34);
  });
});

describe('chance and names', () => {
  it('are the same for the same seed and others for another', () => {
    const draws = (seed: number) => Array.from({ length: 5 }, seededDice(seed).next);
    expect(draws(1)).toEqual(draws(1));
    expect(draws(1)).not.toEqual(draws(2));
    expect(new HashSource(1).next()).toBe(new HashSource(1).next());
    expect(new HashSource(1).next()).not.toBe(new HashSource(2).next());
  });

  it('never name two things alike', () => {
    const source = new HashSource(1);
    const names = Array.from({ length: 100 }, () => source.next());
    expect(new Set(names).size).toBe(100);
    for (const name of names) expect(name).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it('fall evenly between their bounds', () => {
    const dice = seededDice(9);
    const delays = Array.from({ length: 2_000 }, () => between(dice, 15_000, 20_000));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(15_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(20_000);
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(Math.abs(mean - 17_500)).toBeLessThan(100);
  });

  it('of everything that is planned differ from each other', () => {
    const events = [plannedEvent(RAIN), plannedEvent(RACE)];
    const ids = events.flatMap(({ id, markets }) => [
      id,
      ...markets.flatMap((market) => [market.id, market.yes.id, market.no.id]),
      ...markets.flatMap((market) => [market.yes.tokenId, market.no.tokenId]),
    ]);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
