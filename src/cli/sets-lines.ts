// Complete sets and winnings as lines of text: what could become cash, and what is in flight.

import type { ShownMarket, ShownState } from './state-schema.ts';
import type { Shown } from './status-lines.ts';
import { clip, harmless } from './text.ts';

/** States of a chain action that has not ended. */
const UNDER_WAY = ['sent', 'accepted', 'unknown'];

/** For each market with something to tell: sets, claims, and what the recycler makes of them. */
export function setsLines(
  state: Pick<ShownState, 'markets' | 'sets'>,
  shown: Shown,
): readonly string[] {
  const lines = [
    ...(state.sets ?? []).filter(({ state: at }) => UNDER_WAY.includes(at)).map(actionText),
    ...state.markets.flatMap(marketTexts),
  ];
  return lines.map((line) => clip(harmless(line), shown.width));
}

function actionText(action: NonNullable<ShownState['sets']>[number]): string {
  const amount = action.action === 'redeem' ? '' : ` of ${action.amount} sets`;
  const { by, marketId, state } = action;
  return `${action.action}${amount} in ${marketId} by ${by}: ${state}, not confirmed yet`;
}

function marketTexts(market: ShownMarket): readonly string[] {
  const { sets } = market;
  if (sets === undefined) return [];
  const name = market.title === '' ? market.eventSlug : market.title;
  const found: string[] = [];
  if (Number(sets.free) > 0) {
    found.push(`${name}: ${sets.free} complete sets are free, a merge pays 1.00 USDC for each`);
  }
  if (sets.claim !== undefined) {
    const { yes, no } = sets.claim;
    found.push(`${name}: resolved, ${yes} YES and ${no} NO can be redeemed`);
  }
  const { request, reason } = sets;
  if (sets.mode === 'dry-run' && request !== undefined) {
    const amount = request.action === 'redeem' ? '' : ` ${request.amount}`;
    found.push(`${name}: a dry run would ${request.action}${amount}`);
  } else if (found.length > 0 && reason !== undefined) {
    found.push(`${name}: recycler ${reason.code} (${reason.detail}); clears: ${reason.clears}`);
  }
  return found;
}
