import { describe, expect, it } from 'vitest';
import { ArmedCancels } from '../../../src/app/armed.ts';
import type {
  AheadOrder,
  ArmedOrder,
  ArmedPlacement,
  MarketArms,
} from '../../../src/domain/arms.ts';
import {
  intentId,
  marketId,
  type OrderHash,
  orderHash,
  requestId,
  tokenId,
} from '../../../src/domain/ids.ts';
import type { BookSide, VenueMessage } from '../../../src/domain/message.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';

const GRID = tickGrid('0.01');
const at = (price: number) => ticks(GRID, price);
const YES = tokenId('0x01');
const NO = tokenId('0x02');
const MARKET = marketId('m-1');
const BID = orderHash('0xb1');
const DEEPER_BID = orderHash('0xb2');
const ASK = orderHash('0xa1');

const armed = (hash: OrderHash, rightTo: number): ArmedOrder => ({ orderHash: hash, rightTo });

/** Others stand at 48 and 52, with 46 and 55 behind; own quotes at 45 and 56 are right up to the middle of 50. */
function arms(change: Partial<MarketArms> = {}): MarketArms {
  return {
    marketId: MARKET,
    version: 7,
    yes: YES,
    no: NO,
    ticksPerUnit: 100,
    bid: at(48),
    ask: at(52),
    bidEnd: { tokenId: YES, side: 'bid', price: at(48), next: at(46) },
    askEnd: { tokenId: NO, side: 'bid', price: at(48), next: at(55) },
    own: [{ tokenId: YES, side: 'bid', price: at(49) }],
    bids: { requestId: requestId(11), orders: [armed(BID, 100), armed(DEEPER_BID, 96)] },
    asks: { requestId: requestId(12), orders: [armed(ASK, 100)] },
    placements: [],
    settingsVersion: 'v1',
    ...change,
  };
}

function standing(change: Partial<MarketArms> = {}): ArmedCancels {
  const room = new ArmedCancels();
  room.take([{ kind: 'arm', arms: arms(change) }]);
  room.standUp();
  return room;
}

type Change = { readonly token?: typeof YES; readonly side: BookSide; readonly price: number };

function delta({ token = YES, side, price }: Change, size = 10): VenueMessage {
  const change = { tokenId: token, side, price: at(price), size: shares(size) };
  return { kind: 'bookDelta', ...change, venueTs: undefined };
}

const named = (room: ArmedCancels, message: VenueMessage) =>
  room.hear(message).flatMap(({ orderHashes }) => orderHashes);

describe('a frame of an armed market', () => {
  it.each([
    ['an ask below the best one', delta({ side: 'ask', price: 51 }), [BID]],
    [
      'an ask so low that deeper bids are wrong',
      delta({ side: 'ask', price: 47 }),
      [BID, DEEPER_BID],
    ],
    ['a bid of NO, which is an ask of YES', delta({ token: NO, side: 'bid', price: 49 }), [BID]],
    ['the end of the best bid', delta({ side: 'bid', price: 48 }, 0), [BID]],
    ['a bid above the best one', delta({ side: 'bid', price: 50 }), [ASK]],
    ['an ask of NO, which is a bid of YES', delta({ token: NO, side: 'ask', price: 51 }), []],
    ['an ask of NO above it', delta({ token: NO, side: 'ask', price: 50 }), [ASK]],
    ['the end of the best ask', delta({ token: NO, side: 'bid', price: 48 }, 0), [ASK]],
  ] as const)('cancels what %s makes wrong', (_what, frame, wrong) => {
    const own = [{ tokenId: NO, side: 'ask', price: at(51) }] as const;
    expect(named(standing({ own }), frame)).toEqual(wrong);
  });

  it.each([
    ['a level behind the best', delta({ side: 'bid', price: 47 })],
    ['the best level with another size', delta({ side: 'bid', price: 48 }, 3)],
    ['the end of a level behind the best', delta({ side: 'ask', price: 55 }, 0)],
    [
      'the end of the best price on a token that is not the only one there',
      delta({ side: 'ask', price: 52 }, 0),
    ],
    ['a level of our own', delta({ side: 'bid', price: 49 })],
    ['another token', delta({ token: tokenId('0x99'), side: 'ask', price: 40 })],
  ] as const)('is left to the decision when it is %s', (_what, frame) => {
    expect(named(standing(), frame)).toEqual([]);
  });

  it('says which version and which request it obeys', () => {
    const [fired, ...others] = standing().hear(delta({ side: 'ask', price: 51 }));
    expect(others).toEqual([]);
    expect(fired).toEqual({
      marketId: MARKET,
      version: 7,
      requestId: requestId(11),
      orderHashes: [BID],
    });
  });

  it('sets nothing off twice: what has fired waits for the next decision, the other side does not', () => {
    const room = standing();
    expect(named(room, delta({ side: 'ask', price: 51 }))).toEqual([BID]);
    expect(named(room, delta({ side: 'ask', price: 47 }))).toEqual([]);
    expect(named(room, delta({ side: 'bid', price: 50 }))).toEqual([ASK]);
    expect(named(room, delta({ side: 'bid', price: 51 }))).toEqual([]);
  });

  it('cancels every quote of the market when it cannot be read', () => {
    const unreadable: VenueMessage = { kind: 'bookUnreadable', tokenId: NO, detail: 'price' };
    expect(named(standing(), unreadable)).toEqual([BID, DEEPER_BID, ASK]);
  });

  it('sets nothing off that an older version had armed', () => {
    const room = standing();
    room.take([{ kind: 'arm', arms: arms({ version: 8, bids: undefined }) }]);
    expect(named(room, delta({ side: 'ask', price: 47 }))).toEqual([]);
    room.take([{ kind: 'disarm', marketId: MARKET }]);
    expect(named(room, delta({ side: 'bid', price: 50 }))).toEqual([]);
  });

  it('sets nothing off once everything is disarmed', () => {
    const room = standing();
    room.take([{ kind: 'disarm', marketId: undefined }]);
    expect(named(room, delta({ side: 'ask', price: 47 }))).toEqual([]);
  });
});

describe('orders that replace what a frame makes wrong', () => {
  const order = (leg: 'yes' | 'no', price: number): AheadOrder => ({
    intentId: intentId(`${leg}-${price}`),
    tokenId: leg === 'yes' ? YES : NO,
    leg,
    side: 'BUY',
    price: at(price),
    ticksPerUnit: 100,
    quantity: shares(5),
    lifetime: { timeInForce: 'GTC' },
  });
  const up: ArmedPlacement = {
    middle: 102,
    requestId: requestId(21),
    orders: [order('yes', 46), order('no', 43)],
    bidMax: 46,
    askMin: 57,
  };
  const RISES = delta({ side: 'bid', price: 50 });

  it('leave behind its cancel, once, as they were armed', () => {
    const room = standing({ placements: [up] });
    expect(room.takePlacement()).toBeUndefined();
    expect(named(room, RISES)).toEqual([ASK]);
    expect(room.takePlacement()).toMatchObject({
      marketId: MARKET,
      version: 7,
      requestId: requestId(21),
      orders: up.orders,
    });
    expect(room.takePlacement()).toBeUndefined();
  });

  it.each([
    ['another middle', { ...up, middle: 103 }],
    ['a bid that would meet an ask of others', { ...up, bidMax: 52 }],
    ['an ask that would meet a bid of others', { ...up, askMin: 50 }],
    ['the level of the frame', { ...up, orders: [order('yes', 50)] }],
    ['that level as the other outcome shows it', { ...up, orders: [order('no', 50)] }],
  ])('do not leave for %s', (_what, placement) => {
    const room = standing({ placements: [placement] });
    expect(named(room, RISES)).toEqual([ASK]);
    expect(room.takePlacement()).toBeUndefined();
  });

  it.each([
    ['an answer', { kind: 'placed', requestId: requestId(2), outcomes: [] }],
    ['a frame that may move the touch once more', delta({ side: 'ask', price: 51 })],
    ['a frame that nobody can read', { kind: 'bookUnreadable', tokenId: YES, detail: 'price' }],
  ] as const)('do not leave behind %s that comes meanwhile', (_what, message) => {
    const room = standing({ placements: [up] });
    room.hear(RISES);
    room.hear(message);
    expect(room.takePlacement()).toBeUndefined();
  });

  it('do not leave behind a frame that moved the touch and set nothing off', () => {
    const down = { ...up, middle: 99, bidMax: 44, askMin: 50 };
    const asks = { requestId: requestId(12), orders: [armed(ASK, 110)] };
    const room = standing({ placements: [down], asks });
    expect(named(room, RISES)).toEqual([]);
    expect(named(room, delta({ side: 'ask', price: 51 }))).toEqual([BID]);
    expect(room.takePlacement()).toBeUndefined();
    const still = standing({ placements: [down], asks });
    expect(named(still, delta({ side: 'ask', price: 51 }))).toEqual([BID]);
    expect(still.takePlacement()).toBeDefined();
  });

  it('leave though a level behind the touch changes meanwhile', () => {
    const room = standing({ placements: [up] });
    room.hear(RISES);
    room.hear(delta({ side: 'bid', price: 44 }));
    expect(room.takePlacement()).toBeDefined();
  });

  it('do not leave once they were taken back, or while the core decides', () => {
    const room = standing({ placements: [up] });
    room.take([{ kind: 'disarmPlacements' }]);
    expect(named(room, RISES)).toEqual([ASK]);
    expect(room.takePlacement()).toBeUndefined();
    const other = standing({ placements: [up] });
    other.hear(RISES);
    other.standDown();
    other.standUp();
    expect(other.takePlacement()).toBeUndefined();
  });

  it('leave for one market in a turn of the core', () => {
    const room = standing({ placements: [up] });
    const [yes, no] = [tokenId('0x11'), tokenId('0x12')];
    const second = { ...arms({ placements: [{ ...up, requestId: requestId(31) }] }), yes, no };
    room.take([{ kind: 'arm', arms: { ...second, marketId: marketId('m-2'), own: [] } }]);
    room.hear(RISES);
    expect(room.takePlacement()).toBeDefined();
    expect(room.hear(delta({ token: yes, side: 'bid', price: 50 }))).toHaveLength(1);
    expect(room.takePlacement()).toBeUndefined();
  });
});

describe('whatever else arrives', () => {
  const others: readonly VenueMessage[] = [
    { kind: 'socketLost', reason: 'gone' },
    { kind: 'bookSnapshot', tokenId: YES, bids: [], asks: [], venueTs: undefined },
    { kind: 'marketStatus', tokenId: YES, status: 'paused', word: 'PAUSE' },
    { kind: 'cancelled', requestId: requestId(1), outcome: { kind: 'notSent', detail: '' } },
    { kind: 'placed', requestId: requestId(2), outcomes: [] },
    {
      kind: 'openOrders',
      requestId: requestId(3),
      askedAtMs: 0 as never,
      outcome: { kind: 'notSent', detail: '' },
    },
  ];

  it.each(others)(
    '$kind keeps frames from setting anything off until the core was told',
    (message) => {
      const room = standing();
      expect(named(room, message)).toEqual([]);
      expect(named(room, delta({ side: 'ask', price: 47 }))).toEqual([]);
      room.standUp();
      expect(named(room, delta({ side: 'ask', price: 51 }))).toEqual([BID]);
    },
  );

  it('a public trade changes no book and leaves everything armed', () => {
    const room = standing();
    const trade = { tokenId: YES, price: at(48), size: shares(1), takerSide: undefined } as const;
    expect(named(room, { kind: 'trade', ...trade, venueTs: undefined })).toEqual([]);
    expect(named(room, delta({ side: 'ask', price: 51 }))).toEqual([BID]);
  });
});
