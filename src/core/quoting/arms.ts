// Cancels that are decided on before a book moves. A bid is wrong once it lies above every bid that the strategy
// would want, an ask once it lies below every ask. Where the next target quotes would lie is not known; that they follow
// the middle is assumed, and learnt otherwise by market from what the cancels that fired were worth.
// @spec Architecture decision 16

import type {
  Arm,
  ArmedEnd,
  ArmedLevel,
  ArmedOrder,
  FiredCancel,
  MarketArms,
} from '../../domain/arms.ts';
import type { BookSide } from '../../domain/message.ts';
import { complement, type Ticks } from '../../domain/ticks.ts';
import type { Phase } from '../../domain/view.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { rankOf } from '../book/levels.ts';
import type { MarketState } from '../market.ts';
import { isCancellable, type OwnOrder } from '../orders/own-order.ts';
import type { World } from '../world.ts';
import { accountReason, marketReason } from './gate.ts';

/** A cancel has fired: the next decision says whether it should have. */
export function onFiredArm(
  { arms }: World,
  market: MarketState | undefined,
  fired: Pick<FiredCancel, 'marketId' | 'requestId'> & { readonly orders: readonly OwnOrder[] },
): void {
  arms.onFired(fired);
  arms.fired += fired.orders.length;
  if (market === undefined) return;
  const { aim } = market.desk;
  aim.fired = [...aim.fired, ...fired.orders];
}

/** Says of cancels that fired whether the decision behind them would have sent them too. */
export function judgeFired(
  { arms, nowMs }: World,
  { desk: { aim } }: MarketState,
  isWanted: (order: OwnOrder) => boolean,
): void {
  if (aim.fired.length === 0) return;
  const wrong = aim.fired.filter(isWanted).length;
  arms.wrong += wrong;
  arms.right += aim.fired.length - wrong;
  aim.fired = [];
  // Orders of one frame were right or wrong together: they teach once.
  if (wrong > 0) aim.onWrong(nowMs);
  else aim.onRight();
}

/** Behind everything that leaves with a tick: arms what was touched in it, as long as orders are quoted at all. */
export function armTouched(world: World, session: Quoting): void {
  const { arms, outbox } = world;
  if (!mayArm(world, session)) {
    if (arms.standing.size > 0) outbox.disarm(undefined);
    arms.standing.clear();
  } else for (const market of arms.touched) rearm(world, market);
  arms.touched.clear();
}

type Quoting = { readonly phase: Phase; readonly isMassCancelling: boolean };

function mayArm(world: World, { phase, isMassCancelling }: Quoting): boolean {
  if (world.settings?.orders.armedCancels !== true || !world.isGateOpen) return false;
  return !isMassCancelling && accountReason(world, phase, '') === undefined;
}

function rearm(world: World, market: MarketState): void {
  const { standing } = world.arms;
  const { id } = market.market;
  const before = standing.get(id);
  const found = sketch(world, market);
  if (found === undefined) {
    if (standing.delete(id)) world.outbox.disarm(id);
    return;
  }
  if (before !== undefined && isSame(before, found)) return;
  const arms: MarketArms = {
    marketId: id,
    version: world.arms.nextVersion(),
    yes: market.market.yes.tokenId,
    no: market.market.no.tokenId,
    ticksPerUnit: market.grid.ticksPerUnit,
    ...found,
    bids: armOf(world, found.bids, before?.bids),
    asks: armOf(world, found.asks, before?.asks),
  };
  standing.set(id, arms);
  world.outbox.arm(arms);
}

/** A request that was not sent yet may name other orders now. */
function armOf(
  { outbox }: World,
  orders: readonly ArmedOrder[],
  before: Arm | undefined,
): Arm | undefined {
  if (orders.length === 0) return undefined;
  return { requestId: before?.requestId ?? outbox.nextRequestId(), orders };
}

type Sketch = Pick<MarketArms, 'bid' | 'ask' | 'bidEnd' | 'askEnd' | 'own'> & {
  readonly bids: readonly ArmedOrder[];
  readonly asks: readonly ArmedOrder[];
};

function sketch(world: World, market: MarketState): Sketch | undefined {
  const { book, desk } = market;
  const [bid, ask] = [book.bestBid(), book.bestAsk()];
  if (bid === undefined || ask === undefined || bid >= ask) return undefined;
  if (world.nowMs < desk.aim.pausedUntilMs || marketReason(world, market)) return undefined;
  const middle = bid + ask;
  const bids = armedOrders(world, market, { side: 'bid', middle });
  const asks = armedOrders(world, market, { side: 'ask', middle });
  if (bids.length === 0 && asks.length === 0) return undefined;
  const bidEnd = endOf(market, 'bid', bid);
  const askEnd = endOf(market, 'ask', ask);
  return { bid, ask, bidEnd, askEnd, own: ownLevels(world, market), bids, asks };
}

/** As many as one request may name; what the venue refuses to take together a decision cancels. */
function armedOrders(
  world: World,
  market: MarketState,
  { side, middle }: { readonly side: AxisSide; readonly middle: number },
): readonly ArmedOrder[] {
  const furthest = furthestWanted(world, market, side);
  if (furthest === undefined) return [];
  const inward = side === 'bid' ? 1 : -1;
  const whole = side === 'bid' ? Math.floor(middle / 2) : Math.ceil(middle / 2);
  const armed: ArmedOrder[] = [];
  for (const order of world.ledger.ofMarket(market.market.id)) {
    const { orderHash } = order;
    if (orderHash === undefined || order.axisSide !== side || !isArmable(order)) continue;
    const slack = inward * (furthest - order.axisPrice);
    // What is not wanted now waits for its cancel already, or cannot have one.
    if (slack < 0) continue;
    const rightTo = 2 * (whole - inward * slack) - inward * market.desk.aim.caution;
    armed.push({ orderHash, rightTo });
  }
  const [first = []] = world.cancelBatches.group(
    armed.map(({ orderHash }) => orderHash),
    world.nowMs,
  );
  return first.length === armed.length
    ? armed
    : armed.filter(({ orderHash }) => first.includes(orderHash));
}

/** It rests whole and no cancel of it has failed: one that the venue may refuse is for a decision. */
function isArmable(order: OwnOrder): boolean {
  if (!isCancellable(order) || order.isTake === true) return false;
  return order.state === 'resting' && order.executed === 0 && order.cancelAttempts === 0;
}

/** The price nearest to the other side at which an order of a side may stay now. */
function furthestWanted(
  { settings }: World,
  { desk: { targets } }: MarketState,
  side: AxisSide,
): number | undefined {
  const inward = side === 'bid' ? 1 : -1;
  const tolerance = settings?.orders.priceToleranceTicks ?? 0;
  let furthest: number | undefined;
  for (const target of targets) {
    if (target.side !== side) continue;
    const price = target.worst ?? target.price + inward * tolerance;
    if (furthest === undefined || inward * (price - furthest) > 0) furthest = price;
  }
  return furthest;
}

/** The best level of others, where one token alone shows it and another level is behind it. */
function endOf(market: MarketState, side: AxisSide, best: Ticks): ArmedEnd | undefined {
  const { book, grid } = market;
  const next = side === 'bid' ? book.nextBid(best) : book.nextAsk(best);
  if (next === undefined) return undefined;
  // Equal ranks are equal prices on the axis.
  const rank = rankOf(grid, side, best);
  const noSide = other(side);
  const isOnYes = book.yes.mirror.levels(side).at(rank) > 0;
  const isOnNo = !book.isUnified && book.no.mirror.levels(noSide).at(rank) > 0;
  if (isOnYes === isOnNo) return undefined;
  const { yes, no } = market.market;
  if (isOnYes) return { tokenId: yes.tokenId, side, price: best, next };
  return { tokenId: no.tokenId, side: noSide, price: complement(grid, best), next };
}

/** Where own size shows, is about to, or may still. */
function ownLevels({ ledger }: World, market: MarketState): readonly ArmedLevel[] {
  const levels: ArmedLevel[] = [];
  for (const order of ledger.ofMarket(market.market.id)) addLevels(levels, market, order);
  for (const order of market.shown.keys()) addLevels(levels, market, order);
  return levels;
}

function addLevels(levels: ArmedLevel[], market: MarketState, order: OwnOrder): void {
  const { tokenId, price } = order;
  const side = order.side === 'BUY' ? 'bid' : 'ask';
  addLevel(levels, { tokenId, side, price });
  if (!market.book.isUnified) return;
  const sibling = market.tokenOf(order.leg === 'yes' ? 'no' : 'yes');
  addLevel(levels, { tokenId: sibling, side: other(side), price: complement(market.grid, price) });
}

function addLevel(levels: ArmedLevel[], level: ArmedLevel): void {
  if (!levels.some((each) => isSameLevel(each, level))) levels.push(level);
}

function isSame(before: MarketArms, now: Sketch): boolean {
  return (
    before.bid === now.bid &&
    before.ask === now.ask &&
    isSameEnd(before.bidEnd, now.bidEnd) &&
    isSameEnd(before.askEnd, now.askEnd) &&
    isSameList(before.own, now.own, isSameLevel) &&
    isSameList(before.bids?.orders ?? [], now.bids, isSameOrder) &&
    isSameList(before.asks?.orders ?? [], now.asks, isSameOrder)
  );
}

function isSameEnd(one: ArmedEnd | undefined, two: ArmedEnd | undefined): boolean {
  if (one === undefined || two === undefined) return one === two;
  return one.next === two.next && isSameLevel(one, two);
}

function isSameLevel(one: ArmedLevel, two: ArmedLevel): boolean {
  return one.price === two.price && one.side === two.side && one.tokenId === two.tokenId;
}

function isSameOrder(one: ArmedOrder, two: ArmedOrder): boolean {
  return one.rightTo === two.rightTo && one.orderHash === two.orderHash;
}

function isSameList<Item>(
  one: readonly Item[],
  two: readonly Item[],
  isSameItem: (one: Item, two: Item) => boolean,
): boolean {
  if (one.length !== two.length) return false;
  return one.every((item, index) => {
    const beside = two[index];
    return beside !== undefined && isSameItem(item, beside);
  });
}

function other(side: AxisSide): BookSide {
  return side === 'bid' ? 'ask' : 'bid';
}
