// What a read of the balances says of the positions of a market: they are what we know, or may be with what lags,
// or differ, and after quiet the venue's number is taken over.

import type { TokenId } from '../../domain/ids.ts';
import { formatShares, type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Confirmation } from '../inventory/confirmation.ts';
import type { CashEvidence } from '../inventory/settled-among.ts';
import type { MarketState } from '../market.ts';
import type { Leg } from '../orders/own-order.ts';
import { isExplainedBySets } from '../sets/sets.ts';
import type { World } from '../world.ts';
import { prove, unproven } from './doubts.ts';
import { payLate } from './taker-fees.ts';

const LEGS = ['yes', 'no'] as const;

export type Amounts = ReadonlyMap<TokenId, MicroShares>;

export type BalancesRead = {
  readonly amounts: Amounts;
  readonly askedAtMs: UnixMs;
  readonly isCashExplained: boolean;
  readonly cash?: CashEvidence | undefined;
};

/** Matches that the balances showed to have settled: what they cost was paid without a word. */
export function noteShown({ account, inventory }: World): void {
  for (const fill of inventory.takeShown()) account.noteShown(fill);
}

export function confirmMarket(world: World, market: MarketState, read: BalancesRead): void {
  const { askedAtMs, isCashExplained, cash } = read;
  // What had matched may be taken for settled now, and then holds no cash any more.
  world.agenda.onTouched(market);
  // Whose match a settlement was is no question of shares: a split under way would only let it be forgotten.
  for (const leg of LEGS) settleLate(world, market, market.tokenOf(leg));
  // A split or merge under way is a difference that has its own proof.
  if (isExplainedBySets(world, market, askedAtMs)) return;
  const positionLagMs = world.settings?.timing.positionLagMs ?? 0;
  let areAgreed = true;
  for (const leg of LEGS) {
    const tokenId = market.tokenOf(leg);
    const amount = read.amounts.get(tokenId) ?? NO_SHARES;
    const at = { askedAtMs, positionLagMs, isCashExplained, cash };
    const result = world.inventory.confirm(tokenId, amount, at);
    if (result.kind === 'waits' || result.kind === 'differs') areAgreed = false;
    // Fills of other quotes would keep the token from the quiet in which it can be put right.
    if (result.kind === 'differs' && market.unprovenSinceMs === undefined) unproven(world, market);
    if (result.kind === 'adopted') onAdopted(world, market, { leg, adopted: result });
  }
  const since = market.unprovenSinceMs;
  if (since !== undefined && areAgreed && askedAtMs - since > positionLagMs) prove(world, market);
}

type Adopted = Extract<Confirmation, { kind: 'adopted' }>;

/** The venue's number was taken over: its shares are there, and what they cost follows. */
function onAdopted(
  world: World,
  market: MarketState,
  { leg, adopted }: { readonly leg: Leg; readonly adopted: Adopted },
): void {
  const { ours, venues, change, unmatchedNano } = adopted;
  // What had matched and is not there has failed, or had settled in another's name: its own count goes.
  if (unmatchedNano === undefined) market.onAdopted(leg, change);
  else market.flows.cashNano -= unmatchedNano;
  world.account.noteTakenOver();
  world.touched.flows.add(market.market.id);
  market.isDirty = true;
  world.outbox.report({
    event: 'inventory.diverged',
    tokenId: market.tokenOf(leg),
    ours: formatShares(ours),
    venues: formatShares(venues),
  });
}

/** The chain counted what they cost when it told of them: their own count goes. */
function settleLate(world: World, market: MarketState, tokenId: TokenId): void {
  const countedNano = world.inventory.settleLate(tokenId, world.nowMs);
  payLate(world, market);
  if (countedNano === 0) return;
  market.flows.cashNano -= countedNano;
  world.touched.flows.add(market.market.id);
}
