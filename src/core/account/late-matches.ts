// Matches that should have settled long ago: they did, or they failed, and nobody has told which.

import { clampShares, type MicroShares } from '../../domain/shares.ts';
import { SETTLED_BY_MS } from '../inventory/lag.ts';
import { cashOf, type PendingFill, signed } from '../inventory/pending.ts';
import type { MarketState } from '../market.ts';
import type { Leg } from '../orders/own-order.ts';
import { type LossPair, NO_LOSS } from '../risk/event-loss.ts';
import { payoutNano } from '../risk/nano.ts';
import type { World } from '../world.ts';

/** The least and the most that a net position may be, YES shares less NO shares. */
export type NetRange = { readonly least: MicroShares; readonly most: MicroShares };

/** By how much the loss of each outcome may be more than it is counted, and by how much less. */
export type LossDoubt = { readonly more: LossPair; readonly less: LossPair };

const NO_DOUBT: LossDoubt = Object.freeze({ more: NO_LOSS, less: NO_LOSS });
const LEGS = ['yes', 'no'] as const;

const SIGN_OF: Readonly<Record<Leg, 1 | -1>> = { yes: 1, no: -1 };

/** The net position of a market, whatever became of matches that are late. @spec Settlement outcome */
export function netRange(world: World, market: MarketState): NetRange {
  const { yes, no } = market.holdingsShares(world.inventory);
  let least = yes - no;
  let most = least;
  for (const leg of LEGS) {
    for (const { side, quantity } of lateFills(world, market, leg)) {
      const change = SIGN_OF[leg] * signed(side, quantity);
      least -= Math.max(0, change);
      most -= Math.min(0, change);
    }
  }
  return { least: clampShares(least), most: clampShares(most) };
}

/** What a market may lose beyond what is counted, or short of it, whatever became of matches that are late. */
export function lossDoubt(world: World, market: MarketState): LossDoubt {
  let doubt = NO_DOUBT;
  for (const leg of LEGS) {
    for (const fill of lateFills(world, market, leg)) {
      const gain = gainOf(fill, leg);
      const more = { ifYesNano: plus(gain.ifYesNano), ifNoNano: plus(gain.ifNoNano) };
      const less = { ifYesNano: plus(-gain.ifYesNano), ifNoNano: plus(-gain.ifNoNano) };
      doubt = { more: added(doubt.more, more), less: added(doubt.less, less) };
    }
  }
  return doubt;
}

function lateFills(world: World, market: MarketState, leg: Leg): readonly PendingFill[] {
  const fills = world.inventory.pendingFills(market.tokenOf(leg));
  return fills.filter(({ atMs }) => world.nowMs - atMs >= SETTLED_BY_MS);
}

/** What a match brings by outcome, as long as it was one. */
function gainOf(fill: PendingFill, leg: Leg): LossPair {
  const { side, quantity } = fill;
  const cashNano = cashOf(fill, quantity);
  const payout = Math.sign(signed(side, quantity)) * payoutNano(quantity);
  return {
    ifYesNano: cashNano + (leg === 'yes' ? payout : 0),
    ifNoNano: cashNano + (leg === 'no' ? payout : 0),
  };
}

function plus(nano: number): number {
  return Math.max(0, nano);
}

export function added(one: LossPair, other: LossPair): LossPair {
  return {
    ifYesNano: one.ifYesNano + other.ifYesNano,
    ifNoNano: one.ifNoNano + other.ifNoNano,
  };
}
