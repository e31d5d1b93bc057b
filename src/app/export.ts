// Recorded market data as tables that others read: `incremental_book_L2` and `trades` with the columns of Tardis.dev.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BotError } from '../domain/errors.ts';
import type { TokenId } from '../domain/ids.ts';
import type { BookSide, Level, VenueMessage } from '../domain/message.ts';
import type { Side } from '../domain/order.ts';
import { MICRO_PER_SHARE, type MicroShares } from '../domain/shares.ts';
import type { Ticks } from '../domain/ticks.ts';
import type { UnixMs } from '../domain/time.ts';
import { rawMessages } from '../paper/crowd/raw-recording.ts';
import type { RecordedFrame } from '../paper/crowd/recorded-frame.ts';
import { openRecording, type Recording } from '../paper/crowd/recording.ts';
import { tokenLookup } from '../wire/tokens.ts';
import { CsvFile } from './csv-file.ts';
import { type ParquetColumn, ParquetFile, type ParquetValue } from './parquet.ts';

export type ExportOptions = {
  /** A file of frames, or a folder of `bookend record`. */
  readonly recording: string;
  readonly out: string;
  readonly formats: readonly ('csv' | 'parquet')[];
  /** What stands in the column `exchange`. */
  readonly exchange: string;
  readonly onProgress: (rows: number) => void;
};

export type Exported = {
  readonly files: readonly string[];
  readonly bookRows: number;
  readonly trades: number;
  readonly badLines: number;
  readonly badLineExamples: readonly string[];
};

const BOOK = 'incremental_book_L2';
const TRADES = 'trades';
const HEAD: readonly ParquetColumn[] = [
  { name: 'exchange', kind: 'text' },
  { name: 'symbol', kind: 'text' },
  { name: 'timestamp', kind: 'time' },
  { name: 'local_timestamp', kind: 'time' },
];
const TAIL: readonly ParquetColumn[] = [
  { name: 'side', kind: 'text' },
  { name: 'price', kind: 'number' },
  { name: 'amount', kind: 'number' },
];
const BOOK_COLUMNS = [...HEAD, { name: 'is_snapshot', kind: 'flag' } as const, ...TAIL];
const TRADE_COLUMNS = [...HEAD, { name: 'id', kind: 'text' } as const, ...TAIL];
const BAD_EXAMPLES_MAX = 5;

/** A change of a book or a trade, from either kind of recording. */
type Told = {
  readonly message: VenueMessage;
  /** When it was received; as far as a file of frames knows, when it was sent. */
  readonly atMs: UnixMs;
};

/**
 * Writes the tables of a recording. Books are those of the frames: what a reader makes of gaps is his business. Every
 * connection begins with snapshots, and so does what stands behind a hole of the recording.
 *
 * @throws {BotError} `replay.file` for a recording that cannot be read, `settings.invalid` where nothing can be written.
 */
export async function exportRecording(options: ExportOptions): Promise<Exported> {
  const recording = await openRecording(options.recording);
  await mkdir(options.out, { recursive: true }).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BotError('settings.invalid', `--out ${options.out}: is no folder (${why})`, {
      cause,
    });
  });
  const tables = new Tables(options, recording);
  try {
    for await (const batch of toldBy(recording)) {
      tables.bad(batch.badLines);
      for (const stamped of batch.messages) await tables.take(stamped);
      options.onProgress(tables.rows);
    }
    return await tables.close();
  } catch (error) {
    tables.abandon();
    throw error;
  }
}

type ToldBatch = { readonly messages: readonly Told[]; readonly badLines: readonly string[] };

async function* toldBy(recording: Recording): AsyncGenerator<ToldBatch, void, undefined> {
  if (recording.isRaw) {
    yield* rawMessages(recording.path, recording.events);
    return;
  }
  for await (const { frames, badLines } of recording.batches()) {
    yield { messages: frames.flatMap(toldByFrame), badLines };
  }
}

function toldByFrame(frame: RecordedFrame): readonly Told[] {
  const { atMs } = frame;
  const venueTs = atMs;
  switch (frame.kind) {
    case 'snapshot':
      return [{ atMs, message: { ...frame, kind: 'bookSnapshot', venueTs } }];
    case 'delta':
      return [{ atMs, message: { ...frame, kind: 'bookDelta', venueTs } }];
    case 'trade':
      return [{ atMs, message: { ...frame, kind: 'trade', venueTs } }];
    default:
      return [];
  }
}

class Tables {
  readonly #options: ExportOptions;
  readonly #grids: ReturnType<typeof tokenLookup>;
  readonly #book: readonly TableFile[];
  readonly #trades: readonly TableFile[];
  readonly #files: string[] = [];
  #bookRows = 0;
  #tradeRows = 0;
  #badLines = 0;
  #badLineExamples: readonly string[] = [];

  constructor(options: ExportOptions, { events }: Recording) {
    this.#options = options;
    this.#grids = tokenLookup(events);
    this.#book = this.#open(BOOK, BOOK_COLUMNS);
    this.#trades = this.#open(TRADES, TRADE_COLUMNS);
  }

  get rows(): number {
    return this.#bookRows + this.#tradeRows;
  }

  async take({ message, atMs }: Told): Promise<void> {
    switch (message.kind) {
      case 'bookSnapshot':
        await this.#snapshot(message, atMs);
        return;
      case 'bookDelta':
        await this.#level(message, { ...message, atMs, isSnapshot: false });
        return;
      case 'trade':
        // `last_trade_price` tells of a settlement, which came as a trade when it matched.
        if (message.takerSide !== undefined) {
          await this.#trade({ ...message, takerSide: message.takerSide }, atMs);
        }
        return;
      default:
    }
  }

  bad(lines: readonly string[]): void {
    this.#badLines += lines.length;
    this.#badLineExamples = [...this.#badLineExamples, ...lines].slice(0, BAD_EXAMPLES_MAX);
  }

  async close(): Promise<Exported> {
    for (const file of [...this.#book, ...this.#trades]) await file.close();
    return {
      files: this.#files,
      ...{ bookRows: this.#bookRows, trades: this.#tradeRows },
      ...{ badLines: this.#badLines, badLineExamples: this.#badLineExamples },
    };
  }

  abandon(): void {
    for (const file of [...this.#book, ...this.#trades]) file.abandon();
  }

  #open(name: string, columns: readonly ParquetColumn[]): readonly TableFile[] {
    const { formats, out } = this.#options;
    return formats.map((format) => {
      const path = join(out, format === 'csv' ? `${name}.csv.gz` : `${name}.parquet`);
      this.#files.push(path);
      return format === 'csv' ? new CsvFile(path, columns) : new ParquetFile(path, columns);
    });
  }

  async #snapshot(
    book: Extract<VenueMessage, { kind: 'bookSnapshot' }>,
    atMs: UnixMs,
  ): Promise<void> {
    const of = { ...book, atMs, isSnapshot: true };
    for (const level of book.bids) await this.#level(level, { ...of, side: 'bid' });
    for (const level of book.asks) await this.#level(level, { ...of, side: 'ask' });
  }

  async #level(
    level: Level,
    of: Stamped & { readonly side: BookSide; readonly isSnapshot: boolean },
  ): Promise<void> {
    this.#bookRows += 1;
    const row = [...this.#head(of), of.isSnapshot, of.side, ...this.#amounts(of.tokenId, level)];
    for (const file of this.#book) await file.add(row);
  }

  async #trade(trade: Omit<Stamped, 'atMs'> & Level & { takerSide: Side }, atMs: UnixMs) {
    this.#tradeRows += 1;
    const side = trade.takerSide === 'BUY' ? 'buy' : 'sell';
    const row = [
      ...this.#head({ ...trade, atMs }),
      ...['', side],
      ...this.#amounts(trade.tokenId, trade),
    ];
    for (const file of this.#trades) await file.add(row);
  }

  #head({ tokenId, venueTs, atMs }: Stamped): readonly ParquetValue[] {
    return [this.#options.exchange, tokenId, new Date(venueTs ?? atMs), new Date(atMs)];
  }

  #amounts(
    tokenId: TokenId,
    { price, size }: { readonly price: Ticks; readonly size: MicroShares },
  ): readonly number[] {
    const ticksPerUnit = this.#grids.gridOf(tokenId)?.ticksPerUnit ?? Number.NaN;
    return [price / ticksPerUnit, size / MICRO_PER_SHARE];
  }
}

type Stamped = {
  readonly tokenId: TokenId;
  /** The venue's own stamp. */
  readonly venueTs: UnixMs | undefined;
  readonly atMs: UnixMs;
};

type TableFile = {
  /** Waits where the disk is slow. */
  add(row: readonly ParquetValue[]): Promise<void>;
  close(): Promise<void>;
  abandon(): void;
};
