// A market with its two books, and what of them is our own.

import type { Leg, MarketStatus, TradingStatus } from '../../domain/market.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { ListedMarket, type Listing } from '../kernel/market.ts';
import type { WorkQueue } from '../kernel/work-queue.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { MarketBook } from './axis.ts';
import { LiveStatus } from './live-status.ts';
import { BookMirror } from './mirror.ts';
import { OwnSizes } from './own.ts';
import { ParityWatch, TokenTrust } from './token-trust.ts';
import { OwnLevels } from './unified.ts';

/** What of an order is taken out of its book right now. */
export type Shown = {
  readonly resting: MicroShares;
  readonly transient: MicroShares;
  /** What others showed there when it was placed; absent once it was seen, or is not from this run. */
  readonly before: MicroShares | undefined;
  /**
   * When this becomes something else though nothing is heard: an order that rests counts as shown, seen or not,
   * and one that has ended as gone. At any moment for what is in flight, or ended just now.
   */
  readonly changesAtMs: UnixMs | undefined;
  /** How much of it a cancel takes away, and what others showed beside it when that left; absent where none has. */
  readonly leaving: { readonly size: MicroShares; readonly others: MicroShares } | undefined;
};

/** One book, by its market, with what a frame of it looks at. */
export type Place<InMarket extends MirroredMarket = MirroredMarket> = {
  readonly market: InMarket;
  readonly leg: Leg;
  readonly mirror: BookMirror;
  readonly trust: TokenTrust;
};

export class MirroredMarket extends ListedMarket {
  // What frames, looks and decisions ask for lies together: among a thousand markets the first look at
  // each object is what a decision waits for.
  readonly book: MarketBook;
  readonly trust: Readonly<Record<Leg, TokenTrust>> = {
    yes: new TokenTrust(),
    no: new TokenTrust(),
  };
  /** What frames and answers say of its trading; the catalogue's word stands beside it. */
  live = new LiveStatus();
  bookUpdates = 0;
  readonly shown = new Map<OwnOrder, Shown>();
  readonly ownLevels = new OwnLevels();
  readonly parity = new ParityWatch();
  /** An order was placed here in this run: its books resync before those that are only watched. */
  wasQuoted = false;
  /** The two books by name, made once. */
  readonly places: Readonly<Record<Leg, Place<this>>>;

  constructor(listing: Listing, workQueue: WorkQueue<ListedMarket>, depth: number) {
    super(listing, workQueue);
    this.book = newBook(this.grid, depth);
    this.places = { yes: this.#place('yes'), no: this.#place('no') };
  }

  /**
   * A frame changed one of its books. What the market earns hangs on the middle of its last plan, so that
   * it changes with the next one.
   */
  onBook(): void {
    this.bookUpdates += 1;
    this.setDirty(true);
  }

  /** Both sides of the joined book show a price now. */
  get hasMid(): boolean {
    return this.book.bestBid() !== undefined && this.book.bestAsk() !== undefined;
  }

  get areBooksTrusted(): boolean {
    return this.trust.yes.state === 'trusted' && this.trust.no.state === 'trusted';
  }

  /** Neither book is in doubt, nor between two frames of one flush. */
  get isPriceable(): boolean {
    const { yes, no } = this.book;
    return this.areBooksTrusted && yes.mirror.isPriceable && no.mirror.isPriceable;
  }

  /** The less permissive of what socket and catalogue say. */
  get status(): TradingStatus {
    const listed = worse(this.event.status, this.market.status);
    if (listed !== 'open') return listed;
    return this.market.enableOrderBook ? this.live.status : 'closed';
  }

  #place(leg: Leg): Place<this> {
    return { market: this, leg, mirror: this.book[leg].mirror, trust: this.trust[leg] };
  }
}

function newBook(grid: TickGrid, depth: number): MarketBook {
  return new MarketBook(
    { mirror: new BookMirror(grid, depth), own: new OwnSizes(grid) },
    { mirror: new BookMirror(grid, depth), own: new OwnSizes(grid) },
  );
}

function worse(event: MarketStatus, market: MarketStatus): MarketStatus {
  const rank = { open: 0, closed: 1, resolved: 2 } as const;
  return rank[event] > rank[market] ? event : market;
}
