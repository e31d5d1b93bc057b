// The recycler at work: looks at the markets in turn, and has at most one chain action of its own under
// way. Cash confirms chain actions by its sum, and two at once could not be told apart.

import { LEGS, type Leg } from '../../domain/market.ts';
import {
  RECYCLER,
  RECYCLER_DEFAULTS,
  type RecyclerSettings,
  type SetsOrder,
} from '../../domain/sets.ts';
import { formatShares, microShares, NO_SHARES } from '../../domain/shares.ts';
import { NANO_PER_USDC, payoutNano } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isExposed } from '../orders/own-order.ts';
import type { SetsRequest } from '../positions/sets-book.ts';
import type { PositionStores } from '../positions/stores.ts';
import { capitalOf } from '../quoting/context.ts';
import { marketReason, stoppedReason } from '../quoting/gate.ts';
import type { QuotedMarket, ReasonText } from '../quoting/market.ts';
import type { QuotingStores } from '../quoting/stores.ts';
import { clearsText, isAtLeast } from '../risk/latches.ts';
import { prefersSell } from '../risk/limits.ts';
import { RiskPass } from '../risk/risk-pass.ts';
import type { RiskStores } from '../risk/stores.ts';
import { recycle, type SetsSituation } from './recycler.ts';
import { isAnyUnderWay, onSetsOrder, roomForSets } from './sets.ts';
import type { SetsStores } from './stores.ts';

/** Markets looked at in one tick: a thousand of them take seconds, and no tick feels it. */
const LOOKS_PER_TICK = 8;
/** A market is looked at this often at most; sets come from fills that settle for 15 s. */
const LOOK_MS = 2_000;
/** Failures in a row double the pause up to this. */
const PAUSE_MS_MAX = 3_600_000;

/** Looks at the next markets. @returns Whether a chain action was sent. */
export function recycleSets(stores: SetsStores): boolean {
  const { recycling, markets, marketsVersion } = stores;
  for (const market of recycling.next(markets, marketsVersion, LOOKS_PER_TICK)) {
    const settings = market.choice.sets ?? RECYCLER_DEFAULTS;
    if (settings.mode === 'off') {
      market.desk.sets.clear();
      continue;
    }
    const { nowMs } = stores;
    if (nowMs - (market.desk.sets.lookedAtMs ?? 0) < LOOK_MS) continue;
    market.desk.sets.lookedAtMs = nowMs;
    if (look(stores, market, settings)) return true;
  }
  return false;
}

function look(stores: SetsStores, market: QuotedMarket, settings: RecyclerSettings): boolean {
  const { desk } = market;
  const held = heldBack(stores, market, settings);
  if (held !== undefined) {
    desk.sets.rest(held, stores.nowMs);
    return false;
  }
  const verdict = recycle(situationOf(stores, market), settings);
  if (verdict.kind === 'rest') {
    desk.sets.rest(verdict.reason, stores.nowMs);
    return false;
  }
  const { action, amount, detail } = verdict;
  const request = { action, amount: formatShares(amount ?? NO_SHARES) };
  if (settings.mode === 'dry-run') {
    desk.sets.rest(DRY_RUN, stores.nowMs, request);
    if (desk.sets.isNew(request, { nowMs: stores.nowMs, pauseMs: settings.pauseMs })) {
      const marketId = market.market.id;
      stores.outbox.report({ event: 'sets.advised', marketId, ...request, detail });
    }
    return false;
  }
  desk.sets.rest(underWay(action), stores.nowMs, request);
  onSetsOrder(stores, orderOf(stores, market, { action, amount }));
  return true;
}

/** Its id never comes again: a market is looked at once in a millisecond. */
function orderOf(
  stores: KernelStores,
  market: QuotedMarket,
  what: Pick<SetsOrder, 'action' | 'amount'>,
): SetsOrder {
  const { id } = market.market;
  return { id: `${RECYCLER}-${stores.nowMs}-${id}`, by: RECYCLER, marketId: id, ...what };
}

/** The operator took it out of the configuration, or stopped it. */
function byOperator(stores: RiskStores, market: QuotedMarket): ReasonText | undefined {
  if (market.isLeaving) return LEAVING;
  const stop = stores.controls.marketStops.of(market.market.id);
  return stop === undefined ? undefined : stoppedReason(stop);
}

/** Why a market is left alone whatever its sets are. */
function heldBack(
  stores: QuotingStores,
  market: QuotedMarket,
  settings: RecyclerSettings,
): ReasonText | undefined {
  if (!stores.gate.isOpen || !stores.positions.isBaselined) return NOT_QUOTING;
  const operators = byOperator(stores, market);
  if (operators !== undefined) return operators;
  const latch = stores.controls.latches.binding(market.market.id);
  if (latch !== undefined && isAtLeast(latch.level, 'stop-adding')) {
    const { control, level, detail, resumes } = latch;
    const clears = clearsText(resumes, stores.nowMs);
    return { code: control, detail: `${level}: ${detail}`, clears };
  }
  const own = stores.sets.underWay(market.market.id);
  if (own !== undefined) return underWay(own.order.action);
  if (isUncertain(stores, market)) return UNCERTAIN;
  if (isAnyUnderWay(stores, stores.nowMs)) return ANOTHER;
  return pausing(stores, market, settings);
}

function isUncertain({ positions }: PositionStores, market: QuotedMarket): boolean {
  return LEGS.some((leg) => positions.width(market.tokenOf(leg)) > 0);
}

/** A pause after each chain action, longer after each that failed. */
function pausing(
  stores: PositionStores,
  market: QuotedMarket,
  { pauseMs }: RecyclerSettings,
): ReasonText | undefined {
  const past = stores.sets.recycled(market.market.id);
  const last = past.at(-1);
  if (last === undefined) return undefined;
  const failed = failuresOf(past);
  const lengthMs = Math.min(pauseMs * 2 ** failed, Math.max(pauseMs, PAUSE_MS_MAX));
  const leftMs = last.sentAtMs + lengthMs - stores.nowMs;
  if (leftMs <= 0) return undefined;
  const { action } = last.order;
  const end = last.state === 'confirmed' ? 'confirmed' : `${last.state}: ${last.detail}`;
  return {
    code: failed === 0 ? 'pausing' : 'pausing_after_failure',
    detail: `the last ${action} is ${end}`,
    clears: `looked at again in ${Math.ceil(leftMs / 1_000)} s`,
  };
}

/** Failures since the last one that worked; beyond the longest pause they need no counting. */
function failuresOf(past: readonly SetsRequest[]): number {
  const worked = past.findLastIndex(({ state }) => state === 'confirmed');
  return Math.min(past.length - 1 - worked, 20);
}

function situationOf(stores: SetsStores, market: QuotedMarket): SetsSituation {
  const { id } = market.market;
  const risk = new RiskPass(stores);
  const free = risk.free(market);
  const { yes, no } = market.holdingsShares(stores.positions);
  const settled = (leg: Leg) => stores.positions.confirmed(market.tokenOf(leg));
  return {
    status: market.status,
    free: Math.min(free.yes, free.no),
    owned: Math.max(0, Math.min(yes, no)),
    settled: { yes: Math.max(0, settled('yes')), no: Math.max(0, settled('no')) },
    isPending: hasPending(stores, market),
    isRedeemed: stores.sets.hasRedeemed(id),
    claim: stores.resolutions.claimOf(id, stores.nowMs),
    unquoted: marketReason(stores, market) ?? pulledBy(market),
    sells: prefersSell({ settings: stores.settings, choice: market.choice }),
    affordable: affordable(stores, market, risk),
    room: roomForSets(stores, market),
  };
}

function hasPending(stores: PositionStores, market: QuotedMarket): boolean {
  for (const order of stores.ledger.ofMarket(market.market.id)) if (isExposed(order)) return true;
  return LEGS.some((leg) => stores.positions.pending(market.tokenOf(leg)).length > 0);
}

/** A guard that has taken all quotes away. */
function pulledBy(market: QuotedMarket): ReasonText | undefined {
  return market.desk.guards.find(({ effect, side }) => effect === 'pulled' && side === 'both');
}

/** Sets that cash pays for after holds, within the market's part of the capital. */
function affordable(stores: RiskStores, market: QuotedMarket, risk: RiskPass): number {
  const { allocatedUsdc, boundUsdc } = capitalOf(stores, market);
  const isShared = stores.settings?.capital?.policy !== 'weighted';
  const partNano = isShared
    ? Number.POSITIVE_INFINITY
    : (allocatedUsdc - boundUsdc) * NANO_PER_USDC;
  const availableNano = (stores.cash.availableNano ?? 0) - stores.sets.reservedCashNano();
  const nano = Math.min(risk.freeCashNano ?? 0, availableNano, partNano);
  return Math.max(0, Math.floor(nano / payoutNano(microShares(1))));
}

const NOT_QUOTING: ReasonText = {
  code: 'not_quoting',
  detail: 'no chain action while the daemon does not quote',
  clears: 'it quotes again',
};
const LEAVING: ReasonText = {
  code: 'not_configured',
  detail: 'the market was taken out of the configuration',
  clears: 'put it back under `markets`',
};
const UNCERTAIN: ReasonText = {
  code: 'position_uncertain',
  detail: 'shares may have traded without a report',
  clears: 'reports, cash or balances say what traded',
};
const ANOTHER: ReasonText = {
  code: 'another_under_way',
  detail: 'a chain action of another market is not confirmed yet',
  clears: 'balances show it',
};
const DRY_RUN: ReasonText = {
  code: 'dry_run',
  detail: 'it only says what it would do',
  clears: '`sets.mode` is on',
};

function underWay(action: string): ReasonText {
  return {
    code: 'under_way',
    detail: `a ${action} of this market is not confirmed yet`,
    clears: 'balances show it',
  };
}
