// Everything that the automatic controls remember, in one place.

import type { OrderHash, RequestId } from '../../domain/ids.ts';
import type { RiskLimits } from '../../domain/input.ts';
import type { ControlName } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';
import { Baselines } from './baselines.ts';
import { BreakerCounts } from './counts.ts';
import { Latches } from './latches.ts';
import { MarketStops } from './market-stops.ts';

export class Controls {
  readonly latches = new Latches();
  readonly baselines = new Baselines();
  readonly counts = new BreakerCounts();
  readonly marketStops = new MarketStops();
  /** Since when cash has differed, since when it agrees again, and how much of it nothing explains. */
  readonly cash: {
    sinceMs: number | undefined;
    agreedSinceMs: number | undefined;
    unexplainedNano: number;
  } = { sinceMs: undefined, agreedSinceMs: undefined, unexplainedNano: 0 };
  /** Since when no profit of the account is known, since something traded has no price. */
  unpricedSinceMs: UnixMs | undefined;
  /** Since when own events cannot be seen. */
  blindSinceMs: number | undefined;
  /** How far the offset of the clock moved between the last two measurements. */
  clockMovedMs: number | undefined;
  /** The venue keeps the account from trading. */
  readonly restriction: {
    /** Since when; absent where it does not. */
    sinceMs: UnixMs | undefined;
    /** The write of the one that asks. */
    askedIn: RequestId | undefined;
  } = { sinceMs: undefined, askedIn: undefined };
  /** Another trader on the account. */
  readonly conflict: {
    isKnown: boolean;
    /** Lists that showed new orders of others, oldest first. */
    signs: readonly {
      readonly atMs: UnixMs;
      readonly listAskedAtMs: UnixMs;
      readonly weight: number;
    }[];
    readonly counted: Set<OrderHash>;
    /** When one of them was last seen. */
    seenAtMs: UnixMs | undefined;
  } = { isKnown: false, signs: [], counted: new Set(), seenAtMs: undefined };
  /** When what is looked at once a second was looked at. */
  lookedAtMs = 0;

  /** Whether the settings want one of those that a condition lifts; the others are not asked about. */
  isAskedFor(control: ControlName, risk: RiskLimits | undefined): boolean {
    switch (control) {
      case 'session_loss':
        return isOn(risk?.loss?.sessionUsdc);
      case 'day_loss':
        return isOn(risk?.loss?.dayUsdc);
      case 'drawdown':
        return isOn(risk?.loss?.drawdownUsdc);
      case 'unmarked_position':
        return isOn(risk?.loss?.unmarkedMs);
      case 'blind_account':
        return isOn(risk?.blind?.forMs);
      case 'cash_divergence':
        return isOn(risk?.divergence?.forMs) && isOn(risk?.divergence?.cashUsdc);
      case 'order_divergence':
        return isOn(risk?.divergence?.forMs);
      case 'clock_offset':
        return isOn(risk?.clock?.offsetMsMax);
      default:
        return true;
    }
  }
}

/** A threshold of 0 is switched off. */
function isOn(threshold: number | undefined): boolean {
  return threshold !== undefined && threshold > 0;
}
