// What a side counts as in quoting uptime, by the reason that keeps it from being quoted. Doubt, own
// housekeeping and own caution count against it; what is named here does not.

import { CONTROLS } from '../../domain/risk.ts';
import type { UptimeExclusion } from '../../domain/view.ts';
import type { SideState } from './uptime.ts';

/** Controls of what is not known: their stops are doubt, and count. */
const DOUBTS: ReadonlySet<string> = new Set([
  'position_uncertain',
  'order_divergence',
  'cash_divergence',
]);

const CAUSES: ReadonlyMap<string, UptimeExclusion> = new Map<string, UptimeExclusion>([
  ...CONTROLS.filter((control) => !DOUBTS.has(control)).map((code) => [code, 'limit'] as const),
  ['position_limit', 'limit'],
  ['event_loss_limit', 'limit'],
  ['insufficient_balance', 'limit'],
  ['halted', 'limit'],
  ['paused', 'operator'],
  ['killing', 'operator'],
  ['killed', 'operator'],
  ['stopping', 'operator'],
  ['stopped', 'operator'],
  ['operator_paused', 'operator'],
  ['operator_killed', 'operator'],
  ['not_configured', 'operator'],
  ['quiet_hours', 'operator'],
  ['news_window', 'operator'],
  ['socket_lost', 'venue'],
  ['user_channel_down', 'venue'],
]);

/** One side at the moment of a decision. */
export type SideLook = {
  readonly isQuoted: boolean;
  /** Whether the strategy asked for it when it was last asked. */
  readonly isWanted: boolean;
  readonly isVenueAnswering: boolean;
  /** Code of what binds the side, `undefined` when it is quoted and nothing does. */
  readonly code: string | undefined;
};

/** @spec Architecture decision 12 */
export function sideStateOf({ isQuoted, isWanted, isVenueAnswering, code }: SideLook): SideState {
  if (!isVenueAnswering) return 'venue';
  const cause = code === undefined ? undefined : causeOf(code);
  if (cause !== undefined) return cause;
  if (!isWanted) return 'strategy';
  return isQuoted ? 'quoted' : 'bare';
}

function causeOf(code: string): UptimeExclusion | undefined {
  if (code.startsWith('max_')) return 'limit';
  if (code.startsWith('market_')) return 'market';
  return CAUSES.get(code);
}
