// Lives of the daemon: which one runs, and which of them have one memory.

import type { HeldOnDisk } from './stops.ts';

export type LifeStart = {
  readonly life: number;
  /** Whether it has the memory of the life before it. */
  readonly remembers: boolean;
  /** What the life before it left, on the disk or with its guard, of all that stops or holds it. */
  readonly held: HeldOnDisk;
};

export class Lives {
  /** The life that runs, or that ran last. */
  life = 0;
  /** Lives that follow each other with one memory, by the first of them. */
  era = 0;
  isAlive = false;
  startedAtMs = 0;
  readonly #eras = new Map<number, number>();
  #hasMemory = false;

  /**
   * @param keepsMemory - Whether what it does is kept for the life after it.
   * @returns Whether it remembers the life before it.
   */
  begin(life: number, keepsMemory: boolean, nowMs: number): boolean {
    const remembers = this.#hasMemory;
    this.#hasMemory = keepsMemory;
    this.life = life;
    if (!remembers) this.era = life;
    this.#eras.set(life, this.era);
    this.isAlive = true;
    this.startedAtMs = nowMs;
    return remembers;
  }

  end(): void {
    this.isAlive = false;
  }

  /** What the lives so far kept is lost. */
  loseMemory(): void {
    this.#hasMemory = false;
  }

  /** The first life of the era that a life is of. */
  eraOf(life: number): number {
    return this.#eras.get(life) ?? life;
  }
}
