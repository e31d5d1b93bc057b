// Runs a daemon from start to end inside this process, with signals and uncaught errors in hand.

import type { Clock } from '../domain/time.ts';
import type { Log } from '../telemetry/logs.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { hookProcess } from './process-hooks.ts';
import type { StartedDaemon } from './startup.ts';

export type ServeOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly start: () => Promise<StartedDaemon>;
  /** The daemon is up; what this returns is undone when it has ended. */
  readonly onStarted: (started: StartedDaemon) => () => void;
};

/**
 * Starts a daemon and waits for its end.
 *
 * A signal before it is up is remembered and obeyed once it is: what was opened by then must be
 * closed in good order, and every step of a start has its own time-out.
 *
 * @returns The exit code.
 * @throws {Error} What the start refuses with; nothing was placed then.
 */
export async function serve(options: ServeOptions): Promise<ExitCode> {
  const life = new Life(options);
  const unhook = hookProcess(life, () => options.clock.nowMs());
  try {
    return await life.run();
  } finally {
    unhook();
  }
}

class Life {
  readonly #options: ServeOptions;
  #started: StartedDaemon | undefined;
  #signal: string | undefined;
  #crash: Error | undefined;

  constructor(options: ServeOptions) {
    this.#options = options;
  }

  async run(): Promise<ExitCode> {
    const started = await this.#options.start();
    this.#started = started;
    const undo = this.#options.onStarted(started);
    try {
      if (this.#crash) this.onCrash(this.#crash);
      else if (this.#signal !== undefined) this.onStop(this.#signal);
      return await started.daemon.ended;
    } finally {
      undo();
    }
  }

  readonly onStop = (signal: string): void => {
    this.#signal = signal;
    void this.#started?.daemon.stop(signal);
  };

  readonly onStopAgain = (signal: string): void => {
    void this.#started?.daemon.abort(`${signal} came twice`, EXIT.done);
  };

  readonly onReload = (): void => {
    this.#started?.reload();
  };

  readonly onCrash = (error: Error): void => {
    this.#crash = error;
    this.#options.log.error('crash', { detail: error.stack ?? error.message });
    void this.#started?.daemon.abort('an error was not caught', EXIT.failed);
  };
}
