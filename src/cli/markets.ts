// `markets`: events, markets, outcomes, token ids, ticks and statuses of the venue.

import type { Command } from 'commander';
import { EXIT } from '../app/exit.ts';
import { failure } from '../app/preflight.ts';
import { withVenueHttp } from '../app/venue-access.ts';
import type { Event, Market } from '../domain/market.ts';
import type { Listing } from '../venue/http/events.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import {
  CONFIG_DOC,
  CONFIG_FLAG,
  command,
  configured,
  JSON_DOC,
  JSON_FLAG,
  venueAccess,
} from './options.ts';
import { type Column, tableLines } from './table.ts';

type MarketsOptions = {
  readonly config: string;
  readonly search?: string;
  readonly json?: boolean;
};

export function marketsCommand(io: CliIo, finish: Finish): Command {
  return command('markets', 'lists events, markets, outcomes, token ids, tick sizes and statuses')
    .requiredOption(CONFIG_FLAG, CONFIG_DOC)
    .option('--search <text>', 'only events whose title has this text')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: MarketsOptions) => await markets(io, finish, options));
}

async function markets(io: CliIo, finish: Finish, options: MarketsOptions): Promise<void> {
  const { settings } = await configured(io, options.config);
  const query = options.search === undefined ? {} : { search: options.search };
  const listing = await withVenueHttp(
    venueAccess(io, settings),
    async (http) => await http.readAllEvents(query),
  );
  if (listing.kind !== 'ok') {
    complain(io, `the events of ${settings.venue.baseUrl} cannot be read: ${failure(listing)}`);
    finish(EXIT.failed);
    return;
  }
  tellSkipped(io, listing.value);
  const rows = listing.value.events.flatMap((event) => event.markets.map((of) => ({ event, of })));
  const lines = listingLines(rows, io.stdout.isTTY ? (io.stdout.columns ?? 80) : PIPE_WIDTH);
  printResult(io, { json: rows.map(listed), lines }, options);
}

/** A pipe has no width; nothing is cut. */
const PIPE_WIDTH = 10_000;

function tellSkipped(io: CliIo, { skipped }: Listing): void {
  for (const { path, detail } of skipped) complain(io, `left out: ${path}: ${detail}`);
}

type Row = { readonly event: Event; readonly of: Market };

function listed({ event, of }: Row) {
  return {
    event: { id: event.id, slug: event.slug, title: event.title, status: event.status },
    tickSize: event.grid.tickSize,
    market: { id: of.id, title: of.title, status: of.status, enableOrderBook: of.enableOrderBook },
    outcomes: [of.yes, of.no].map(({ name, tokenId, outcomeIndex }) => ({
      name,
      tokenId,
      outcomeIndex,
    })),
  };
}

const COLUMNS: readonly Column[] = [
  { title: 'EVENT', align: 'left' },
  { title: 'MARKET', align: 'left' },
  { title: 'TITLE', align: 'left', shrinks: true },
  { title: 'TICK', align: 'left' },
  { title: 'STATUS', align: 'left' },
];

/** One line for each market, and its token ids below, whole: they are there to be copied. */
function listingLines(rows: readonly Row[], width: number): readonly string[] {
  if (rows.length === 0) return ['no markets'];
  const cells = rows.map(({ event, of }) =>
    [event.slug, of.id, of.title, event.grid.tickSize, of.status].map((text) => ({ text })),
  );
  const [head, ...lines] = tableLines({ columns: COLUMNS, rows: cells }, { width });
  return [head ?? '', ...lines.flatMap((line, index) => [line, ...tokenLines(rows[index])])];
}

function tokenLines(row: Row | undefined): readonly string[] {
  if (!row) return [];
  return [`  YES ${row.of.yes.tokenId}`, `  NO  ${row.of.no.tokenId}`];
}
