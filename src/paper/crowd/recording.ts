// A recording: real frames of a venue in a file, streamed, with the events they belong to.

import { access, constants, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { BotError } from '../../domain/errors.ts';
import type { Event } from '../../domain/market.ts';
import { MARKET_DATA_META } from '../../domain/market-data.ts';
import { fileError, problemOf } from './file-error.ts';
import { FrameDates } from './frame-dates.ts';
import { LINE_LENGTH_MAX, type LineBatch, lineBatches } from './lines.ts';
import { rawBatches } from './raw-recording.ts';
import {
  type CountedBatch,
  type FrameBatch,
  parseFrame,
  type RecordedFrame,
  type RecordedToken,
  type RecordedTokens,
} from './recorded-frame.ts';
import { parseMeta, type RecordedMarkets } from './recording-meta.ts';

/** Events to list on the exchange, and the frames to play to it. */
export type Recording = RecordedMarkets & {
  readonly name: string;
  readonly path: string;
  /** A folder of raw market data. */
  readonly isRaw: boolean;
  /** Markets that `marketsMax` left out. */
  readonly marketsLeftOut: number;
  /**
   * The frames from the beginning, some hundred at a time, read as they are pulled.
   * @throws {BotError} `replay.file` for a damaged file, or one whose lines are mostly unreadable.
   */
  batches(): AsyncGenerator<FrameBatch, void, undefined>;
};

export type RecordingOptions = {
  /** Lists and plays this many markets only: the most active ones where the file says which. */
  readonly marketsMax?: number;
};

const FRAMES_SUFFIX = /\.ndjson(\.gz)?$/;

/** So many unreadable lines, and this share of all lines, mean that the file is something else. */
const BAD_LINES_MAX = 100;
const BAD_SHARE_MAX = 0.1;

/**
 * Opens `<name>.ndjson.gz`, or `.ndjson`, with the `<name>.meta.json` beside it; or a folder that `bookend record` wrote.
 * @throws {BotError} `replay.file` with the file's name and what is wrong with it.
 */
export async function openRecording(
  path: string,
  options: RecordingOptions = {},
): Promise<Recording> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder && !FRAMES_SUFFIX.test(path)) {
    throw new BotError('replay.file', `${path}: must end in .ndjson.gz or .ndjson`);
  }
  await checkReadable(path);
  const name = basename(resolve(path)).replace(FRAMES_SUFFIX, '');
  const metaPath = isFolder
    ? join(path, MARKET_DATA_META)
    : path.replace(FRAMES_SUFFIX, '.meta.json');
  const all = await readMeta(name, metaPath);
  const events = limitMarkets(all.events, options.marketsMax ?? Number.POSITIVE_INFINITY);
  const batches = isFolder
    ? () => rawBatches(path, { listed: all.events, wanted: events })
    : () => parsedBatches(path, tokensOf(all.events, events));
  return {
    ...all,
    name,
    path,
    isRaw: isFolder,
    events,
    marketsLeftOut: countMarkets(all.events) - countMarkets(events),
    batches: () => checkedBatches(path, batches()),
  };
}

/** Better now than when it is played. */
async function checkReadable(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (cause) {
    throw fileError(path, cause);
  }
}

async function readMeta(name: string, metaPath: string): Promise<RecordedMarkets> {
  try {
    return parseMeta(name, await readFile(metaPath, 'utf8'));
  } catch (cause) {
    throw fileError(metaPath, cause);
  }
}

async function* parsedBatches(
  path: string,
  tokens: RecordedTokens,
): AsyncGenerator<CountedBatch, void, undefined> {
  const dates = new FrameDates();
  for await (const batch of lineBatches(path)) {
    const { lines, readPart } = batch;
    const parsed = parseLines(batch, tokens, dates);
    yield { ...parsed, lines: lines.length, garbled: parsed.badLines.length, readPart };
  }
  const frames = dates.rest();
  if (frames.length > 0) yield { frames, badLines: [], lines: 0, garbled: 0, readPart: 1 };
}

/** @throws {BotError} `replay.file` where most of it is unreadable. */
async function* checkedBatches(
  path: string,
  batches: AsyncGenerator<CountedBatch, void, undefined>,
): AsyncGenerator<FrameBatch, void, undefined> {
  let lines = 0;
  let bad = 0;
  for await (const batch of batches) {
    lines += batch.lines;
    bad += batch.garbled;
    if (bad > BAD_LINES_MAX && bad > BAD_SHARE_MAX * lines) {
      const example = batch.badLines[0] ?? 'no line is readable';
      throw new BotError('replay.file', `${path}: ${bad} of ${lines} lines, as ${example}`);
    }
    yield batch;
  }
}

function parseLines(
  { lines, first }: LineBatch,
  tokens: RecordedTokens,
  dates: FrameDates,
): Omit<FrameBatch, 'readPart'> {
  const frames: RecordedFrame[] = [];
  const badLines: string[] = [];
  lines.forEach((line, index) => {
    const place = `line ${first + index}`;
    try {
      if (line === undefined) throw new Error(`is longer than ${LINE_LENGTH_MAX} characters`);
      const frame = line === '' ? undefined : parseFrame(line, tokens);
      if (frame === undefined) return;
      const dated = dates.take(frame, place);
      frames.push(...dated.frames);
      badLines.push(...dated.badLines);
    } catch (cause) {
      badLines.push(`${place}: ${problemOf(cause)}`);
    }
  });
  return { frames, badLines };
}

/** Keeps the first markets over all events; an event that loses them all is not listed. */
export function limitMarkets(events: readonly Event[], marketsMax: number): readonly Event[] {
  let left = marketsMax;
  return events.flatMap((event) => {
    const markets = event.markets.slice(0, Math.max(0, left));
    left -= markets.length;
    return markets.length > 0 ? [{ ...event, markets }] : [];
  });
}

/** Every token of the file, with `undefined` for those of markets that are left out. */
function tokensOf(all: readonly Event[], listed: readonly Event[]): RecordedTokens {
  const tokens = new Map<string, RecordedToken | undefined>();
  for (const { id } of outcomes(all)) tokens.set(id, undefined);
  for (const { id, token } of outcomes(listed)) tokens.set(id, token);
  return tokens;
}

function outcomes(events: readonly Event[]) {
  return events.flatMap(({ grid, markets }) =>
    markets.flatMap(({ yes, no }) =>
      [yes.tokenId, no.tokenId].map((tokenId) => ({ id: tokenId, token: { tokenId, grid } })),
    ),
  );
}

function countMarkets(events: readonly Event[]): number {
  return events.reduce((sum, event) => sum + event.markets.length, 0);
}
