// The lines of a recording of raw market data, segment by segment, each checked before anything of it is played.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BotError } from '../../domain/errors.ts';
import { jsonOr } from '../../domain/json.ts';
import {
  MARKET_DATA_FORMAT,
  type MarketDataKind,
  type MarketDataLine,
  segmentName,
  segmentOf,
  WHOLE_SEGMENT,
} from '../../domain/market-data.ts';
import { BODY_LENGTH_MAX } from '../../wire/limits.ts';
import { fileError } from './file-error.ts';

export type SegmentLine = {
  readonly line: Exclude<MarketDataLine, { readonly kind: 'end' }>;
  /** For complaints: file and line. */
  readonly place: string;
};

export type Segment = {
  readonly segment: number;
  readonly lines: readonly SegmentLine[];
  /** Lines that nobody can read, with why; the one that its writer was killed over is among them. */
  readonly badLines: readonly string[];
  /** Its part of all segments, 0 to 1, and that of those before it. */
  readonly part: number;
  readonly partBefore: number;
};

const unpack = promisify(gunzip);
/** A recorder closes a segment at an eighth of this at the latest. */
const SEGMENT_BYTES_MAX = 256_000_000;
/** The longest body of an answer, every character of it escaped. */
const LINE_LENGTH_MAX = 6 * BODY_LENGTH_MAX;
const KINDS: readonly MarketDataKind[] = ['segment', 'text', 'answer', 'book', 'gap', 'end'];

/**
 * Every segment of a folder in the order in which it was written, read as it is pulled. A recorder may go on beside it:
 * what it has packed by then is read packed, and what it has dropped is missing.
 * @throws {BotError} `replay.file` for one that cannot be read, or is not what was written.
 */
export async function* segmentsIn(folder: string): AsyncGenerator<Segment, void, undefined> {
  const files = await segmentFiles(folder);
  const part = 1 / files.length;
  for (const [index, { name, segment }] of files.entries()) {
    const packed = segmentName(segment, WHOLE_SEGMENT);
    for (const path of new Set([join(folder, name), join(folder, packed)])) {
      const text = await textOf(path);
      if (text === undefined) continue;
      yield { segment, part, partBefore: index * part, ...linesOf(path, text) };
      break;
    }
  }
}

/** Of a segment that is there plain and packed, since its writer was killed in between, the packed one. */
async function segmentFiles(folder: string) {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw fileError(folder, cause);
  });
  const found = names.flatMap((name) => {
    const of = segmentOf(name);
    return of === undefined ? [] : [{ name, ...of }];
  });
  const packed = new Set(found.filter(({ isWhole }) => isWhole).map(({ segment }) => segment));
  return found
    .filter(({ segment, isWhole }) => isWhole || !packed.has(segment))
    .toSorted((a, b) => a.segment - b.segment);
}

/** `undefined` where it is gone. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    if (!path.endsWith('.gz')) return bytes.toString('utf8');
    return (await unpack(bytes, { maxOutputLength: SEGMENT_BYTES_MAX })).toString('utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw fileError(path, cause);
  }
}

function linesOf(path: string, text: string): Pick<Segment, 'lines' | 'badLines'> {
  const texts = text.split('\n');
  const unfinished = texts.pop() ?? '';
  const lines: SegmentLine[] = [];
  const badLines: string[] = [];
  const hash = createHash('sha256');
  let isEnded = false;
  for (const [index, each] of texts.entries()) {
    const place = `${path}, line ${index + 1}`;
    const line = parsedLine(each);
    if (line?.kind === 'end') {
      checkEnd(line, { lines: index, sha256: hash.digest('hex'), path });
      isEnded = true;
      break;
    }
    hash.update(each).update('\n');
    if (line === undefined) badLines.push(`${place}: is no line of a recording`);
    else lines.push({ line, place });
    if (line?.kind === 'segment') checkFormat(line.format, place);
  }
  if (unfinished !== '')
    badLines.push(`${path}, line ${texts.length + 1}: was cut off in the middle`);
  if (!isEnded && path.endsWith('.gz')) throw fileError(path, 'its last line is missing');
  return { lines, badLines };
}

function checkEnd(
  end: Extract<MarketDataLine, { readonly kind: 'end' }>,
  read: { readonly lines: number; readonly sha256: string; readonly path: string },
): void {
  if (end.lines === read.lines && end.sha256 === read.sha256) return;
  throw fileError(read.path, 'is not what was written: its checksum differs');
}

function checkFormat(format: number, place: string): void {
  if (format === MARKET_DATA_FORMAT) return;
  const is = `format ${format}, not ${MARKET_DATA_FORMAT}: read it with the version that wrote it`;
  throw new BotError('replay.file', `${place}: ${is}`);
}

/** Lines are checked as a whole by their segment's checksum: here it is enough to tell them apart. */
function parsedLine(text: string): MarketDataLine | undefined {
  const value = jsonOr(text, LINE_LENGTH_MAX);
  return isLine(value) ? value : undefined;
}

function isLine(value: unknown): value is MarketDataLine {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  if (!KINDS.some((kind) => kind === value.kind)) return false;
  if (value.kind === 'end') return true;
  if (!('atMs' in value) || !Number.isSafeInteger(value.atMs)) return false;
  if (value.kind === 'text' || value.kind === 'book') {
    return 'text' in value && typeof value.text === 'string';
  }
  return value.kind !== 'answer' || ('path' in value && typeof value.path === 'string');
}
