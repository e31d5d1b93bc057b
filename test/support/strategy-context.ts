// A context as the core makes it, for tests of strategies: real books from stated levels, and
// neutral values for everything that a test does not speak of.

import { MarketBook, TokenAxisBook, type TokenBook } from '../../src/core/book/axis.ts';
import { BookMirror } from '../../src/core/book/mirror.ts';
import { OwnSizes } from '../../src/core/book/own.ts';
import { eventId, marketId } from '../../src/domain/ids.ts';
import { microShares, NO_SHARES, shares } from '../../src/domain/shares.ts';
import { type TickGrid, tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import type {
  FairValue,
  Inventory,
  Json,
  OwnQuote,
  PublicTrade,
  QuoteContext,
  Toxicity,
} from '../../src/strategy/index.ts';

export const NOW_MS = 1_700_000_000_000;

/** Price in ticks and shares. */
export type Rung = readonly [priceTicks: number, size: number];
export type Rungs = { readonly bids: readonly Rung[]; readonly asks: readonly Rung[] };

/** What a test states of a market; the rest is neutral. */
export type Scene = {
  readonly tickSize?: '0.01' | '0.001';
  readonly yes?: Rungs;
  readonly no?: Rungs;
  readonly yesShares?: number;
  readonly noShares?: number;
  /** Shares that own orders have bought and sold; by default the position came from them. */
  readonly filled?: { readonly bought: number; readonly sold: number };
  readonly maxPosition?: number;
  /** Probability; by default the middle of the joint book, where it has one. */
  readonly fair?: number;
  readonly fairVar?: number;
  readonly varPerSec?: number;
  readonly fairAgeMs?: number;
  readonly external?: { readonly price: number; readonly ageMs: number };
  readonly trades?: readonly PublicTrade[];
  readonly toxicity?: Partial<Toxicity>;
  readonly freeUsdc?: number;
  readonly leftMs?: number;
  readonly takerRate?: number;
  readonly ownQuotes?: readonly OwnQuote[];
  readonly nowMs?: number;
  readonly memory?: Json;
  readonly name?: string;
};

export const NO_RUNGS: Rungs = { bids: [], asks: [] };

export function quoteContext<Params>(scene: Scene, params: Params): QuoteContext<Params> {
  const grid = tickGrid(scene.tickSize ?? '0.01');
  const nowMs = unixMs(scene.nowMs ?? NOW_MS);
  const yesBook = tokenBook(grid, scene.yes ?? NO_RUNGS);
  const noBook = tokenBook(grid, scene.no ?? NO_RUNGS);
  const book = new MarketBook(yesBook, noBook);
  const expiryAtMs = scene.leftMs === undefined ? undefined : unixMs(nowMs + scene.leftMs);
  const maxPositionShares = scene.maxPosition ?? 500;
  return {
    nowMs,
    marketId: marketId(scene.name ?? 'rain'),
    eventId: eventId('weather'),
    grid,
    expiryAtMs,
    book,
    tokenBooks: { yes: new TokenAxisBook(yesBook, 'yes'), no: new TokenAxisBook(noBook, 'no') },
    fair: fairOf(scene, book, grid),
    trades: tradesOf(scene.trades ?? []),
    toxicity: {
      fills: 0,
      markout10sUsdc: undefined,
      markout60sUsdc: undefined,
      informedShare: undefined,
      ...scene.toxicity,
    },
    inventory: inventoryOf(scene),
    capital: {
      freeUsdc: scene.freeUsdc ?? 10_000,
      allocatedUsdc: scene.freeUsdc ?? 10_000,
      boundUsdc: 0,
    },
    maxPosition: shares(maxPositionShares),
    limits: { maxPositionShares, maxOrderNotionalUsdc: 1_000, maxLossUsdc: 1_000 },
    ownQuotes: scene.ownQuotes ?? [],
    life: { expiryAtMs, leftMs: scene.leftMs, durationMs: undefined },
    fees: { takerRate: scene.takerRate },
    params,
    memory: scene.memory,
  };
}

function inventoryOf({ yesShares: yes = 0, noShares: no = 0, filled }: Scene): Inventory {
  const held = { yes: shares(yes), no: shares(no) };
  return {
    ...held,
    net: microShares(held.yes - held.no),
    settled: held,
    matched: { yes: NO_SHARES, no: NO_SHARES },
    held: { yes: NO_SHARES, no: NO_SHARES },
    filled: { bought: shares(filled?.bought ?? yes), sold: shares(filled?.sold ?? no) },
    sets: microShares(Math.min(held.yes, held.no)),
  };
}

function fairOf(scene: Scene, book: MarketBook, grid: TickGrid): FairValue | undefined {
  const bid = book.bestBid();
  const ask = book.bestAsk();
  const isTwoSided = bid !== undefined && ask !== undefined && bid < ask;
  const price = scene.fair ?? (isTwoSided ? (bid + ask) / 2 / grid.ticksPerUnit : undefined);
  if (price === undefined) return undefined;
  return {
    logOdds: Math.log(price / (1 - price)),
    logOddsVar: scene.fairVar ?? 0,
    price,
    logOddsVarPerSec: scene.varPerSec,
    ageMs: scene.fairAgeMs ?? 0,
    external:
      scene.external === undefined ? undefined : { ...scene.external, logOddsVar: undefined },
  };
}

function tradesOf(recent: readonly PublicTrade[]): QuoteContext<unknown>['trades'] {
  const flow = {
    trades: recent.length,
    boughtShares: sumOf(recent, 'buys'),
    soldShares: sumOf(recent, 'sells'),
  };
  return { recent, lastMinute: flow, lastTenMinutes: flow };
}

function sumOf(trades: readonly PublicTrade[], taker: PublicTrade['taker']) {
  const own = trades.filter((trade) => trade.taker === taker);
  return microShares(own.reduce((sum, trade) => sum + trade.size, 0));
}

function tokenBook(grid: TickGrid, rungs: Rungs): TokenBook {
  const mirror = new BookMirror(grid, 1_000);
  const level = ([price, size]: Rung) => ({ price: ticks(grid, price), size: shares(size) });
  const levels = { bids: rungs.bids.map(level), asks: rungs.asks.map(level) };
  mirror.onSnapshot({ ...levels, venueTs: undefined }, unixMs(0));
  return { mirror, own: new OwnSizes(grid) };
}
