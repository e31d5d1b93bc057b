// The short way to an account without orders: over connections of its own, without the core, which may be what is
// broken, or has not begun.

import { inTime } from '../domain/in-time.ts';
import { NO_MARKETS } from '../domain/view.ts';
import type { KillResult } from '../guard/kill.ts';
import type { DaemonOptions, DaemonParts } from './compose.ts';
import { MAY_ARRIVE, unconfirmed } from './unconfirmed.ts';
import { type KillErrand, killAt } from './venue-access.ts';

/** Requests under way are not waited for when a kill is urgent. */
const CUT_MS_MAX = 1_000;

export class ShortWay {
  readonly #options: DaemonOptions;
  readonly #parts: DaemonParts;

  constructor(options: DaemonOptions, parts: DaemonParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Whether a placement may still be accepted that nobody will see; so it is when nobody can say. */
  hasUnanswered(): boolean {
    try {
      const { intended, sending, unknown } = this.#parts.engine.view(NO_MARKETS).ordersByState;
      // What the last step placed counts as intended until the next one, and there may be none.
      return intended + sending + unknown > 0;
    } catch {
      return true;
    }
  }

  /** Orders that are matched in full, and that rest again on some venues where their settlement fails. */
  settling(): number {
    try {
      const { matched, settling } = this.#parts.engine.view(NO_MARKETS).ordersByState;
      return matched + settling;
    } catch {
      return 0;
    }
  }

  /** Until when a placement may arrive, of a previous run as well, whose markets the core may not know yet. */
  inFlightUntilMs(): number | undefined {
    return this.#parts.own.inFlightUntilMs(this.#options.settings.timing.unknownHorizonMs);
  }

  /** Placements that wait for their turn must not leave behind the cancel. */
  async cutVenue(): Promise<void> {
    try {
      const bound = { timers: this.#options.clock, ms: CUT_MS_MAX };
      await inTime(this.#parts.venue.stop(), undefined, bound);
    } catch (error) {
      this.#options.log.error('venue.stop_failed', { detail: String(error) });
    }
  }

  /** What the core has under way is in doubt: only the core hears what becomes of it. */
  async kill(bounds: Pick<KillErrand, 'inFlightUntilMs' | 'withinMs'> = {}): Promise<KillResult> {
    const untilMs = bounds.inFlightUntilMs === undefined ? this.inFlightUntilMs() : undefined;
    const mayArrive = untilMs !== undefined && untilMs > this.#options.clock.nowMs();
    const isUnderWay = this.hasUnanswered() || mayArrive;
    try {
      const result = await killAt(this.#parts.access, {
        scope: { kind: 'account' },
        own: this.#parts.own.meant,
        clock: this.#options.clock.steady(),
        onProgress: (step) => this.#options.log.warn('kill.step', step),
        ...bounds,
      });
      return isUnderWay ? unconfirmed(result, MAY_ARRIVE, this.#parts.own.inFlight) : result;
    } catch (error) {
      return {
        kind: 'unconfirmed',
        cancelled: 0,
        tookMs: 0,
        left: undefined,
        detail: String(error),
      };
    }
  }
}
