// What is considered of a market's trading, on what evidence, and what follows from each new piece of it.

import type { TradingStatus } from '../../domain/market.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { QuotedMarket, ReasonText } from './market.ts';

type Evidence = {
  readonly status: TradingStatus;
  /** The venue's own word or code. */
  readonly word: string;
  readonly evidence: string;
};

/** Why a market that does not trade has no quotes; `undefined` for one that does. */
export function statusReason(market: QuotedMarket, nowMs: UnixMs): ReasonText | undefined {
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
export function mayProbe({ status, live }: QuotedMarket, nowMs: UnixMs): boolean {
  return live.status === status && live.isProbeDue(nowMs);
}

/** @returns Whether another status than before is considered now. */
export function noteStatus(stores: KernelStores, market: QuotedMarket, of: Evidence): boolean {
  const { live } = market;
  // An outcome is final: whatever a late frame says, its tokens are not quoted again.
  if (live.status === 'resolved' || !live.set(of.status, of.evidence, stores.nowMs)) return false;
  market.isDirty = true;
  const { status, word } = of;
  stores.outbox.report({ event: 'market.status', marketId: market.market.id, status, word });
  return true;
}

/** What a rejection says of the market; that it is resolved, only a frame or the catalogue says. */
const STATUS_OF: ReadonlyMap<string, TradingStatus> = new Map([
  ['market_paused', 'paused'],
  ['market_closed', 'closed'],
  ['market_resolved', 'closed'],
]);

/** @returns Whether the rejection says that the market does not trade. */
export function onStatusRejection(
  stores: KernelStores,
  market: QuotedMarket,
  { sentAtMs }: OwnOrder,
  code: string,
): boolean {
  const status = STATUS_OF.get(code);
  if (status === undefined) return false;
  const isBelated = market.live.status === 'open' && market.live.isOlder(sentAtMs);
  const evidence = `an order was rejected with ${code}`;
  if (!isBelated) noteStatus(stores, market, { status, word: code, evidence });
  return true;
}

/** The venue accepted an order: it trades, where that left after the market stopped. */
export function onAcceptedStatus(
  stores: KernelStores,
  market: QuotedMarket,
  { sentAtMs }: OwnOrder,
): void {
  const { live } = market;
  if (live.probeAtMs === undefined || live.isOlder(sentAtMs)) return;
  reopen(stores, market, 'an order was accepted');
}

export function reopen(stores: KernelStores, market: QuotedMarket, evidence: string): void {
  noteStatus(stores, market, { status: 'open', word: evidence, evidence });
}
