// `markets`: events, markets, outcomes, token ids, ticks and statuses of the venue.

import type { Command } from 'commander';
import { EXIT } from '../app/exit.ts';
import { failure } from '../app/preflight.ts';
import { type SelectedNow, selectedNow } from '../app/selected-now.ts';
import { withVenueHttp } from '../app/venue-access.ts';
import type { Event, Market } from '../domain/market.ts';
import type { Listing } from '../venue/http/events.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { configured, venueAccess } from './options.ts';
import { selectionText } from './selection-lines.ts';
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
  const access = venueAccess(io, settings);
  const { listing, selected } = await withVenueHttp(access, async (http) => ({
    listing: await http.readAllEvents(query),
    selected: await selectedNow(http, settings, access),
  }));
  if (listing.kind !== 'ok') {
    complain(io, `the events of ${settings.venue.baseUrl} cannot be read: ${failure(listing)}`);
    finish(EXIT.failed);
    return;
  }
  tellSkipped(io, listing.value);
  const rows = listing.value.events.flatMap((event) => event.markets.map((of) => ({ event, of })));
  if (selected.failed) complain(io, `markets[].select: ${failure(selected.failed)}`);
  const chosen = quotedBy(selected);
  const width = io.stdout.isTTY ? (io.stdout.columns ?? 80) : PIPE_WIDTH;
  const lines = [
    ...listingLines(rows, chosen, width),
    ...selected.views.map((view) => `select ${selectionText(view)}`),
  ];
  printResult(io, { json: rows.map((row) => listed(row, chosen)), lines }, options);
}

/** A pipe has no width; nothing is cut. */
const PIPE_WIDTH = 10_000;

function tellSkipped(io: CliIo, { skipped }: Listing): void {
  for (const { path, detail } of skipped) complain(io, `left out: ${path}: ${detail}`);
}

type Row = { readonly event: Event; readonly of: Market };

type QuotedBy = (row: Row) => 'name' | 'select' | undefined;

/** How the configuration chooses a market, if it does. */
function quotedBy({ settings, views }: SelectedNow): QuotedBy {
  const selected = new Set(views.flatMap(({ events }) => events));
  return ({ event, of }) => {
    const choice = settings.markets.find(
      (each) =>
        (each.event === event.slug || each.event === event.id) &&
        (each.market === undefined || each.market === of.id),
    );
    if (choice === undefined) return undefined;
    return selected.has(choice.event) ? 'select' : 'name';
  };
}

function listed(row: Row, chosen: QuotedBy) {
  const { event, of } = row;
  return {
    quotedBy: chosen(row) ?? null,
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
  { title: 'QUOTED BY', align: 'left' },
];

/** One line for each market, and its token ids below, whole: they are there to be copied. */
function listingLines(rows: readonly Row[], chosen: QuotedBy, width: number): readonly string[] {
  if (rows.length === 0) return ['no markets'];
  const cells = rows.map((row) => {
    const { event, of } = row;
    const texts = [event.slug, of.id, of.title, event.grid.tickSize, of.status, chosen(row) ?? ''];
    return texts.map((text) => ({ text }));
  });
  const [head, ...lines] = tableLines({ columns: COLUMNS, rows: cells }, { width });
  return [head ?? '', ...lines.flatMap((line, index) => [line, ...tokenLines(rows[index])])];
}

function tokenLines(row: Row | undefined): readonly string[] {
  if (!row) return [];
  return [`  YES ${row.of.yes.tokenId}`, `  NO  ${row.of.no.tokenId}`];
}
