// Which run of a configuration a command is about: the live one, or the dry run beside it, each with a ledger and an
// account of its own.

import type { Command } from 'commander';
import { onDryJournal } from '../app/dry-journal.ts';
import { systemClock } from '../clock/system.ts';
import { BotError } from '../domain/errors.ts';
import { inTime } from '../domain/in-time.ts';
import { journalActivity } from '../journal/activity.ts';
import type { KillSettings } from '../settings/load.ts';
import { type CliIo, complain } from './io.ts';

export type RunOptions = {
  readonly config: string;
  readonly dryRun?: boolean;
  readonly live?: boolean;
};

type Journalled = Pick<KillSettings, 'journal'>;

/** What is chosen, and whether it is the dry run. */
export type ChosenRun<Own> = { readonly settings: Own; readonly isDry: boolean };

export function withRunOptions(command: Command): Command {
  return command
    .option('--dry-run', 'the dry run of this configuration, where a live run may be beside it')
    .option('--live', 'the live run, where a dry run may be beside it');
}

/**
 * The run that is named, or else the one that is running; where none is, the live one.
 *
 * @param isGrave - A mistake would leave real orders that somebody takes for cancelled, or cancel real ones
 *   from a dry run: then a dry run that runs alone must be named, where there are credentials for the real venue.
 * @throws {BotError} `settings.invalid` where it must be named.
 */
export async function chosenRun<Own extends Journalled>(
  io: CliIo,
  settings: Own,
  { dryRun, live, config }: RunOptions,
  isGrave = false,
): Promise<ChosenRun<Own>> {
  if (dryRun === true && live === true) {
    throw new BotError('settings.invalid', 'give --dry-run or --live, not both');
  }
  if (live === true) return { settings, isDry: false };
  const dry = { settings: onDryJournal(settings), isDry: true };
  if (dryRun === true) return dry;
  const isDryAlone = isAlone(dry.settings, settings);
  // A disk that hangs keeps nobody from a kill.
  if (!(await inTime(isDryAlone, false, { timers: systemClock().background, ms: LOOK_MS_MAX })))
    return { settings, isDry: false };
  if (isGrave && hasCredentials(io)) {
    const means = 'name the account: --dry-run for the simulated one, --live for the real one';
    throw new BotError('settings.invalid', `${config} runs dry, and nothing live runs; ${means}`);
  }
  complain(io, 'this is about the dry run: its orders are simulated (--live for the real account)');
  return dry;
}

const LOOK_MS_MAX = 1_000;

async function isAlone(dry: Journalled, live: Journalled): Promise<boolean> {
  return (await isRunning(dry)) && !(await isRunning(live));
}

/** What cannot be looked at, as a folder that is not there, is of no run. */
async function isRunning({ journal }: Journalled): Promise<boolean> {
  try {
    const { holders } = await journalActivity(journal.path);
    return holders.some(({ isSeen }) => isSeen);
  } catch {
    return false;
  }
}

function hasCredentials({ env }: CliIo): boolean {
  return ['VENUE_API_KEY', 'VENUE_CREDENTIALS_FILE'].some(
    (name) => (env[name] ?? '').trim() !== '',
  );
}
