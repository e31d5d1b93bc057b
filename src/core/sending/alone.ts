// An order was refused without a code, as an item of a batch is: those like it go alone, one after the
// other, until one of them is refused again, with what the venue says to it alone.
// @spec Endpoints › Orders › POST /orders/batch

import { isInFlight } from '../../domain/order.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { Missing } from '../quoting/target.ts';
import type { RiskStores } from '../risk/stores.ts';
import { WRITE_WINDOW_MS } from './budget.ts';
import type { MarketState } from './market.ts';
import { isAsking } from './restriction.ts';
import type { SendingStores } from './stores.ts';

/** An order that would tell the code of a refusal may not be wanted again: this long is enough. */
const ALONE_MS = 60_000;

/** Whether its orders go alone; when the time for that is over they go like any other. */
export function isGoingAlone(stores: RiskStores, market: MarketState): boolean {
  const { nowMs } = stores;
  const { goesAlone } = market;
  const isSuspected = goesAlone !== undefined && nowMs < goesAlone.untilMs;
  return isSuspected || isProbing(market) || isAsking(stores);
}

/** What it lacks asks whether it trades again: nothing else of it leaves. */
export function isProbing({ status }: MarketState): boolean {
  return status !== 'open';
}

/** Many may be paused at once, and what asks for them is taken from those that trade: this part of the writes. */
const PROBES_PART = 1 / 4;

function mayProbeNow({ budget, probedAtMs, nowMs }: SendingStores): boolean {
  return nowMs - probedAtMs >= WRITE_WINDOW_MS / (budget.perWindow * PROBES_PART);
}

/** The venue said no to one of several and not why. */
export function goAlone(stores: KernelStores, market: MarketState, { leg, side }: OwnOrder): void {
  market.goesAlone = { leg, side, untilMs: stores.nowMs + ALONE_MS };
}

/** One like it was refused with a word of its own: there is nothing more to learn. */
export function onAnsweredAlone(market: MarketState, { leg, side }: OwnOrder): void {
  const { goesAlone } = market;
  if (goesAlone?.leg === leg && goesAlone.side === side) market.goesAlone = undefined;
}

/**
 * Whether nothing is left to learn from when this order leaves. Only an order like the one that was refused
 * tells why; another one may well be taken, and so may a nearer one like it, so all that are missing go alone.
 */
export function isLastAlone(
  { nowMs }: KernelStores,
  { goesAlone, missing }: MarketState,
  { leg, side, axisSide }: OwnOrder,
): boolean {
  if (goesAlone === undefined || nowMs >= goesAlone.untilMs) return true;
  if (goesAlone.leg !== leg || goesAlone.side !== side) return false;
  return !missing.some((each) => each.side === axisSide);
}

/**
 * One like the order that was refused has gone alone: its answer comes before the next one of its side. So it does
 * of one that asks whether the market trades, and others that ask take turns.
 */
export function awaitsLone(stores: SendingStores, market: MarketState, { side }: Missing): boolean {
  const { goesAlone } = market;
  const isAny = isProbing(market);
  if (goesAlone === undefined && !isAny) return false;
  if (isAny && !mayProbeNow(stores)) return true;
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    const isLike = order.leg === goesAlone?.leg && order.side === goesAlone.side;
    const isAsker = isAny || (isLike && order.axisSide === side);
    if (isAsker && isInFlight(order.state)) return true;
  }
  return false;
}
