// What is held may be of an order on its way, or of a match that nobody told of: an order that ended unheard had
// perhaps matched. Where the one may pass for the other, what is held proves nothing of the market of that order.

import type { Balances } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { cashOf, mayBeOver, type PendingFill } from '../inventory/pending.ts';
import type { MarketState } from '../market.ts';
import { type Held, isExplained, mayHide } from '../orders/hold-sign.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';
import { costNano } from '../risk/nano.ts';
import type { World } from '../world.ts';
import { EPSILON_NANO, heldCash, heldShares, paidUnheard, shownHeld } from './hold-proof.ts';

const LEGS = ['yes', 'no'] as const;

/** What a read of the balances shows to be held, and what is known to hold. */
export type Holds = Pick<Balances, 'positions'> & {
  readonly askedAtMs: UnixMs;
  /** Of cash, which all markets share. */
  readonly cash: Omit<Room, 'most'>;
};

export function holdsOf(world: World, { positions }: Balances, askedAtMs: UnixMs): Holds {
  const shown = world.account.onHoldNano;
  const cash = { shown, held: heldCash(world, askedAtMs), earlier: earlierBuys(world) };
  return { positions, askedAtMs, cash };
}

/** Whether what is held leaves room for a match of an order of this market that ended unheard. */
export function mayHideMatch(
  world: World,
  market: MarketState,
  { positions, askedAtMs, cash }: Holds,
): boolean {
  const ends = [...world.ledger.ends.mayHaveTradedOf(market.market.id)];
  if (ends.length === 0) return false;
  const buys = ends.filter(({ side }) => side === 'BUY');
  const most = sumOf(buys, (order) => costNano(market.grid, order.price, remaining(order)));
  if (isRoomFor({ ...cash, most }, EPSILON_NANO)) return true;
  return LEGS.some((leg) => {
    const tokenId = market.tokenOf(leg);
    const sells = ends.filter((each) => each.side === 'SELL' && each.tokenId === tokenId);
    const shares = {
      shown: shownHeld(positions, tokenId),
      held: heldShares(world, tokenId, askedAtMs),
      earlier: unpaidOf(world, earlierOf(world, market, leg, 'SELL')).map(
        ({ quantity }) => quantity,
      ),
      most: sumOf(sells, remaining),
    };
    return isRoomFor(shares, 0);
  });
}

type Room = {
  readonly shown: number;
  readonly held: Held;
  /** Of matches of earlier lives: one that has settled since has moved the cash, which is explained. */
  readonly earlier: number[];
  /** All that the orders that ended can hold as matches. */
  readonly most: number;
};

function isRoomFor({ shown, held, earlier, most }: Room, epsilon: number): boolean {
  const { sure, perhaps } = held;
  if (most === 0 || isExplained(shown, { sure, perhaps: earlier }, epsilon)) return false;
  return mayHide(shown - sure, perhaps, { most, epsilon });
}

function earlierBuys(world: World): number[] {
  if (world.matchHolds.isLetGo) return [];
  const buys = [...world.markets.values()].flatMap((market) =>
    LEGS.flatMap((leg) => earlierOf(world, market, leg, 'BUY')),
  );
  return unpaidOf(world, buys).map((fill) => -cashOf(fill, fill.quantity));
}

/** Those that hold for sure as long as they wait: a payment of as much may be that of any of them. */
function unpaidOf(world: World, fills: readonly PendingFill[]): readonly PendingFill[] {
  const isPaid = paidUnheard(world);
  return fills.filter((fill) => !isPaid(fill));
}

function earlierOf(
  world: World,
  market: MarketState,
  leg: (typeof LEGS)[number],
  side: PendingFill['side'],
): readonly PendingFill[] {
  const fills = world.inventory.pendingFills(market.tokenOf(leg));
  return fills.filter((fill) => fill.side === side && mayBeOver(fill));
}

function sumOf(orders: readonly OwnOrder[], amountOf: (order: OwnOrder) => number): number {
  return orders.reduce((sum, order) => sum + amountOf(order), 0);
}
