// When the troubles are over and the crowd stands still: what the daemon believes is what is true.

import { Decimal } from 'decimal.js';
import type { Engine } from '../../../src/core/engine.ts';
import type { MarketId } from '../../../src/domain/ids.ts';
import type { StoredOrder } from '../../../src/domain/record.ts';
import type { MarketView, Reason } from '../../../src/domain/view.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { Exchange } from '../../../src/paper/exchange/exchange.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { AxisLevel } from '../../../src/paper/exchange/market-book.ts';
import type { AxisBook } from '../../../src/strategy/index.ts';
import type { OrderFacts } from './facts.ts';

export type RestParts = {
  readonly engine: Engine;
  readonly exchange: Exchange;
  readonly account: Account;
  readonly facts: OrderFacts;
  /** The daemon cancels, counts and shows its own orders only. */
  readonly isOwnScope: boolean;
  /** Lives with one memory; in the own scope nobody knows the orders of another one. */
  readonly era: number;
  /** Whether a chain action of a market is under way. */
  readonly isRecycling: (marketId: MarketId) => boolean;
  /** Whether the daemon knows what every share cost: none came by a correction, or before its time. */
  readonly isCostKnown: (marketId: MarketId) => boolean;
  /** The book that the strategy of a market was last shown. */
  readonly bookOf: (marketId: string) => AxisBook | undefined;
  /** Orders that have not ended, as the disk has them. */
  readonly kept: readonly StoredOrder[];
};

type Fault = { readonly rule: string; readonly detail: string };

/** A market whose positions are doubted is quoted again within this time, once it is quiet. */
const DOUBT_MS_MAX = 400_000;
/** States of a book that is priced from. */
const BELIEVED = new Set(['live', 'trusted']);
/** Levels of each side that are compared; the subscription reaches further. */
const LEVELS = 12;
const EPSILON = new Decimal('0.000001');
/** All of it traded: what is missing is the word of the chain. */
const SETTLED_ELSEWHERE = new Set(['matched', 'settling']);
/** Codes of what passes when the troubles are over: none of them holds an open market at rest. */
const PASSING = new Set([
  'on_its_way',
  'torn_book',
  'suspect_book',
  'no_book',
  'dead_book',
  'socket_lost',
  'user_channel_down',
  'credentials_refused',
  'balances_unknown',
  'unknown_api_key',
  'invalid_signature',
  'expired_timestamp',
  'rate_limited',
  'market_paused',
  'market_closed',
  'market_resolved',
]);

export function restFaults(parts: RestParts): readonly Fault[] {
  const view = parts.engine.view();
  const faults: Fault[] = [];
  if (view.phase !== 'quoting' && view.phase !== 'halted') {
    faults.push({ rule: 'not_live', detail: `${view.phase}: ${view.phaseReason}` });
    return faults;
  }
  faults.push(...cashFaults(parts, view.account.cashUsdc));
  const { phase, atMs } = view;
  for (const market of view.markets) faults.push(...marketFaults(parts, market, { phase, atMs }));
  const known = new Set(view.markets.map(({ marketId }) => marketId));
  return [...faults, ...leftBehind(parts, known), ...keptFaults(parts)];
}

/** What the disk has as live is live: whatever is forgotten stays there for ever. */
function keptFaults({ kept, facts }: RestParts): readonly Fault[] {
  return kept.flatMap(({ state, orderHash, intentId }) => {
    if (SETTLED_ELSEWHERE.has(state)) return [];
    const fact = orderHash && facts.find(orderHash);
    if (fact && fact.order.restingMicro() > 0) return [];
    return [
      { rule: 'ledger_differs', detail: `${intentId} is ${state} on the disk, and is not live` },
    ];
  });
}

/** Own orders on markets that the daemon does not quote any more. */
function leftBehind(parts: RestParts, known: ReadonlySet<MarketId>): readonly Fault[] {
  const faults: Fault[] = [];
  for (const { order, owner, era } of parts.facts.live()) {
    const { market, orderHash } = order.terms;
    if (owner !== 'intent' || known.has(market.market.id)) continue;
    if (parts.isOwnScope && era !== parts.era) continue;
    const detail = `${market.market.title} is left, and ${orderHash} rests there`;
    faults.push({ rule: 'orders_differ', detail });
  }
  return faults;
}

function cashFaults({ account }: RestParts, text: string | undefined): readonly Fault[] {
  const ours = new Decimal(text ?? Number.NaN);
  if (ours.minus(account.cash).abs().lte(EPSILON)) return [];
  const detail = `the daemon has ${text ?? 'no number'}, the venue ${account.cash.toFixed()}`;
  return [{ rule: 'cash_differs', detail }];
}

function marketFaults(
  parts: RestParts,
  view: MarketView,
  { phase, atMs: nowMs }: { readonly phase: string; readonly atMs: number },
): readonly Fault[] {
  const market = parts.exchange.catalogue.market(view.marketId);
  const faults = [...orderFaults(parts, view, market)];
  // A split or merge is believed when positions show it, which takes them minutes.
  const isSettled = !parts.isRecycling(view.marketId);
  if (isSettled) faults.push(...positionFaults(parts, view, market));
  if (isSettled && parts.isCostKnown(view.marketId) && market.trading === 'open')
    faults.push(...profitFaults(parts, view, market));
  if (phase !== 'quoting' || market.trading !== 'open') return faults;
  const { yes, no } = view.bookStates;
  if (BELIEVED.has(yes) && BELIEVED.has(no)) faults.push(...bookFaults(parts, market));
  else faults.push({ rule: 'not_live', detail: `books ${yes}, ${no}` });
  for (const side of ['bid', 'ask'] as const) {
    const isQuoted = (side === 'bid' ? view.ownBids : view.ownAsks).length > 0;
    const reason = side === 'bid' ? view.bidReason : view.askReason;
    if (isQuoted || (reason && mayHold(reason, nowMs))) continue;
    const why = reason ? `${reason.code}: ${reason.detail}` : 'no reason';
    faults.push({ rule: 'not_live', detail: `${view.title} ${side} is not quoted, ${why}` });
  }
  return faults;
}

/** A doubt about positions lasts as long as positions lag, and not much longer. */
function mayHold({ code, sinceMs }: Reason, nowMs: number): boolean {
  if (code === 'position_unproven') return nowMs - sinceMs < DOUBT_MS_MAX;
  return !PASSING.has(code);
}

function positionFaults(
  parts: RestParts,
  view: MarketView,
  market: ListedMarket,
): readonly Fault[] {
  const faults: Fault[] = [];
  for (const [index, text] of [
    [1, view.positionYes],
    [0, view.positionNo],
  ] as const) {
    const { name, tokenId } = market.outcome(index);
    const truth = new Decimal(parts.facts.totalMicro(tokenId)).div(1e6);
    if (truth.minus(text).abs().lte(EPSILON)) continue;
    const detail = `${view.title} ${name}: the daemon has ${text}, the venue ${truth.toFixed()}`;
    faults.push({ rule: 'position_differs', detail });
  }
  return faults;
}

/**
 * Profit is what the venue's own trades cost, and what they left at the middle the daemon shows; less is
 * right where a better price was told to nobody.
 */
function profitFaults(
  { facts }: RestParts,
  view: MarketView,
  market: ListedMarket,
): readonly Fault[] {
  const { bestBid, bestAsk, pnlUsdc } = view;
  if (bestBid === undefined || bestAsk === undefined || pnlUsdc === undefined) return [];
  const middle = new Decimal(bestBid).plus(bestAsk).div(2);
  const worth = (index: 0 | 1, price: Decimal) =>
    price.times(facts.totalMicro(market.outcome(index).tokenId)).div(1e6);
  const cash = new Decimal(facts.cashNano(market.market.id)).div(1e9);
  const truth = cash.plus(worth(1, middle)).plus(worth(0, new Decimal(1).minus(middle)));
  const untold = new Decimal(facts.untold.nanoOf(market.market.id)).div(1e9);
  const missing = truth.minus(pnlUsdc);
  if (missing.gte(EPSILON.neg()) && missing.lte(untold.plus(EPSILON))) return [];
  const detail = `${view.title}: the daemon earned ${pnlUsdc}, the venue says ${truth.toFixed(6)}`;
  return [{ rule: 'profit_differs', detail }];
}

/** What the daemon says it has resting is what rests. */
function orderFaults(parts: RestParts, view: MarketView, market: ListedMarket): readonly Fault[] {
  const faults: Fault[] = [];
  for (const side of ['bid', 'ask'] as const) {
    const quotes = side === 'bid' ? view.ownBids : view.ownAsks;
    const said = quotes
      .map(({ price, quantity }) => `${price}x${quantity}`)
      .sort()
      .join(' ');
    const rests = new Map<number, number>();
    for (const { order, owner, era } of parts.facts.live()) {
      // In the own scope somebody else's orders are none of the daemon's.
      if (parts.isOwnScope && (owner !== 'intent' || era !== parts.era)) continue;
      if (order.terms.market !== market || order.axis.side !== side) continue;
      const { tick } = order.axis;
      rests.set(tick, (rests.get(tick) ?? 0) + order.restingMicro());
    }
    const digits = market.grid.ticksPerUnit === 100 ? 2 : 3;
    const true_ = [...rests]
      .map(([tick, micro]) => `${(tick / market.grid.ticksPerUnit).toFixed(digits)}x${micro / 1e6}`)
      .sort()
      .join(' ');
    if (said === true_) continue;
    const detail = `${view.title} ${side}s: the daemon shows "${said}", the venue "${true_}"`;
    faults.push({ rule: 'orders_differ', detail });
  }
  return faults;
}

function bookFaults(parts: RestParts, market: ListedMarket): readonly Fault[] {
  const book = parts.bookOf(market.market.id);
  if (!book) return [];
  const venue = parts.exchange.context.books.of(market);
  const faults: Fault[] = [];
  for (const side of ['bid', 'ask'] as const) {
    const truth: string[] = [];
    for (const tick of venue.allTicks(side)) {
      let others = 0;
      for (const order of venue.level(side, tick)?.orders ?? []) {
        if (order.terms.account !== parts.account) others += order.restingMicro();
      }
      if (others > 0) truth.push(`${tick}x${others}`);
      const leak = leakAt(venue.level(side, tick));
      if (leak !== 0) faults.push({ rule: 'venue_book', detail: `${leak} too much at ${tick}` });
    }
    const seen = levelsOf(book, side);
    const wanted = truth.slice(0, LEVELS).join(' ');
    if (seen.join(' ') === wanted) continue;
    const detail = `${market.market.title} ${side}s: the daemon sees ${seen.join(' ')}, there is ${wanted}`;
    faults.push({ rule: 'book_differs', detail });
  }
  return faults;
}

/** What the public book shows at a level beyond the orders that rest there. */
function leakAt(level: AxisLevel | undefined): number {
  if (!level) return 0;
  const resting = level.orders.reduce((sum, order) => sum + order.restingMicro(), 0);
  return level.restingMicro[0] + level.restingMicro[1] - resting;
}

function levelsOf(book: AxisBook, side: 'bid' | 'ask'): readonly string[] {
  const found: string[] = [];
  let at = side === 'bid' ? book.bestBid() : book.bestAsk();
  while (at !== undefined && found.length < LEVELS) {
    const size = side === 'bid' ? book.bidSizeAt(at) : book.askSizeAt(at);
    found.push(`${at}x${size}`);
    at = side === 'bid' ? book.nextBid(at) : book.nextAsk(at);
  }
  return found;
}
