// Starts traders, with one in reserve: a process that has loaded everything and waits for its word, so
// that a death costs no start of a program.

import type { Timers } from '../domain/time.ts';
import { type Part, type PartOptions, startPart } from '../guard/child.ts';
import type { HttpPlace, RunFacts } from '../guard/protocol.ts';
import type { TraderProcess } from '../guard/trader-run.ts';

export type LauncherOptions = PartOptions & {
  readonly timers: Timers;
  readonly hasReserve: boolean;
  /** What every trader trades with, whatever the file says when it begins. */
  readonly settings: object;
  /** What a trader is told beside what the guard knows. */
  readonly extra: unknown;
  readonly http: HttpPlace;
  /** The first trader, where it was started before all of this was known. */
  readonly ahead?: Part | undefined;
  readonly start?: typeof startPart;
};

/** The reserve loads when the trader has its first quotes out: both want the processor. */
const RESERVE_AFTER_MS = 2_000;

export class Launcher {
  readonly #options: LauncherOptions;
  #reserve: Part | undefined;
  #trader: Part | undefined;
  #venueFault: string | undefined;
  #callOff: () => void = () => {};

  constructor(options: LauncherOptions) {
    this.#options = options;
    if (options.ahead !== undefined) this.#keep(options.ahead);
  }

  launch(facts: RunFacts): TraderProcess {
    this.#callOff();
    const part = this.#takeReserve() ?? this.#start();
    const { settings, extra, http } = this.#options;
    const known = { ...facts, venueFault: this.#venueFault };
    part.send({ kind: 'begin', facts: known, settings, extra, http });
    this.#trader = part;
    return part;
  }

  /** The venue shows nothing more: this trader and the next ones say why. */
  venueFault(detail: string): void {
    this.#venueFault = detail;
    this.#trader?.send({ kind: 'venueFault', detail });
  }

  /** The trader is up: the next one may be made ready. */
  prepare(): void {
    if (!this.#options.hasReserve) return;
    this.#callOff();
    this.#callOff = this.#options.timers.after(RESERVE_AFTER_MS, () => this.#fill());
  }

  close(): void {
    this.#callOff();
    this.#reserve?.signal('SIGKILL');
    this.#reserve = undefined;
  }

  /**
   * One that is suspended would be waited for as long as any start may take, and one that has ended while its guard
   * loaded counts as a death that none was.
   */
  #takeReserve(): Part | undefined {
    const reserve = this.#reserve;
    this.#reserve = undefined;
    if (reserve === undefined || reserve.hasEnded()) return undefined;
    if (!reserve.isStopped()) return reserve;
    reserve.signal('SIGKILL');
    return undefined;
  }

  #fill(): void {
    if (this.#reserve === undefined) this.#keep(this.#start());
  }

  #start(): Part {
    const { start = startPart } = this.#options;
    return start(this.#options);
  }

  #keep(part: Part): void {
    this.#reserve = part;
    void part.exited.then(() => {
      if (this.#reserve === part) this.#reserve = undefined;
    });
  }
}
