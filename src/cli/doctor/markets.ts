// The configured markets as the venue has them now: status, tick size, books.

import { failure } from '../../app/preflight.ts';
import { type SelectedNow, selectedNow } from '../../app/selected-now.ts';
import { type VenueAccess, venueHttpOptions } from '../../app/venue-access.ts';
import type { Event, Market } from '../../domain/market.ts';
import type { Level, ReadOutcome } from '../../domain/message.ts';
import { formatPrice, type TickGrid } from '../../domain/ticks.ts';
import type { NamedMarket } from '../../settings/markets.ts';
import type { NamedSettings } from '../../settings/selected.ts';
import type { Settings } from '../../settings/settings.ts';
import { createVenueHttp, type VenueHttp } from '../../venue/http/venue-http.ts';
import type { BookRead } from '../../wire/books.ts';
import { namedPath } from '../../wire/events.ts';
import { NO_TOKENS, type TokenLookup, tokenLookup } from '../../wire/tokens.ts';
import { selectionText } from '../selection-lines.ts';
import { type Finding, failed, note, ok, refused } from './finding.ts';

export type MarketsChecked = {
  readonly findings: readonly Finding[];
  /** Every configured event that was found. */
  readonly events: readonly Event[];
};

/** Reads every configured market and both of its books. */
export async function checkMarkets(
  access: VenueAccess,
  settings: Settings,
): Promise<MarketsChecked> {
  // Books are read by their tick size, which the listing tells first.
  let tokens: TokenLookup = NO_TOKENS;
  const http = createVenueHttp({
    ...venueHttpOptions(access),
    tokens: {
      gridOf: (tokenId) => tokens.gridOf(tokenId),
      tokensOf: (marketId) => tokens.tokensOf(marketId),
    },
  });
  try {
    const selected = await selectedNow(http, settings, access);
    const found = await readMarkets(http, selected.settings, (events) => {
      tokens = tokenLookup(events);
    });
    return { ...found, findings: [...selectionFindings(selected), ...found.findings] };
  } finally {
    await http.stop();
  }
}

async function readMarkets(
  http: VenueHttp,
  settings: Pick<NamedSettings, 'markets'>,
  onEvents: (events: readonly Event[]) => void,
): Promise<MarketsChecked> {
  const names = [...new Set(settings.markets.map(({ event }) => event))];
  const listing = await http.readNamedEvents(names);
  if (listing.kind !== 'ok') {
    const cure = 'see whether the venue has an incident';
    return { findings: [failed('markets', failure(listing), cure)], events: [] };
  }
  const { events, skipped } = listing.value;
  onEvents(events);
  const unreadable = skipped.map(({ path, detail }) =>
    failed('markets', `${path}: ${detail}`, 'the venue lists it in a way the interface does not'),
  );
  const found: Finding[] = [];
  const isUnread = (name: string) => skipped.some(({ path }) => path === namedPath(name));
  for (const choice of settings.markets.filter((each) => !isUnread(each.event))) {
    const event = events.find(({ id, slug }) => id === choice.event || slug === choice.event);
    found.push(...(await choiceFindings(http, choice, event)));
  }
  return { findings: [...unreadable, ...found], events };
}

/** What each filter chooses, and what that leaves for one market. */
function selectionFindings({ views, failed: failure_, settings }: SelectedNow): readonly Finding[] {
  if (failure_ !== undefined) {
    const cure =
      'see whether the venue knows the tag, the category or the search of markets[].select';
    return [failed('select', failure(failure_), cure)];
  }
  const { maxMarketOpenOrders, maxEventLossUsdc } = settings.risk;
  return views.map((view) => {
    const detail = selectionText(view);
    if (view.events.length === 0)
      return note('select', detail, 'nothing is quoted by it until an event fits');
    const rest = `each market may have ${maxMarketOpenOrders} orders, each event lose ${maxEventLossUsdc.toFixed(2)} USDC`;
    return ok('select', `${detail}; ${rest}`);
  });
}

async function choiceFindings(
  http: VenueHttp,
  choice: NamedMarket,
  event: Event | undefined,
): Promise<readonly Finding[]> {
  if (!event) {
    const cure = 'see `bookend markets` for what is listed';
    return [refused('market', `the venue has no event ${choice.event}`, cure)];
  }
  const markets = event.markets.filter(
    ({ id }) => choice.market === undefined || id === choice.market,
  );
  if (markets.length === 0) {
    const known = event.markets.map(({ id }) => id).slice(0, 20);
    const detail = `${choice.event} has no market ${choice.market ?? 'at all'}`;
    return [refused('market', detail, `its markets: ${known.join(', ') || 'none'}`)];
  }
  return await Promise.all(markets.map(async (market) => await marketFinding(http, event, market)));
}

async function marketFinding(http: VenueHttp, event: Event, market: Market): Promise<Finding> {
  const books = await Promise.all([
    http.readBook(market.yes.tokenId, 1),
    http.readBook(market.no.tokenId, 1),
  ]);
  const name = `${event.slug} ${market.id}`;
  for (const book of books) {
    if (book.kind === 'ok') continue;
    return failed('market', `${name}: a book cannot be read, ${failure(book)}`, BOOK_CURE);
  }
  const [yes, no] = books.map((book) => touchText(event.grid, book));
  const facts = `${name}: ${market.status}, tick ${event.grid.tickSize}, YES ${yes}, NO ${no}`;
  if (event.status !== 'open' || market.status !== 'open') {
    return note('market', facts, 'only an open market is quoted');
  }
  if (!market.enableOrderBook) return note('market', facts, 'the venue says it has no order book');
  return ok('market', facts);
}

const BOOK_CURE = 'a market without both of its books is not quoted';

/** Best bid and ask, a dash where a side is empty. */
function touchText(grid: TickGrid, book: ReadOutcome<BookRead>): string {
  if (book.kind !== 'ok') return failure(book);
  const text = (level: Level | undefined) => (level ? formatPrice(grid, level.price) : '–');
  return `${text(book.value.bids[0])}/${text(book.value.asks[0])}`;
}
