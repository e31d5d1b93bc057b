// Options of the commands that run a daemon, and how they are passed on to the process that trades.

import type { Command } from 'commander';
import type { CliIo } from './io.ts';

export type SessionOptions = {
  readonly config: string;
  /** `false` for plain log lines even on a terminal. */
  readonly screen?: boolean;
  readonly logFile?: string;
  /** Its first run goes on with a journal that is damaged. */
  readonly acceptLoss?: boolean;
  /** Whoever has started this process reads the keys of its terminal. */
  readonly keys?: boolean;
};

export function withSessionOptions(command: Command): Command {
  return command
    .option(
      '--no-screen',
      'plain log lines instead of the live status, and its keys, on a terminal',
    )
    .option('--log-file <file>', 'log lines go there instead of standard error')
    .option('--accept-loss', 'goes on with a journal that is damaged, halted until a resume');
}

export function isScreenWanted(io: CliIo, { screen }: Pick<SessionOptions, 'screen'>): boolean {
  return (io.stdout.isTTY ?? false) && io.env['TERM'] !== 'dumb' && screen !== false;
}

/** The command line of the process that trades. */
export function traderArgs({
  config,
  screen,
  logFile,
  acceptLoss,
  keys,
}: SessionOptions): readonly string[] {
  return [
    ...['trader', '--config', config],
    ...(screen === false ? ['--no-screen'] : []),
    ...(logFile === undefined ? [] : ['--log-file', logFile]),
    ...(acceptLoss === true ? ['--accept-loss'] : []),
    ...(keys === true ? ['--keys'] : []),
  ];
}
