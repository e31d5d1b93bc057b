// From the bytes of a frame to the best price of its book, among a thousand books.

import { BookMirror, FLUSH_MS } from '../../../src/core/book/mirror.ts';
import { TokenIndex } from '../../../src/core/kernel/market.ts';
import { type TokenId, tokenId } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { FastDeltaReader } from '../../../src/wire/fast-delta.ts';
import { parseFrame } from '../../../src/wire/frames.ts';
import type { TokenLookup } from '../../../src/wire/tokens.ts';
import { seeded } from '../../support/generated-frames.ts';
import { idText } from '../rig/desk.ts';
import { inProcesses } from '../rig/processes.ts';
import { byItself, check, type GroupResult, type Runner, type RunOptions } from '../rig/report.ts';

const GRID = tickGrid('0.001');
const BOOKS = 1_000;
const PASSES = 5;
const STARTED_MS = 1_700_000_000_000;
/** The stamp at the end of a frame, and the brace behind it. */
const STAMP_BYTES = 14;
const LOOKUP: TokenLookup = { gridOf: () => GRID, tokensOf: () => [] };

export function decode({ isShort }: RunOptions): GroupResult {
  const { tokens, frames } = workload(isShort);
  check(fastPath(tokens)(frames) === fullPath(tokens)(frames), 'both read the same best prices');
  const times = inProcesses('decode', ['fast', 'parse', 'full'], { isShort });
  const row = (what: string, ms: number) => [
    what,
    `${((ms * 1e6) / frames.length).toFixed(0)} ns`,
    (ms / times.parse).toFixed(2),
  ];
  return {
    title: 'bytes → decoded → book of 1,000 → best read, processes of their own',
    head: ['path', 'a frame', '× JSON.parse alone'],
    rows: [
      row('JSON.parse alone', times.parse),
      row('fast reader, book, best', times.fast),
      row('full parser, book, best', times.full),
    ],
    ratios: [{ name: 'decode.fast', value: times.fast / times.parse, aimMax: 0.5 }],
  };
}

/** One pass over the frames, in ms. Each runs several times over them: none begins with cold memory. */
export function alone(name: string, isShort: boolean): number {
  const { tokens, texts, frames } = workload(isShort);
  let kept = 0;
  const reader = (path: (frames: readonly Buffer[]) => number) => ({
    ...{ passes: PASSES, prepare: clockOf(frames) },
    run: () => {
      kept += path(frames);
    },
  });
  // What the readers have just written, the parser has just read.
  const parser = {
    passes: PASSES,
    prepare: () => {
      kept += readThrough(texts);
    },
    run: () => void parseAll(texts),
  };
  const runners: Readonly<Record<string, () => Omit<Runner, 'name'>>> = {
    fast: () => reader(fastPath(tokens)),
    full: () => reader(fullPath(tokens)),
    parse: () => parser,
  };
  const runner = runners[name]?.();
  check(runner !== undefined, `there is a contender ${name}`);
  const ms = byItself(runner, isShort ? 2 : 40);
  check(kept > 0, 'what is read is used');
  return ms;
}

function workload(isShort: boolean): {
  readonly tokens: readonly TokenId[];
  readonly texts: readonly string[];
  readonly frames: readonly Buffer[];
} {
  const tokens = Array.from({ length: BOOKS }, (_, index) => tokenId(idText(index + 1)));
  const texts = framesFor(tokens, isShort ? 2_000 : 5_000);
  return { tokens, texts, frames: texts.map((text) => Buffer.from(text)) };
}

/**
 * Puts the next stamps into frames that are read once more: books complain of a feed whose time jumps back.
 * Their texts stay as they are, since what a text takes to parse does not hang on its stamp.
 */
function clockOf(frames: readonly Buffer[]): () => void {
  let atMs = STARTED_MS;
  return () => {
    for (const frame of frames) {
      atMs += FLUSH_MS;
      frame.write(String(atMs), frame.length - STAMP_BYTES, 'latin1');
    }
  };
}

function readThrough(texts: readonly string[]): number {
  let sum = 0;
  for (const text of texts) for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at);
  return sum;
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
      ts: STARTED_MS + index * FLUSH_MS,
    });
  });
}

function books(tokens: readonly TokenId[]): TokenIndex<BookMirror> {
  const index = new TokenIndex<BookMirror>();
  for (const token of tokens) {
    const mirror = new BookMirror(GRID, 1_000);
    const level = { price: ticks(GRID, 1), size: shares(5) };
    mirror.onSnapshot({ bids: [level], asks: [], venueTs: undefined }, unixMs(0));
    index.set(token, mirror);
  }
  return index;
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
      const mirror = all.find(delta.tokenId, delta.tokenNumber);
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
