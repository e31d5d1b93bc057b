// Why something is not quoted: the whole account, a market, or a side of it. The first reason in this order binds.

import type { MarketId } from '../../domain/ids.ts';
import type { Leg } from '../../domain/market.ts';
import type { StoredMarketStop } from '../../domain/risk.ts';
import { clampShares, formatShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Phase } from '../../domain/view.ts';
import type { AxisSide, Quote } from '../../strategy/index.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isRestingQuote } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { PositionStores } from '../positions/stores.ts';
import { isReconciling, widthOf } from '../risk/divergence.ts';
import type { RiskStores } from '../risk/stores.ts';
import type { QuotedMarket, ReasonText, Target } from './market.ts';
import type { QuotingStores } from './stores.ts';
import { type SideState, sideStateOf } from './uptime.ts';

/** Why nothing at all may be quoted, `undefined` when the account is free to. */
export function accountReason(
  stores: QuotingStores,
  phase: Phase,
  phaseDetail: string,
): ReasonText | undefined {
  if (phase !== 'quoting') {
    return { code: phase, detail: phaseDetail, clears: PHASE_CLEARS[phase] };
  }
  if (stores.gate.ledgerFault !== undefined) {
    return {
      code: 'ledger_not_writable',
      detail: `orders cannot be kept: ${stores.gate.ledgerFault}`,
      clears: 'the disk of `journal.path` can be written again; it is tried every second',
    };
  }
  if (!stores.connection.isSocketOpen) {
    return {
      code: 'socket_lost',
      detail: 'the venue socket is not connected',
      clears: 'the socket reconnects by itself',
    };
  }
  if (!stores.connection.isAuthenticated && stores.connection.authRefusal !== undefined) {
    return {
      code: 'credentials_refused',
      detail: `the venue refuses our session: ${stores.connection.authRefusal}; open orders cannot be cancelled`,
      clears: 'new credentials in VENUE_CREDENTIALS_FILE, read again by itself, or a restart',
    };
  }
  if (!stores.connection.isAuthenticated) {
    return {
      code: 'user_channel_down',
      detail: 'own fills and cancels cannot be seen',
      clears: 'the socket authenticates again',
    };
  }
  if (stores.cash.cashNano === undefined) {
    return {
      code: 'balances_unknown',
      detail: 'no balances have been read',
      clears: 'GET /portfolio/balances answers',
    };
  }
  const backoff = stores.gate.backoff;
  if (backoff !== undefined && stores.nowMs < backoff.untilMs) {
    return {
      code: backoff.code,
      detail: `order writes rest for ${Math.ceil((backoff.untilMs - stores.nowMs) / 1_000)} s`,
      clears: 'the pause ends by itself',
    };
  }
  return undefined;
}

/** Why this market has no quotes, apart from its strategy and its limits. */
export function marketReason(stores: RiskStores, market: QuotedMarket): ReasonText | undefined {
  const stop = stores.controls.marketStops.of(market.market.id);
  if (stop !== undefined) return stoppedReason(stop);
  const leaving = leavingReason(market);
  if (leaving !== undefined) return leaving;
  const closed = statusReason(market, stores.nowMs);
  if (closed !== undefined && !mayProbe(market, stores.nowMs)) return closed;
  const unread = booksReason(market);
  if (unread !== undefined) return unread;
  if (isReconciling(market, stores.nowMs)) return reconciling(stores, market);
  return undefined;
}

/** What would keep the market from being quoted whatever is wanted of it: behind a stop nobody sees it. */
export function conditionReason(market: QuotedMarket, nowMs: UnixMs): ReasonText | undefined {
  return leavingReason(market) ?? statusReason(market, nowMs) ?? booksReason(market);
}

function leavingReason({ isRegridding, isLeaving }: QuotedMarket): ReasonText | undefined {
  if (isRegridding) {
    return {
      code: 'tick_size_changes',
      detail: 'the venue changed the tick size: what rests is on the old one',
      clears:
        'its last order is gone, or the venue has refused to cancel it; then it comes back by itself',
    };
  }
  if (!isLeaving) return undefined;
  return {
    code: 'not_configured',
    detail: 'the market was taken out of the configuration',
    clears: 'put it back under `markets`',
  };
}

/** Why a market that does not trade has no quotes; `undefined` for one that does. */
function statusReason(market: QuotedMarket, nowMs: UnixMs): ReasonText | undefined {
  const { status, live, market: listed } = market;
  if (status === 'open') return undefined;
  const code = `market_${status}`;
  if (live.status !== status) {
    const word = listed.enableOrderBook ? status : 'without an order book (enableOrderBook: false)';
    return { code, detail: `the catalogue lists it as ${word}`, clears: CATALOGUE_CLEARS };
  }
  return {
    code,
    detail: `considered ${status}: ${live.evidence}`,
    clears: clearsText(live.probeAtMs, nowMs),
  };
}

const CATALOGUE_CLEARS = 'the catalogue lists it as open';

function clearsText(probeAtMs: UnixMs | undefined, nowMs: UnixMs): string {
  if (probeAtMs === undefined) return 'nothing: an outcome is final';
  const leftSec = Math.ceil((probeAtMs - nowMs) / 1_000);
  const when = leftSec > 0 ? `in ${leftSec} s` : 'now';
  return `the venue reopens it, or accepts one order that asks ${when}`;
}

/** Whether one order may ask if it trades again. */
function mayProbe({ status, live }: QuotedMarket, nowMs: UnixMs): boolean {
  return live.status === status && live.isProbeDue(nowMs);
}

function booksReason(market: QuotedMarket): ReasonText | undefined {
  return bookReason(market, 'yes') ?? bookReason(market, 'no');
}

export function stoppedReason({ stop, by, marketId }: StoredMarketStop): ReasonText {
  return {
    code: stop === 'kill' ? 'operator_killed' : 'operator_paused',
    detail: `this market was ${stop === 'kill' ? 'killed' : 'paused'} by ${by}`,
    clears: resumesMarket(marketId),
  };
}

/** What lifts the stop of one market, for people. */
export function resumesMarket(marketId: MarketId): string {
  return `bookend resume --market ${marketId}`;
}

function reconciling(stores: PositionStores, market: QuotedMarket): ReasonText {
  const width = formatShares(clampShares(widthOf(stores, market)));
  return {
    code: 'reconciling',
    detail: `${width} shares may have traded without a report; quotes are away so that balances can tell`,
    clears: 'balances stay the same for as long as positions lag, or a report says what traded',
  };
}

function bookReason(market: QuotedMarket, leg: Leg): ReasonText | undefined {
  const { mirror } = market.book[leg];
  const trust = market.trust[leg];
  const which = leg.toUpperCase();
  switch (trust.state) {
    case 'trusted':
      if (mirror.isPriceable) return undefined;
      return {
        code: 'partial_update',
        detail: `the ${which} book is between two frames of one flush`,
        clears: 'the rest of the flush arrives',
      };
    case 'suspect':
      return {
        code: 'suspect_book',
        detail: `${which} book: ${trust.signal}, ${trust.detail}`,
        clears: 'a fresh snapshot, asked for by itself',
      };
    case 'resyncing':
      return {
        code: 'no_book',
        detail: `the ${which} book waits for a snapshot (${trust.signal}: ${trust.detail})`,
        clears: 'the venue sends one after the subscription',
      };
    case 'dead':
      return {
        code: 'dead_book',
        detail: `the ${which} book cannot be had (${trust.signal}: ${trust.detail})`,
        clears: 'the venue sends a snapshot; subscription, REST and connection are tried in turn',
      };
  }
}

const PHASE_CLEARS: Readonly<Record<Phase, string>> = {
  starting: 'catalogue, socket and balances arrive',
  clearing: 'the venue shows no order of a previous run',
  quoting: '',
  paused: 'bookend resume',
  halted: 'bookend resume, after the cause is understood',
  killing: 'the kill is confirmed, then bookend resume',
  killed: 'bookend resume',
  stopping: 'nothing: the process ends',
  stopped: 'nothing: the process ends',
};

// The binding reason of each side without a quote, in the order in which a target quote becomes an order.

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
  const quoted = { bid: false, ask: false };
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (isRestingQuote(order)) quoted[order.axisSide] = true;
  }
  const states: Record<AxisSide, SideState> = { bid: 'bare', ask: 'bare' };
  for (const side of SIDES) {
    if (of.wanted !== undefined)
      desk.isWanted[side] = of.wanted.some((quote) => quote.side === side);
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
  if (!targets.some((target) => target.side === side)) return untargeted(market, side);
  const pause = market.backoff[side];
  const leftSec = pause && Math.max(0, Math.ceil((pause.untilMs - stores.nowMs) / 1_000));
  const paused = pause && {
    code: pause.code,
    detail: pause.detail,
    clears: leftSec ? `tried again in ${leftSec} s` : 'tried again now',
  };
  // Behind its end, while the next try has not left yet, it is still what keeps the side away.
  return (leftSec ? paused : market.desk.waiting[side]) ?? paused ?? IN_FLIGHT;
}

/** Nothing was wanted, or a guard took it away: the guard's word binds, for it came last. */
function untargeted(market: QuotedMarket, side: AxisSide): ReasonText {
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

const IN_FLIGHT: ReasonText = {
  code: 'in_flight',
  detail: 'wanted, and waiting for a write or for its answer',
  clears: 'the venue answers',
};
