// `paper`: the embedded venue and the daemon against it, in one command and three processes.

import process from 'node:process';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../app/exit.ts';
import { embeddedCredentials } from '../app/paper.ts';
import { leaveAccount } from '../app/paper-account.ts';
import { BotError } from '../domain/errors.ts';
import { redacted } from '../domain/redact.ts';
import type { GuardSettings } from '../settings/load.ts';
import { type AttachedVenue, attachVenue } from './attached-venue.ts';
import { GuardSession, guardSettings } from './guard-session.ts';
import { type CliIo, complain, type Finish } from './io.ts';
import { CONFIG_DOC, CONFIG_FLAG, command } from './options.ts';
import { type ReplayOptions, withReplayOptions } from './replay-options.ts';
import { type SessionOptions, withSessionOptions } from './session-options.ts';

type PaperOptions = SessionOptions & ReplayOptions;

const CONFIG_DEFAULT = 'config/paper.yaml';

export function paperCommand(io: CliIo, finish: Finish): Command {
  const paper = command('paper', 'starts the embedded venue and the daemon against it').option(
    CONFIG_FLAG,
    CONFIG_DOC,
    CONFIG_DEFAULT,
  );
  paper.option('--exit-at-end', 'stop when the recording is over');
  return withSessionOptions(withReplayOptions(paper)).action(async (options: PaperOptions) => {
    if (options.exitAtEnd === true && options.replay === undefined) {
      throw new BotError('settings.invalid', '--exit-at-end: name the --replay that ends');
    }
    const settings = await guardSettings(io, options.config);
    const session = new GuardSession(io, settings, options);
    try {
      const venue = await attachVenue(io, options, (line) => session.write(line));
      if (typeof venue === 'number') finish(venue);
      else finish(await trade({ session, settings, venue, options, io }));
    } finally {
      await session.close();
    }
  });
}

async function trade({
  session,
  settings,
  venue,
  options,
  io,
}: {
  readonly session: GuardSession;
  readonly settings: GuardSettings;
  readonly venue: AttachedVenue;
  readonly options: PaperOptions;
  readonly io: CliIo;
}): Promise<ExitCode> {
  const { baseUrl, wsUrl } = venue.facts;
  let failure: string | undefined;
  void venue.played.then((played) => {
    failure = played.failure;
    // As whoever presses Ctrl-C: what rests is cancelled first.
    if (options.exitAtEnd === true) process.kill(process.pid, 'SIGTERM');
  });
  warnOfShow(session, options);
  try {
    const account = await leaveAccount(venue.facts, settings);
    session.log.info('paper.venue', { baseUrl, wsUrl, account });
    const exit = await session.run({
      settings: { ...settings, venue: { ...settings.venue, baseUrl, wsUrl } },
      credentials: embeddedCredentials(venue.facts),
      extra: venue.facts,
      isVenueNew: true,
      mayMovePort: true,
      venueGone: venue.gone.then((gone) => session.log.error('paper.venue_died', gone)),
    });
    return exit === EXIT.done && failure !== undefined ? EXIT.failed : exit;
  } finally {
    for (const line of await venue.stop()) io.stdout.write(`${redacted(line)}\n`);
    if (failure !== undefined) complain(io, failure);
  }
}

/** Ten times as fast, every delay of this machine counts for ten times as much. */
function warnOfShow({ log }: GuardSession, { replay, speed }: PaperOptions): void {
  if (replay === undefined || speed === undefined || speed === 1) return;
  log.warn('replay.show', { speed, detail: 'for the eye: `bookend backtest` measures' });
}
