// Runs a daemon from start to end inside this process, with signals and uncaught errors in hand.

import type { Clock } from '../domain/time.ts';
import { Faults } from '../guard/fault.ts';
import type { Log } from '../telemetry/logs.ts';
import { UnconfirmedStart } from './abandoned-start.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { hookProcess } from './process-hooks.ts';
import type { StartedDaemon, StartSignals } from './startup.ts';

export type ServeOptions = {
  readonly clock: Clock;
  readonly log: Log;
  /** A start that is called off rejects, and has placed nothing. */
  readonly start: (signals: StartSignals) => Promise<StartedDaemon>;
  /** The daemon is up; what this returns is undone when it has ended. */
  readonly onStarted: (started: StartedDaemon) => () => void;
  /** Tells when the guard is gone: nobody would cancel for us any more. */
  readonly onGuardGone?: ((task: () => void) => void) | undefined;
};

/**
 * Starts a daemon and waits for its end.
 *
 * A signal before it is up calls the start off; nothing has been placed by then.
 *
 * @returns The exit code.
 * @throws {Error} What the start refuses with; nothing was placed then.
 */
export async function serve(options: ServeOptions): Promise<ExitCode> {
  const served = new ServedRun(options);
  const unhook = hookProcess(served, () => options.clock.nowMs());
  options.onGuardGone?.(() => served.onGuardGone());
  try {
    return await served.run();
  } finally {
    unhook();
  }
}

class ServedRun {
  readonly #options: ServeOptions;
  readonly #calledOff = new AbortController();
  readonly #insisted = new AbortController();
  readonly #strays: Faults;
  #isUnconfirmed = false;
  #started: StartedDaemon | undefined;
  #crash: Error | undefined;

  constructor(options: ServeOptions) {
    this.#options = options;
    this.#strays = new Faults(options.log, options.clock, 'error.stray');
  }

  async run(): Promise<ExitCode> {
    const started = await this.#start();
    if (started === undefined) return this.#codeOfNoStart();
    this.#started = started;
    const undo = this.#options.onStarted(started);
    try {
      return await started.daemon.ended;
    } finally {
      undo();
    }
  }

  readonly onStop = (signal: string): void => {
    if (this.#started) void this.#started.daemon.stop(signal);
    else this.#callOff(signal);
  };

  readonly onStopAgain = (signal: string): void => {
    if (this.#started) void this.#started.daemon.insist(signal);
    else this.#insisted.abort();
  };

  readonly onGuardGone = (): void => {
    if (this.#started) void this.#started.daemon.external();
    else this.#callOff('the guard is gone');
  };

  readonly onReload = (): void => {
    this.#started?.reload();
  };

  readonly onStray = (error: unknown): void => this.#strays.onFault(error);

  readonly onCrash = (error: Error): void => {
    this.#crash = error;
    this.#options.log.error('crash', { detail: error.stack ?? error.message });
    if (this.#started) void this.#started.daemon.abort('an error was not caught', EXIT.failed);
    else this.#callOff('an error was not caught');
  };

  /** `undefined` when it was called off in time. */
  async #start(): Promise<StartedDaemon | undefined> {
    const calledOff = this.#calledOff.signal;
    try {
      return await this.#options.start({ calledOff, insisted: this.#insisted.signal });
    } catch (error) {
      this.#isUnconfirmed = error instanceof UnconfirmedStart;
      if (calledOff.aborted) return undefined;
      throw error;
    }
  }

  #codeOfNoStart(): ExitCode {
    if (this.#isUnconfirmed) return EXIT.unconfirmed;
    return this.#crash ? EXIT.failed : EXIT.done;
  }

  #callOff(by: string): void {
    this.#options.log.info('start.called_off', { by });
    this.#calledOff.abort();
  }
}
