// The books of a real venue as they come, laid before the exchange as size that belongs to nobody. Where a message
// may be missing, the market is paused and own orders in it end: what would have become of them nobody knows.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { Event, Market, TradingStatus } from '../../domain/market.ts';
import type { BookSide, Level, VenueMessage } from '../../domain/message.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import { BOOK_DEPTH_MAX } from '../../wire/limits.ts';
import type { Desk, TraderName } from '../exchange/desk.ts';
import { MintedTrades } from './minted-trades.ts';
import { RecordedBooks, type RecordedChange } from './recorded-books.ts';

type Book = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

/** A market whose frames may have a gap. */
export type Gap = {
  readonly marketId: MarketId;
  readonly why: string;
  /** Own orders that ended by it. */
  readonly ordersEnded: number;
};

/** What of an exchange a mirror moves. */
export type MirrorDesk = Pick<
  Desk,
  | 'setRecordedLevel'
  | 'printRecordedTrade'
  | 'setTradingStatus'
  | 'cancelAll'
  | 'regrid'
  | 'resolve'
>;

export type LiveMirrorOptions = {
  readonly desk: MirrorDesk;
  /** As they are listed on the exchange. */
  readonly events: readonly Event[];
  /** Whose orders are simulated. */
  readonly trader: TraderName;
  /**
   * `unified` where the venue shows one book twice: the size of YES alone goes before the exchange, which shows one
   * book twice too. Absent, each book is its own.
   */
  readonly books?: 'separate' | 'unified';
  readonly onGap: (gap: Gap) => void;
  /** A market has both its books, and trades again. */
  readonly onOpen: (marketId: MarketId) => void;
};

/** One market as the real venue shows it. */
type Mirrored = {
  readonly market: Market;
  readonly eventId: Event['id'];
  grid: TickGrid;
  /** What the catalogue says, and what the socket said since. */
  listed: TradingStatus;
  streamed: TradingStatus | undefined;
  /** The newest time that any frame had named when it said so. */
  streamedTs: number;
  /** Tokens whose whole book has come since the last gap. */
  readonly based: Set<TokenId>;
  /** What the exchange was told. */
  told: TradingStatus;
  /** Levels that an audit found different, by their place, with both sizes. */
  readonly doubts: Map<TokenId, ReadonlyMap<string, string>>;
};

const SIDES = { bid: 'bids', ask: 'asks' } as const;

/** A trade of before a pause may be told behind it. */
const STRAGGLER_MS = 1_000;

export class LiveMirror {
  readonly #options: LiveMirrorOptions;
  readonly #byMarket = new Map<MarketId, Mirrored>();
  readonly #byToken = new Map<TokenId, Mirrored>();
  readonly #books = new RecordedBooks();
  readonly #minted = new MintedTrades();
  #newestTs = Number.NEGATIVE_INFINITY;

  constructor(options: LiveMirrorOptions) {
    this.#options = options;
    for (const event of options.events) this.add(event);
  }

  /** Markets that the exchange lists by now, each paused until its books have come; known ones are as they were. */
  add(event: Event): void {
    for (const market of event.markets) {
      if (!this.#byMarket.has(market.id)) this.#add(event, market);
    }
  }

  /** What the public channels of the venue say. */
  take(message: VenueMessage): void {
    if ('venueTs' in message) this.#newestTs = Math.max(this.#newestTs, message.venueTs ?? 0);
    switch (message.kind) {
      case 'socketLost':
        for (const id of this.#byMarket.keys()) this.lose(id, `socket lost: ${message.reason}`);
        return;
      case 'bookSnapshot':
        this.base(message.tokenId, message);
        return;
      case 'bookDelta':
        this.#delta(message);
        return;
      case 'bookUnreadable':
        this.loseToken(message.tokenId, `unreadable: ${message.detail}`);
        return;
      case 'trade':
        this.#print(message);
        return;
      case 'marketStatus': {
        const mirrored = this.#byToken.get(message.tokenId);
        if (mirrored === undefined) return;
        mirrored.streamed = message.status;
        mirrored.streamedTs = this.#newestTs;
        this.#tell(mirrored);
        return;
      }
      default:
    }
  }

  /** A whole book of one token: a snapshot of the socket, or where that sends none, a read. */
  base(tokenId: TokenId, book: Book): void {
    const mirrored = this.#byToken.get(tokenId);
    if (mirrored === undefined) return;
    const side = (bookSide: BookSide) =>
      this.#books.replace(tokenId, bookSide, book[SIDES[bookSide]]);
    const changes = [...side('bid'), ...side('ask')];
    const isRemoval = ({ size }: RecordedChange): boolean => size === 0;
    // What leaves goes first, since a book that moved crosses itself otherwise.
    this.#show(changes.filter(isRemoval));
    this.#show(changes.filter((change) => !isRemoval(change)));
    mirrored.doubts.delete(tokenId);
    mirrored.based.add(tokenId);
    this.#tell(mirrored);
  }

  /** Tokens of markets that could trade if their books were there. */
  missing(): readonly TokenId[] {
    return [...this.#byToken].flatMap(([tokenId, mirrored]) =>
      mirrored.based.has(tokenId) || statusOf(mirrored) !== 'open' ? [] : [tokenId],
    );
  }

  /**
   * A book read beside the frames. A level is wrong when two reads in a row say so and neither side has moved in
   * between; then the market has a gap.
   * @returns Whether the two agree.
   */
  audit(tokenId: TokenId, read: Book): boolean {
    const mirrored = this.#byToken.get(tokenId);
    if (!mirrored?.based.has(tokenId)) return true;
    const before = mirrored.doubts.get(tokenId);
    const now = this.#differences(tokenId, read);
    mirrored.doubts.set(tokenId, now);
    const wrong = [...now].find(([place, sizes]) => before?.get(place) === sizes);
    if (wrong === undefined) return now.size === 0;
    this.loseToken(tokenId, `a read of the book says ${wrong.join(' ')}`);
    return false;
  }

  /** The catalogue as it is now. @returns Whether books must be asked for anew. */
  listed(event: Event): boolean {
    const changed = event.markets.flatMap(({ id, status }) => {
      const mirrored = this.#byMarket.get(id);
      if (mirrored === undefined) return [];
      mirrored.listed = status;
      return [mirrored];
    });
    const regridded = changed.filter(({ grid }) => grid.tickSize !== event.grid.tickSize);
    for (const mirrored of regridded) {
      this.lose(mirrored.market.id, `the tick size is ${event.grid.tickSize} now`);
      for (const { tokenId } of outcomes(mirrored)) this.#books.forget(tokenId);
      mirrored.grid = event.grid;
    }
    if (regridded.length > 0) this.#options.desk.regrid(event.id, event.grid);
    for (const mirrored of changed) this.#tell(mirrored);
    return regridded.length > 0;
  }

  /** Markets that have resolved, and nobody has said for whom. */
  unsettled(): readonly { readonly market: Market; readonly eventId: Event['id'] }[] {
    return [...this.#byMarket.values()].filter(
      (mirrored) => statusOf(mirrored) === 'resolved' && mirrored.told !== 'resolved',
    );
  }

  /** Pays a market out. */
  settle(marketId: MarketId, winner: TokenId): void {
    const mirrored = this.#byMarket.get(marketId);
    if (mirrored === undefined || mirrored.told === 'resolved') return;
    mirrored.told = 'resolved';
    this.#options.desk.resolve(marketId, winner);
  }

  /** Something of this market may be missing: no trade until both its books have come anew. */
  lose(marketId: MarketId, why: string): void {
    const mirrored = this.#byMarket.get(marketId);
    if (mirrored === undefined) return;
    mirrored.based.clear();
    mirrored.doubts.clear();
    // REST has no word for a pause, so nobody would say that one has ended meanwhile.
    if (mirrored.streamed === 'paused' || mirrored.streamed === 'unknown') {
      mirrored.streamed = undefined;
    }
    if (mirrored.told !== 'open') return;
    const ordersEnded = this.#options.desk.cancelAll(this.#options.trader, marketId);
    this.#tell(mirrored);
    this.#options.onGap({ marketId, why, ordersEnded });
  }

  loseToken(tokenId: TokenId, why: string): void {
    const marketId = this.#byToken.get(tokenId)?.market.id;
    if (marketId !== undefined) this.lose(marketId, why);
  }

  #add(event: Event, market: Market): void {
    const mirrored: Mirrored = {
      market,
      eventId: event.id,
      grid: event.grid,
      listed: market.status,
      streamed: undefined,
      streamedTs: Number.POSITIVE_INFINITY,
      based: new Set(),
      told: market.status,
      doubts: new Map(),
    };
    this.#byMarket.set(market.id, mirrored);
    for (const { tokenId } of outcomes(mirrored)) this.#byToken.set(tokenId, mirrored);
    this.#tell(mirrored);
  }

  #delta(change: RecordedChange): void {
    // On a book that is not there a change says nothing.
    if (!this.#byToken.get(change.tokenId)?.based.has(change.tokenId)) return;
    this.#books.set(change);
    this.#show([change]);
  }

  #print(trade: VenueMessage & { readonly kind: 'trade' }): void {
    const { tokenId, price, size, takerSide, venueTs } = trade;
    const mirrored = this.#byToken.get(tokenId);
    // `last_trade_price` tells of a settlement, which was printed when it matched.
    if (mirrored === undefined || takerSide === undefined) return;
    this.#tradesAgain(mirrored, venueTs ?? 0);
    if (mirrored.told !== 'open') return;
    const isYes = mirrored.market.yes.tokenId === tokenId;
    const seen = { marketId: mirrored.market.id, isYes, takerSide, size, venueTs };
    const yesTicks = isYes ? price : mirrored.grid.ticksPerUnit - price;
    if (this.#minted.isToldTwice({ ...seen, yesTicks })) return;
    this.#options.desk.printRecordedTrade(tokenId, price, size, takerSide);
  }

  /** Nobody says that the end of a pause is announced: where takers trade, it has ended. An outcome is final. */
  #tradesAgain(mirrored: Mirrored, atMs: number): void {
    if (mirrored.streamed === 'resolved' || atMs <= mirrored.streamedTs + STRAGGLER_MS) return;
    mirrored.streamed = undefined;
    this.#tell(mirrored);
  }

  #show(changes: readonly RecordedChange[]): void {
    for (const { tokenId, side, price, size } of changes) {
      if (this.#isShownTwice(tokenId)) continue;
      this.#options.desk.setRecordedLevel(tokenId, side, price, size);
    }
  }

  /** The book of NO, where that of YES has its levels already. */
  #isShownTwice(tokenId: TokenId): boolean {
    const isUnified = this.#options.books === 'unified';
    return isUnified && this.#byToken.get(tokenId)?.market.no.tokenId === tokenId;
  }

  #tell(mirrored: Mirrored): void {
    const { market, based, told } = mirrored;
    const status = statusOf(mirrored);
    const isWhole = based.size === 2;
    // Whoever resolved it has still to be asked for the winner.
    const shown =
      status === 'resolved' ? 'closed' : status === 'open' && !isWhole ? 'paused' : status;
    if (shown === told || told === 'resolved') return;
    mirrored.told = shown;
    this.#options.desk.setTradingStatus(market.id, shown);
    if (shown === 'open') this.#options.onOpen(market.id);
  }

  /** Levels beyond the depth of either are not compared. */
  #differences(tokenId: TokenId, read: Book): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const side of ['bid', 'ask'] as const) {
      const levels = read[SIDES[side]];
      const shown = new Map(levels.map(({ price, size }) => [price, size]));
      const own = this.#books.side(tokenId, side);
      const last = levels.length < BOOK_DEPTH_MAX ? undefined : levels.at(-1)?.price;
      for (const price of new Set([...shown.keys(), ...own.keys()])) {
        const isBeyond = last !== undefined && (side === 'bid' ? price < last : price > last);
        const [theirs, ours] = [shown.get(price) ?? 0, own.get(price) ?? 0];
        if (theirs !== ours && !isBeyond) found.set(`${side} ${price}`, `${theirs}, not ${ours}`);
      }
    }
    return found;
  }
}

function statusOf({ listed, streamed }: Mirrored): TradingStatus {
  if (listed !== 'open') return listed;
  const status = streamed ?? 'open';
  return status === 'unknown' ? 'paused' : status;
}

function outcomes({ market }: Pick<Mirrored, 'market'>) {
  return [market.yes, market.no];
}
