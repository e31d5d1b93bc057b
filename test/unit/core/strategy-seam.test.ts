// What the core gives to strategies and what it takes from them, through the whole engine.

import { describe, expect, it } from 'vitest';
import { marketId, orderHash, outcomeId, tokenId } from '../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { Event } from '../../../src/domain/market.ts';
import { OVERLAY_DEFAULTS } from '../../../src/domain/overlays.ts';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  defineEventStrategy,
  defineStrategy,
  type EventContext,
  type Json,
  numberParam,
  type Quote,
  type QuoteContext,
  rememberedNumber,
  type Strategy,
  type Take,
} from '../../../src/strategy/index.ts';
import {
  balances,
  EngineDriver,
  GRID,
  level,
  listing,
  MARKET,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';

type Choice = CoreSettings['markets'][number];

function using(strategy: string, change: Partial<Choice> = {}, orders = {}): CoreSettings {
  const base = settings();
  return {
    ...base,
    orders: { ...base.orders, ...orders },
    markets: [{ event: 'rain', market: undefined, strategy, params: {}, ...change }],
  };
}

function quote(side: 'bid' | 'ask', price: number, size = 50): Quote {
  return { side, price: ticks(GRID, price), quantity: shares(size), purpose: 'add' };
}

const PAIR = [quote('bid', 48), quote('ask', 52)];

function running(strategy: Strategy, value: CoreSettings): EngineDriver {
  const driver = new EngineDriver([strategy]);
  driver.start(value);
  driver.healthyBook();
  driver.tick();
  return driver;
}

const placed = (driver: EngineDriver) => driver.placements().flatMap((each) => each.orders);
const market = (driver: EngineDriver) => driver.engine.view().markets[0];

describe('the memory of a strategy', () => {
  const counter = defineStrategy<object>({
    name: 'counter',
    summary: 'Counts its calls.',
    params: {},
    quote: ({ memory }) => ({
      quotes: [],
      reasons: [],
      memory: { calls: rememberedNumber(memory, 'calls', 0) + 1 },
    }),
  });
  const calls = (driver: EngineDriver) =>
    rememberedNumber(driver.engine.memories()[`counter@${MARKET}`], 'calls', -1);

  it('is handed from call to call, over new settings, and to the next run', () => {
    const driver = running(counter, using('counter'));
    const before = calls(driver);
    expect(before).toBeGreaterThan(0);
    driver.settings(using('counter', { params: { other: 1 } }));
    driver.tick();
    expect(calls(driver)).toBe(before + 1);
    const next = new EngineDriver([counter]);
    next.engine.loadMemories(JSON.parse(JSON.stringify(driver.engine.memories())));
    next.start(using('counter'));
    next.healthyBook();
    next.tick();
    expect(calls(next)).toBeGreaterThan(before + 1);
  });

  it('outlives those of ended markets, however many there were, and one that is new takes the place of theirs', () => {
    const ended = Array.from({ length: 2_500 }, (_, index) => [`counter@z-${index}`, { calls: 1 }]);
    const driver = new EngineDriver([], { counter, './other.ts': counter });
    const left = { [`counter@${MARKET}`]: { calls: 41 }, ...Object.fromEntries(ended) };
    driver.engine.loadMemories(left);
    driver.start(using('counter'));
    driver.healthyBook();
    driver.run(2_000);
    expect(calls(driver)).toBeGreaterThan(41);
    driver.settings(using('./other.ts'));
    driver.run(2_000);
    expect(driver.records).toContainEqual({ kind: 'forgotten', key: 'counter@z-0' });
    expect(Object.keys(driver.engine.memories())).toHaveLength(2_501);
    expect(calls(driver)).toBeGreaterThan(41);
  });

  it('is not shared by two modules of the same name', () => {
    const modules = { './one/counter.ts': counter, './two/counter.ts': counter };
    const driver = new EngineDriver([], modules);
    driver.start(using('./one/counter.ts'));
    driver.healthyBook();
    driver.tick();
    const kept = rememberedNumber(
      driver.engine.memories()[`./one/counter.ts@${MARKET}`],
      'calls',
      -1,
    );
    expect(kept).toBeGreaterThan(0);
    driver.settings(using('./two/counter.ts'));
    driver.tick();
    expect(driver.engine.memories()).toMatchObject({
      [`./one/counter.ts@${MARKET}`]: { calls: kept },
      [`./two/counter.ts@${MARKET}`]: { calls: 1 },
    });
  });

  it.each<[string, unknown]>([
    ['too large', { text: 'x'.repeat(5_000) }],
    ['no JSON', { at: Number.NaN }],
    ['an object of a class', { when: new Map() }],
  ])('that is %s costs the quotes and keeps the one before', (_, bad) => {
    const forgetful = defineStrategy<object>({
      name: 'forgetful',
      summary: 'Remembers what may not be kept.',
      params: {},
      quote: () => ({ quotes: PAIR, reasons: [], memory: bad as Json }),
    });
    const driver = running(forgetful, using('forgetful'));
    expect(placed(driver)).toEqual([]);
    expect(market(driver)?.bidReason?.code).toBe('strategy_failed');
    expect(driver.engine.memories()).toEqual({});
  });
});

describe('a context', () => {
  function watching(): { driver: EngineDriver; last: () => QuoteContext<unknown> } {
    let seen: QuoteContext<unknown> | undefined;
    const watcher = defineStrategy<object>({
      name: 'watcher',
      summary: 'Looks and quotes.',
      params: {},
      quote: (context) => {
        seen = context;
        return { quotes: PAIR, reasons: [] };
      },
    });
    const driver = running(watcher, using('watcher', { externalAgeMsMax: 5_000 }));
    return {
      driver,
      last: () => {
        if (seen === undefined) throw new Error('the strategy was asked');
        return seen;
      },
    };
  }

  it('holds a fair value that follows the book', () => {
    const { driver, last } = watching();
    driver.run(10_000, () => driver.answerReads([]));
    expect(last().fair?.price).toBeCloseTo(0.5, 3);
    driver.book(YES, [level(68, 500)], [level(72, 500)]);
    driver.run(200);
    expect(last().fair?.price).toBeCloseTo(0.7, 2);
  });

  it('holds trades on the YES axis, each once, settlement echoes left out', () => {
    const { driver, last } = watching();
    const venueTs = unixMs(5);
    const trade = { price: ticks(GRID, 52), size: shares(10), venueTs } as const;
    driver.tell({ kind: 'trade', tokenId: YES, takerSide: 'BUY', ...trade });
    const mirrored = { ...trade, price: ticks(GRID, 48) };
    driver.tell({ kind: 'trade', tokenId: NO, takerSide: 'SELL', ...mirrored });
    driver.tell({ kind: 'trade', tokenId: YES, takerSide: undefined, ...trade });
    driver.tick();
    expect(last().trades.recent).toMatchObject([{ price: 52, taker: 'buys' }]);
    expect(last().trades.lastMinute).toEqual({ trades: 1, boughtShares: 10e6, soldShares: 0 });
  });

  it('estimates the place of our orders in their queues', () => {
    const { driver, last } = watching();
    driver.book(YES, [level(48, 500)], [level(52, 500)]);
    driver.acceptPlacements();
    driver.book(YES, [level(48, 550)], [level(52, 500)]);
    driver.tick(400);
    const bid = () => last().ownQuotes.find((each) => each.side === 'bid')?.queue;
    expect(bid()).toEqual({ ahead: 500e6, behind: 0 });
    const trade = { price: ticks(GRID, 48), size: shares(200), venueTs: unixMs(9) } as const;
    driver.tell({ kind: 'trade', tokenId: YES, takerSide: 'SELL', ...trade });
    driver.book(YES, [level(48, 350)], [level(52, 500)]);
    driver.tick(50);
    expect(bid()).toEqual({ ahead: 300e6, behind: 0 });
  });

  it('states what is settled, matched and held, and what capital is free', () => {
    const { driver, last } = watching();
    expect(last().capital).toMatchObject({ freeUsdc: 10_000, allocatedUsdc: 10_000 });
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
    driver.tick();
    expect(last().inventory).toMatchObject({ yes: 50e6, net: 50e6, settled: { yes: 0 } });
    expect(last().inventory.matched).toEqual({ yes: 50e6, no: 0 });
    expect(last().inventory.filled).toEqual({ bought: 50e6, sold: 0 });
    expect(last().capital.freeUsdc).toBeLessThan(10_000);
    expect(last().capital.boundUsdc).toBeGreaterThan(24);
  });

  it('states no fill where balances show shares that no order of ours has bought', () => {
    const { driver, last } = watching();
    const open: ReturnType<EngineDriver['acceptPlacements']>[number][] = [];
    const held = { shareAmount: shares(300), onHoldShareAmount: shares(0) };
    const positions = [{ tokenId: YES, marketId: marketId(MARKET), ...held }];
    driver.run(240_000, () => {
      if (driver.nowMs % 500 === 0) driver.healthyBook();
      driver.answerCancels();
      open.push(...driver.acceptPlacements());
      driver.answerReads(
        open.map(({ hash, order }) => reportOf(hash, order)),
        balances({ positions }),
      );
    });
    expect(driver.reported('position.adopted')).toMatchObject([{ venues: '300' }]);
    expect(last().inventory).toMatchObject({ net: 300e6, filled: { bought: 0, sold: 0 } });
  });

  it('holds an external price until it is an outage', () => {
    const { driver, last } = watching();
    const external = (price: number) =>
      driver.fair({ target: { kind: 'event', event: 'rain', market: undefined }, price });
    external(0.6);
    driver.tick();
    expect(last().fair?.external).toMatchObject({ price: 0.6 });
    expect(last().fair?.price).toBeGreaterThan(0.5);
    driver.run(5_100);
    expect(last().fair?.external).toBeUndefined();
    external(1);
    expect(driver.reported('fair.refused')).toHaveLength(1);
  });
});

describe('a strategy of a whole event', () => {
  const SECOND = marketId('m-2');
  const two = (): Event => {
    const event = listing();
    const [first] = event.markets;
    if (!first) throw new Error('a market is listed');
    const other = {
      ...first,
      id: SECOND,
      yes: { ...first.yes, id: outcomeId('o2-yes'), tokenId: tokenId('0x03') },
      no: { ...first.no, id: outcomeId('o2-no'), tokenId: tokenId('0x04') },
    };
    return { ...event, markets: [first, other] };
  };

  function joint(onSeen: (context: EventContext<unknown>) => void) {
    return defineEventStrategy<object>({
      name: 'joint',
      scope: 'event',
      summary: 'Quotes all markets alike.',
      params: {},
      quoteEvent: (context) => {
        onSeen(context);
        const markets = context.markets.map(({ context: { marketId: id } }) => ({
          marketId: id,
          targetQuotes: { quotes: PAIR, reasons: [] },
        }));
        return { markets, memory: { seen: markets.length } };
      },
    });
  }

  it('is asked once for all markets, and those that cannot be quoted are left out', () => {
    const seen: EventContext<unknown>[] = [];
    const driver = new EngineDriver([joint((context) => seen.push(context))]);
    driver.start(using('joint', { isExclusive: true }));
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [two()] } });
    driver.healthyBook();
    seen.length = 0;
    driver.tick();
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ isExclusive: true });
    expect(seen[0]?.markets.map(({ blocked }) => blocked)).toEqual([undefined, 'no_book']);
    expect(placed(driver).map((order) => order.tokenId)).toEqual([YES, NO]);
    driver.book(tokenId('0x03'), [level(48, 500)], [level(52, 500)]);
    driver.book(tokenId('0x04'), [], []);
    driver.tick();
    expect(placed(driver).map((order) => order.tokenId)).toEqual([
      tokenId('0x03'),
      tokenId('0x04'),
    ]);
    expect(driver.engine.memories()).toEqual({ 'joint@e-1': { seen: 2 } });
  });

  it('sees what ails a market that an operator has stopped, too', () => {
    const seen: EventContext<unknown>[] = [];
    const driver = new EngineDriver([joint((context) => seen.push(context))]);
    driver.start(using('joint', { isExclusive: true }));
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [two()] } });
    driver.healthyBook();
    const blocked = (): readonly (string | undefined)[] => {
      driver.tick();
      return seen.at(-1)?.markets.map((each) => each.blocked) ?? [];
    };
    driver.operator({ kind: 'stopMarket', by: 'test', marketId: SECOND, stop: 'pause' });
    expect(blocked()).toEqual([undefined, 'no_book']);
    driver.book(tokenId('0x03'), [level(48, 500)], [level(52, 500)]);
    driver.book(tokenId('0x04'), [], []);
    expect(blocked()).toEqual([undefined, 'operator_paused']);
    const [first, second] = two().markets;
    if (first === undefined || second === undefined) throw new Error('two markets are listed');
    const decided: Event = { ...two(), markets: [first, { ...second, status: 'resolved' }] };
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [decided] } });
    expect(blocked()).toEqual([undefined, 'market_resolved']);
  });

  function apart(first: Partial<Choice>, second: Partial<Choice>): EngineDriver {
    const driver = new EngineDriver([joint(() => undefined)]);
    const [one] = using('joint', { market: MARKET, ...first }).markets;
    const [other] = using('joint', { market: SECOND, ...second }).markets;
    if (one === undefined || other === undefined) throw new Error('two choices are stated');
    driver.start({ ...using('joint'), markets: [one, other] });
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [two()] } });
    driver.healthyBook();
    driver.book(tokenId('0x03'), [level(48, 500)], [level(52, 500)]);
    driver.book(tokenId('0x04'), [], []);
    driver.tick();
    return driver;
  }

  it('named for single markets of one event is asked for each alone and shares no memory', () => {
    const driver = apart({}, {});
    expect(driver.engine.memories()).toEqual({
      [`joint@${MARKET}`]: { seen: 1 },
      [`joint@${SECOND}`]: { seen: 1 },
    });
    expect(placed(driver)).toHaveLength(4);
  });

  it.each(['shape', 'quiet'] as const)(
    'has its guard %s in one market and not in another',
    (name) => {
      const strict = {
        ...OVERLAY_DEFAULTS,
        shape: { ...OVERLAY_DEFAULTS.shape, enabled: name === 'shape', spreadMax: 0.01 },
        quiet: {
          ...OVERLAY_DEFAULTS.quiet,
          enabled: name === 'quiet',
          hours: [
            { fromMinute: 0, toMinute: 720 },
            { fromMinute: 720, toMinute: 0 },
          ],
        },
      };
      const off = { ...strict, [name]: { ...strict[name], enabled: false } };
      const driver = apart({ overlays: strict }, { overlays: off });
      expect(driver.engine.view().markets.map(({ guards }) => guards.length > 0)).toEqual([
        true,
        false,
      ]);
      expect(placed(driver).map((order) => order.tokenId)).toEqual([
        tokenId('0x03'),
        tokenId('0x04'),
      ]);
    },
  );

  it('may not speak of markets that are not its own', () => {
    const external = defineEventStrategy<object>({
      name: 'external',
      scope: 'event',
      summary: 'Names a market of somebody else.',
      params: {},
      quoteEvent: () => ({
        markets: [{ marketId: SECOND, targetQuotes: { quotes: PAIR, reasons: [] } }],
      }),
    });
    const driver = running(external, using('external'));
    expect(market(driver)?.bidReason?.detail).toContain('no market of this event');
  });
});

describe('takes', () => {
  const legs: readonly Take[] = [
    { leg: 'yes', side: 'BUY', price: ticks(GRID, 40), quantity: shares(20) },
    { leg: 'no', side: 'BUY', price: ticks(GRID, 55), quantity: shares(20) },
  ];
  const taker = (takes: boolean) =>
    defineStrategy<object>({
      name: 'taker',
      summary: 'Buys both sides of a set.',
      params: {},
      takes,
      quote: () => ({ quotes: [], reasons: [], takes: legs }),
    });

  it('go together, as orders that never rest, and once until they have ended', () => {
    const driver = running(taker(true), using('taker', { takerFeeRate: 0.03 }));
    const orders = placed(driver);
    expect(orders.map(({ side, price, lifetime }) => [side, price, lifetime])).toEqual([
      ['BUY', 40, { timeInForce: 'FAK' }],
      ['BUY', 55, { timeInForce: 'FAK' }],
    ]);
    driver.run(3_000, () => driver.answerReads([]));
    expect(driver.take('placeOrders')).toEqual([]);
    expect(driver.take('cancelOrders')).toEqual([]);
  });

  it('are cancelled where the venue lets one rest all the same, and others go only then', () => {
    const driver = running(taker(true), using('taker', { takerFeeRate: 0.03 }));
    const [rested] = driver.acceptPlacements();
    if (rested === undefined) throw new Error('two legs were placed');
    let named: readonly string[] = [];
    driver.run(12_000, () => {
      named = [...named, ...driver.answerCancels()];
      driver.answerReads(named.includes(rested.hash) ? [] : [reportOf(rested.hash, rested.order)]);
    });
    expect(named).toEqual([rested.hash]);
  });

  it('lose the fee that the settings state, by their own price until the chain says what they cost', () => {
    const driver = running(taker(true), using('taker', { takerFeeRate: 0.03 }));
    driver.healthyBook();
    driver.run(100);
    const pnl = () => driver.engine.view().markets[0]?.pnlUsdc;
    for (const { hash, order } of driver.acceptPlacements())
      driver.update(hash, order, { status: 'MATCHED', filled: 20, remaining: 0 });
    driver.run(100);
    // 20 sets for 0.95 each, less 0.03 x 20 x (0.40 x 0.60 + 0.55 x 0.45).
    expect(pnl()).toBe('0.707500');
    const trade = { kind: 'tradeSettled', side: 'BUY', quantity: shares(20) } as const;
    const settled = { ...trade, marketId: MARKET };
    driver.tell({ ...settled, tradeId: 't-1', tokenId: YES, price: usdc('0.40') });
    driver.tell({ ...settled, tradeId: 't-2', tokenId: NO, price: usdc('0.54') });
    driver.run(100);
    // 0.54 x 0.46 for the second.
    expect(pnl()).toBe('0.906960');
  });

  it('are refused while the fee is unknown', () => {
    const driver = running(taker(true), using('taker'));
    expect(placed(driver)).toEqual([]);
    expect(driver.reported('risk.refused')[0]?.limit).toBe('taker_fee_unknown');
  });

  it('are refused to a strategy whose purpose is another', () => {
    const driver = running(taker(false), using('taker', { takerFeeRate: 0 }));
    expect(placed(driver)).toEqual([]);
    expect(market(driver)?.bidReason?.code).toBe('strategy_failed');
  });

  it('go not at all when one leg breaks a limit', () => {
    const poor = using('taker', { takerFeeRate: 0.03 });
    const driver = new EngineDriver([taker(true)]);
    driver.start(poor, balances({ cashBalance: usdc(15), availableBalance: usdc(15) }));
    driver.healthyBook();
    driver.tick();
    expect(placed(driver)).toEqual([]);
    expect(driver.reported('risk.refused')[0]?.limit).toBe('cash');
  });
});

describe('parameters that change', () => {
  const wide = defineStrategy<{
    readonly size: number;
    readonly seed: number;
    readonly edge: number;
  }>({
    name: 'wide',
    summary: 'Quotes around fifty.',
    params: {
      size: numberParam({ doc: 'Size.', unit: 'shares', default: 50, min: 1, max: 99 }),
      seed: numberParam({
        doc: 'Needs a restart.',
        unit: 'n',
        default: 1,
        min: 0,
        max: 9,
        applies: 'restart',
      }),
      edge: numberParam({
        doc: 'Edge.',
        unit: 'ticks',
        default: 2,
        min: 1,
        max: 9,
        applies: 'now',
      }),
    },
    quote: ({ params }) => ({
      quotes: [
        quote('bid', 50 - params.edge, params.size),
        quote('ask', 50 + params.edge, params.size),
      ],
      reasons: [],
    }),
  });
  const given = (params: object) =>
    using(
      'wide',
      { params: { size: 50, seed: 1, edge: 2, ...params } },
      { priceToleranceTicks: 1 },
    );

  it('wait for a restart where they must, and the state says so', () => {
    const driver = running(wide, given({}));
    const before = market(driver)?.params.version;
    driver.settings(given({ seed: 5, size: 60 }));
    driver.tick();
    expect(market(driver)?.params).toMatchObject({
      values: { seed: 1, size: 60 },
      pendingRestart: ['seed'],
    });
    expect(market(driver)?.params.version).not.toBe(before);
    const version = driver.reported('settings.applied').at(-1)?.version;
    expect(driver.engine.view().settingsVersion).toBe(version);
  });

  it('move quotes at once where they say so, even within the tolerance', () => {
    const driver = running(wide, given({}));
    driver.acceptPlacements();
    driver.settings(given({ edge: 3 }));
    driver.tick();
    expect(driver.answerCancels()).toHaveLength(2);
  });
});

describe('a place in the queue', () => {
  const requote = {
    policy: 'value',
    driftTicksMax: 1,
    writeCostUsdc: 0.001,
    marginUsdc: 0,
  } as const;
  let bid = 47;
  const mover = defineStrategy<object>({
    name: 'mover',
    summary: 'Quotes where the test says.',
    params: {},
    quote: () => ({ quotes: [quote('bid', bid)], reasons: [] }),
  });

  it('is kept one tick behind the target quotes while others stand there', () => {
    bid = 47;
    const driver = running(mover, using('mover', {}, { requote }));
    driver.acceptPlacements();
    driver.book(YES, [level(48, 500), level(47, 150)], [level(52, 500)]);
    driver.tick(400);
    bid = 48;
    driver.run(1_100);
    expect(driver.take('cancelOrders')).toEqual([]);
  });

  it('is given up within two seconds while writes are plenty', () => {
    bid = 47;
    const driver = running(mover, using('mover', {}, { requote }));
    driver.acceptPlacements();
    driver.book(YES, [level(48, 500), level(47, 150)], [level(52, 500)]);
    driver.tick(400);
    bid = 48;
    driver.run(2_100);
    expect(driver.answerCancels()).toHaveLength(1);
  });

  it('is given up by one order of a side at a time, so that the other rests meanwhile', () => {
    let offset = 0;
    const pair = defineStrategy<object>({
      name: 'pair',
      summary: 'Two bids where the test says.',
      params: {},
      quote: () => ({
        quotes: [quote('bid', 47 + offset), quote('bid', 44 + offset)],
        reasons: [],
      }),
    });
    const driver = running(pair, using('pair', {}, { requote }));
    driver.acceptPlacements();
    driver.book(YES, [level(48, 500), level(47, 150), level(44, 150)], [level(52, 500)]);
    driver.tick(400);
    offset = 1;
    driver.run(2_100);
    // Its answer is still waited for: the other one stays, however long it has been off its target quotes.
    expect(driver.take('cancelOrders').map((each) => each.orderHashes.length)).toEqual([1]);
    driver.acceptPlacements();
    driver.run(2_100);
    expect(driver.take('cancelOrders')).toEqual([]);
  });

  it('is kept while half of the writes are used', () => {
    bid = 47;
    const driver = running(mover, using('mover', {}, { requote, writesPer10s: 1 }));
    driver.acceptPlacements();
    driver.book(YES, [level(48, 500), level(47, 150)], [level(52, 500)]);
    driver.tick(400);
    bid = 48;
    driver.run(5_000);
    expect(driver.take('cancelOrders')).toEqual([]);
    driver.run(8_000);
    expect(driver.answerCancels()).toHaveLength(1);
  });

  it('is worth nothing where nobody else stands', () => {
    bid = 47;
    const driver = running(mover, using('mover', {}, { requote }));
    driver.acceptPlacements();
    driver.book(YES, [level(48, 500), level(47, 50)], [level(52, 500)]);
    driver.tick(400);
    bid = 48;
    driver.run(1_100);
    expect(driver.answerCancels()).toHaveLength(1);
  });

  it('is given up at once on the unsafe side', () => {
    bid = 47;
    const driver = running(mover, using('mover', {}, { requote }));
    driver.acceptPlacements();
    driver.book(YES, [level(48, 500), level(47, 550)], [level(52, 500)]);
    driver.tick(400);
    bid = 46;
    driver.run(1_100);
    expect(driver.answerCancels()).toHaveLength(1);
  });
});

describe('a new order next to the other side', () => {
  const near = defineStrategy<object>({
    name: 'near',
    summary: 'Quotes next to the ask.',
    params: {},
    quote: () => ({ quotes: [quote('bid', 51), quote('ask', 60)], reasons: [] }),
  });

  it('waits while nothing is heard, and says so', () => {
    const driver = new EngineDriver([near]);
    driver.start(using('near', {}, { quietFeedMs: 1_000 }));
    driver.healthyBook();
    driver.tick(1_500);
    expect(placed(driver).map(({ price }) => price)).toEqual([40]);
    driver.run(1_100);
    expect(market(driver)?.bidReason?.code).toBe('quiet_feed');
    driver.healthyBook();
    driver.tick();
    expect(placed(driver).map(({ price }) => price)).toContain(51);
  });
});

describe('target quotes that would trade with each other', () => {
  it('are both left out', () => {
    const crossed = defineStrategy<object>({
      name: 'crossed',
      summary: 'Bids above its ask.',
      params: {},
      quote: () => ({
        quotes: [quote('bid', 51), quote('ask', 50), quote('bid', 48)],
        reasons: [],
      }),
    });
    const driver = running(crossed, using('crossed'));
    expect(placed(driver).map(({ price }) => price)).toEqual([48]);
    expect(market(driver)?.askReason?.code).toBe('would_meet_own');
  });
});

describe('the state', () => {
  const still = defineStrategy<object>({
    name: 'still',
    summary: 'Quotes a pair.',
    params: {},
    quote: () => ({ quotes: PAIR, reasons: [] }),
  });

  it('counts for which part of the time each side was quoted', () => {
    const driver = running(still, using('still'));
    const accepted = driver.acceptPlacements();
    driver.run(60_000, () =>
      driver.answerReads(driver.openReports(), balances({ usdcOnHold: usdc(48) })),
    );
    expect(market(driver)?.uptime.bid.sinceStart).toBeGreaterThan(0.9);
    const [bid] = accepted;
    if (!bid) throw new Error('a bid was placed');
    expect(orderHash(bid.hash)).toBe(bid.hash);
  });

  it('names the guard that pulled a side, and what would clear it', () => {
    const overlays = { ...OVERLAY_DEFAULTS, shape: { ...OVERLAY_DEFAULTS.shape, spreadMax: 0.01 } };
    const driver = running(still, using('still', { overlays }));
    expect(placed(driver)).toEqual([]);
    expect(market(driver)).toMatchObject({
      bidReason: { code: 'book_too_wide', clears: 'the spread closes' },
      guards: [{ guard: 'shape', effect: 'pulled' }],
    });
  });
});
