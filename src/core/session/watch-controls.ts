// The controls that look at the account by the clock; the others are told when something happens.

import type { AccountStores } from '../account/stores.ts';
import { NANO_PER_USDC } from '../kernel/nano.ts';
import { watchOffset } from '../risk/breakers.ts';
import { watchExternal, watchUncertain } from '../risk/divergence.ts';
import { watchLoss } from '../risk/loss.ts';
import { ease, endTimed, trip } from '../risk/trip.ts';
import { watchConflict } from './external-orders.ts';
import { watchMarketStops } from './market-stops.ts';
import type { EngineStores } from './session.ts';

const SECOND_MS = 1_000;

/** Once a tick. */
export function watchControls(stores: EngineStores): void {
  checkLoss(stores);
  endTimed(stores);
  watchLoss(stores);
  watchBlindness(stores);
  const { controls, nowMs } = stores;
  if (nowMs - controls.lookedAtMs >= SECOND_MS) {
    controls.lookedAtMs = nowMs;
    watchExternal(stores);
    watchUncertain(stores);
    easeUnquoted(stores);
    watchConflict(stores);
  }
  watchMarketStops(stores);
  obeyKilled(stores);
}

/** Loss since the start at the last known prices, over all markets. */
function checkLoss({ settings, workQueue, positions, risk, session }: EngineStores): void {
  const limit = settings?.risk.maxLossUsdc;
  if (limit === undefined) return;
  risk.updateProfit(workQueue.earning, positions);
  const { pnlNano } = risk;
  if (pnlNano > -limit * NANO_PER_USDC) return;
  const lost = (-pnlNano / NANO_PER_USDC).toFixed(2);
  session.halt('max_loss_usdc', `${lost} USDC lost since the start, ${limit} allowed`);
}

/** A venue whose lists fail for so long is not busy any more: whoever reads them again and again learns nothing. */
const UNREAD_MS = 60_000;
/** A list that is read seldom is missed no sooner than after as many of its periods. */
const UNREAD_PERIODS = 3;

/**
 * Orders may rest while nobody tells of their fills, or while no list shows them: after a while the account is
 * swept, which also reaches orders whose hash we never learned.
 */
function watchBlindness(stores: EngineStores): void {
  const limit = stores.settings?.risk.blind;
  const { controls, nowMs } = stores;
  if (limit === undefined || limit.forMs === 0) return;
  const isDeaf = !stores.connection.isAuthenticated && stores.positions.isBaselined;
  controls.blindSinceMs = isDeaf ? (controls.blindSinceMs ?? nowMs) : undefined;
  const unread = unreadText(stores, limit.forMs);
  if (!isDeaf && unread === undefined) {
    ease(stores, 'blind_account');
    return;
  }
  const isLongDeaf = isDeaf && nowMs - (controls.blindSinceMs ?? nowMs) >= limit.forMs;
  // A mass cancel lists orders by itself, and puts the other reads off.
  const isLongUnread = unread !== undefined && !stores.session.isMassCancelling;
  const mayRest = stores.ledger.exposedCount > 0;
  if (!mayRest || !(isLongDeaf || isLongUnread)) return;
  if (controls.latches.get('blind_account', undefined) !== undefined) return;
  const deaf = `no user channel for ${Math.round(limit.forMs / SECOND_MS)} s`;
  trip(stores, {
    control: 'blind_account',
    level: 'cancel',
    detail: () => `${isLongDeaf ? deaf : unread}, and orders may rest`,
    resumes: {
      kind: 'condition',
      text: 'the socket authenticates again, and open orders and balances can be read',
    },
  });
  stores.session.sweep();
}

/** A list that nobody could read, or make out, since this long: what only it would show goes unseen. */
function unreadText(stores: AccountStores, leastMs: number): string | undefined {
  const { inFlightTracker, balancesRead, listAskedAtMs, nowMs, settings } = stores;
  // Nothing is placed before both were read for the first time.
  if (settings === undefined || balancesRead === undefined || listAskedAtMs === 0) return undefined;
  const { reconcileMs, balancesMs } = settings.timing;
  const lists = [
    ['open orders', listAskedAtMs, reconcileMs],
    ['balances', balancesRead.askedAtMs, balancesMs],
  ] as const;
  for (const [what, readAtMs, periodMs] of lists) {
    // Time that a clock jumped over is no time in which anything could be read.
    const forMs = nowMs - Math.max(readAtMs, inFlightTracker.jumpedAtMs ?? 0);
    if (forMs < Math.max(UNREAD_MS, UNREAD_PERIODS * periodMs, leastMs)) continue;
    return `${what} could not be read for ${Math.round(forMs / SECOND_MS)} s`;
  }
  return undefined;
}

/** The last rung of the ladder, for the whole account: everything is cancelled, and confirmed. */
function obeyKilled({ controls: { latches }, session }: EngineStores): void {
  if (latches.accountLevel !== 'killed') return;
  const killed = latches.all().find(({ marketId, level }) => !marketId && level === 'killed');
  if (killed) session.halt(killed.control, killed.detail);
}

// New settings lift nothing whose cause is still there: what holds by a condition is asked again of what
// was last measured, and only what nobody asks for any more lets go at once.

/**
 * Settings changed, or came before what a previous run left: what is switched off by now measures nothing
 * any more, and would hold for good. Losses, blindness, external orders, positions and prices are looked at anew within a second,
 * cash with its next reads; a clock is measured seldom, and its last offset is at hand.
 */
export function askConditionsAgain(stores: EngineStores): void {
  if (stores.settings === undefined) return;
  for (const { control, marketId, resumes } of stores.controls.latches.all()) {
    if (resumes.kind !== 'condition') continue;
    // Of the account it says that no loss can be measured, and with the next tick that none has to be.
    if (control === 'unmarked_position' && marketId === undefined) continue;
    if (!stores.controls.isAskedFor(control, stores.settings.risk)) ease(stores, control, marketId);
  }
  watchOffset(stores);
}

/** Nobody looks at a market that is quoted no more: what holds there by a condition would hold, and page people, for good. */
function easeUnquoted(stores: EngineStores): void {
  const { catalogue, markets, controls } = stores;
  if (catalogue === undefined || controls.latches.size === 0) return;
  for (const { control, marketId } of controls.latches.all()) {
    if (marketId !== undefined && !markets.has(marketId)) ease(stores, control, marketId);
  }
}
