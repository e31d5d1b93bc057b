// An operator has lifted breakers: what tripped them was seen, and trips them no second time.

import type { StoredLatch } from '../../domain/risk.ts';
import type { RiskStores } from './stores.ts';

export function countAnew({ controls, markets }: RiskStores, lifted: readonly StoredLatch[]): void {
  for (const { control, marketId } of lifted) {
    const { counts } = controls;
    const among = marketId === undefined ? counts : markets.get(marketId)?.counts;
    if (control === 'order_rate') counts.orders.clear();
    if (control === 'settlement_failures') counts.failures.clear();
    if (control === 'fill_burst') among?.fills.clear();
    if (control === 'repeated_refusals') among?.refusals.forget();
  }
}
