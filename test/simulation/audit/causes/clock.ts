// The machine's clock is off by more than the setting allows, or its offset moved by more between two
// readings: by the two clocks themselves, once the network has carried readings that show it.

import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { Room } from '../room.ts';
import type { Cause, Due, Place } from './cause.ts';

type Reading = Extract<VenueMessage, { readonly kind: 'clockOffset' }>;

/** An answer in whole seconds that took no longer than this is off by less than twice as much. */
const ROUND_TRIP_MS = 1_000;
const ERROR_MS = 2_000;
/** Of the first reading a part may be from before. */
const READINGS_MIN = 2;
/** The offset itself is told exactly; both readings were rounded the same way. */
const DRIFT_ERROR_MS = 1;

export class ClockCause implements Cause {
  readonly #room: Room;
  #offSinceMs: number | undefined;
  /** Good readings since the clock is off. */
  #readings = 0;
  #lastOffsetMs: number | undefined;
  #drift: string | undefined;

  constructor(room: Room) {
    this.#room = room;
  }

  onProcessStarts(): void {
    this.#offSinceMs = undefined;
    this.#readings = 0;
    this.#lastOffsetMs = undefined;
    this.#drift = undefined;
  }

  /** What moved before was held against another limit. */
  onSettings(): void {
    this.#drift = undefined;
    this.#readings = 0;
  }

  onMessage(message: VenueMessage, nowMs: number): void {
    if (message.kind !== 'clockOffset') return;
    this.#noteDrift(message);
    const askedAtMs = nowMs - message.roundTripMs;
    if (message.roundTripMs > ROUND_TRIP_MS || askedAtMs <= (this.#offSinceMs ?? nowMs)) return;
    this.#readings += 1;
  }

  /** An operator's resume lifts it, and the next reading shows it again. */
  onMoved({ control }: Place): void {
    if (control === 'clock_offset') this.#readings = 0;
    if (control === 'clock_drift') this.#drift = undefined;
  }

  due(nowMs: number): readonly Due[] {
    const found: Due[] = [];
    const offMs = this.#offMs();
    if (offMs === 0) {
      this.#offSinceMs = undefined;
      this.#readings = 0;
    } else this.#offSinceMs ??= nowMs;
    if (this.#readings >= READINGS_MIN) {
      const detail = `${offMs} ms off, and ${this.#readings} readings showed it`;
      found.push({ control: 'clock_offset', where: 'account', detail });
    }
    if (this.#drift !== undefined)
      found.push({ control: 'clock_drift', where: 'account', detail: this.#drift });
    return found;
  }

  /** How far off the clock is beyond what is allowed and may be misread; zero where it is not. */
  #offMs(): number {
    const { venue, nowMs, hostMs = nowMs, lately } = this.#room;
    const offMs = Math.abs(nowMs() + venue.faults.clockShiftMs - hostMs());
    const isOff = lately.limits(nowMs()).every(({ clock }) => {
      const { offsetMsMax = 0 } = clock ?? {};
      return offsetMsMax > 0 && offMs > offsetMsMax + ERROR_MS;
    });
    return isOff ? offMs : 0;
  }

  #noteDrift({ offsetMs }: Reading): void {
    const { lately, nowMs } = this.#room;
    const [now] = lately.limits(nowMs());
    const { driftMsMax = 0 } = now?.clock ?? {};
    const movedMs = Math.abs(offsetMs - (this.#lastOffsetMs ?? offsetMs));
    this.#lastOffsetMs = offsetMs;
    if (driftMsMax === 0 || movedMs <= driftMsMax + DRIFT_ERROR_MS) return;
    this.#drift = `the offset moved by ${Math.round(movedMs)} ms between two readings`;
  }
}
