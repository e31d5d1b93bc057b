import { afterEach, describe, expect, it } from 'vitest';
import { createLoop, type Loop, type LoopOptions } from '../../../src/app/loop.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { AheadOrder, MarketArms } from '../../../src/domain/arms.ts';
import type { Command, VenueCommand } from '../../../src/domain/command.ts';
import { intentId, marketId, orderHash, requestId, tokenId } from '../../../src/domain/ids.ts';
import type { Input } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { addMs, type Timers, unixMs } from '../../../src/domain/time.ts';

const realTimers: Timers = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

type Answer = (input: Input) => readonly Command[];

const started: Loop[] = [];
afterEach(() => {
  for (const loop of started.splice(0)) loop.stop();
});

function loopOf(answer: Answer, over: Partial<LoopOptions> = {}) {
  const told: Input[] = [];
  const sent: VenueCommand[] = [];
  const broken: Error[] = [];
  const loop = createLoop({
    engine: {
      step(input) {
        told.push(input);
        return answer(input);
      },
    },
    send: (command) => sent.push(command),
    clock: { nowMs: () => unixMs(performance.now()) },
    timers: realTimers,
    tickMs: 5,
    onReport() {},
    onInput() {},
    onBreaker: (error) => broken.push(error),
    ...over,
  });
  started.push(loop);
  return { loop, told, sent, broken };
}

const kindsOf = (told: readonly Input[]) =>
  told.map((input) => (input.kind === 'venue' ? input.message.kind : input.kind));

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
};
const later = async (ms: number) => await new Promise((done) => setTimeout(done, ms));

describe('the loop', () => {
  it('tells messages in their order with one tick behind them, after the turn in which they came', async () => {
    const { loop, told } = loopOf(() => []);
    loop.deliver({ kind: 'socketOpened' });
    loop.deliver({ kind: 'authenticated' });
    expect(told).toEqual([]);
    await turns(2);
    expect(kindsOf(told)).toEqual(['socketOpened', 'authenticated', 'tick']);
  });

  it('asks for the housekeeping of a tick behind its requests, and before whatever is told next', async () => {
    const order: string[] = [];
    const engine = {
      step: (input: Input) => {
        order.push(input.kind);
        return [];
      },
      tend: () => {
        order.push('tend');
        return [];
      },
    };
    const { loop } = loopOf(() => [], { engine });
    loop.deliver({ kind: 'socketOpened' });
    await Promise.resolve();
    expect(order).toEqual(['venue', 'tick']);
    loop.deliver({ kind: 'authenticated' });
    await turns(2);
    expect(order).toEqual(['venue', 'tick', 'tend', 'venue', 'tick', 'tend']);
  });

  it('decides behind the bytes at hand, before anything else has its turn', async () => {
    const { loop, told } = loopOf(() => []);
    const toldByThen = new Promise<number>((resolve) => setImmediate(() => resolve(told.length)));
    loop.deliver({ kind: 'socketOpened' });
    loop.deliver({ kind: 'authenticated' });
    expect(told).toEqual([]);
    expect(await toldByThen).toBe(3);
  });

  it('lets others have their turn when its turns cause one another', async () => {
    const { loop, told } = loopOf((input) => {
      if (input.kind === 'venue') loop.deliver({ kind: 'socketOpened' });
      return [];
    });
    loop.deliver({ kind: 'socketOpened' });
    await turns(3);
    loop.stop();
    expect(told.length).toBeGreaterThan(100);
    expect(told.length).toBeLessThan(200);
  });

  it('lets an order of the operator pass messages that wait', async () => {
    const { loop, told } = loopOf(() => []);
    loop.deliver({ kind: 'socketOpened' });
    loop.post({ kind: 'operator', order: { kind: 'kill', by: 'test' } });
    await turns(2);
    expect(kindsOf(told)).toEqual(['operator', 'socketOpened', 'tick']);
  });

  it.each(['day', 'steady'] as const)(
    'lets sockets be read before it decides when it was stopped, by the clock of the %s',
    (which) => {
      const virtual = new VirtualClock();
      const stalledMs = { day: 0, steady: 0 };
      const { loop, told } = loopOf(() => [], {
        clock: { nowMs: () => addMs(virtual.nowMs(), stalledMs.day) },
        steady: { nowMs: () => addMs(virtual.nowMs(), stalledMs.steady) },
        timers: virtual,
        tickMs: 50,
        soon: (task, isEager) => virtual.after(isEager ? 0 : 5, task),
      });
      loop.start();
      virtual.advance(120);
      expect(kindsOf(told)).toEqual(['tick', 'tick']);
      stalledMs[which] = 1_500;
      // What comes first when it goes on is a timer that is due, and behind it the sockets.
      virtual.advance(30);
      loop.deliver({ kind: 'socketOpened' });
      virtual.advance(2);
      loop.deliver({ kind: 'authenticated' });
      expect(told).toHaveLength(2);
      virtual.advance(10);
      expect(kindsOf(told.slice(2))).toEqual(['socketOpened', 'authenticated', 'tick']);
    },
  );

  it('says in each tick how many strategies it may ask, where they are slow', async () => {
    let asksMax: number | undefined = 3;
    const { loop, told } = loopOf(() => [], { asksMax: () => asksMax });
    loop.deliver({ kind: 'socketOpened' });
    await turns(2);
    asksMax = undefined;
    loop.deliver({ kind: 'socketOpened' });
    await turns(2);
    const ticks = told.filter(({ kind }) => kind === 'tick');
    expect(ticks).toMatchObject([{ asksMax: 3 }, { kind: 'tick' }]);
    expect(ticks[1]).not.toHaveProperty('asksMax');
  });

  it('lets timers and sockets have their turn between turns that take long', () => {
    const virtual = new VirtualClock();
    let tookMs = 300;
    let lagMs = 0;
    const eager: boolean[] = [];
    const { loop, told } = loopOf(
      ({ kind }) => {
        if (kind === 'tick') lagMs += tookMs;
        return [];
      },
      {
        clock: { nowMs: () => addMs(virtual.nowMs(), lagMs) },
        timers: virtual,
        tickMs: 50,
        asksMax: () => 1,
        soon: (task, isEager) => {
          eager.push(isEager);
          return virtual.after(isEager ? 0 : 5, task);
        },
      },
    );
    loop.start();
    virtual.advance(52);
    loop.deliver({ kind: 'socketOpened' });
    virtual.advance(10);
    expect(kindsOf(told)).toEqual(['tick', 'socketOpened', 'tick']);
    // The timer of the next tick is due, and decides behind them as well.
    virtual.advance(39);
    expect(told).toHaveLength(3);
    expect(eager).not.toContain(true);
    virtual.advance(10);
    expect(told).toHaveLength(4);
    tookMs = 0;
    virtual.advance(100);
    loop.deliver({ kind: 'socketOpened' });
    expect(eager).toContain(true);
  });

  it('ticks at its pace without any message', async () => {
    const { loop, told } = loopOf(() => []);
    loop.start();
    await later(60);
    loop.stop();
    const count = told.length;
    expect(count).toBeGreaterThanOrEqual(3);
    expect(told.every((input) => input.kind === 'tick')).toBe(true);
    await later(20);
    expect(told.length).toBe(count);
  });

  it('sends the commands of a step in their order', async () => {
    const commands: readonly Command[] = [
      { kind: 'venue', command: { kind: 'readCatalogue' } },
      { kind: 'venue', command: { kind: 'subscribe', tokenIds: [], depth: 50 } },
    ];
    const { loop, sent } = loopOf((input) => (input.kind === 'venue' ? commands : []));
    loop.deliver({ kind: 'socketOpened' });
    await turns(2);
    expect(sent.map((command) => command.kind)).toEqual(['readCatalogue', 'subscribe']);
  });

  it('does not recurse when a command is answered at once', async () => {
    let isStepping = false;
    const { loop, told } = loopOf(
      (input) => {
        expect(isStepping).toBe(false);
        isStepping = true;
        const isFirst = input.kind === 'venue' && input.message.kind === 'socketOpened';
        isStepping = false;
        return isFirst ? [{ kind: 'venue', command: { kind: 'readCatalogue' } }] : [];
      },
      { send: () => loop.deliver({ kind: 'authenticated' }) },
    );
    loop.deliver({ kind: 'socketOpened' });
    await turns(4);
    expect(kindsOf(told)).toEqual(['socketOpened', 'tick', 'authenticated', 'tick']);
  });

  it('stops for good and tells the breaker once when the core throws', async () => {
    const { loop, told, broken } = loopOf(() => {
      throw new Error('impossible state');
    });
    loop.start();
    loop.deliver({ kind: 'socketOpened' });
    loop.deliver({ kind: 'authenticated' });
    await later(30);
    loop.deliver({ kind: 'authenticated' });
    loop.post({ kind: 'operator', order: { kind: 'resume', by: 'test' } });
    await later(30);
    expect(broken.map((error) => error.message)).toEqual(['impossible state']);
    expect(told.length).toBe(1);
  });

  it('keeps stepping when an observer throws, and counts it', async () => {
    const { loop, told, broken } = loopOf(() => [], {
      onInput() {
        throw new Error('disk full');
      },
    });
    loop.deliver({ kind: 'socketOpened' });
    loop.deliver({ kind: 'authenticated' });
    await turns(2);
    expect(told.length).toBe(3);
    expect(broken).toEqual([]);
    expect(loop.observerFailures()).toBe(3);
  });

  it('gives the event loop a turn in the middle of a flood', async () => {
    const { loop, told } = loopOf(() => []);
    for (let count = 0; count < 12_000; count += 1) loop.deliver({ kind: 'authenticated' });
    await turns(1);
    expect(kindsOf(told).slice(4_999)).toEqual(['authenticated', 'tick']);
    await turns(3);
    expect(told.length).toBe(12_003);
  });

  it('breaks rather than act on a world that is hopelessly behind', () => {
    const { loop, broken } = loopOf(() => []);
    for (let count = 0; count <= 200_001; count += 1) loop.deliver({ kind: 'authenticated' });
    expect(broken.map((error) => error.message)).toEqual(['the loop is 200000 messages behind']);
  });
});

describe('a frame that reaches an armed cancel', () => {
  const YES = tokenId('0x01');
  const BID = orderHash('0xb1');
  const grid = tickGrid('0.01');
  const arms: MarketArms = {
    marketId: marketId('m-1'),
    version: 3,
    yes: YES,
    no: tokenId('0x02'),
    ticksPerUnit: 100,
    bid: ticks(grid, 48),
    ask: ticks(grid, 52),
    bidEnd: undefined,
    askEnd: undefined,
    own: [],
    bids: { requestId: requestId(5), orders: [{ orderHash: BID, rightTo: 100 }] },
    asks: undefined,
    placements: [],
    settingsVersion: 'v1',
  };
  const BEHIND: AheadOrder = {
    intentId: intentId('i-1'),
    tokenId: YES,
    leg: 'yes',
    side: 'BUY',
    price: ticks(grid, 45),
    ticksPerUnit: 100,
    quantity: shares(5),
    lifetime: { timeInForce: 'GTC' },
  };
  const lowerAsk: VenueMessage = {
    kind: 'bookDelta',
    tokenId: YES,
    side: 'ask',
    price: ticks(grid, 50),
    size: shares(5),
    venueTs: undefined,
  };

  /** A loop whose core arms with its first tick; what it is told, and what is sent, in one order. */
  async function armedLoop(armed: MarketArms = arms) {
    const order: string[] = [];
    const kept: LedgerRecord[] = [];
    const writer = {
      keep(record: LedgerRecord) {
        kept.push(record);
        if (record.kind === 'order') order.push(`intent ${record.order.intentId} kept`);
      },
      commit: () => true,
      onTurn() {},
      fault: undefined,
    };
    let isArmed = false;
    const { loop, told, sent } = loopOf(
      (input) => {
        if (input.kind !== 'tick')
          order.push(input.kind === 'venue' ? input.message.kind : input.kind);
        if (input.kind !== 'tick' || isArmed) return [];
        isArmed = true;
        return [{ kind: 'arm', arms: armed }];
      },
      { send: (command) => void order.push(command.kind), tickMs: 60_000, writer },
    );
    loop.deliver({ kind: 'authenticated' });
    await turns(2);
    order.length = 0;
    return { loop, told, sent, order, kept };
  }

  it('sends it at once, then tells the core of it, and only then of the frame', async () => {
    const { loop, told, order } = await armedLoop();
    loop.deliver(lowerAsk);
    expect(order).toEqual(['cancelOrders']);
    await turns(3);
    expect(order).toEqual(['cancelOrders', 'fired', 'bookDelta']);
    const fired = told.find(({ kind }) => kind === 'fired');
    expect(fired).toMatchObject({ version: 3, requestId: requestId(5), orderHashes: [BID] });
  });

  it('places what replaces it behind it, when the intents are kept, and tells the core of both', async () => {
    const lower: MarketArms = {
      ...arms,
      placements: [
        { middle: 98, requestId: requestId(6), orders: [BEHIND], bidMax: 45, askMin: 100 },
      ],
    };
    const { loop, order, kept, told } = await armedLoop(lower);
    loop.deliver(lowerAsk);
    expect(order).toEqual(['cancelOrders']);
    await turns(4);
    expect(order).toEqual([
      'cancelOrders',
      'intent i-1 kept',
      'placeOrders',
      'fired',
      'placedAhead',
      'bookDelta',
    ]);
    expect(kept).toMatchObject([{ kind: 'order', order: { intentId: 'i-1', state: 'intended' } }]);
    expect(told.find(({ kind }) => kind === 'placedAhead')).toMatchObject({
      marketId: lower.marketId,
      requestId: requestId(6),
    });
  });

  it('places nothing when an order of the operator comes in between', async () => {
    const lower: MarketArms = {
      ...arms,
      placements: [
        { middle: 98, requestId: requestId(6), orders: [BEHIND], bidMax: 45, askMin: 100 },
      ],
    };
    const { loop, order } = await armedLoop(lower);
    loop.deliver(lowerAsk);
    loop.post({ kind: 'operator', order: { kind: 'pause', by: 'test' } });
    await turns(4);
    expect(order).toEqual(['cancelOrders', 'fired', 'operator', 'bookDelta']);
  });

  it('lets the request be written before anything is decided', async () => {
    const { loop, told } = await armedLoop();
    const before = told.length;
    loop.deliver(lowerAsk);
    await Promise.resolve();
    await Promise.resolve();
    expect(told.length).toBe(before);
  });

  it('sends nothing while the core has not heard a fill, an answer or an operator', async () => {
    const { loop, order } = await armedLoop();
    loop.deliver({ kind: 'placed', requestId: requestId(9), outcomes: [] });
    loop.deliver(lowerAsk);
    await turns(3);
    expect(order).toEqual(['placed', 'bookDelta']);
    const other = await armedLoop();
    other.loop.post({ kind: 'operator', order: { kind: 'pause', by: 'test' } });
    other.loop.deliver(lowerAsk);
    await turns(3);
    expect(other.order).toEqual(['operator', 'bookDelta']);
  });

  it('sends it once, however many frames reach it before the core has its turn', async () => {
    const { loop, order } = await armedLoop();
    loop.deliver(lowerAsk);
    loop.deliver({ ...lowerAsk, price: ticks(grid, 49) });
    await turns(3);
    expect(order).toEqual(['cancelOrders', 'fired', 'bookDelta', 'bookDelta']);
  });

  it('sends nothing after a stop', async () => {
    const { loop, order } = await armedLoop();
    loop.stop();
    loop.deliver(lowerAsk);
    expect(order).toEqual([]);
  });
});
