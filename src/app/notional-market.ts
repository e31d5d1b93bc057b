// A market that nobody has seen: a calm book around a price, no inventory, no own orders, ample cash. What a strategy
// would quote there says whether anybody would ever reach it.

import { MarketBook, TokenAxisBook, type TokenBook } from '../core/book/axis.ts';
import { BookMirror } from '../core/book/mirror.ts';
import { OwnSizes } from '../core/book/own.ts';
import { eventId, marketId } from '../domain/ids.ts';
import { microShares, NO_SHARES, shares } from '../domain/shares.ts';
import { type TickGrid, ticks } from '../domain/ticks.ts';
import { unixMs } from '../domain/time.ts';
import { type Inventory, type QuoteContext, WITHOUT_EXPIRY } from '../strategy/index.ts';

const NOW_MS = unixMs(Date.UTC(2026, 0, 5));
const LEVELS = 5;
const LEVEL_SHARES = 200;
const AMPLE_USDC = 1_000_000;
/** Log-odds variance of a second in which a price of 0.50 moves some eight cents an hour. */
const VAR_PER_SEC = 0.1 / 3_600;

export type Notional = {
  readonly grid: TickGrid;
  /** The middle of the book, a whole tick. */
  readonly middleTicks: number;
  /** From it to the best price of each side. */
  readonly halfSpreadTicks: number;
  readonly maxPositionShares: number;
};

export function notionalContext<Params>(at: Notional, params: Params): QuoteContext<Params> {
  const { grid, middleTicks, halfSpreadTicks, maxPositionShares } = at;
  const yes = tokenBook(grid, middleTicks, halfSpreadTicks);
  const no = tokenBook(grid, grid.ticksPerUnit - middleTicks, halfSpreadTicks);
  const price = middleTicks / grid.ticksPerUnit;
  const flow = { trades: 0, boughtShares: NO_SHARES, soldShares: NO_SHARES };
  return {
    ...{ nowMs: NOW_MS, marketId: marketId('notional'), eventId: eventId('notional'), grid },
    expiryAtMs: undefined,
    book: new MarketBook(yes, no),
    tokenBooks: { yes: new TokenAxisBook(yes, 'yes'), no: new TokenAxisBook(no, 'no') },
    fair: {
      ...{ logOdds: Math.log(price / (1 - price)), logOddsVar: 0, price, ageMs: 0 },
      logOddsVarPerSec: VAR_PER_SEC,
      // Whoever follows a price from outside is given one that agrees.
      external: { price, logOddsVar: undefined, ageMs: 0 },
    },
    trades: { recent: [], lastMinute: flow, lastTenMinutes: flow },
    toxicity: {
      ...{ fills: 0, markout10sUsdc: undefined, markout60sUsdc: undefined },
      informedShare: undefined,
    },
    inventory: NOTHING,
    capital: { freeUsdc: AMPLE_USDC, allocatedUsdc: AMPLE_USDC, boundUsdc: 0 },
    maxPosition: shares(maxPositionShares),
    limits: {
      ...{ maxPositionShares, maxOrderNotionalUsdc: AMPLE_USDC },
      maxLossUsdc: AMPLE_USDC,
    },
    ownQuotes: [],
    ...WITHOUT_EXPIRY,
    fees: { takerRate: undefined },
    params,
    memory: undefined,
  };
}

const NONE = { yes: NO_SHARES, no: NO_SHARES };
const NOTHING: Inventory = {
  ...NONE,
  ...{ net: NO_SHARES, settled: NONE, matched: NONE, held: NONE, sets: microShares(0) },
  filled: { bought: NO_SHARES, sold: NO_SHARES },
};

function tokenBook(grid: TickGrid, middleTicks: number, halfSpreadTicks: number): TokenBook {
  const mirror = new BookMirror(grid, LEVELS);
  const side = (away: 1 | -1) =>
    Array.from({ length: LEVELS }, (_, level) => middleTicks + away * (halfSpreadTicks + level))
      .filter((count) => count >= 1 && count < grid.ticksPerUnit)
      .map((count) => ({ price: ticks(grid, count), size: shares(LEVEL_SHARES) }));
  mirror.onSnapshot({ bids: side(-1), asks: side(1), venueTs: undefined }, NOW_MS);
  return { mirror, own: new OwnSizes(grid) };
}
