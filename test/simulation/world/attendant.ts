// A person who looks at the state now and then, and resumes what only a person may resume.

import type { VirtualClock } from '../../../src/clock/virtual.ts';
import type { OperatorOrder } from '../../../src/domain/input.ts';
import type { StateView } from '../../../src/domain/view.ts';
import type { Random } from '../../../src/paper/crowd/random.ts';

export type AttendantParts = {
  readonly clock: VirtualClock;
  readonly random: Random;
  /** `undefined` while no process runs. */
  readonly view: () => StateView | undefined;
  readonly operator: (order: OperatorOrder) => void;
};

const LOOK_MS = 15_000;
/** What an operator asked for is lifted by whoever asked. */
const ORDERED = new Set(['paused', 'killing', 'killed', 'stopping', 'stopped']);

export class Attendant {
  readonly #parts: AttendantParts;
  /** When it will have understood the cause. */
  #resumesAtMs: number | undefined;

  constructor(parts: AttendantParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.clock.after(LOOK_MS, () => {
      this.#look();
      this.start();
    });
  }

  #look(): void {
    const { view, clock, random, operator } = this.#parts;
    const seen = view();
    if (seen === undefined || ORDERED.has(seen.phase)) return;
    if (!waitsForPerson(seen)) {
      this.#resumesAtMs = undefined;
      return;
    }
    this.#resumesAtMs ??= clock.nowMs() + random.whole(10_000, 120_000);
    if (clock.nowMs() >= this.#resumesAtMs) operator({ kind: 'resume', by: 'attendant' });
  }
}

function waitsForPerson({ phase, risk }: StateView): boolean {
  return (
    phase === 'halted' || (risk?.latches ?? []).some(({ clears }) => clears.startsWith('POST'))
  );
}
