// Takes new settings into the running core: what waits for a restart keeps its running value, and the
// set that is in force then has a name.

import { shortHash } from '../../domain/hash.ts';
import type { CoreSettings } from '../../domain/input.ts';
import { markExternal } from '../account/meant.ts';
import { ORDER_WRITES_OF_WINDOW_MAX } from '../kernel/bounds.ts';
import { type Reloaded, reloaded } from '../quoting/params.ts';
import { cancelScopeOf } from '../risk/cancel-scope.ts';
import { areLowered, loweredAt } from '../risk/lowered.ts';
import type { SessionStores } from './stores.ts';

/** Before the markets are brought in line with the new settings. */
export function applySettings(stores: SessionStores, next: CoreSettings): Reloaded {
  const result = reloaded(stores.settings, next, stores.strategies);
  const { settings } = result;
  if (areLowered(stores.settings?.risk, settings.risk)) {
    stores.lowered = loweredAt(stores.nowMs);
  }
  const scope = cancelScopeOf(stores);
  stores.settings = settings;
  const version = shortHash(settings);
  if (version !== stores.settingsVersion) {
    stores.outbox.record({
      kind: 'settings',
      applied: { version, appliedAtMs: stores.nowMs, settings },
    });
  }
  stores.settingsVersion = version;
  // While it stays the same, what was taken for ours by likeness stays ours.
  if (cancelScopeOf(stores) !== scope) markExternal(stores);
  stores.budget.setPerWindow(Math.min(settings.orders.writesPer10s, ORDER_WRITES_OF_WINDOW_MAX));
  stores.outbox.report({
    event: 'settings.applied',
    markets: settings.markets.length,
    version: stores.settingsVersion,
  });
  return result;
}

/** After it: every market is decided about anew, and some move at once. */
export function afterAlign(stores: SessionStores, { movesAtOnce, pending }: Reloaded): void {
  for (const market of stores.markets.values()) {
    const { choice, desk } = market;
    market.isDirty = true;
    desk.movesAtOnce ||= movesAtOnce.has(choice);
    desk.pendingParams = pending.get(choice) ?? [];
  }
}
