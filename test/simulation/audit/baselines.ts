// What losses are measured from stays where it is: over restarts too, until an operator has seen the loss
// or a day is over. A loss that was seen is measured anew from the next profit that is known, which may
// be long after the operator's resume, and once.

import type { Report } from '../../../src/domain/report.ts';
import type { StoredBaselines } from '../../../src/domain/risk.ts';

type Eased = Extract<Report, { readonly event: 'control.eased' }>;

export class BaselineWatch {
  #known: StoredBaselines | undefined;
  /**
   * Controls whose loss an operator has seen, and how often since its baseline moved: a second resume
   * may come before the first one's baseline is written.
   */
  readonly #seen = new Map<Eased['control'], number>();

  /** @param kept - Those on the disk; what was seen and did not move before a crash is measured on. */
  onProcessStarts(kept: StoredBaselines | undefined): void {
    this.#known = kept;
    this.#seen.clear();
  }

  onEased({ control, by }: Eased): void {
    if (by !== 'itself') this.#seen.set(control, (this.#seen.get(control) ?? 0) + 1);
  }

  /** @returns What moved that may not. */
  onRecord(now: StoredBaselines): string | undefined {
    const before = this.#known;
    this.#known = now;
    if (before === undefined) return undefined;
    if (now.sessionNano !== before.sessionNano && !this.#takeSeen('session_loss'))
      return moved('session', before.sessionNano, now.sessionNano);
    const isOtherDay = now.day === before.day && now.dayNano !== before.dayNano;
    if (isOtherDay && !this.#takeSeen('day_loss')) return moved('day', before.dayNano, now.dayNano);
    return now.peakNano < before.peakNano && !this.#takeSeen('drawdown')
      ? moved('peak', before.peakNano, now.peakNano)
      : undefined;
  }

  #takeSeen(control: Eased['control']): boolean {
    const times = this.#seen.get(control) ?? 0;
    this.#seen.delete(control);
    if (times > 1) this.#seen.set(control, 1);
    return times > 0;
  }
}

function moved(what: string, from: number, to: number): string {
  return `the ${what} is measured from ${(to / 1e9).toFixed(2)} USDC, and was from ${(from / 1e9).toFixed(2)}`;
}
