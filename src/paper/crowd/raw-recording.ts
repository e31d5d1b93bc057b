// A folder of raw market data as `bookend record` writes it, played as what its frames make of books and trades. What
// a gap leaves unknown is a pause: the market trades again when both its books have come anew. So it stays where its
// tick size changes, since none of its frames can be read from there on: every other market goes on.

import { type TokenId, tokenId } from '../../domain/ids.ts';
import type { Event } from '../../domain/market.ts';
import type { MarketDataLine } from '../../domain/market-data.ts';
import type { VenueMessage } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { parseBook } from '../../wire/books.ts';
import { parseEnvelope } from '../../wire/envelope.ts';
import { parseEvent, parseEventsPage } from '../../wire/events.ts';
import { parseFrame } from '../../wire/frames.ts';
import { type TokenLookup, tokenLookup } from '../../wire/tokens.ts';
import { problemOf } from './file-error.ts';
import { LiveMirror, type MirrorDesk } from './live.ts';
import type { CountedBatch, RecordedFrame } from './recorded-frame.ts';
import { type Segment, type SegmentLine, segmentsIn } from './segments.ts';

/** Frames that are handed on at a time; a segment has some hundred thousand. */
const BATCH_FRAMES = 500;

/**
 * Its frames from the beginning.
 *
 * @param listed - All events of the recording, whose frames can be read.
 * @param wanted - Those that are played.
 * @throws {BotError} `replay.file` for a damaged segment.
 */
export async function* rawBatches(
  folder: string,
  { listed, wanted }: { readonly listed: readonly Event[]; readonly wanted: readonly Event[] },
): AsyncGenerator<CountedBatch, void, undefined> {
  const player = new RawPlayer(listed, wanted);
  for await (const segment of segmentsIn(folder)) {
    let badLines = [...segment.badLines];
    let garbled = badLines.length;
    let lines = garbled;
    player.begin(segment);
    for (const [index, each] of segment.lines.entries()) {
      lines += 1;
      badLines.push(...player.take(each));
      if (player.waiting < BATCH_FRAMES) continue;
      const part = (index + 1) / segment.lines.length;
      const readPart = segment.partBefore + part * segment.part;
      yield { frames: player.frames(), badLines, lines, garbled, readPart };
      [badLines, lines, garbled] = [[], 0, 0];
    }
    const readPart = segment.partBefore + segment.part;
    yield { frames: player.frames(), badLines, lines, garbled, readPart };
  }
}

/** What the venue said, and when it came. */
export type RawMessages = {
  readonly messages: readonly { readonly atMs: UnixMs; readonly message: VenueMessage }[];
  readonly badLines: readonly string[];
};

/** The same recording as it came, whatever its gaps leave unknown: for an export. @throws {BotError} `replay.file` */
export async function* rawMessages(
  folder: string,
  listed: readonly Event[],
): AsyncGenerator<RawMessages, void, undefined> {
  const reader = new RawReader(tokenLookup(listed));
  for await (const segment of segmentsIn(folder)) {
    const { lines, badLines } = segment;
    reader.begin(segment);
    yield { messages: [], badLines };
    for (let from = 0; from < lines.length; from += BATCH_FRAMES) {
      const read = lines.slice(from, from + BATCH_FRAMES).map((line) => reader.take(line));
      yield {
        messages: read.flatMap(({ messages }) => messages),
        badLines: read.flatMap((each) => each.badLines),
      };
    }
  }
}

/** What was said, and of the books between only those that nothing else tells of: behind a hole, or at the begin. */
class RawReader {
  readonly #lookup: TokenLookup;
  readonly #holes = new Holes();
  /** Tokens whose whole book has come since the last hole. */
  readonly #based = new Set<TokenId>();

  constructor(lookup: TokenLookup) {
    this.#lookup = lookup;
  }

  begin(segment: Segment): void {
    if (this.#holes.before(segment) !== undefined) this.#based.clear();
  }

  take({ line, place }: SegmentLine): RawMessages {
    if (this.#holes.at(line) !== undefined) this.#based.clear();
    if (line.kind !== 'text' && line.kind !== 'book') return { messages: [], badLines: [] };
    const said = messagesIn(line.text, this.#lookup);
    const messages = said.filter((message) => line.kind === 'text' || this.#isNews(message));
    for (const message of messages) {
      if (message.kind === 'bookSnapshot') this.#based.add(message.tokenId);
    }
    const { atMs } = line;
    return {
      messages: messages.map((message) => ({ atMs, message })),
      badLines: complaintsOf(said, place),
    };
  }

  #isNews(message: VenueMessage): boolean {
    return message.kind === 'bookSnapshot' && !this.#based.has(message.tokenId);
  }
}

/** Where lines do not follow on those before them. */
class Holes {
  #run: string | undefined;
  #segment: number | undefined;

  /** @returns Why, where something is missing before a segment. */
  before({ segment }: Segment): string | undefined {
    const isNext = this.#segment === undefined || segment === this.#segment + 1;
    this.#segment = segment;
    return isNext ? undefined : `the segments before ${segment} are missing`;
  }

  /** @returns Why, where something is missing before or at a line. */
  at(line: SegmentLine['line']): string | undefined {
    if (line.kind === 'gap') return line.why;
    if (line.kind !== 'segment') return undefined;
    const isOther = this.#run !== undefined && this.#run !== line.run;
    this.#run = line.run;
    return isOther ? 'another run' : undefined;
  }
}

function messagesIn(text: string, lookup: TokenLookup): readonly VenueMessage[] {
  return parseFrame(text, lookup).flatMap((frame) =>
    frame.kind === 'messages' ? frame.messages : [],
  );
}

/** Books and trades that cannot be read, as on another grid. */
function complaintsOf(messages: readonly VenueMessage[], place: string): readonly string[] {
  return messages.flatMap((message) => {
    const isLost =
      message.kind === 'bookUnreadable' ||
      (message.kind === 'unrecognised' && message.frameType === 'trade.executed');
    return isLost ? [`${place}: ${message.detail}`] : [];
  });
}

/** Mirrors what was recorded onto a list of frames. */
class RawPlayer {
  readonly #lookup: TokenLookup;
  readonly #mirror: LiveMirror;
  readonly #grids: ReadonlyMap<string, Event['grid']>;
  #frames: RecordedFrame[] = [];
  #atMs: UnixMs | undefined;
  readonly #holes = new Holes();

  constructor(listed: readonly Event[], wanted: readonly Event[]) {
    this.#lookup = tokenLookup(listed);
    this.#grids = new Map(wanted.map(({ id, grid }) => [id, grid]));
    const desk = frameDesk(wanted, (frame) => {
      // Every market is paused until its books have come, which the first line dates.
      if (this.#atMs === undefined) this.#early.push(frame);
      else this.#frames.push(frame(this.#atMs));
    });
    this.#mirror = new LiveMirror({
      ...{ desk, events: wanted, trader: 'nobody' },
      ...{ onGap: () => undefined, onOpen: () => undefined },
    });
  }

  readonly #early: FrameAt[] = [];

  get waiting(): number {
    return this.#frames.length;
  }

  frames(): readonly RecordedFrame[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  begin(segment: Segment): void {
    this.#lose(this.#holes.before(segment));
  }

  /** @returns What is wrong with the line. */
  take({ line, place }: SegmentLine): readonly string[] {
    this.#atMs = line.atMs;
    for (const frame of this.#early.splice(0)) this.#frames.push(frame(line.atMs));
    this.#lose(this.#holes.at(line));
    switch (line.kind) {
      case 'segment':
      case 'gap':
        return [];
      case 'answer':
        return this.#answer(line, place);
      default:
        return this.#text(line.text, place);
    }
  }

  #lose(reason: string | undefined): void {
    if (reason !== undefined) this.#mirror.take({ kind: 'socketLost', reason });
  }

  #text(text: string, place: string): readonly string[] {
    const messages = messagesIn(text, this.#lookup);
    for (const message of messages) this.#mirror.take(message);
    return complaintsOf(messages, place);
  }

  #answer(
    { path, status, body }: Extract<MarketDataLine, { kind: 'answer' }>,
    place: string,
  ): readonly string[] {
    if (status !== 200 || body === undefined) return [];
    const envelope = parseEnvelope(body);
    if (envelope.kind !== 'success') return [];
    try {
      if (path.includes('/orderbook/')) this.#book(path, envelope.data);
      else if (!path.includes('/resolution')) this.#catalogue(path, envelope.data);
      return [];
    } catch (error) {
      return [`${place}: ${problemOf(error)}`];
    }
  }

  /** Where no snapshot has come, a read is as good. */
  #book(path: string, data: unknown): void {
    const named = /\/orderbook\/(0x[0-9a-f]+)/i.exec(path)?.[1];
    const token = named === undefined ? undefined : tokenId(named);
    const grid = token === undefined ? undefined : this.#lookup.gridOf(token);
    if (token === undefined || grid === undefined) return;
    if (this.#mirror.missing().includes(token)) this.#mirror.base(token, parseBook(data, grid));
  }

  /** A market that has closed trades no more. On another grid none of its frames can be read. */
  #catalogue(path: string, data: unknown): void {
    const isOne = /\/events\/[^/?]+/.test(path);
    const events = isOne ? [parseEvent(data).event] : parseEventsPage(data).items;
    for (const event of events) {
      const grid = this.#grids.get(event.id);
      if (grid !== undefined) this.#mirror.listed({ ...event, grid });
    }
  }
}

type FrameAt = (atMs: UnixMs) => RecordedFrame;

/** Where a mirror would lay books before an exchange, frames come out. */
function frameDesk(events: readonly Event[], emit: (frame: FrameAt) => void): MirrorDesk {
  const markets = events.flatMap((event) => event.markets);
  const yesOf = new Map(markets.map(({ id, yes }) => [id, yes.tokenId]));
  return {
    setRecordedLevel: (token, side, price, size) =>
      emit((atMs) => ({ kind: 'delta', atMs, tokenId: token, side, price, size })),
    printRecordedTrade: (token, price, size, takerSide) =>
      emit((atMs) => ({ kind: 'trade', atMs, tokenId: token, price, size, takerSide })),
    setTradingStatus: (marketId, status) => {
      const yes = yesOf.get(marketId);
      if (yes !== undefined) emit((atMs) => ({ kind: 'status', atMs, tokenId: yes, status }));
    },
    cancelAll: () => 0,
    // Neither is asked for: winners stand beside the recording, and its grid stays.
    regrid: () => undefined,
    resolve: () => undefined,
  };
}
