// What `npm run sim` was asked for: every option, its bounds, and words for whoever got one wrong.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { PACES, type PaceName } from './pace.ts';
import { isProfileName, PROFILES, type ProfileName } from './profiles.ts';
import type { RestName } from './world/world.ts';

export type Options = {
  readonly seeds: readonly number[];
  readonly profiles: readonly ProfileName[];
  readonly isProfileGiven: boolean;
  readonly hours: number;
  /** As dense as `steady`, or as a kept run was, where nobody says it. */
  readonly pace: PaceName | undefined;
  /** How the runs end; `none` leaves out the rest and its checks. */
  readonly rest: RestName;
  /** Whether a profile below its floor of quoting uptime is a violation, or only printed. */
  readonly uptime: UptimeMode;
  /** Processes that run at once. */
  readonly jobs: number;
  readonly isTraced: boolean;
  readonly isShrunk: boolean;
  /** Nothing is switched on that a seed would draw. */
  readonly isPlain: boolean;
  readonly isPlanted: boolean;
  /** The runs that once found something, in place of seeds that are named here. */
  readonly isKept: boolean;
  /** Planted bugs by name; all of them when absent. */
  readonly bugs: readonly string[] | undefined;
};

/** `over`: help was printed, or what is wrong; the process ends with this code. */
export type Asked =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'over'; readonly exitCode: number };

export type OptionsIo = {
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
  /** Names of the planted bugs. */
  readonly bugs: readonly string[];
};

type Given = {
  readonly seeds?: number;
  readonly seed?: number;
  readonly hours?: number;
  readonly profile?: ProfileName;
  readonly pace?: PaceName;
  readonly rest: RestName;
  readonly uptime: UptimeMode;
  readonly jobs: number;
  readonly kept?: true;
  readonly trace?: true;
  readonly plain?: true;
  readonly asIs?: true;
  readonly planted?: true;
  readonly bug?: readonly string[];
};

/** Seeds where nobody says how many, of every profile. */
const USUAL = { seeds: 3, hours: 0.5 };
/** Every planted bug is found within these. */
const HUNT = { seeds: 6, hours: 0.2 };
/** As a command line that is used wrongly ends everywhere in this project. */
const WRONG_USAGE = 2;
const UPTIME_MODES = ['hold', 'report'] as const;
export type UptimeMode = (typeof UPTIME_MODES)[number];
/** The core of now does not meet the floors: `hold` once it does. */
const UPTIME_DEFAULT: UptimeMode = 'report';

/** So many runs take a machine months: whoever asks for more has mistyped it. */
const SEEDS_MAX = 1_000_000;
const HOURS_MAX = 10_000;
const JOBS_MAX = 256;

/** What says which runs there are, or that they are others. */
const OF_SEEDS = ['seeds', 'seed', 'hours', 'plain', 'planted', 'bug'];

const PROFILE_NAMES = Object.keys(PROFILES).filter(isProfileName);
const REST_NAMES = ['none', 'brief', 'full'] as const satisfies readonly RestName[];

/**
 * Reads the options of the simulation.
 *
 * @param argv - Arguments after the program's name.
 * @param io - Where help and complaints go, and which bugs there are to hunt.
 */
export function readOptions(argv: readonly string[], io: OptionsIo): Asked {
  const command = createCommand(io);
  try {
    command.parse([...argv], { from: 'user' });
    return { kind: 'run', options: optionsOf(command.opts<Given>()) };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'over', exitCode: error.exitCode === 0 ? 0 : WRONG_USAGE };
  }
}

function createCommand({ writeOut, writeErr, bugs }: OptionsIo): Command {
  return new Command('npm run sim --')
    .description('Runs the whole daemon against a troubled venue on virtual time, seed by seed.')
    .option(
      '--seeds <count>',
      'seeds of each profile (default: 3, or the one given)',
      countTo(SEEDS_MAX),
    )
    .option('--seed <number>', 'the first seed (default: 1)', parseSeed)
    .option('--hours <hours>', 'simulated hours of a run (default: 0.5)', parseHours)
    .addOption(new Option('--profile <name>', 'this profile only').choices(PROFILE_NAMES))
    .addOption(
      new Option('--pace <name>', 'how densely time is filled (default: steady)').choices(
        Object.keys(PACES),
      ),
    )
    .addOption(new Option('--rest <name>', 'how runs end').choices(REST_NAMES).default('full'))
    .addOption(
      new Option('--uptime <mode>', 'hold profiles to their floors, or print it only')
        .choices(UPTIME_MODES)
        .default(UPTIME_DEFAULT),
    )
    .option('--jobs <count>', 'processes that run at once', countTo(JOBS_MAX), 1)
    .addOption(new Option('--kept', 'the runs that once found something').conflicts(OF_SEEDS))
    .option('--trace', 'print everything that happens')
    .option('--plain', 'nothing is switched on that a seed would draw')
    .option('--as-is', 'do not look for a smaller plan that fails too')
    .option('--planted', 'hunt the planted bugs (6 seeds, 0.2 h)')
    .option('--bug <names>', 'hunt these, with commas between them', namesOf(bugs))
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      '\nExit codes: 0 no violation · 1 violated, or a bug not found · 2 wrong usage',
    )
    .showHelpAfterError('(add --help for the options)')
    .exitOverride()
    .configureOutput({ writeOut, writeErr });
}

function optionsOf(given: Given): Options {
  const { profile, pace, rest, uptime, bug } = given;
  const isPlanted = given.planted === true || bug !== undefined;
  const usual = isPlanted ? HUNT : USUAL;
  const count = given.seeds ?? (given.seed === undefined ? usual.seeds : 1);
  const first = given.seed ?? 1;
  return {
    seeds: Array.from({ length: count }, (_, index) => first + index),
    profiles: profile === undefined ? PROFILE_NAMES : [profile],
    isProfileGiven: profile !== undefined,
    hours: given.hours ?? usual.hours,
    pace,
    rest,
    uptime,
    // What a run tells on the way is told by this process.
    jobs: given.trace ? 1 : given.jobs,
    isTraced: given.trace === true,
    isShrunk: given.asIs !== true,
    isPlain: given.plain === true,
    isPlanted,
    isKept: given.kept === true,
    bugs: bug,
  };
}

function countTo(most: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (/^\d+$/.test(text) && count >= 1 && count <= most) return count;
    throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`);
  };
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(seed)) return seed;
  throw new InvalidArgumentError('It is a whole number from 0.');
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (/^\d*\.?\d+$/.test(text) && hours > 0 && hours <= HOURS_MAX) return hours;
  throw new InvalidArgumentError(`It is a number above 0 and up to ${HOURS_MAX}.`);
}

function namesOf(bugs: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = text.split(',');
    const unknown = names.find((name) => !bugs.includes(name));
    if (unknown === undefined) return names;
    throw new InvalidArgumentError(`There is no bug '${unknown}': mutations/README.md lists them.`);
  };
}
