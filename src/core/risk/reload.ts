// New settings lift nothing whose cause is still there: what holds by a condition is asked again of what
// was last measured, and only what nobody asks for any more lets go at once.

import { watchOffset } from './clock.ts';
import type { RiskStores } from './stores.ts';
import { ease } from './trip.ts';

/**
 * Settings changed, or came before what a previous run left: what is switched off by now measures nothing
 * any more, and would hold for good. Losses, blindness, external orders, positions and prices are looked at anew within a second,
 * cash with its next reads; a clock is measured seldom, and its last offset is at hand.
 */
export function askConditionsAgain(stores: RiskStores): void {
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
export function easeUnquoted(stores: RiskStores): void {
  const { catalogue, markets, controls } = stores;
  if (catalogue === undefined || controls.latches.size === 0) return;
  for (const { control, marketId } of controls.latches.all()) {
    if (marketId !== undefined && !markets.has(marketId)) ease(stores, control, marketId);
  }
}
