// What follows from a refused placement. A client branches on the code, never on the message; a
// batch item has prose only, so the next placement of its market goes alone to learn the code.
// @spec Errors

import type { Refusal } from '../domain/message.ts';
import { formatShares } from '../domain/shares.ts';
import { formatPrice } from '../domain/ticks.ts';
import { addMs } from '../domain/time.ts';
import type { MarketState } from './market.ts';
import type { OwnOrder } from './orders/own-order.ts';
import { backOff } from './quoter.ts';
import type { World } from './world.ts';
import { refusalPauseMs } from './writer.ts';

/** Pause of a side whose cause only time or the venue can clear. */
const LONG_PAUSE_MS = 30_000;
/** Pause of the whole account after a refusal that every order would meet. */
const ACCOUNT_PAUSE_MS = 5_000;
/** Pause after `rate_limited` when the venue names none. */
const RATE_PAUSE_MS = 1_000;

/** What the engine must do beside the pauses that are set here. */
export type Consequence = 'none' | 'readOrders' | 'readBalances' | 'readCatalogue' | 'halt';

export function onRefusal(
  world: World,
  market: MarketState | undefined,
  order: OwnOrder,
  refusal: Refusal,
): Consequence {
  const code = refusal.code ?? 'refused_without_code';
  report(world, order, code, refusal.message);
  if (market === undefined) return 'none';
  market.refusals[order.axisSide] += 1;
  const pauseMs = refusalPauseMs(market.refusals[order.axisSide]);
  const pauseSide = (forMs: number) =>
    backOff(world, market, order.axisSide, { code, detail: refusal.message, forMs });
  switch (code) {
    case 'rate_limited':
      return onRateLimited(world, refusal);
    case 'insufficient_balance':
      pauseSide(pauseMs);
      return 'readBalances';
    case 'insufficient_shares':
      // Settled by our ledger and not yet by the venue's: the complement is bought meanwhile.
      market.sellBlockedUntilMs[order.leg] = world.nowMs + LONG_PAUSE_MS;
      market.isDirty = true;
      return 'readBalances';
    case 'max_open_orders':
      pauseAccount(world, code, ACCOUNT_PAUSE_MS);
      return 'readOrders';
    case 'market_closed':
    case 'market_paused':
    case 'market_resolved':
      pauseBoth(world, market, code, refusal.message);
      return 'readCatalogue';
    case 'tick_size_violation':
    case 'price_out_of_range':
    case 'market_not_found':
    case 'token_not_found':
      pauseBoth(world, market, code, refusal.message);
      return 'readCatalogue';
    case 'account_restricted':
    case 'geo_restricted':
      return 'halt';
    case 'missing_credentials':
    case 'unknown_api_key':
    case 'invalid_signature':
    case 'invalid_passphrase':
    case 'expired_timestamp':
      pauseAccount(world, code, ACCOUNT_PAUSE_MS);
      return 'none';
    case 'maintenance':
    case 'service_unavailable':
      pauseAccount(world, code, Math.max(ACCOUNT_PAUSE_MS, refusal.retryAfterMs ?? 0));
      return 'none';
    case 'refused_without_code':
      market.goesAlone = true;
      pauseSide(pauseMs);
      return 'none';
    default:
      pauseSide(pauseMs);
      return 'none';
  }
}

function onRateLimited(world: World, refusal: Refusal): Consequence {
  const retryAfterMs = refusal.retryAfterMs ?? RATE_PAUSE_MS;
  world.budget.blockUntil(addMs(world.nowMs, retryAfterMs));
  world.outbox.report({ event: 'venue.rate_limited', retryAfterMs });
  return 'none';
}

function pauseBoth(world: World, market: MarketState, code: string, detail: string): void {
  for (const side of ['bid', 'ask'] as const) {
    backOff(world, market, side, { code, detail, forMs: LONG_PAUSE_MS });
  }
}

function pauseAccount(world: World, code: string, forMs: number): void {
  world.accountBackoff = { untilMs: world.nowMs + forMs, code };
}

function report(world: World, order: OwnOrder, code: string, detail: string): void {
  const market = world.markets.get(order.marketId);
  world.outbox.report({
    event: 'order.refused',
    tokenId: order.tokenId,
    side: order.side,
    price: market ? formatPrice(market.grid, order.price) : String(order.price),
    quantity: formatShares(order.quantity),
    code,
    detail,
  });
}
