// The command line: commands, their options, and the exit code of each outcome.

import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../app/exit.ts';
import { checkCommand } from './check.ts';
import { doctorCommand } from './doctor.ts';
import { exitCodeOf, failureLines } from './failures.ts';
import { type CliIo, complain, type Finish } from './io.ts';
import { killCommand } from './kill.ts';
import { marketsCommand } from './markets.ts';
import { mergeCommand } from './merge.ts';
import { paperCommand } from './paper.ts';
import { redeemCommand } from './redeem.ts';
import { runCommand } from './run.ts';
import { splitCommand } from './split.ts';
import { statusCommand } from './status.ts';
import { venueCommand } from './venue.ts';

const EXIT_HELP = `
Exit codes: 0 done · 1 failed · 2 wrong usage or configuration · 3 preflight refused ·
4 a kill or shutdown could not be proven clean`;

/**
 * Runs the command that the arguments name.
 *
 * @param argv - Arguments after the program's name.
 * @returns The exit code; errors are told on standard error, never thrown.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const program = createProgram(io, (finished) => {
    code = finished;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return failed(io, error);
  }
}

function createProgram(io: CliIo, finish: Finish): Command {
  const program = new Command('bookend')
    .description('Keeps two-sided quotes on the order books of a prediction-market venue.')
    .helpCommand(true)
    .addHelpText('after', EXIT_HELP)
    .showHelpAfterError('(add --help for the options)');
  const commands = [
    paperCommand,
    runCommand,
    venueCommand,
    checkCommand,
    doctorCommand,
    killCommand,
    statusCommand,
    marketsCommand,
    splitCommand,
    mergeCommand,
    redeemCommand,
  ];
  for (const create of commands) program.addCommand(create(io, finish));
  for (const command of [program, ...program.commands]) withStreams(command, io);
  return program;
}

/** Errors come back to us instead of ending the process, and go to the streams we were given. */
function withStreams(command: Command, io: CliIo): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
  });
}

function failed(io: CliIo, error: unknown): ExitCode {
  // Commander has already said what is wrong; help that was asked for is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  for (const line of failureLines(error)) complain(io, line);
  return exitCodeOf(error);
}
