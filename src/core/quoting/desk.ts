// What the core remembers about quoting one market, from one decision to the next.

import type { UnixMs } from '../../domain/time.ts';
import type { AxisSide, Take } from '../../strategy/index.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { Aim } from './aim.ts';
import type { GuardReason } from './filters/guard.ts';
import { NO_OVERLAY_STATE, type OverlayState } from './filters/stack.ts';
import type { PlanTolerance } from './plan.ts';
import type { ReasonText } from './reasons.ts';
import { SetsDesk } from './sets-desk.ts';
import type { Target } from './target.ts';
import { UptimeMeter } from './uptime.ts';

export class QuoteDesk {
  readonly uptime = new UptimeMeter();
  /** Whether the strategy asked for quotes of a side when it was last asked. */
  readonly isWanted: Record<AxisSide, boolean> = { bid: true, ask: true };
  readonly sets = new SetsDesk();
  readonly aim = new Aim();
  overlays: OverlayState = NO_OVERLAY_STATE;
  /** What the guards did at the last decision. */
  guards: readonly GuardReason[] = [];
  /** Why what is missing has not been sent, by side. */
  readonly waiting: Record<AxisSide, ReasonText | undefined> = { bid: undefined, ask: undefined };
  /** Target quotes of the last decision, filters applied. */
  targets: readonly Target[] = [];
  /** The same as they were planned with; `undefined` where nothing may be quoted. */
  planned: { readonly targets: readonly Target[]; readonly tolerance: PlanTolerance } | undefined;
  /** Parameters changed that move quotes whatever their places are worth. */
  movesAtOnce = false;
  /** Short name of strategy, parameters and guards in force. */
  paramsVersion = '';
  /** Parameters of the file that wait for a restart. */
  pendingParams: readonly string[] = [];
  /** Takes of the last target quotes that have not been sent. */
  takes: readonly Take[] = [];
  takesPauseUntilMs = 0;
  /** Since when orders have been off their targets and kept their places, of the last decision. */
  driftsSinceMs: ReadonlyMap<OwnOrder, UnixMs> = new Map();
}
