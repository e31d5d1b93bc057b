import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TokenId, tokenId } from '../../../src/domain/ids.ts';
import { type TickGrid, tickGrid } from '../../../src/domain/ticks.ts';
import { parseBook } from '../../../src/wire/books.ts';
import { parseEnvelope } from '../../../src/wire/envelope.ts';
import { FastSnapshotReader } from '../../../src/wire/fast-snapshot.ts';
import { parseFrame } from '../../../src/wire/frames.ts';
import type { TokenLookup } from '../../../src/wire/tokens.ts';

const CENTS = tokenId(`0x${'0123456789abcdef'.repeat(4)}`);
const MILLIS = tokenId('0xfeed');
const UNKNOWN = '0xcafecafe';
const GRIDS = new Map<TokenId, TickGrid>([
  [CENTS, tickGrid('0.01')],
  [MILLIS, tickGrid('0.001')],
]);
const TOKENS: TokenLookup = { gridOf: (id) => GRIDS.get(id), tokensOf: () => [] };
const PLAIN = { type: 'orderbook.snapshot', marketId: CENTS };
const LEVELS = {
  bids: [
    { price: 0.48, size: 5 },
    { price: 0.4, size: 0.000001 },
  ],
  asks: [{ price: 0.52, size: 120.25 }],
};

function text(change: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...PLAIN, levels: LEVELS, ts: 1_700_000_000_123, ...change });
}

function fast(frame: string, reader = new FastSnapshotReader(TOKENS)): unknown {
  return reader.read(Buffer.from(frame));
}

/** What the full parser says, if that is exactly one message. */
function parsed(frame: string): unknown {
  const [only, ...rest] = parseFrame(frame, TOKENS);
  const messages = only?.kind === 'messages' ? only.messages : [];
  return rest.length === 0 && messages.length === 1 ? messages[0] : undefined;
}

/** Numbers as venues write them, rightly and wrongly. */
const price = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 1_001 }).map((at) => String(at / 1_000)) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 99 }).map((at) => String(at / 100)) },
  fc.integer({ min: 0, max: 999 }).map((at) => `"0.${String(at).padStart(3, '0')}"`),
  fc.integer({ min: 0, max: 9_999_999 }).map((at) => `0.${at}`),
  fc.constantFrom('1', '0', '-0.5', '0.', '.5', '00.5', '5e-1', 'null', '0.29000000000000004'),
);
const size = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 5_000 }).map(String) },
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 1e9 }).map((at) => String(at / 1e6)) },
  fc.integer({ min: 0, max: 1e9 }).map((at) => `"${at / 100}"`),
  fc.constantFrom('1e-7', '9000000', '9000001', '-1', '10.000000000000002', '0.1234567', 'true'),
  fc.constantFrom('123456789012345.6', '9007199254740993', '1.', '01', '""', '"5', '5"'),
);
const level = fc.tuple(price, size).map(([at, of]) => `{"price":${at},"size":${of}}`);
const plainLevel = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 0, max: 9e6 }), fc.nat(6))
  .map(([at, of, decimals]) => ({
    at,
    text: `{"price":${at / 100},"size":${(of / 10 ** decimals).toFixed(decimals)}}`,
  }));
const side = fc.oneof(
  { weight: 1, arbitrary: fc.array(level, { maxLength: 4 }).map((levels) => levels.join(',')) },
  {
    weight: 5,
    arbitrary: fc
      .uniqueArray(plainLevel, { maxLength: 8, selector: ({ at }) => at })
      .map((levels) => levels.map((each) => each.text).join(',')),
  },
);
const stamp = fc.oneof(
  { weight: 4, arbitrary: fc.nat().map(String) },
  fc.constantFrom('"5"', '1.5', '-1', 'null', '1e12'),
);
const id = fc.constantFrom<string>(CENTS, CENTS, MILLIS, MILLIS, UNKNOWN, MILLIS.toUpperCase());
const frameText = fc.tuple(id, side, side, stamp).map(([token, bids, asks, ts]) => {
  const levels = `{"bids":[${bids}],"asks":[${asks}]}`;
  return `{"type":"orderbook.snapshot","marketId":"${token}","levels":${levels},"ts":${ts}}`;
});
/** One letter changed, taken out or put in, or the rest cut off. */
const damaged = fc
  .tuple(frameText, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.string())
  .chain(([frame, share, letters]) => {
    const at = Math.floor(share * frame.length);
    const [head, rest] = [frame.slice(0, at), frame.slice(at + 1)];
    return fc.constantFrom(frame, head, head + rest, head + letters + rest, `${frame}${letters}`);
  });

describe('the fast reader of snapshots', () => {
  it('says the same as the full parser wherever it says anything', () => {
    const reader = new FastSnapshotReader(TOKENS);
    let read = 0;
    fc.assert(
      fc.property(fc.oneof(frameText, damaged), (frame) => {
        const message = fast(frame, reader);
        if (message === undefined) return;
        read += 1;
        expect(message).toEqual(parsed(frame));
      }),
      { numRuns: 5_000, seed: 20_261_128 },
    );
    expect(read).toBeGreaterThan(500);
  });

  it.each([
    ['plain', {}],
    ['of an empty book', { levels: { bids: [], asks: [] } }],
    ['of one side', { levels: { bids: [], asks: LEVELS.asks } }],
    ['with numbers as texts', { levels: { bids: [{ price: '0.48', size: '5.5' }], asks: [] } }],
    ['with a level of nothing', { levels: { bids: [{ price: 0.48, size: 0 }], asks: [] } }],
    ['with the same price on both sides', { levels: { bids: LEVELS.bids, asks: LEVELS.bids } }],
    [
      'of a finer grid',
      { marketId: MILLIS, levels: { bids: [{ price: 0.999, size: 1 }], asks: [] } },
    ],
  ])('reads a frame %s', (_, change) => {
    const frame = text(change);
    expect(fast(frame)).toEqual(parsed(frame));
    expect(fast(frame)).toMatchObject({ kind: 'bookSnapshot' });
  });

  it('reads a long one, and after it a short one of which nothing of the long one is left', () => {
    const reader = new FastSnapshotReader(TOKENS);
    const bids = Array.from({ length: 999 }, (_, at) => ({
      price: (at + 1) / 1_000,
      size: at + 1,
    }));
    const long = text({ marketId: MILLIS, levels: { bids, asks: bids } });
    for (const frame of [long, text(), long]) {
      expect(fast(frame, reader)).toEqual(parsed(frame));
      expect(fast(frame, reader)).toMatchObject({ kind: 'bookSnapshot' });
    }
    expect(fast(text().slice(0, -9), reader)).toBeUndefined();
  });

  it.each([
    ['a price twice', text({ levels: { bids: [LEVELS.bids[0], LEVELS.bids[0]], asks: [] } })],
    ['a price off the grid', text({ levels: { bids: [{ price: 0.485, size: 1 }], asks: [] } })],
    ['a price of one', text({ levels: { bids: [{ price: 1, size: 1 }], asks: [] } })],
    ['the noise of a sum', text({ levels: { bids: [{ price: 0.1 + 0.2, size: 1 }], asks: [] } })],
    [
      'a size beyond counting',
      text({ levels: { bids: [{ price: 0.4, size: 9_000_001 }], asks: [] } }),
    ],
    ['a negative size', text({ levels: { bids: [{ price: 0.4, size: -1 }], asks: [] } })],
    ['an exponent', text({ levels: { bids: [{ price: 0.4, size: 1e-7 }], asks: [] } })],
    [
      'more levels than a book has',
      text({ levels: { bids: Array(2_001).fill(LEVELS.bids[0]), asks: [] } }),
    ],
    ['a token without a grid', text({ marketId: UNKNOWN })],
    ['a token in upper case', text({ marketId: CENTS.toUpperCase().replace('X', 'x') })],
    ['no time', text({ ts: undefined })],
    ['a time beyond time', text({ ts: 8_640_000_000_000_001 })],
    ['an unknown field', text({ seq: 1 })],
    ['a side that is missing', text({ levels: { bids: LEVELS.bids } })],
    ['a delta', text({ type: 'orderbook.delta' })],
    ['two frames in one', `[${text()}]`],
    ['a frame cut short', text().slice(0, -1)],
    ['something behind it', `${text()} `],
    ['nothing at all', ''],
  ])('leaves %s to the full parser', (_, frame) => {
    expect(fast(frame)).toBeUndefined();
  });
});

const bodyText = fc
  .tuple(side, side, fc.option(stamp, { nil: undefined }), fc.option(id, { nil: undefined }))
  .map(([bids, asks, ts, token]) => {
    const before = token === undefined ? '' : `"tokenId":"${token}",`;
    const after = ts === undefined ? '' : `,"ts":${ts}`;
    return `{"success":true,"data":{${before}"bids":[${bids}],"asks":[${asks}]${after}}}`;
  });
const damagedBody = fc
  .tuple(bodyText, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.string())
  .chain(([body, share, letters]) => {
    const at = Math.floor(share * body.length);
    const [head, rest] = [body.slice(0, at), body.slice(at + 1)];
    return fc.constantFrom(body, head, head + rest, head + letters + rest, `${body}${letters}`);
  });

/** What the full parser says of an answer over REST, if it takes it. */
function parsedBody(body: string, grid: TickGrid): unknown {
  const envelope = parseEnvelope(body);
  if (envelope.kind !== 'success') return envelope;
  return parseBook(envelope.data, grid);
}

describe('the same reader of books over REST', () => {
  it('says the same as the full parser wherever it says anything', () => {
    const reader = new FastSnapshotReader(TOKENS);
    let read = 0;
    const grids = fc.constantFrom(tickGrid('0.01'), tickGrid('0.001'));
    fc.assert(
      fc.property(fc.oneof(bodyText, damagedBody), grids, (body, grid) => {
        const book = reader.readBody(Buffer.from(body), grid);
        if (book === undefined) return;
        read += 1;
        expect(book).toEqual(parsedBody(body, grid));
      }),
      { numRuns: 5_000, seed: 20_261_128 },
    );
    expect(read).toBeGreaterThan(500);
  });

  it.each([
    ['plain', { ...LEVELS }],
    ['with a token and a time, as older venues send it', { tokenId: CENTS, ...LEVELS, ts: 1_700 }],
    ['without levels', { bids: [], asks: [] }],
  ])('reads a body %s', (_, data) => {
    const body = JSON.stringify({ success: true, data });
    const book = new FastSnapshotReader(TOKENS).readBody(Buffer.from(body), tickGrid('0.01'));
    expect(book).toEqual(parsedBody(body, tickGrid('0.01')));
    expect(book).toBeDefined();
  });

  it('leaves the book of another token than was asked for to the full parser', () => {
    const body = JSON.stringify({ success: true, data: { tokenId: CENTS, ...LEVELS } });
    const read = (asked: TokenId) =>
      new FastSnapshotReader(TOKENS).readBody(Buffer.from(body), tickGrid('0.01'), asked);
    expect(read(MILLIS)).toBeUndefined();
    expect(read(CENTS)).toEqual(parsedBody(body, tickGrid('0.01')));
  });

  it.each([
    ['a failure', '{"success":false,"code":"token_not_found","message":""}'],
    ['a frame', text()],
    ['a body cut short', '{"success":true,"data":{"bids":[],"asks":[]}'],
    ['an unknown field', '{"success":true,"data":{"bids":[],"asks":[],"seq":1}}'],
    [
      'a price off the grid',
      '{"success":true,"data":{"bids":[{"price":0.485,"size":1}],"asks":[]}}',
    ],
    ['nothing at all', ''],
  ])('leaves %s to the full parser', (_, body) => {
    const reader = new FastSnapshotReader(TOKENS);
    expect(reader.readBody(Buffer.from(body), tickGrid('0.01'))).toBeUndefined();
  });
});
