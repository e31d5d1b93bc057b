// A market with its two books, and what of them is our own.

import type { Leg, MarketStatus, TradingStatus } from '../../domain/market.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { askAgainInMs } from '../kernel/bounds.ts';
import { ListedMarket, type Listing, type WorkQueue } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { MarketBook, OwnLevels } from './axis.ts';
import { BookMirror } from './mirror.ts';
import { OwnSizes } from './own.ts';
import { ParityWatch, TokenTrust } from './token-trust.ts';

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

// Whether a market trades, by the last frame, rejection or acceptance that spoke of it. The interface does
// not say that the end of a pause is announced, so that it is left on evidence: one order asks, at a
// growing pace, and at once after a new connection or a snapshot.
// @spec States and transitions › Event and market status

/** Between probing orders: a market comes back in a tenth of the time that it was paused, within a minute. */
const PACE = { leastMs: 2_000, mostMs: 60_000 };
/** A venue may send snapshots all through a pause: evidence hastens no more than this. */
const HASTENED_MS = 10_000;

export class LiveStatus {
  #status: TradingStatus = 'open';
  #sinceMs: UnixMs | undefined;
  #evidence = 'nothing speaks against it';
  #askedAtMs: UnixMs | undefined;
  #probeAtMs: UnixMs | undefined;

  get status(): TradingStatus {
    return this.#status;
  }

  /** What it follows from, for people. */
  get evidence(): string {
    return this.#evidence;
  }

  /** When the next probing order may go; absent where no order would be evidence. */
  get probeAtMs(): UnixMs | undefined {
    return this.#probeAtMs;
  }

  /** Something says what it is now. @returns Whether that is another status than before. */
  set(status: TradingStatus, evidence: string, nowMs: UnixMs): boolean {
    this.#evidence = evidence;
    if (status === this.#status) return false;
    this.#status = status;
    this.#sinceMs = nowMs;
    this.#askedAtMs = undefined;
    const mayEnd = status !== 'open' && status !== 'resolved';
    this.#probeAtMs = mayEnd ? addMs(nowMs, PACE.leastMs) : undefined;
    return true;
  }

  /** An order that left before the status was known tells nothing of it; nor does one of that moment. */
  isOlder(sentAtMs: UnixMs): boolean {
    return this.#sinceMs !== undefined && sentAtMs <= this.#sinceMs;
  }

  isProbeDue(nowMs: UnixMs): boolean {
    return this.#probeAtMs !== undefined && nowMs >= this.#probeAtMs;
  }

  /** The probing order has left. */
  onProbed(nowMs: UnixMs): void {
    this.#askedAtMs = nowMs;
    this.#probeAtMs = addMs(nowMs, askAgainInMs(nowMs - (this.#sinceMs ?? nowMs), PACE));
  }

  /** Something that a pause would not bring: the next probing order need not wait its whole time. */
  hasten(nowMs: UnixMs): void {
    if (this.#probeAtMs === undefined) return;
    const restedAtMs = addMs(this.#askedAtMs ?? this.#sinceMs ?? nowMs, HASTENED_MS);
    if (restedAtMs < this.#probeAtMs) this.#probeAtMs = restedAtMs;
  }

  /** Nobody listened for a while: its end may have been announced. */
  askAnew(nowMs: UnixMs): void {
    if (this.#probeAtMs !== undefined) this.#probeAtMs = nowMs;
  }
}

// What follows from each new piece of evidence on whether a market trades.

type Evidence = {
  readonly status: TradingStatus;
  /** The venue's own word or code. */
  readonly word: string;
  readonly evidence: string;
};

/** @returns Whether another status than before is considered now. */
export function noteStatus(stores: KernelStores, market: MirroredMarket, of: Evidence): boolean {
  const { live } = market;
  // An outcome is final: whatever a late frame says, its tokens are not quoted again.
  if (live.status === 'resolved' || !live.set(of.status, of.evidence, stores.nowMs)) return false;
  market.isDirty = true;
  const { status, word } = of;
  stores.outbox.report({ event: 'market.status', marketId: market.market.id, status, word });
  return true;
}

/** What a rejection says of the market; that it is resolved, only a frame or the catalogue says. */
const STATUS_OF: ReadonlyMap<string, TradingStatus> = new Map([
  ['market_paused', 'paused'],
  ['market_closed', 'closed'],
  ['market_resolved', 'closed'],
]);

/** @returns Whether the rejection says that the market does not trade. */
export function onStatusRejection(
  stores: KernelStores,
  market: MirroredMarket,
  { sentAtMs }: OwnOrder,
  code: string,
): boolean {
  const status = STATUS_OF.get(code);
  if (status === undefined) return false;
  const isBelated = market.live.status === 'open' && market.live.isOlder(sentAtMs);
  const evidence = `an order was rejected with ${code}`;
  if (!isBelated) noteStatus(stores, market, { status, word: code, evidence });
  return true;
}

/** The venue accepted an order: it trades, where that left after the market stopped. */
export function onAcceptedStatus(
  stores: KernelStores,
  market: MirroredMarket,
  { sentAtMs }: OwnOrder,
): void {
  const { live } = market;
  if (live.probeAtMs === undefined || live.isOlder(sentAtMs)) return;
  reopen(stores, market, 'an order was accepted');
}

export function reopen(stores: KernelStores, market: MirroredMarket, evidence: string): void {
  noteStatus(stores, market, { status: 'open', word: evidence, evidence });
}
