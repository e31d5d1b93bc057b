import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../src/clock/virtual.ts';
import type { TokenId } from '../../../../src/domain/ids.ts';
import type { Event, Market } from '../../../../src/domain/market.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { type TickSize, ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { meetsMinNotional, usdc } from '../../../../src/domain/usdc.ts';
import { PROFILES, type ProfileName } from '../../../../src/paper/crowd/profile.ts';
import {
  type SyntheticCrowdOptions,
  startSyntheticCrowd,
} from '../../../../src/paper/crowd/synthetic.ts';
import { DeskDouble } from '../../../support/desk-double.ts';
import { listedEvent } from '../../../support/listed-event.ts';

const START_MS = 1_700_000_000_000;

type Setup = Partial<SyntheticCrowdOptions> & { readonly events?: readonly Event[] };

function crowdOn(setup: Setup = {}) {
  const clock = new VirtualClock({ startMs: START_MS });
  const events = setup.events ?? [listedEvent('rain')];
  const desk = new DeskDouble(clock, events);
  const crowd = startSyntheticCrowd(desk, { seed: 'a seed', timers: clock, ...setup });
  return { clock, desk, crowd, events, market: marketOf(events[0]) };
}

function marketOf(event: Event | undefined, index = 0): Market {
  const market = event?.markets[index];
  if (!market) throw new Error('no such market in the test');
  return market;
}

function touch(desk: DeskDouble, tokenId: TokenId) {
  const bid = desk.levels(tokenId, 'bid')[0]?.price;
  const ask = desk.levels(tokenId, 'ask')[0]?.price;
  return { bid, ask };
}

function middle(desk: DeskDouble, tokenId: TokenId): number {
  const { bid, ask } = touch(desk, tokenId);
  return ((bid ?? Number.NaN) + (ask ?? Number.NaN)) / 2;
}

const GRIDS: readonly TickSize[] = ['0.01', '0.001'];
const CASES = GRIDS.flatMap((tickSize) =>
  (['calm', 'informed', 'jumpy'] as const).map((profile) => ({ tickSize, profile })),
);

function market(profile: ProfileName, tickSize: TickSize): Setup {
  return { events: [listedEvent('rain', 1, tickSize)], markets: { rain: profile } };
}

describe('a seeded crowd', () => {
  it('places the same orders for the same seed', () => {
    const [first, second] = [crowdOn(), crowdOn()];
    first.clock.advance(30_000);
    second.clock.advance(30_000);
    expect(first.desk.placed.length).toBeGreaterThan(100);
    expect(second.desk.placed).toEqual(first.desk.placed);
    expect(second.crowd.fairValue(second.market.id)).toBe(first.crowd.fairValue(first.market.id));
  });

  it('places others for another seed', () => {
    const [first, second] = [crowdOn(), crowdOn({ seed: 'another' })];
    expect(second.desk.placed).not.toEqual(first.desk.placed);
  });

  it('trades a market alike whatever else is listed', () => {
    const alone = crowdOn({ events: [listedEvent('rain')] });
    const among = crowdOn({
      events: [listedEvent('snow'), listedEvent('rain'), listedEvent('hail')],
    });
    alone.clock.advance(20_000);
    among.clock.advance(20_000);
    const isRain = (order: { readonly trader: string }): boolean => order.trader.includes('rain');
    expect(among.desk.placed.filter(isRain)).toEqual(alone.desk.placed);
  });

  it('keeps what takers do when a market gets one more maker', () => {
    const few = crowdOn({ markets: { rain: { makers: 3 } } });
    const many = crowdOn({ markets: { rain: { makers: 4 } } });
    expect(many.desk.placed.filter((order) => !order.trader.endsWith('maker-4'))).toEqual(
      few.desk.placed,
    );
  });
});

describe.each(CASES)('the book of a $profile market on a grid of $tickSize', (each) => {
  const setup = market(each.profile, each.tickSize);

  it('is usable at once: two sides, several levels, on both tokens', () => {
    const { desk, market: listed } = crowdOn(setup);
    for (const { tokenId } of [listed.yes, listed.no]) {
      expect(desk.levels(tokenId, 'bid').length).toBeGreaterThanOrEqual(5);
      expect(desk.levels(tokenId, 'ask').length).toBeGreaterThanOrEqual(5);
    }
  });

  it('stays uncrossed and near the fair value, and two-sided almost always', () => {
    const { clock, desk, crowd, market: listed, events } = crowdOn(setup);
    const unit = events[0]?.grid.ticksPerUnit ?? Number.NaN;
    let oneSided = 0;
    let far = 0;
    for (let second = 0; second < 240; second += 1) {
      clock.advance(1_000);
      const { bid, ask } = touch(desk, listed.yes.tokenId);
      if (bid === undefined || ask === undefined) oneSided += 1;
      else expect(bid).toBeLessThan(ask);
      const away = middle(desk, listed.yes.tokenId) / unit - (crowd.fairValue(listed.id) ?? 0);
      if (Math.abs(away) > 0.06) far += 1;
    }
    expect(oneSided).toBeLessThan(4);
    // After a piece of news the makers need a moment.
    expect(far).toBeLessThan(15);
  });
});

describe('the flow of a crowd', () => {
  it('trades several times in ten seconds, on both tokens and both sides', () => {
    const { clock, desk, market: listed } = crowdOn();
    clock.advance(10_000);
    expect(desk.trades.length).toBeGreaterThanOrEqual(4);
    clock.advance(110_000);
    const kinds = new Set(desk.trades.map((trade) => `${trade.tokenId} ${trade.takerSide}`));
    expect(kinds.size).toBe(4);
    expect(kinds).toContain(`${listed.no.tokenId} SELL`);
  });

  it('hits quotes of others that are the best, on each side, within seconds', () => {
    const { clock, desk, market: listed, events } = crowdOn();
    const grid = events[0]?.grid;
    if (!grid) throw new Error('the test lists an event');
    desk.fund('ours', usdc(10_000));
    desk.mintSets('ours', listed.id, shares(1_000));
    const centre = Math.round(middle(desk, listed.yes.tokenId));
    const common = {
      tokenId: listed.yes.tokenId,
      quantity: shares(50),
      timeInForce: 'GTC',
    } as const;
    desk.place('ours', { ...common, side: 'BUY', price: ticks(grid, centre - 1) });
    desk.place('ours', { ...common, side: 'SELL', price: ticks(grid, centre + 1) });
    clock.advance(30_000);
    const hits = desk.trades.filter((trade) => trade.maker === 'ours');
    expect(new Set(hits.map((trade) => trade.takerSide))).toEqual(new Set(['BUY', 'SELL']));
    expect(Math.min(...hits.map((trade) => trade.atMs))).toBeLessThan(START_MS + 10_000);
  });

  it('takes stale quotes soon after news, by those who know', () => {
    const { clock, desk, crowd, market: listed, events } = crowdOn(market('informed', '0.01'));
    const grid = events[0]?.grid;
    if (!grid) throw new Error('the test lists an event');
    desk.fund('ours', usdc(10_000));
    crowd.announce(listed.id, 0.5);
    clock.advance(5_000);
    const stale = { tokenId: listed.no.tokenId, side: 'BUY', timeInForce: 'GTC' } as const;
    desk.place('ours', { ...stale, price: ticks(grid, 45), quantity: shares(40) });
    crowd.announce(listed.id, 0.7);
    clock.advance(10_000);
    const hits = desk.trades.filter((trade) => trade.maker === 'ours');
    expect(hits.some((trade) => trade.taker.endsWith('informed'))).toBe(true);
    expect(desk.restingOf('ours')).toEqual([]);
  });

  it('carries the book to an announced value within seconds', () => {
    const { clock, desk, crowd, market: listed } = crowdOn();
    crowd.announce(listed.id, 0.62);
    clock.advance(10_000);
    expect(Math.abs(middle(desk, listed.yes.tokenId) - 62)).toBeLessThan(4);
    expect(Math.abs(middle(desk, listed.no.tokenId) - 38)).toBeLessThan(4);
  });

  it('grows with the activity, and is makers only at none', () => {
    const trades = [0, 0.5, 4].map((activity) => {
      const { clock, desk } = crowdOn({ activity });
      clock.advance(60_000);
      return desk.trades.length;
    });
    expect(trades[0]).toBe(0);
    expect(trades[2]).toBeGreaterThan(3 * (trades[1] ?? 0));
  });

  it('refuses an activity out of its range', () => {
    expect(() => crowdOn({ activity: 101 })).toThrow(/activity/);
    expect(() => crowdOn({ activity: -1 })).toThrow(/activity/);
  });

  it('places legal orders only: whole shares, worth a dollar, mostly taken at once or resting', () => {
    const { clock, desk, events } = crowdOn({ markets: { rain: { startProbability: 0.06 } } });
    const grid = events[0]?.grid;
    if (!grid) throw new Error('the test lists an event');
    clock.advance(120_000);
    for (const order of desk.placed) {
      expect(order.quantity % 1_000_000).toBe(0);
      expect(meetsMinNotional(grid, order.price, order.quantity)).toBe(true);
    }
    expect(desk.refused).toEqual([]);
    const taking = desk.placed.filter((order) => !order.trader.includes('maker'));
    const fak = taking.filter((order) => order.timeInForce === 'FAK');
    expect(fak.length / taking.length).toBeGreaterThan(0.75);
  });
});

describe('a crowd that runs for long', () => {
  it('keeps its orders bounded and its makers still where nothing moves', () => {
    const still = { variancePerHour: 0, makerError: 0 };
    const { clock, desk } = crowdOn({ activity: 0, markets: { rain: still } });
    const atStart = desk.placed.length;
    clock.advance(15_000);
    expect(desk.placed.length).toBe(atStart);
    clock.advance(900_000);
    const { makers, makerLevels } = PROFILES.calm;
    expect(desk.restingCount).toBeLessThanOrEqual(4 * makers * makerLevels);
    // Orders are renewed once a minute or so, and nothing else happens.
    expect(desk.placed.length / atStart).toBeLessThan(40);
  });

  it('keeps orders bounded while everything moves', () => {
    const { clock, desk } = crowdOn({ ...market('jumpy', '0.001'), activity: 5 });
    for (let minute = 0; minute < 6; minute += 1) {
      clock.advance(60_000);
      expect(desk.restingCount).toBeLessThanOrEqual(100);
    }
  });

  it('refills accounts that run low, by bounded amounts and not too often', () => {
    const greedy = { takerShares: 2_000, noiseTakersPerSec: 5, makerLevelShares: 3_000 };
    const { clock, desk } = crowdOn({ markets: { rain: greedy } });
    clock.advance(600_000);
    const traders = new Set(desk.funded.map((each) => each.trader));
    expect(desk.funded.length).toBeGreaterThan(traders.size);
    for (const trader of traders) {
      const times = desk.funded.filter((each) => each.trader === trader).length;
      expect(times).toBeLessThanOrEqual(1 + 600_000 / 10_000);
    }
    const late = desk.trades.filter((trade) => trade.atMs > START_MS + 500_000);
    expect(late.length).toBeGreaterThan(20);
  });

  it('makes up for a long stop of the machine without a rush of orders', () => {
    const events = [listedEvent('rain')];
    const source = new VirtualClock({ startMs: START_MS });
    const desk = new DeskDouble(source, events);
    let task: () => void = () => {};
    const timers = {
      after: (_delayMs: number, next: () => void) => {
        task = next;
        return () => {};
      },
    };
    startSyntheticCrowd(desk, { seed: 1, timers });
    const before = desk.placed.length;
    source.advance(8 * 3_600_000);
    task();
    expect(desk.placed.length - before).toBeLessThan(100);
  });
});

describe('a market that does not trade', () => {
  it('is left alone while it is paused and traded again when it opens', () => {
    const { clock, desk, market: listed } = crowdOn();
    clock.advance(5_000);
    desk.setTradingStatus(listed.id, 'paused');
    const before = desk.placed.length;
    clock.advance(60_000);
    // Each trader asks again every two seconds at most.
    expect(desk.placed.length - before).toBeLessThan(6 * 31);
    desk.setTradingStatus(listed.id, 'open');
    clock.advance(20_000);
    expect(desk.trades.some((trade) => trade.atMs > START_MS + 65_000)).toBe(true);
  });

  it('has no crowd when it is closed or has no book', () => {
    const closed: Event = { ...listedEvent('closed'), status: 'closed' };
    const plain = listedEvent('plain');
    const bookless: Event = {
      ...plain,
      markets: plain.markets.map((each) => ({ ...each, enableOrderBook: false })),
    };
    const { clock, desk, crowd } = crowdOn({ events: [closed, bookless] });
    clock.advance(5_000);
    expect(desk.placed).toEqual([]);
    expect(crowd.fairValue(marketOf(closed).id)).toBeUndefined();
    expect(() => crowd.announce(marketOf(closed).id, 0.5)).toThrow(/has a crowd/);
  });
});

describe('an event of several outcomes', () => {
  it('has fair values that sum to one, and a book for each', () => {
    const { clock, desk, crowd, events } = crowdOn({ events: [listedEvent('race', 4)] });
    clock.advance(60_000);
    const markets = events[0]?.markets ?? [];
    const fair = markets.map((each) => crowd.fairValue(each.id) ?? Number.NaN);
    expect(fair.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
    for (const each of markets) {
      expect(touch(desk, each.yes.tokenId).bid).toBeDefined();
      expect(touch(desk, each.yes.tokenId).ask).toBeDefined();
    }
  });

  it('resolves every market at its horizon, one of them to YES, and takes its orders back', () => {
    const race = { race: { resolvesAfterMs: 60_000 } };
    const { clock, desk, events } = crowdOn({ events: [listedEvent('race', 3)], markets: race });
    clock.advance(61_000);
    const markets = events[0]?.markets ?? [];
    const winners = markets.filter((each) => desk.resolved.get(each.id) === each.yes.tokenId);
    const losers = markets.filter((each) => desk.resolved.get(each.id) === each.no.tokenId);
    expect([winners.length, losers.length]).toEqual([1, 2]);
    expect(desk.restingCount).toBe(0);
    expect(clock.close()).toBe(0);
  });
});

describe('a crowd whose clock is set', () => {
  it.each([
    ['back by a second', -1_000],
    ['ahead by a week, as while its host sleeps', 7 * 86_400_000],
  ])('%s trades on', (_, byMs) => {
    const clock = new VirtualClock({ startMs: START_MS });
    const set = { byMs: 0 };
    const desk = new DeskDouble({ nowMs: () => unixMs(clock.nowMs() + set.byMs) }, [
      listedEvent('rain'),
    ]);
    startSyntheticCrowd(desk, { seed: 'a seed', timers: clock, markets: { rain: 'jumpy' } });
    clock.advance(10_000);
    set.byMs = byMs;
    const placed = desk.placed.length;
    clock.advance(10_000);
    expect(desk.placed.length).toBeGreaterThan(placed);
  });
});

describe('stopping a crowd', () => {
  it('takes back every order and leaves no timer, however often it is asked', () => {
    const { clock, desk, crowd } = crowdOn({ events: [listedEvent('rain'), listedEvent('snow')] });
    clock.advance(12_345);
    crowd.stop();
    crowd.stop();
    expect(desk.restingCount).toBe(0);
    const placed = desk.placed.length;
    clock.advance(10_000);
    expect(desk.placed.length).toBe(placed);
    expect(clock.close()).toBe(0);
  });
});
