// What is recorded of a real venue's public feeds: every text and answer as it came, and beside them the listed
// markets, who won, and every book as the frames make it, so that any segment can be read alone.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BotError } from '../domain/errors.ts';
import type { TokenId } from '../domain/ids.ts';
import { jsonOr } from '../domain/json.ts';
import type { Event } from '../domain/market.ts';
import { MARKET_DATA_META } from '../domain/market-data.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { Clock } from '../domain/time.ts';
import { cannotWrite, errorCode, writeWhole } from '../journal/files.ts';
import { type Lock, lockJournal } from '../journal/lock.ts';
import {
  type MarketRecorder,
  type MarketRecorderStats,
  openMarketRecorder,
} from '../journal/market-recorder.ts';
import { segmentBytesFor } from '../journal/segment-folder.ts';
import type { PublicVenueOptions } from '../venue/public-venue.ts';
import { FrameBooks } from './frame-books.ts';

export type MarketTapOptions = {
  readonly folder: string;
  /** Of all files of the recording together. */
  readonly bytesMax: number;
  /** Beyond that the oldest segments go, or nothing more is recorded. */
  readonly whenFull: 'drop' | 'stop';
  /** Base address: one recording is of one venue. */
  readonly venue: string;
  readonly clock: Clock;
  /** Another recorder has taken the folder. */
  readonly onLost: (detail: string) => void;
};

export type MarketTap = Required<Pick<PublicVenueOptions, 'onText' | 'onAnswer'>> & {
  message(message: VenueMessage): void;
  /** What is recorded, as the venue lists it now. */
  listed(events: readonly Event[]): void;
  resolved(winner: TokenId): void;
  stats(): MarketRecorderStats;
  close(): Promise<void>;
};

/** As the recording of another run has it; what else stands there is kept. */
const metaShape = z.object({
  venue: z.string(),
  events: z.array(
    z.object({ id: z.string(), markets: z.array(z.object({ id: z.string() }).loose()) }).loose(),
  ),
  winningTokenIds: z.array(z.string()),
  firstTs: z.number(),
});
type ListedEvent = z.infer<typeof metaShape>['events'][number];
const META_LENGTH_MAX = 32 * 1024 * 1024;

/** What of a tap its client of the venue calls. */
export function tapped(
  tap: MarketTap | undefined,
): Pick<PublicVenueOptions, 'onText' | 'onAnswer'> {
  return tap === undefined ? {} : { onText: tap.onText, onAnswer: tap.onAnswer };
}

/**
 * Opens the recording in a folder, or goes on with the one that is there.
 * @throws {BotError} `journal.write` when it cannot be written, `journal.busy` while another process records there,
 *   `settings.invalid` for a recording of another venue.
 */
export async function openMarketTap(options: MarketTapOptions): Promise<MarketTap> {
  const { folder, bytesMax, whenFull, clock, onLost } = options;
  const journal = join(folder, 'recording');
  const lock = await lockJournal({ journal, clock, onLost });
  try {
    const meta = await MetaFile.open(options);
    const books = new FrameBooks(() => clock.nowMs());
    const recorder = await openMarketRecorder({
      ...{ folder, bytesMax, whenFull, nowMs: () => clock.nowMs() },
      segmentBytesMax: segmentBytesFor(bytesMax),
      books: () => books.snapshots(),
    });
    return tapOf({ recorder, books, meta, lock });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

type Parts = {
  readonly recorder: MarketRecorder;
  readonly books: FrameBooks;
  readonly meta: MetaFile;
  readonly lock: Lock;
};

function tapOf({ recorder, books, meta, lock }: Parts): MarketTap {
  let segment = recorder.stats().segment;
  return {
    // The text first: where a segment begins with it, the books are those before it.
    onText: (text) => {
      recorder.text(text);
      if (recorder.stats().segment === segment) return;
      segment = recorder.stats().segment;
      meta.save();
    },
    onAnswer: (answer) => recorder.answer(answer),
    message: (message) => {
      books.take(message);
      if (message.kind === 'socketLost') recorder.gap(`socket lost: ${message.reason}`);
    },
    listed: (events) => {
      books.know(events);
      meta.list(events);
    },
    resolved: (winner) => meta.win(winner),
    stats: () => recorder.stats(),
    close: async () => {
      await recorder.close();
      await meta.close();
      await lock.release();
    },
  };
}

/** What stands beside the segments. One that cannot be written is written again with the next change. */
class MetaFile {
  readonly #options: MarketTapOptions;
  readonly #firstTs: number;
  readonly #events: Map<string, ListedEvent>;
  readonly #winners: Set<string>;
  #written = '';
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: MarketTapOptions, before: z.infer<typeof metaShape> | undefined) {
    this.#options = options;
    this.#firstTs = before?.firstTs ?? options.clock.nowMs();
    this.#events = new Map(before?.events.map((event) => [event.id, event]));
    this.#winners = new Set(before?.winningTokenIds);
  }

  static async open(options: MarketTapOptions): Promise<MetaFile> {
    const path = join(options.folder, MARKET_DATA_META);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw cannotWrite(path, error);
    });
    if (text === undefined) return new MetaFile(options, undefined);
    const { data } = metaShape.safeParse(jsonOr(text, META_LENGTH_MAX));
    if (data?.venue === options.venue) return new MetaFile(options, data);
    const is = data === undefined ? 'no recording of market data' : `a recording of ${data.venue}`;
    throw new BotError('settings.invalid', `${options.folder} has ${is}: name another folder`);
  }

  list(events: readonly Event[]): void {
    for (const event of events) {
      const known = this.#events.get(event.id) ?? { ...venueShaped(event), markets: [] };
      const ids = new Set(known.markets.map(({ id }) => id));
      // What is known of a market first is what its frames were read by.
      const fresh = venueShaped(event).markets.filter(({ id }) => !ids.has(id));
      this.#events.set(event.id, { ...known, markets: [...known.markets, ...fresh] });
    }
    this.#save('changed');
  }

  win(winner: TokenId): void {
    this.#winners.add(winner);
    this.#save('changed');
  }

  /** When the recording was still going on, for whoever shows how far it is. */
  save(): void {
    this.#save('later');
  }

  async close(): Promise<void> {
    this.#save('later');
    await this.#writing;
  }

  #save(why: 'changed' | 'later'): void {
    const { venue, folder, clock } = this.#options;
    const said = {
      ...{ venue, events: [...this.#events.values()], winningTokenIds: [...this.#winners] },
      firstTs: this.#firstTs,
    };
    const key = JSON.stringify(said);
    if (why === 'changed' && key === this.#written) return;
    this.#written = key;
    const text = `${JSON.stringify({ ...said, lastTs: clock.nowMs() }, undefined, 1)}\n`;
    this.#writing = this.#writing
      .then(async () => await writeWhole(join(folder, MARKET_DATA_META), text))
      .catch(() => {
        this.#written = '';
      });
  }
}

/** As the venue lists it: the shape that readers of recordings know. */
function venueShaped({ id, slug, title, category, grid, markets }: Event) {
  return {
    ...{ id, slug, title, category, tickSize: grid.tickSize },
    markets: markets.map(({ id: market, title: name, yes, no }) => ({
      ...{ id: market, title: name },
      outcomes: [no, yes],
    })),
  };
}
