// Our ledger and the venue do not agree, longer than anything on its way explains: what is wrong may be
// ours, so limits that rest on it cannot be trusted and trading holds until they agree again.

import type { UnixMs } from '../../domain/time.ts';
import type { MarketState } from '../market.ts';
import { isExposed, type OwnOrder } from '../orders/own-order.ts';
import { NANO_PER_USDC } from '../risk/nano.ts';
import { unexplainedCashNano } from '../sets/sets.ts';
import type { World } from '../world.ts';
import { ease, trip } from './trip.ts';

/** A settlement that shows before its frame comes may hide what is missing for as long, and no longer. */
const AGREED_MS = 30_000;

/** After a read of the balances. */
export function watchCash(world: World, askedAtMs: UnixMs): void {
  const limit = world.settings?.risk.divergence;
  if (limit === undefined || limit.forMs === 0 || limit.cashUsdc === 0) return;
  const { cash } = world.controls;
  cash.unexplainedNano = unexplainedCashNano(world, askedAtMs);
  if (Math.abs(cash.unexplainedNano) <= limit.cashUsdc * NANO_PER_USDC) {
    cash.agreedSinceMs ??= world.nowMs;
    if (world.nowMs - cash.agreedSinceMs < AGREED_MS) return;
    cash.sinceMs = undefined;
    ease(world, 'cash_divergence');
    return;
  }
  cash.agreedSinceMs = undefined;
  cash.sinceMs ??= world.nowMs;
  if (world.nowMs - cash.sinceMs < limit.forMs) return;
  const text = `${(cash.unexplainedNano / NANO_PER_USDC).toFixed(2)} USDC of cash`;
  trip(world, {
    control: 'cash_divergence',
    level: limit.action,
    detail: () => `nothing we know explains ${text}`,
    resumes: { kind: 'condition', text: 'cash moves by what we know again, for half a minute' },
  });
}

/** A market that waits for proof beyond the lag of positions; O(1), at each look at it. */
export function watchPosition(world: World, market: MarketState): void {
  const limit = world.settings?.risk.divergence;
  if (limit === undefined || limit.forMs === 0) return;
  const { id } = market.market;
  const sinceMs = market.unprovenSinceMs;
  const patienceMs = positionPatienceMs(world, limit.forMs);
  if (sinceMs === undefined) {
    ease(world, 'position_divergence', id);
    return;
  }
  if (world.nowMs - sinceMs < patienceMs) return;
  trip(world, {
    control: 'position_divergence',
    marketId: id,
    level: limit.action,
    detail: () => `the position has been unproven for ${Math.round(patienceMs / 1_000)} s or more`,
    resumes: { kind: 'condition', text: 'cash and holds, or positions, agree with the venue' },
  });
}

/** Orders on the venue that we never sent and that no cancel of ours removes; once a second. */
export function watchStrangers(world: World): void {
  const limit = world.settings?.risk.divergence;
  if (limit === undefined || limit.forMs === 0) return;
  const isWanted = world.settings?.orders.orphans === 'adopt';
  const count = isWanted ? 0 : oldStrangers(world, limit.forMs);
  if (count === 0) {
    ease(world, 'order_divergence');
    return;
  }
  trip(world, {
    control: 'order_divergence',
    level: limit.action,
    detail: () => `${count} orders that we never sent do not go away`,
    resumes: { kind: 'condition', text: 'the venue shows none of them any more' },
  });
}

function oldStrangers(world: World, forMs: number): number {
  let count = 0;
  for (const order of world.ledger.exposed()) {
    if (isStranger(order) && restsForMs(world, order) >= forMs) count += 1;
  }
  return count;
}

/** A jump of our clock is no time in which a cancel could have removed it. */
function restsForMs({ jumpedAtMs, nowMs }: World, { sentAtMs }: OwnOrder): number {
  return nowMs - Math.max(sentAtMs, jumpedAtMs ?? 0);
}

/** What is somebody else's on purpose is left alone, and no sign of anything. */
function isStranger(order: OwnOrder): boolean {
  return order.isOrphan && order.isForeign !== true && isExposed(order);
}

/** For how long the oldest of them has rested as far as we know; none where they are wanted. */
export function strangersMs(world: World): number {
  if (world.settings?.orders.orphans === 'adopt') return 0;
  let longestMs = 0;
  for (const order of world.ledger.exposed()) {
    if (isStranger(order)) longestMs = Math.max(longestMs, restsForMs(world, order));
  }
  return longestMs;
}

/** For how long a position has been unproven: the longest of all markets. */
export function unprovenMs(world: World): number {
  let longestMs = 0;
  for (const { unprovenSinceMs } of world.markets.values()) {
    if (unprovenSinceMs !== undefined)
      longestMs = Math.max(longestMs, world.nowMs - unprovenSinceMs);
  }
  return longestMs;
}

/** A position that is unproven for longer than this differs from the venue's. */
export function positionPatienceMs(world: World, forMs: number): number {
  return forMs + (world.settings?.timing.positionLagMs ?? 0);
}
