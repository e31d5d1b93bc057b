// Takes new settings into the running core: what waits for a restart keeps its running value, and the
// set that is in force then has a name.

import { shortHash } from '../../domain/hash.ts';
import type { CoreSettings } from '../../domain/input.ts';
import { markExternal } from '../account/meant.ts';
import { ORDER_WRITES_OF_WINDOW_MAX } from '../kernel/bounds.ts';
import { type Reloaded, reloaded } from '../quoting/params.ts';
import { areLowered, loweredAt } from '../risk/lowered.ts';
import type { World } from '../world.ts';

/** Before the markets are brought in line with the new settings. */
export function applySettings(world: World, next: CoreSettings): Reloaded {
  const result = reloaded(world.settings, next, world.strategies);
  const { settings } = result;
  if (areLowered(world.settings?.risk, settings.risk)) {
    world.lowered = loweredAt(world.nowMs);
  }
  const scope = world.cancelScope;
  world.settings = settings;
  const version = shortHash(settings);
  if (version !== world.settingsVersion) {
    world.outbox.record({
      kind: 'settings',
      applied: { version, appliedAtMs: world.nowMs, settings },
    });
  }
  world.settingsVersion = version;
  // While it stays the same, what was taken for ours by likeness stays ours.
  if (world.cancelScope !== scope) markExternal(world);
  world.budget.setPerWindow(Math.min(settings.orders.writesPer10s, ORDER_WRITES_OF_WINDOW_MAX));
  world.outbox.report({
    event: 'settings.applied',
    markets: settings.markets.length,
    version: world.settingsVersion,
  });
  return result;
}

/** After it: every market is decided about anew, and some move at once. */
export function afterAlign(world: World, { movesAtOnce, pending }: Reloaded): void {
  for (const market of world.markets.values()) {
    const { choice, desk } = market;
    market.isDirty = true;
    desk.movesAtOnce ||= movesAtOnce.has(choice);
    desk.pendingParams = pending.get(choice) ?? [];
  }
}
