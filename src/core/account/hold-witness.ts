// What the venue holds back as a witness of single placements that nobody answered. Lists and news say
// which order is whose; an amount held that nothing known explains says that a list may lack one.

import type { TokenId } from '../../domain/ids.ts';
import type { Balances } from '../../domain/message.ts';
import type { OrderReport } from '../../domain/order.ts';
import { formatShares, type MicroShares } from '../../domain/shares.ts';
import { formatPrice } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { MarketState } from '../market.ts';
import { type HoldSign, holdSigns } from '../orders/hold-sign.ts';
import type { SaidOfHolds } from '../orders/holds.ts';
import { type OwnOrder, remaining } from '../orders/own-order.ts';
import { costNano } from '../risk/nano.ts';
import type { World } from '../world.ts';
import { EPSILON_NANO, heldCash, heldShares, shownHeld } from './hold-proof.ts';

/**
 * So long after its last moment to arrive holds keep a placement in doubt that no list shows. What rests is
 * on lists, and what has matched holds for 15 to 20 s; after three times that it is somebody else's hold.
 * @spec States and transitions
 */
const HELD_MS = 60_000;
/** So long lists wait for a read of the balances that can speak: each that misses an order asks for one. */
const UNREAD_MS = 10_000;
/** Orders that ended while a read was on its way: with more of them it says too little. */
const ENDED_MAX = 8;

/**
 * Takes in what a read of the balances says of placements without an answer. One during which something
 * settled or failed, whose cash nothing explains, or that shows less than should be held, says nothing.
 * @returns Whether it fits one of them of which no read said so before, so that a list is worth a look.
 */
export function witnessHolds(world: World, balances: Balances, askedAtMs: UnixMs): boolean {
  const { holds, account } = world;
  const unknown = unknownOrders(world);
  const before = new Map(unknown.flatMap((order) => entryOf(order, holds.of(order))));
  const known = new Map(before);
  holds.keep(known);
  if (unknown.length === 0 || account.askedAtMs !== askedAtMs) return false;
  const ended = world.ledger.endedSince(askedAtMs);
  if (ended.length > ENDED_MAX || !isStill(world, askedAtMs)) return false;
  const signOf = signsOf(world, balances, { askedAtMs, ended });
  for (const order of unknown) {
    const market = world.markets.get(order.marketId);
    if (market === undefined) continue;
    const sign = signOf(market, order);
    if (sign === 'unclear') continue;
    known.set(order, { sign, askedAtMs });
    if (sign !== 'explained') market.isDirty = true;
  }
  return unknown.some(
    (order) => known.get(order)?.sign === 'fits' && before.get(order)?.sign !== 'fits',
  );
}

/** Whether what is held has been read since a placement could arrive no more. */
export function isHoldRead(world: World, order: OwnOrder): boolean {
  const said = world.holds.of(order);
  return said !== undefined && said.askedAtMs > world.mayArriveUntilMs(order);
}

/** Whether holds leave open that a placement is there which no list shows, though it can arrive no more. */
export function mayBeHeld(world: World, order: OwnOrder): boolean {
  const untilMs = world.mayArriveUntilMs(order);
  const said = world.holds.of(order);
  const isUnread = said === undefined || said.askedAtMs <= untilMs;
  if (isUnread) return world.nowMs < addMs(untilMs, UNREAD_MS);
  return said.sign !== 'explained' && world.nowMs < addMs(untilMs, HELD_MS);
}

/** How long at most a placement that no list shows stays in doubt for what is held; none for others. */
export function heldUntilMs(world: World, order: OwnOrder): UnixMs | undefined {
  if (order.state !== 'unknown') return undefined;
  const untilMs = world.mayArriveUntilMs(order);
  const said = world.holds.of(order);
  if (said === undefined || said.sign === 'explained' || said.askedAtMs <= untilMs)
    return undefined;
  return addMs(untilMs, HELD_MS);
}

/** Tells once that what is held speaks for a placement that no list shows, and when it is given up all the same. */
export function tellHeld(world: World, order: OwnOrder, isGivenUp: boolean): void {
  const grid = world.markets.get(order.marketId)?.grid;
  const isHeld = heldUntilMs(world, order) !== undefined;
  if (grid === undefined || !isHeld || (!isGivenUp && !world.holds.tell(order))) return;
  world.outbox.report({
    event: 'order.held_unlisted',
    tokenId: order.tokenId,
    side: order.side,
    price: formatPrice(grid, order.price),
    quantity: formatShares(order.quantity),
    isExact: world.holds.of(order)?.sign === 'fits',
    isGivenUp,
  });
}

/** Cash that orders on a list hold, as far as the ledger does not have them. */
export function noteElsewhere(world: World, reports: readonly OrderReport[]): void {
  const { ledger, listAskedAtMs } = world;
  let nano = 0;
  for (const report of reports) {
    const { side, price, ticksPerUnit, quantity, executed, orderHash } = report;
    if (side !== 'BUY' || ledger.byHash(orderHash) !== undefined) continue;
    if (ledger.hasEndedSince(orderHash, listAskedAtMs)) continue;
    if (ticksPerUnit !== undefined) nano += price * (1_000 / ticksPerUnit) * (quantity - executed);
  }
  world.holds.elsewhereNano = nano;
}

function entryOf(
  order: OwnOrder,
  said: SaidOfHolds | undefined,
): readonly [OwnOrder, SaidOfHolds][] {
  return said === undefined ? [] : [[order, said]];
}

function unknownOrders(world: World): readonly OwnOrder[] {
  return [...world.ledger.exposed()].filter(({ state }) => state === 'unknown');
}

/** Nothing of the account moved since the read was asked for but orders. */
function isStill({ account, lastFailed }: World, askedAtMs: UnixMs): boolean {
  const movedAtMs = Math.max(account.lastFlowAtMs ?? 0, lastFailed?.atMs ?? 0);
  return account.isExplained && movedAtMs < askedAtMs;
}

type Read = { readonly askedAtMs: UnixMs; readonly ended: readonly OwnOrder[] };

type SignOf = (own: number) => HoldSign;

/** Each amount is taken apart once, however many orders it may be of. */
function signsOf(
  world: World,
  { positions }: Balances,
  read: Read,
): (market: MarketState, order: OwnOrder) => HoldSign {
  const ofCash = cashSigns(world, read);
  const byToken = new Map<TokenId, SignOf>();
  return (market, order) => {
    const { tokenId, side, price } = order;
    if (side === 'BUY') return ofCash(costNano(market.grid, price, remaining(order)));
    const known = byToken.get(tokenId);
    const ofShares = known ?? shareSigns(world, tokenId, shownHeld(positions, tokenId), read);
    byToken.set(tokenId, ofShares);
    return ofShares(remaining(order));
  };
}

function cashSigns(world: World, { askedAtMs, ended }: Read): SignOf {
  const held = heldCash(world, askedAtMs);
  const { elsewhereNano } = world.holds;
  if (elsewhereNano > 0) held.perhaps.push(elsewhereNano);
  for (const order of ended) {
    const grid = world.markets.get(order.marketId)?.grid;
    if (grid === undefined || order.side !== 'BUY') continue;
    held.perhaps.push(costNano(grid, order.price, remaining(order)));
  }
  return holdSigns(world.account.onHoldNano, held, EPSILON_NANO);
}

function shareSigns(
  world: World,
  tokenId: TokenId,
  shown: MicroShares,
  { askedAtMs, ended }: Read,
): SignOf {
  const held = heldShares(world, tokenId, askedAtMs);
  for (const order of ended) {
    if (order.tokenId === tokenId && order.side === 'SELL') held.perhaps.push(remaining(order));
  }
  return holdSigns(shown, held, 0);
}
