import type { Reporter, TestModule } from 'vitest/node';

/** What no file takes that goes on, on a machine that others use too. */
const LONG_MS = 240_000;

/**
 * Names the files that have run for minutes, every minute. A file that hangs prints nothing, a run that is then ended
 * by force names none of those that were open, and the next one has to guess.
 */
export class StillRunning implements Reporter {
  readonly #since = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(): void {
    this.#timer = setInterval(() => {
      const said = longRunning(this.#since, performance.now());
      if (said !== undefined) process.stderr.write(`${said}\n`);
    }, 60_000);
    this.#timer.unref();
  }

  onTestModuleStart(file: TestModule): void {
    this.#since.set(file.relativeModuleId, performance.now());
  }

  onTestModuleEnd(file: TestModule): void {
    this.#since.delete(file.relativeModuleId);
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }
}

/** A line of those that began more than {@link LONG_MS} ago, or nothing. */
export function longRunning(since: ReadonlyMap<string, number>, nowMs: number): string | undefined {
  const long = [...since].filter(([, startedMs]) => nowMs - startedMs >= LONG_MS);
  if (long.length === 0) return undefined;
  const names = long.map(([name, ms]) => `${name} (${Math.round((nowMs - ms) / 1000)} s)`);
  return `still running: ${names.join(', ')}`;
}
