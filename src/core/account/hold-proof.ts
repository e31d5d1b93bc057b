// What the venue holds back, against what our orders and unsettled matches explain of it: a hold beyond
// them is of a match that nobody told us of, and a smaller one of a match that has settled unheard.

import type { TokenId } from '../../domain/ids.ts';
import type { Balances } from '../../domain/message.ts';
import { isOnBook } from '../../domain/order.ts';
import { type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { SETTLED_BY_MS } from '../inventory/lag.ts';
import { cashOf, mayBeOver, type PendingFill, sumOf } from '../inventory/pending.ts';
import type { MarketState } from '../market.ts';
import { type Held, isExplained } from '../orders/hold-sign.ts';
import { isExposed, type OwnOrder, remaining } from '../orders/own-order.ts';
import { expectedFeeNano } from '../risk/exposure.ts';
import { costNano } from '../risk/nano.ts';
import type { World } from '../world.ts';
import { YOUNG_MS } from './match-holds.ts';

/** Differences below a micro-dollar are rounding, not money. */
export const EPSILON_NANO = 1_000;
const LEGS = ['yes', 'no'] as const;

/** Just the cash is held that our live buys and unsettled matches explain: nothing unknown is matched. */
export function isHoldExplained(world: World, askedAtMs: UnixMs): boolean {
  return isExplained(world.account.onHoldNano, heldCash(world, askedAtMs), EPSILON_NANO);
}

/**
 * Whether what is held says at all whether something had traded unheard by a moment: where a match holds
 * nothing only its settlement shows, in cash.
 */
export function mayProve({ matchHolds }: World, sinceMs: UnixMs, askedAtMs: UnixMs): boolean {
  return askedAtMs - sinceMs > (matchHolds.isLetGo ? SETTLED_BY_MS : 0);
}

/** Learns from a read whose cash is explained, with nothing on its way, what a match holds. */
export function noteMatchHolds(world: World, askedAtMs: UnixMs): void {
  const fills = [...world.markets.values()].flatMap((market) => pendingOf(world, market));
  const buys = fills.filter(({ side }) => side === 'BUY');
  const isYoung = (fill: PendingFill) =>
    !mayBeOver(fill) && fill.atMs < askedAtMs && askedAtMs - fill.atMs < YOUNG_MS;
  if (buys.length === 0 || !buys.every(isYoung) || world.holds.elsewhereNano > 0) return;
  const { sure, perhaps, doubtful } = restingCash(world, askedAtMs);
  if (perhaps.length + doubtful.length > 0) return;
  world.matchHolds.onRead({
    onHoldNano: world.account.onHoldNano,
    restingNano: sure,
    matchedNano: buys.reduce((sum, fill) => sum - cashOf(fill, fill.quantity), 0),
    matchedAtMs: buys.map(({ atMs }) => atMs).reduce((one, other) => (one > other ? one : other)),
  });
}

/** Cash that live buys and unsettled matches of the account hold. */
export function heldCash(world: World, askedAtMs: UnixMs): Held {
  const held = restingCash(world, askedAtMs);
  if (world.matchHolds.isLetGo) return held;
  const isPaid = paidUnheard(world);
  for (const market of world.markets.values()) countBuys(held, { world, market, isPaid });
  return held;
}

function restingCash(world: World, askedAtMs: UnixMs): Held {
  const held: Held = { sure: 0, perhaps: [], doubtful: [] };
  for (const order of world.ledger.exposed()) {
    const market = world.markets.get(order.marketId);
    if (market === undefined || order.side !== 'BUY' || !isExposed(order)) continue;
    const rest = remaining(order);
    const feeNano = expectedFeeNano(market, order, rest);
    count(held, order, costNano(market.grid, order.price, rest) + feeNano, askedAtMs);
  }
  return held;
}

/** The same for the shares of a market that its sells hold back. */
export function areSharesExplained(
  world: World,
  market: MarketState,
  { positions }: Balances,
  askedAtMs: UnixMs,
): boolean {
  return LEGS.every((leg) => {
    const tokenId = market.tokenOf(leg);
    return isExplained(shownHeld(positions, tokenId), heldShares(world, tokenId, askedAtMs), 0);
  });
}

/** Shares of a token that the venue holds back. */
export function shownHeld(positions: Balances['positions'], tokenId: TokenId): MicroShares {
  const shown = positions.find((each) => each.tokenId === tokenId);
  return shown?.onHoldShareAmount ?? NO_SHARES;
}

/** Shares of a token that live sells and unsettled matches hold. */
export function heldShares(world: World, tokenId: TokenId, askedAtMs: UnixMs): Held {
  const market = world.marketOf(tokenId);
  if (market === undefined) return { sure: 0, perhaps: [], doubtful: [] };
  const held = restingShares(world, market, tokenId, askedAtMs);
  if (world.matchHolds.isLetGo) return held;
  for (const fill of world.inventory.pendingFills(tokenId)) {
    if (fill.side === 'SELL') countFill(held, fill, fill.quantity);
  }
  return held;
}

/** Those that live sells hold. */
export function restingShares(
  { ledger }: World,
  { market }: MarketState,
  tokenId: TokenId,
  askedAtMs: UnixMs,
): Held {
  const held: Held = { sure: 0, perhaps: [], doubtful: [] };
  for (const order of ledger.ofMarket(market.id)) {
    const isOfToken = order.tokenId === tokenId && order.side === 'SELL';
    if (isOfToken) count(held, order, remaining(order), askedAtMs);
  }
  return held;
}

/**
 * What was on the book before the balances were asked for holds all of its rest. What was on its way to
 * the book or off it does or does not. What nobody can tell of, by a lost answer, explains nothing: it
 * may never have arrived, and would hide as much of a match.
 */
function count(held: Held, order: OwnOrder, amount: number, askedAtMs: UnixMs): void {
  const { state, confirmedAtMs } = order;
  const wasThere = confirmedAtMs !== undefined && confirmedAtMs <= askedAtMs;
  if (isOnBook(state) && wasThere) held.sure += amount;
  else if (state === 'unknown' || state === 'cancelUnproven') held.doubtful.push(amount);
  else held.perhaps.push(amount);
}

/**
 * Matched buys that may have failed unattributed hold nothing by now, and so explain nothing: counted,
 * they would hide as much of a match that nobody told us of.
 */
function countBuys(
  held: Held,
  {
    world,
    market,
    isPaid,
  }: { readonly world: World; readonly market: MarketState; readonly isPaid: Paid },
): void {
  const mayHaveFailed = LEGS.some((leg) => world.inventory.isUnexplained(market.tokenOf(leg)));
  for (const leg of LEGS) {
    for (const fill of world.inventory.pendingFills(market.tokenOf(leg))) {
      if (fill.side !== 'BUY' || isPaid(fill)) continue;
      const amount = -cashOf(fill, fill.quantity);
      if (mayHaveFailed) held.doubtful.push(amount);
      else countFill(held, fill, amount);
    }
  }
}

type Paid = (fill: PendingFill) => boolean;

/** Asks of matches, one after the other, whether cash has moved by each before anybody told of it: it holds nothing. */
export function paidUnheard({ account }: World): Paid {
  const isPaid = account.paidUnheard();
  return (fill) => mayBeOver(fill) && isPaid?.(fill) === true;
}

/**
 * A match that this life did not see, and that is neither paid nor held any more, has failed: what is held proves
 * its market only where it is among that, or cash has moved by it. What it holds of a venue that lets go of what
 * has matched nobody knows until it settles.
 */
export function unseenThere(
  world: World,
  { positions }: Balances,
  askedAtMs: UnixMs,
): (market: MarketState) => boolean {
  const isPaid = paidUnheard(world);
  const isKnown = world.account.paidUnheard() !== undefined && !world.matchHolds.isLetGo;
  if (!isKnown) return () => true;
  const cash = restingCash(world, askedAtMs);
  const unheld: PendingFill[] = [];
  for (const market of world.markets.values()) {
    for (const fill of pendingOf(world, market)) {
      if (fill.side === 'BUY' && !isPaid(fill)) cash.sure -= cashOf(fill, fill.quantity);
    }
    for (const leg of LEGS) {
      unheld.push(
        ...unheldSells(world, { market, tokenId: market.tokenOf(leg), positions }, askedAtMs),
      );
    }
  }
  const isCashHeld = isExplained(world.account.onHoldNano, cash, EPSILON_NANO);
  // Payments of as much are anybody's of them: with too few of them each may be the one that failed.
  const isSalePaid = paidUnheard(world);
  const unpaid = unheld.filter((fill) => !isSalePaid(fill));
  const short = new Set(unpaid.map((fill) => cashOf(fill, fill.quantity)));
  return (market) =>
    pendingOf(world, market)
      .filter(mayBeOver)
      .every((fill) =>
        fill.side === 'BUY'
          ? isCashHeld
          : !unheld.includes(fill) || !short.has(cashOf(fill, fill.quantity)),
      );
}

/** Unseen sells of a token, where not all that it has matched is held. */
function unheldSells(
  world: World,
  at: {
    readonly market: MarketState;
    readonly tokenId: TokenId;
    readonly positions: Balances['positions'];
  },
  askedAtMs: UnixMs,
): readonly PendingFill[] {
  const { market, tokenId, positions } = at;
  const sells = world.inventory.pendingFills(tokenId).filter(({ side }) => side === 'SELL');
  const unseen = sells.filter(mayBeOver);
  if (unseen.length === 0) return [];
  const { sure, perhaps } = restingShares(world, market, tokenId, askedAtMs);
  const isHeld = (those: readonly PendingFill[]) =>
    isExplained(shownHeld(positions, tokenId), { sure: sure + sumOf(those), perhaps }, 0);
  if (isHeld(sells)) return [];
  const paid = new Set(unseen.filter(paidUnheard(world)));
  return isHeld(sells.filter((fill) => !paid.has(fill))) ? [...paid] : unseen;
}

function pendingOf({ inventory }: World, market: MarketState): readonly PendingFill[] {
  return LEGS.flatMap((leg) => [...inventory.pendingFills(market.tokenOf(leg))]);
}

/** What an earlier life left matched holds all of its amount, or has settled while nobody listened. */
function countFill(held: Held, fill: PendingFill, amount: number): void {
  if (mayBeOver(fill)) held.perhaps.push(amount);
  else held.sure += amount;
}
