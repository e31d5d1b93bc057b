// Raw market data on the disk, in segments, within a bound. It never stands in the way of who gives it lines: a slow
// or full disk costs lines, which are counted, and the recording says where.

import { createHash } from 'node:crypto';
import type { MarketDataLine } from '../domain/market-data.ts';
import { MARKET_DATA_FORMAT } from '../domain/market-data.ts';
import { redactedJson } from '../domain/redact.ts';
import type { UnixMs } from '../domain/time.ts';
import { type SegmentFolder, type SegmentFolderOptions, segmentFolder } from './segment-folder.ts';

export type MarketRecorderOptions = SegmentFolderOptions & {
  /** Beyond `bytesMax` the oldest segments go, or the recording ends. */
  readonly nowMs: () => UnixMs;
  /** Every book as it is now, as the venue would send it. */
  readonly books: () => readonly string[];
  /** After a fault the disk is left alone this long. */
  readonly faultPauseMs?: number;
};

export type MarketRecorderStats = {
  readonly texts: number;
  readonly answers: number;
  readonly gaps: number;
  /** Lines that are in no file. */
  readonly linesLost: number;
  readonly lastFault: string | undefined;
  readonly segment: number;
  readonly segmentsDropped: number;
  /** On the disk now. */
  readonly bytes: number;
  /** What it may take is taken, and it is to end then: nothing more is recorded. */
  readonly isFull: boolean;
};

export interface MarketRecorder {
  /** None of these throws or waits. */
  text(text: string): void;
  answer(answer: { readonly path: string; readonly status: number; readonly body: string }): void;
  /** What comes from here on does not follow on what came before. */
  gap(why: string): void;
  stats(): MarketRecorderStats;
  /** Writes what is waiting, and closes the segment. */
  close(): Promise<void>;
}

/** Lines that wait for the disk: some seconds of the busiest books. */
const WAITING_CHARS_MAX = 16_000_000;
const FAULT_PAUSE_MS = 5_000;
/** Answers that are known by their path; the catalogue and two books of each market. */
const PATHS_MAX = 10_000;

/** The books that a segment begins with are no larger a part of it than one in so many. */
const BOOKS_PART = 2;

/** What waits for the disk: lines of one segment, or the end of it. */
type Waiting =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'next'; readonly segment: number; readonly segmentBytes: number };

/**
 * Opens a recording in a folder, and goes on with the one that is there.
 * @throws {BotError} `journal.write` when the folder cannot be written.
 */
export async function openMarketRecorder(options: MarketRecorderOptions): Promise<MarketRecorder> {
  return new SegmentRecorder(await segmentFolder(options), options);
}

class SegmentRecorder implements MarketRecorder {
  readonly #folder: SegmentFolder;
  readonly #options: MarketRecorderOptions;
  readonly #run: string;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  /** Of the segment that the next line goes to, as far as it is known. */
  #segmentChars = 0;
  /** At which it ends. */
  #segmentCharsMax: number;
  #segment: number;
  readonly #lastAnswers = new Map<string, string>();
  /** Lines that are missing where the next one goes. */
  #missing = 0;
  #missingWhy = '';
  #pausedUntil = 0;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #isFull = false;
  #texts = 0;
  #answers = 0;
  #gaps = 0;
  #linesLost = 0;
  #lastFault: string | undefined;

  constructor(folder: SegmentFolder, options: MarketRecorderOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#run = `${options.nowMs()}-${process.pid}`;
    this.#segment = folder.nextSegment;
    this.#segmentCharsMax = options.segmentBytesMax;
    this.#begin();
  }

  text(text: string): void {
    this.#texts += 1;
    this.#take({ kind: 'text', atMs: this.#options.nowMs(), text });
  }

  answer({ path, status, body }: Parameters<MarketRecorder['answer']>[0]): void {
    this.#answers += 1;
    const sum = `${status} ${createHash('sha256').update(body).digest('base64')}`;
    const isSame = this.#lastAnswers.get(path) === sum;
    if (this.#lastAnswers.size >= PATHS_MAX) this.#lastAnswers.clear();
    const answer = { kind: 'answer', atMs: this.#options.nowMs(), path, status } as const;
    this.#take(isSame ? answer : { ...answer, body });
    this.#lastAnswers.set(path, sum);
  }

  gap(why: string): void {
    if (this.#isClosed) return;
    this.#gaps += 1;
    this.#take({ kind: 'gap', atMs: this.#options.nowMs(), why, lines: 0 });
    // Behind it a reader looks for whole answers.
    this.#lastAnswers.clear();
  }

  stats(): MarketRecorderStats {
    return {
      ...{ texts: this.#texts, answers: this.#answers, gaps: this.#gaps },
      ...{ linesLost: this.#linesLost, lastFault: this.#lastFault, isFull: this.#isFull },
      segment: this.#folder.segment,
      segmentsDropped: this.#folder.dropped,
      bytes: this.#folder.bytes,
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#pausedUntil = 0;
    if (this.#missing > 0) this.#resume();
    this.#isClosed = true;
    await this.#writing;
    if (this.#waiting.length > 0) await this.#writeAll();
    await this.#folder.close();
  }

  #take(line: MarketDataLine): void {
    if (this.#isClosed || this.#isFull) return;
    if (this.#waitingChars > WAITING_CHARS_MAX) {
      this.#miss(1, 'the disk is slow');
      return;
    }
    if (this.#missing > 0) this.#resume();
    if (this.#segmentChars >= this.#segmentCharsMax) this.#next();
    this.#push(line);
  }

  /** Nothing was missed but by the disk, so that all books are known behind it. */
  #resume(): void {
    const atMs = this.#options.nowMs();
    this.#gaps += 1;
    this.#push({ kind: 'gap', atMs, why: this.#missingWhy, lines: this.#missing });
    this.#missing = 0;
    this.#lastAnswers.clear();
    this.#pushBooks();
  }

  #next(): void {
    this.#segment += 1;
    const books = this.#options.books();
    const booksChars = books.reduce((sum, text) => sum + text.length, 0);
    this.#segmentCharsMax = Math.max(this.#options.segmentBytesMax, BOOKS_PART * booksChars);
    const segmentBytes = this.#segmentCharsMax;
    this.#waiting.push({ kind: 'next', segment: this.#segment, segmentBytes });
    this.#begin();
    this.#pushBooks(books);
  }

  #begin(): void {
    this.#segmentChars = 0;
    this.#lastAnswers.clear();
    const [atMs, segment] = [this.#options.nowMs(), this.#segment];
    this.#push({ kind: 'segment', format: MARKET_DATA_FORMAT, segment, run: this.#run, atMs });
  }

  #pushBooks(books = this.#options.books()): void {
    const atMs = this.#options.nowMs();
    for (const text of books) this.#push({ kind: 'book', atMs, text });
  }

  #push(line: MarketDataLine): void {
    const text = `${redactedJson(JSON.stringify(line))}\n`;
    this.#waiting.push({ kind: 'line', text });
    this.#waitingChars += text.length;
    this.#segmentChars += text.length;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isClosed || this.#waiting.length === 0) return;
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Lines of the same turn of the event loop go in one write.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#waitingChars = 0;
      if (performance.now() < this.#pausedUntil) this.#lose(waiting);
      else await this.#write(waiting);
    }
    // In the turn of the last look: no line comes between the two.
    this.#writing = undefined;
  }

  /** Up to the end of a segment, and on in the next. */
  async #write(waiting: readonly Waiting[]): Promise<void> {
    let from = 0;
    try {
      while (from < waiting.length) {
        const to = waiting.findIndex(({ kind }, index) => index >= from && kind === 'next');
        const lines = waiting.slice(from, to < 0 ? waiting.length : to);
        await this.#folder.append(lines.flatMap(textsOf));
        from += lines.length;
        const next = waiting[from];
        if (next?.kind !== 'next') continue;
        this.#isFull ||= !(await this.#folder.next(next.segment, next.segmentBytes));
        from += 1;
      }
    } catch (error) {
      this.#lastFault = String(error);
      this.#pausedUntil = performance.now() + (this.#options.faultPauseMs ?? FAULT_PAUSE_MS);
      this.#lose(waiting.slice(from));
    }
  }

  #lose(waiting: readonly Waiting[]): void {
    this.#miss(waiting.flatMap(textsOf).length, this.#lastFault ?? 'the disk is left alone');
  }

  #miss(lines: number, why: string): void {
    this.#missing += lines;
    this.#linesLost += lines;
    this.#missingWhy = why;
  }
}

function textsOf(waiting: Waiting): readonly string[] {
  return waiting.kind === 'line' ? [waiting.text] : [];
}
