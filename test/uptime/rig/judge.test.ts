import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BotMarket, Floor, Resting } from './floor.ts';
import { Judge } from './judge.ts';

const LIMITS = { netSharesMax: 100, openOrdersMax: 4, size: 20 };

/** Shows what the test says of one market. */
class ShownFloor implements Floor {
  readonly baseUrl = '';
  readonly wsUrl = '';
  readonly credentials = { apiKey: '', apiSecret: '', apiPassphrase: '' };
  readonly eventSlug = '';
  readonly ticksPerUnit = 100;
  readonly marketCount = 1;
  shown: BotMarket = { resting: [], net: 0 };

  bot(): BotMarket {
    return this.shown;
  }

  openCount(): number {
    return this.shown.resting.length;
  }

  layBook(): void {}

  hit(): void {}

  async stop(): Promise<void> {}
}

function order(axisSide: 'bid' | 'ask', change: Partial<Resting> = {}): Resting {
  const ticks = axisSide === 'bid' ? 48 : 52;
  const placedAtMs = Date.now();
  return {
    orderHash: '0x1',
    axisSide,
    ticks,
    shares: 20,
    placedAtMs,
    isRestored: false,
    ...change,
  };
}

function judged(): { floor: ShownFloor; judge: Judge } {
  const floor = new ShownFloor();
  const judge = new Judge(floor, LIMITS);
  judge.onStart();
  return { floor, judge };
}

function show(floor: ShownFloor, resting: readonly Resting[], net = 0): void {
  floor.shown = { resting, net };
}

/** The judge looks every few milliseconds. */
function near(ms: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && Math.abs(value - ms) <= 20;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the judge', () => {
  it('counts time with both sides from the first quote on', () => {
    const { floor, judge } = judged();
    vi.advanceTimersByTime(1_000);
    show(floor, [order('bid'), order('ask')]);
    vi.advanceTimersByTime(3_000);
    show(floor, [order('bid')]);
    vi.advanceTimersByTime(1_000);
    const { uptime, firstQuoteMs, longestGapMs } = judge.stop();
    expect(uptime).toBeCloseTo(0.75, 2);
    expect(firstQuoteMs).toSatisfy(near(1_000));
    expect(longestGapMs).toSatisfy(near(1_000));
  });

  it('calls a bot that never quotes absent', () => {
    const { judge } = judged();
    vi.advanceTimersByTime(20_000);
    expect(judge.stop()).toMatchObject({ uptime: 0, firstQuoteMs: undefined });
  });

  it('leaves time out in which the venue is down', () => {
    const { floor, judge } = judged();
    show(floor, [order('bid'), order('ask')]);
    vi.advanceTimersByTime(1_000);
    show(floor, []);
    judge.isVenueDown = true;
    vi.advanceTimersByTime(5_000);
    const { uptime, excludedMs } = judge.stop();
    expect(uptime).toBe(1);
    expect(excludedMs).toSatisfy(near(5_000));
  });

  it('times recovery to the moment from which both sides stay', () => {
    const { floor, judge } = judged();
    const both = [order('bid'), order('ask')];
    show(floor, both);
    vi.advanceTimersByTime(1_000);
    show(floor, []);
    judge.onFaultsOver();
    vi.advanceTimersByTime(500);
    show(floor, both);
    vi.advanceTimersByTime(500);
    show(floor, []);
    vi.advanceTimersByTime(500);
    show(floor, both);
    vi.advanceTimersByTime(5_000);
    expect(judge.stop().recoverMs).toSatisfy(near(1_500));
  });

  it('says that a bot never recovered', () => {
    const { floor, judge } = judged();
    show(floor, [order('bid'), order('ask')]);
    vi.advanceTimersByTime(1_000);
    show(floor, [order('bid')]);
    judge.onFaultsOver();
    vi.advanceTimersByTime(5_000);
    expect(judge.stop().recoverMs).toBe('never');
  });

  it('does not take orders of a dead process for quotes', () => {
    const { floor, judge } = judged();
    show(floor, [order('bid'), order('ask')]);
    vi.advanceTimersByTime(1_000);
    judge.onDeath();
    vi.advanceTimersByTime(1_000);
    expect(judge.stop().uptime).toBeCloseTo(0.5, 1);
  });

  it('sees a position that could go beyond its limit once everything fills', () => {
    const { floor, judge } = judged();
    show(floor, [order('bid'), order('ask')], 80);
    vi.advanceTimersByTime(100);
    show(floor, [order('bid'), order('ask')], 81);
    vi.advanceTimersByTime(100);
    show(floor, [order('bid'), order('ask')], -81);
    vi.advanceTimersByTime(100);
    expect(judge.stop().breaches).toEqual(['net of market 0: 101']);
  });

  it('looks at each order once, where it was placed', () => {
    const floor = new ShownFloor();
    const judge = new Judge(floor, LIMITS, { isInPlace: (_, { ticks }) => ticks === 48 });
    judge.onStart();
    show(floor, [order('bid'), order('bid', { orderHash: '0x2', ticks: 44 })]);
    vi.advanceTimersByTime(1_000);
    expect(judge.stop().misplaced).toBe(1);
  });

  it('sees more open orders than are allowed', () => {
    const { floor, judge } = judged();
    show(
      floor,
      [44, 45, 46, 47, 48].map((ticks) => order('bid', { ticks })),
    );
    vi.advanceTimersByTime(100);
    expect(judge.stop().breaches).toEqual(['open orders: 5']);
  });

  it('sees a doubled order that stays, and none that the venue put back', () => {
    const { floor, judge } = judged();
    show(floor, [order('bid'), order('bid')]);
    vi.advanceTimersByTime(400);
    show(floor, [order('bid')]);
    vi.advanceTimersByTime(400);
    show(floor, [order('bid'), order('bid', { isRestored: true })]);
    vi.advanceTimersByTime(2_000);
    show(floor, [order('bid'), order('bid')]);
    vi.advanceTimersByTime(2_000);
    const [double, ...others] = judge.stop().duplicates;
    expect(double).toMatch(/^market 0 bid 48: 0x1 of 20, placed \d+ ms before; 0x1 of 20/);
    expect(others).toEqual([]);
  });
});
