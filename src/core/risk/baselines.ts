// What losses are measured from: the profit at which the session and the day began, and the highest
// since. They outlive a restart with the ledger, so that a loss is not forgotten by starting again.

import type { ControlName, StoredBaselines } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const DAY_HOURS = 24;

export type KeptBaselines = Omit<StoredBaselines, 'left' | 'held' | 'marks'>;

type Begun = Pick<KeptBaselines, 'day' | 'beginsAtHour' | 'dayNano' | 'latest'>;

/** A day by its number, as `dayOf` counts them, and the hour of UTC at which it begins. */
type Day = { readonly day: number; readonly beginsAtHour: number };

export class Baselines {
  #kept: KeptBaselines | undefined;
  /** Losses that an operator has seen and no known profit has followed. */
  readonly #toAcknowledge = new Set<ControlName>();

  get current(): KeptBaselines | undefined {
    return this.#kept;
  }

  restore({ left: _left, held: _held, marks: _marks, ...kept }: StoredBaselines): void {
    this.#kept = kept;
  }

  /** Takes in the profit of now, which is known; the first one begins session, day and peak. */
  update(pnlNano: number, today: Day): void {
    const kept = this.#acknowledged(pnlNano);
    const { day, beginsAtHour } = today;
    if (kept === undefined) {
      const latest = [day * DAY_HOURS + beginsAtHour, pnlNano] as const;
      const first = { sessionNano: pnlNano, dayNano: pnlNano, peakNano: pnlNano };
      this.#set({ ...first, day, beginsAtHour, latest });
      return;
    }
    const isSameDay = day === kept.day && beginsAtHour === kept.beginsAtHour;
    if (isSameDay && pnlNano <= kept.peakNano) return;
    const peakNano = Math.max(kept.peakNano, pnlNano);
    this.#set({ ...kept, ...begun(kept, pnlNano, today), peakNano });
  }

  /**
   * An operator has seen these losses: they are measured from the next profit that is known. One that
   * lacks a price, as right after a start, would move the limit by all that is not priced.
   */
  acknowledge(controls: Iterable<ControlName>): void {
    for (const control of controls) this.#toAcknowledge.add(control);
  }

  #acknowledged(pnlNano: number): KeptBaselines | undefined {
    const kept = this.#kept;
    const controls = this.#toAcknowledge;
    if (kept === undefined || controls.size === 0) return kept;
    const moved = {
      ...kept,
      sessionNano: controls.has('session_loss') ? pnlNano : kept.sessionNano,
      dayNano: controls.has('day_loss') ? pnlNano : kept.dayNano,
      peakNano: controls.has('drawdown') ? pnlNano : kept.peakNano,
    };
    controls.clear();
    this.#set(moved);
    return moved;
  }

  #set(kept: KeptBaselines): void {
    this.#kept = kept;
  }
}

/**
 * By a clock that was ahead, or another hour, a day had begun too early: it goes on, and ends when it should.
 * One that begins at the very moment at which it had begun before is measured from where it was, since
 * nothing may be lost twice on one day. So is one that by another hour had begun before the last one was
 * over: what was lost since then counts, and nobody knows how much of all that it was.
 */
function begun(kept: KeptBaselines, pnlNano: number, { day, beginsAtHour }: Day): Begun {
  const { day: before, dayNano } = kept;
  const overAtHour = (before + 1) * DAY_HOURS + (kept.beginsAtHour ?? beginsAtHour);
  const [latest, latestNano] = kept.latest ?? [before * DAY_HOURS + beginsAtHour, dayNano];
  const hour = day * DAY_HOURS + beginsAtHour;
  if (day <= before) return { day, beginsAtHour, dayNano, latest: [latest, latestNano] };
  if (hour === latest) {
    const wasNano = Math.max(dayNano, latestNano);
    return { day, beginsAtHour, dayNano: wasNano, latest: [latest, latestNano] };
  }
  const fromNano = hour < overAtHour ? Math.max(dayNano, pnlNano) : pnlNano;
  const now = [hour, fromNano] as const;
  return {
    day,
    beginsAtHour,
    dayNano: fromNano,
    latest: hour > latest ? now : [latest, latestNano],
  };
}

/** Days since 1970, each beginning at that hour of UTC. */
export function dayOf(nowMs: UnixMs, startsAtHour: number): number {
  return Math.floor((nowMs - startsAtHour * HOUR_MS) / DAY_MS);
}

/** When a day ends. */
export function dayEndMs(day: number, startsAtHour: number): number {
  return (day + 1) * DAY_MS + startsAtHour * HOUR_MS;
}
