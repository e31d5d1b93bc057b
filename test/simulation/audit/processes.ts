// Processes of the daemon: which one runs, and which of them have one memory.

import type { HeldOnDisk } from './stops.ts';

export type ProcessStart = {
  readonly process: number;
  /** Whether it has the memory of the process before it. */
  readonly remembers: boolean;
  /** What the process before it left, on the disk or with its guard, of all that stops or holds it. */
  readonly held: HeldOnDisk;
};

export class Processes {
  /** The process that runs, or that ran last. */
  process = 0;
  /** Processes that follow each other with one memory, by the first of them. */
  era = 0;
  isAlive = false;
  startedAtMs = 0;
  readonly #eras = new Map<number, number>();
  #hasMemory = false;

  /**
   * @param keepsMemory - Whether what it does is kept for the process after it.
   * @returns Whether it remembers the process before it.
   */
  begin(process: number, keepsMemory: boolean, nowMs: number): boolean {
    const remembers = this.#hasMemory;
    this.#hasMemory = keepsMemory;
    this.process = process;
    if (!remembers) this.era = process;
    this.#eras.set(process, this.era);
    this.isAlive = true;
    this.startedAtMs = nowMs;
    return remembers;
  }

  end(): void {
    this.isAlive = false;
  }

  /** What the processes so far kept is lost. */
  loseMemory(): void {
    this.#hasMemory = false;
  }

  /** The first process of the era that a process is of. */
  eraOf(process: number): number {
    return this.#eras.get(process) ?? process;
  }
}
