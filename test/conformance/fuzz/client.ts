// A hostile venue against the client: parsers, frames, the whole of REST, and the core behind them.

import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import type { Dispatcher } from 'undici';
import { WireError } from '../../../src/domain/errors.ts';
import { marketId } from '../../../src/domain/ids.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import type { Lane, Lanes } from '../../../src/venue/http/lanes.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import { parseBalances } from '../../../src/wire/balances.ts';
import { parseBook, parseMidpoint } from '../../../src/wire/books.ts';
import { WIRE_CHOICES } from '../../../src/wire/choices.ts';
import { parseEnvelope } from '../../../src/wire/envelope.ts';
import { parseEvent, parseEventsPage } from '../../../src/wire/events.ts';
import { parseCandles, parseChainAction, parseServerTime } from '../../../src/wire/feeds.ts';
import { FRAME_TYPES, parseFrame } from '../../../src/wire/frames.ts';
import {
  BODY_LENGTH_MAX,
  FRAME_LENGTH_MAX,
  FRAMES_MAX,
  LEVELS_MAX,
} from '../../../src/wire/limits.ts';
import {
  parseBatch,
  parseCancelCounts,
  parseMarketPlaced,
  parseOpenOrders,
  parsePlaced,
} from '../../../src/wire/orders.ts';
import { tokenLookup } from '../../../src/wire/tokens.ts';
import { EngineDriver, listing, settings } from '../../support/engine-driver.ts';
import {
  CREDENTIALS,
  fixedCredentials,
  GRID,
  limitOrder,
  NO,
  REAL_TIME,
  TOKENS,
  WIRE_EVENT,
  YES,
} from '../../support/http-double-fixtures.ts';
import { BROKEN_TEXT, LONG, longTexts, mutated, NASTY, shaped } from './noise.ts';
import { BODY_MS_MAX, FRAME_MS_MAX, type Fuzz, inTime, must, running } from './target.ts';

const READING = { tokens: TOKENS, choices: WIRE_CHOICES };
const PARSERS: readonly ((data: unknown) => unknown)[] = [
  ...[parseEventsPage, parseEvent, parsePlaced, parseMarketPlaced, parseBatch, parseCancelCounts],
  ...[parseBalances, parseMidpoint, parseServerTime, parseCandles, parseChainAction],
  (data) => parseOpenOrders(data, READING),
  (data) => parseBook(data, GRID),
];

const HASH = `0x${'ab'.repeat(32)}`;
const ORDER = {
  ...{ id: 'o', orderHash: HASH, tokenId: YES, side: 'BUY', price: '0.29', quantity: '12.5' },
  ...{ filledQuantity: '0', holdQuantity: '0', status: 'OPEN', timeInForce: 'GTC' },
  ...{ expiredAt: null, createdAt: '2026-11-21T10:00:00.000Z' },
};
const LEVEL = { price: 0.29, size: 5 };
const POSITION = { tokenId: YES, marketId: 'm1', shareAmount: '5', onHoldShareAmount: '0' };
const GOOD: readonly unknown[] = [
  { items: [WIRE_EVENT], total: 1, limit: 20, offset: 0 },
  [WIRE_EVENT],
  WIRE_EVENT,
  ORDER,
  [ORDER],
  { items: [ORDER], total: 1 },
  { order: ORDER, executionPlan: { submittedQuantity: '5', limitPrice: '0.3' } },
  [
    { index: 0, success: true, order: ORDER },
    { index: 1, success: false, error: 'no' },
  ],
  { cancelled: 1, failed: 0 },
  { ...{ cashBalance: '5', availableBalance: '5', usdcOnHold: '0' }, positions: [POSITION] },
  { bids: [LEVEL], asks: [{ ...LEVEL, price: 0.3 }], ts: 1 },
  { mid: '0.5' },
  { serverTime: 1_763_000_000 },
  [{ timestamp: '2026-11-21T10:00:00Z', open: '1', high: '1', low: '1', close: '1', volume: '0' }],
  { txHash: '0x1' },
];
const NAMES = [...new Set(JSON.stringify(GOOD).match(/"\w+":/g) ?? [])].map((key) =>
  key.slice(1, -2),
);
const payload = fc.oneof(
  { weight: 40, arbitrary: fc.oneof(...GOOD.map(mutated), shaped(NAMES), NASTY, fc.jsonValue()) },
  { weight: 1, arbitrary: LONG },
);

/** Every parser reads a payload or complains with a path, and nothing else. */
export const hostilePayloads: Fuzz = () =>
  running({
    name: 'payloads to the parsers',
    cases: payload,
    check: (given) => {
      for (const parse of PARSERS) isReadOrRefused(parse, given);
    },
  });

function isReadOrRefused(parse: (data: unknown) => unknown, given: unknown): void {
  let value: unknown;
  try {
    value = inTime(BODY_MS_MAX, () => parse(given));
  } catch (error) {
    if (error instanceof WireError) return;
    throw error;
  }
  isInDomain(value, 'a payload');
}

const TRADE = { tokenId: YES, marketId: YES, price: 0.29, size: 5, side: 'BUY', ts: 1 };
const UPDATE = { ...ORDER, marketId: 'm1', remaining: '5' };
const FRAMES: readonly object[] = [
  { type: 'orderbook.snapshot', marketId: YES, levels: { bids: [LEVEL], asks: [] }, ts: 1 },
  { type: 'orderbook.delta', marketId: YES, side: 'bid', ...LEVEL, ts: 1 },
  { ...TRADE, type: 'trade.executed' },
  { ...TRADE, type: 'last_trade_price' },
  { type: 'market.status_update', marketId: YES, status: 'PAUSE', ts: 1 },
  { type: 'order.update', data: UPDATE },
  { ...TRADE, type: 'trade.settled', tradeId: 't', price: '0.3', quantity: '5', txHash: '0x1' },
  { type: 'trade.failed', reason: 'r', marketId: 'm1', side: 'BUY', quantity: '5' },
  { type: 'position.update', data: { marketId: 'm1', outcomeId: 'o1', sharesDelta: '-1.5' } },
  { type: 'portfolio.summary_update', data: { availableBalance: '5' } },
  { type: 'error', message: 'no', code: 'invalid_signature' },
];
const FRAME_NAMES = [...NAMES, 'levels', 'data', 'tradeId', 'reason', 'sharesDelta', 'remaining'];
const frameText = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.oneof(...FRAMES.map(mutated)).map((value) => JSON.stringify(value) ?? ''),
  },
  fc
    .tuple(fc.constantFrom(...FRAME_TYPES), shaped(FRAME_NAMES))
    .map(([type, rest]) => JSON.stringify({ ...rest, marketId: YES, tokenId: YES, type })),
  fc.array(fc.oneof(...FRAMES.map(mutated)), { maxLength: 4 }).map((list) => JSON.stringify(list)),
  BROKEN_TEXT,
);
const longFrameText = fc.oneof(
  longTexts(FRAME_LENGTH_MAX),
  fc.constantFrom(...FRAMES).map((frame) => `[${Array(FRAMES_MAX).fill(JSON.stringify(frame))}]`),
  fc.constantFrom('bids', 'asks').map((side) => {
    const levels = { bids: [], asks: [], [side]: Array(LEVELS_MAX).fill(LEVEL) };
    return JSON.stringify({ type: 'orderbook.snapshot', marketId: YES, levels, ts: 1 });
  }),
);
const timedFrameText = fc.oneof(
  { weight: 20, arbitrary: frameText },
  { weight: 1, arbitrary: longFrameText },
);

/** Every frame becomes messages whose values are of the domain. */
export const hostileVenueFrames: Fuzz = () =>
  running({
    name: 'frames to the client',
    cases: timedFrameText,
    check: (text) => {
      const frames = inTime(FRAME_MS_MAX, () => parseFrame(text, TOKENS));
      for (const frame of frames) isInDomain(frame, 'a frame');
    },
  });

const STATUSES = [200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503];
const envelope = fc.oneof(
  payload.map((data) => ({ success: true, data })),
  mutated({ success: false, code: 'rate_limited', message: 'no' }),
  mutated({ success: true, data: ORDER }),
);
const longBody = longTexts(BODY_LENGTH_MAX);
const answer = fc.record({
  status: fc.constantFrom(...STATUSES),
  text: fc.oneof(
    { weight: 4, arbitrary: envelope.map((value) => JSON.stringify(value) ?? '') },
    BROKEN_TEXT,
  ),
  retryAfter: fc.oneof(
    fc.constant(undefined),
    fc.constantFrom('0', '1', '-1', '1e9', 'soon', '0.5'),
  ),
  isCut: fc.nat(20).map((count) => count === 0),
});
type Answer = { status: number; text: string; retryAfter: string | undefined; isCut: boolean };

const CALLS: readonly ((http: VenueHttp) => Promise<unknown>)[] = [
  (http) => http.placeOrders([limitOrder()]),
  (http) => http.placeOrders([limitOrder(), limitOrder({ tokenId: NO })]),
  (http) => http.placeMarketOrder({ ...{ tokenId: YES, side: 'BUY', maxSpend: usdc(5) }, ...FAK }),
  (http) => http.cancelAll({ kind: 'account' }),
  (http) => http.readOpenOrders(),
  (http) => http.readBalances(),
  (http) => http.readBook(YES),
  (http) => http.readAllEvents(),
  (http) => http.readNamedEvents(['rain']),
  (http) => http.readMidpoint(YES),
  (http) => http.readCandles({ outcomeId: YES }),
  (http) => http.measureClock(),
  (http) => http.redeem(marketId('m1')),
];
const FAK = { timeInForce: 'FAK', maxSlippageBps: undefined } as const;
const KINDS = ['ok', 'accepted', 'refused', 'unknown', 'notSent'];

/** The text of any body becomes an envelope in time. */
export const hostileBodies: Fuzz = () =>
  running({
    name: 'bodies to the client',
    cases: fc.oneof({ weight: 60, arbitrary: answer.map(({ text }) => text) }, longBody),
    check: (text) => {
      isInTexts(inTime(BODY_MS_MAX, () => parseEnvelope(text)));
    },
  });

function isInTexts(envelope: ReturnType<typeof parseEnvelope>): void {
  const text = envelope.kind === 'failure' ? envelope.message : '';
  must(text.length <= 400, `a message of ${text.length} characters`);
}

/** Every call of the client comes back with an outcome, whatever the venue answers. */
export const hostileAnswers: Fuzz = () => {
  let next: Answer = { status: 200, text: '', retryAfter: undefined, isCut: false };
  const http = createVenueHttp(
    {
      baseUrl: 'http://127.0.0.1:9/api',
      credentials: fixedCredentials(CREDENTIALS),
      ...{ clock: REAL_TIME, timers: REAL_TIME, tokens: TOKENS },
    },
    cannedLanes(() => next),
  );
  return running({
    name: 'answers to the client',
    cases: fc.tuple(answer, fc.nat(CALLS.length - 1)),
    check: async ([given, place]) => {
      next = given;
      const outcome = await CALLS[place]?.(http);
      for (const one of Array.isArray(outcome) ? outcome : [outcome]) isOutcome(one, given);
    },
    finish: async () => await http.stop(),
  });
};

function isOutcome(outcome: unknown, given: Answer): void {
  const kind = Reflect.get(Object(outcome), 'kind');
  must(KINDS.includes(kind), `no outcome: ${JSON.stringify(outcome)}`);
  const isTaken = kind === 'ok' || kind === 'accepted';
  // An event that is not listed and a book without a middle are answers too, and both say 404.
  must(!isTaken || given.status < 300 || given.status === 404, `taken under ${given.status}`);
  isInDomain(outcome, 'an outcome');
  must(parseEnvelope(given.text).kind !== 'unreadable' || !isTaken, 'taken without an envelope');
}

/** Lanes whose every request gets the same canned answer at once. */
function cannedLanes(answerNow: () => Answer): Lanes {
  // The client asks nothing of a pool but to dispatch.
  const pool = {
    dispatch: (_: unknown, handler: Dispatcher.DispatchHandler) => {
      reply(handler, answerNow());
      return true;
    },
  } as unknown as Dispatcher;
  const lane: Lane = {
    pool,
    run: async (task) => ({ kind: 'ran', value: await task() }),
    closeFor: () => undefined,
    stop: () => Promise.resolve(),
  };
  return { order: lane, read: lane, exit: lane, all: lane };
}

const CONTROLLER = { abort: () => undefined } as unknown as Dispatcher.DispatchController;

function reply(handler: Dispatcher.DispatchHandler, answer: Answer): void {
  const headers = answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter };
  handler.onRequestStart?.(CONTROLLER, undefined);
  handler.onResponseStart?.(CONTROLLER, answer.status, headers, '');
  handler.onResponseData?.(CONTROLLER, Buffer.from(answer.text));
  if (answer.isCut) handler.onResponseError?.(CONTROLLER, new Error('cut'));
  else handler.onResponseEnd?.(CONTROLLER, {});
}

/** Everything that frames become is survived by the core, which then still answers a kill. */
export const hostileMessages: Fuzz = () => {
  const engine = new EngineDriver();
  const event = listing();
  const [market] = event.markets;
  if (!market) throw new Error('the listing has a market');
  const tokens = tokenLookup([event]);
  engine.start(settings({ risk: { ...settings().risk, maxLossUsdc: 1_000_000 } }));
  engine.healthyBook();
  const rename = (text: string) =>
    text
      .replaceAll(JSON.stringify(YES), JSON.stringify(market.yes.tokenId))
      .replaceAll(JSON.stringify(NO), JSON.stringify(market.no.tokenId))
      .replaceAll('"m1"', JSON.stringify(market.id));
  let count = 0;
  return running({
    name: 'messages to the core',
    cases: frameText.map(rename),
    check: (text) => {
      for (const message of messagesOf(text)) engine.tell(message);
      count += 1;
      if (count % 10 === 0) engine.tick();
      if (count % 50 === 0) engine.acceptPlacements();
      if (count % 500 === 0) {
        engine.healthyBook();
        engine.sent = [];
        engine.reports.length = 0;
      }
    },
    finish: () => {
      engine.sent = [];
      engine.operator('kill');
      engine.tick();
      must(engine.take('cancelAll').length === 1, 'it still kills');
    },
  });

  function messagesOf(text: string): readonly VenueMessage[] {
    return parseFrame(text, tokens).flatMap((frame) =>
      frame.kind === 'messages' ? frame.messages : [],
    );
  }
};

/** Numbers are whole and safe or within reach, texts have an end, money is finite. */
function isInDomain(value: unknown, what: string): void {
  must(isSound(value), `${what} outside the domain: ${JSON.stringify(value)?.slice(0, 300)}`);
}

function isSound(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) || Math.abs(value) < 1e15;
  if (typeof value === 'string') return value.length <= 10_000;
  if (Array.isArray(value)) return value.every(isSound);
  if (value === undefined || typeof value === 'boolean') return true;
  if (value instanceof Decimal) return value.isFinite() && value.abs().lte(1e15);
  if (typeof value !== 'object' || value === null) return false;
  // An echo is only ever compared with what was sent; it goes no further.
  return Object.entries(value).every(([name, inner]) => name === 'echo' || isSound(inner));
}
