import { describe, expect, it } from 'vitest';
import { type TokenId, tokenId } from '../../../src/domain/ids.ts';
import { type TickGrid, tickGrid } from '../../../src/domain/ticks.ts';
import { type BookDelta, FastDeltaReader } from '../../../src/wire/fast-delta.ts';
import { parseFrame } from '../../../src/wire/frames.ts';
import type { TokenLookup } from '../../../src/wire/tokens.ts';
import { deltaText, seeded } from '../../support/generated-frames.ts';

const LONG = tokenId(`0x${'0123456789abcdef'.repeat(4)}`);
const SHORT = tokenId('0x0123456789');
const UNLEARNT = tokenId('0xcafecafe');
const GRIDS = new Map<TokenId, TickGrid>([
  [LONG, tickGrid('0.01')],
  [SHORT, tickGrid('0.001')],
  [UNLEARNT, tickGrid('0.001')],
]);
const TOKENS: TokenLookup = { gridOf: (id) => GRIDS.get(id), tokensOf: () => [] };
/** In this order, which is how they are numbered. */
const TAUGHT = [LONG, SHORT];
/** More by `FAST_FRAMES=5000000 npx vitest run test/unit/wire/fast-delta.test.ts`. */
const FRAMES = Number(process.env['FAST_FRAMES'] ?? 200_000);

function reader(): FastDeltaReader {
  const fast = new FastDeltaReader(TOKENS);
  for (const known of TAUGHT) fast.learn(known);
  return fast;
}

function text(change: Readonly<Record<string, unknown>> = {}): string {
  const ts = 1_700_000_000_123;
  const frame = { type: 'orderbook.delta', marketId: LONG, side: 'bid', price: 0.29, size: 5, ts };
  return JSON.stringify({ ...frame, ...change });
}

/** What the full parser says, if that is exactly one message. */
function parsed(frame: string): unknown {
  const [only, ...rest] = parseFrame(frame, TOKENS);
  const messages = only?.kind === 'messages' ? only.messages : [];
  return rest.length === 0 && messages.length === 1 ? messages[0] : undefined;
}

describe('the fast reader of deltas', () => {
  it(
    'says the same as the full parser wherever it says anything',
    () => {
      const random = seeded(20_261_121);
      const fast = reader();
      const tokens = [LONG, SHORT, UNLEARNT];
      let read = 0;
      for (let count = 0; count < FRAMES; count += 1) {
        const frame = deltaText(random, tokens);
        const message = fast.read(Buffer.from(frame, 'utf8'));
        if (message === undefined) continue;
        read += 1;
        if (message.tokenNumber !== TAUGHT.indexOf(message.tokenId)) expect(message).toBe(frame);
        const full = withNumber(parsed(frame), message);
        // Comparing field by field keeps millions of frames affordable; the frame is in the failure.
        if (!isSame(message, full)) expect({ frame, message }).toEqual({ frame, message: full });
      }
      expect(read).toBeGreaterThan(FRAMES / 8);
    },
    60_000 + FRAMES / 10,
  );

  it.each([
    ['plain', {}],
    ['of a removal', { size: 0 }],
    ['of another side', { side: 'ask' }],
    ['with numbers as texts', { price: '0.29', size: '5.25' }],
    ['with six decimals', { size: 0.000001 }],
    ['of the largest size', { size: 9_000_000 }],
    ['of a finer grid', { marketId: SHORT, price: 0.999 }],
  ])('reads a frame %s', (_, change) => {
    const frame = text(change);
    const message = reader().read(Buffer.from(frame));
    expect(message).toEqual(withNumber(parsed(frame), message));
    expect(parsed(frame)).toMatchObject({ kind: 'bookDelta' });
  });

  it('reads keys in any order and with spaces between them', () => {
    const frame = `{ "ts": 1700000000123, "size": 5, "price": 0.29, "side": "ask", "marketId": "${SHORT}", "type": "orderbook.delta" }`;
    const message = reader().read(Buffer.from(frame));
    expect(message).toEqual(withNumber(parsed(frame), message));
  });

  it.each([
    ['one digit', 0.5],
    ['two digits', 0.07],
    ['three digits', 0.123],
    ['digits that say nothing', '0.1200'],
    ['five of them', '0.12000'],
    ['six of them', '0.120000'],
  ])('reads a price of %s behind the point', (_, price) => {
    const change = { marketId: SHORT, price: 0.999 };
    const frame = text(change).replace('0.999', String(price));
    const message = reader().read(Buffer.from(frame));
    expect(message).toEqual(withNumber(parsed(frame), message));
    expect(message?.price).toBe(Number(price) * 1_000);
  });

  it.each(['0.', '0.x', '.5', '00.5', '0.5 ', '0.1234567', '0,5', '0.1/', '0.1:', '0.:1', '0./1'])(
    'takes %s for no price that it could be wrong about',
    (price) => {
      const frame = text({ marketId: SHORT, price: 0.999 }).replace('0.999', price);
      const message = reader().read(Buffer.from(frame));
      expect(message).toEqual(message && withNumber(parsed(frame), message));
    },
  );

  it('numbers each token, and the same one alike in every form of its frames', () => {
    const fast = reader();
    const numberOf = (frame: string) => fast.read(Buffer.from(frame))?.tokenNumber;
    const long = numberOf(text());
    const short = numberOf(text({ marketId: SHORT }));
    expect([long, short]).toEqual([0, 1]);
    expect(numberOf(text({ price: '0.5' }))).toBe(long);
    expect(numberOf(text({ marketId: SHORT }).replaceAll(',', ', '))).toBe(short);
    fast.learn(LONG);
    expect(numberOf(text())).toBe(long);
  });

  it.each([
    ['an exponent', text({ size: 1e-7 })],
    ['a price off the grid', text({ price: 0.295 })],
    ['a price of one', text({ price: 1 })],
    ['a size beyond counting', text({ size: 9_000_001 })],
    ['a token it was not taught', text({ marketId: UNLEARNT })],
    ['a token in upper case', text({ marketId: LONG.toUpperCase().replace('X', 'x') })],
    ['an unknown field', text({ seq: 1 })],
    ['a missing time', text({ ts: undefined })],
    ['a word it does not know', text({ side: 'BID' })],
    ['another type', text({ type: 'orderbook.update' })],
    ['an escape', text().replace('bid', '\\u0062id')],
    ['a key told twice', text().replace('}', ',"size":6}')],
    ['two frames in one', `[${text()}]`],
    ['a frame cut short', text().slice(0, -1)],
    ['something behind it', `${text()} `],
    ['nothing at all', ''],
  ])('leaves %s to the full parser', (_, frame) => {
    expect(reader().read(Buffer.from(frame))).toBeUndefined();
  });

  it('finds each of many tokens', () => {
    const many = Array.from({ length: 5_000 }, (_, count) =>
      tokenId(`0x${count.toString(16).padStart(8, '0')}`),
    );
    const grid = tickGrid('0.01');
    const fast = new FastDeltaReader({ gridOf: () => grid, tokensOf: () => [] });
    for (const each of many) fast.learn(each);
    for (const each of many) {
      expect(fast.read(Buffer.from(text({ marketId: each })))?.tokenId).toBe(each);
    }
  });

  it('learns a token after more of them than it keeps, and those that it forgot once more', () => {
    const grid = tickGrid('0.01');
    const fast = new FastDeltaReader({ gridOf: () => grid, tokensOf: () => [] });
    const [first, ...later] = Array.from({ length: 33_000 }, (_, count) =>
      tokenId(`0x${count.toString(16).padStart(12, '0')}`),
    );
    const last = later.at(-1);
    if (first === undefined || last === undefined) throw new Error('there are tokens');
    for (const each of [first, ...later]) fast.learn(each);
    expect(fast.read(Buffer.from(text({ marketId: last })))?.tokenId).toBe(last);
    fast.learn(first);
    expect(fast.read(Buffer.from(text({ marketId: first })))?.tokenId).toBe(first);
  });
});

/** The number is the reader's own: the full parser gives none. */
function withNumber(full: unknown, message: BookDelta | undefined): unknown {
  return typeof full === 'object' ? { ...full, tokenNumber: message?.tokenNumber } : full;
}

function isSame(one: object, other: unknown): boolean {
  if (typeof other !== 'object' || other === null) return false;
  const entries = Object.entries(one);
  if (entries.length !== Object.keys(other).length) return false;
  return entries.every(([key, value]) => Object.is(value, Reflect.get(other, key)));
}
