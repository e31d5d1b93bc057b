import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/domain/errors.ts';
import { parseBalances } from '../../../src/wire/balances.ts';
import { parseBook, parseMidpoint } from '../../../src/wire/books.ts';
import { WIRE_CHOICES } from '../../../src/wire/choices.ts';
import { parseEnvelope } from '../../../src/wire/envelope.ts';
import { parseEvent, parseEventsPage } from '../../../src/wire/events.ts';
import { parseCandles, parseChainAction, parseServerTime } from '../../../src/wire/feeds.ts';
import { FRAME_TYPES, parseFrame } from '../../../src/wire/frames.ts';
import {
  parseBatch,
  parseCancelCounts,
  parseMarketPlaced,
  parseOpenOrders,
  parsePlaced,
} from '../../../src/wire/orders.ts';
import { parseTrades } from '../../../src/wire/trades.ts';
import { GRID, TOKENS, WIRE_EVENT } from '../../support/http-double-fixtures.ts';

const READING = { tokens: TOKENS, choices: WIRE_CHOICES };

const PARSERS: readonly (readonly [string, (data: unknown) => unknown])[] = [
  ['events', parseEventsPage],
  ['event', parseEvent],
  ['open orders', (data) => parseOpenOrders(data, READING)],
  ['a placement', parsePlaced],
  ['a market order', parseMarketPlaced],
  ['a batch', parseBatch],
  ['a cancel', parseCancelCounts],
  ['balances', parseBalances],
  ['settled trades', parseTrades],
  ['a book', (data) => parseBook(data, GRID)],
  ['a middle', parseMidpoint],
  ['the time', parseServerTime],
  ['candles', parseCandles],
  ['a chain action', parseChainAction],
];

/** Values that a broken or hostile venue may put anywhere. */
const NASTY = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '0xa1',
    '0xA0',
    -0,
    0.29,
    1e308,
    1e-308,
    '1e999',
    '-1',
    'NaN',
    '__proto__',
    '9'.repeat(70),
    '2030-13-45T99:99:99Z',
    2 ** 53,
    { toString: 5 },
    [],
    {},
  ),
  fc.double(),
  fc.string(),
  fc.boolean(),
  fc.jsonValue(),
);

/** Names of fields that the parsers look at, so that arbitrary objects get beyond the first one. */
const FIELDS = [
  ...new Set(
    JSON.stringify(WIRE_EVENT)
      .match(/"\w+":/g)
      ?.map((key) => key.slice(1, -2)),
  ),
  ...['items', 'total', 'orders', 'orderHash', 'side', 'price', 'quantity', 'filledQuantity'],
  ...['holdQuantity', 'createdAt', 'index', 'success', 'order', 'executionPlan', 'positions'],
  ...['cancelled', 'failed', 'bids', 'asks', 'size', 'levels', 'ts', 'data', 'tradeId', 'reason'],
  ...['sharesDelta', 'outcomeId', 'remaining', 'marketId', 'availableBalance', 'mid', 'serverTime'],
];

const SHAPED = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, NASTY, tie('object'), fc.array(tie('object'), { maxLength: 3 })),
  object: fc.dictionary(fc.constantFrom(...FIELDS), tie('value'), { maxKeys: 12 }),
}));

const PAYLOAD = fc.oneof(SHAPED.value, mutated(WIRE_EVENT), fc.jsonValue());

/** A good value with one thing replaced somewhere inside. */
function mutated(good: object): fc.Arbitrary<unknown> {
  return fc.tuple(fc.nat(), NASTY).map(([at, value]) => {
    const copy = structuredClone(good);
    const places = placesIn(copy);
    places[at % places.length]?.(value);
    return copy;
  });
}

function placesIn(node: unknown): ((value: unknown) => void)[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, child]) => [
    (value) => Object.assign(node, { [key]: value }),
    ...placesIn(child),
  ]);
}

function complaintOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('whatever a venue sends', () => {
  it.each(PARSERS)('%s reads it or complains, and nothing else', (_name, parse) => {
    fc.assert(
      fc.property(PAYLOAD, (payload) => {
        const complaint = complaintOf(() => parse(payload));
        expect(complaint === undefined || complaint instanceof WireError).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('an envelope is sorted and never thrown', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['success', 'failure', 'unreadable']).toContain(parseEnvelope(text).kind);
      }),
    );
  });

  it('a frame becomes messages within the domain', () => {
    const text = fc.oneof(
      fc.constantFrom(...GOOD_FRAMES).chain((frame) => mutated(frame).map(json)),
      fc
        .tuple(fc.constantFrom(...FRAME_TYPES), SHAPED.object)
        .map(([type, rest]) => json({ ...rest, marketId: '0xa1', tokenId: '0xa1', type })),
      fc.json(),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (frame) => {
        for (const read of parseFrame(frame, TOKENS)) {
          const sent = read.kind === 'messages' ? read.messages : [];
          expect(sent.every(isInDomain)).toBe(true);
        }
      }),
      { numRuns: 1_500 },
    );
  });

  it('a good frame is read, so that its mutations start from something', () => {
    const kinds = GOOD_FRAMES.flatMap((frame) => parseFrame(json(frame), TOKENS)).map((frame) =>
      frame.kind === 'messages' ? frame.messages[0]?.kind : frame.kind,
    );
    expect(kinds).not.toContain('unrecognised');
    expect(kinds).not.toContain('bookUnreadable');
  });
});

const LEVEL = { price: 0.29, size: 5 };
const TRADE = { tokenId: '0xa1', marketId: '0xa1', price: 0.29, size: 5, side: 'BUY', ts: 1 };
const GOOD_FRAMES: readonly object[] = [
  { type: 'orderbook.snapshot', marketId: '0xa1', levels: { bids: [LEVEL], asks: [] }, ts: 1 },
  { type: 'orderbook.delta', marketId: '0xa1', side: 'bid', ...LEVEL, ts: 1 },
  { ...TRADE, type: 'trade.executed' },
  { ...TRADE, type: 'last_trade_price' },
  { type: 'market.status_update', marketId: '0xa1', status: 'PAUSE', ts: 1 },
  {
    type: 'order.update',
    data: {
      orderHash: '0x1',
      tokenId: '0xa1',
      status: 'OPEN',
      filledQuantity: '0',
      remaining: '5',
      price: '0.29',
      side: 'BUY',
      marketId: 'm1',
    },
  },
  {
    type: 'trade.settled',
    tradeId: 't',
    side: 'BUY',
    price: '0.3',
    quantity: '5',
    tokenId: '0xa1',
  },
  { type: 'trade.failed', reason: 'r', marketId: 'm1', side: 'BUY', quantity: '5' },
  { type: 'position.update', data: { marketId: 'm1', outcomeId: 'o1', sharesDelta: '-1.5' } },
  { type: 'portfolio.summary_update', data: { availableBalance: '5' } },
  { type: 'error', message: 'no', code: 'invalid_signature' },
];

function json(value: unknown): string {
  return JSON.stringify(value);
}

/** Every number of a message is a whole count, and every text has an end. */
function isInDomain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (typeof value === 'string') return value.length <= 500;
  // Whether an order is off its grid.
  if (value === true) return true;
  if (Array.isArray(value)) return value.every(isInDomain);
  if (value === undefined) return true;
  if (value instanceof Decimal) return value.isFinite() && value.abs().lte(1e15);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every(isInDomain);
}
