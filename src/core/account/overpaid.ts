// Cash that has moved by a match of an earlier life which still holds its shares is not that match's: it is of one
// as large that nobody has told of.

import type { TokenId } from '../../domain/ids.ts';
import type { Balances } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { cashOf, mayBeOver, type PendingFill, sumOf } from '../inventory/pending.ts';
import type { MarketState } from '../market.ts';
import { isExplained } from '../orders/hold-sign.ts';
import type { World } from '../world.ts';
import { paidUnheard, restingShares, shownHeld, unseenThere } from './hold-proof.ts';

/** Sells of one token that are told apart by what is held; beyond that the ways to do so are too many for one read. */
const TOLD_APART_MAX = 24;

/** Asks of markets whether what is held and paid says of all their matches of earlier lives what became of them. */
export function unseenWhere(
  world: World,
  balances: Balances,
  askedAtMs: UnixMs,
): (market: MarketState) => boolean {
  if (isOverpaid(world, balances, askedAtMs)) return () => false;
  return unseenThere(world, balances, askedAtMs);
}

/** Whether sells of some amount have been paid more often than there are such that may hold nothing any more. */
function isOverpaid(world: World, { positions }: Balances, askedAtMs: UnixMs): boolean {
  const isPaid = paidUnheard(world);
  /** Payments less sells that they may be of, by their cash. */
  const over = new Map<number, number>();
  const count = (fill: PendingFill, by: number) => {
    const nano = cashOf(fill, fill.quantity);
    over.set(nano, (over.get(nano) ?? 0) + by);
  };
  for (const tokenId of world.byToken.keys()) {
    const sells = world.inventory.pendingFills(tokenId).filter(({ side }) => side === 'SELL');
    const unseen = sells.filter(mayBeOver);
    if (unseen.length === 0) continue;
    for (const fill of unseen) if (isPaid(fill)) count(fill, 1);
    const young = sumOf(sells) - sumOf(unseen);
    const held = { shown: shownHeld(positions, tokenId), young };
    for (const fill of freeOf(world, { tokenId, unseen, ...held }, askedAtMs)) count(fill, -1);
  }
  return [...over.values()].some((payments) => payments > 0);
}

type OfToken = {
  readonly tokenId: TokenId;
  readonly unseen: readonly PendingFill[];
  readonly shown: number;
  /** What matches of this life hold. */
  readonly young: number;
};

/**
 * Of each amount as many sells of a token as its shares held may be explained without; of more than can be told
 * apart all or none.
 */
function freeOf(
  world: World,
  { tokenId, unseen, shown, young }: OfToken,
  askedAtMs: UnixMs,
): readonly PendingFill[] {
  const market = world.marketOf(tokenId);
  if (market === undefined) return unseen;
  const resting = restingShares(world, market, tokenId, askedAtMs);
  const sure = resting.sure + young;
  const mayGo = (gone: readonly PendingFill[]) => {
    const others = unseen.filter((fill) => !gone.includes(fill)).map(({ quantity }) => quantity);
    return isExplained(shown, { sure, perhaps: [...resting.perhaps, ...others] }, 0);
  };
  if (unseen.length > TOLD_APART_MAX) return mayGo(unseen) ? unseen : [];
  const free: PendingFill[] = [];
  for (const fill of unseen) {
    const alike = free.filter(
      (each) => cashOf(each, each.quantity) === cashOf(fill, fill.quantity),
    );
    if (mayGo([...alike, fill])) free.push(fill);
  }
  return free;
}
