// From the bytes of a frame to the best price of its book, among a thousand books.

import { BookMirror } from '../../../src/core/book/mirror.ts';
import { type TokenId, tokenId } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { FastDeltaReader } from '../../../src/wire/fast-delta.ts';
import { parseFrame } from '../../../src/wire/frames.ts';
import type { TokenLookup } from '../../../src/wire/tokens.ts';
import { seeded } from '../../support/generated-frames.ts';
import { idText } from '../rig/desk.ts';
import { check, type GroupResult, interleaved, type RunOptions } from '../rig/report.ts';

const GRID = tickGrid('0.001');
const BOOKS = 1_000;
const LOOKUP: TokenLookup = { gridOf: () => GRID, tokensOf: () => [] };

export function decode({ isShort }: RunOptions): GroupResult {
  const tokens = Array.from({ length: BOOKS }, (_, index) => tokenId(idText(index + 1)));
  const texts = framesFor(tokens, isShort ? 2_000 : 5_000);
  const frames = texts.map((text) => Buffer.from(text));
  const fast = fastPath(tokens);
  const full = fullPath(tokens);
  check(fast(frames) === full(frames), 'both paths read the same best prices');
  let kept = 0;
  const keep = (path: (frames: readonly Buffer[]) => number) => () => {
    kept += path(frames);
  };
  const fastReader = { name: 'fast reader, book, best', run: keep(fast) };
  const alone = { name: 'JSON.parse alone', run: () => void parseAll(texts) };
  const rounds = isShort ? 2 : 60;
  // Each runs several times over the frames before the other does: neither begins with cold memory
  // that the other left behind. The full parser litters so much that it runs by itself.
  const times = new Map([
    ...interleaved([repeated(alone), repeated(fastReader)], rounds),
    ...interleaved([{ name: 'full parser, book, best', run: keep(full) }], rounds),
  ]);
  check(kept !== 0, 'the prices are read');
  const of = (name: string) => times.get(name) ?? Number.NaN;
  const rows = [...times].map(([name, ms]) => [
    name,
    `${((ms * 1e6) / frames.length).toFixed(0)} ns`,
    (ms / of(alone.name)).toFixed(2),
  ]);
  const value = of(fastReader.name) / of(alone.name);
  return {
    title: 'bytes → decoded → book of 1,000 → best read',
    head: ['path', 'a frame', '× JSON.parse alone'],
    rows,
    ratios: [{ name: 'decode.fast', value, aim: '≤ 0.5', margin: 0.4 }],
  };
}

const PASSES = 5;

/** Several passes as one, for the time of one. */
function repeated({ name, run }: { readonly name: string; run(): void }) {
  return {
    name,
    passes: PASSES,
    run: () => {
      for (let pass = 0; pass < PASSES; pass += 1) run();
    },
  };
}

function framesFor(tokens: readonly TokenId[], count: number): readonly string[] {
  const random = seeded(4);
  return Array.from({ length: count }, (_, index) => {
    const token = tokens[Math.floor(random() * tokens.length)] ?? '';
    const isBid = random() < 0.5;
    const price = (isBid ? 400 : 501) + Math.floor(random() * 99);
    const size = random() < 0.3 ? 0 : Math.floor(random() * 1e6) / 100;
    return JSON.stringify({
      type: 'orderbook.delta',
      marketId: token,
      side: isBid ? 'bid' : 'ask',
      price: price / 1_000,
      size,
      ts: 1_700_000_000_000 + index * 150,
    });
  });
}

function books(tokens: readonly TokenId[]): ReadonlyMap<TokenId, BookMirror> {
  return new Map(
    tokens.map((token) => {
      const mirror = new BookMirror(GRID, 1_000);
      const level = { price: ticks(GRID, 1), size: shares(5) };
      mirror.onSnapshot({ bids: [level], asks: [], venueTs: undefined }, unixMs(0));
      return [token, mirror];
    }),
  );
}

function parseAll(texts: readonly string[]): number {
  let seen = 0;
  for (const text of texts) if (JSON.parse(text) !== null) seen += 1;
  return seen;
}

function fastPath(tokens: readonly TokenId[]): (frames: readonly Buffer[]) => number {
  const all = books(tokens);
  const reader = new FastDeltaReader(LOOKUP);
  for (const token of tokens) reader.learn(token);
  return (frames) => {
    let sum = 0;
    for (const frame of frames) {
      const delta = reader.read(frame);
      if (delta === undefined) throw new Error('the fast reader passes on a plain frame');
      const mirror = all.get(delta.tokenId);
      mirror?.onDelta(delta, delta.venueTs ?? unixMs(0));
      sum += mirror?.best('bid') ?? 0;
    }
    return sum;
  };
}

function fullPath(tokens: readonly TokenId[]): (frames: readonly Buffer[]) => number {
  const all = books(tokens);
  return (frames) => {
    let sum = 0;
    for (const bytes of frames) {
      const [frame] = parseFrame(bytes.toString('utf8'), LOOKUP);
      const message = frame?.kind === 'messages' ? frame.messages[0] : undefined;
      if (message?.kind !== 'bookDelta') throw new Error('the full parser reads a plain frame');
      const mirror = all.get(message.tokenId);
      mirror?.onDelta(message, message.venueTs ?? unixMs(0));
      sum += mirror?.best('bid') ?? 0;
    }
    return sum;
  };
}
