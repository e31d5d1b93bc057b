// `paper`: the embedded venue and the daemon against it, in one command and three processes.

import type { Command } from 'commander';
import type { ExitCode } from '../app/exit.ts';
import { embeddedCredentials } from '../app/paper.ts';
import { leaveAccount } from '../app/paper-account.ts';
import type { GuardSettings } from '../settings/load.ts';
import { type AttachedVenue, attachVenue } from './attached-venue.ts';
import { GuardSession, guardSettings } from './guard-session.ts';
import type { CliIo, Finish } from './io.ts';
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
  return withSessionOptions(withReplayOptions(paper)).action(async (options: PaperOptions) => {
    const settings = await guardSettings(io, options.config);
    const session = new GuardSession(io, settings, options);
    try {
      const venue = await attachVenue(io, options, (line) => session.write(line));
      finish(typeof venue === 'number' ? venue : await trade({ session, settings, venue }));
    } finally {
      await session.close();
    }
  });
}

async function trade({
  session,
  settings,
  venue,
}: {
  readonly session: GuardSession;
  readonly settings: GuardSettings;
  readonly venue: AttachedVenue;
}): Promise<ExitCode> {
  const { baseUrl, wsUrl } = venue.facts;
  try {
    const account = await leaveAccount(venue.facts, settings);
    session.log.info('paper.venue', { baseUrl, wsUrl, account });
    return await session.run({
      settings: { ...settings, venue: { ...settings.venue, baseUrl, wsUrl } },
      credentials: embeddedCredentials(venue.facts),
      extra: venue.facts,
      isVenueNew: true,
      mayMovePort: true,
      venueGone: venue.gone.then((exit) => session.log.error('paper.venue_died', exit)),
    });
  } finally {
    await venue.stop();
  }
}
