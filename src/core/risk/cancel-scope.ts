// Which orders are ours to cancel: all of the account, or those that were sent from here.

import type { RiskStores } from './stores.ts';

export function cancelScopeOf({ controls, settings }: RiskStores): 'account' | 'own' {
  // What would cancel the orders of another trader would begin a war of cancels.
  if (controls.conflict.isKnown) return 'own';
  return settings?.orders.scope ?? 'account';
}
