// The controls that look at the account by the clock; the others are told when something happens.

import type { Session } from '../session.ts';
import type { World } from '../world.ts';
import { watchStrangers } from './divergence.ts';
import { watchLoss } from './loss.ts';
import { ease, endTimed, trip } from './trip.ts';

const SECOND_MS = 1_000;

/** Once a tick, after profits were summed up. */
export function watchControls(world: World, session: Session): void {
  endTimed(world);
  watchLoss(world);
  watchBlindness(world, session);
  const { controls, nowMs } = world;
  if (nowMs - controls.lookedAtMs >= SECOND_MS) {
    controls.lookedAtMs = nowMs;
    watchStrangers(world);
  }
  obeyKilled(world, session);
}

/**
 * Orders may rest while nobody tells of their fills: after a while the account is swept, which also
 * reaches orders whose hash we never learned.
 */
function watchBlindness(world: World, session: Session): void {
  const limit = world.settings?.risk.blind;
  const { controls, nowMs } = world;
  if (limit === undefined || limit.forMs === 0) return;
  if (world.isAuthenticated || !world.inventory.isBaselined) {
    controls.blindSinceMs = undefined;
    ease(world, 'blind_account');
    return;
  }
  controls.blindSinceMs ??= nowMs;
  const mayRest = world.ledger.exposedCount > 0;
  if (!mayRest || nowMs - controls.blindSinceMs < limit.forMs) return;
  if (controls.latches.get('blind_account', undefined) !== undefined) return;
  trip(world, {
    control: 'blind_account',
    level: 'cancel',
    detail: () =>
      `no user channel for ${Math.round(limit.forMs / SECOND_MS)} s, and orders may rest`,
    resumes: { kind: 'condition', text: 'the socket authenticates again' },
  });
  session.sweep();
}

/** The last rung of the ladder, for the whole account: everything is cancelled, and proven. */
function obeyKilled({ controls: { latches } }: World, session: Session): void {
  if (latches.accountLevel !== 'killed') return;
  const killed = latches.all().find(({ marketId, level }) => !marketId && level === 'killed');
  if (killed) session.halt(killed.control, killed.detail);
}
