import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../src/clock/virtual.ts';
import { tickGrid } from '../../../../src/domain/ticks.ts';
import {
  affordableMicro,
  costOf,
  feeOf,
  NO_USDC,
  priceJson,
  priceText,
  sharesJson,
  sharesOf,
  sharesText,
  sumOf,
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

describe('amounts', () => {
  it('cost exactly what price times quantity is, finer than a micro-dollar too', () => {
    expect(costOf(MILLI, 1, 1).toFixed()).toBe('0.000000001');
    expect(costOf(CENT, 29, 12_500_000).toFixed()).toBe('3.625');
    expect(costOf(MILLI, 999, 1_000_000_000_000).toFixed()).toBe('999000');
  });

  it('are the decimals they stand for, of whole shares and of parts', () => {
    const micro = fc.oneof(
      fc.integer({ min: 0, max: 9_000_000_000_000 }),
      fc.integer({ min: 0, max: 9_000_000 }).map((whole) => whole * 1_000_000),
    );
    const money = fc.integer({ min: -1e9, max: 1e9 }).map((count) => new Decimal(count).div(1e6));
    fc.assert(
      fc.property(micro, fc.integer({ min: 1, max: 999 }), money, (count, price, cash) => {
        const shares = new Decimal(count).div(1_000_000);
        expect(costOf(MILLI, price, count).eq(shares.times(price).div(1_000))).toBe(true);
        expect(costOf(CENT, price % 100, count).eq(shares.times(price % 100).div(100))).toBe(true);
        expect(sharesOf(count).eq(shares)).toBe(true);
        expect(sumOf(cash, shares).eq(cash.plus(shares))).toBe(true);
        expect(sumOf(cash, NO_USDC).eq(cash)).toBe(true);
      }),
    );
  });

  it('read as the shortest exact text, and as the number nearest to it', () => {
    expect([sharesText(12_500_000), sharesText(1), sharesText(-250_000)]).toEqual([
      ...['12.5', '0.000001', '-0.25'],
    ]);
    expect([priceText(CENT, 29), priceText(MILLI, 7)]).toEqual(['0.29', '0.007']);
    expect([priceJson(CENT, 57), sharesJson(4_350_000)]).toEqual([0.57, 4.35]);
    expect([usdcText(new Decimal('1.9999999')), usdcText(new Decimal(0))]).toEqual([
      ...['1.999999', '0'],
    ]);
  });

  it('never buy more than the cash pays for, fee included', () => {
    for (const cash of [0.001, 1, 6.5, 99.999_999]) {
      for (const feeBps of [0, 75, 1_000]) {
        const budget = { cash: new Decimal(cash), feeBps };
        const count = affordableMicro(CENT, 37, budget);
        const total = (micro: number) => {
          const cost = costOf(CENT, 37, micro);
          return cost.plus(feeOf(cost, feeBps));
        };
        expect(total(count).lte(cash)).toBe(true);
        // Fees round down by up to a millionth, which is a few micro-shares more at most.
        expect(total(count + 10).gt(cash)).toBe(true);
      }
    }
    expect(affordableMicro(CENT, 37, { cash: new Decimal(-1), feeBps: 0 })).toBe(0);
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
