// The command line: commands, their options, and the exit code of each outcome.

import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../app/exit.ts';
import { packageVersion } from '../app/version.ts';
import { redacted } from '../domain/redact.ts';
import { nearest } from '../settings/suggest.ts';
import { exitCodeOf, failureLines } from './failures.ts';
import { type CliIo, complain, type Finish } from './io.ts';
import { harmlessLines } from './text.ts';

const EXIT_HELP = `
Exit codes: 0 done · 1 failed · 2 wrong usage or configuration · 3 preflight refused ·
4 a kill or shutdown could not be confirmed clean`;

type Create = (io: CliIo, finish: Finish) => Command;

/**
 * Each command is loaded when it is wanted: a guard must not have the daemon in it, and nobody waits
 * for what he did not ask for.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Create>>> = {
  paper: async () => (await import('./paper.ts')).paperCommand,
  run: async () => (await import('./run.ts')).runCommand,
  venue: async () => (await import('./venue.ts')).venueCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  kill: async () => (await import('./kill.ts')).killCommand,
  pause: async () => (await import('./pause.ts')).pauseCommand,
  resume: async () => (await import('./resume.ts')).resumeCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  fills: async () => (await import('./fills.ts')).fillsCommand,
  events: async () => (await import('./events.ts')).eventsCommand,
  orders: async () => (await import('./orders.ts')).ordersCommand,
  pnl: async () => (await import('./pnl.ts')).pnlCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  record: async () => (await import('./record.ts')).recordCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  replay: async () => (await import('./replay.ts')).replayCommand,
  backtest: async () => (await import('./backtest.ts')).backtestCommand,
  sweep: async () => (await import('./sweep.ts')).sweepCommand,
  markets: async () => (await import('./markets.ts')).marketsCommand,
  split: async () => (await import('./split.ts')).splitCommand,
  merge: async () => (await import('./merge.ts')).mergeCommand,
  redeem: async () => (await import('./redeem.ts')).redeemCommand,
  init: async () => (await import('./init.ts')).initCommand,
  schema: async () => (await import('./schema.ts')).schemaCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
};

/** What `paper` and `run` start; nobody types these. */
const PARTS: typeof COMMANDS = {
  trader: async () => (await import('./trader.ts')).traderCommand,
  http: async () => (await import('./http.ts')).httpCommand,
  'paper-venue': async () => (await import('./paper-venue.ts')).paperVenueCommand,
};

/**
 * Runs the command that the arguments name.
 *
 * @param argv - Arguments after the program's name.
 * @returns The exit code; errors are told on standard error, never thrown.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const finish = (finished: ExitCode): void => {
    code = finished;
  };
  try {
    const program = createProgram(io, await wanted(argv[0]), { finish, argv });
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return failed(io, error);
  }
}

/** The one command that is named, none for a version, or all of them for whoever asks what there is. */
async function wanted(name: string | undefined): Promise<readonly Create[]> {
  const all = { ...COMMANDS, ...PARTS };
  // A script for a shell is about all of them.
  if (name === 'completion') return await every();
  const named = name !== undefined && Object.hasOwn(all, name) ? all[name] : undefined;
  if (named !== undefined) return [await named()];
  if (name === '--version' || name === '-V') return [];
  return await every();
}

async function every(): Promise<readonly Create[]> {
  return await Promise.all(Object.values(COMMANDS).map(async (load) => await load()));
}

type Run = { readonly finish: Finish; readonly argv: readonly string[] };

function createProgram(io: CliIo, commands: readonly Create[], { finish, argv }: Run): Command {
  const program = new Command('bookend')
    .description('Keeps two-sided quotes on the order books of a prediction-market venue.')
    .version(packageVersion(), '-V, --version', 'prints the version of this build')
    .helpCommand(true)
    .addHelpText('after', EXIT_HELP)
    .showHelpAfterError('(add --help for the options)');
  for (const create of commands) {
    const command = create(io, finish);
    program.addCommand(
      command.showHelpAfterError(`(bookend ${command.name()} --help has its options)`),
    );
  }
  for (const command of [program, ...program.commands]) withStreams(command, io, argv);
  return program;
}

/** Errors come back to us instead of ending the process, and go to the streams we were given. */
function withStreams(command: Command, io: CliIo, argv: readonly string[]): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(redacted(text)),
    writeErr: (text) => void io.stderr.write(harmlessLines(redacted(text))),
    outputError: (text, write) => write(`${text}${misspelt(text, command, argv)}`),
  });
}

/** Commander asks for `--config` where `--cofnig` was given, and does not say that the two are near. */
function misspelt(text: string, command: Command, argv: readonly string[]): string {
  if (!text.includes('required option')) return '';
  const known = command.options.flatMap(({ long }) => long ?? []);
  const flags = argv
    .filter((word) => word.startsWith('--'))
    .map((word) => word.split('=')[0] ?? '');
  const pairs = flags
    .filter((flag) => !known.includes(flag))
    .map((flag) => ({ flag, near: nearest(flag, known) }));
  const found = pairs.find(({ near }) => near !== undefined);
  return found === undefined ? '' : `(Did you mean ${found.near} by ${found.flag}?)\n`;
}

function failed(io: CliIo, error: unknown): ExitCode {
  // Commander has already said what is wrong; help that was asked for is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  for (const line of failureLines(error)) complain(io, line);
  return exitCodeOf(error);
}
