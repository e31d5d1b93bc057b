// What a control has to trip for, and where it then has to be on.

import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { Report } from '../../../../src/domain/report.ts';
import type { ControlName } from '../../../../src/domain/risk.ts';
import type { ExchangeEvent } from '../../../../src/paper/exchange/events.ts';
import type { PlaceCommand } from '../../world/network.ts';

/** What a control is to be on for: `account`, a market, or a market and one of its sides. */
export type Place = { readonly control: ControlName; readonly where: string };

export type Due = Place & { readonly detail: string };

export interface Cause {
  onProcessStarts?(nowMs: number): void;
  onSettings?(settings: CoreSettings): void;
  onMessage?(message: VenueMessage, nowMs: number): void;
  onEvent?(event: ExchangeEvent, nowMs: number): void;
  onPlacing?(placing: PlaceCommand): void;
  onReport?(report: Report, nowMs: number): void;
  /** A control has tripped, or eased. */
  onMoved?(place: Place): void;
  /** Controls that have to be on now. */
  due(nowMs: number): Iterable<Due>;
}
