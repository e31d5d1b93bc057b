// Cancels that are decided on before a book moves. A bid is wrong once it lies above every bid that the strategy
// would want, an ask once it lies below every ask. Where the next target quotes would lie is not known; that they follow
// the middle is assumed, and learnt otherwise by market from what the cancels that fired were worth.
// @spec Architecture decision 16

import type {
  Arm,
  ArmedEnd,
  ArmedLevel,
  ArmedOrder,
  ArmedPlacement,
  FiredCancel,
  MarketArms,
} from '../../domain/arms.ts';
import type { BookSide } from '../../domain/message.ts';
import { complement, type Ticks } from '../../domain/ticks.ts';
import type { Phase } from '../../domain/view.ts';
import type { AxisSide } from '../../strategy/index.ts';
import { rankOf } from '../book/ladder.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { bookSideOf, isCancellable, type OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { QuotedMarket } from './market.ts';
import { accountReason, marketReason } from './reasons.ts';
import type { QuotingStores } from './stores.ts';

/** A cancel has fired: the next decision says whether it should have. */
export function onFiredArm(
  { arms }: QuotingStores,
  market: QuotedMarket | undefined,
  fired: Pick<FiredCancel, 'marketId' | 'requestId'> & { readonly orders: readonly OwnOrder[] },
): void {
  arms.onFired(fired);
  arms.fired += fired.orders.length;
  if (market === undefined) return;
  const { aim } = market.desk;
  aim.fired = [...aim.fired, ...fired.orders];
}

/** Says of cancels that fired, and of what has been placed ahead, whether the decision behind them wants the same. */
export function judgeFired(
  { arms, nowMs }: QuotingStores,
  { desk: { aim } }: QuotedMarket,
  isWanted: (order: OwnOrder) => boolean,
): void {
  if (aim.placed.length > 0) {
    const unwanted = aim.placed.filter((order) => !isWanted(order)).length;
    arms.placed += aim.placed.length;
    arms.unwanted += unwanted;
    aim.placed = [];
    aim.onPlaced(unwanted === 0, nowMs);
  }
  if (aim.fired.length === 0) return;
  const wrong = aim.fired.filter(isWanted).length;
  arms.wrong += wrong;
  arms.right += aim.fired.length - wrong;
  aim.fired = [];
  // Orders of one frame were right or wrong together: they teach once.
  if (wrong > 0) aim.onWrong(nowMs);
  else aim.onRight();
}

/** Decides on what replaces the quotes of a market, by the middles near the one of now. */
export type PlanAhead = (
  market: QuotedMarket,
  at: Sketch,
  /** What stands, where the same would be armed again. */
  before: readonly ArmedPlacement[] | undefined,
) => readonly ArmedPlacement[];

/** Behind everything else of a tick: arms what was touched in it, as long as orders are quoted at all. */
export function armTouched(stores: QuotingStores, session: Quoting, planAhead: PlanAhead): void {
  const { arms, outbox } = stores;
  if (!mayArm(stores, session)) {
    if (arms.standing.size > 0) outbox.disarm(undefined);
    arms.standing.clear();
  } else for (const market of arms.touched) rearm(stores, market, planAhead);
  arms.touched.clear();
}

type Quoting = { readonly phase: Phase; readonly isMassCancelling: boolean };

function mayArm(stores: QuotingStores, { phase, isMassCancelling }: Quoting): boolean {
  if (stores.settings?.orders.armedCancels !== true || !stores.gate.isOpen) return false;
  return !isMassCancelling && accountReason(stores, phase, '') === undefined;
}

function rearm(stores: QuotingStores, market: QuotedMarket, planAhead: PlanAhead): void {
  const { standing } = stores.arms;
  const { id } = market.market;
  const before = standing.get(id);
  const found = sketch(stores, market);
  if (found === undefined) {
    if (standing.delete(id)) stores.outbox.disarm(id);
    return;
  }
  if (before?.bid !== found.bid || before.ask !== found.ask)
    market.desk.aim.movedAtMs = stores.nowMs;
  const still = before !== undefined && isSame(before, found) ? before.placements : undefined;
  const placements = planAhead(market, found, still);
  if (still !== undefined && (placements === still || still.length + placements.length === 0))
    return;
  const arms: MarketArms = {
    marketId: id,
    version: stores.arms.nextVersion(),
    yes: market.market.yes.tokenId,
    no: market.market.no.tokenId,
    ticksPerUnit: market.grid.ticksPerUnit,
    ...found,
    bids: armOf(stores, found.bids, before?.bids),
    asks: armOf(stores, found.asks, before?.asks),
    placements,
    settingsVersion: stores.settingsVersion,
  };
  standing.set(id, arms);
  stores.outbox.arm(arms);
}

/** A request that was not sent yet may name other orders now. */
function armOf(
  { outbox }: KernelStores,
  orders: readonly ArmedOrder[],
  before: Arm | undefined,
): Arm | undefined {
  if (orders.length === 0) return undefined;
  return { requestId: before?.requestId ?? outbox.nextRequestId(), orders };
}

export type Sketch = Pick<MarketArms, 'bid' | 'ask' | 'bidEnd' | 'askEnd' | 'own'> & {
  readonly bids: readonly ArmedOrder[];
  readonly asks: readonly ArmedOrder[];
};

function sketch(stores: RiskStores, market: QuotedMarket): Sketch | undefined {
  const { book, desk } = market;
  const [bid, ask] = [book.bestBid(), book.bestAsk()];
  if (bid === undefined || ask === undefined || bid >= ask) return undefined;
  if (stores.nowMs < desk.aim.pausedUntilMs || marketReason(stores, market)) return undefined;
  const middle = bid + ask;
  const bids = armedOrders(stores, market, { side: 'bid', middle });
  const asks = armedOrders(stores, market, { side: 'ask', middle });
  if (bids.length === 0 && asks.length === 0) return undefined;
  const bidEnd = endOf(market, 'bid', bid);
  const askEnd = endOf(market, 'ask', ask);
  return { bid, ask, bidEnd, askEnd, own: ownLevels(stores, market), bids, asks };
}

/** As many as one request may name; what the venue refuses to take together a decision cancels. */
function armedOrders(
  stores: OrderStores,
  market: QuotedMarket,
  { side, middle }: { readonly side: AxisSide; readonly middle: number },
): readonly ArmedOrder[] {
  const furthest = furthestWanted(stores, market, side);
  if (furthest === undefined) return [];
  const inward = side === 'bid' ? 1 : -1;
  const whole = side === 'bid' ? Math.floor(middle / 2) : Math.ceil(middle / 2);
  const armed: ArmedOrder[] = [];
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    const { orderHash } = order;
    if (orderHash === undefined || order.axisSide !== side || !isArmable(order)) continue;
    const slack = inward * (furthest - order.axisPrice);
    // What is not wanted now waits for its cancel already, or cannot have one.
    if (slack < 0) continue;
    const rightTo = 2 * (whole - inward * slack) - inward * market.desk.aim.caution;
    armed.push({ orderHash, rightTo });
  }
  const [first = []] = stores.cancelBatches.group(
    armed.map(({ orderHash }) => orderHash),
    stores.nowMs,
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
  { settings }: KernelStores,
  { desk: { targets } }: QuotedMarket,
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
function endOf(market: QuotedMarket, side: AxisSide, best: Ticks): ArmedEnd | undefined {
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
function ownLevels({ ledger }: OrderStores, market: QuotedMarket): readonly ArmedLevel[] {
  const levels: ArmedLevel[] = [];
  for (const order of ledger.ofMarket(market.market.id)) addLevels(levels, market, order);
  for (const order of market.shown.keys()) addLevels(levels, market, order);
  return levels;
}

function addLevels(levels: ArmedLevel[], market: QuotedMarket, order: OwnOrder): void {
  const { tokenId, price } = order;
  const side = bookSideOf(order);
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
