// A process of the program that only remembers what it was told.

import type { Part } from '../../src/guard/child.ts';
import type { Exit } from '../../src/guard/trader-run.ts';

export class PartDouble implements Part {
  readonly pid = undefined;
  readonly told: object[] = [];
  readonly signals: NodeJS.Signals[] = [];
  readonly exited: Promise<Exit>;
  isSuspended = false;
  #isOver = false;
  #listener: (message: unknown) => void = () => {};
  #end: (exit: Exit) => void = () => {};

  constructor() {
    this.exited = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  send(message: object): void {
    this.told.push(message);
  }

  signal(name: NodeJS.Signals): void {
    this.signals.push(name);
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#listener = listener;
  }

  /** As if the process had said it. */
  say(message: object): void {
    this.#listener(message);
  }

  isStopped(): boolean {
    return this.isSuspended;
  }

  hasEnded(): boolean {
    return this.#isOver;
  }

  end(exit: Exit): void {
    this.#isOver = true;
    this.#end(exit);
  }
}
