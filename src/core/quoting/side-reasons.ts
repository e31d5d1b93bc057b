// The binding reason of each side without a quote, in the order in which a target quote becomes an order.

import type { AxisSide, Quote } from '../../strategy/index.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isRestingQuote } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { QuoteDesk, QuotedMarket, ReasonText } from './market.ts';
import { statusReason } from './status.ts';
import type { Target } from './target.ts';
import { type SideState, sideStateOf } from './uptime.ts';

const SIDES = ['bid', 'ask'] as const;

/** Keeps reasons and uptime of a market that was just planned. */
export function keepReasons(
  stores: OrderStores,
  market: QuotedMarket,
  of: {
    readonly blocked: ReasonText | undefined;
    readonly targets: readonly Target[];
    /** What the strategy wants, before filters; absent when it was not asked or failed. */
    readonly wanted?: readonly Quote[];
  },
): void {
  const { desk } = market;
  const blocked = of.blocked ?? statusReason(market, stores.nowMs);
  if (of.wanted !== undefined) noteWanted(desk, of.wanted);
  const quoted = { bid: false, ask: false };
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (isRestingQuote(order)) quoted[order.axisSide] = true;
  }
  const states: Record<AxisSide, SideState> = { bid: 'bare', ask: 'bare' };
  for (const side of SIDES) {
    const isFree = quoted[side] && blocked === undefined;
    const reason = isFree ? undefined : (blocked ?? sideReason(stores, market, side, of.targets));
    market.reasons.set(side, reason, stores.nowMs);
    states[side] = sideStateOf({
      isQuoted: quoted[side],
      isWanted: desk.isWanted[side],
      isVenueAnswering: stores.connection.isAnswering,
      code: reason?.code,
    });
  }
  desk.uptime.set(states, stores.nowMs);
}

function noteWanted(desk: QuoteDesk, wanted: readonly Quote[]): void {
  desk.isWanted.bid = wanted.some(({ side }) => side === 'bid');
  desk.isWanted.ask = wanted.some(({ side }) => side === 'ask');
}

function sideReason(
  stores: KernelStores,
  market: QuotedMarket,
  side: AxisSide,
  targets: readonly Target[],
): ReasonText {
  if (market.strategyFailure !== undefined) {
    return {
      code: 'strategy_failed',
      detail: `${market.strategy.name}: ${market.strategyFailure}`,
      clears: 'mend the strategy or its parameters',
    };
  }
  if (!targets.some((target) => target.side === side)) return unwished(market, side);
  const { running, over } = backoffReasons(stores, market, side);
  return running ?? market.desk.waiting[side] ?? over ?? IN_FLIGHT;
}

/** Nothing was wanted, or a guard took it away: the guard's word binds, for it came last. */
function unwished(market: QuotedMarket, side: AxisSide): ReasonText {
  const isOfSide = (each: { readonly side: AxisSide | 'both' }) =>
    each.side === side || each.side === 'both';
  const guard = market.desk.guards.find((each) => each.effect === 'pulled' && isOfSide(each));
  const shrunk = market.desk.guards.find((each) => each.effect !== 'pulled' && isOfSide(each));
  const own = market.strategyReasons.find(isOfSide);
  const found = guard ?? own ?? shrunk;
  if (found === undefined) {
    return {
      code: 'no_target',
      detail: `${market.strategy.name} target quotes no ${side}`,
      clears: 'the book or the position changes',
    };
  }
  const { code, detail, clears } = found;
  return { code, detail, clears };
}

type BackoffReasons = {
  readonly running?: ReasonText;
  /** Its pause has ended, and the next try has not left yet: it is still what keeps the side away. */
  readonly over?: ReasonText;
};

function backoffReasons(
  stores: KernelStores,
  market: QuotedMarket,
  side: AxisSide,
): BackoffReasons {
  const backoff = market.backoff[side];
  if (backoff === undefined) return NO_BACKOFF;
  const { code, detail } = backoff;
  const leftSec = Math.ceil((backoff.untilMs - stores.nowMs) / 1_000);
  if (leftSec <= 0) return { over: { code, detail, clears: 'tried again now' } };
  return { running: { code, detail, clears: `tried again in ${leftSec} s` } };
}

const NO_BACKOFF: BackoffReasons = Object.freeze({});

const IN_FLIGHT: ReasonText = {
  code: 'in_flight',
  detail: 'wanted, and waiting for a write or for its answer',
  clears: 'the venue answers',
};
