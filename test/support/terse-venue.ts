// A venue that says no more than the interface document promises: items of a batch in prose, codes for single
// orders alone, the end of a pause never. Written from the document, driven by the core's own commands; it
// shares nothing with the embedded venue.

import type { MarketId, OrderHash, RequestId, TokenId } from '../../src/domain/ids.ts';
import { eventId, marketId, orderHash, outcomeId, tokenId } from '../../src/domain/ids.ts';
import type { CoreSettings } from '../../src/domain/input.ts';
import type { Event } from '../../src/domain/market.ts';
import type { CancelScope, PlaceOutcome, Refusal } from '../../src/domain/message.ts';
import type { LimitOrder, OrderReport } from '../../src/domain/order.ts';
import { NO_SHARES } from '../../src/domain/shares.ts';
import { tickGrid } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import type { Reason } from '../../src/domain/view.ts';
import {
  type BookLevels,
  balances,
  EngineDriver,
  level,
  reportOf,
  settings,
} from './engine-driver.ts';

const SHOWN_MS = 1_000;

/** How a batch with an order that cannot stand is answered. */
export type BatchAnswer = 'itemsInProse' | 'rejectedWhole';

export class TerseVenue {
  readonly driver = new EngineDriver();
  /** As the catalogue lists it. */
  event: Event;
  /** When the catalogue was read. */
  readonly catalogueReadsMs: number[] = [];
  /** What orders of a market are rejected with, where it has a condition. */
  readonly conditions = new Map<MarketId, string>();
  batches: BatchAnswer = 'itemsInProse';
  /** The older reference shows failures without a code. */
  hasCodes = true;
  /** Says why an order cannot stand, whatever its market. */
  judge: (order: LimitOrder) => string | undefined = () => undefined;
  readonly open = new Map<OrderHash, OrderReport>();
  /** Every write, with the markets of its orders. */
  readonly writes: { readonly atMs: number; readonly markets: readonly MarketId[] }[] = [];
  /** Ways to cancel that do not work now, and reads. */
  readonly failing = new Set<'names' | 'market' | 'account' | 'reads'>();
  /** Cancels by name are answered later, all of them together. */
  holdsNames = false;
  /** Bulk cancels that came, by what they meant. */
  readonly bulkCancels: string[] = [];
  #hashes = 0;

  constructor(count: number) {
    this.event = {
      id: eventId('e-1'),
      slug: 'rain',
      title: 'Will it rain?',
      category: 'weather',
      status: 'open',
      grid: tickGrid('0.01'),
      expiryAtMs: undefined,
      markets: Array.from({ length: count }, (_, at) => ({
        id: marketId(`m-${at}`),
        title: `M${at}`,
        status: 'open',
        enableOrderBook: true,
        yes: {
          id: outcomeId('y'),
          name: 'Yes',
          tokenId: tokenId(`0x1${at}`),
          outcomeIndex: 1,
        },
        no: { id: outcomeId('n'), name: 'No', tokenId: tokenId(`0x2${at}`), outcomeIndex: 0 },
      })),
    };
  }

  /** Opens the daemon's way to it, and lets it come to rest. */
  start(value: CoreSettings = settings()): void {
    const { driver } = this;
    driver.settings(value);
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [this.event] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    this.showBooks();
    this.run(3_000);
  }

  idOf(at: number): MarketId {
    return marketId(`m-${at}`);
  }

  tokenOf(at: number): TokenId {
    return tokenId(`0x1${at}`);
  }

  showBooks(): void {
    for (const { yes, no } of this.event.markets) {
      for (const { tokenId: token } of [yes, no]) this.#showBook(token);
    }
  }

  #showBook(token: TokenId): void {
    const { bids, asks } = this.#bookOf(token);
    this.driver.book(token, bids, asks);
  }

  /** Others' orders alone: nobody here looks for own ones in the book. */
  #bookOf(token: TokenId): BookLevels {
    const isYes = this.event.markets.some(({ yes }) => yes.tokenId === token);
    return isYes ? { bids: [level(48, 500)], asks: [level(52, 500)] } : { bids: [], asks: [] };
  }

  status(at: number, word: string, status: 'paused' | 'open' | 'closed'): void {
    this.driver.tell({ kind: 'marketStatus', tokenId: this.tokenOf(at), status, word });
  }

  /** Answers everything that is asked; others' quotes go on moving where `isLively`. */
  run(durationMs: number, each: () => void = () => {}): void {
    const { driver } = this;
    driver.run(durationMs, () => {
      if (driver.nowMs % SHOWN_MS === 0) this.#stir();
      this.#answer();
      each();
    });
  }

  /** Sides of a market with an order resting. */
  sidesOf(at: number): number {
    const { yes, no } = this.event.markets[at] ?? {};
    const sides = new Set<string>();
    for (const { tokenId: token, side } of this.open.values()) {
      if (token === yes?.tokenId) sides.add(side === 'BUY' ? 'bid' : 'ask');
      if (token === no?.tokenId) sides.add(side === 'BUY' ? 'ask' : 'bid');
    }
    return sides.size;
  }

  writesOf(at: number): readonly number[] {
    const id = this.idOf(at);
    return this.writes.filter(({ markets }) => markets.includes(id)).map(({ atMs }) => atMs);
  }

  /** Why a market has no bid. */
  reasonOf(at: number): Reason | undefined {
    const { markets } = this.driver.engine.view();
    return markets.find((each) => each.marketId === this.idOf(at))?.bidReason;
  }

  /** A far level changes, as it does in any busy book. */
  #stir(): void {
    const size = 100 + ((this.driver.nowMs / SHOWN_MS) % 7);
    for (const { yes } of this.event.markets) this.driver.bid(yes.tokenId, level(30, size));
  }

  #answer(): void {
    const { driver } = this;
    for (const { requestId, orders } of driver.placements()) {
      this.writes.push({ atMs: driver.nowMs, markets: orders.map((each) => this.#marketOf(each)) });
      const outcomes = this.#placed(orders);
      driver.tell({ kind: 'placed', requestId, outcomes });
    }
    const named = this.holdsNames ? [] : driver.take('cancelOrders');
    for (const { requestId, orderHashes } of named) {
      const isOpen = (hash: OrderHash) => this.open.has(hash);
      this.#cancel(requestId, 'names', orderHashes.filter(isOpen), orderHashes.length);
    }
    for (const { requestId, scope } of driver.take('cancelAll')) {
      this.bulkCancels.push(scope.kind);
      const meant = [...this.open].filter(([, order]) => isMeant(scope, this.#marketOf(order)));
      const kind = scope.kind === 'market' ? 'market' : 'account';
      this.#cancel(
        requestId,
        kind,
        meant.map(([hash]) => hash),
        meant.length,
      );
    }
    this.#answerReads();
  }

  #cancel(
    requestId: RequestId,
    way: 'names' | 'market' | 'account',
    hashes: readonly OrderHash[],
    asked: number,
  ): void {
    const failed = { kind: 'unknown', cause: 'serverError', detail: '503' } as const;
    const cancelled = hashes.length;
    const done = { kind: 'accepted', cancelled, failed: asked - cancelled } as const;
    const isFailing = this.failing.has(way);
    if (!isFailing) for (const hash of hashes) this.end(hash);
    const outcome = isFailing ? failed : done;
    this.driver.tell({ kind: 'cancelled', requestId, outcome });
  }

  /** The account's channel says that it is cancelled. */
  end(hash: OrderHash): void {
    const order = this.open.get(hash);
    if (order === undefined) return;
    this.open.delete(hash);
    const { orderHash: named, tokenId: token, side, price } = order;
    const at = { orderHash: named, tokenId: token, marketId: this.#marketOf(order), side, price };
    const ended = { status: 'CANCELLED', filledQuantity: NO_SHARES, remaining: undefined } as const;
    this.driver.tell({ kind: 'orderUpdate', update: { ...at, ...ended } });
  }

  #answerReads(): void {
    const { driver } = this;
    const askedAtMs = unixMs(driver.nowMs);
    for (const { requestId } of driver.take('readOpenOrders')) {
      const isFailing = this.failing.has('reads');
      const outcome = isFailing
        ? UNAVAILABLE
        : ({ kind: 'ok', value: [...this.open.values()] } as const);
      driver.tell({ kind: 'openOrders', requestId, askedAtMs, outcome });
    }
    for (const { requestId } of driver.take('readBalances')) {
      const isFailing = this.failing.has('reads');
      const outcome = isFailing ? UNAVAILABLE : ({ kind: 'ok', value: balances() } as const);
      driver.tell({ kind: 'balances', requestId, askedAtMs, outcome });
    }
    for (const _ of driver.take('readCatalogue')) {
      this.catalogueReadsMs.push(driver.nowMs);
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [this.event] } });
    }
    driver.answerTrades({ kind: 'ok', value: [] });
    driver.answerBooks((token) => this.#bookOf(token));
    for (const { tokenId: token } of driver.take('resubscribe')) this.#showBook(token);
  }

  #placed(orders: readonly LimitOrder[]) {
    const causes = orders.map((order) => this.#causeOf(order));
    const first = causes.find((cause) => cause !== undefined);
    const isWhole = orders.length === 1 || this.batches === 'rejectedWhole';
    return orders.map((order, at): { intentId: LimitOrder['intentId']; outcome: PlaceOutcome } => {
      const { intentId } = order;
      const cause = isWhole ? first : causes[at];
      if (cause === undefined) return { intentId, outcome: this.#accept(order) };
      const refusal: Refusal = {
        code: isWhole && this.hasCodes ? cause : undefined,
        message: 'This order cannot be placed now.',
        httpStatus: isWhole ? 422 : undefined,
        retryAfterMs: undefined,
      };
      return { intentId, outcome: { kind: 'refused', refusal } };
    });
  }

  #accept(order: LimitOrder): PlaceOutcome {
    this.#hashes += 1;
    const hash = orderHash(`0xaa${this.#hashes.toString(16)}`);
    this.open.set(hash, reportOf(hash, order));
    return { kind: 'accepted', orderHash: hash };
  }

  #causeOf(order: LimitOrder): string | undefined {
    return this.judge(order) ?? this.conditions.get(this.#marketOf(order));
  }

  #marketOf({ tokenId: token }: Pick<LimitOrder, 'tokenId'>): MarketId {
    const isOf = ({ yes, no }: Event['markets'][number]) =>
      yes.tokenId === token || no.tokenId === token;
    const found = this.event.markets.find(isOf);
    if (found === undefined) throw new Error(`no market has ${token}`);
    return found.id;
  }
}

const UNAVAILABLE = {
  kind: 'refused',
  refusal: {
    code: 'service_unavailable',
    message: 'down',
    httpStatus: 503,
    retryAfterMs: undefined,
  },
} as const;

function isMeant(scope: CancelScope, marketId: MarketId): boolean {
  return scope.kind === 'account' || (scope.kind === 'market' && scope.marketId === marketId);
}
