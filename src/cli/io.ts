// What a command may touch of the process that runs it: its streams, environment and signals.

import type { Writable } from 'node:stream';
import type { ExitCode } from '../app/exit.ts';

/** Standard output or error; the terminal's properties are there when it is one. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export type Env = Readonly<Record<string, string | undefined>>;

export type CliIo = {
  /** Results only. */
  readonly stdout: Output;
  /** Logs, progress and complaints. */
  readonly stderr: Output;
  readonly env: Env;
};

/** A command states its outcome; without it, it is done. */
export type Finish = (code: ExitCode) => void;

/** Prints one result: as JSON for programs, or as lines for people. */
export function printResult(
  io: CliIo,
  result: { readonly json: unknown; readonly lines: readonly string[] },
  options: { readonly json?: boolean | undefined },
): void {
  const text = options.json ? JSON.stringify(result.json, undefined, 2) : result.lines.join('\n');
  io.stdout.write(`${text}\n`);
}

export function complain(io: CliIo, text: string): void {
  io.stderr.write(`bookend: ${text}\n`);
}
